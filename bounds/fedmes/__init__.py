"""FedMeS: personalised federated continual learning with local memories."""
