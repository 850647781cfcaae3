"""Elastic weight consolidation (EWC): quadratic penalties in place of the losses of past tasks."""
