"""Worlds in which every constant of a theorem is known: quadratic and bounded-gradient federations."""
