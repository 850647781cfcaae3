"""Scenes of C-FLAG's adaptive rates: simulated rounds on finite sums of quadratics.

Memories contain all past data, so there is no bias and every m > 0 meets Lemma 9. Shapes: ``N`` clients of equal weight with
``S`` past and ``S`` current samples, ``E`` local steps, ``d`` dimensions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from algorithms.algorithm import Algorithm, State, over_slots
from algorithms.cflag import EQ24, Message, average_case, cflag, worst_case
from algorithms.memory import ring
from algorithms.simulate import local_path, state_before_local_work
from bounds.cflag.adaptive import Lam
from bounds.cflag.drift import WEIGHTS
from bounds.cflag.symbols import L as L_
from bounds.cflag.symbols import alpha as alpha_
from bounds.cflag.symbols import beta as beta_
from bounds.cflag.symbols import f_next, f_now, fd2, s2
from bounds.hypotheses import Hypothesis
from bounds.relations import le
from nqm.fields import Array, IntArray, amax, dot, sq, where
from nqm.finite_sum import FiniteSum
from nqm.quadratic import DiagonalQuadratic
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.scenes.cflag import adaptive_lines
from verify.scenes.cflag.adaptive import one_rate, room
from verify.scenes.summands import by_definition

PAST, NOW = 0, 1


def sizes(**lists: int) -> Shape:
    """A shape; sizes that are not given are the smallest."""
    return {"N": 1, "S": 1, "E": 1, "d": 1, **lists}


def space(shape: Shape) -> dict[str, Box]:
    """Parameters of the losses of past and current samples, of the model, and of the rates."""
    samples = (2, shape["N"] * shape["S"], shape["d"])
    return {
        "curvature": Box(0.1, 2, samples, scale="log"),
        "centre": Box(-2, 2, samples),
        "x": Box(-2, 2, (shape["d"],)),
        "m": Box(1.01, 4, scale="log"),
        "room": Box(0, 0),
        "alpha": Box(0.1, 1, scale="log"),
        "beta": Box(0.01, 1, scale="log"),
    }


def scene_constants(shape: Shape, values: Named) -> Values:
    """The largest curvature of any sample, with its slack."""
    return {"L": amax(values["curvature"], (1, 2, 3)) * (1 + values["room"])}


@dataclass(frozen=True)
class Played:
    """One round: the memory gradient and the clients' sums, weighted (batch, d), and the model after it (batch, d)."""

    fd: Array
    s: Array
    ends: Array
    after: Array


def play(shape: Shape, values: Named, alpha: Array, beta: Array, message: Message = EQ24) -> Played:
    """A round at rates (batch,), in which the samples are visited one after another."""
    N, S = shape["N"], shape["S"]
    # rates beyond their limits are no error here, because the conditions of the statements exclude them
    unchecked = replace(message, smoothness=None)
    method = cflag(column(alpha), column(beta), N, S, ring(1), message=unchecked)
    world, clients = world_of(shape, values), np.arange(N)[None]
    state = state_before_local_work(world, method, start(shape, values, method), NOW)
    *_, local = local_path(world, method, state, NOW, clients, visits(shape))
    after = method.aggregate(state, local, clients)["theta"]
    mean = lambda x: (x.sum(axis=-2) / N)[:, 0]  # noqa: E731
    return Played(state["memory_grad"][:, 0], mean(local["summed"]), mean(local["x"]), after[:, 0])


def column(x: Array) -> Array:
    """Numbers (batch,) with an axis of runs."""
    return x[:, None]


def world_of(shape: Shape, values: Named) -> FiniteSum:
    """A batch of worlds with a past and a current task."""
    return FiniteSum(DiagonalQuadratic(values["curvature"], values["centre"]), shape["N"])


def start(shape: Shape, values: Named, method: Algorithm) -> State:
    """The state at the start: the model, and memories with all past samples."""
    kept = np.tile(np.arange(shape["S"]), (1, shape["N"], 1))
    return {**method.begin_task(method.init(column(values["x"])), NOW), "kept": kept}


def visits(shape: Shape) -> IntArray:
    """Sample of each local step, (1, N, E, 1); the first step uses all samples for any draw."""
    steps = np.arange(shape["E"]) % shape["S"]
    return np.tile(steps[:, None], (1, shape["N"], 1, 1))


def loss(shape: Shape, values: Named, task: int, x: Array) -> Array:
    """Mean loss of the clients at x (batch, d)."""
    each = world_of(shape, values).at(task).loss(over_slots(column(x), shape["N"]))
    return each.sum(axis=-1)[:, 0] / shape["N"]


def forgetting(values: Named, played: Played, alpha: Array, beta: Array) -> Array:
    """Gamma(t) of Eq. (15)."""
    return values["L"] / 2 * beta**2 * sq(played.s) - beta * (1 - values["L"] * alpha) * dot(
        played.fd, played.s
    )


