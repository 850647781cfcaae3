"""Vectors that clients store, as separate entries of the state: one entry for each client, besides the model.

Maps between states are then maps between vectors, as `algorithms.probes` and `nqm.moments` need them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from algorithms.algorithm import Algorithm, State, is_vector
from nqm.fields import Array, stack


def kept_by_clients(algorithm: Algorithm, theta0: Array) -> tuple[str, ...]:
    """Entries of the state of the shape (..., run, M, d), for a start (..., run, d)."""
    state = algorithm.init(theta0)
    return tuple(name for name, value in state.items() if is_vector(value) and value.ndim == theta0.ndim + 1)


def parts(name: str, n_clients: int) -> list[str]:
    """Names of the vectors that an entry of the clients consists of."""
    return [f"{name}[{client}]" for client in range(n_clients)]


def unfolded(algorithm: Algorithm, names: Sequence[str], n_clients: int) -> Algorithm:
    """`algorithm` on states whose entries `names` (..., run, M, d) are M vectors (..., run, d) each."""
    if not names:
        return algorithm

    def folded(state: State) -> State:
        of_clients = {name: stack([state[p] for p in parts(name, n_clients)], -2) for name in names}
        single = {p for name in names for p in parts(name, n_clients)}
        return {**{name: value for name, value in state.items() if name not in single}, **of_clients}

    def split(state: State) -> State:
        each = {p: state[name][..., m, :] for name in names for m, p in enumerate(parts(name, n_clients))}
        return {**{name: value for name, value in state.items() if name not in names}, **each}

    def reads(function: Any) -> Any:
        return function and (lambda state, *rest: function(folded(state), *rest))

    def changes(function: Any) -> Any:
        return function and (lambda state, *rest: split(function(folded(state), *rest)))

    def in_world(function: Any) -> Any:
        return function and (lambda world, state, *rest: function(world, folded(state), *rest))

    end_task = in_world(algorithm.end_task)
    return replace(
        algorithm,
        init=lambda theta0: split(algorithm.init(theta0)),
        local_step=reads(algorithm.local_step),
        aggregate=changes(algorithm.aggregate),
        begin_task=changes(algorithm.begin_task),
        begin_round=reads(algorithm.begin_round),
        prepare=changes(algorithm.prepare),
        objective=in_world(algorithm.objective),
        end_task=end_task and (lambda *of: split(end_task(*of))),
        served=reads(algorithm.served),
    )
