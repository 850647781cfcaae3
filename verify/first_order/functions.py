"""Rational functions of parameters as coefficients, and exact rational interpolation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from math import prod
from typing import Any

import sympy as sp
from sympy.polys.domains import QQ
from sympy.polys.fields import field

DEGREES = {1: 7, 2: 5, 3: 4, 4: 4}
"""Largest total degree of numerator and of denominator that a fit tries, by the number of parameters."""
SPARE = 3
"""Number of points in excess of the unknowns. A wrong fit would agree with them only by coincidence."""


class RationalFunction:
    """A quotient of polynomials in the parameters with rational coefficients, in lowest terms.

    Comparisons raise `TypeError`: a branch on the value of a parameter would make a proof for all values wrong.
    """

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def _other(self, other: Any) -> Any:
        if isinstance(other, RationalFunction):
            return other.value
        if isinstance(other, int | Fraction):
            return self.value.field.ground_new(QQ(int(other.numerator), int(other.denominator)))
        return None

    def _with(self, other: Any, operation: Any) -> Any:
        right = self._other(other)
        return NotImplemented if right is None else RationalFunction(operation(self.value, right))

    def __add__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a + b)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a - b)

    def __rsub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: b - a)

    def __mul__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a * b)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a / b)

    def __rtruediv__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: b / a)

    def __neg__(self) -> RationalFunction:
        return RationalFunction(-self.value)

    def __pow__(self, exponent: int) -> RationalFunction:
        return RationalFunction(self.value**exponent)

    def __eq__(self, other: object) -> bool:
        raise TypeError(
            f"a method must not compare its parameters, got a comparison of {self}; a claim about all their values needs the same steps for each"
        )

    __lt__ = __le__ = __gt__ = __ge__ = __eq__  # type: ignore[assignment]

    def __bool__(self) -> bool:
        return self == 0  # raises TypeError, as a truth value would be a comparison with 0

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return str(self.value)

    def at(self, point: Mapping[str, Fraction]) -> Fraction:
        """Value at a point (name of a parameter -> value)."""
        names = [str(s) for s in self.value.field.symbols]
        values = [QQ(point[name].numerator, point[name].denominator) for name in names]
        generators = self.value.field.ring.gens
        top, bottom = (
            part.evaluate(list(zip(generators, values, strict=True)))
            for part in (self.value.numer, self.value.denom)
        )
        return Fraction(int(top.numerator), int(top.denominator)) / Fraction(
            int(bottom.numerator), int(bottom.denominator)
        )

    @property
    def vanishes(self) -> bool:
        """Whether the function is identically 0."""
        return not self.value

    @property
    def expression(self) -> sp.Expr:
        """The function as a SymPy expression."""
        return self.value.as_expr()

    @property
    def constant(self) -> Fraction | None:
        """The value of a constant function; None for any other function."""
        found = self.value.as_expr()
        return Fraction(int(found.p), int(found.q)) if found.is_Rational else None


def parameters(names: Sequence[str]) -> dict[str, RationalFunction]:
    """The coordinate functions: name of a parameter -> the rational function with its value."""
    _, *generators = field([sp.Symbol(name) for name in names], QQ)
    return {name: RationalFunction(generator) for name, generator in zip(names, generators, strict=True)}


def fitted(
    points: Sequence[Mapping[str, Fraction]],
    values: Sequence[Fraction],
    variables: Mapping[str, RationalFunction],
) -> RationalFunction | None:
    """The rational function of lowest degree through all points; None if the degrees of `DEGREES` do not suffice.

    The fit is exact. The coefficients solve numerator(p) - value * denominator(p) = 0 at every point p: a homogeneous linear
    system with more equations than unknowns.
    """
    names = list(variables)
    if len(set(values)) == 1:
        return next(iter(variables.values())) * 0 + values[0]
    for above, below in _degrees(len(names)):
        tops, bottoms = _monomials(names, above), _monomials(names, below)
        if len(tops) + len(bottoms) + SPARE > len(points):
            return None
        found = _null(points, values, tops, bottoms)
        if found is not None:
            top, bottom = (
                sum(
                    (
                        c * prod((variables[n] for n in m), start=1)
                        for c, m in zip(part, monomials, strict=True)
                    ),
                    start=0,
                )
                for part, monomials in ((found[: len(tops)], tops), (found[len(tops) :], bottoms))
            )
            return next(iter(variables.values())) * 0 + top / bottom
    return None


def _degrees(n: int) -> Iterator[tuple[int, int]]:
    """Yield degrees of numerator and denominator for n parameters, with the smallest sum first."""
    most = DEGREES.get(n, 2)
    yield from sorted(
        ((a, b) for a in range(most + 1) for b in range(most + 1)), key=lambda pair: (sum(pair), max(pair))
    )


def _monomials(names: Sequence[str], degree: int) -> list[tuple[str, ...]]:
    """All monomials up to a total degree, as tuples of names with repetition."""
    return [m for d in range(degree + 1) for m in combinations_with_replacement(names, d)]


def _null(
    points: Sequence[Mapping[str, Fraction]],
    values: Sequence[Fraction],
    tops: Sequence[tuple[str, ...]],
    bottoms: Sequence[tuple[str, ...]],
) -> list[Fraction] | None:
    """Coefficients of a numerator and a denominator whose quotient has these values; None if there are none.

    They are a vector of the null space of the linear system. Numerator and denominator may have a common factor.
    """
    from flint import fmpq, fmpq_mat

    def row(point: Mapping[str, Fraction], value: Fraction) -> list[Any]:
        up = [prod((point[n] for n in m), start=Fraction(1)) for m in tops]
        down = [-value * prod((point[n] for n in m), start=Fraction(1)) for m in bottoms]
        return [fmpq(x.numerator, x.denominator) for x in (*up, *down)]

    rows = [row(point, value) for point, value in zip(points, values, strict=True)]
    reduced, rank = fmpq_mat(rows).rref()
    n = len(tops) + len(bottoms)
    pivots = [next(j for j in range(n) if reduced[i, j] != 0) for i in range(rank)]
    free = [j for j in range(n) if j not in set(pivots)]
    if not free:
        return None
    found = [Fraction(0)] * n
    found[free[0]] = Fraction(1)
    for i, j in enumerate(pivots):
        entry = -reduced[i, free[0]]
        found[j] = Fraction(int(entry.p), int(entry.q))
    # where numerator and denominator both vanish, the equation holds but the quotient need not have the value
    vanishing = any(
        not sum(-c * x for c, x in zip(found[len(tops) :], map(_fraction, row[len(tops) :]), strict=True))
        for row, value in zip(rows, values, strict=True)
        if value
    )
    return None if vanishing or not any(found[len(tops) :]) else found


def _fraction(x: Any) -> Fraction:
    return Fraction(int(x.p), int(x.q))
