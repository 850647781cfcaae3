"""CFL: clients descend a weighted sum of their current loss and of approximations of their past losses.

In CFL a task is a round: every round brings new data. So these methods are played with one round per task.
Past losses enter through what is kept of them, an `Approximation`; what it gets wrong is the information loss.

Source: CFL (Guo, Lin, Tang), Eq. (3), Algorithms 1 and 2, Appendix C.1.2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any

from algorithms.algorithm import Algorithm, State
from algorithms.arrays import Array, IntArray
from algorithms.fedavg import fedavg

Gradient = Callable[[Array], Array]
"""(..., n, d) -> (..., n, d)."""

Weights = Callable[[int], Sequence[Array]]
"""Round t from 0 -> weights p_0..p_t of the rounds: numbers, or arrays that broadcast against (..., run, n, d)."""

Approximation = Callable[[Any, Array, int, int], Gradient]
"""(oracle of a past round, server model at its start (..., 1, d), past round, current round) -> its gradient."""


def exact(oracle: Any, point: Array, past: int, now: int) -> Gradient:
    """The past loss itself, as if all data were kept: no information loss."""
    return oracle.grad


def taylor(oracle: Any, point: Array, past: int, now: int) -> Gradient:
    """Second-order Taylor approximation around the server model at the start of the past round (Lemma B.3).

    The oracle must offer ``hessian(x)``, (..., n, d) -> (..., n, d, d).
    """
    gradient, hessian = oracle.grad(point), oracle.hessian(point)
    return lambda x: gradient + (hessian @ (x - point)[..., None])[..., 0]


def diagonal_taylor(oracle: Any, point: Array, past: int, now: int) -> Gradient:
    """As `taylor`, with the diagonal of the Hessian only (Appendix C.1.2, option ii)."""
    gradient = oracle.grad(point)
    diagonal = oracle.hessian(point).diagonal(0, -2, -1)
    return lambda x: gradient + diagonal * (x - point)


def with_loss(loss: Callable[[int, int], Array]) -> Approximation:
    """Past gradients minus a given information loss (Definition 3.1).

    Parameters
    ----------
    loss : (past round, current round) -> array that broadcasts to (..., run, n, d)
    """

    def approximation(oracle: Any, point: Array, past: int, now: int) -> Gradient:
        return lambda x: oracle.grad(x) - loss(past, now)

    return approximation


@dataclass(frozen=True)
class Remembered:
    """Objective of Eq. (3): the current round's loss and the approximations of past ones, weighted.

    The noise of the current round's gradient is not weighted, as in Algorithm 2.
    """

    current: Any
    past: Sequence[Gradient]
    weights: Sequence[Array]

    def grad(self, x: Array) -> Array:
        """Gradient of the weighted sum, (..., n, d), without noise."""
        *earlier, now = self.weights
        parts = [p * gradient(x) for p, gradient in zip(earlier, self.past, strict=True)]
        return reduce(add, parts, now * self.current.grad(x))

    def stochastic_grad(self, x: Array, u: Array) -> Array:
        """`grad` with the noise of the current gradient."""
        noise = self.current.stochastic_grad(x, u) - self.current.grad(x)
        return self.grad(x) + noise


def cfl(
    local_lr: Array, global_lr: Array, weights: Weights, approximation: Approximation = exact
) -> Algorithm:
    """CFL with explicit gradients (Algorithm 2); Algorithm 1 with the approximation of one's choice.

    Parameters
    ----------
    local_lr, global_lr : number or array (sweep..., world..., run), > 0
        eta_l and eta_g.
    weights : Weights
        p of every round. The paper lets them sum to 1.
    approximation : Approximation
        What is kept of past rounds: `exact`, `taylor`, `diagonal_taylor`, `with_loss`.
    """

    def begin_task(state: State, task: int) -> State:
        return {**state, "points": (*state["points"], state["theta"][..., None, :])}

    def objective(world: Any, state: State, task: int, clients: IntArray) -> Remembered:
        points = state["points"]
        past = [approximation(world.at(tau, clients), points[tau], tau, task) for tau in range(task)]
        return Remembered(world.at(task, clients), past, weights(task))

    return replace(
        fedavg(local_lr, global_lr),
        name=f"CFL ({approximation.__name__})",
        init=lambda theta0: {"theta": theta0, "points": ()},
        begin_task=begin_task,
        objective=objective,
    )


def current_only(task: int) -> list[int]:
    """No memory: CFL with these weights is FedAvg."""
    return [0] * task + [1]


def examples(number: Callable[[float], Array], n_clients: int) -> tuple[Algorithm, ...]:
    """Instances on which the shared tests run; `number` makes a hyper-parameter of a float."""
    return (cfl(number(0.125), number(0.5), lambda task: [1] * (task + 1)),)
