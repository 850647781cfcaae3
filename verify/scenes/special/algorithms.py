"""One round of SPECIAL's two algorithms, in all printed versions."""

from __future__ import annotations

import numpy as np

from algorithms.algorithm import Algorithm, State
from algorithms.fedavg import fedavg
from algorithms.simulate import local_path, play_round
from algorithms.special import special, special_from_second_task
from algorithms.special_c import special_c, special_c_global_step_inside, special_c_mean_of_all
from bounds.hypotheses import Hypothesis
from nqm.bounded import Linear
from nqm.fields import Array, broadcast_to, stack
from nqm.noise import Rademacher
from nqm.quadratic import DiagonalQuadratic
from nqm.world import World
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.scenes.parameters import column
from verify.scenes.special import meanings
from verify.scenes.special.algorithm_facts import ALONG_CONSTANT
from verify.scenes.special.algorithm_facts import ROUND as FACTS
from verify.scenes.special.problem import CURVATURE, LAMBDA

STEP = Box(0.01, 2, scale="log")


def model_after_round(
    world: World, algorithm: Algorithm, model: Array, anchor: Array, task: int, noise: Array
) -> Array:
    """Model (batch, d) after one round from `model` in which the first clients take part.

    The shape of `noise` (batch, 1, N, E, d) gives their number. The algorithm is told that the task is `task`; the world has one.
    """
    state = {"theta": model[:, None], "anchor": anchor[:, None], "task": task}
    return play_round(world, algorithm, state, 0, _first_clients(noise), noise)["theta"][:, 0]


def sent_by_first(
    world: World, algorithm: Algorithm, state: State, noise: Array
) -> tuple[Array, list[Array]]:
    """Displacement (batch, d) of the first client in a round, and its stochastic gradients by local step."""
    clients = _first_clients(noise)
    oracle = world.at(0, clients)
    start = algorithm.begin_round(state, clients, oracle)["x"]
    after = [local["x"] for local in local_path(world, algorithm, state, 0, clients, noise)]
    points = [start, *after[:-1]]
    gradients = [oracle.stochastic_grad(x, noise[..., step, :])[:, 0, 0] for step, x in enumerate(points)]
    return (after[-1] - start)[:, 0, 0], gradients


def _first_clients(noise: Array) -> np.ndarray:
    return np.arange(noise.shape[-3])[None]


def readings(values: Named, n_clients: int) -> dict[str, Algorithm]:
    """All printed versions of both algorithms, and those with lambda = 0, at the step sizes of a batch."""
    local, server, strength = (column(values[name], 1) for name in ("gamma_L", "gamma_G", "lam"))
    return {
        "code": special(local, server, strength),
        "text": special_from_second_task(local, server, strength),
        "zero": special(local, server, 0),
        "fed": fedavg(local, server),
        "unit": fedavg(local, 1),
        "c": special_c(local, server, strength),
        "c_all": special_c_mean_of_all(local, server, strength, n_clients),
        "c_text": special_c_global_step_inside(local, server, strength),
        "c_zero": special_c(local, server, 0),
        "c_all_zero": special_c_mean_of_all(local, server, 0, n_clients),
    }


def one_round(shape: Shape, values: Named, world: World, noise: Array) -> Values:
    """One round of every variant from an arbitrary model and anchor, in a later task; ``first_*``: in the first task."""
    model, anchor = values["th"], values["anchor"]
    method = readings(values, shape["M"])
    after = lambda name, task=1: model_after_round(world, method[name], model, anchor, task, noise)  # noqa: E731
    flat = Linear(0 * model[:, None, None] + 0 * column(values["lam"], 3))
    quiet = lambda name: model_after_round(flat, method[name], model, anchor, 1, 0 * noise[:, :, :1])  # noqa: E731
    state = {"theta": model[:, None], "anchor": anchor[:, None], "task": 1}
    sent, gradients = sent_by_first(world, method["code"], state, noise)
    sent_c, gradients_c = sent_by_first(world, method["c"], state, noise)
    return {
        "first_code": after("code", 0),
        "first_text": after("text", 0),
        "later_code": after("code"),
        "later_text": after("text"),
        "update": after("unit") - model,
        "sent": sent,
        "grad_sum": sum(gradients),
        "sent_c": sent_c,
        "grad_sum_c": sum(gradients_c),
        "g_c": stack(gradients_c, axis=0),
        "next_zero": after("zero"),
        "next_fed": after("fed"),
        "next_c": after("c"),
        "next_c_all": after("c_all"),
        "next_c_text": after("c_text"),
        "next_c_zero": after("c_zero"),
        "next_c_all_zero": after("c_all_zero"),
        "still": quiet("code"),
        "still_c": quiet("c"),
    }


def _quadratic_round(shape: Shape, values: Named) -> Values:
    world = DiagonalQuadratic(values["curvature"][:, None], values["centre"][:, None], Rademacher(1))
    return one_round(shape, values, world, values["u"][:, None])


def _constant_round(shape: Shape, values: Named) -> Values:
    size = (*values["th"].shape[:1], 1, shape["N"], shape["E"], shape["d"])
    none = broadcast_to(0 * values["th"][:, None, None, None], size)
    return one_round(shape, values, Linear(values["slope_of"][:, None]), none)


def _round_space(shape: Shape) -> dict[str, Box]:
    models = {name: Box(-2, 2, (shape["d"],)) for name in ("th", "anchor")}
    return {**models, "lam": LAMBDA, "gamma_G": STEP, "gamma_L": STEP}


ROUND = Scene(
    name="one round of both algorithms",
    told=meanings.QUADRATIC,
    shapes=tuple(
        {"M": M, "N": N, "E": E, "d": 1}
        for M, N, E in ((1, 1, 1), (2, 1, 1), (2, 2, 1), (1, 1, 2), (2, 1, 2), (3, 2, 2), (1, 1, 3))
    ),
    space=lambda shape: {
        **_round_space(shape),
        "curvature": Box(*CURVATURE, (shape["M"], shape["d"])),
        "centre": Box(-2, 2, (shape["M"], shape["d"])),
        "u": Box(-1, 1, (shape["N"], shape["E"], shape["d"])),
    },
    compute=Proved(_quadratic_round, FACTS),
)
CONSTANT = ROUND.variant(
    "one round of both algorithms along constant gradients",
    space=lambda shape: {**_round_space(shape), "slope_of": Box(-2, 2, (shape["M"], shape["d"]))},
    compute=Proved(_constant_round, ALONG_CONSTANT),
    restricts=(Hypothesis.LINEAR, Hypothesis.NO_NOISE),
)
