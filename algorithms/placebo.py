"""Non-learning baselines (placebos): algorithms that learn nothing, or do the opposite. A guarantee of learning must fail
for them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from algorithms.algorithm import Algorithm, Local, State, start
from algorithms.fedavg import fedavg
from nqm.fields import Array, IntArray


def stand_still() -> Algorithm:
    """An algorithm that never leaves its start."""

    def local_step(state: State, local: Local, g: Array) -> Local:
        return local

    def aggregate(state: State, local: Local, clients: IntArray) -> State:
        return state

    return Algorithm(name="stand still", init=start, local_step=local_step, aggregate=aggregate)


@dataclass(frozen=True)
class Negated:
    """An objective with negated losses."""

    oracle: Any

    def grad(self, x: Array) -> Array:
        """Negated gradient, (..., n, d)."""
        return -self.oracle.grad(x)

    def stochastic_grad(self, x: Array, u: Array) -> Array:
        """Negated stochastic gradient, (..., n, d)."""
        return -self.oracle.stochastic_grad(x, u)


def ascent(algorithm: Algorithm) -> Algorithm:
    """`algorithm` on the negated losses: it climbs with the same steps."""

    def objective(world: Any, state: State, task: int, clients: IntArray) -> Negated:
        return Negated(algorithm.objective(world, state, task, clients))

    return replace(algorithm, name=f"ascent ({algorithm.name})", objective=objective)


def examples(number: Callable[[float], Array], n_clients: int) -> tuple[Algorithm, ...]:
    """Instances on which the shared tests run; `number` makes a hyper-parameter of a float."""
    return stand_still(), ascent(fedavg(number(0.125), number(0.5)))
