"""Runs of C-FLAG with growing forgetting or without learning: lower bounds that contradict Lemmas 4 and 18 and Theorem 5.

Shapes have ``r`` past rounds, and one more round is computed. ``T`` is the number of rounds in a lower bound; it equals ``r``.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import sympy as sp

from bounds.cflag.floors import LARGE, LIMIT, forget_sum, least2, least2_before, least2_next
from bounds.cflag.growth_runs import forget_mean, x0
from bounds.cflag.symbols import T
from bounds.hypotheses import Hypothesis
from bounds.relations import eq
from nqm.fields import Array, abs_, like, norm, sq
from nqm.mixtures import Quadratics, around
from verify.engine.model.scene import Box, Condition, Named, Proved, Scene, Shape, Values
from verify.scenes.cflag.floor_facts import CANCELLING, of_concave
from verify.scenes.cflag.local_steps import order_space
from verify.scenes.cflag.memories import TOLD, Clients, clients_of, fixed_memory, sizes
from verify.scenes.cflag.memory_measures import by_round, forgotten, whole_run
from verify.scenes.cflag.memory_rounds import run
from verify.scenes.norms_of_sums import AnyNumber
from verify.scenes.summands import definition


def _rates(name: str, shape: Shape, values: Named) -> Array:
    """Limits of rates without a condition; beta is unrestricted."""
    return (4 if name == "alpha" else 100) / values["L"]


# ----------------------------------------------------------------------------------------- one concave loss


def concave(shape: Shape, values: Named) -> Values:
    """Past and current data with the same loss -L|x|^2/2, and memories with all past samples."""
    L, unit = values["L"], 0 * values["L"] + 1
    past, now = (
        L[:, None, None, None] * like(L, np.ones((shape["N"], shape[samples], shape["d"]), dtype=int))
        for samples in "SJ"
    )
    same = {"past_h": past, "bent": -1 + 0 * values["raw"], "now_h": -now, "now_c": 0 * now, "unit": unit}
    return {**values, **same}


def rounds_with_floor(growth: sp.Rational, shape: Shape, values: Named) -> Values:
    """r + 1 rounds, and a lower bound on the squared model if it grows by the factor `growth` in each round."""
    r, played, given = shape["r"], {**shape, "T": shape["r"] + 1}, concave(shape, values)
    rounds, after = run(played, given, clients_of(played, given), fixed_memory(played))
    found = by_round(rounds)
    L, alpha, beta = (values[name][:, None] for name in ("L", "alpha", "beta"))
    each = forgotten(L, alpha, beta, found["s2"][..., 0], found["ds"][..., 0])
    least = [sq(values["x"])]
    for _ in range(r + 1):
        least.append(least[-1] * growth.p / growth.q)
    return {
        "x2_now": sq(rounds[-1].x)[:, 0],
        "x2_next": sq(after)[:, 0],
        "forget_sum": each[:, :r].sum(axis=1),
        "forget_sum_next": each.sum(axis=1),
        "least2_before": least[r - 1] if r else 0 * least[0],
        "least2": least[r],
        "least2_next": least[r + 1],
    }


def diverging(growth: sp.Rational, shape: Shape, values: Named) -> Values:
    """The run of `walked` with the mean forgetting term and the constants of the assumptions."""
    played, given = {**shape, "T": shape["r"] + 1}, concave(shape, values)
    found = rounds_with_floor(growth, shape, values)
    return {
        **whole_run(played, given, clients_of(played, given), fixed_memory(played)),
        **found,
        "x0": norm(values["x"]),
        "forget_mean": found["forget_sum"] / max(shape["r"], 1),
    }


def _growing(growth: sp.Rational) -> sp.Eq:
    return eq(least2_next, growth * least2)


def _meaning(growth: sp.Rational) -> tuple[Condition, ...]:
    return eq(forget_mean, forget_sum / T), eq(least2_before, growth ** (T - 1) * x0**2)


def _facts(growth: sp.Rational, rate: Condition) -> tuple[AnyNumber, ...]:
    """Facts about one round from any model, and definitions of symbols."""
    return (*of_concave(rate), *map(definition, (_growing(growth), *_meaning(growth))))


def _concave(name: str, growth: sp.Rational, rate: Condition) -> Scene:
    return Scene(
        name=name,
        shapes=(
            *({**sizes(), "T": r, "r": r} for r in (1, 2, 3, 6)),
            *({**sizes(N=N, J=J, E=E, d=d), "T": 2, "r": 2} for N, J, E, d in ((1, 1, 3, 1), (2, 2, 3, 2))),
        ),
        space=lambda shape: {
            "x": Box(-2, 2, (shape["d"],)),
            **order_space({**shape, "S": shape["J"]}),
            "raw": Box(0.1, 1, (shape["N"],)),
            "L": Box(0.1, 4, scale="log"),
            "m": Box(0.01, 0.25),
            "m_i": Box(0.01, 0.5, (1, shape["N"])),
            "room": Box(0, 0),
            **{name: Box(0.01, 1, scale="log") for name in ("alpha", "beta")},
        },
        room="room",
        told=TOLD,
        compute=Proved(partial(diverging, growth), _facts(growth, rate)),
        restricts=(Hypothesis.PARABOLA,),
        steps=("alpha", "beta"),
        free_step=_rates,
    )


_AT_LIMIT = sp.Integer(4)
_BEYOND = sp.Rational(25, 4)
GROWN, MEANT = _growing(_BEYOND), _meaning(_BEYOND)
GROWN_LIMIT, MEANT_LIMIT = _growing(_AT_LIMIT), _meaning(_AT_LIMIT)
DIVERGING = _concave("past and current data with one concave loss", _BEYOND, LARGE[-1])
DIVERGING_LIMIT = _concave("past and current data with one concave loss, alpha = 1/L", _AT_LIMIT, LIMIT[-1])


# ------------------------------------------------------------------------------------ memories that cancel


def cancelling(shape: Shape, values: Named) -> Clients:
    """Two clients with two past samples each, whose memories cancel in one of four draws; linear current losses.

    In the first coordinate the past losses have curvatures 3L/4, 5L/4 and -3L/4, -L/4 and the minimiser 0, so that
    grad f = L x/4; a memory of the first sample of each has no gradient at all. The current loss falls along the second
    coordinate, where the past losses are flat.
    """
    L = values["L"][:, None, None, None, None]
    past = like(L, np.array([[[3, 0], [5, 0]], [[-3, 0], [-1, 0]]])[None, None]) * L / 4
    slope = like(L, np.array([0, 1])) * values["slope"][:, None, None, None, None]
    current = Quadratics(
        0 * slope + 0 * past[:, :, :, :1], slope + 0 * past[:, :, :, :1], 0 * past[:, :, :, :1]
    )
    return Clients(
        0 * L[:, :, 0, 0] + like(L, np.ones((1, 2), dtype=int)) / 2, around(past, 0 * past), current
    )


def given_order(shape: Shape, values: Named) -> Values:
    """Parameters with one current sample, so that the order of evaluation is unique."""
    unused = like(values["x"], np.zeros((1, 2, max(shape["E"] - 1, 1)), dtype=int))
    return {**values, "order": unused + 0 * values["x"][:, :1, None]}


CANCEL = 0
"""The draw in which each client keeps its first sample."""


def stays(shape: Shape, values: Named) -> Values:
    """r + 1 rounds with the memories that cancel."""
    played, given = {**shape, "T": shape["r"] + 1}, given_order(shape, values)
    kept = fixed_memory(played)[CANCEL : CANCEL + 1]
    rounds, after = run(played, given, cancelling(played, given), kept)
    return {"frozen2": rounds[-1].x[:, 0, 0] ** 2, "frozen2_next": after[:, 0, 0] ** 2}


def expected_square(clients: Clients, x: Array) -> Array:
    """Mean squared gradient of the past data over equally likely models (batch, path, d)."""
    squares = sq(clients.of_all(clients.past.mean(3)).grad(x))
    return squares.sum(axis=1) / squares.shape[1]


def expected_fall(clients: Clients, first: Array, last: Array) -> Array:
    """Decrease of the mean past loss over equally likely models (batch, path, d)."""
    loss = clients.of_all(clients.past.mean(3)).loss
    fallen = loss(first) - loss(last)
    return fallen.sum(axis=1) / fallen.shape[1]


def frozen(shape: Shape, values: Named) -> Values:
    """Runs with memories that may cancel; the expected squared gradient of the past data after r rounds."""
    played, given = {**shape, "T": shape["r"] + 1}, given_order(shape, values)
    clients, kept = cancelling(played, given), fixed_memory(played)
    rounds, _ = run(played, given, clients, kept)
    return {
        **whole_run(played, given, clients, kept),
        **stays(shape, values),
        "each_gf2": expected_square(clients, rounds[-1].x),
        "F": expected_fall(clients, rounds[0].x, rounds[-1].x),
        "first_x": abs_(values["x"][:, 0]),
    }


FROZEN = Scene(
    name="two clients whose memories may cancel",
    shapes=tuple(
        {**sizes(N=2, S=2, d=2, T=r, E=E), "r": r} for r, E in ((1, 1), (2, 1), (3, 1), (5, 1), (2, 3))
    ),
    space=lambda shape: {
        "x": Box(-2, 2, (2,)),
        "L": Box(0.1, 4, scale="log"),
        "slope": Box(0.1, 2),
        "m": Box(1, 3),
        "m_i": Box(0.26, 0.99, (1, 2)),
        "room": Box(0, 0),
        **{name: Box(0.01, 1, scale="log") for name in ("alpha", "beta")},
    },
    room="room",
    told=TOLD,
    compute=Proved(frozen, CANCELLING),
    restricts=(Hypothesis.CANCELLING,),
    steps=("alpha", "beta"),
    free_step=lambda name, shape, values: 1 / values["L"],
)
