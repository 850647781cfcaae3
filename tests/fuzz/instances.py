"""Evaluation of certificates at exact numbers, independent of both checkers: is a claim false although all assumptions
hold?
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from fractions import Fraction
from math import prod
from typing import Any

Tree = Any
POINTS = {
    "real": "0 1 -1 1/2 -1/2 2 -3 4 -9 1000000 -1000000 1/1000",
    "nonnegative": "0 1 1/2 4 9 1000000 1/1000",
    "positive": "1 1/2 4 9 1000000 1/1000",
    "count": "1 2 3 4 7",
    "whole": "0 1 2 3 6",
}
HOLDS = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
DIMENSION = 2
LARGEST = 400
"""Limit on evaluated exponents."""


class Undefined(ArithmeticError):
    """A formula without a value."""


class Unknown(ValueError):
    """A value that is not a fraction, or is too large to be computed."""


class Instance:
    """Random values of symbols in their domains; functions and sequences have random values, too."""

    def __init__(self, symbols: Mapping[str, str], rng: random.Random) -> None:
        self.symbols, self.salt = symbols, rng.random()
        self.numbers = {
            name: Fraction(rng.choice(POINTS[domain].split()))
            for name, domain in symbols.items()
            if domain in POINTS
        }

    def _drawn(self, domain: str, *name: object) -> Fraction:
        """A random number that is the same for the same name."""
        return Fraction(random.Random(repr((self.salt, *name))).choice(POINTS[domain].split()))

    def value(self, tree: Tree) -> Fraction:
        """The value of a formula.

        Raises
        ------
        Undefined
            If it has no value.
        Unknown
            If it is not a fraction.
        """
        if isinstance(tree, str):
            if tree in self.numbers:
                return self.numbers[tree]
            try:
                return Fraction(tree)
            except ValueError:
                raise Unknown(f"{tree!r} is neither a number nor a symbol") from None
        head, *inside = tree
        match head:
            case "root":
                return _root(self.value(inside[1]), int(inside[0]))
            case "call":
                return self._drawn("real", inside[0], *map(self.value, inside[1:]))
            case "at":
                domain = self.symbols[inside[0]].removeprefix("sequence ")
                return self._drawn(domain, inside[0], self.value(inside[1]))
            case "dot":
                return _product(*(self._vector(part, 0) for part in inside))
            case "each":
                members = range(int(self.numbers[inside[0]]))
                pairs = ([self._vector(part, i) for part in inside[1:]] for i in members)
                return sum((_product(*pair) for pair in pairs), Fraction(0))
        return _combined(head, [self.value(part) for part in inside])

    def _vector(self, tree: Tree, i: int) -> list[Fraction]:
        """A vector; for a family its member i."""
        if isinstance(tree, str):
            member = i if self.symbols[tree] != "vector" else 0
            return [self._drawn("real", tree, member, place) for place in range(DIMENSION)]
        head, *inside = tree
        if head == "total":
            size = self.numbers[self.symbols[inside[0]].removeprefix("family ")]
            members = [self._vector(inside[0], k) for k in range(int(size))]
            return [sum((u[place] for u in members), Fraction(0)) for place in range(DIMENSION)]
        if head == "*":
            scale = self.value(inside[0])
            return [scale * x for x in self._vector(inside[1], i)]
        way = 1 if head == "+" else -1
        u, v = (self._vector(part, i) for part in inside)
        return [a + way * b for a, b in zip(u, v, strict=True)]

    def holds(self, relation: Tree) -> bool:
        """Whether a relation is true; raises `Undefined` and `Unknown` like `value`."""
        sign, left, right = relation
        return bool(HOLDS[sign](self.value(left), self.value(right)))


def _combined(head: str, of: list[Fraction]) -> Fraction:
    match head, of:
        case "+", _:
            return sum(of, Fraction(0))
        case "*", _:
            return prod(of, start=Fraction(1))
        case "-", [a]:
            return -a
        case "-", [a, b]:
            return a - b
        case "abs", [a]:
            return abs(a)
        case "max", _:
            return max(of)
        case "min", _:
            return min(of)
        case "/", [a, b]:
            if not b:
                raise Undefined
            return a / b
    base, exponent = of
    if exponent.denominator != 1 or abs(exponent) > LARGEST:
        raise Undefined if base < 0 and exponent.denominator != 1 else Unknown
    if not base and exponent < 0:
        raise Undefined
    return base ** int(exponent)


def _product(u: list[Fraction], v: list[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(u, v, strict=True)), Fraction(0))


def _root(x: Fraction, degree: int) -> Fraction:
    if x < 0:
        raise Undefined
    ends = [round(end ** (1 / degree)) for end in (x.numerator, x.denominator)]
    if [end**degree for end in ends] != [x.numerator, x.denominator]:
        raise Unknown
    return Fraction(*ends)


def broken(
    certificate: Mapping[str, Any], rng: random.Random, tries: int
) -> tuple[int, dict[str, str] | None]:
    """The number of instances that meet all assumptions, and one of them at which the claim is false or undefined."""
    given = [line for line in certificate["lines"] if "given" in line]
    if any("for" in line for line in given):  # not decided by any number of values
        return 0, None
    met = 0
    for _ in range(tries):
        instance = Instance(certificate["symbols"], rng)
        try:
            if not all(instance.holds(line["given"]) for line in given):
                continue
        except (Undefined, Unknown, OverflowError):
            continue
        try:
            true = instance.holds(certificate["claim"])
        except Undefined:
            true = False
        except (Unknown, OverflowError):
            continue
        met += 1
        if not true:
            return met, {name: str(value) for name, value in instance.numbers.items()}
    return met, None
