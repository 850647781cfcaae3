"""Textbook laws of sums, powers, exponentials and logarithms, applied automatically, and induction over whole symbols."""
