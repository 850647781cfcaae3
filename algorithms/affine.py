"""Affine maps, read off from the values of a function at a basis.

A function that acts on each run by itself is called once, with a run for the origin and one for every unit
vector. Its value at a further, random point then shows whether it is affine at all.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from algorithms.algorithm import State, is_vector
from nqm.fields import Array, concatenate, is_exact, is_tensor, like


class NotAffine(ValueError):
    """The function is not affine, so it has no exact moments."""


@dataclass(frozen=True)
class AffineMap:
    """A map from vectors to the vectors `names`, in this order.

    Attributes
    ----------
    names : tuple of str
        Names of the results.
    matrix : (..., p, D) array
        Linear part.
    offset : (..., p) array
        Constant part.
    """

    names: tuple[str, ...]
    matrix: Array
    offset: Array


def affine_map(function: Callable[[State], State], vectors: State) -> AffineMap:
    """The affine map that equals `function`.

    Parameters
    ----------
    function : State -> State
        Must act on each run separately. Entries of its result that are not vectors are ignored.
    vectors : State
        The variables, in order; of their values (..., d) only the kind of array and d are used.

    Raises
    ------
    NotAffine
        If the map does not predict the result at another point.
    """
    reference = next(iter(vectors.values()))
    at_basis = function(basis(reference, tuple(vectors)))
    names = vector_entries(at_basis)
    offset, matrix = read_off(one_vector(at_basis, names))
    point = random_point(np.random.default_rng(0), reference, tuple(vectors))
    predicted = matrix @ one_vector(point, tuple(vectors))[0] + offset
    if not agree(one_vector(function(point), names)[..., 0, :], predicted):
        raise NotAffine(
            "This function of the state is not affine: its values at a basis do not predict another one. "
            "Exact moments need affine maps, and gradients that are affine (quadratic or linear losses)."
        )
    return AffineMap(names, matrix, offset)


def vector_entries(state: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of the entries that are vectors; other entries, such as the number of the task, are not variables."""
    return tuple(name for name, value in state.items() if is_vector(value))


def one_vector(vectors: Mapping[Any, Array], names: Sequence[Hashable]) -> Array:
    """Vectors one after another along the last axis."""
    return concatenate([vectors[name] for name in names], axis=-1)


def basis(reference: Array, names: Sequence[Hashable], n_extra: int = 0) -> dict[Any, Array]:
    """Points that probe a function of several vectors: the origin, every unit vector, and extra origins.

    Parameters
    ----------
    reference : (..., d) array
        Gives the kind of array, and d.
    names : sequence
        The vectors.
    n_extra : int
        Number of origins after the unit vectors.

    Returns
    -------
    dict of (1 + len(names)*d + n_extra, d) arrays
    """
    dim = reference.shape[-1]
    points = np.eye(1 + len(names) * dim + n_extra, len(names) * dim, k=-1, dtype=int)
    return {name: like(reference, points[:, i * dim : (i + 1) * dim]) for i, name in enumerate(names)}


def read_off(values: Array) -> tuple[Array, Array]:
    """Offset (..., p) and matrix (..., p, D) of a map, from its values (..., 1 + D, p) at a basis."""
    return values[..., 0, :], (values[..., 1:, :] - values[..., :1, :]).swapaxes(-1, -2)


def random_point(rng: np.random.Generator, reference: Array, names: Sequence[Hashable]) -> dict[Any, Array]:
    """Vectors (1, d) of small integers, which every kind of array holds exactly."""
    shape = (1, reference.shape[-1])
    return {name: like(reference, rng.integers(-3, 4, shape)) for name in names}


def agree(a: Array, b: Array) -> bool:
    """Whether two arrays are equal: exactly, or for floats up to the rounding of a few dozen operations."""
    difference = a - b
    if is_exact(difference):
        return all(_may_vanish(entry) for entry in difference.flat)
    if is_tensor(difference):
        difference, a = difference.detach().cpu().numpy(), a.detach().cpu().numpy()
    tolerance = np.sqrt(np.finfo(difference.dtype).eps) / 10
    return bool((np.abs(difference) <= tolerance * (1 + np.abs(a).max())).all())  # NaN disagrees


def _may_vanish(entry: Any) -> bool:
    if hasattr(entry, "ctx"):  # an interval
        return 0 in entry
    return bool(entry == 0) or (hasattr(entry, "simplify") and bool(entry.simplify() == 0))
