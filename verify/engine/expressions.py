"""Scenes as expressions: the quantities of a scene in symbols, and whether an expression is zero."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import sympy as sp
from sympy.polys.rings import PolyElement, PolyRing

from verify.engine.scene import Box, Scene, Shape, Values, quantities


def symbolic_values(scene: Scene, shape: Shape) -> Values:
    """Quantities of a scene whose parameters are all distinct symbols.

    Raises
    ------
    ValueError
        If a parameter is called like an entry of another.
    """
    parameters = {}
    labels: set[str] = set()
    for name, box in scene.space(shape).items():
        array = np.empty((1, *box.shape), dtype=object)
        for index in np.ndindex(array.shape):
            label = f"{name}[{','.join(map(str, index[1:]))}]" if box.shape else name
            if label in labels:
                raise ValueError(
                    f"`space` must not call a parameter like an entry of another, got {label!r} twice"
                )
            labels.add(label)
            array[index] = sp.Symbol(label, **_domain(box))
        parameters[name] = array
    sizes = {name: parameters[name] for name in scene.steps}
    return quantities(scene, shape, parameters, sizes)


def _domain(box: Box) -> dict[str, bool]:
    """What SymPy may assume of every number in a range, and nothing more: not positive is not negative."""
    return {"positive": True} if box.low > 0 else {"nonnegative": True} if box.low == 0 else {"real": True}


def vanishes(expression: sp.Expr) -> bool:
    """Whether an expression is zero wherever it is defined."""
    plain = common_terms_out(expression)
    return _numerator_vanishes(plain) or bool(sp.cancel(sp.expand(sp.together(plain))) == 0)


def _numerator_vanishes(expression: sp.Expr) -> bool:
    """Whether the numerator is zero as a polynomial in all that is no sum, product or power, which is quick to see.

    Denominators are not sought but given names: with r for 1/b, and D the highest power of r, a sum of c_k r^k is zero
    if that of c_k b^(D - k) is. An expression may vanish although this one does not, as |x|^2 - x^2.
    """
    named: dict[sp.Expr, sp.Symbol] = {}

    def name(part: sp.Expr) -> sp.Symbol:
        return named.setdefault(part, sp.Dummy())

    def polynomial(part: sp.Expr) -> sp.Expr:
        if part.is_Add or part.is_Mul:
            return part.func(*map(polynomial, part.args))
        if part.is_Pow and part.exp.is_Integer:
            base, power = polynomial(part.base), int(part.exp)
            return base**power if power > 0 else name(1 / base) ** -power
        return part if part.is_Rational else name(part)

    plain = polynomial(expression)
    if not named:
        return bool(plain == 0)
    ring = PolyRing(tuple(named.values()), sp.QQ)
    total = ring.from_expr(plain)
    for number, part in reversed(list(enumerate(named))):  # what a denominator contains was named before it
        if part.is_Pow and part.exp == -1:
            total = _without(total, number, ring.from_expr(part.base))
    return bool(total == 0)


def _without(total: PolyElement, number: int, base: PolyElement) -> PolyElement:
    """A polynomial times the highest power of `base` that its generator `number`, 1/base, has in it."""
    by_power: dict[int, PolyElement] = defaultdict(lambda: total.ring.zero)
    for powers, factor in total.terms():
        rest = (*powers[:number], 0, *powers[number + 1 :])
        by_power[powers[number]] += total.ring.term_new(rest, factor)
    highest = max(by_power, default=0)
    return sum((part * base ** (highest - power) for power, part in by_power.items()), total.ring.zero)


def common_terms_out(expression: sp.Expr) -> sp.Expr:
    """Terms that all arguments of a largest or smallest share, taken out: max(x - z, y - z) is max(x, y) - z.

    Of a term with several coefficients the least is taken out, so that extremes which differ by a term look alike.
    """

    def hoisted(extreme: sp.Expr) -> sp.Expr:
        arguments = [sp.expand(argument) for argument in extreme.args]
        parts = [argument.as_coefficients_dict() for argument in arguments]
        terms = dict.fromkeys(term for part in parts for term in part)
        shared = sp.Add(*(min(part.get(term, 0) for part in parts) * term for term in terms))
        return extreme.func(*(argument - shared for argument in arguments)) + shared

    return sp.sympify(expression).replace(lambda part: isinstance(part, sp.Max | sp.Min), hoisted)


class Detour(sp.Function):  # type: ignore[misc]
    """|x_1| + .. + |x_n| - |x_1 + .. + x_n| of vectors in one coordinate, which is nonnegative in any number of them."""

    is_nonnegative = True

    def spelled_out(self) -> sp.Expr:
        return sp.Add(*(sp.Abs(part) for part in self.args)) - sp.Abs(sp.Add(*self.args))


class Excess(sp.Function):  # type: ignore[misc]
    """max(x_1, .., x_n) - x_1, which is nonnegative."""

    is_nonnegative = True

    def spelled_out(self) -> sp.Expr:
        return sp.Max(*self.args) - self.args[0]


class Least(sp.Function):  # type: ignore[misc]
    """min(x_1, .., x_n) of numbers that are nonnegative, as it then is."""

    @property
    def is_nonnegative(self) -> bool:
        return all(part.is_nonnegative for part in self.args)

    def spelled_out(self) -> sp.Expr:
        return -sp.Max(*(-sp.expand(part) for part in self.args))


def spelled_out(expression: sp.Expr) -> sp.Expr:
    """`Detour`, `Excess` and `Least` by what they mean; lengths in one form: |x - y| for |y - x|, 2|x| for |2x|."""

    def meant(stands_for: Detour | Excess | Least) -> sp.Expr:
        return common_terms_out(stands_for.spelled_out())

    for kind in (Detour, Excess):
        expression = expression.replace(kind, lambda *parts, kind=kind: meant(kind(*parts)))
    one_form = lambda inside: sp.Abs(sp.factor_terms(sp.expand(sp.together(inside))))  # noqa: E731
    return expression.replace(sp.Abs, one_form).replace(Least, lambda *parts: meant(Least(*parts)))
