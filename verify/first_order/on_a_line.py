"""Worst functions of one dimension as instances of the families of `verify.worlds`.

The worst case of a run over a whole class of functions is a semidefinite program. If its solution lies on a line, an
interpolating function with piecewise constant curvature is a member of a family. A search in the family starts from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import sympy as sp

from algorithms.algorithm import Algorithm
from nqm.kinds import Irrational
from verify.engine.model.arithmetic import ARITHMETIC, convert
from verify.engine.model.instance import Instance, oriented
from verify.engine.model.question import Question
from verify.engine.model.scene import Condition, Shape, allowed_shapes
from verify.engine.search.step_sizes import settle
from verify.engine.work.errors import UsageError
from verify.first_order.cases import CLEAR, Case, case_of
from verify.first_order.classes import smooth, smooth_convex, smooth_strongly_convex
from verify.first_order.client_losses import Heterogeneity, Losses, losses
from verify.first_order.counterexample import Example, example
from verify.first_order.federated import traced_run
from verify.first_order.forms import NOTHING, Vector, basis
from verify.first_order.points import LARGER, NONNEGATIVE, parameter_points
from verify.first_order.program import solve
from verify.first_order.recording import START
from verify.first_order.scene import Study, study_of
from verify.quantities import QUANTITIES
from verify.worlds import Common, Family, Kinked

POINTS = 8
"""Largest number of rational points of the parameters for each size."""
WIDEST = 2
"""Largest coordinate, as in the ranges of the families."""
MEASURED = ("distance2", "gap", "grad2", "loss", "move2", "drift2", "zeta2")
"""How the names of quantities begin in which a semidefinite program is linear."""
NOT_POSED = (UsageError, Irrational, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""Exceptions of methods, claims and points that have no semidefinite program: a method that is not affine fails on formal vectors
with any of these. Nothing is proposed then, and the search goes on without proposals."""


@dataclass(frozen=True)
class Answer:
    """A point of the line, and the slope and the value of a function there."""

    x: Fraction
    slope: Fraction
    value: Fraction


@dataclass(frozen=True)
class Line:
    """A function on the line: its answers by ascending points, and its curvature: `low`, and `high` on every second piece."""

    answers: tuple[Answer, ...]
    low: Fraction
    high: Fraction

    @property
    def knots(self) -> list[Fraction]:
        """The ends of the pieces of curvature `high`: one piece, perhaps of length 0, between any two neighbouring answers.

        The slopes at both answers determine its length, and the values its place.
        """
        found = []
        for a, b in pairwise(self.answers):
            width = b.x - a.x
            rise = b.slope - a.slope - self.low * width
            long = rise / (self.high - self.low)
            above = b.value - a.value - a.slope * width - self.low * width**2 / 2
            end = b.x + long / 2 - above / rise if rise else b.x
            found += [end - long, end]
        return found

    def slope(self, x: Fraction) -> Fraction:
        """The slope at any point."""
        first, knots = self.answers[0], self.knots
        steep = sum(
            (min(max(x, left), right) - min(max(first.x, left), right))
            for left, right in zip(knots[::2], knots[1::2], strict=True)
        )
        return first.slope + self.low * (x - first.x) + (self.high - self.low) * steep

    @property
    def stationary(self) -> Fraction | None:
        """A point where the slope is 0; None if there is none."""
        places = sorted({*self.knots, *(a.x for a in self.answers)})
        for a, b in pairwise(places):
            start, end = self.slope(a), self.slope(b)
            if start * end <= 0:
                return a if start == end else a - start * (b - a) / (end - start)
        if not self.low:
            return None
        first, last = (x - self.slope(x) / self.low for x in (places[0], places[-1]))
        return first if first <= places[0] else last if last >= places[-1] else None

    def rescaled(self, origin: Fraction, scale: Fraction) -> Line:
        """The function around another origin, on another scale, with the same curvature."""
        moved = (Answer((a.x - origin) * scale, a.slope * scale, a.value * scale**2) for a in self.answers)
        return Line(tuple(moved), self.low, self.high)


def worst_instances(
    make: Callable[..., Algorithm],
    family: Family,
    hyper: Mapping[str, Any],
    entries: Mapping[str, Callable[..., Any]],
    question: Question,
) -> Iterator[Instance]:
    """Instances of a scene of `verify.run` that the worst functions of the class of a family give for a question."""
    spoken = {s.name for r in (question.relation, *question.conditions) for s in r.free_symbols}
    of, relation = class_of(family), _without_quotients(question.relation)
    if of is None or not family.any_curvature or family.pieces == 1:
        return
    for shape in allowed_shapes(question.scene, question.conditions):
        if shape["noisy"] or shape["d"] > min(family.dim):
            continue
        try:
            sizes = {name: [shape[name]] for name in ("M", "N", "E", "t")}
            study = study_of_runs(make, of, hyper, entries, sizes, spoken)
            size = study.shapes[0]
            points = parameter_points(question.conditions, size, study.boxes, POINTS)
        except NOT_POSED:
            return
        for point in points:
            try:
                case = case_of(study, relation, question.conditions, size, point)
                solution = solve(case.program)
                found = example(case.program, solution) if solution and solution.excess > CLEAR else None
                instance = None if found is None else _instance(family, question, shape, case, found)
            except (ValueError, ArithmeticError):
                continue
            if instance is not None:
                yield instance


