"""A-GEM: projection of the gradient on the half-space of the mean past gradient."""
