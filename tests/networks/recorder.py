"""A stand-in for CUDA graphs, on any device."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch.utils._pytree import tree_leaves

from algorithms.algorithm import State


class Recorder:
    """What was recorded is called again, with what it then finds in its buffers, and leaves its results where the first ones are."""

    recordings = replays = 0

    def beside(self, call: Callable[[], State]) -> State:
        """As `verify.networks.training.captured.Graphs` has it."""
        return call()

    def recorded(self, call: Callable[[], State]) -> tuple[Callable[[], None], State]:
        """As `verify.networks.training.captured.Graphs` has it."""
        self.recordings += 1
        found = call()

        def replay() -> None:
            self.replays += 1
            for place, value in zip(tree_leaves(found), tree_leaves(call()), strict=True):
                if isinstance(place, torch.Tensor) and place is not value:
                    place.copy_(value)

        return replay, found
