"""Placebos: algorithms that learn nothing, or the opposite. No guarantee of learning may hold for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from algorithms.algorithm import Algorithm, Local, State, start
from algorithms.arrays import Array, IntArray, is_exact
from algorithms.fedavg import fedavg


def stand_still() -> Algorithm:
    """Algorithm that keeps its start."""

    def local_step(state: State, local: Local, g: Array) -> Local:
        return local

    def aggregate(state: State, local: Local, clients: IntArray) -> State:
        return state

    return Algorithm(name="stand still", init=start, local_step=local_step, aggregate=aggregate)


def ascent(algorithm: Algorithm) -> Algorithm:
    """`algorithm` fed with negated gradients: it climbs the loss with the same steps."""

    def query(oracle: Any, x: Array, u: Array) -> Array:
        return -algorithm.query(oracle, x, u)

    def negated(exchange: Callable[[State, Array], State]) -> Callable[[State, Array], State]:
        return lambda state, grads: exchange(state, -grads)

    return replace(
        algorithm,
        name=f"ascent ({algorithm.name})",
        query=query,
        prepare=algorithm.prepare and negated(algorithm.prepare),
    )


def random_walk(algorithm: Algorithm) -> Algorithm:
    """`algorithm` fed with gradients of the right length in the direction of the noise draw.

    The length is that of the stochastic gradient, so the steps are as long as those of the algorithm, but
    they know nothing of the descent direction. For floats only, because lengths are square roots.

    Raises
    ------
    TypeError
        When played in an exact world.
    ValueError
        When played with noiseless draws, which have no direction.
    """

    def query(oracle: Any, x: Array, u: Array) -> Array:
        if is_exact(x):
            raise TypeError("`random_walk` takes square roots: play it with floats, not in exact arithmetic.")
        g = algorithm.query(oracle, x, u)
        length, noise_length = _length(g), _length(u)
        if not (noise_length > 0).all():
            raise ValueError("`random_walk` takes its directions from the noise draws, and one of them is 0.")
        return u * (length / noise_length)[..., None]

    return replace(algorithm, name=f"random walk ({algorithm.name})", query=query)


def _length(vectors: Array) -> Array:
    return (vectors * vectors).sum(axis=-1) ** 0.5


def examples(number: Callable[[float], Array], n_clients: int) -> tuple[Algorithm, ...]:
    """Instances on which the shared tests run; `number` makes a hyper-parameter of a float.

    `random_walk` is no affine map and no exact one: it has tests of its own.
    """
    return stand_still(), ascent(fedavg(number(0.125), number(0.5)))
