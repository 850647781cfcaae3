"""Whole tasks of SPECIAL: the quantities of Theorem 4.10, its corollaries and the trivial bounds."""

from __future__ import annotations

import operator
from collections.abc import Callable

from algorithms.algorithm import Algorithm
from algorithms.draws import expectation
from algorithms.fedavg import fedavg
from algorithms.placebo import ascent, stand_still
from algorithms.simulate import states
from nqm.constants import infimum
from nqm.federation import task_grad, total_grad, total_loss
from nqm.fields import Array, amax, amin, chosen, minimum, norm, sq, stack
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.scenes.federated import all_draws, build, origin, sizes
from verify.scenes.parameters import column
from verify.scenes.placebos import random_walk
from verify.scenes.special import meanings
from verify.scenes.special.one_round import method
from verify.scenes.special.rate_round import scene_constants, space
from verify.scenes.special.rate_run_facts import facts
from verify.scenes.special.terms import DEFINES, terms


def task_run(shape: Shape, values: Named, algorithm: Algorithm) -> Values:
    """All T rounds of a task on every path, and expectations over all of them."""
    world, T = build(shape, values), shape["T"]
    draws, start = all_draws(shape, T), origin(shape, values)
    path = [state["theta"] for _, _, state in states(world, algorithm, draws, start, T)]
    total = stack([total_grad(world, theta) for theta in path], axis=1)  # (batch, T + 1, run, d)
    far = norm(stack(path, axis=1) - path[0][:, None])
    mean2 = expectation(draws, sq(total), axis=-1)
    by_task = [stack([task_grad(world, theta, k) for theta in path], axis=1) for k in range(shape["K"])]
    each2 = stack([expectation(draws, sq(g), axis=-1)[:, 1:] for g in by_task], axis=-1)  # (batch, T, K)
    return {
        "f_T": expectation(draws, total_loss(world, path[-1]), axis=-1),
        "gA2_t": stack([mean2[:, t] for t in range(T)], axis=0),
        "min_grad2": amin(mean2[:, 1:], axis=-1),
        "last_grad2": mean2[:, T],
        "first_grad2": mean2[:, 0],
        "far2": expectation(draws, far[:, T] ** 2, axis=-1),
        "each_grad2": amin(each2, axis=1),
        "last_each2": each2[:, T - 1],
        "then_grad2": in_the_best(mean2[:, 1:], each2),
        "min_grad2_0": amin(mean2[:, :T], axis=-1),
        "grad1": norm(total),
        "grad1_0": norm(total)[:, 0, 0],
        "away1": far,
        "away2": far**2,
        "away_max": (largest := amax(far, axis=(1, 2))),
        "away_max2": largest**2,
        "weighed_T": (1 - (1 + values["lam"]) ** (-T)) / values["lam"],
        "strayed": (shape["K"] - 1) * values["L"] * largest,
        "reach": values["gamma_L"] * shape["E"] * values["L"] * values["B"] / values["lam"],
    }


def in_the_best(mean2: Array, each2: Array) -> Array:
    """Values of each task (batch, T, K) in the first round in which the value of all tasks (batch, T) is smallest; (batch, K)."""
    best, then = mean2[:, 0], each2[:, 0]
    for t in range(1, mean2.shape[1]):
        then = chosen(operator.lt, mean2[:, t, None], best[:, None], each2[:, t], then)
        best = minimum(best, mean2[:, t])
    return then


def with_infimum(shape: Shape, values: Named) -> Values:
    """Constants that are known before the run, with a certified lower bound of the loss of all tasks."""
    return {**scene_constants(shape, values), "fstar": infimum(build(shape, values)).value}


def task_sizes(**lists: int) -> Shape:
    """Sizes of a task of T rounds."""
    found = {**sizes(), "M": 2, "T": 1, **lists}
    return {name: value for name, value in found.items() if name != "t"}


