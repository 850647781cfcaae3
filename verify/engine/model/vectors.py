"""Vectors of any dimension as SymPy formulas: combinations of named vectors, whose only products are inner products."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import cached_property, reduce
from typing import Any

import numpy as np
import sympy as sp

AXIS = "axis"
"""An arbitrary vector: a property of its inner product with a vector is a property of every coordinate."""

_ANY = "any direction"


class NoForm(TypeError):
    """The result of an operation is neither a vector nor a formula in inner products."""


class Vector(sp.Expr):  # type: ignore[misc]
    """A linear combination of named vectors; an empty combination is the vector 0.

    Formulas are compared by their printed form, because inside a scene ``==`` compares numbers.
    """

    _op_priority = 20.0  # so that SymPy leaves operations with numbers to this class
    is_commutative = True

    @classmethod
    def named(cls, name: str) -> Vector:
        """A vector by its name."""
        return cls(sp.Tuple(sp.Symbol(name), sp.S.One))

    @classmethod
    def combined(cls, terms: dict[str, sp.Expr]) -> Vector:
        """The sum of these weights times the vectors of these names."""
        kept = ((name, weight) for name, weight in sorted(terms.items()) if weight is not sp.S.Zero)
        return cls(*(sp.Tuple(sp.Symbol(name), weight) for name, weight in kept))

    @property
    def terms(self) -> dict[str, sp.Expr]:
        """Weights by the names of vectors."""
        return {base.name: weight for base, weight in self.args}

    @cached_property
    def printed(self) -> str:
        """The printed form, by which vectors are compared; cached, because SymPy prints long weights slowly."""
        return str(self)

    def scaled(self, number: Any) -> Vector:
        """The vector times a number."""
        factor = sp.sympify(number)
        return Vector.combined({name: weight * factor for name, weight in self.terms.items()})

    def __add__(self, other: Any) -> Vector:
        other = sp.sympify(other)
        if not isinstance(other, Vector):
            if other is sp.S.Zero:
                return self
            raise NoForm(f"a number is added to a vector: {other}")
        terms = self.terms
        for name, weight in other.terms.items():
            terms[name] = sp.expand(terms[name] + weight) if name in terms else weight
        return Vector.combined(terms)

    __radd__ = __add__

    def __neg__(self) -> Vector:
        return self.scaled(-1)

    def __sub__(self, other: Any) -> Vector:
        found: Vector = self.__add__(-sp.sympify(other))
        return found

    def __rsub__(self, other: Any) -> Vector:
        found: Vector = (-self).__add__(other)
        return found

    def __mul__(self, other: Any) -> sp.Expr:
        other = sp.sympify(other)
        return inner(self, other) if isinstance(other, Vector) else self.scaled(other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Vector:
        other = sp.sympify(other)
        if isinstance(other, Vector):
            raise NoForm("a vector is divided by a vector")
        return self.scaled(1 / other)

    def __rtruediv__(self, other: Any) -> sp.Expr:
        raise NoForm("a number is divided by a vector")

    def __pow__(self, exponent: Any) -> sp.Expr:
        if sp.sympify(exponent) is not sp.Integer(2):
            raise NoForm(f"a vector has no power {exponent}")
        return inner(self, self)

    def __abs__(self) -> sp.Expr:
        raise NoForm("the absolute value of a coordinate is no form in inner products")

    def __bool__(self) -> bool:
        return bool(self.args)


class Inner(sp.Symbol):  # type: ignore[misc]
    """The inner product of two vectors, `ends`; nonnegative for a vector with itself."""

    __slots__ = ("ends",)
    ends: tuple[Vector, Vector]

    def __new__(cls, left: Vector, right: Vector) -> Inner:
        signs = {"nonnegative": True} if left.printed == right.printed else {"real": True}
        found: Inner = sp.Symbol.__xnew__(cls, f"<{left.printed}, {right.printed}>", **signs)
        found.ends = (left, right)
        return found

    @property
    def in_one_dimension(self) -> sp.Expr:
        """The product of two linear combinations: the inner product in one dimension."""
        return sp.Mul(
            *(sp.Add(*(_as_numbers(w) * sp.Symbol(n) for n, w in end.terms.items())) for end in self.ends)
        )

    def _hashable_content(self) -> tuple[Any, ...]:
        return (*super()._hashable_content(), *self.ends)


def inner(left: Vector, right: Vector) -> sp.Expr:
    """Inner product of two vectors, with positive common factors of all weights of a vector taken out."""
    if not left.args or not right.args:
        return sp.S.Zero
    if left is right:
        factor, left = _primitive(left)
        return factor**2 * Inner(left, left)
    (one, left), (other, right) = _primitive(left), _primitive(right)
    left, right = sorted((left, right), key=lambda vector: vector.printed)
    return one * other * Inner(left, right)


def are_abstract(values: Any) -> bool:
    """Whether an array holds abstract vectors."""
    objects = isinstance(values, np.ndarray) and values.dtype == object
    return objects and any(isinstance(entry, Vector) for entry in values.flat)


def representing(function: Callable[[Vector], Any]) -> np.ndarray:
    """Vectors v for which a linear function of an arbitrary vector e is <v, e>.

    Parameters
    ----------
    function : callable
        From a vector to an array of formulas.

    Raises
    ------
    NoForm
        If a formula is not linear in the vector.
    """
    along = Vector.named(_ANY)
    found: np.ndarray = np.vectorize(_represented, otypes=[object])(function(along))
    return found


def _represented(formula: Any) -> Vector:
    """The vector v for which a formula equals <v, e>, where e is a vector that no scene names."""
    whole = sp.sympify(formula)
    whole = whole.xreplace({product: _spelled_out(product) for product in whole.atoms(Inner)})
    along = {p: _names_of(p) for p in whole.atoms(Inner) if _ANY in _names_of(p)}
    weights = {product: sp.cancel(sp.diff(whole, product)) for product in along}
    rest = sp.cancel(whole - sp.Add(*(weight * product for product, weight in weights.items())))
    used = {product: weight for product, weight in weights.items() if weight is not sp.S.Zero}
    if rest is not sp.S.Zero or any(
        len(along[p]) < 2 or w.atoms(Inner) & along.keys() for p, w in used.items()
    ):
        raise NoForm(f"no linear function of a vector: {formula}")
    return Vector.combined({next(iter(along[p] - {_ANY})): weight for p, weight in used.items()})


def _as_numbers(weight: sp.Expr) -> sp.Expr:
    """A weight in one dimension, with inner products as products of numbers."""
    return weight.xreplace({product: product.in_one_dimension for product in weight.atoms(Inner)})


def _names_of(product: Inner) -> set[str]:
    return {name for end in product.ends for name in end.terms}


def _spelled_out(product: Inner) -> sp.Expr:
    """An inner product of combinations as a sum of inner products of named vectors."""
    pairs = itertools.product(*(end.terms.items() for end in product.ends))
    return sp.Add(*(w * share * inner(Vector.named(x), Vector.named(y)) for (x, w), (y, share) in pairs))


def _primitive(vector: Vector) -> tuple[sp.Expr, Vector]:
    """The positive common factors of all weights of a vector, and the vector without them."""
    numbers, letters = zip(*(weight.as_coeff_Mul() for weight in vector.terms.values()), strict=True)
    first, *others = map(sp.Mul.make_args, letters)
    spelled = [set(map(str, parts)) for parts in others]  # as text, because `==` asks the guide of a scene
    shared = [part for part in first if part.is_positive and all(str(part) in parts for parts in spelled)]
    factor = abs(reduce(sp.gcd, numbers)) * sp.Mul(*shared)
    return factor, vector if factor is sp.S.One else vector.scaled(1 / factor)


def coordinate(entry: Any) -> Any:
    """The inner product of a vector with an arbitrary one, which represents each of its coordinates; a number unchanged."""
    return entry * Vector.named(AXIS) if isinstance(entry, Vector) else entry


__all__ = ["AXIS", "Inner", "NoForm", "Vector", "are_abstract", "coordinate", "inner", "representing"]
