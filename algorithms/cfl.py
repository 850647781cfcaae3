"""CFL: clients descend a weighted sum of their current loss and of approximations of their past losses.

In CFL a task is a round: every round brings new data. So these methods are played with one round per task.
Past losses enter through an `Approximation`; its error is the information loss.

Source: CFL (Guo, Lin, Tang), Eq. (3), Algorithms 1 and 2, Appendix C.1.2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from algorithms.algorithm import Algorithm, Local, State, over_slots
from algorithms.clients import for_every_client, of_clients, with_clients
from algorithms.fedavg import fedavg
from nqm.fields import Array, IntArray

Gradient = Callable[[Array], Array]
"""(..., n, d) -> (..., n, d)."""

Weights = Callable[[int], Sequence[Array]]
"""Round t from 0 -> weights p_0..p_t of the rounds: numbers, or arrays that broadcast against (..., run, n, d)."""

Approximation = Callable[[Any, Array, int, int], Gradient]
"""(oracle of a past round, where it is expanded (..., n, d), past round, current round) -> its gradient."""

Point = Callable[[State, int, IntArray, int], Array]
"""(state, past round, clients (..., n), number of clients) -> where their losses of that round are expanded, (..., n, d)."""


def at_start(state: State, past: int, clients: IntArray, n_clients: int) -> Array:
    """The server's model at the start of the past round (Lemma B.3, as stated)."""
    return over_slots(state["starts"][past], clients.shape[-1])


def at_end(state: State, past: int, clients: IntArray, n_clients: int) -> Array:
    """Each client's own model after its last local step of the past round (Lemma B.3, as proved).

    A client that did not take part made no step from the server's model.
    """
    everyone = for_every_client(state["starts"][past], n_clients)
    return of_clients(with_clients(everyone, state["present"][past], state["ends"][past]), clients)


def exact(oracle: Any, point: Array, past: int, now: int) -> Gradient:
    """The past loss itself, as if all data were kept: no information loss."""
    gradient: Gradient = oracle.grad
    return gradient


def taylor(oracle: Any, point: Array, past: int, now: int) -> Gradient:
    """Second-order Taylor approximation (Lemma B.3; Appendix C.1.2).

    The oracle must offer ``hessian(x)``, (..., n, d) -> (..., n, d, d).
    """
    gradient, hessian = oracle.grad(point), oracle.hessian(point)
    return lambda x: gradient + (hessian @ (x - point)[..., None])[..., 0]


def diagonal_taylor(oracle: Any, point: Array, past: int, now: int) -> Gradient:
    """As `taylor`, with the diagonal of the Hessian only (Appendix C.1.2, second option)."""
    return _bent_by(oracle.hessian(point).diagonal(0, -2, -1), oracle.grad(point), point)


def fisher(oracle: Any, point: Array, past: int, now: int) -> Gradient:
    """As `diagonal_taylor`, with the squared gradient for the diagonal (Appendix C.1.2, first option, as printed)."""
    gradient = oracle.grad(point)
    return _bent_by(gradient**2, gradient, point)


def sample_fisher(oracle: Any, point: Array, past: int, now: int) -> Gradient:
    """As `fisher`, with the mean of the squared gradients of the samples: the empirical Fisher information.

    The oracle must offer ``components(x)``, (..., n, d) -> (..., n, J, d).
    """
    each = oracle.components(point)
    return _bent_by((each**2).sum(axis=-2) / each.shape[-2], oracle.grad(point), point)


def _bent_by(diagonal: Array, gradient: Array, point: Array) -> Gradient:
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
    local_lr: Array,
    global_lr: Array,
    weights: Weights,
    approximation: Approximation = exact,
    point: Point = at_start,
) -> Algorithm:
    """CFL with explicit gradients (Algorithm 2), or Algorithm 1 with any approximation.

    Parameters
    ----------
    local_lr, global_lr : number or array (sweep..., world..., run), > 0
        eta_l and eta_g.
    weights : Weights
        p of every round. The paper lets them sum to 1.
    approximation : Approximation
        Approximation of past losses: `exact`, `taylor`, `diagonal_taylor`, `fisher`, `sample_fisher`, `with_loss`.
    point : Point
        Point at which past losses are expanded: `at_start` or `at_end`; the paper states both.
    """
    backbone = fedavg(local_lr, global_lr)

    def begin_task(state: State, task: int) -> State:
        theta, nobody = state["theta"], np.arange(0)
        return {
            "theta": theta,
            "starts": (*state["starts"], theta),
            "present": (*state["present"], nobody),
            "ends": (*state["ends"], over_slots(theta, 0)),
        }

    def objective(world: Any, state: State, task: int, clients: IntArray) -> Remembered:
        at = [point(state, tau, clients, world.n_clients) for tau in range(task)]
        past = [approximation(world.at(tau, clients), x, tau, task) for tau, x in enumerate(at)]
        return Remembered(world.at(task, clients), past, weights(task))

    def aggregate(state: State, local: Local, clients: IntArray) -> State:
        return {
            **backbone.aggregate(state, local, clients),
            "present": (*state["present"][:-1], clients),
            "ends": (*state["ends"][:-1], local["x"]),
        }

    return replace(
        backbone,
        name=f"CFL ({approximation.__name__}, {point.__name__})",
        init=lambda theta0: {"theta": theta0, "starts": (), "present": (), "ends": ()},
        begin_task=begin_task,
        objective=objective,
        aggregate=aggregate,
    )


def examples(number: Callable[[float], Array], n_clients: int) -> tuple[Algorithm, ...]:
    """Instances on which the shared tests run; `number` makes a hyper-parameter of a float."""
    rates, weights = (number(0.125), number(0.5)), lambda task: [1] * (task + 1)
    return (cfl(*rates, weights), cfl(*rates, weights, exact, at_end))
