"""Constants of assumptions, no larger than what they bound asks for."""

from __future__ import annotations

from nqm.fields import Array, maximum


def allowance(bounded: Array, slope: Array, square: Array, more: Array) -> Array:
    """Smallest constant c >= 0 with `bounded` <= c + `slope` * `square`, `bounded` enlarged by the factor `more`."""
    return maximum(more * bounded - slope * square, 0 * square)
