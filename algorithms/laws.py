"""Laws of the standardised noise: mean 0, covariance I/d, and so squared norm 1 in expectation.

Each takes its random numbers run by run, so the first runs do not depend on the number of runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

Sampler = Callable[[np.random.Generator, int, int], np.ndarray]
"""(stream, n_runs, dim) -> (n_runs, dim) array."""


def _gaussian(stream: np.random.Generator, n_runs: int, dim: int) -> np.ndarray:
    return stream.standard_normal((n_runs, dim)) / math.sqrt(dim)


def _rademacher(stream: np.random.Generator, n_runs: int, dim: int) -> np.ndarray:
    # Whole bytes per run, so that a run's signs do not depend on how many runs there are.
    n_bytes = -(-dim // 8)
    packed = np.frombuffer(stream.bytes(n_runs * n_bytes), dtype=np.uint8).reshape(n_runs, n_bytes)
    return (2.0 * np.unpackbits(packed, axis=-1, count=dim) - 1) / math.sqrt(dim)


def _sphere(stream: np.random.Generator, n_runs: int, dim: int) -> np.ndarray:
    normal = stream.standard_normal((n_runs, dim))
    return np.asarray(normal / np.linalg.norm(normal, axis=-1, keepdims=True))


def _axis(stream: np.random.Generator, n_runs: int, dim: int) -> np.ndarray:
    # integers() would take a varying number of bits
    which = np.floor(stream.random(n_runs) * 2 * dim).astype(int)
    return np.concatenate([np.eye(dim), -np.eye(dim)]).take(which, axis=0)


SAMPLERS: dict[str, Sampler] = {
    "gaussian": _gaussian,
    "rademacher": _rademacher,
    "sphere": _sphere,
    "axis": _axis,
}


def sampler(law: str) -> Sampler:
    """Sampler of the law with this name, or ValueError."""
    if law not in SAMPLERS:
        raise ValueError(f"`law` must be one of {sorted(SAMPLERS)} or None, got {law!r}.")
    return SAMPLERS[law]
