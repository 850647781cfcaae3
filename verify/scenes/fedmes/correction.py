"""The correction (6) of FedMeS: its formula, one corrected step against the whole memory, and steps of the algorithm."""

from __future__ import annotations

import operator
from itertools import product

import numpy as np

from algorithms.fedagem import memory_minibatch, whole_memory
from algorithms.fedmes import fedmes, fixed_strength
from algorithms.memory import first_in_first_out
from algorithms.simulate import local_path
from bounds.catalogue import statement
from bounds.fedmes.correction import BENT_LITTLE, BENT_MUCH, gm_gt
from bounds.hypotheses import Hypothesis
from nqm.fields import Array, amax, broadcast_to, decided, dot, sq, stack, where
from nqm.finite_sum import FiniteSum
from nqm.quadratic import DiagonalQuadratic
from verify.engine.model.scene import Box, Proved, Scene, Shape, Values
from verify.scenes.fedmes import meanings
from verify.scenes.fedmes.coordinate_facts import OF_CORRECTION, OF_SAMPLE, orthogonal
from verify.scenes.fedmes.descent import assumed, constants_space
from verify.scenes.fedmes.samples import (
    SOME_NOISE,
    STILL,
    Named,
    gradients,
    loss,
    mean,
    memory_space,
    statistics,
)
from verify.scenes.fedmes.step_facts import OF_EXPANSION, ON_A_LINE
from verify.scenes.norms_of_sums import follows
from verify.scenes.parameters import column


def correction(g: Array, memory: Array) -> Array:
    """Eq. (6): g (batch, d) against memory gradients (batch, outcome, d)."""
    share = dot(g[:, None], memory) / sq(memory)
    return g[:, None] - share[..., None] * memory


def factored(shape: Shape, values: Named) -> Values:
    """Values for (32): the correction against the gradient of each sample, and its projection coefficient on that gradient."""
    batch = gradients(values["h"], values["c_sample"], values["x"])
    found = correction(values["g"], batch)
    nearest = dot(found, batch) / sq(batch)
    return {
        "gt_s": found,
        "gz": batch,
        "gt_gz": dot(found, batch),
        "gt2": sq(found),
        "batch2": sq(batch),
        "A_best": nearest,
        "inner_now": dot(values["g"][:, None], batch),
    }


FACTORED = Scene(
    name="correction against a sample of the memory",
    told=meanings.SAMPLES,
    shapes=({"S": 1, "d": 1}, {"S": 1, "d": 2}, {"S": 2, "d": 2}, {"S": 1, "d": 3}),
    space=lambda shape: {
        **memory_space(shape),
        "g": Box(-2, 2, (shape["d"],)),
        "A_s": Box(0.01, 1000, scale="log"),
    },
    compute=Proved(factored, (OF_SAMPLE,)),
    covers="equal as rational functions in up to three dimensions; any two vectors lie in two",
)


def corrected(shape: Shape, values: Named) -> Values:
    """One corrected step against the whole memory, from displacement `y` from its optimum, with current gradient g.

    The curvature of the memory loss is `convex` plus `more`, that of the current loss is h.
    """
    curve = values["convex"][:, None] + values["more"]
    y, g = values["y"], values["g"]
    step = correction(g, (curve * y)[:, None])[:, 0]
    move = values["eta_2"][:, None] * step
    height = lambda at: (curve * at**2).sum(axis=-1) / 2  # noqa: E731
    return {
        "c": values["convex"],
        "L": values["convex"] + amax(values["more"], -1),
        "gm_gt": dot(curve * y, step),
        "gt2": sq(step),
        "step_bend": (curve * step**2).sum(axis=-1),
        "excess": (values["more"] * step**2).sum(axis=-1),
        "mem_now": height(y),
        "mem_next": height(y - move),
        "inner_now": dot(g, curve * y),
        "inner_next": dot(g - values["h"] * move, curve * (y - move)),
    }


DEFINED = (BENT_LITTLE, BENT_MUCH)
"""Hypotheses that define L and c."""


_RISES = tuple(
    follows(statement(f"fedmes.thm1.{name}").compared, orthogonal(gm_gt), given=(bent,))
    for name, bent in (("rises", BENT_MUCH), ("rises-little", BENT_LITTLE))
)
"""The corrected step leaves the memory loss unchanged to first order, so that it rises by the term of curvature."""


def _space(shape: Shape) -> dict[str, Box]:
    return {
        "convex": Box(0.05, 2, scale="log"),
        "more": Box(0, 2, (shape["d"],)),
        "h": Box(0.05, 4, (shape["d"],), scale="log"),
        "g": Box(-2, 2, (shape["d"],)),
        "y": Box(-2, 2, (shape["d"],)),
        "eta_2": Box(0.01, 2, scale="log"),
    }