CURVED = (
    task_sizes(curved=1),
    task_sizes(N=2, curved=1),
    task_sizes(K=4, curved=1),
    task_sizes(T=2, curved=1, noisy=1),
    task_sizes(T=3, E=2, curved=1),
    task_sizes(N=2, T=4, E=2, curved=1),
    task_sizes(K=3, T=2, d=2, curved=1),
)
TASK = Scene(
    name="a task of SPECIAL",
    told=meanings.BOUNDED,
    shapes=(
        task_sizes(N=2),
        task_sizes(),
        task_sizes(T=2, noisy=1),
        *CURVED,
        task_sizes(N=2, T=8),
        task_sizes(N=2, T=16),
    ),
    space=space,
    room="room",
    known=scene_constants,
    compute=Proved(lambda shape, values: task_run(shape, values, method(values)), facts(), DEFINES, terms),
    steps=("gamma_G", "gamma_L"),
    free_step=lambda name, shape, values: 2,
)
UNPULLED = TASK.variant(
    "a task of plain averaging",
    compute=Proved(
        lambda shape, values: task_run(
            shape, values, fedavg(column(values["gamma_L"], 1), column(values["gamma_G"], 1))
        ),
        facts(),
        DEFINES,
        terms,
    ),
)
BOUNDED = TASK.variant("a task of SPECIAL with a least loss", shapes=CURVED, known=with_infimum)


def placebo(name: str, other: Callable[[Algorithm], Algorithm], *, directions: bool = False) -> Scene:
    shapes = tuple(shape for shape in CURVED if shape["noisy"]) if directions else CURVED[1:5:3]
    run = lambda shape, values: task_run(shape, values, other(method(values)))  # noqa: E731
    return BOUNDED.variant(name, shapes=shapes, compute=run)


# ------------------------------------------------------------------------------------------- numbers


def _constants(shape: Shape, values: Named) -> Values:
    """Consistent constants: no gradient of a task or client exceeds B."""
    B2 = values["B"] ** 2
    return {name: values[f"{name}_share"] * B2 for name in ("sigma_L2", "sigma_G2", "sigma_T2")}


MANY_ROUNDS = Scene(
    name="step sizes of Corollary 4.12 after very many rounds",
    shapes=tuple(
        {"K": K, "M": 8, "N": N, "E": E, "T": 10**6} for K in (2, 4) for N, E in ((4, 5), (8, 5), (8, 50))
    ),
    space=lambda shape: {"lam": Box(0.05, 1, scale="log"), "L": Box(0.1, 100, scale="log")},
)
"""The scene with large numbers of rounds, and values of lambda of the experiments."""
USUAL = MANY_ROUNDS.variant(
    "step sizes of Corollary 4.12 at the sizes of the experiments",
    shapes=tuple({"K": K, "M": 8, "N": 4, "E": 5, "T": T} for K in (2, 3, 4) for T in (20, 30)),
    space=lambda shape: {"lam": Box(0.05, 1), "L": Box(1, 100, scale="log")},
)
"""The scene with reported numbers of clients, epochs and rounds, candidates of lambda, and curvatures of at least 1."""

NUMBERS = Scene(
    name="constants of Theorem 4.10",
    shapes=tuple(
        {"K": K, "M": M, "N": N, "E": 1, "T": 4096}
        for K in (2, 4)
        for M, N in ((2, 1), (4, 1), (4, 3), (8, 7), (16, 15), (32, 31), (64, 63))
    ),
    space=lambda shape: {
        "lam": Box(0.1, 10, scale="log"),
        "L": Box(1, 100, scale="log"),
        "B": Box(0.1, 10, scale="log"),
        "sigma_L2_share": Box(0, 1),
        "sigma_G2_share": Box(0, 4),
        "sigma_T2_share": Box(0, 4),
        "G0": Box(0, 1),
        "f0": Box(0, 1),
        "fstar": Box(0, 1),
    },
    known=_constants,
)


PLACEBOS = (
    placebo("ascent", ascent),
    placebo("random walk", random_walk, directions=True),
    placebo("stand still", lambda algorithm: stand_still()),
)
