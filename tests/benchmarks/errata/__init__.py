"""Published statements that are wrong: found in two encodings each, the correction judged beside them.

``python -m tests.benchmarks.errata`` prints the table of docs/errata.md.
"""
