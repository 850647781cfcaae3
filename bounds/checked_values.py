"""Values of quantities that users pass in, as numbers. Each error names the quantity, the rule, the value, and a remedy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

ENTRIES = 40
"""Letters up to which a refused value is printed."""


def numbers(owner: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values as ints, floats and arrays of floats, by name.

    Raises
    ------
    ValueError
        If a value is no number, no array of numbers, or not finite.
    """
    return {name: _number(owner, name, value) for name, value in values.items()}


def require_one_shape(owner: str, values: Mapping[str, Any]) -> None:
    """Raise ValueError unless the arrays among the values broadcast to one shape."""
    shapes = {name: np.shape(value) for name, value in values.items() if np.ndim(value)}
    try:
        np.broadcast_shapes(*shapes.values())
    except ValueError as error:
        got = ", ".join(f"`{name}` of shape {shape}" for name, shape in shapes.items())
        remedy = "give arrays of one length, or a grid as `x[:, None]` and `y`"
        raise ValueError(f"arrays for {owner} must have one shape, got {got}; {remedy}") from error


def require_single(owner: str, values: Mapping[str, Any], remedy: str) -> None:
    """Raise ValueError unless every value is a single number."""
    for name, value in values.items():
        if np.ndim(value):
            raise ValueError(f"`{name}` of {owner} must be one number, got {_short(value)}; {remedy}")


def ranges(owner: str, within: Any, names: Iterable[str]) -> dict[str, tuple[float, float]]:
    """Search ranges (low, high) by name.

    Raises
    ------
    ValueError
        If a range belongs to none of `names`, or is not a pair of numbers low <= high.
    """
    if not isinstance(within, Mapping):
        raise ValueError(
            f"`within` must map names to pairs (low, high), got {_short(within)}; write within={{'NAME': (0, 1)}}"
        )
    known = list(names)
    for name, pair in within.items():
        if name not in known:
            raise ValueError(
                f"`within` must name quantities of the search, {', '.join(known)}, got {name!r}; leave it out"
            )
        if not isinstance(pair, tuple | list | np.ndarray) or len(pair) != 2:
            raise ValueError(
                f"the range of `{name}` must be a pair (low, high), got {_short(pair)}; write (0, 1)"
            )
    found = {}
    for name, (low, high) in within.items():
        ends = numbers(owner, {f"low end of {name}": low, f"high end of {name}": high})
        require_single(owner, ends, "write (0, 1)")
        if low > high:
            raise ValueError(
                f"the range of `{name}` must have low <= high, got ({low}, {high}); exchange the ends"
            )
        found[name] = (low, high)
    return found


def _number(owner: str, name: str, value: Any) -> Any:
    array = None if _of_texts(value) else _array(value)
    if array is None:
        raise ValueError(
            f"`{name}` of {owner} must be a number or an array of numbers, got {_described(value)}; {_remedy(name, value)}"
        )
    if not np.all(np.isfinite(array)):
        raise ValueError(f"`{name}` must be finite, got {_short(value)}; give {owner} a finite number")
    return value if isinstance(value, int) else (array if array.ndim else float(array))


def _of_texts(value: Any) -> bool:
    return isinstance(value, str | bytes) or any(isinstance(one, str | bytes) for one in _entries(value))


def _entries(value: Any) -> Iterable[Any]:
    return value.flat if isinstance(value, np.ndarray) else value if isinstance(value, list | tuple) else ()


def _array(value: Any) -> np.ndarray | None:
    """The value as floats; None if it is not made of numbers."""
    try:
        return None if value is None else np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        return None


def _described(value: Any) -> str:
    return f"the text {_short(value)}" if isinstance(value, str) else _short(value)


def _short(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= ENTRIES else f"{text[:ENTRIES]}... ({type(value).__name__})"


def _remedy(name: str, value: Any) -> str:
    if _of_texts(value):
        return "write numbers without quotes, as 0.5 or 1/8"
    if isinstance(value, list | tuple):
        return "give rows of equal length that hold numbers alone"
    return "give a real number, as 0.5"
