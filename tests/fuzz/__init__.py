"""Fuzzers: inputs made at random, whose right answer is known by another way."""
