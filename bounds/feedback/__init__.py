"""Tight rates of compressed gradient descent, error feedback (EF) and EF21 for strongly convex losses."""