CORRECTED = Scene(
    name="a correction against the whole memory",
    told=meanings.CORRECTION,
    shapes=({"d": 1}, {"d": 2}),
    space=_space,
    compute=Proved(corrected, (*_RISES, *OF_CORRECTION, OF_EXPANSION), DEFINED),
    covers="equal as rational functions in one and two dimensions; every coordinate is alike",
    restricts=(Hypothesis.QUADRATIC,),
)
ALONG_A_LINE = Scene(
    name="a correction in one dimension",
    told=meanings.CORRECTION,
    shapes=({"d": 1},),
    space=CORRECTED.space,
    compute=Proved(corrected, (ON_A_LINE,)),
    restricts=(Hypothesis.ONE_DIMENSION,),
)


def without_direction(shape: Shape, values: Named) -> Values:
    """Corrected step with losses whose curvature is the same in every direction."""
    y, g, k, h = values["y"], values["g"], values["curve_mem"][:, None], values["curve_now"][:, None]
    step = correction(g, (k * y)[:, None])[:, 0]
    move = values["eta_2"][:, None] * step
    return {"gt2": sq(step), "inner_now": dot(g, k * y), "inner_next": dot(g - h * move, k * (y - move))}


ROUND_LOSSES = Scene(
    name="a correction where no direction is special",
    told=meanings.CORRECTION,
    shapes=({"d": 1}, {"d": 2}, {"d": 3}),
    space=lambda shape: {
        "g": Box(-2, 2, (shape["d"],)),
        "y": Box(-2, 2, (shape["d"],)),
        **dict.fromkeys(("curve_mem", "curve_now"), Box(0.05, 4, scale="log")),
        "eta_2": Box(0.01, 2, scale="log"),
    },
    compute=without_direction,
    covers="equal as rational functions in up to three dimensions; any two vectors lie in two",
    restricts=(Hypothesis.QUADRATIC, Hypothesis.ISOTROPIC),
)


# ------------------------------------------------------------------------------- corrections, by the algorithm


def repeated(shape: Shape, values: Named) -> Values:
    """Values of w^(1) to w^(s) from the local steps of the algorithm.

    The memory gradient is over all batches of one sample if `batch` is set, else over the whole memory.
    """
    S, s, d = shape["S"], shape["s"], shape["d"]
    h, c, x = values["h"], values["c_sample"], values["x"]
    h_now, c_now = values["h_current"][:, None], values["c_current"][:, None]
    world = FiniteSum(DiagonalQuadratic(stack([h, h_now + 0 * h], 1), stack([c, c_now + 0 * c], 1)), 1)
    recall, n_batches = (memory_minibatch, S) if shape["batch"] else (whole_memory, 1)
    eta_2 = column(values["eta_2"], 1)
    method = fedmes(eta_2, eta_2, 1, S, first_in_first_out(S), fixed_strength(0), recall=recall)
    drawn = np.array(list(product(range(n_batches), repeat=s - 1)))
    n_paths = len(drawn)
    start = broadcast_to(x[:, None], (len(x), n_paths, d))
    state = {**method.init(start), "kept": np.broadcast_to(np.arange(S), (n_paths, 1, S))}
    u = np.stack([0 * drawn, drawn], axis=-1)[:, None]  # columns: of the current task, of the memory
    local = local_path(world, method, state, 1, np.zeros((n_paths, 1), dtype=int), u)
    path = stack([start, *(p["x"][..., 0, :] for p in local)], axis=1)
    before, end = path[:, :-1], path[:, -1]
    each = gradients(h, c, before)
    found = statistics(h, c, before, each)
    tested = each if shape["batch"] else mean(each)[:, None]
    least = loss(h, c, mean(h * c) / mean(h))
    falls = decided(operator.lt, loss(h, c, end), loss(h, c, start))
    return {
        **found,
        **assumed(values, found),
        "conflict": dot(gradients(h_now, c_now, before), tested),
        "gap_s": mean(loss(h, c, end)) - least,
        "fallen": mean(where(falls, 0 * end[..., 0] + 1, 0 * end[..., 0])),
    }


REPEATED = Scene(
    name="repeated corrections of the algorithm",
    told=meanings.SAMPLES,
    shapes=tuple(
        {"s": s, "S": S, "d": d, "batch": batch}
        for s, S, d, batch in ((3, 1, 2, 0), (3, 2, 2, 0), (3, 2, 2, 1), (6, 1, 2, 0), (5, 2, 2, 1))
    ),
    space=lambda shape: {
        **memory_space(shape),
        **constants_space(shape),
        "bias": Box(1, 1),
        "turn": STILL,
        "M_more": SOME_NOISE,
        "h_current": Box(0.05, 4, (shape["d"],), scale="log"),
        "c_current": Box(-2, 2, (shape["d"],)),
        "eta_2": Box(0.01, 1, scale="log"),
    },
    room="room",
    compute=repeated,
)
