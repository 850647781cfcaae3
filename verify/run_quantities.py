"""Quantities of the runs of an algorithm on a family of losses, and the hyper-parameters of these runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import sympy as sp

from algorithms.algorithm import Algorithm, State
from algorithms.draws import Draws, enumerate_draws, expectation
from algorithms.simulate import local_path, state_before_local_work, states
from bounds.evaluate import evaluate
from nqm.federation import task_grad, task_loss
from nqm.fields import Array, amin, dot, sq, stack, zeros_like
from nqm.kinds import kind
from nqm.noise import atoms
from nqm.piecewise import PiecewiseQuadratic
from verify.engine.model.arithmetic import ARITHMETIC
from verify.engine.model.scene import Named, Shape, Values
from verify.first_order.recording import PLACES
from verify.worlds import SKEWED, skewed_atoms

OUTCOMES = 20_000
"""Largest number of outcomes of noise and sampling in an expectation."""
Entry = Callable[[State, Any], Array]
"""``entry(state, oracle)`` -> one number for each run, from the state of an algorithm and the oracles of all clients."""


def hyper_value(value: Any, values: Named) -> Any:
    """A hyper-parameter in a run: a number, or the values (batch, 1) of its symbol or formula."""
    if isinstance(value, int | float):
        return value
    if isinstance(value, sp.Basic):
        found = evaluate(value, values, ARITHMETIC[kind(values["start"])])
        return found[:, None] if getattr(found, "ndim", 0) else found
    return values[value if isinstance(value, str) else value[0]][:, None]


def draws_of(shape: Shape) -> Draws:
    """All outcomes of sampling and noise at these sizes."""
    outcomes, chances = None, None
    if shape["noisy"]:
        outcomes, chances = (
            skewed_atoms(shape["d"]) if shape["noisy"] == SKEWED else atoms("axis", shape["d"])
        )
    return enumerate_draws(
        shape["M"], shape["N"], shape["E"], shape["d"], outcomes, chances, rounds=shape["t"], limit=OUTCOMES
    )


def measured(
    world: PiecewiseQuadratic, method: Algorithm, shape: Shape, start: Array, entries: Mapping[str, Entry]
) -> Values:
    """Quantities of a run, and the given functions of its state; arrays inside are (batch, run, ...)."""
    draws = draws_of(shape)
    path = [state for _, _, state in states(world, method, draws, start[:, None], shape["t"])]
    models = [state["theta"] for state in path]
    before, after = (dot(task_grad(world, x, 0), x) for x in models[-2:])
    mean = lambda x: expectation(draws, x, -1)  # noqa: E731
    distances = [mean(sq(x)) for x in models]
    losses = [mean(task_loss(world, x, 0)) for x in models]
    grads = [mean(sq(task_grad(world, x, 0))) for x in models]
    named: Values = {}
    for name, entry in entries.items():
        for suffix, k in PLACES.items():
            named[f"{name}{suffix}"] = mean(entry(path[k], world.at(0)))
    for name, each in {"distance2": distances, "loss": losses, "grad2": grads}.items():
        named |= {name: each[-1], f"{name}_0": each[0], f"{name}_before": each[-2]}
        named[f"{name}_mean"] = sum(each[:-1]) / shape["t"]
        named[f"{name}_mean_before"] = sum(each[:-2], 0 * each[0]) / max(shape["t"] - 1, 1)
    return {
        **named,
        "inner": mean(after),
        "inner_before": mean(before),
        "grad2_min": amin(stack(grads[:-1], 1), 1),
        "drift2": mean(_drift(world, method, draws, path[-2], shape)),
        "move2": mean(sq(models[-1] - models[-2])),
    }


def _drift(world: PiecewiseQuadratic, method: Algorithm, draws: Draws, before: State, shape: Shape) -> Array:
    """Mean over slots and local steps of the squared distance of the local models from the server's, (batch, run)."""
    last = shape["t"] - 1
    state = state_before_local_work(world, method, before, 0)
    noise = draws.cast(before["theta"], draws.noise(0, last))
    local = local_path(world, method, state, 0, draws.participants(0, last), noise)
    reached = [sq(step["x"] - before["theta"][..., None, :]).mean(axis=-1) for step in local]
    total = zeros_like(reached[0])
    for distance in reached[:-1]:
        total = total + distance
    return total / shape["E"]
