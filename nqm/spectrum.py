"""Eigenvalues, and the largest norm of an affine map on a ball, for matrices of floats or of exact numbers.

Floats get the value up to rounding. Exact and interval matrices get a bound that is *proved*: a guess from
floats is verified by elimination in their own arithmetic, and moved outward until it holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from nqm.elimination import is_semidefinite, linear_algebra
from nqm.fields import (
    Array,
    abs_,
    dot,
    expand,
    kind,
    maximum,
    sq,
    sqrt,
    to_float,
    to_interval,
    to_torch,
    upper,
    where,
)

_ROUND = Fraction(2) ** -40
_MARGINS = [Fraction(2) ** exponent for exponent in range(-46, 20, 3)]


def identity_like(x: Array, dim: int) -> Array:
    """(dim, dim) identity that multiplies arrays of the kind of `x`."""
    if kind(x) == "torch":
        import torch

        return torch.eye(dim, dtype=x.dtype, device=x.device)
    return np.eye(dim) if kind(x) == "float" else np.eye(dim, dtype=int).astype(object)


def diagonal_of(matrix: Array) -> Array:
    """(..., d) diagonals of (..., d, d) matrices."""
    index = np.arange(matrix.shape[-1])
    return matrix[..., index, index]


def eigenvalue_range(matrix: Array) -> tuple[Array, Array]:
    """Lowest and highest eigenvalue of symmetric (..., d, d) matrices.

    For exact and interval matrices with d > 1: a proved lower bound of the lowest and upper bound of the
    highest, equal to them for diagonal matrices.

    Raises
    ------
    TypeError
        For symbolic matrices with d > 1.
    """
    if matrix.shape[-1] == 1:
        return matrix[..., 0, 0], matrix[..., 0, 0]
    if kind(matrix) in ("torch", "float"):
        values = linear_algebra(matrix).eigvalsh(matrix)
        return values[..., 0], values[..., -1]
    if kind(matrix) == "symbolic":
        raise TypeError("Eigenvalues of symbolic matrices are not available; use one dimension or Fractions.")
    lowest, highest = (np.empty(matrix.shape[:-2], dtype=object) for _ in range(2))
    for index in np.ndindex(lowest.shape):
        highest[index] = _proved_largest_eigenvalue(matrix[index])
        lowest[index] = -_proved_largest_eigenvalue(-matrix[index])
    return _like(matrix, lowest), _like(matrix, highest)


def _like(matrix: Array, proved: np.ndarray) -> np.ndarray:
    """Bounds are proved as Fractions; in interval arithmetic they are converted to intervals."""
    return to_interval(proved) if kind(matrix) == "interval" else proved


def _proved_largest_eigenvalue(matrix: np.ndarray) -> Fraction:
    diagonal = diagonal_of(matrix)
    if (matrix == np.diag(diagonal)).all():
        largest: Fraction = max(diagonal)
        return largest
    guess = float(np.linalg.eigvalsh(to_float(matrix))[-1])
    scale = float(np.abs(to_float(matrix)).max())
    identity = np.eye(len(matrix), dtype=int).astype(object)
    return next(t for t in _outward(guess, scale) if is_semidefinite(t * identity - matrix))


def _outward(guess: float, scale: float) -> Iterator[Fraction]:
    """Tries a nearby round number, then larger ones, and returns the first that can be proved."""
    near = Fraction(guess).limit_denominator(10**6)
    if abs(near - Fraction(guess)) <= _ROUND * Fraction(scale):
        yield near
    for margin in _MARGINS:
        yield Fraction(guess) + margin * Fraction(scale)
    raise ArithmeticError(f"No bound near {guess} could be proved; are the intervals too wide?")


def require_semidefinite(name: str, matrix: Array) -> None:
    """Raise ValueError unless (..., d, d) matrices are symmetric and positive semidefinite.

    Floats are allowed the rounding errors of an eigenvalue routine. For interval and symbolic matrices only the diagonal is
    checked: the matrices they enclose were checked before, or cannot be checked.
    """
    if kind(matrix) in ("torch", "float"):
        _require_semidefinite_floats(name, to_float(matrix))
    if kind(matrix) != "exact":
        return
    for index in np.ndindex(matrix.shape[:-2]):
        one = matrix[index]
        if (one != one.T).any():
            raise ValueError(f"`{name}` must be symmetric, got {one.tolist()} at index {index}.")
        if not is_semidefinite(one):
            raise ValueError(f"`{name}` must be positive semidefinite, got {one.tolist()} at index {index}.")


def _require_semidefinite_floats(name: str, matrix: np.ndarray) -> None:
    rounding = 100 * matrix.shape[-1] * np.finfo(np.float32 if matrix.dtype == np.float32 else float).eps
    scale = np.abs(matrix).max(axis=(-1, -2), initial=0)
    asymmetry = np.abs(matrix - matrix.swapaxes(-1, -2)).max(axis=(-1, -2), initial=0)
    if (bad := asymmetry > rounding * scale).any():
        index = tuple(np.argwhere(bad)[0])
        raise ValueError(
            f"`{name}` must be symmetric, got a matrix that differs from its transpose by "
            f"{asymmetry[index]:.3g} at index {tuple(map(int, index))}."
        )
    lowest = np.linalg.eigvalsh(matrix)[..., 0]
    if (bad := lowest < -rounding * scale).any():
        index = tuple(np.argwhere(bad)[0])
        raise ValueError(
            f"`{name}` must be positive semidefinite, got the eigenvalue {lowest[index]:.3g} at index "
            f"{tuple(map(int, index))}."
        )


def largest_affine_norm2(linear: Array, constant: Array, radius: Array) -> Array:
    """Largest |A y + v|^2 over |y| <= R.

    Parameters
    ----------
    linear : (..., d, d) array
        A.
    constant : (..., d) array
        v.
    radius : (...) array
        R >= 0.

    Returns
    -------
    (...) array
        The maximum up to rounding and a relative 1e-8; for exact and interval arrays with d > 1 a proved
        upper bound of it.

    Notes
    -----
    By Lagrangian duality, which has no gap for one quadratic constraint (S-lemma), the maximum is
    ``min over nu of nu R^2 + |v|^2 + b'(nu I - A'A)^{-1} b`` with b = A'v and nu above the largest
    eigenvalue of A'A; any such nu gives an upper bound. The minimiser is found without derivatives, and the
    value is then evaluated at it, so that autograd gives the derivative of the maximum (envelope theorem).
    """
    if linear.shape[-1] == 1:
        return (abs_(linear[..., 0, 0]) * radius + abs_(constant[..., 0])) ** 2
    gram = linear.swapaxes(-1, -2) @ linear
    slope = (linear.swapaxes(-1, -2) @ constant[..., None])[..., 0]
    if kind(linear) in ("torch", "float"):
        return _dual_value(gram, slope, sq(constant), radius)
    return _proved_affine_norm2(gram, slope, sq(constant), radius)


def _dual_value(gram: Array, slope: Array, offset: Array, radius: Array) -> Array:
    multiplier = _multiplier(to_float(gram), to_float(slope), to_float(radius))
    degenerate = multiplier == 0  # A = 0 or R = 0: the point y = 0 is as good as any
    multiplier = np.where(degenerate, 1 + 2 * np.abs(to_float(gram)).sum(axis=(-1, -2)), multiplier)
    if kind(gram) == "torch":
        multiplier, degenerate = to_torch(multiplier).to(gram), to_torch(degenerate).bool()
    shifted = expand(multiplier, 2) * identity_like(gram, gram.shape[-1]) - gram
    solved = linear_algebra(gram).solve(shifted, slope[..., None])[..., 0]
    return where(degenerate, offset, multiplier * radius**2 + offset + dot(slope, solved))


def _multiplier(gram: np.ndarray, slope: np.ndarray, radius: np.ndarray) -> np.ndarray:
    """Minimiser nu of the dual function, or 0 where the map is constant on the ball."""
    values, vectors = np.linalg.eigh(gram)
    components = (slope[..., None, :] @ vectors)[..., 0, :] ** 2
    top = np.maximum(values[..., -1], 0)
    constant = (top == 0) | (radius == 0)
    safe_radius = np.where(constant, 1, radius)
    # The dual function falls until nu - top = |b|/R at the latest. The floor keeps the matrix solvable when
    # b has no component along the top eigenvector, and costs a relative 1e-8.
    low = top * (1 + 1e-8) + np.where(constant, 1, 0)
    high = np.maximum(low, top + np.sqrt(components.sum(axis=-1)) / safe_radius)
    for _ in range(60):
        middle = (low + high) / 2
        falling = (components / (middle[..., None] - values) ** 2).sum(axis=-1) > safe_radius**2
        low, high = np.where(falling, middle, low), np.where(falling, high, middle)
    return np.where(constant, 0, high)


def _proved_affine_norm2(gram: Array, slope: Array, offset: Array, radius: Array) -> np.ndarray:
    radius = np.broadcast_to(np.asarray(radius, dtype=object), gram.shape[:-2])
    offset = np.broadcast_to(np.asarray(offset, dtype=object), gram.shape[:-2])
    result = np.empty(gram.shape[:-2], dtype=object)
    for index in np.ndindex(result.shape):
        result[index] = _proved_one(gram[index], slope[index], offset[index], radius[index])
    return _like(gram, result)


def _triangle_bound(gram: np.ndarray, offset: Array, radius: Array) -> Array:
    """(|A| R + |v|)^2 with the Frobenius norm, rounded up."""
    squared = maximum(to_interval(np.stack([diagonal_of(gram).sum(), offset])), 0)
    norms = sqrt(squared)
    return upper((norms[0] * radius + norms[1]) ** 2)


def _proved_one(gram: np.ndarray, slope: np.ndarray, offset: Fraction, radius: Fraction) -> Array:
    if (gram == 0).all() or radius == 0:
        return offset
    floats = to_float(gram), to_float(slope), to_float(offset), to_float(radius)
    nu = float(_multiplier(floats[0], floats[1], floats[3]))
    guess = float(_dual_value(*floats))
    if nu == 0:  # too close to 0 for floats
        return _triangle_bound(gram, offset, radius)

    def proves(bound: Fraction, multiplier: Fraction) -> bool:
        corner = np.array([[bound - multiplier * radius**2 - offset]], dtype=object)
        shifted = multiplier * np.eye(len(gram), dtype=int).astype(object) - gram
        return is_semidefinite(np.block([[shifted, -slope[:, None]], [-slope[None, :], corner]]))

    multiplier = Fraction(nu) * (1 + Fraction(1, 10**9))
    return next(t for t in _outward(guess, abs(guess)) if proves(t, multiplier))
