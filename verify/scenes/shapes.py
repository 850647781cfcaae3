"""Lists of shapes as texts."""

from __future__ import annotations

from collections.abc import Callable

from verify.engine.model.scene import Shape


def shapes_of(sizes: Callable[..., Shape], *texts: str) -> tuple[Shape, ...]:
    """The shapes of texts such as ``"smallest, K=2, N=2 t=2"``; `sizes` completes a shape with the smallest sizes.

    Raises
    ------
    ValueError
        If a shape has a size that the smallest shape does not have.
    """
    smallest = sizes()
    found = []
    for one in ", ".join(texts).split(", "):
        named = {} if one == "smallest" else dict(size.split("=") for size in one.split())
        if unknown := named.keys() - smallest.keys():
            raise ValueError(f"sizes must be among {', '.join(smallest)}, got {', '.join(sorted(unknown))}")
        found.append({**smallest, **{name: int(size) for name, size in named.items()}})
    return tuple(found)
