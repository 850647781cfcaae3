"""Loops that Numba compiles, where it is installed (``fcl-theory[fast]``)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from numba import njit


def compiled(function: Callable[..., Any]) -> Any:
    """`function`, compiled at the first call, cached on disk where a folder can be written. It releases Python's global
    lock.

    Products may be fused with sums, and sums be taken in another order, which changes the last digits.
    """
    made: Any = njit(function, nogil=True, fastmath={"nsz", "contract", "reassoc"}, error_model="numpy")
    with suppress(RuntimeError):  # no folder can be written
        made.enable_caching()
    return made
