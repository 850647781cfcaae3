"""Smooth, convex and strongly convex functions: at two points, and at a point beside the optimum.

The interpolation conditions characterise the possible gradients and values of a function. The other facts follow from them
by algebra; `follows_from` lists the conditions used.
"""

from __future__ import annotations

from functools import partial

import sympy as sp

from bounds.relations import ge, le
from verify.engine.model.scene import Condition, Textbook
from verify.facts.known import Known
from verify.quantities import L, apart2, f_x, f_y, mu, slope_x, slope_y, turn2

_of_class = partial(Known, about="class")
"""Conditions on values and gradients of every function of a class; they define the class, so they are not citations."""
NESTEROV = "Nesterov, Lectures on Convex Optimization, 2018, "
TAYLOR = "Taylor, Hendrickx, Glineur, Smooth strongly convex interpolation, 2017, "
SQUARE = "the square of a difference is not negative"
INNER = -slope_x - slope_y
"""Inner product of the difference of the gradients with the difference of the points."""
Pair = tuple[sp.Expr, sp.Expr, sp.Expr]
FORTH: Pair = (f_x, f_y, slope_x)
BACK: Pair = (f_y, f_x, slope_y)


def _above(pair: Pair) -> sp.Expr:
    """The second value minus the tangent of the first point there."""
    here, there, slope = pair
    return there - here - slope


LIPSCHITZ = _of_class("Lipschitz gradient", le(turn2, L**2 * apart2), NESTEROV + "(1.2.8)")
SMOOTH = (
    LIPSCHITZ,
    *(
        _of_class("descent lemma", le(_above(p), L / 2 * apart2), NESTEROV + "Lemma 1.2.3")
        for p in (FORTH, BACK)
    ),
    *(
        _of_class("descent lemma", le(-_above(p), L / 2 * apart2), NESTEROV + "Lemma 1.2.3")
        for p in (FORTH, BACK)
    ),
    _of_class("Cauchy-Schwarz", ge(turn2 * apart2, INNER**2), "Cauchy, 1821; Schwarz, 1888"),
)
INTERPOLATION = tuple(
    _of_class(
        "interpolation of smooth convex functions", ge(_above(p), turn2 / (2 * L)), TAYLOR + "Theorem 4"
    )
    for p in (FORTH, BACK)
)
CONVEX = (
    *INTERPOLATION,
    *(
        _of_class(
            "first-order convexity",
            ge(_above(p), 0),
            NESTEROV + "Definition 2.1.1",
            follows_from=INTERPOLATION,
        )
        for p in (FORTH, BACK)
    ),
    _of_class("cocoercivity", le(turn2 / L, INNER), NESTEROV + "(2.1.11)", follows_from=INTERPOLATION),
    _of_class("monotone gradient", ge(L * apart2, INNER), NESTEROV + "(2.1.9)", follows_from=SMOOTH[1:3]),
)
_STRONG = tuple(
    _of_class(
        "interpolation of smooth strongly convex functions",
        ge(2 * (L - mu) * _above(p), turn2 + mu * L * apart2 - 2 * mu * INNER),
        TAYLOR + "Theorem 4",
    )
    for p in (FORTH, BACK)
)
_ORDER = _of_class("order of constants", le(mu, L), NESTEROV + "Section 2.1.3")
_SQUARE = _of_class("a square", ge(turn2 - 2 * mu * INNER + mu**2 * apart2, 0), SQUARE)
STRONG = (
    _ORDER,
    _SQUARE,
    *_STRONG,
    *(
        _of_class("strong convexity", ge(_above(p), mu / 2 * apart2), NESTEROV + "(2.1.20)")
        for p in (FORTH, BACK)
    ),
    *(
        _of_class("a quadratic above", le(_above(p), turn2 / (2 * mu)), NESTEROV + "(2.1.24)")
        for p in (FORTH, BACK)
    ),
    _of_class("strongly monotone gradient", le(mu * apart2, INNER), NESTEROV + "(2.1.22)"),
    _of_class("gradients move apart", ge(turn2, mu**2 * apart2), NESTEROV + "(2.1.26)"),
    _of_class(
        "cocoercivity of strongly convex functions",
        ge((L + mu) * INNER, mu * L * apart2 + turn2),
        NESTEROV + "Theorem 2.1.12",
        follows_from=_STRONG,
    ),
)


def smooth() -> tuple[Textbook, ...]:
    """Facts of a smooth function at two points, in the symbols of `verify.quantities`."""
    return SMOOTH


def convex() -> tuple[Textbook, ...]:
    """Facts of a smooth convex function at two points."""
    return (*SMOOTH, *CONVEX)


def strongly_convex() -> tuple[Textbook, ...]:
    """Facts of a smooth strongly convex function at two points."""
    return (*SMOOTH, *CONVEX, *STRONG)


