"""Integers that are drawn on the host and used on the device, to which they are copied once per round."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.lib.mixins import NDArrayOperatorsMixin
from torch import Tensor


class Resolved(np.ndarray):
    """Integer array with a copy `there` on the device; slices have one too, other arrays derived from it have none.

    The host uses it to decide which clients work, and the device to select samples, without a copy in every step.
    """

    there: Tensor | None
    part_of: tuple[Resolved, Any] | None
    """The array drawn for the whole round, and the index of this part in it."""

    def __array_finalize__(self, origin: Any) -> None:
        self.there = self.part_of = None

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        if self.there is not None and isinstance(found, Resolved):
            found.there, found.part_of = self.there[key], (self, key)
        return found


class Refused(Exception):
    """The host tried to read numbers that exist only on the device."""


class Unread(NDArrayOperatorsMixin):
    """Integers of which the host knows the shape only; whatever reads them on the host is refused."""

    def __init__(
        self, shape: tuple[int, ...], there: Tensor, part_of: tuple[Unread, Any] | None = None
    ) -> None:
        self.shape, self.ndim, self.there, self.part_of = shape, len(shape), there, part_of

    def __getitem__(self, key: Any) -> Unread:
        shape = np.broadcast_to(0, self.shape)[key].shape
        return Unread(shape, self.there[key], (self, key))

    def __len__(self) -> int:
        return self.shape[0]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # NumPy and PyTorch look for protocols
            raise AttributeError(name)
        raise Refused(f"`{name}` of what is drawn needs the host")

    def __array__(self, *rest: Any, **kwargs: Any) -> Any:
        raise Refused("what is drawn is asked of the host")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        raise Refused(f"numpy.{ufunc.__name__} of what is drawn needs the host")

    def __array_function__(self, function: Any, *rest: Any) -> Any:
        raise Refused(f"numpy.{function.__name__} of what is drawn needs the host")


def host_values(numbers: Any) -> np.ndarray:
    """The values of `numbers` on the host.

    Raises
    ------
    Refused
        If they are not to be read (`Unread`).
    """
    return np.asarray(numbers)


def resolved(reference: Tensor, drawn: Any) -> Any:
    """`drawn` with a copy on the device of `reference`, unless it has a copy already; the copy is asynchronous."""
    if getattr(drawn, "there", None) is not None:
        return drawn
    found = np.asarray(drawn).view(Resolved)
    found.there = copied_to(torch.as_tensor(drawn), reference.device)
    return found


def copied_to(numbers: Tensor, device: torch.device | str) -> Tensor:
    """The numbers on the device; to CUDA from pinned memory, as the host waits for copies of other memory."""
    pinned = numbers.pin_memory() if torch.device(device).type == "cuda" else numbers
    return pinned.to(device, non_blocking=True)


def with_host_copy(there: Tensor) -> Resolved:
    """Numbers drawn on the device, with a copy on the host, which waits for it."""
    found = there.cpu().numpy().view(Resolved)
    found.there = there
    return found


def on_device(numbers: Any, device: str) -> Tensor:
    """The integers on the device: the existing copy, or a new one."""
    there = getattr(numbers, "there", None)
    return copied_to(torch.as_tensor(np.asarray(numbers)), device) if there is None else there
