"""Fuzzers: random inputs whose right answer is computed independently."""