def fixed_rates(shape: Shape, values: Named) -> Values:
    """A round at common rates, and a round from the same start with other rates beta."""
    x, alpha, beta = (values[name] for name in ("x", "alpha", "beta"))
    played = play(shape, values, alpha, beta)
    at_multiple = lambda n: forgetting(values, play(shape, values, alpha, n * beta), alpha, n * beta)  # noqa: E731
    return {
        "s2": sq(played.s),
        "fd2": sq(played.fd),
        "Lam": dot(played.fd, played.s),
        "past_curvature": past_curvature(values),
        "f_now": loss(shape, values, PAST, x),
        "f_next": loss(shape, values, PAST, played.after),
        "g_now": loss(shape, values, NOW, x),
        "g_next": loss(shape, values, NOW, played.after),
        "third_diff": at_multiple(3) - 3 * at_multiple(2) + 3 * at_multiple(1),
        "Gamma_run": forgetting(values, played, alpha, beta),
    }


def past_curvature(values: Named) -> Array:
    """Curvature of the mean past loss, (batch, d)."""
    each = values["curvature"][:, PAST]
    return each.sum(axis=1) / each.shape[1]


DESCENT = le(
    f_next - f_now,
    -alpha_ * fd2 - beta_ * Lam + L_ / 2 * (alpha_**2 * fd2 + 2 * alpha_ * beta_ * Lam + beta_**2 * s2),
)
"""The definition of L along the update of Eq. (24), with memories that hold all past data."""


def scaled_updates(shape: Shape, values: Named) -> Values:
    """The procedure below Eq. (16): a round at one rate, whose client updates are then scaled by beta*/alpha."""
    L, x, alpha = (values[name] for name in ("L", "x", "alpha"))
    played = play(shape, values, alpha, alpha)
    best = (1 - L * alpha) * dot(played.fd, played.s) / (L * sq(played.s))
    memory_step = x - column(alpha) * played.fd
    return {
        "scaled_model": memory_step + column(best / alpha) * (played.ends - x),
        "best_model": memory_step - column(best) * played.s,
        "p_sum": 1 + 0 * alpha,
    }


def played_again(shape: Shape, values: Named) -> Values:
    """The round at alpha, its updates scaled, and the round that beta* leads to from the same start."""
    L, x, alpha, beta = (values[name] for name in ("L", "x", "alpha", "beta"))
    played = play(shape, values, alpha, beta)
    Lam, s2 = dot(played.fd, played.s), sq(played.s)
    best = (1 - L * alpha) * Lam / (L * s2)
    # A rate must be positive; where beta* is not, the conditions of the statements fail anyway
    rate = where(best > 0, best, alpha)
    again = play(shape, values, alpha, rate)
    scaled = x - column(alpha) * played.fd + column(rate / beta) * (played.ends - x)
    return {
        "Lam": Lam,
        "s2": s2,
        "Gamma_run": forgetting(values, played, alpha, beta),
        "Gamma_rerun": forgetting(values, again, alpha, rate),
        "scaled_model": scaled,
        "rerun_model": again.after,
    }


def own_rates(shape: Shape, values: Named) -> Values:
    """Past losses after a round at common rates, and at the clients' own rates in both cases."""
    alpha, beta, L = (values[name] for name in ("alpha", "beta", "L"))
    after = lambda message: loss(shape, values, PAST, play(shape, values, alpha, beta, message).after)  # noqa: E731
    return {
        "fd2": sq(play(shape, values, alpha, beta).fd),
        "f_next": after(EQ24),
        "f_av": after(average_case(column(L))),
        "f_w": after(worst_case(column(L))),
    }


SHAPES = (sizes(), sizes(d=2), sizes(E=2), sizes(N=2), sizes(N=2, E=2), sizes(N=2, S=2, E=3, d=2))
ROUND = Scene(
    name="a round of C-FLAG on quadratics",
    shapes=SHAPES,
    space=space,
    room="room",
    known=scene_constants,
    compute=Proved(fixed_rates, (by_definition(DESCENT),), (DESCENT,)),
    restricts=(Hypothesis.QUADRATIC, Hypothesis.COMMON_AXES),
    steps=("alpha", "beta"),
    free_step=room,
    told={
        "curvature": "curvatures of the past (first) and the current (second) samples, client by client",
        "centre": "minimisers of the losses of the samples, in the same order",
        "x": "model at the start of the round",
    },
)
ROUND_ONE_RATE = one_rate(ROUND, "a round of C-FLAG on quadratics with one rate")
AGAIN = ROUND.variant("a round of C-FLAG on quadratics, and one with the optimal rate", compute=played_again)
SCALED = one_rate(
    replace(
        ROUND,
        shapes=SHAPES[:5],
        compute=scaled_updates,
        covers="equal as rational functions for 1 and 2 clients and local steps on quadratics of any curvature and centre, "
        "hence for any gradients; a further one repeats what is shown",
        restricts=(),
    ),
    "a round of C-FLAG on quadratics, its updates scaled",
)
SCALED = replace(SCALED, compute=Proved(SCALED.compute, (adaptive_lines.SCALED,), WEIGHTS))
AGAIN_ONE_RATE = one_rate(
    AGAIN, "a round of C-FLAG on quadratics with one rate, and one with the optimal rate"
)
OWN_RATES = one_rate(
    replace(ROUND, compute=own_rates),
    "rounds of C-FLAG on quadratics with common and with the clients' own rates",
)
