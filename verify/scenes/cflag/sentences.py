"""Scenes for sentences of C-FLAG: Adam's first step, data sets between C and P + C, baselines in tables."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import sympy as sp

from algorithms.algorithm import Algorithm
from algorithms.cflag import cflag
from algorithms.memory import ring
from bounds.catalogue import statement
from bounds.cflag.sentences import reached
from bounds.cflag.tables import MAIN, NAMES, TASK_INCREMENTAL
from bounds.relations import eq
from nqm.fields import Array, abs_, amax, amin, norm, stack
from nqm.finite_sum import FiniteSum
from nqm.quadratic import DiagonalQuadratic
from verify.engine.checks.table import row
from verify.engine.model.instance import Instance
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.scenes.cflag.memories import (
    TOLD,
    Clients,
    clients_of,
    fixed_memory,
    known_constants,
    sizes,
    world_space,
)
from verify.scenes.cflag.memory_rounds import run, run_space
from verify.scenes.communication import traffic
from verify.scenes.summands import before, definition, over_summands


def adam_step(shape: Shape, values: Named) -> Values:
    """The first local step from an arbitrary gradient: the global gradient step for Eq. (4); Adam divides each entry by its size."""
    g = values["gradient"]
    step = values["beta"][:, None] * g / (abs_(g) + values["epsilon"][:, None])
    return {"gg": norm(g), "adam_drift": norm(step)}


ADAM = Scene(
    name="the first local step with Adam",
    shapes=({"E": 1, "d": 1}, {"E": 1, "d": 2}, {"E": 2, "d": 1}),
    space=lambda shape: {
        "gradient": Box(-2, 2, (shape["d"],)),
        "epsilon": Box(1e-9, 1e-7, scale="log"),
        "L": Box(0.1, 10, scale="log"),
        "beta": Box(0.001, 1, scale="log"),
    },
    compute=adam_step,
    steps=("beta",),
)


def falls(shape: Shape, clients: Clients, first: Array, last: Array) -> Array:
    """Decrease of the loss on every D, (batch, path, D): the current data with the same past samples of every client."""

    def fall(part: tuple[int, ...]) -> Array:
        losses = clients.now
        if part:
            past = clients.past
            chosen = type(past)(*(field[..., list(part), :] for field in (past.h, past.v, past.w)))
            losses = chosen.joined(losses)
        whole = clients.of_all(losses.mean(3))
        return whole.loss(first) - whole.loss(last)

    samples = range(shape["S"])
    parts = [part for n in range(shape["S"] + 1) for part in combinations(samples, n)]
    return stack([fall(part) for part in parts], -1)


def decreases_by_memory(shape: Shape, values: Named) -> Values:
    """Runs with every memory: the decrease of the loss on each D, and on memory and current data."""
    clients, kept = clients_of(shape, values), fixed_memory(shape)
    rounds, last = run(shape, values, clients, kept)
    found = falls(shape, clients, rounds[0].x, last)
    remembered = clients.remembered(kept[:, 0]).joined(clients.now)
    own = clients.of_all(remembered.mean(3))
    return best_of(found, own.loss(rounds[0].x) - own.loss(last))


def best_of(found: Array, own: Array) -> Values:
    """The decrease for the best set D* minus that for memory and current data, from the decreases (batch, path, D) of all D."""
    beyond = found - own[..., None]
    return {"served": amax(amin(beyond, 1), -1), "reached": amax(beyond, -1)}


_beyond = sp.Symbol("beyond", real=True)
LARGEST = over_summands(
    statement("cflag.eq166.best").compared,
    {reached: (before(reached), sp.S.Zero), _beyond: (before(_beyond), None)},
    definition(eq(reached, sp.Max(before(reached), _beyond))),
)
"""The largest of any number of differences, which begins with that of memory and current data to themselves."""
SETS = Scene(
    name="data sets between current and all data of one client",
    shapes=(sizes(), sizes(S=2, centres=2), sizes(S=3, centres=2), sizes(S=2, E=2, T=2, centres=2)),
    space=lambda shape: {**world_space(shape), **run_space(shape, shape["J"])},
    room="room",
    told=TOLD,
    known=known_constants,
    compute=Proved(decreases_by_memory, (LARGEST,)),
    steps=("alpha", "beta"),
    free_step=lambda name, shape, values: 4 / values["L"],
)


def messages_sent(algorithm: Algorithm, rounds: int) -> int:
    """How often two clients with two samples each send to the server in `rounds` rounds of two local steps, in two tasks."""
    world = FiniteSum(DiagonalQuadratic(np.ones((2, 4, 1)), np.arange(8).reshape(2, 4, 1) / 8), 2)
    visited = np.array([[[[0], [1]]] * 2])
    counted = traffic(world, algorithm, np.zeros((1, 1)), np.arange(2)[None], visited, rounds)
    return sum(found.messages for found in list(counted)[rounds:])


def exchanges_scene(method: Algorithm) -> Scene:
    """How often the clients send in rounds of `method`."""
    return Scene(
        name=f"how often the clients send in the second task of {method.name}",
        shapes=({"T": 1}, {"T": 2}, {"T": 3}),
        space=lambda shape: {"any": Box(0, 1)},
        compute=lambda shape, values: {"messages": 0 * values["any"] + messages_sent(method, shape["T"])},
        covers="exchanges before local work and at the end of a round, counted in rounds of the algorithm",
    )


EXCHANGES = exchanges_scene(cflag(0.25, 0.25, 2, 2, ring(2)))
BASELINES = ("Fine-FL", "EWC-FL", "NCCL-FL", "Erg-FL", "FedTrk")
"""Baselines of Section 7 with the mark TI, lines 228-236."""


def in_tables() -> dict[str, Instance]:
    """How often each baseline is in each table of results with known tasks, in both settings."""
    tables = {
        **{f"Table {n}, {setting}": MAIN[setting] for n, setting in ((2, "non-IID"), (3, "IID"))},
        **{f"Table 6, {setting}": results for setting, results in TASK_INCREMENTAL.items()},
    }
    return {
        f"{method} in {name}": row({}, {"listed": str(int(bool(methods & {method, NAMES.get(method)})))})
        for name, results in tables.items()
        for methods in ({method for _, method in results},)
        for method in BASELINES
    }


def costs() -> dict[str, Instance]:
    """Samples, or blocks of them, and local steps of a client in a round."""
    settings = {
        "2 local epochs as E = 2, 2,000 samples": (2000, 2),
        "Split-CIFAR10, Split-CIFAR100: 32 steps through 16 blocks of 128": (16, 32),
        "Split-TinyImageNet: 126 steps through 63 blocks of 32": (63, 126),
    }
    return {name: row({"S": S, "E": E}, {}) for name, (S, E) in settings.items()}
