"""Arithmetic that works alike on every kind of array; the lowest layer of the toolkit.

One formula serves Monte Carlo and proof: `torch` tensors, NumPy float arrays, and NumPy object arrays of
`fractions.Fraction` (exact), of intervals (rigorous enclosures) or of SymPy expressions (symbolic). Addition,
multiplication, division, ``@``, integer powers, indexing, ``sum`` and ``mean`` already work on all of them;
this module supplies all other operations that a world or an algorithm needs.

Two traps that every caller has to know:

- ``0.5 * Fraction(1, 3)`` is a float. Write ``x / 2``. A float that slips into an exact array is reported by
  `kind`, never accepted.
- NumPy turns a reduction to zero dimensions of an object array into the bare element. All functions here take
  bare elements too; use `expand` where you would have written ``[..., None]``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any

import numpy as np

from nqm.elementary import abs_, cos, exp, extremum, floor, log, logcosh, power, sin, sqrt, tanh
from nqm.kinds import (
    INTERVALS,
    Array,
    IntArray,
    Irrational,
    Overlapping,
    is_exact,
    is_tensor,
    kind,
    lower,
    to_exact,
    to_float,
    to_interval,
    to_symbolic,
    to_torch,
    upper,
)

__all__ = [
    "Array",
    "IntArray",
    "Irrational",
    "Overlapping",
    "abs_",
    "amax",
    "amin",
    "broadcast_to",
    "certainly",
    "chosen",
    "concatenate",
    "cos",
    "decided",
    "dot",
    "exp",
    "expand",
    "floor",
    "is_exact",
    "is_tensor",
    "kind",
    "library",
    "like",
    "log",
    "logcosh",
    "lower",
    "maximum",
    "minimum",
    "norm",
    "power",
    "put",
    "put_along",
    "sin",
    "sq",
    "sqrt",
    "stack",
    "take",
    "take_along",
    "tanh",
    "through_floats",
    "to_exact",
    "to_float",
    "to_interval",
    "to_symbolic",
    "to_torch",
    "upper",
    "where",
    "zeros_like",
]

# ------------------------------------------------------------------------------------------ order and choice


def maximum(a: Array, b: Array) -> Array:
    """Larger of two arrays, elementwise with broadcasting; of intervals the enclosure of the larger one."""
    return _extremum("max", a, b)


def minimum(a: Array, b: Array) -> Array:
    """Smaller of two arrays, elementwise with broadcasting; of intervals the enclosure of the smaller one."""
    return _extremum("min", a, b)


def _extremum(name: str, a: Array, b: Array) -> Array:
    if is_tensor(a) or is_tensor(b):
        import torch

        tensor = a if is_tensor(a) else b
        pair = [torch.as_tensor(x, dtype=tensor.dtype, device=tensor.device) for x in (a, b)]
        return getattr(torch, f"{name}imum")(*pair)
    if {kind(a), kind(b)} == {"float"}:
        return getattr(np, f"{name}imum")(a, b)
    return np.frompyfunc(extremum(name), 2, 1)(a, b)


def amax(x: Array, axis: int | Sequence[int]) -> Array:
    """Largest entry along one axis or several."""
    return _reduced("max", x, axis)


def amin(x: Array, axis: int | Sequence[int]) -> Array:
    """Smallest entry along one axis or several."""
    return _reduced("min", x, axis)


def _reduced(name: str, x: Array, axis: int | Sequence[int]) -> Array:
    axes = tuple(axis) if isinstance(axis, Sequence) else (axis,)
    if kind(x) in ("torch", "float"):
        return getattr(library(x), f"a{name}")(x, axes)
    choose = np.frompyfunc(extremum(name), 2, 1)
    last_first = sorted((a % x.ndim for a in axes), reverse=True)
    return reduce(lambda partial, a: choose.reduce(partial, axis=a), last_first, x)


def certainly(condition: Array) -> Array:
    """Boolean array of a comparison; an undecided comparison of intervals counts as false."""
    return condition if is_tensor(condition) else np.asarray(condition).astype(bool)


def decided(compare: Callable[[Any, Any], Any], a: Array, b: Array) -> Array:
    """Boolean array of a comparison (``operator.gt``, ...) for code that branches on the answer.

    NumPy would treat an undecided comparison of two arrays of intervals as false, so this function compares the entries
    itself.

    Raises
    ------
    Overlapping
        If a comparison of intervals is undecided.
    """
    if is_tensor(a) or is_tensor(b):
        return compare(a, b)
    if not (is_exact(a) or is_exact(b)):
        return np.asarray(compare(a, b))
    return np.asarray(np.frompyfunc(partial(_answer, compare), 2, 1)(a, b)).astype(bool)


def _answers(compare: Callable[[Any, Any], Any], a: Any, b: Any) -> set[bool]:
    """Possible answers of a comparison for the numbers of two intervals, or for two numbers."""
    if not (hasattr(a, "_mpi_") or hasattr(b, "_mpi_")):
        return {bool(compare(a, b))}
    a, b = INTERVALS.convert(a), INTERVALS.convert(b)
    signs = {
        -1: a.a < b.b,
        0: a.a <= b.b and b.a <= a.b,
        1: a.b > b.a,
    }  # of a - b, and whether it may have them
    return {bool(compare(sign, 0)) for sign, possible in signs.items() if possible}


def _answer(compare: Callable[[Any, Any], Any], a: Any, b: Any) -> bool:
    answers = _answers(compare, a, b)
    if len(answers) != 1:
        raise Overlapping(
            "A comparison of intervals is undecided, so that it is unknown which way the run goes: compute with "
            "Fractions."
        )
    return answers.pop()


def where(condition: Array, a: Array, b: Array) -> Array:
    """`a` where the condition (a comparison in the same library) is certainly true, else `b`."""
    if is_tensor(condition) or is_tensor(a) or is_tensor(b):
        import torch

        return torch.where(condition, a, b)
    return np.where(certainly(condition), a, b)


def chosen(compare: Callable[[Any, Any], Any], x: Array, y: Array, a: Array, b: Array) -> Array:
    """`a` where a comparison of `x` with `y` is true, else `b`. If a comparison of intervals is undecided: an interval that
    contains both.
    """
    if kind(x) != "interval":
        return where(compare(x, y), a, b)
    return np.frompyfunc(partial(_chosen, compare), 4, 1)(x, y, a, b)


def _chosen(compare: Callable[[Any, Any], Any], x: Any, y: Any, a: Any, b: Any) -> Any:
    answers = _answers(compare, x, y)
    if len(answers) == 1:
        return a if answers.pop() else b
    a, b = INTERVALS.convert(a), INTERVALS.convert(b)
    return INTERVALS.mpf([min(a.a, b.a), max(a.b, b.b)])


# ------------------------------------------------------------------------------------------------- geometry


def dot(a: Array, b: Array) -> Array:
    """Inner product over the last axis."""
    return (a * b).sum(axis=-1)


def sq(x: Array) -> Array:
    """Squared Euclidean norm over the last axis."""
    return (x**2).sum(axis=-1)  # x**2, not x*x: the square of an interval does not reach below 0


def norm(x: Array) -> Array:
    """Euclidean norm over the last axis; of Fractions only where it is rational, else `Irrational`.

    Of tensors with the subgradient 0 at the origin, where the square root alone would give NaN.
    """
    if is_tensor(x):
        import torch

        return torch.linalg.vector_norm(x, dim=-1)
    return sqrt(sq(x))


# -------------------------------------------------------------------------------- functions of floats alone


def through_floats(function: Callable[..., np.ndarray], *arrays: Array) -> Array:
    """Applies a function of NumPy floats to arrays of one kind and converts the result back. It has no derivative.

    PyTorch treats it as one function, which `torch.overrides` intercepts as a whole.
    """
    if not is_tensor(arrays[0]):
        found = function(*map(to_float, arrays))
        return found if kind(arrays[0]) == "float" else like(arrays[0], to_exact(found))
    from torch.overrides import handle_torch_function, has_torch_function

    if has_torch_function(arrays):
        return handle_torch_function(through_floats, arrays, function, *arrays)
    return like(arrays[0], function(*map(to_float, arrays)))


# -------------------------------------------------------------------------------------------------- shapes


def expand(x: Array, n_axes: int = 1) -> Array:
    """`x` with `n_axes` axes of length 1 appended; accepts bare elements."""
    if not is_tensor(x) and not isinstance(x, np.ndarray):
        x = np.asarray(x, dtype=float if kind(x) == "float" else object)
    return x[(..., *(None,) * n_axes)]


def stack(arrays: Sequence[Array], axis: int) -> Array:
    """Join arrays along a new axis after broadcasting them to one shape."""
    if len(arrays) == 1:
        return arrays[0].unsqueeze(axis) if is_tensor(arrays[0]) else np.expand_dims(arrays[0], axis)
    shape = np.broadcast_shapes(*(tuple(np.shape(array)) for array in arrays))
    return library(arrays[0]).stack([broadcast_to(array, shape) for array in arrays], axis)


def concatenate(arrays: Sequence[Array], axis: int) -> Array:
    """Join arrays along an axis after broadcasting all other axes to their common length."""
    if len(arrays) == 1:
        return arrays[0]
    others = np.broadcast_shapes(*(_with_length(array.shape, axis, 1) for array in arrays))
    parts = [broadcast_to(array, _with_length(others, axis, array.shape[axis])) for array in arrays]
    return library(arrays[0]).concatenate(parts, axis)


def _with_length(shape: Sequence[int], axis: int, length: int) -> tuple[int, ...]:
    return tuple(length if i == axis % len(shape) else n for i, n in enumerate(shape))


def zeros_like(x: Array) -> Array:
    """Zeros of the shape and kind of `x`."""
    if is_tensor(x):
        return library(x).zeros_like(x)
    convert = {"float": to_float, "exact": to_exact, "interval": to_interval, "symbolic": to_symbolic}
    return convert[kind(x)](np.zeros(np.shape(x)))


def like(reference: Array, values: Any) -> Array:
    """Numbers as an array that mixes with `reference`; shares memory where it can.

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
        # The copy does not wait until the accelerator has finished its work.
        return torch.as_tensor(source, dtype=reference.dtype).to(reference.device, non_blocking=True)
    numbers, mold = np.asarray(values), np.asarray(reference)
    if mold.dtype != object:
        own = np.dtype(float) if numbers.dtype == object else numbers.dtype
        dtype = mold.dtype if mold.dtype.kind == "f" else np.result_type(mold.dtype, own)
        return numbers.astype(dtype, copy=False)
    if numbers.dtype != object and numbers.dtype.kind not in "biu":
        raise TypeError(
            "`values` must be whole or exact numbers where they meet exact ones (an object array), but they are floats. "
            "Draws, starts and worlds share one arithmetic: give Fractions as `atoms` or as `noise`."
        )
    # Adding the reference's zero turns integers into its numbers: 1/3 of a Fraction is exact, of an int it
    # is not.
    return numbers.astype(object, copy=False) + (0 * mold.flat[0] if mold.size else 0)


