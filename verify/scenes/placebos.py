"""A placebo that needs a world with noise: steps of the right length in random directions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from algorithms.algorithm import Algorithm
from nqm.fields import Array, expand, sq, sqrt


def random_walk(algorithm: Algorithm) -> Algorithm:
    """`algorithm` fed with the noise, made as long as the stochastic gradient is in root mean square.

    Its length does not depend on the draw, so no step has a direction in the mean, in one dimension either.
    """

    def query(oracle: Any, x: Array, u: Array) -> Array:
        return u * sqrt(expand(sq(oracle.grad(x))) + oracle.scale**2)

    return replace(algorithm, name=f"random walk ({algorithm.name})", query=query)
