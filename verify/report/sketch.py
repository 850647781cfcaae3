"""A small picture of a search: the largest lhs/rhs against the trials, as SVG path data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log10
from typing import Any

from verify.report.values import number

WIDTH, HEIGHT = 180.0, 40.0
LEAST = 1e-4
"""Smaller ratios are drawn at the bottom."""


@dataclass(frozen=True)
class Sketch:
    """Steps of the largest ratio so far, the height of the ratio 1, the peak, and a description in words."""

    path: str
    one: float
    peak: tuple[float, float]
    says: str


def sketch(course: Sequence[Mapping[str, Any]], trials: int) -> Sketch:
    """The sketch of a search; both axes are logarithmic.

    Parameters
    ----------
    course : sequence of dict
        Each time the ratio grew: `trials` so far, `ratio`, and the sizes `at` which it was found.
    trials : int
        Trials of the whole search.
    """
    last = max(trials, course[-1]["trials"])
    top = max(1.0, course[-1]["ratio"])

    def across(n: float) -> float:
        return round(WIDTH * log10(1 + n) / log10(1 + last), 1)

    def down(ratio: float) -> float:
        share = log10(max(ratio, LEAST) / LEAST) / log10(top / LEAST)
        return round(HEIGHT - (HEIGHT - 4) * share, 1)

    steps = "".join(f"H{across(step['trials'])}V{down(step['ratio'])}" for step in course)
    end = course[-1]
    sizes = ", ".join(f"{name} = {size}" for name, size in end["at"].items())
    says = f"lhs/rhs peaks at {number(end['ratio'])} after {end['trials']:,} of {last:,} trials"
    return Sketch(
        f"M0,{HEIGHT:g}{steps}H{WIDTH:g}",
        down(1.0),
        (across(end["trials"]), down(end["ratio"])),
        f"{says}, at {sizes}" if sizes else says,
    )