def at_optimum(
    distance2: sp.Expr, gap: sp.Expr, grad2: sp.Expr, inner: sp.Expr | None, strong: sp.Expr | None
) -> tuple[Textbook, ...]:
    """Facts of a smooth convex function at a point and at its minimiser; they are linear, so they also hold for
    expectations.

    Parameters
    ----------
    distance2, gap, grad2 : expression
        Squared distance from the minimiser, value minus the minimum, squared length of the gradient.
    inner : expression or None
        Inner product of the gradient with the difference from the minimiser; without it, facts about it are left out.
    strong : expression or None
        Constant of strong convexity, if there is one.
    """
    interpolated = _of_class(
        "interpolation of smooth convex functions", le(grad2, 2 * L * gap), TAYLOR + "Theorem 4"
    )
    found = [
        _of_class("descent lemma", le(gap, L / 2 * distance2), NESTEROV + "Lemma 1.2.3"),
        interpolated,
        _of_class("Lipschitz gradient", le(grad2, L**2 * distance2), NESTEROV + "(1.2.8)"),
    ]
    if inner is not None:
        along = _of_class(
            "interpolation of smooth convex functions", ge(inner, gap + grad2 / (2 * L)), TAYLOR + "Theorem 4"
        )
        found += [
            along,
            _of_class(
                "cocoercivity",
                le(grad2, L * inner),
                NESTEROV + "(2.1.11)",
                follows_from=(interpolated, along),
            ),
            _of_class("monotone gradient", le(inner, L * distance2), NESTEROV + "(2.1.9)"),
            _of_class("a square", ge(grad2 - 2 * L * inner + L**2 * distance2, 0), SQUARE),
        ]
    if strong is None:
        return tuple(found)
    found += [
        _of_class("order of constants", le(strong, L), NESTEROV + "Section 2.1.3"),
        _of_class("strong convexity", ge(gap, strong / 2 * distance2), NESTEROV + "(2.1.20)"),
        _of_class("Polyak-Lojasiewicz inequality", ge(grad2, 2 * strong * gap), NESTEROV + "(2.1.24)"),
        _of_class("gradients move apart", ge(grad2, strong**2 * distance2), NESTEROV + "(2.1.26)"),
    ]
    if inner is not None:
        found += [
            _of_class("strong convexity", ge(inner, gap + strong / 2 * distance2), NESTEROV + "(2.1.20)"),
            _of_class(
                "cocoercivity of strongly convex functions",
                ge((L + strong) * inner, strong * L * distance2 + grad2),
                NESTEROV + "Theorem 2.1.12",
            ),
        ]
    return tuple(found)


def descent(relation: Condition, *given: Condition) -> Textbook:
    """The descent lemma in the form `relation`, for a sum of smooth functions or in expectation, because it is linear."""
    return _of_class("descent lemma", relation, NESTEROV + "Lemma 1.2.3", given)


def cocoercive(relation: Condition, *given: Condition) -> Textbook:
    """Cocoercivity of the gradient of a convex function, in the form `relation`; also for the mean over several pairs
    of points.
    """
    return _of_class("cocoercivity", relation, NESTEROV + "(2.1.11)", given)


def coercive(relation: Condition, *given: Condition) -> Textbook:
    """The same for a strongly convex smooth function, with mu and L."""
    return _of_class(
        "cocoercivity of strongly convex functions", relation, NESTEROV + "Theorem 2.1.12", given
    )


def monotone(relation: Condition, *given: Condition) -> Textbook:
    """Strong monotonicity of the gradient of a strongly convex function, in the form `relation`; also for the mean over
    pairs.
    """
    return _of_class("strongly monotone gradient", relation, NESTEROV + "(2.1.22)", given)


def no_steeper(relation: Condition, *given: Condition) -> Textbook:
    """Lipschitz continuity of the gradient of a smooth convex function, in the form `relation`."""
    return _of_class("monotone gradient", relation, NESTEROV + "(2.1.9)", given)


def in_order(relation: Condition, *given: Condition) -> Textbook:
    """mu <= L for a smooth strongly convex function, in the form `relation`."""
    return _of_class("order of constants", relation, NESTEROV + "Section 2.1.3", given)


def first_order(relation: Condition, *given: Condition) -> Textbook:
    """A convex function lies above its tangents, in the form `relation`; also for the mean over several pairs of
    points.
    """
    return _of_class("first-order convexity", relation, NESTEROV + "Definition 2.1.1", given)


def interpolated(relation: Condition) -> Textbook:
    """Gradients of smooth convex functions change little if the values do, in the form `relation`."""
    return _of_class("interpolation of smooth convex functions", relation, TAYLOR + "Theorem 4")


def interpolated_strongly(relation: Condition) -> Textbook:
    """Interpolation of smooth strongly convex functions, in the form `relation`."""
    return _of_class("interpolation of smooth strongly convex functions", relation, TAYLOR + "Theorem 4")


def convexity_of(relation: Condition) -> Textbook:
    """A strongly convex function lies above a quadratic at every point, in the form `relation`."""
    return _of_class("strong convexity", relation, NESTEROV + "(2.1.20)")


def a_square(relation: Condition) -> Textbook:
    """A square written out is nonnegative, in the form `relation`."""
    return _of_class("a square", relation, SQUARE)


def mean_value(relation: Condition) -> Textbook:
    """A map changes by at most the largest norm of its derivative times the distance, in the form `relation`."""
    return _of_class(
        "mean value inequality", relation, "Rudin, Principles of Mathematical Analysis, 1976, Theorem 9.19"
    )


def moving_apart(relation: Condition) -> Textbook:
    """Gradients of a strongly convex function differ by at least mu times the distance; `relation` may state it
    squared.
    """
    return _of_class("gradients move apart", relation, NESTEROV + "(2.1.26)")


def steep(relation: Condition) -> Textbook:
    """The gradient of a strongly convex function is large if the value is large, in the form `relation`; also in
    expectation.
    """
    return _of_class("Polyak-Lojasiewicz inequality", relation, NESTEROV + "(2.1.24)")


__all__ = [
    "at_optimum",
    "cocoercive",
    "coercive",
    "convex",
    "descent",
    "first_order",
    "in_order",
    "mean_value",
    "monotone",
    "moving_apart",
    "no_steeper",
    "smooth",
    "strongly_convex",
]
