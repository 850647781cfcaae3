"""What Pathak and Wainwright say of the fixed points of FedAvg; a module each."""