def broadcast_to(x: Array, shape: Sequence[int]) -> Array:
    """A view of `x` with a larger shape; `x` itself if it already has that shape."""
    if tuple(np.shape(x)) == tuple(shape):
        return x
    if is_tensor(x):
        return x.expand(tuple(shape))
    return np.broadcast_to(x, tuple(shape))


def take(x: Array, index: Array, axis: int) -> Array:
    """Entries of `x` along an axis; that axis is replaced by the axes of `index` (integers, any shape)."""
    if not is_tensor(x):
        return np.take(x, np.asarray(index), axis=axis)
    axis, index = axis % x.ndim, _beside(x, index)
    chosen = x.index_select(axis, index.reshape(-1))
    return chosen.reshape(x.shape[:axis] + index.shape + x.shape[axis + 1 :])


def take_along(x: Array, index: IntArray, axis: int) -> Array:
    """Entries of `x` at the places `index` along an axis; the other axes have the same lengths."""
    if not is_tensor(x):
        return np.take_along_axis(x, index, axis=axis)
    return x.take_along_dim(_beside(x, index), axis)


def put_along(x: Array, index: IntArray, values: Array, axis: int) -> Array:
    """`x` with the entries at the places `index` along an axis replaced by `values`; all have the same number of axes."""
    if not is_tensor(x):
        changed = x.astype(np.result_type(x, values))
        np.put_along_axis(changed, index, values, axis=axis)
        return changed
    return x.scatter(axis, _beside(x, index).expand(values.shape), values)


