"""True statements of the published literature outside the catalogue, and plausible false variants of them.

`python -m tests.benchmarks.theorems` judges all of them and prints precision (of what is called false, the share that
is), recall (of what is false, the share that is called so), what stays undecided, and the time of a verdict. Variants are
made by rules (a constant too good by a tenth, by a half, by a sign) and by hand.
"""
