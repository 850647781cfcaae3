"""Constants of SPECIAL, CFL and C-FLAG along training runs of a small network, and their bounds at these constants.

Every method trains the 64-32-10 network on a stream of three transformed versions of the 8 x 8 digits, with practical step
sizes. A task of the stream is a time of CFL. The constants are the values observed on the runs and no suprema, so the bounds
are not guaranteed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from torch import Tensor

from algorithms.cfl_regularization import cfl_regularization
from algorithms.cflag import cflag
from algorithms.draws import Draws, minibatches
from algorithms.memory import ring
from algorithms.penalty import second_order, with_probed_hessian
from algorithms.special import special
from bounds.evaluate import evaluate
from nqm.known import Constant
from verify.curves.psi import FREE
from verify.networks.data.catalogue import stream
from verify.networks.measured.bounds import SAMPLED, cfl_comparisons, cflag_comparisons, special_comparisons
from verify.networks.measured.rounds import (
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
from verify.networks.training.evaluate import accuracy
from verify.networks.training.kernels import as_written
from verify.networks.training.models import mlp
from verify.networks.training.train import starts
from verify.networks.training.world import NetworkWorld

SEEDS = 4
TASKS, CLIENTS, SAMPLES = 3, 8, 960
"""Number K of tasks, number M of clients, and number of images of a task, for all clients together."""
SIZES = {"N": 4, "E": 10, "T": 20}
"""Numbers of sampled clients (C-FLAG requires all clients), of local steps, and of rounds of a task."""
BATCH = 32
STEPS = {"special": 0.2, "cfl": 0.2, "cflag": 0.1}
"""Step size of the clients; for C-FLAG also the step size on its memory."""
LAM = 0.2
KEPT = 20
"""Number of samples that a client stores of each task."""
APPROXIMATIONS = {"fisher": second_order, "hessian": with_probed_hessian(10)}
"""Second-order approximations of past losses: with the empirical Fisher information, and with the diagonal of the Hessian."""
VISITED = (0, 2, 8, 19)
"""Rounds of a task (from 0) in which constants are measured."""

Of = Callable[[Any, Visit], Found]


def compute(seed: int) -> dict[str, Any]:
    """Constants of each theory by round, (visit, run), and its bounds with the constants of the last task."""
    data = stream("digits", n_clients=CLIENTS, n_tasks=TASKS, n_train=SAMPLES, seed=seed)
    world = NetworkWorld(data, mlp(data.image, data.n_classes), batch=BATCH, compile=as_written)
    start = starts(world.model, seed, SEEDS)
    return {
        "label": SAMPLED,
        "parameters": {"K": TASKS, "M": CLIENTS, **SIZES, "lam": LAM, "kept": KEPT},
        "steps": STEPS,
        "data": {"stream": data.name, "model": world.model.name, "d": world.dim, "images": SAMPLES},
        "seeds": SEEDS,
        "methods": {
            "special": _special(world, seed, start),
            "cfl": _cfl(world, seed, start),
            "cflag": _cflag(world, seed, start),
        },
    }


def _special(world: NetworkWorld, seed: int, start: Tensor) -> dict[str, Any]:
    steps = {"gamma_L": STEPS["special"], "gamma_G": 1.0, "lam": LAM}
    method = special(*steps.values())
    played = run(
        world, method, _draws(world, seed, SIZES["N"]), start, SIZES["T"], _visited_rounds(range(TASKS))
    )
    record, last = _measured(world, played, special_constants)
    return {
        **record,
        "comparisons": special_comparisons(world, played, last, {**steps, "N": SIZES["N"], "E": SIZES["E"]}),
        "free": evaluate(FREE["always"], {"K": TASKS, "B": last["B"].value}),
        "admitted_L": 1 / (8 * SIZES["E"] * steps["gamma_L"]),
    }


def _cfl(world: NetworkWorld, seed: int, start: Tensor) -> dict[str, Any]:
    steps = {"eta_l": STEPS["cfl"], "eta_g": 1.0}
    draws, method = _draws(world, seed, SIZES["N"]), cfl_regularization(STEPS["cfl"], CLIENTS)
    played = run(world, method, draws, start, SIZES["T"], _visited_rounds(range(1, TASKS)))
    kept = keep(world, draws, played.models, APPROXIMATIONS, KEPT)
    record, last = _measured(world, played, lambda world, visit: cfl_constants(world, visit, kept))
    given = {**steps, "N": SIZES["N"], "K": SIZES["E"]}
    return {**record, "comparisons": cfl_comparisons(world, played, last, given, "fisher")}


def _cflag(world: NetworkWorld, seed: int, start: Tensor) -> dict[str, Any]:
    step = STEPS["cflag"]
    method = cflag(step, step, CLIENTS, KEPT * TASKS, ring(TASKS))
    rounds = _visited_rounds(range(1, TASKS)) | {(TASKS - 1, played) for played in range(SIZES["T"])}
    played = run(world, method, _draws(world, seed, CLIENTS), start, SIZES["T"], rounds)
    record, last = _measured(world, played, cflag_constants)
    given = {"alpha": step, "beta": step, "E": SIZES["E"]}
    return {**record, "comparisons": cflag_comparisons(world, played, last, given)}


def _draws(world: NetworkWorld, seed: int, sampled: int) -> Draws:
    return minibatches(seed, SEEDS, world.sizes, sampled, SIZES["E"], BATCH)


def _visited_rounds(tasks: Iterable[int]) -> set[tuple[int, int]]:
    return {(task, played) for task in tasks for played in VISITED}


def _measured(world: NetworkWorld, played: Run, of: Of) -> tuple[dict[str, Any], dict[str, Constant]]:
    """Constants in every round of `VISITED` and final accuracies, as plain data; and the constants of the last task."""
    visits = [visit for visit in played.visits if visit.played in VISITED]
    found = by_name([of(world, visit) for visit in visits])
    last = in_task(replace(played, visits=visits), found, TASKS - 1)
    record = {
        "rounds": np.array([visit.task * SIZES["T"] + visit.played for visit in visits]),
        "constants": found,
        "last_task": {
            name: {"value": constant.value, "known": constant.known, "where": constant.where}
            for name, constant in last.items()
        },
        "accuracy": accuracy(world, played.models[-1, -1][:, None]),
    }
    return record, last
