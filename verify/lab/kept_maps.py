"""Cache of the affine maps of rounds, because probing a method takes as long as twenty rounds of exact moments.

A map is reused only for the same world and method (the same objects) with unchanged arrays, and for equal values of all
entries of the state that a round does not change. Tensors are probed every time, because callers may need derivatives.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from numbers import Number
from typing import Any
from weakref import ref

import numpy as np

from algorithms.algorithm import Algorithm, State
from algorithms.probes import AffineRound, affine_round
from nqm.fields import Array

MOST = 16
"""Largest number of cached maps; the oldest one is dropped."""


@dataclass(frozen=True)
class _Kept:
    """A cached map with everything that it depends on: references to world and method, sizes, and copies of arrays."""

    world: ref[Any]
    algorithm: ref[Algorithm]
    sizes: tuple[Any, ...]
    parameters: tuple[np.ndarray, ...]
    shapes: Mapping[str, tuple[int, ...]]
    fixed: Mapping[str, Any]
    found: tuple[AffineRound, Array]

    def serves(
        self,
        world: Any,
        algorithm: Algorithm,
        sizes: tuple[Any, ...],
        parameters: tuple[np.ndarray, ...],
        state: State,
    ) -> bool:
        return (
            self.world() is world
            and self.algorithm() is algorithm
            and self.sizes == sizes
            and self.shapes == _shapes(state)
            and all(_same(value, state[name]) for name, value in self.fixed.items())
            and len(parameters) == len(self.parameters)
            and all(map(_same, self.parameters, parameters))
        )


_KEPT: deque[_Kept] = deque(maxlen=MOST)


def kept_round(
    world: Any,
    algorithm: Algorithm,
    unfolded: Algorithm,
    state: State,
    task: int,
    n_sampled: int,
    local_steps: int,
    uncertain: tuple[str, ...] = (),
    of_single_clients: tuple[str, ...] = (),
) -> tuple[AffineRound, Array]:
    """The affine map of a round, from the cache or by `algorithms.probes.affine_round`, with the covariance of its noise.

    `unfolded` is the method that is probed; it was derived from `algorithm`. The covariance (..., p, p) is the mean over
    clients.

    Raises
    ------
    NotAffine
        If the map does not reproduce a round, so that the method is not affine.
    """
    sizes = (task, n_sampled, local_steps, uncertain, of_single_clients)
    probe = (world, unfolded, state, task, n_sampled, local_steps, uncertain, of_single_clients)
    parameters = _arrays(world)
    if not all(isinstance(one, np.ndarray) for one in (*parameters, state["theta"])):
        return _with_noise(affine_round(*probe))
    for one in _KEPT:
        if one.serves(world, algorithm, sizes, parameters, state):
            return one.found
    found = _with_noise(affine_round(*probe))
    varied = {*found[0].moving, *found[0].kept}
    fixed = {name: _copied(value) for name, value in state.items() if name not in varied}
    copies = tuple(one.copy() for one in parameters)
    _KEPT.append(_Kept(ref(world), ref(algorithm), sizes, copies, _shapes(state), fixed, found))
    return found


def _with_noise(found: AffineRound) -> tuple[AffineRound, Array]:
    """A map and the covariance of its noise; the noise u of a local step has covariance I/d, independently of other steps."""
    *batch, n_clients, steps, p, dim = found.response.shape
    flat = found.response.swapaxes(-4, -2).reshape(*batch, p, steps * n_clients * dim)
    return found, flat @ flat.swapaxes(-1, -2) / (n_clients * dim)


def _arrays(one: Any) -> tuple[Any, ...]:
    """All arrays in the fields of a world and, recursively, of its parts."""
    if not is_dataclass(one):
        return (one,) if hasattr(one, "shape") else ()
    return tuple(array for field in fields(one) for array in _arrays(getattr(one, field.name)))


def _shapes(state: State) -> dict[str, tuple[int, ...]]:
    return {name: tuple(np.shape(value)) for name, value in state.items()}


def _copied(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) else value


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one is other or (one.dtype == other.dtype and np.array_equal(one, other))
    return one is other or (isinstance(one, Number) and type(one) is type(other) and one == other)
