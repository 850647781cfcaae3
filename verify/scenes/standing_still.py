"""A model that stands still, over all losses of a class: bounds that need no theorem."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache

import sympy as sp

from verify.engine.model.scene import Scene
from verify.first_order import Form, Problem, smooth, smooth_convex, sq, worst_case
from verify.first_order.points import NONNEGATIVE


@cache
def of_still_model(now: sp.Symbol, start: sp.Symbol) -> Scene:
    """A squared length of a model that stands still."""

    def standing_still(problem: Problem) -> dict[str, Form]:
        length = sq(problem.point("x"))
        return {now.name: length, start.name: length}

    return _named(worst_case(standing_still), now, start)


def excess(problem: Problem, L: Fraction) -> tuple[Form, Form]:
    """The loss above the least one, and the squared distance from the optimum, for smooth convex losses."""
    f, x = problem.function(smooth_convex(L)), problem.point("x")
    best = f.minimiser()
    return f(x) - f(best), sq(x - best)


def slope(problem: Problem, L: Fraction) -> tuple[Form, Form]:
    """The squared gradient, and the loss above its infimum, for smooth losses; y lies a step of length 1/L ahead."""
    f, x, y, infimum = (
        problem.function(smooth(L)),
        problem.point("x"),
        problem.point("y"),
        problem.number("infimum"),
    )
    f.answer(x, L * (x - y))
    problem.assume(f(y) - infimum, "bounded below")
    return L**2 * sq(x - y), f(x) - infimum


@cache
def gap_from_distance(gap: sp.Symbol, distance2: sp.Symbol) -> Scene:
    """The same excess loss under the names of a paper whose smoothness constant is L."""

    def standing_at_a_distance(problem: Problem, L: Fraction) -> dict[str, Form]:
        return dict(zip((gap.name, distance2.name), excess(problem, L), strict=True))

    return _named(worst_case(standing_at_a_distance, L=NONNEGATIVE), gap, distance2)


@cache
def gradient_from_gap(gradient2: sp.Symbol, gap: sp.Symbol) -> Scene:
    """The same gradient under the names of a paper whose smoothness constant is L."""

    def standing_on_a_slope(problem: Problem, L: Fraction) -> dict[str, Form]:
        return dict(zip((gradient2.name, gap.name), slope(problem, L), strict=True))

    return _named(worst_case(standing_on_a_slope, L=NONNEGATIVE), gradient2, gap)


def _named(scene: Scene, *quantities: sp.Symbol) -> Scene:
    """A scene whose name says which quantities it has."""
    return replace(scene, name=f"{scene.name}: {', '.join(map(str, quantities))}")
