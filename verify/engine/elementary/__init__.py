"""Textbook laws of powers, exponentials, logarithms and counting functions, applied automatically, and induction over whole symbols."""
