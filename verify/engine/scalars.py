"""The scene of a relation between free numbers: every symbol is a parameter of its domain."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bounds.symbols import domain_of
from verify.engine.scene import Box, Condition, Scene, Shape

_BOXES = {"positive": Box(1e-3, 1e3, scale="log"), "nonnegative": Box(0.0, 10.0), "real": Box(-10.0, 10.0)}


def scalar_scene(relations: Iterable[Condition], held: Mapping[str, Any] | None = None) -> Scene:
    """Scene whose parameters are the free symbols of `relations`.

    Whole numbers run through small shapes; they are kept in ascending order of name and drawn so that small
    counts come first.
    """
    symbols = sorted(set().union(*(r.free_symbols for r in relations)), key=lambda s: s.name)
    counts = [s.name for s in symbols if domain_of(s) == "count"]
    reals = {s.name: _BOXES[domain_of(s)] for s in symbols if domain_of(s) != "count"}
    nothing = next(name for name in ("nothing", "no number") if name not in counts)
    space = reals or {nothing: Box(0.0, 1.0)}
    return Scene(
        name="numbers", shapes=tuple(_shapes(counts)), space=lambda shape: space, grows=tuple(counts)
    )


def _shapes(counts: list[str]) -> list[Shape]:
    """Small whole numbers: a fixed spread of 16 combinations, smallest sum first."""
    import numpy as np

    if not counts:
        return [{}]
    rng = np.random.default_rng(0)
    grids = [dict.fromkeys(counts, n) for n in (1, 2, 3)]
    grids += [dict(zip(counts, map(int, rng.integers(1, 9, len(counts))), strict=True)) for _ in range(24)]
    unique = {tuple(shape.items()): shape for shape in grids}
    return sorted(unique.values(), key=lambda shape: sum(shape.values()))
