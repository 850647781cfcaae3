"""Searches for counterexamples: random instances, gradients, solvers, and the simplest instance that breaks a relation."""
