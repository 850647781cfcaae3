"""Young's inequality, and a third of it."""

from verify import Notes

notes = Notes("young")
a, b = notes.real("a b")
c = notes.positive("c")
notes.claim("young", a * b <= c * a**2 / 2 + b**2 / (2 * c))
notes.claim("young/third", a * b <= c * a**2 / 3 + b**2 / (3 * c))
CLAIMS = notes.claims
