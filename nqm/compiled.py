"""Loops that Numba compiles, where it is installed (``fcl-theory[fast]``)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from numba import njit


def compiled(function: Callable[..., Any]) -> Any:
    """`function` compiled when it is first called, on disk where there is space; it lets other threads work beside it.

    Products may be fused with sums, and sums be taken in another order, which changes the last digits.
    """
    made: Any = njit(function, nogil=True, fastmath={"nsz", "contract", "reassoc"}, error_model="numpy")
    with suppress(RuntimeError):  # no folder can be written
        made.enable_caching()
    return made
