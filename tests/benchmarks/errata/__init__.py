"""Published statements that are wrong: each judged in two encodings, together with its correction.

``python -m tests.benchmarks.errata`` prints the table of docs/errata.md.
"""
