"""Random instances: parameters drawn from their boxes, including corners, and equal and opposed entries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from verify.engine.model.scene import Box, Scene, Shape


def sample(space: Mapping[str, Box], rng: np.random.Generator, batch: int) -> dict[str, np.ndarray]:
    """Parameters (batch, ...): a third spread over the range, a third at its corners, a third of mixed kind.

    Arrays are also made equal or opposite along their axes, so that identical and opposed clients and tasks occur. In a
    small part of the batch single numbers with the same range are equal, because inequalities between means or powers are
    tight there.
    """
    found = {name: _sample_box(box, rng, batch) for name, box in space.items()}
    for name, first in _first_of_their_range(space).items():
        found[name][::ALIKE] = found[first][::ALIKE]
    return found


ALIKE = 16
"""One in this number of instances has equal numbers wherever they have the same range."""


def _first_of_their_range(space: Mapping[str, Box]) -> dict[str, str]:
    """By name of each number, the first number with the same range, if all parameters are single numbers."""
    firsts: dict[Box, str] = {}
    single = not any(box.shape for box in space.values())
    return {name: firsts.setdefault(box, name) for name, box in space.items()} if single else {}


def has_entries(scene: Scene, shapes: Sequence[Shape]) -> bool:
    """Whether an array of a scene's parameters has an entry at one of some shapes; True if all parameters are scalars."""
    arrays = [box.shape for shape in shapes for box in scene.space(shape).values() if box.shape]
    return not arrays or any(0 not in sizes for sizes in arrays)


def _sample_box(box: Box, rng: np.random.Generator, batch: int) -> np.ndarray:
    size = (batch, *box.shape)
    if box.levels:
        spread = rng.choice(np.array(box.levels), size)
        return _with_copies(spread, rng, symmetric=min(box.levels) == -max(box.levels))
    low, high = (np.log(box.low), np.log(box.high)) if box.scale == "log" else (box.low, box.high)
    spread = rng.uniform(low, high, size)
    middle = np.clip(0.0, low, high) if box.scale == "linear" else (low + high) / 2
    corners = rng.choice(np.array([low, high, middle]), size)
    flip = (batch,) + (1,) * len(box.shape)
    kind = rng.integers(0, 3, flip)
    mixed = np.where(rng.random(size) < 0.5, spread, corners)
    drawn = np.where(kind == 0, spread, np.where(kind == 1, corners, mixed))
    drawn = _with_copies(drawn, rng, symmetric=low == -high)
    if box.scale == "linear":
        return drawn
    inside = np.where(drawn <= low, box.low, np.exp(drawn))  # exp(log(x)) is not exactly x
    return np.where(drawn >= high, box.high, inside)


def _with_copies(drawn: np.ndarray, rng: np.random.Generator, *, symmetric: bool) -> np.ndarray:
    """Copy the first slice along an axis, or copy it with random signs, in part of the batch."""
    for axis in range(1, drawn.ndim if drawn.size else 0):
        first = np.take(drawn, [0], axis=axis)
        flip = (len(drawn),) + (1,) * (drawn.ndim - 1)
        choice = rng.random(flip)
        signs = rng.choice(
            [-1.0, 1.0], (len(drawn), *(drawn.shape[i] if i == axis else 1 for i in range(1, drawn.ndim)))
        )
        drawn = np.where(choice < 0.2, first, drawn)
        if symmetric:
            drawn = np.where(choice > 0.8, first * signs, drawn)
    return drawn
