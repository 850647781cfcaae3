"""A non-learning baseline for worlds with noise: steps of the right length in random directions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from algorithms.algorithm import Algorithm
from nqm.fields import Array, expand, sq, sqrt


def random_walk(algorithm: Algorithm) -> Algorithm:
    """The algorithm with noise instead of gradients, scaled to the root mean square length of the stochastic gradient.

    The length does not depend on the draw, so every step has mean zero, also in one dimension.
    """

    def query(oracle: Any, x: Array, u: Array) -> Array:
        return u * sqrt(expand(sq(oracle.grad(x))) + oracle.scale**2)

    return replace(algorithm, name=f"random walk ({algorithm.name})", query=query)
