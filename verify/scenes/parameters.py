"""Helpers that compute quantities of a scene from the parameters of a search: columns, weights, smallest constants."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from nqm.fields import Array, maximum
from verify.engine.model.scene import Box, Scene, Shape


def through(
    scene: Scene,
    name: str,
    change: Callable[[Shape, Mapping[str, Any]], Mapping[str, Any]],
    space: Callable[[Shape], Mapping[str, Box]],
    **more: Any,
) -> Scene:
    """`scene` restricted to special instances: ``change(shape, values)`` computes its parameters from those of `space`."""
    return scene.variant(
        name,
        space=space,
        known=lambda shape, values: scene.known(shape, change(shape, values)),
        compute=lambda shape, values: scene.compute(shape, change(shape, values)),
        **more,
    )


def column(x: Array, axes: int) -> Array:
    """(batch,) numbers with `axes` further axes of length 1."""
    return x.reshape(tuple(x.shape) + (1,) * axes)


def with_sum_one(raw: Array) -> Array:
    """Weights shifted so that they sum to one; they may have any sign."""
    return raw + ((1 - raw.sum(axis=-1)) / raw.shape[-1])[..., None]


def allowance(bounded: Array, slope: Array, square: Array, more: Array) -> Array:
    """Smallest constant c >= 0 with `bounded` <= c + `slope` * `square`, `bounded` enlarged by the factor `more`."""
    return maximum(more * bounded - slope * square, 0 * square)
