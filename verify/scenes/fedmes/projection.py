"""Gradients of the task and of the memory as arbitrary vectors, losses at a model, and local steps of the algorithm."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np

import bounds.fedmes.projection as b
from algorithms.fedmes import fedmes, fixed_strength
from algorithms.memory import first_in_first_out
from bounds.fedmes.symbols import L, eta_1
from bounds.hypotheses import Hypothesis
from bounds.relations import le
from nqm.fields import Array, amax, dot, like, norm, sq, stack
from verify.engine.model.scene import Box, Branching, Named, Proved, Scene, Shape, Values
from verify.engine.model.vectors import are_abstract, representing
from verify.scenes.fedmes import meanings
from verify.scenes.fedmes.coordinate_facts import OF_REGULARISED
from verify.scenes.fedmes.step_facts import AT_REST, OF_LOSSES
from verify.scenes.parameters import column
from verify.scenes.summands import by_definition

CURVATURE = Box(0.05, 4, scale="log")
RATE = Box(0.01, 2, scale="log")


def vector(shape: Shape) -> Box:
    """A vector of the shape's dimension."""
    return Box(-2, 2, (shape["d"],))


def slope(function: Callable[[Array], Array], x: Array) -> Array:
    """Gradient at x (batch, d) of a quadratic function of it, by central differences, which are exact."""
    if are_abstract(x):
        along = lambda e: (function(x + e) - function(x - e)) / 2  # noqa: E731
        return representing(along)[:, None]
    steps = like(x, np.eye(x.shape[-1], dtype=int))
    return stack([(function(x + e) - function(x - e)) / 2 for e in steps], axis=-1)


def area2(a: Array, c: Array) -> Array:
    """Squared area that two vectors span, as a sum of squares."""
    pairs = combinations(range(a.shape[-1]), 2)
    return sum(((a[..., i] * c[..., j] - a[..., j] * c[..., i]) ** 2 for i, j in pairs), 0 * a[..., 0])


def determinant(a: Array, c: Array) -> Array:
    """Squared area that two vectors span, by inner products."""
    return sq(a) * sq(c) - dot(a, c) ** 2


# ------------------------------------------------------------------------------------------ gradients as vectors


def projection(shape: Shape, values: Named) -> Values:
    """The correction of g with respect to g_mem, and the dual problem behind it, solved by Newton steps."""
    g, m, z, nu, away = (values[name] for name in ("g", "gm", "z", "nu", "away"))
    inner = dot(g, m)
    gt = g - (inner / sq(m))[:, None] * m

    def lagrangian(at: Array, multiplier: Array) -> Array:
        return sq(at) / 2 - dot(g, at) - multiplier * dot(at, m)

    def lowest(multiplier: Array) -> Array:
        return z - slope(
            lambda at: lagrangian(at, multiplier), z
        )  # one Newton step: the Hessian is the identity

    def dual(multiplier: Array) -> Array:
        return lagrangian(lowest(multiplier), multiplier)

    before, start, after = (dual(0 * nu + step) for step in (-1, 0, 1))
    best = -(after - before) / (2 * (after - 2 * start + before))
    return {
        "gt": gt,
        "g2": sq(g),
        "gm2": sq(m),
        "inner": inner,
        "gt_g": dot(gt, g),
        "gt_gm": dot(gt, m),
        "kept2": sq(gt),
        "area2": determinant(g, m),
        "z_gm": dot(z, m),
        "z_area2": determinant(z - g, m),
        "z_far2": sq(z - lowest(nu)),
        "nearest2": sq(g - gt),
        "other2": sq(g - z),
        "primal": sq(z) / 2 - dot(g, z),
        "primal17": sq(g - z) / 2,
        "lagrangian": lagrangian(z, nu),
        "dual": dual(nu),
        "nu_star": best,
        "z_star": lowest(nu),
        "z_dual": lowest(best),
        "pull_g": dot(gt, away),
        "pull_gm": dot(m, away),
    }


VECTORS = Scene(
    name="gradients of the current task and of the memory",
    shapes=({"d": 1}, {"d": 2}, {"d": 3}),
    space=lambda shape: {
        **{name: vector(shape) for name in ("g", "gm", "z", "away")},
        "nu": Box(-2, 2),
        "lam": Box(0, 2),
    },
    compute=projection,
    covers="equal as rational functions in 1 to 3 dimensions; any three vectors lie in three dimensions",
)
BATCHES = Scene(
    name="gradient of a memory of two samples",
    shapes=({"d": 1}, {"d": 2}),
    space=lambda shape: {"each": Box(-2, 2, (2, shape["d"]))},
    compute=lambda shape, values: {"gm": values["each"].sum(axis=1)[:, None] / 2, "gm_batch": values["each"]},
)


# ---------------------------------------------------------------------------------------------- losses at a model


def quadratic(curvature: Array, centre: Array, x: Array) -> Array:
    """sum_j h_j (x_j - c_j)^2 / 2 over the last axis."""
    return (curvature * (x - centre) ** 2).sum(axis=-1) / 2


