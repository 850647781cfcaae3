"""True statements of the published literature outside the catalogue, and plausible false variants of them.

`python -m tests.benchmarks.theorems` judges all of them and prints precision (the share of false statements among
refuted ones), recall (the share of refuted statements among false ones), the undecided ones, and the time of a verdict.
Variants are made by rules (a constant that is too good by a tenth, by a half, or by its sign) and by hand.
"""
