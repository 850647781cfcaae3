"""Rounds on devices with shapes that do not depend on the draws: all slots make all steps, inactive ones keep their values.

On a CPU, inactive slots are left out (`algorithms.simulate.worked`), so that shapes depend on the draws. A device works on all
slots at about the same cost. It needs no decision of the host in a round, so that one recorded graph serves all rounds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from algorithms.algorithm import Algorithm, State
from algorithms.simulate import prepared
from verify.networks.training.resolved import Unread, on_device, read, resolved


def masked_round(
    world: Any, algorithm: Algorithm, state: State, task: int, participants: Any, noise: Any
) -> State:
    """State after one round, equal to that of `algorithms.simulate.play_round`."""
    participants, noise = (resolved(state["theta"], drawn) for drawn in (participants, noise))
    state = prepared(world, algorithm, state, task)
    oracle = algorithm.objective(world, state, task, participants)
    local = dict(algorithm.begin_round(state, participants, oracle))
    moves = on_device(noise, world.device)[..., :1] >= 0  # (run, n, E, 1)
    for step in range(noise.shape[-2]):
        moved = algorithm.local_step(state, local, algorithm.query(oracle, local["x"], noise[..., step, :]))
        local = {
            name: _kept(local.get(name), value, moves[..., step, :], noise[..., step, :1])
            for name, value in moved.items()
        }
    return algorithm.aggregate(state, local, participants)


def _kept(before: Any, after: Any, moves: Tensor, drawn: np.ndarray) -> Any:
    """Entry of the clients' local state after a step; for inactive slots, vectors (..., n, -) and counts keep their old value."""
    if isinstance(after, Tensor) and after.ndim > 1 and isinstance(before, Tensor):
        return after if after is before else torch.where(moves, after, before)
    if isinstance(after, int | np.ndarray) and not isinstance(after, bool):
        if isinstance(drawn, Unread):  # in a graph counts are on the device
            return torch.where(moves, after, before)
        return np.where(read(drawn) >= 0, after, before)
    return after