def put(parts: Sequence[Array], places: Sequence[Array], axis: int) -> Array:
    """The array with ``parts[i]`` at ``places[i]`` (integers) along an axis; together the places cover the axis."""
    others = np.broadcast_shapes(*(_with_length(part.shape, axis, 1) for part in parts))
    whole = room(parts[0], _with_length(others, axis, sum(part.shape[axis] for part in parts)))
    for part, at in zip(parts, places, strict=True):
        put_into(whole, part, at, axis)
    return whole


def room(like_: Array, shape: tuple[int, ...]) -> Array:
    """An uninitialised array of the same kind as another one."""
    if is_tensor(like_):
        return like_.new_empty(shape)
    return np.empty(shape, dtype=like_.dtype)


def put_into(whole: Array, part: Array, at: IntArray, axis: int) -> None:
    """Write `part`, which broadcasts, to the places `at` (integers) along an axis of `whole`."""
    own = broadcast_to(part, _with_length(whole.shape, axis, part.shape[axis]))
    if is_tensor(whole):
        whole.index_copy_(axis, _beside(whole, at), own)
    else:
        whole[(slice(None),) * (axis % whole.ndim) + (at,)] = own


def _beside(x: Array, index: Any) -> Any:
    """Integers on the device of the tensor `x`; the host does not wait until they are there."""
    import torch

    return torch.as_tensor(index).to(x.device, non_blocking=True)


def library(x: Array) -> Any:
    """PyTorch for a tensor, otherwise NumPy."""
    if not is_tensor(x):
        return np
    import torch

    return torch
