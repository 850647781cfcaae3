"""On the convergence of FedAvg on non-iid data: strongly convex losses, bounded gradients."""
