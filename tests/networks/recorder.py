"""A stand-in for CUDA graphs, on any device."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch.utils._pytree import tree_leaves

from algorithms.algorithm import State


class Recorder:
    """A recorded function is called again with the current contents of its buffers, and writes its results to the first
    ones.
    """

    recordings = replays = 0

    def beside(self, call: Callable[[], State]) -> State:
        """As in `verify.networks.training.captured.Graphs`."""
        return call()

    def recorded(self, call: Callable[[], State]) -> tuple[Callable[[], None], State]:
        """As in `verify.networks.training.captured.Graphs`."""
        self.recordings += 1
        found = call()

        def replay() -> None:
            self.replays += 1
            for place, value in zip(tree_leaves(found), tree_leaves(call()), strict=True):
                if isinstance(place, torch.Tensor) and place is not value:
                    place.copy_(value)

        return replay, found
