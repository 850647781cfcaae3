"""Constants of SPECIAL, CFL and C-FLAG along training runs of a small network, and their bounds at these constants.

Every method trains the 64-32-10 network on the 8 x 8 digits in three looks, one after another, with step sizes at which
it learns. A task of the stream is a time of CFL. The constants are those seen, not suprema, so no bound is guaranteed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from torch import Tensor

from algorithms.algorithm import Algorithm
from algorithms.cfl_regularization import cfl_regularization
from algorithms.cflag import cflag
from algorithms.draws import Draws, minibatches
from algorithms.memory import ring
from algorithms.special import special
from bounds.evaluate import evaluate
from nqm.constants import Constant
from verify.curves.psi import FREE
from verify.networks.catalogue import stream
from verify.networks.comparison import SAMPLED, cfl_comparisons, cflag_comparisons, special_comparisons
from verify.networks.evaluate import accuracy
from verify.networks.kernels import as_written
from verify.networks.models import mlp
from verify.networks.train import starts
from verify.networks.visited import (
    Found,
    Run,
    Visit,
    by_name,
    cfl_constants,
    cflag_constants,
    in_task,
    keep,
    run,
    special_constants,
)
from verify.networks.world import NetworkWorld

SEEDS = 4
TASKS, CLIENTS, SAMPLES = 3, 8, 960
"""K, M, and the images of a task, of all clients together."""
SIZES = {"N": 4, "E": 20, "T": 20}
"""Sampled clients (C-FLAG asks for all), local steps, and rounds of a task."""
BATCH = 32
STEP = 0.1
"""Step size of the clients in every method, and of C-FLAG on its memory."""
LAM = 0.2
KEPT = 20
"""Samples that a client keeps of each task."""
VISITED = (0, 2, 8, 19)
"""Rounds of each task that are looked into, from 0."""


Of = Callable[[Any, Visit], Found]


def compute(seed: int) -> dict[str, Any]:
    """Constants of each theory by round, (visit, run), and its bounds at those of the last task."""
    data = stream("digits", n_clients=CLIENTS, n_tasks=TASKS, n_train=SAMPLES, seed=seed)
    world = NetworkWorld(data, mlp(data.image, data.n_classes), batch=BATCH, compile=as_written)
    start = starts(world.model, seed, SEEDS)
    return {
        "label": SAMPLED,
        "parameters": {"K": TASKS, "M": CLIENTS, **SIZES, "step": STEP, "lam": LAM, "kept": KEPT},
        "data": {"stream": data.name, "model": world.model.name, "d": world.dim, "images": SAMPLES},
        "seeds": SEEDS,
        "methods": {
            "special": _special(world, seed, start),
            "cfl": _cfl(world, seed, start),
            "cflag": _cflag(world, seed, start),
        },
    }


def _special(world: NetworkWorld, seed: int, start: Tensor) -> dict[str, Any]:
    steps = {"gamma_L": STEP, "gamma_G": 1.0, "lam": LAM}
    played = _run(world, special(STEP, steps["gamma_G"], LAM), _draws(world, seed, SIZES["N"]), start, first=0)
    found, last = _measured(world, played, special_constants)
    compared = special_comparisons(world, played, last, {**steps, "N": SIZES["N"], "E": SIZES["E"]})
    return {
        **_record(world, played, found, last, compared),
        "free": evaluate(FREE["always"], {"K": TASKS, "B": last["B"].value}),
        "admitted_L": 1 / (8 * SIZES["E"] * STEP),
    }


def _cfl(world: NetworkWorld, seed: int, start: Tensor) -> dict[str, Any]:
    draws = _draws(world, seed, SIZES["N"])
    played = _run(world, cfl_regularization(STEP, CLIENTS), draws, start, first=1)
    kept = keep(world, draws, played.models, KEPT)
    found, last = _measured(world, played, lambda world, visit: cfl_constants(world, visit, kept))
    given = {"eta_l": STEP, "eta_g": 1.0, "N": SIZES["N"], "K": SIZES["E"]}
    return _record(world, played, found, last, cfl_comparisons(world, played, last, given, "fisher"))


def _cflag(world: NetworkWorld, seed: int, start: Tensor) -> dict[str, Any]:
    method = cflag(STEP, STEP, CLIENTS, KEPT * TASKS, ring(TASKS))
    played = _run(world, method, _draws(world, seed, CLIENTS), start, first=1)
    found, last = _measured(world, played, cflag_constants)
    given = {"alpha": STEP, "beta": STEP, "E": SIZES["E"]}
    return _record(world, played, found, last, cflag_comparisons(world, played, last, given))


def _draws(world: NetworkWorld, seed: int, sampled: int) -> Draws:
    return minibatches(seed, SEEDS, world.sizes, sampled, SIZES["E"], BATCH)


def _run(world: NetworkWorld, method: Algorithm, draws: Draws, start: Tensor, first: int) -> Run:
    """Runs whose visits begin in task `first`."""
    visited = {(task, played) for task in range(first, TASKS) for played in VISITED}
    return run(world, method, draws, start, SIZES["T"], visited)


def _measured(
    world: NetworkWorld, played: Run, of: Of
) -> tuple[dict[str, np.ndarray], dict[str, Constant]]:
    """Constants at every visit, and over the last task."""
    found = by_name([of(world, visit) for visit in played.visits])
    return found, in_task(played, found, TASKS - 1)


def _record(
    world: NetworkWorld,
    played: Run,
    found: Mapping[str, np.ndarray],
    last: Mapping[str, Constant],
    comparisons: list[dict[str, Any]],
) -> dict[str, Any]:
    return {
        "rounds": [visit.task * SIZES["T"] + visit.played for visit in played.visits],
        "constants": found,
        "last_task": {
            name: {"value": constant.value, "known": constant.known, "where": constant.where}
            for name, constant in last.items()
        },
        "comparisons": comparisons,
        "accuracy": accuracy(world, played.models[-1, -1][:, None]),
    }
