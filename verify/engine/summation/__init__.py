"""Textbook laws of sums and products over an index: their growth, closed forms, linearity, and bounds by integrals."""