def past_losses(shape: Shape, values: Named) -> Values:
    """Two past samples, the first of which is the memory; the current loss; this task's model and the previous one's."""
    h, c, x = values["past_h"], values["past_c"], values["x"]
    g = values["h"] * (x - values["c"])
    gm = h[:, 0] * (x - c[:, 0])
    each = lambda at: quadratic(h, c, at[:, None])  # noqa: E731
    now, before = each(x), each(values["previous"])
    after = each(x - values["eta_1"][:, None] * g)
    return {
        "g2": sq(g),
        "inner": dot(g, gm),
        "bend": (h[:, 0] * g**2).sum(axis=-1),
        "L": amax(h, (1, 2)) * (1 + values["room"]),
        "mem": now[:, 0],
        "mem_before": before[:, 0],
        "mem_after": after[:, 0],
        "past": now.sum(axis=1) / 2,
        "past_before": before.sum(axis=1) / 2,
        "one_memory": now[:, 0],
        "one_memory_before": before[:, 0],
        "other_memory": now[:, 1],
        "other_memory_before": before[:, 1],
    }


SMOOTH = le(b.mem_after, b.mem - eta_1 * b.inner + L * eta_1**2 * b.g2 / 2)
"""The definition of L along a step on the current loss."""


def _space_of_losses(shape: Shape) -> dict[str, Box]:
    return {
        "past_h": Box(0.05, 4, (2, shape["d"]), scale="log"),
        "past_c": Box(-2, 2, (2, shape["d"])),
        "h": Box(0.05, 4, (shape["d"],), scale="log"),
        **{name: vector(shape) for name in ("c", "x", "previous")},
        "eta_1": RATE,
        "one_size": Box(0.05, 0.95),
        "room": Box(0, 0),
    }


LOSSES = Scene(
    name="losses of past and current data",
    told=meanings.LOSSES,
    shapes=({"d": 1}, {"d": 2}),
    space=_space_of_losses,
    room="room",
    compute=Proved(past_losses, (by_definition(SMOOTH), OF_LOSSES), (SMOOTH,)),
    covers="equal as polynomials; every coordinate is alike",
    restricts=(Hypothesis.QUADRATIC, Hypothesis.COMMON_AXES),
)


def regularised(shape: Shape, values: Named) -> Values:
    """The objective (2) of one client, the gradient step on it, and the step that (5) prints."""
    h, c, x, centre = (values[name] for name in ("h", "c", "x", "centre"))
    lam, eta = values["lam"][:, None], values["eta_1"][:, None]
    away = x - centre
    length = norm(away)[:, None]
    optimum = (h * c + lam * centre) / (h + lam)
    objective = lambda at: quadratic(h, c, at) + values["lam"] * sq(at - centre) / 2  # noqa: E731
    return {
        "g": h * (x - c),
        "pull": away,
        "pull_norm": length + 0 * away,
        "grad_G": slope(objective, x),
        "towards_now": norm(away),
        "towards_next": norm(away - eta * lam * length),
        "gradient_next": norm(away - eta * lam * away),
        "grad_there": h * (optimum - c),
        "pull_there": optimum - centre,
        "pull_norm_there": norm(optimum - centre)[:, None] + 0 * away,
    }


def _regularised_space(shape: Shape) -> dict[str, Box]:
    return {
        "h": Box(0.05, 4, (shape["d"],), scale="log"),
        **{name: vector(shape) for name in ("c", "x", "centre")},
        "lam": Box(0, 2),
        "eta_1": RATE,
    }


REGULARISED = Scene(
    name="regularised objective of a client",
    shapes=({"d": 1}, {"d": 2}),
    space=_regularised_space,
    compute=Proved(regularised, (*OF_REGULARISED, AT_REST)),
    covers="equal as rational functions; every coordinate is alike",
)
"""Gradients of quadratic losses at one model can be arbitrary vectors, so the scene does not restrict losses (also below)."""


# ------------------------------------------------------------------------------------------ the algorithm's own steps


def local_step(shape: Shape, values: Named) -> Values:
    """A local step of the algorithm from any model `w`, along any gradients and with any global model."""
    eta_1, eta_2, lam = (column(values[name], 1) for name in ("eta_1", "eta_2", "lam"))
    method = fedmes(eta_1, eta_2, 1, 1, first_in_first_out(1), fixed_strength(lam))
    g, memory, w, start = (values[name] for name in ("g", "gm", "w", "start"))
    local = {"x": w[:, None, None], "lam": column(values["lam"], 3)}
    after = method.local_step({"theta": start[:, None]}, local, (g[:, None, None], memory[:, None, None]))
    return {"w_next": after["x"][:, 0, 0], "gm2": sq(memory), "inner": dot(g, memory), "pull": w - start}


STEPS = Scene(
    name="a local step of FedMeS",
    shapes=({"d": 1}, {"d": 2}),
    space=lambda shape: {
        **{name: vector(shape) for name in ("g", "gm", "w", "start")},
        "lam": Box(0, 2),
        "eta_1": RATE,
        "eta_2": RATE,
    },
    compute=Branching(local_step, "any gradients, models and steps in one and two dimensions"),
)
