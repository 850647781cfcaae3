"""Checks of arguments that users pass in. Each error names the argument, the rule, and the value that breaks it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from nqm.fields import Array, certainly, kind, to_exact, to_float, to_interval, to_symbolic, to_torch

_CONVERTERS: dict[str, Callable[[Any], Array]] = {
    "float": to_float,
    "exact": to_exact,
    "interval": to_interval,
    "symbolic": to_symbolic,
}


def of_one_kind(parameters: Mapping[str, Any]) -> dict[str, Array]:
    """The parameters, all converted to the most general kind of number among them, so that no formula mixes kinds.

    Float < exact < interval < symbolic; floats beside tensors become tensors.

    Raises
    ------
    ValueError
        If tensors and object arrays are mixed: neither can become the other without changing its value.
    """
    values = {name: _as_array(value) for name, value in parameters.items()}
    kinds = {name: kind(value) for name, value in values.items()}
    present = set(kinds.values())
    if "torch" in present:
        if present - {"torch", "float"}:
            raise ValueError(
                f"Tensors cannot be combined with exact, interval or symbolic arrays, got {kinds}."
            )
        tensor = next(value for value in values.values() if kind(value) == "torch")
        return {name: to_torch(value).to(tensor) for name, value in values.items()}
    strictest = max(present, key=list(_CONVERTERS).index)
    return {name: _CONVERTERS[strictest](value) for name, value in values.items()}


def set_parameters(instance: Any, parameters: Mapping[str, Any]) -> None:
    """Store normalised parameters in a frozen dataclass during its ``__post_init__``."""
    for name, value in parameters.items():
        object.__setattr__(instance, name, value)


def _as_array(value: Any) -> Array:
    if hasattr(value, "detach"):
        return value if value.is_floating_point() else value.double()
    return np.asarray(value)


def require_finite(name: str, value: Array) -> None:
    """Raise ValueError if an entry is NaN or infinite."""
    if kind(value) not in ("torch", "float"):
        return  # Fractions are finite by construction, and intervals and symbols are built from them
    bad = ~np.isfinite(to_float(value))
    if bad.any():
        raise ValueError(f"`{name}` must be finite, got {_first(value, bad)}.")


def require_nonnegative(name: str, value: Array) -> None:
    """Raise ValueError if an entry is certainly below 0 (an interval across 0 is not)."""
    bad = _certainly(value, lambda x: x < 0, "is_negative")
    if bad.any():
        raise ValueError(f"`{name}` must be >= 0, got {_first(value, bad)}.")


def require_positive(name: str, value: Array) -> None:
    """Raise ValueError if an entry is certainly not above 0."""
    bad = _certainly(value, lambda x: x <= 0, "is_nonpositive")
    if bad.any():
        raise ValueError(f"`{name}` must be > 0, got {_first(value, bad)}.")


def require_broadcastable(name: str, value: Array, shape: tuple[int, ...], meaning: str) -> None:
    """Raise ValueError unless `value` broadcasts to exactly `shape`."""
    try:
        fits = np.broadcast_shapes(tuple(value.shape), shape) == tuple(shape)
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(
            f"`{name}` must broadcast to {meaning} = {tuple(shape)}, got shape {tuple(value.shape)}."
        )


def require_index(name: str, value: int, size: int) -> None:
    """Raise ValueError unless ``0 <= value < size``."""
    if not 0 <= value < size:
        raise ValueError(f"`{name}` must be in 0..{size - 1}, got {value}.")


def _certainly(value: Array, relation: Callable[[Any], Any], assumption: str) -> np.ndarray:
    if kind(value) == "symbolic":
        holds = np.frompyfunc(lambda x: getattr(x, assumption) is True, 1, 1)(value)
    elif kind(value) == "torch":
        holds = relation(value.detach()).cpu().numpy()
    else:
        holds = certainly(relation(value))
    return np.asarray(holds, dtype=bool)


def _first(value: Array, bad: np.ndarray) -> str:
    if not np.ndim(bad):
        return str(value)
    index = tuple(int(i) for i in np.argwhere(bad)[0])
    return f"{value[index]} at index {index}"


def map_parameters(instance: Any, function: Callable[[Array], Array]) -> Any:
    """The same dataclass with `function` applied to every array in it, nested dataclasses included."""
    changed = {
        field.name: _mapped(getattr(instance, field.name), function) for field in dataclasses.fields(instance)
    }
    return dataclasses.replace(instance, **changed)


def _mapped(value: Any, function: Callable[[Array], Array]) -> Any:
    return map_parameters(value, function) if dataclasses.is_dataclass(value) else function(value)
