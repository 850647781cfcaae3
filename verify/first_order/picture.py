"""Data for a plot of the worst function of a counterexample in one dimension."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from verify.engine.model.instance import Instance
from verify.first_order.cases import Studied
from verify.first_order.forms import Form, Vector
from verify.first_order.problem import Member, Problem

GRID, MARGIN = 241, 0.25
"""Number of points of a curve, and its margin beyond the outermost answers, relative to their distance."""


def worst_function(study: Studied, instance: Instance) -> dict[str, Any] | None:
    """The first function of the run, with the points at which its oracle was evaluated; None if it is not one-dimensional.

    Returns
    -------
    dict
        ``position``, ``value`` (n,) of the function; ``points``, ``values`` (m,) and ``names`` of the answers.
    """
    shape = {name: size for name, size in instance.shape.items() if name != "d"}
    point = {name: instance.parameters[name].item() for name in study.boxes}
    steps = tuple(instance.parameters.get("searched", np.zeros(0, object)))
    problem, _ = study.traced(shape, point, steps)
    member = next((m for m in problem.members if m.of.curvature is not None), None)
    if member is None or not member.answers:
        return None
    known = _on_a_line(problem, member, instance)
    if known is None:
        return None
    x, g, f = (np.array(column) for column in zip(*_answers(member, known), strict=True))
    width = float(x.max() - x.min()) or 1.0
    at = np.linspace(x.min() - MARGIN * width, x.max() + MARGIN * width, GRID)
    return {
        "position": at.tolist(),
        "value": _interpolated(at, x, g, f, member).tolist(),
        "points": x.tolist(),
        "values": f.tolist(),
        "names": [answer.name for answer in member.answers],
    }


def _on_a_line(problem: Problem, member: Member, instance: Instance) -> dict[str, float] | None:
    """Coordinates of all vectors on the one axis in which the answers of a member differ, and all scalars.

    None if the answers need more than one axis.
    """
    asked = {name for answer in member.answers for v in (answer.x, answer.g) for name in v.parts}
    rows = np.array([instance.parameters[name].ravel() for name in problem.vectors if name in asked])
    axes = [k for k in range(instance.shape["d"]) if any(row[k] for row in rows)] or [0]
    if len(axes) > 1:
        return None
    length = float(instance.parameters["axes"][axes[0]]) ** 0.5 if "axes" in instance.parameters else 1.0
    vectors = {name: float(instance.parameters[name].ravel()[axes[0]]) * length for name in problem.vectors}
    return {**vectors, **{name: float(instance.parameters[name].item()) for name in problem.scalars}}


def _answers(member: Member, known: Mapping[str, float]) -> list[tuple[float, float, float]]:
    """The answers (x, g, f) of a member as floats."""

    def number(v: Vector) -> float:
        return sum(float(c) * known[name] for name, c in v.parts.items())

    def value(f: Form | None) -> float:
        return sum(float(c) * (known[key[0]] if key else 1.0) for key, c in f.terms.items()) if f else 0.0

    return [(number(a.x), number(a.g), value(a.f)) for a in member.answers]


def _interpolated(at: np.ndarray, x: np.ndarray, g: np.ndarray, f: np.ndarray, member: Member) -> np.ndarray:
    """A member of the class that interpolates the answers, evaluated at the points `at`.

    After mu/2 x^2 is subtracted, the class is convex. For a smooth class, the largest interpolant is taken: the Moreau
    envelope of the lower convex hull of finitely many points. Otherwise the smallest one: the maximum of the tangents.
    Source: Taylor, Hendrickx and Glineur (2017), Mathematical Programming 161, Section 3.
    """
    assert member.of.curvature is not None
    mu, L = (None if end is None else float(end) for end in member.of.curvature)
    low = mu or 0.0
    g, f = g - low * x, f - low * x**2 / 2
    if L is None:
        found = (f[:, None] + g[:, None] * (at - x[:, None])).max(axis=0)
    else:
        size = L - low
        z, c = x - g / size, f - g**2 / (2 * size)
        found = _envelope(at, _lower_hull(z, c), size)
    return np.asarray(found + low * at**2 / 2)


def _envelope(at: np.ndarray, hull: list[tuple[float, float]], size: float) -> np.ndarray:
    """Moreau envelope: the minimum of hull(z) + size/2 (x - z)^2 over z, computed for each linear piece of the hull."""
    pieces = list(pairwise(hull)) or [(hull[0], hull[0])]
    values = []
    for (z0, c0), (z1, c1) in pieces:
        slope = (c1 - c0) / (z1 - z0) if z1 > z0 else 0.0
        z = np.clip(at - slope / size, z0, z1)
        values.append(c0 + slope * (z - z0) + size / 2 * (at - z) ** 2)
    return np.min(values, axis=0)


def _lower_hull(z: np.ndarray, c: np.ndarray) -> list[tuple[float, float]]:
    """Corners of the lower convex hull of the points (z, c), from left to right."""
    kept: list[tuple[float, float]] = []
    for p in sorted(zip(z.tolist(), c.tolist(), strict=True)):
        while kept and kept[-1][0] == p[0]:
            if kept[-1][1] <= p[1]:
                break
            kept.pop()
        else:
            while len(kept) > 1 and _turns_up(kept[-2], kept[-1], p):
                kept.pop()
            kept.append(p)
    return kept


def _turns_up(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> bool:
    """Whether the middle point b lies on or above the line through a and c."""
    return (b[1] - a[1]) * (c[0] - a[0]) >= (c[1] - a[1]) * (b[0] - a[0])