def _without_quotients(relation: Condition) -> Condition:
    """A relation multiplied by the quantities in its denominators, which are taken for positive: here it only proposes."""
    small, large = oriented(relation)
    top, bottom = sp.fraction(sp.together(small - large))
    measured = any(s.name.startswith(MEASURED) for s in bottom.free_symbols)
    return sp.Le(top, 0, evaluate=False) if measured else relation


def class_of(family: Family) -> Losses | None:
    """All losses of the class to which the losses of a family belong; None for losses that are not smooth."""
    if isinstance(family, Kinked):
        return None
    noisy = any(family.noisy)
    if family.convexity == "strong":
        spread: Heterogeneity = "none" if isinstance(family, Common) else "optimum"
        constants = {"L": LARGER, "mu": NONNEGATIVE}
        return losses(smooth_strongly_convex, family.clients, spread, noisy=noisy, **constants)
    of = smooth if family.convexity == "none" else smooth_convex
    return losses(of, family.clients, noisy=noisy, L=NONNEGATIVE)


def study_of_runs(
    make: Callable[..., Algorithm],
    of: Losses,
    hyper: Mapping[str, Any],
    entries: Mapping[str, Callable[..., Any]],
    sizes: Mapping[str, Sequence[int]],
    spoken: set[str],
) -> Study:
    """The runs of a method on a class of losses at all combinations of sizes, with the quantities in a claim."""
    outside = {
        *sizes,
        *of.constants,
        "zeta2",
        "sigma2",
        *(v if isinstance(v, str) else v[0] for v in hyper.values() if isinstance(v, str | tuple)),
    }
    method, ranges = traced_run(
        make,
        replace(of, clients=tuple(sizes["M"])),
        rounds=sizes["t"],
        sampled=sizes["N"],
        local_steps=sizes["E"],
        measured=sorted(spoken & QUANTITIES.keys() - outside),
        hyper=hyper,
        entries=entries,
    )
    return study_of(method, ranges)


def _instance(
    family: Family, question: Question, shape: Shape, case: Case, found: Example
) -> Instance | None:
    """The instance of a scene with the functions of a worst case; None if they do not lie on a line."""
    axes = [k for k in range(len(found.weights)) if any(row[k] for row in found.vectors.values())] or [0]
    if len(axes) > 1 or found.weights[axes[0]] != 1:
        return None

    along = {name: row[axes[0]] for name, row in found.vectors.items()}

    def at(v: Vector) -> Fraction:  # a vector on which nothing depends is not in the example
        return sum((c * along.get(name, Fraction(0)) for name, c in v.parts.items()), Fraction(0))

    low, high = _curvature(family, case.point)
    lines = [
        Line(
            _ascending([Answer(at(a.x), at(a.g), found.value(a.f or NOTHING)) for a in member.answers]),
            low,
            high,
        )
        for member in case.problem.members
    ]
    origin = Fraction(0) if family.convexity != "none" else lines[0].stationary
    if origin is None:
        return None
    start = at(basis(START)) - origin
    far = max(
        abs(start),
        *(abs(x - origin) for line in lines for x in line.knots),
        *(abs(line.slope(origin)) for line in lines),
    )
    scale = min(Fraction(1), WIDEST / far) if far else Fraction(1)
    lines = [line.rescaled(origin, scale) for line in lines]
    placed = family.through(
        [line.knots for line in lines], [line.slope(Fraction(0)) for line in lines], shape
    )
    if placed is None:
        return None
    given = {**{n: np.asarray(x, dtype=object) for n, x in case.point.items()}, **placed}
    first = np.full(shape["d"], Fraction(0), dtype=object)
    first[0] = start * scale
    given |= {
        "start": first,
        "largest": np.array(high, dtype=object),
        "room": np.array(Fraction(0), dtype=object),
    }
    return _instance_with_steps(question, shape, given, case.point)


def _curvature(family: Family, point: Mapping[str, Fraction]) -> tuple[Fraction, Fraction]:
    """The least and the largest curvature of the losses at a point of the parameters."""
    high = point["L"]
    return {"strong": point.get("mu", high), "weak": Fraction(0), "none": -high}[family.convexity], high


def _ascending(answers: Sequence[Answer]) -> tuple[Answer, ...]:
    """The answers by ascending points, without repetitions."""
    return tuple(sorted({a.x: a for a in answers}.values(), key=lambda a: a.x))


def _instance_with_steps(
    question: Question, shape: Shape, given: dict[str, Any], point: Mapping[str, Fraction]
) -> Instance:
    """An instance with its step sizes, which are parameters as shares of their limits."""
    scene = question.scene
    parameters = {name: given[name] for name in scene.space(shape)}
    steps = {name: np.array(Fraction(1), dtype=object) for name in scene.steps}
    for name in scene.steps:
        floats = convert({n: x[None] for n, x in {**parameters, **steps}.items()}, "float")
        limit = float(
            np.ravel(settle(scene, question.conditions, shape, floats, ARITHMETIC["float"])[name])[0]
        )
        steps[name] = np.array(Fraction(float(point[name]) / limit), dtype=object)
    sizes = {name: np.array(point[name], dtype=object) for name in scene.steps}
    return Instance(dict(shape), {**parameters, **steps}, sizes)
