"""Whole numbers that are drawn on the host and used on the device, where they are brought once for a round."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor


class Resolved(np.ndarray):
    """An array of whole numbers that is on the device as well, as `there`; so are its slices, and nothing else made of it.

    The host decides by it which clients work, and the device takes samples by it without waiting for a copy at every step.
    """

    there: Tensor | None
    part_of: tuple[Resolved, Any] | None
    """What was drawn for the whole round, and which part of it this is."""

    def __array_finalize__(self, origin: Any) -> None:
        self.there = self.part_of = None

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        if self.there is not None and isinstance(found, Resolved):
            found.there, found.part_of = self.there[key], (self, key)
        return found


class Refused(Exception):
    """The host is asked for numbers that are the device's alone."""


class Unread(Resolved):
    """Whole numbers of which the host knows how many there are, and nothing else."""

    @classmethod
    def of(cls, drawn: Resolved, there: Tensor) -> Unread:
        """What stands for `drawn`, with its numbers in `there`."""
        found: Unread = np.broadcast_to(np.zeros((), drawn.dtype), drawn.shape).view(cls)
        found.there = there
        return found

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        raise Refused(f"numpy.{ufunc.__name__} of what is drawn needs the host")

    def __array_function__(self, function: Any, *rest: Any) -> Any:
        raise Refused(f"numpy.{function.__name__} of what is drawn needs the host")


def read(numbers: np.ndarray) -> np.ndarray:
    """The host's own numbers.

    Raises
    ------
    Refused
        If they are not to be read.
    """
    if isinstance(numbers, Unread):
        raise Refused("who takes part is asked of the host")
    return np.asarray(numbers)


def resolved(reference: Tensor, drawn: np.ndarray) -> np.ndarray:
    """`drawn` with a copy where `reference` is, unless it has one; the host does not wait until it is there."""
    if getattr(drawn, "there", None) is not None:
        return drawn
    found = np.asarray(drawn).view(Resolved)
    found.there = torch.as_tensor(drawn).to(reference.device, non_blocking=True)
    return found


def brought(there: Tensor) -> Resolved:
    """What was drawn on the device with a copy on the host, which waits for it."""
    found = there.cpu().numpy().view(Resolved)
    found.there = there
    return found


def on_device(numbers: np.ndarray, device: str) -> Tensor:
    """Whole numbers on the device: the copy that is there, or a new one."""
    there = getattr(numbers, "there", None)
    return torch.as_tensor(np.asarray(numbers)).to(device, non_blocking=True) if there is None else there
