"""Values of formulas through python-flint: reduced quotients of polynomials in symbols, and in all parts that are not
sums.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import comb
from typing import Any, ClassVar, TypeAlias

from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx

from verify.engine.certificates.formulas import Tree

NUMBER = re.compile(r"-?[0-9]+(/[0-9]*[1-9][0-9]*)?")
SCALARS = ("positive", "nonnegative", "real", "count", "whole")
WHOLE = {"count": 1, "whole": 0}
BITS = 2**20
"""Limit on bits of a power of a number."""
TERMS = 20_000
"""Limits on terms of a power, and on the square root of the number of products of terms in one multiplication: flint
takes about a second at these. No time limit can interrupt it, because it is written in C.
"""
ROOM = 40
"""Limit on variables for roots, powers and similar parts, besides the symbols."""


class Undefined(ValueError):
    """A formula has no value here."""


class Quotient:
    """A quotient of two polynomials without a common factor; the denominator has the leading coefficient 1."""

    __slots__ = ("bottom", "top")

    def __init__(self, top: fmpq_mpoly, bottom: fmpq_mpoly) -> None:
        if not bottom.is_constant():
            common = top.gcd(bottom)
            if not common.is_constant():
                top, bottom = top / common, bottom / common
        lead = bottom.leading_coefficient()
        self.top, self.bottom = (top, bottom) if lead == 1 else (top * (1 / lead), bottom * (1 / lead))

    def __add__(self, other: Quotient) -> Quotient:
        if self.bottom == other.bottom:
            return Quotient(self.top + other.top, self.bottom)
        return Quotient(self.top * other.bottom + other.top * self.bottom, self.bottom * other.bottom)

    def __neg__(self) -> Quotient:
        return Quotient(-self.top, self.bottom)

    def __sub__(self, other: Quotient) -> Quotient:
        return self + -other

    def __mul__(self, other: Quotient) -> Quotient:
        if max(len(self.top) * len(other.top), len(self.bottom) * len(other.bottom)) > TERMS**2:
            raise Undefined("a product has too many terms")
        return Quotient(self.top * other.top, self.bottom * other.bottom)

    def __truediv__(self, other: Quotient) -> Quotient:
        if other.top.is_zero():
            raise Undefined("division by zero")
        return Quotient(self.top * other.bottom, self.bottom * other.top)

    def __pow__(self, exponent: int) -> Quotient:
        if abs(exponent) > 999:
            raise Undefined(f"the exponent {exponent} is too large")
        if self.constant is not None and abs(exponent) * _bits(self.constant) > BITS:
            raise Undefined("a number is too large")
        terms = max(len(self.top), len(self.bottom))
        if terms > 1 and comb(terms + abs(exponent) - 1, abs(exponent)) > TERMS:
            raise Undefined("a power has too many terms")
        up, down = (self.top, self.bottom) if exponent >= 0 else (self.bottom, self.top)
        if down.is_zero():
            raise Undefined("division by zero")
        return Quotient(up ** abs(exponent), down ** abs(exponent))

    @property
    def key(self) -> str:
        return f"{self.top}|{self.bottom}"

    @property
    def constant(self) -> fmpq | None:
        if not self.bottom.is_constant() or not self.top.is_constant():
            return None
        return self.top.leading_coefficient() if not self.top.is_zero() else fmpq(0)


def _bits(number: fmpq) -> int:
    return max(int(number.p).bit_length(), int(number.q).bit_length())


Name: TypeAlias = str | tuple[str, ...]
"""A variable: a symbol, or a part identified by its kind and its arguments."""
Vector: TypeAlias = dict[Name, Quotient]


class Field:
    """Values of formulas; variables are named as they occur.

    Parameters
    ----------
    symbols : mapping
        Name -> domain.
    room : int
        Limit on variables that are not symbols.
    """

    def __init__(self, symbols: dict[str, str], room: int = ROOM) -> None:
        self.symbols = dict(symbols)
        self.context = fmpq_mpoly_ctx.get(
            [f"v{k}" for k in range(2 * len(symbols) + room)], Ordering.degrevlex
        )
        self.one = self.context.constant(1)
        self.names: dict[Name, int] = {}
        self.formulas: list[Tree] = []  # By variable: the formula that it stands for.
        self.facts: list[Tree] = []
        self.equal: dict[str, Quotient] = {}

    def constant(self, value: Any) -> Quotient:
        ratio = Fraction(value)
        return Quotient(self.context.constant(fmpq(ratio.numerator, ratio.denominator)), self.one)

    def variable(self, key: Name, formula: Tree) -> Quotient:
        if key not in self.names:
            if len(self.names) == self.context.nvars():
                raise Undefined(f"more than {len(self.names)} variables")
            self.names[key] = len(self.names)
            self.formulas.append(formula)
        return Quotient(self.context.gen(self.names[key]), self.one)

    def value(self, formula: Tree) -> Quotient:
        """Value of a formula. Whether the formula is defined is not checked here, except that no divisor is zero.

        Raises
        ------
        Undefined
            If it has no value.
        """
        if isinstance(formula, str):
            return self._symbol_value(formula)
        head, *inside = formula
        if head not in self._heads:
            raise Undefined(f"{head!r} is unknown")
        return self._heads[head](self, formula, *inside)

    def slack(self, relation: Tree) -> Quotient:
        """The larger side minus the smaller side."""
        sign, left, right = relation
        values = self.value(left), self.value(right)
        return values[0] - values[1] if sign in (">=", ">") else values[1] - values[0]

    def _symbol_value(self, name: str) -> Quotient:
        if NUMBER.fullmatch(name):
            return self.constant(name)
        if name in self.equal:
            return self.equal[name]
        if self.symbols.get(name) not in SCALARS:
            raise Undefined(f"{name!r} is no number that was declared")
        return self.variable(name, name)

    def _sum(self, _: Tree, *terms: Tree) -> Quotient:
        total = self.constant(0)
        for term in terms:
            total = total + self.value(term)
        return total

    def _difference(self, _: Tree, *terms: Tree) -> Quotient:
        if len(terms) == 1:
            return -self.value(terms[0])
        first, second = terms
        return self.value(first) - self.value(second)

    def _product(self, _: Tree, *factors: Tree) -> Quotient:
        total = self.constant(1)
        for factor in factors:
            total = total * self.value(factor)
        return total

    def _ratio(self, _: Tree, above: Tree, below: Tree) -> Quotient:
        return self.value(above) / self.value(below)

    def _power(self, formula: Tree, base: Tree, exponent: Tree) -> Quotient:
        """Powers with symbolic exponents: the least value of a whole exponent is split off, and base^(e - low) is a
        variable.
        """
        power, below = self.value(exponent), self.value(base)
        if power.constant is not None:
            if power.constant.q != 1:
                raise Undefined(f"{exponent} is no whole exponent")
            return below ** int(power.constant.p)
        low = self.least(power)
        whole = 0 if low is None else low
        rest = power - self.constant(whole)
        named = formula if whole == 0 else ["^", base, ["-", exponent, str(whole)]]
        return self.variable(("^", below.key, rest.key), named) * below**whole

    def least(self, number: Quotient) -> int | None:
        """Least value of a sum of whole symbols with nonnegative whole coefficients."""
        kinds = {
            self.names[name]: WHOLE[kind]
            for name, kind in self.symbols.items()
            if kind in WHOLE and name in self.names
        }
        total = fmpq(0)
        if not number.bottom.is_constant():
            return None
        for powers, factor in number.top.terms():
            places = [k for k, power in enumerate(powers) if power]
            if factor.q != 1 or sum(powers) > 1 or (places and (places[0] not in kinds or factor < 0)):
                return None
            total += factor * (kinds[places[0]] if places else 1)
        return int(total.p)

    def _root(self, formula: Tree, degree: str, inside: Tree) -> Quotient:
        return self.variable(("root", degree, self.value(inside).key), formula)

    def _max(self, formula: Tree, *inside: Tree) -> Quotient:
        if not inside or (formula[0] == "abs" and len(inside) != 1):
            raise Undefined(f"{formula} of nothing, or of too much")
        return self.variable((formula[0], *(self.value(part).key for part in inside)), formula)

    def _call(self, formula: Tree, name: str, *inside: Tree) -> Quotient:
        return self.variable(("call", name, *(self.value(part).key for part in inside)), formula)

    def _at(self, formula: Tree, name: str, place: Tree) -> Quotient:
        if not self.symbols.get(name, "").startswith("sequence "):
            raise Undefined(f"{name} is no sequence")
        return self.variable(("at", name, self.value(place).key), formula)

    def _slack(self, _: Tree, k: int) -> Quotient:
        if not 0 <= k < len(self.facts) or self.facts[k] is None:
            raise Undefined(f"fact {k} is not at hand")
        return self.slack(self.facts[k])

    def _dot(self, _: Tree, u: Tree, v: Tree) -> Quotient:
        return self._paired(None, u, v)

    def _each(self, _: Tree, n: str, u: Tree, v: Tree) -> Quotient:
        if self.symbols.get(n) not in WHOLE:
            raise Undefined(f"{n} is no number of vectors")
        return self._paired(n, u, v)

    def _paired(self, n: str | None, u: Tree, v: Tree) -> Quotient:
        """Bilinear in named vectors: sums over a family of <u_i, v_i>, <total, total>, <vector, vector>."""
        total = self.constant(0)
        for a, c in self.vector(u).items():
            for b, d in self.vector(v).items():
                inside = [x for x in (a, b) if isinstance(x, str) and self.symbols[x] != "vector"]
                if any(n is None or self.symbols[x] != f"family {n}" for x in inside):
                    raise Undefined(f"{inside} without an index of {n}")
                ends = sorted(
                    x if isinstance(x, tuple) else ("total", x) if inside == [x] else (x,) for x in (a, b)
                )
                kind = ["each", str(n)] if len(inside) == 2 else ["dot"]
                named = [list(x) if len(x) > 1 else x[0] for x in ends]
                pair = self.variable((kind[0], *map(repr, ends)), [*kind, *named])
                total = total + c * d * pair * (self.value(n) if n and not inside else self.constant(1))
        return total

    _heads: ClassVar[Mapping[str, Callable[..., Quotient]]] = {
        "+": _sum,
        "-": _difference,
        "*": _product,
        "/": _ratio,
        "^": _power,
        "root": _root,
        "max": _max,
        "min": _max,
        "abs": _max,
        "call": _call,
        "at": _at,
        "slack": _slack,
        "dot": _dot,
        "each": _each,
    }
    """Heads of formulas that have a value."""

    def vector(self, formula: Tree) -> Vector:
        """A vector as a linear combination of named vectors."""
        if isinstance(formula, str) and self.symbols.get(formula, "").split(" ")[0] in ("vector", "family"):
            return {formula: self.constant(1)}
        if not isinstance(formula, list):
            raise Undefined(f"{formula!r} is no vector")
        head, *inside = formula
        if head == "total" and self.symbols.get(inside[0], "").startswith("family "):
            return {("total", inside[0]): self.constant(1)}
        if head == "*" and len(inside) == 2:
            scale = self.value(inside[0])
            return {name: scale * c for name, c in self.vector(inside[1]).items()}
        if head in ("+", "-") and len(inside) == 2:
            left, right = (self.vector(part) for part in inside)
            for name, c in right.items():
                left[name] = left.get(name, self.constant(0)) + (c if head == "+" else -c)
            return left
        raise Undefined(f"{formula} is no vector")


def laws(formula: Tree, symbols: dict[str, str]) -> Sequence[tuple[str, Tree]]:
    """Laws of a formula, as relations of other formulas to zero."""
    if isinstance(formula, str) and symbols.get(formula) in WHOLE:
        return [(">=", ["-", formula, str(WHOLE[symbols[formula]])])]
    head = formula[0] if isinstance(formula, list) else ""
    if head == "root":
        return [("=", ["-", ["^", formula, formula[1]], formula[2]])]
    if head in ("max", "min"):
        return [(">=", ["-", formula, x] if head == "max" else ["-", x, formula]) for x in formula[1:]]
    if head == "abs":
        inside = formula[1]
        square = ["-", ["^", formula, "2"], ["^", inside, "2"]]
        return [(">=", ["-", formula, inside]), (">=", ["+", formula, inside]), ("=", square)]
    return []
