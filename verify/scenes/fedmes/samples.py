"""Samples of a memory with quadratic losses: loss, gradients, and batches whose gradients may be biased."""

from __future__ import annotations

from itertools import product

from nqm.fields import Array, concatenate, dot, sq
from verify.engine.model.scene import Box, Named, Shape, Values
from verify.scenes.parameters import column

SIZES = tuple({"S": S, "d": d} for S, d in product((1, 2), repeat=2))
"""Numbers of samples S in a memory, and dimensions d of their losses."""
STILL = Box(0, 0)
SOME_NOISE = Box(0.1, 2)
"""Range of the constant M for bounds that M = 0 would make zero and thus easy to violate."""


def mean(x: Array, axis: int = 1) -> Array:
    """Mean over equally likely outcomes."""
    return x.sum(axis=axis) / x.shape[axis]


def loss(h: Array, c: Array, x: Array) -> Array:
    """Memory loss at x (batch, ..., d) of samples h, c (batch, S, d): (batch, ...)."""
    h, c = _beside(h, x), _beside(c, x)
    return mean((h * (x[:, None] - c) ** 2).sum(axis=-1) / 2)


def gradients(h: Array, c: Array, x: Array) -> Array:
    """Gradients of all samples at x (batch, ..., d): (batch, S, ..., d)."""
    return _beside(h, x) * (x[:, None] - _beside(c, x))


def _beside(samples: Array, x: Array) -> Array:
    return samples.reshape(*samples.shape[:2], *(1,) * (x.ndim - 2), samples.shape[-1])


def memory_space(shape: Shape) -> dict[str, Box]:
    """Samples of the memory, and a model."""
    return {
        "h": Box(0.05, 4, (shape["S"], shape["d"]), scale="log"),
        "c_sample": Box(-2, 2, (shape["S"], shape["d"])),
        "x": Box(-2, 2, (shape["d"],)),
    }


def statistics(h: Array, c: Array, x: Array, batch: Array) -> Values:
    """Mean and spread of batch gradients (batch, outcome, ..., d) at models x (batch, ..., d)."""
    whole, middle = mean(gradients(h, c, x)), mean(batch)
    return {
        "mem_gradient2": sq(whole),
        "align": dot(whole, middle),
        "mean2": sq(middle),
        "variance": mean(sq(batch - middle[:, None])),
        "square2": mean(sq(batch)),
        "mem_loss": loss(h, c, x),
    }


def batches(values: Named, x: Array) -> Array:
    """Gradients of single samples, scaled by `bias` and rotated; this is the general case of Assumption 2."""
    each = gradients(values["h"], values["c_sample"], x)
    bias, turn = (column(values[name], each.ndim - 1) for name in ("bias", "turn"))
    return bias * each + turn * quarter_turn(each)


def quarter_turn(x: Array) -> Array:
    """The first two coordinates (..., d) rotated by a right angle, with all others 0; 0 in one dimension."""
    if x.shape[-1] == 1:
        return 0 * x
    return concatenate([-x[..., 1:2], x[..., :1], 0 * x[..., 2:]], -1)


def bias_space(shape: Shape) -> dict[str, Box]:
    """Parameters of the difference of batch gradients to those of samples."""
    return {"bias": Box(0.3, 2), "turn": Box(-1, 1) if shape["d"] > 1 else STILL}
