"""The few array operations that torch tensors and NumPy arrays of any kind do not spell alike.

Algorithms run on torch tensors, NumPy floats, and NumPy object arrays of Fractions, intervals or SymPy
expressions. Arithmetic, indexing and ``sum`` serve all of them; joining and broadcasting are here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Array = Any
"""A torch tensor, a NumPy array of floats, or a NumPy object array of exact numbers."""

IntArray = np.ndarray
"""NumPy array of integers: client indices."""


def is_tensor(array: Array) -> bool:
    """Whether `array` is a torch tensor (decided without importing torch, which takes seconds)."""
    return hasattr(array, "new_tensor")


def is_exact(array: Array) -> bool:
    """Whether `array` holds Python objects (Fractions, intervals, expressions) instead of floats."""
    return not is_tensor(array) and np.asarray(array).dtype == object


def like(reference: Array, values: np.ndarray) -> Array:
    """`values` as an array that mixes with `reference`; shares memory where it can.

    Raises
    ------
    TypeError
        If `reference` is exact and `values` are floats: the result would look exact without being so.
    """
    if is_tensor(reference):
        import torch

        source = values if is_tensor(values) else np.asarray(values)
        if source.dtype == object:
            source = source.astype(float)
        # An accelerator need not finish its work before it takes the values.
        return torch.as_tensor(source, dtype=reference.dtype).to(reference.device, non_blocking=True)
    if not is_exact(reference):
        return np.asarray(values).astype(np.asarray(reference).dtype, copy=False)
    if not is_exact(values) and np.asarray(values).dtype.kind not in "iu":
        raise TypeError(
            "The start or the world is exact (an object array), but the draws are floats. Give draws in the "
            "same arithmetic: Fractions as `atoms` of `enumerate_draws` or as `noise` of `fixed`."
        )
    # Adding the reference's zero turns integers into its numbers: 1/3 of a Fraction is exact, of an int it
    # is not.
    return np.asarray(values).astype(object, copy=False) + 0 * np.asarray(reference).flat[0]


def broadcast(array: Array, shape: Sequence[int]) -> Array:
    """Read-only view of `array` in a larger shape."""
    if is_tensor(array):
        return array.expand(tuple(shape))
    return np.broadcast_to(array, tuple(shape))


def take_along(array: Array, index: IntArray, axis: int) -> Array:
    """Entries of `array` at the places `index` along an axis; the other axes have the same lengths."""
    if not is_tensor(array):
        return np.take_along_axis(array, index, axis=axis)
    import torch

    return array.take_along_dim(torch.as_tensor(index, device=array.device), axis)


def moved_against(x: Array, rate: Array, direction: Array) -> Array:
    """``x - rate * direction``; of tensors and a plain rate in one pass over memory."""
    if is_tensor(x) and is_tensor(direction) and isinstance(rate, int | float):
        return x.sub(direction, alpha=rate)
    return x - rate * direction


def where(condition: Array, a: Array, b: Array) -> Array:
    """`a` where a comparison holds, else `b`, elementwise after broadcasting.

    Raises
    ------
    ArithmeticError
        If a comparison of intervals is undecided: either branch could be the right one.
    """
    if is_tensor(condition):
        import torch

        return torch.where(condition, a, b)
    answers = np.asarray(condition)
    if answers.dtype == object:
        if any(answer is None for answer in answers.flat):
            raise ArithmeticError(
                "A comparison of intervals is undecided, so that it is unknown which way the run goes: compute with "
                "Fractions."
            )
        answers = answers.astype(bool)
    return np.where(answers, a, b)


def exp(array: Array) -> Array:
    """Exponential, elementwise; of intervals an enclosure.

    Raises
    ------
    TypeError
        Of Fractions other than 0: it is irrational.
    """
    if is_tensor(array):
        return array.exp()
    return np.frompyfunc(_exp, 1, 1)(array) if is_exact(array) else np.exp(array)


def _exp(number: Any) -> Any:
    if hasattr(number, "ctx"):  # an interval
        return number.ctx.exp(number)
    if hasattr(number, "free_symbols"):
        import sympy

        return sympy.exp(number)
    if number != 0:
        raise TypeError(
            f"exp({number}) is irrational: compute with floats or intervals instead of Fractions."
        )
    return number + 1


def stack(arrays: Sequence[Array], axis: int) -> Array:
    """Join arrays along a new axis (negative, counted from the end) after broadcasting them to one shape."""
    shape = np.broadcast_shapes(*(tuple(array.shape) for array in arrays))
    return _library(arrays[0]).stack([broadcast(array, shape) for array in arrays], axis)


def concatenate(arrays: Sequence[Array], axis: int) -> Array:
    """Join arrays along an axis (negative) after broadcasting all other axes to their common length."""
    if len(arrays) == 1:
        return arrays[0]
    others = np.broadcast_shapes(*(_with_length(array.shape, axis, 1) for array in arrays))
    parts = [broadcast(array, _with_length(others, axis, array.shape[axis])) for array in arrays]
    return _library(arrays[0]).concatenate(parts, axis)


def _with_length(shape: Sequence[int], axis: int, length: int) -> tuple[int, ...]:
    return tuple(length if i == axis + len(shape) else n for i, n in enumerate(shape))


def _library(array: Array) -> Any:
    if not is_tensor(array):
        return np
    import torch

    return torch
