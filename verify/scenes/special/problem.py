"""SPECIAL's problem, its surrogate and the step of its server, for quadratic losses."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import sympy as sp

from algorithms.special import special
from bounds.catalogue import statement
from bounds.hypotheses import Hypothesis
from bounds.relations import eq
from bounds.special.problem import h_prev, joint_min, surr_min
from bounds.special.symbols import lam
from nqm.federation import task_grad, task_loss, total_loss
from nqm.fields import Array, dot, sq, stack
from nqm.quadratic import DiagonalQuadratic
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import follows
from verify.scenes.parameters import column
from verify.scenes.special.algorithm_facts import LOSSES_OF_ALL, SERVER
from verify.scenes.summands import definition

LAMBDA = Box(0.01, 100, scale="log")
CURVATURE = (0.05, 4.0)


def zero_of(affine: Callable[[Array], Array], some: Array) -> Array:
    """The zero of an affine function that acts on each coordinate separately; `some` gives shape and arithmetic."""
    at_0, at_1 = affine(0 * some), affine(0 * some + 1)
    return at_0 / (at_0 - at_1)


def lowest_of(parabola: Callable[[Array], Array], some: Array) -> Array:
    """Minimiser, by coordinate, of a quadratic function that is a sum over coordinates, from three values."""
    left, middle, right = parabola(0 * some - 1), parabola(0 * some), parabola(0 * some + 1)
    return (left - right) / (2 * (left - 2 * middle + right))


def losses(shape: Shape, values: Named) -> Values:
    """Losses of quadratic clients at a point; the current task is 0. ``f_double`` does not use the world."""
    world, point = DiagonalQuadratic(values["curvature"], values["centre"]), values["point"][:, None, :]
    each = values["curvature"] * (values["point"][:, None, None, :] - values["centre"]) ** 2 / 2
    return {
        "f_all": total_loss(world, point)[:, 0],
        "f_cur": task_loss(world, point, 0)[:, 0],
        "f_prev": total_loss(world, point, range(1, shape["K"]))[:, 0],
        "f_double": each.sum(axis=-1).sum(axis=-1).sum(axis=-1) / shape["M"],
        "pull2": sq(values["point"] - values["anchor"]),
    }


LOSSES = Scene(
    name="losses at a point",
    shapes=tuple({"K": K, "M": M, "d": 1} for K, M in ((1, 1), (2, 1), (1, 2), (2, 2), (3, 3))),
    space=lambda shape: {
        "curvature": Box(*CURVATURE, (shape["K"], shape["M"], shape["d"])),
        "centre": Box(-2, 2, (shape["K"], shape["M"], shape["d"])),
        "point": Box(-2, 2, (shape["d"],)),
        "anchor": Box(-2, 2, (shape["d"],)),
        "lam": LAMBDA,
    },
    compute=Proved(losses, LOSSES_OF_ALL),
)


def minima(shape: Shape, values: Named, curvature: Array) -> Values:
    """Minimisers of Eq. (1) and (3) for quadratic clients; theta_{K-1} minimises the earlier tasks' loss."""
    world, strength = DiagonalQuadratic(curvature, values["centre"]), values["lam"][:, None]
    earlier = range(1, shape["K"])
    anchor, joint = world.minimiser(earlier), world.minimiser()
    gradient = lambda x: task_grad(world, x[:, None, :], 0)[:, 0]  # noqa: E731
    back, slope = anchor - joint, gradient(joint)
    return {
        "joint_min": joint,
        "surr_min": zero_of(lambda x: gradient(x) + 2 * strength * (x - anchor), anchor),
        "h_prev": curvature[:, 1:].mean(axis=2).sum(axis=1),
        "meet2": dot(slope, back) ** 2,
        "span2": sq(slope) * sq(back),
    }


