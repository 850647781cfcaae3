"""Tighter theory for local SGD on identical and heterogeneous data."""
