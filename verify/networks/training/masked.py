"""Rounds of one form, for devices: all slots make all steps, and what a slot holds stays as it is once it rests.

On a processor slots that rest are left out (`algorithms.simulate.worked`), which depends on what was drawn. A device works on all of
them at about the same cost, and need not be told by the host who rests: so a round waits for nobody, and one recording serves all rounds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from algorithms.algorithm import Algorithm, State
from algorithms.simulate import prepared
from verify.networks.training.resolved import on_device, read, resolved


def masked_round(
    world: Any, algorithm: Algorithm, state: State, task: int, participants: Any, noise: Any
) -> State:
    """State after one round, as `algorithms.simulate.play_round` has it."""
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
    """An entry of what clients hold after a step: where a slot rests, vectors (..., n, -) and counts stay as they were."""
    if isinstance(after, Tensor) and after.ndim > 1 and isinstance(before, Tensor):
        return after if after is before else torch.where(moves, after, before)
    if isinstance(after, int | np.ndarray) and not isinstance(after, bool):
        return np.where(read(drawn) >= 0, after, before)  # which no recording does
    return after