def _same_curvature(shape: Shape, values: Named) -> Values:
    """Earlier tasks whose curvatures have the sum 2 lambda in every direction."""
    each = (2 * values["lam"] / (shape["K"] - 1))[:, None, None, None] + 0 * values["centre"][:, 1:]
    curvature = stack([values["curvature"], *(each[:, i] for i in range(shape["K"] - 1))], axis=1)
    return minima(shape, values, curvature)


MINIMA = Scene(
    name="minimisers of the problem and of its surrogate",
    shapes=tuple(
        {"K": K, "M": M, "d": d} for K, M, d in ((2, 1, 1), (2, 2, 1), (3, 1, 1), (2, 1, 2), (3, 2, 2))
    ),
    space=lambda shape: {
        "curvature": Box(*CURVATURE, (shape["K"], shape["M"], shape["d"])),
        "centre": Box(-2, 2, (shape["K"], shape["M"], shape["d"])),
        "lam": LAMBDA,
    },
    compute=lambda shape, values: minima(shape, values, values["curvature"]),
    restricts=(Hypothesis.QUADRATIC, Hypothesis.COMMON_AXES),
)
_curved = sp.Symbol("curvature of the current task", positive=True)
_pulled, _earlier, _anchor = named("pull of the current task, pull of earlier tasks, anchor", real=True)
_ISOTROPIC = statement("special.eq3.v1/isotropic")
SAME_MINIMUM = follows(
    _ISOTROPIC.compared,
    definition(eq(joint_min, (_pulled + _earlier) / (_curved + h_prev))),
    definition(eq(surr_min, (_pulled + 2 * lam * _anchor) / (_curved + 2 * lam))),
    definition(eq(_anchor, _earlier / h_prev)),
    given=_ISOTROPIC.conditions[-1:],
)
"""A coordinate: a pull is a sum of curvatures times centres, over any number of clients and tasks."""
ISOTROPIC = MINIMA.variant(
    "minimisers where the earlier tasks are isotropic",
    space=lambda shape: {
        "curvature": Box(*CURVATURE, (shape["M"], shape["d"])),
        "centre": Box(-2, 2, (shape["K"], shape["M"], shape["d"])),
        "lam": LAMBDA,
    },
    compute=Proved(_same_curvature, (SAME_MINIMUM,)),
    restricts=(Hypothesis.QUADRATIC, Hypothesis.ISOTROPIC),
)


def objectives(shape: Shape, values: Named) -> Values:
    """The objective of Eq. (5) at the model of the server's code, and at another one."""
    thbar, anchor, other, strength = (values[name] for name in ("thbar", "anchor", "other", "lam"))
    server = special(1, 1, column(strength, 1))
    state = {"theta": 0 * thbar[:, None], "anchor": anchor[:, None]}
    model = server.aggregate(state, {"x": thbar[:, None, None]}, np.zeros((1, 1), dtype=int))["theta"][:, 0]
    objective = lambda u: sq(u - thbar) + strength * sq(u - anchor)  # noqa: E731
    return {"obj_next": objective(model), "obj_other": objective(other), "apart2": sq(other - model)}


def server_step(shape: Shape, values: Named) -> Values:
    """Eq. (5) and the proximal map, minimised from values of their objectives; and the server's code."""
    thbar, anchor, strength = values["thbar"], values["anchor"], values["lam"][:, None]
    objective = lambda u: (u - thbar) ** 2 + strength * (u - anchor) ** 2  # noqa: E731 - in each coordinate
    proximal = lambda v: (v - thbar) ** 2 / 2 + strength * (v - anchor) ** 2  # noqa: E731
    return {
        **objectives(shape, values),
        "server_min": lowest_of(objective, anchor),
        "prox_from": thbar,
        "prox_min": lowest_of(proximal, anchor),
    }


STEP_OF_SERVER = Scene(
    name="one step of the server, with its objective",
    shapes=({"d": 1}, {"d": 2}),
    space=lambda shape: {
        **{n: Box(-2, 2, (shape["d"],)) for n in ("thbar", "anchor", "other")},
        "lam": LAMBDA,
    },
    compute=Proved(server_step, SERVER),
)
