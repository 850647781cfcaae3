"""Textbook laws of sums, powers, exponentials and logarithms, put in automatically, and induction over letters."""
