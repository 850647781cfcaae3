"""Formal vectors and forms. A form is a number that is linear in inner products of vectors and in function values.

Coefficients are fractions or rational functions of parameters. Any type with addition, multiplication and division works.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from numbers import Rational
from operator import add
from typing import Any

Number = Any
"""A fraction, or a rational function of parameters."""
Key = tuple[str, ...]
"""Key of a coefficient: (a, b) with a <= b for an inner product, (name,) for a scalar, () for a constant."""
LARGEST = 10**6
"""Largest denominator of a fraction that is given as a float."""


def vanishes(value: Number) -> bool:
    """Whether a coefficient is 0. A rational function must be 0 at all values of its parameters."""
    return bool(value.vanishes) if hasattr(value, "vanishes") else bool(value == 0)


def number(value: Any) -> Number:
    """A coefficient as an exact number. A float becomes the fraction with the smallest denominator that rounds to it.

    Raises
    ------
    ValueError
        If a float is not the rounding of a fraction with a denominator of at most 10^6.
    """
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, float):
        simple = Fraction(value).limit_denominator(LARGEST)
        if float(simple) != value:
            raise ValueError(
                f"a coefficient must be rational, got {value!r}; write it as Fraction(numerator, denominator)"
            )
        return simple
    if isinstance(value, str):
        return Fraction(value)
    return value


def _sum(one: Mapping[Any, Number], other: Mapping[Any, Number], sign: int) -> dict[Any, Number]:
    """Coefficients of the sum or difference of two linear combinations, without zeros."""
    total = dict(one)
    for key, coefficient in other.items():
        total[key] = total.get(key, 0) + sign * coefficient
    return {key: coefficient for key, coefficient in total.items() if not vanishes(coefficient)}


@dataclass(frozen=True, eq=False)
class Vector:
    """A linear combination of basis vectors: name of a basis vector -> coefficient."""

    parts: Mapping[str, Number]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vector) and not (self - other).parts

    def __hash__(self) -> int:  # coefficients may be unhashable rational functions, so only the names count
        return hash(frozenset(self.parts))

    def __add__(self, other: Vector | int) -> Vector:
        return self if _is_zero(other) else Vector(_sum(self.parts, _vector(other).parts, 1))

    __radd__ = __add__

    def __sub__(self, other: Vector | int) -> Vector:
        return self if _is_zero(other) else Vector(_sum(self.parts, _vector(other).parts, -1))

    def __neg__(self) -> Vector:
        return -1 * self

    def __mul__(self, scale: Number) -> Vector:
        scale = _coefficient(scale)
        return Vector(
            {name: scale * part for name, part in self.parts.items()} if not vanishes(scale) else {}
        )

    __rmul__ = __mul__

    def __truediv__(self, scale: Number) -> Vector:
        return self * (1 / number(scale))


@dataclass(frozen=True, eq=False)
class Form:
    """A number that is linear in inner products, function values and other scalars: key -> coefficient."""

    terms: Mapping[Key, Number]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Form) and not (self - other).terms

    def __hash__(self) -> int:
        return hash(frozenset(self.terms))

    def __add__(self, other: Form | Number) -> Form:
        return Form(_sum(self.terms, form(other).terms, 1))

    __radd__ = __add__

    def __sub__(self, other: Form | Number) -> Form:
        return Form(_sum(self.terms, form(other).terms, -1))

    def __rsub__(self, other: Form | Number) -> Form:
        return form(other) - self

    def __neg__(self) -> Form:
        return -1 * self

    def __mul__(self, scale: Form | Number) -> Form:
        if isinstance(scale, Form):
            if scale.constant is None and self.constant is not None:
                return scale * self.constant
            if scale.constant is None:
                raise ValueError(
                    "a claim must be linear in function values and inner products, got a product of two of them; state a claim without the product"
                )
            scale = scale.constant
        scale = _coefficient(scale)
        return Form({key: scale * part for key, part in self.terms.items()} if not vanishes(scale) else {})

    __rmul__ = __mul__

    def __truediv__(self, scale: Form | Number) -> Form:
        below = form(scale).constant
        if below is None:
            raise ValueError("a claim must not divide by function values or inner products; multiply it out")
        return self * (1 / number(below))

    def __le__(self, other: Form | Number) -> Form:
        """The slack other - self of the inequality self <= other; it is nonnegative where the inequality holds."""
        return form(other) - self

    def __ge__(self, other: Form | Number) -> Form:
        return self - other

    @property
    def constant(self) -> Number | None:
        """The value of a form that is a constant; None for any other form."""
        return None if self.terms.keys() - {()} else self.terms.get((), Fraction(0))


ZERO, NOTHING = Vector({}), Form({})


def form(value: Form | Number) -> Form:
    """A number as a form."""
    if isinstance(value, Form):
        return value
    value = number(value)
    return NOTHING if vanishes(value) else Form({(): value})


def scalar(name: str) -> Form:
    """The form that is one scalar."""
    return Form({(name,): Fraction(1)})


def basis(name: str) -> Vector:
    """The basis vector with this name."""
    return Vector({name: Fraction(1)})


def dot(u: Vector, v: Vector) -> Form:
    """Inner product of two vectors."""
    terms: dict[Key, Number] = {}
    for a, x in _vector(u).parts.items():
        for b, y in _vector(v).parts.items():
            key = (a, b) if a <= b else (b, a)
            terms[key] = terms.get(key, 0) + x * y
    return Form({key: part for key, part in terms.items() if not vanishes(part)})


def sq(v: Vector) -> Form:
    """Squared norm of a vector."""
    return dot(v, v)


def mean(values: Iterable[Any]) -> Any:
    """Mean of vectors or of forms, such as an expectation over equally likely cases."""
    every = list(values)
    return reduce(add, every) / len(every)


def _coefficient(scale: Any) -> Number:
    if isinstance(scale, Vector):
        raise TypeError("two vectors cannot be multiplied; `dot(u, v)` is their inner product")
    return number(scale)


def _is_zero(value: Any) -> bool:
    return isinstance(value, int) and value == 0


def _vector(value: Any) -> Vector:
    if isinstance(value, Vector):
        return value
    if _is_zero(value):
        return ZERO
    raise TypeError(
        f"the argument must be a vector, got {type(value).__name__} {value!r}; numbers cannot be added to vectors"
    )
