"""Continual learning with solutions of least distance: forgetting and generalisation in expectation."""
