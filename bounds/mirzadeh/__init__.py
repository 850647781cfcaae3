"""Training regimes in continual learning: forgetting bounded by curvature and distance."""
