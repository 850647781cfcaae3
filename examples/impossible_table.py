"""A table that cannot be: mean accuracies over three runs on 250 images, printed to four digits."""

import sympy as sp

from verify import Notes

notes = Notes("table")
mean, k = notes.real("mean"), notes.count("k")
rows = {"method A": {"mean": "0.8400", "k": 630}, "method B": {"mean": "0.8431", "k": 632}}
notes.table("exactly", sp.Eq(mean, k / sp.Integer(750)), rows)
notes.table("nearly", sp.Le(abs(mean - k / sp.Integer(750)), sp.Rational(1, 1000)), rows)
CLAIMS = notes.claims
