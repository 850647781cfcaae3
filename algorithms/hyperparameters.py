"""Hyper-parameters: admissible values, and broadcasting of batches of values against batches of vectors."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any

import numpy as np

from nqm.fields import Array


def against(value: Array, n_axes: int) -> Array:
    """Hyper-parameter with `n_axes` axes of length 1 appended, so that it multiplies batched vectors.

    Parameters
    ----------
    value : number or array
        An array broadcasts against the axes (sweep..., world..., run). A number is returned as it is.
    n_axes : int
        Axes that follow `run` in the other factor: 1 for a model (..., d), 2 for local models (..., n, d).
    """
    if getattr(value, "ndim", 0) == 0:
        return value
    return value[(..., *(None,) * n_axes)]


def step_size(name: str, value: Array) -> Array:
    """`value`, if it is a step size: finite and > 0, every entry of it."""
    return _admissible(name, value, "finite and > 0, because it is a step size", lambda entry: entry > 0)


def strength(name: str, value: Array) -> Array:
    """`value`, if it is the coefficient of a penalty: finite and >= 0, every entry of it."""
    rule = "finite and >= 0, because it is the coefficient of a penalty"
    return _admissible(name, value, rule, lambda entry: entry >= 0)


def fraction(name: str, value: Array) -> Array:
    """`value`, if every entry of it is a share in [0, 1), such as a momentum."""
    rule = "in [0, 1), because it is a share of the past"
    _admissible(name, value, rule, lambda entry: entry >= 0)
    return _admissible(name, value, rule, lambda entry: entry < 1)


def share(name: str, value: Array) -> Array:
    """`value`, if it is a share: strictly between 0 and 1, every entry of it."""
    rule = "strictly between 0 and 1, because it is a share"
    return _admissible(name, value, rule, lambda entry: (entry > 0) & (entry < 1))


def below_one(name: str, value: Array, why: str) -> Array:
    """`value`, if every entry of it is < 1."""
    return _admissible(name, value, f"finite and < 1, because {why}", lambda entry: entry < 1)


def _admissible(name: str, value: Array, rule: str, holds: Callable[[Any], Any]) -> Array:
    entries = np.asarray(value.detach().cpu() if hasattr(value, "detach") else value)
    if entries.dtype == object:
        # Whether a symbol without a known sign is admissible is undecided; NumPy would fail when it asks for its truth
        # value.
        bad = [entry for entry in entries.flat if holds(entry) in (False, None)]
    else:
        bad = list(entries[~(np.isfinite(entries) & holds(entries))].flat)
    if bad:
        raise ValueError(f"`{name}` must be {rule}, got {bad[0]!s}.")
    return value


def count(name: str, value: int, *, at_least: int) -> int:
    """`value`, if it is an integer >= `at_least`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < at_least:
        raise ValueError(f"`{name}` must be an integer >= {at_least}, got {value!r}.")
    return int(value)
