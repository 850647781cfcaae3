"""Scenes as expressions: the quantities of a scene in symbols, with lengths and extremes in a normal form."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import sympy as sp

from verify.engine.model.comparing import Guide, answering, refusing
from verify.engine.model.scene import Box, Scene, Shape, Values, quantities
from verify.engine.model.vectors import Vector


def symbolic_values(scene: Scene, shape: Shape, guide: Guide = refusing) -> Values:
    """Quantities of a scene whose parameters are all distinct symbols.

    Parameters
    ----------
    guide : callable
        Answers comparisons during the computation; by default comparisons are refused.

    Raises
    ------
    ValueError
        If a parameter has the same name as an entry of another one.
    Unordered
        If numbers are compared and the guide gives no answer.
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
            array[index] = Vector.named(label) if box.vectors else sp.Symbol(label, **_domain(box))
        parameters[name] = array
    sizes = {name: parameters[name] for name in scene.steps}
    with answering(guide):
        return quantities(scene, shape, parameters, sizes)


@lru_cache(maxsize=64)
def computed(scene: Scene, shape: frozenset[tuple[str, int]]) -> Values:
    """Quantities of a scene in symbols; cached, because the facts of one scene share them."""
    return symbolic_values(scene, dict(shape))


def _domain(box: Box) -> dict[str, bool]:
    """Assumptions for SymPy that hold for every number in a range, and no others."""
    return {"positive": True} if box.low > 0 else {"nonnegative": True} if box.low == 0 else {"real": True}


def common_terms_out(expression: sp.Expr) -> sp.Expr:
    """The expression with common terms taken out of maxima and minima: max(x - z, y - z) becomes max(x, y) - z.

    Of a term with several coefficients the smallest is taken out, so extremes that differ by a term get the same form.
    """

    def hoisted(extreme: sp.Expr) -> sp.Expr:
        arguments = [sp.expand(argument) for argument in extreme.args]
        parts = [argument.as_coefficients_dict() for argument in arguments]
        terms = dict.fromkeys(term for part in parts for term in part)
        shared = sp.Add(*(min(part.get(term, 0) for part in parts) * term for term in terms))
        return extreme.func(*(argument - shared for argument in arguments)) + shared

    return sp.sympify(expression).replace(lambda part: isinstance(part, sp.Max | sp.Min), hoisted)


class Excess(sp.Function):  # type: ignore[misc]
    """max(x_1, .., x_n) - x_1, which is nonnegative."""

    is_nonnegative = True

    def spelled_out(self) -> sp.Expr:
        return sp.Max(*self.args) - self.args[0]


class Least(sp.Function):  # type: ignore[misc]
    """min(x_1, .., x_n) of nonnegative numbers, which is nonnegative."""

    @property
    def is_nonnegative(self) -> bool:
        return all(part.is_nonnegative for part in self.args)

    def spelled_out(self) -> sp.Expr:
        return -sp.Max(*(-sp.expand(part) for part in self.args))


def spelled_out(expression: sp.Expr) -> sp.Expr:
    """`Excess` and `Least` replaced by their definitions, and lengths in a normal form: |x - y| for |y - x|, 2|x|
    for |2x|.
    """

    def formula_of(stands_for: Excess | Least) -> sp.Expr:
        return common_terms_out(stands_for.spelled_out())

    expression = expression.replace(Excess, lambda *parts: formula_of(Excess(*parts)))
    one_form = lambda inside: sp.Abs(sp.factor_terms(sp.expand(sp.together(inside))))  # noqa: E731
    return expression.replace(sp.Abs, one_form).replace(Least, lambda *parts: formula_of(Least(*parts)))
