"""SCAFFOLD: local steps with control variates, strongly convex and convex losses, sampled clients."""
