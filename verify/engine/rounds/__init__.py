"""Recursions: conditions for every index added up over the rounds, and potentials of sums."""
