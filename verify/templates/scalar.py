"""A theorem about numbers. Judge it with `python -m verify check THIS_FILE`."""

from verify import Notes

notes = Notes("mine")  # the first part of every id

# Symbols with their domains: real, nonnegative, positive, count (whole numbers from 1).
a, b = notes.real("a b")
c = notes.positive("c")

# A relation, then the conditions under which it is claimed. It is proved, or searched for a counterexample.
notes.claim("young", a * b <= c * a**2 / 2 + b**2 / (2 * c))
notes.claim("ordered", a**2 <= b**2, a >= 0, a <= b)

CLAIMS = notes.claims
