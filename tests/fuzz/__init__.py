"""Fuzzers: random inputs whose correct result is computed independently."""
