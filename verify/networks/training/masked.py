"""Rounds on devices with shapes that do not depend on the draws: all slots make all steps, inactive ones keep their values.

On a CPU, inactive slots are left out (`algorithms.simulate.states_after_local_work`), so that shapes depend on the draws. A device works on all
slots at about the same cost. It needs no decision of the host in a round, so that one recorded graph serves all rounds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from algorithms.algorithm import Algorithm, Local, State
from algorithms.simulate import play_round, state_before_local_work
from nqm.fields import IntArray
from nqm.selection import check_kept
from verify.networks.training.resolved import Resolved, on_device, resolved


def masked_round(
    world: Any, algorithm: Algorithm, state: State, task: int, participants: Any, noise: Any
) -> State:
    """State after one round, equal to that of `algorithms.simulate.play_round`."""
    participants, noise = (resolved(state["theta"], drawn) for drawn in (participants, noise))
    state = state_before_local_work(world, algorithm, with_memory_rows(world, state), task)
    oracle = algorithm.objective(world, state, task, participants)
    local = dict(algorithm.begin_round(state, participants, oracle))
    moves = on_device(noise, world.device)[..., :1] >= 0  # (run, n, E, 1)
    for step in range(noise.shape[-2]):
        moved = algorithm.local_step(state, local, algorithm.query(oracle, local["x"], noise[..., step, :]))
        local = {
            name: _unless_inactive(local.get(name), value, moves[..., step, :])
            for name, value in moved.items()
        }
    return algorithm.aggregate(state, local, participants)


def compact_round(
    world: Any, algorithm: Algorithm, state: State, task: int, participants: Any, noise: Any
) -> State:
    """State after one round of `algorithms.simulate.play_round`, which leaves out inactive slots.

    Counts in the clients' local state reach `aggregate` in the shape (run, n, 1), also if all clients make the same number of
    steps, so that a method which divides by them sees one shape only.
    """

    def aggregate(state: State, local: Local, clients: IntArray) -> State:
        return algorithm.aggregate(state, _with_counts_of_slots(local, participants.shape), clients)

    return play_round(world, replace(algorithm, aggregate=aggregate), state, task, participants, noise)


def _with_counts_of_slots(local: Local, shape: tuple[int, ...]) -> Mapping[str, Any]:
    return {
        name: np.full((*shape, 1), value) if isinstance(value, int) and not isinstance(value, bool) else value
        for name, value in local.items()
    }


def with_memory_rows(world: Any, state: State) -> State:
    """`state` whose memories have the rows of their samples on the device, `there`, from which oracles are made without the host."""
    kept = state.get("kept")
    if kept is None or getattr(kept, "there", None) is not None:
        return state
    found = np.asarray(kept).view(Resolved)
    found.there = world.indices(world.rows_of(check_kept(kept, world.n_tasks * world.n_samples)))
    return {**state, "kept": found}


def _unless_inactive(before: Any, after: Any, moves: Tensor) -> Any:
    """Entry of the clients' local state after a step; for inactive slots, vectors (..., n, -) and counts keep their old value."""
    if isinstance(after, Tensor) and after.ndim > 1 and isinstance(before, Tensor):
        return after if after is before else torch.where(moves, after, before)
    if isinstance(after, int) and not isinstance(after, bool):
        return torch.where(moves, after, before)
    return after
