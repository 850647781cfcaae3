"""Symbols of certificates in tests, and the value of a formula in fractions."""

from fractions import Fraction

DOMAINS = {
    "x": "real",
    "y": "real",
    "z": "nonnegative",
    "p": "positive",
    "n": "count",
    "t": "whole",
    "q": "positive",
}
AT = {
    "x": Fraction(-3, 2),
    "y": Fraction(5),
    "z": Fraction(2, 3),
    "p": Fraction(7, 4),
    "n": Fraction(3),
    "t": Fraction(2),
    "q": Fraction(1, 9),
}


def value(formula, at=AT):
    """The value of a formula in fractions, computed independently of the field of quotients."""
    if isinstance(formula, str):
        return at[formula] if formula in at else Fraction(formula)
    head, *inside = formula
    if head == "^":
        return value(inside[0], at) ** int(inside[1])
    of = [value(part, at) for part in inside]
    if head == "*":
        found = Fraction(1)
        for factor in of:
            found *= factor
        return found
    return {
        "+": lambda: sum(of),
        "-": lambda: of[0] - sum(of[1:]) if len(of) > 1 else -of[0],
        "/": lambda: of[0] / of[1],
    }[head]()
