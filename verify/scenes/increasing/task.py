"""A task with a penalty towards the last model, in any dimension; and whole runs on a line."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

import bounds.increasing.theorem as b
from bounds.relations import eq, le
from nqm.fields import amax
from verify.engine.model.scene import Box, Named, Scene, Shape, Values
from verify.first_order import Form, Problem, dot, sq, worst_case
from verify.first_order.points import NONNEGATIVE
from verify.scenes.letters import named
from verify.scenes.on_a_line import SWITCH

steepest, ordered, apart = named("steepest, ordered, inconsistency", real=True)
strongest = sp.Symbol("strongest", nonnegative=True)
ASSUMED = (le(steepest, b.b), le(strongest, b.top), eq(ordered, 0), eq(apart, 0))
"""Matrices of squared norm at most b, strengths of at most lambda, random order, and a joint solution."""
LETTERS = {b.total: b.T * b.mean_loss, b.share: b.weight(b.top)}


def step_of_growing_strength(problem: Problem, b: Fraction, lam: Fraction) -> dict[str, Form]:
    """The error p after a task whose loss is <w, A w>, A = X'X: the error before it was p + u, where lam u = A p.

    With lam v = A u, symmetry of A says <p, v> = |u|^2. The eigenvalues of A lie between 0 and b.
    """
    after, moved, image = problem.point("after"), problem.point("moved"), problem.point("image")
    problem.assume_equal(dot(after, image), sq(moved), "X'X is symmetric")
    problem.assume(b * dot(after, moved) - lam * sq(moved), "eigenvalues are at most b, at the error")
    problem.assume(b * sq(moved) - lam * dot(moved, image), "eigenvalues are at most b, at the step")
    return {
        "after2": sq(after),
        "before2": sq(after + moved),
        "loss": lam * (dot(after, moved) + 2 * sq(moved) + dot(moved, image)),
    }


def resting_task(problem: Problem, b: Fraction) -> dict[str, Form]:
    """The loss <p, A p> at the error p of a model that stands still."""
    error, image = problem.point("error"), problem.point("image")
    problem.assume(b * sq(error) - dot(error, image), "eigenvalues are at most b")
    return {"mean_loss": dot(error, image), "start": sq(error)}


def _run(shape: Shape, values: Named) -> Values:
    """A run over two tasks a_m (w - c_m)^2 on a line, with every order."""
    a, top, steps = values["a"], values["top"], shape["T"]
    c = (0 * top, values["differ"] * values["c"])
    strengths = [
        top * values["share"] * (1 - values["growth"] * (steps - 1 - k) / steps) for k in range(steps)
    ]
    first = (1 + values["ordered"]) / 2
    courses, losses = [(0 * top + 1, values["start"])], []
    for strength in strengths:
        losses.append(sum(p * sum(a[:, m] * (w - c[m]) ** 2 for m in (0, 1)) / 2 for p, w in courses))
        courses = [
            (p * chance, (strength * w + a[:, m] * c[m]) / (strength + a[:, m]))
            for p, w in courses
            for m, chance in ((0, first), (1, 1 - first))
        ]
    return {
        "steepest": amax(a, 1),
        "strongest": strengths[-1],
        "inconsistency": c[1] ** 2,
        "start": values["start"] ** 2,
        "mean_loss": sum(losses) / steps,
    }


TASK = worst_case(step_of_growing_strength, b=NONNEGATIVE, lam=NONNEGATIVE)
STILL = worst_case(resting_task, b=NONNEGATIVE)
WORLD = Scene(
    name="two regularised tasks on a line",
    shapes=tuple({"T": T} for T in (1, 2, 4, 6)),
    space=lambda shape: {
        "a": Box(0.001, 2, (2,), scale="log"),
        "b": Box(0.05, 4),
        "top": Box(0.05, 4),
        "share": Box(0.5, 20, levels=(0.5, 1, 20)),
        "growth": Box(0, 1, levels=(0, 1)),
        "start": Box(-2, 2),
        "c": Box(-4, 4),
        "differ": SWITCH,
        "ordered": SWITCH,
    },
    compute=_run,
)
