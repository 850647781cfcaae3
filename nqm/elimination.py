"""Semidefinite matrices in exact and interval arithmetic, where factorisations by floats do not exist."""

from __future__ import annotations

from typing import Any

import numpy as np

from nqm.fields import Array, kind, zeros_like


def is_semidefinite(matrix: np.ndarray) -> bool:
    """Whether a symmetric (d, d) matrix of Fractions is positive semidefinite, by elimination.

    For intervals: whether this could be proved. A proof needs pivots that are certainly positive or exactly 0.
    """
    rest = np.array(matrix, dtype=object)
    while len(rest):
        pivot, row, rest = rest[0, 0], rest[0, 1:], rest[1:, 1:]
        if pivot > 0:
            rest = rest - np.multiply.outer(row, row) / pivot
        elif not (pivot == 0 and all(entry == 0 for entry in row)):
            return False
    return True


def solve_semidefinite(matrix: Array, right: Array) -> Array:
    """A solution of H x = b for positive semidefinite H whose range contains b.

    Parameters
    ----------
    matrix : (..., d, d) array
    right : (..., d) array

    Returns
    -------
    (..., d) array
        Any solution, if there are several.

    Raises
    ------
    ArithmeticError
        For intervals, if a pivot may be 0 and may be positive.
    """
    if kind(matrix) in ("torch", "float"):
        return _solve_floats(matrix, right)
    solution = np.array(zeros_like(right), dtype=object)
    for index in np.ndindex(matrix.shape[:-2]):
        solution[index] = _solve_one(matrix[index], right[index])
    return solution


def _solve_floats(matrix: Array, right: Array) -> Array:
    algebra = linear_algebra(matrix)
    values = algebra.eigvalsh(matrix.detach() if hasattr(matrix, "detach") else matrix)
    rounding = 1e-13 if matrix.dtype.itemsize == 8 else 1e-5
    if bool((values[..., 0] > matrix.shape[-1] * rounding * values[..., -1]).all()):
        return algebra.solve(matrix, right[..., None])[..., 0]
    inverse = algebra.pinv(matrix, rtol=matrix.shape[-1] * rounding, hermitian=True)
    return (inverse @ right[..., None])[..., 0]


def _solve_one(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Elimination on the diagonal; a zero pivot of a semidefinite matrix has a zero row: any value fits."""
    matrix, right = np.array(matrix, dtype=object), np.array(right, dtype=object)
    dim = len(right)
    for k in range(dim):
        if not (matrix[k, k] > 0 or matrix[k, k] == 0):
            raise ArithmeticError(f"The pivot {matrix[k, k]} is neither certainly positive nor 0.")
        if matrix[k, k] == 0:
            continue
        for j in range(k + 1, dim):
            factor = matrix[j, k] / matrix[k, k]
            matrix[j, k:] = _factored(matrix[j, k:] - factor * matrix[k, k:])
            right[j] = right[j] - factor * right[k]
    solution = np.array(zeros_like(right), dtype=object)
    for k in reversed(range(dim)):
        if matrix[k, k] > 0:
            known = (matrix[k, k + 1 :] * solution[k + 1 :]).sum()
            solution[k : k + 1] = _factored((right[k : k + 1] - known) / matrix[k, k])
    return solution


def _factored(entries: np.ndarray) -> np.ndarray:
    """Formulas in factored form, which shows their signs; numbers unchanged."""
    if kind(entries) != "symbolic":
        return entries
    import sympy

    found: np.ndarray = np.vectorize(sympy.factor, otypes=[object])(entries)
    return found


def linear_algebra(x: Array) -> Any:
    """`torch.linalg` for tensors, `numpy.linalg` for float arrays."""
    if kind(x) == "torch":
        import torch

        return torch.linalg
    return np.linalg
