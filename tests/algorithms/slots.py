"""Slots of clients with their own losses, and hyperparameters that differ between runs, shared by tests."""

from __future__ import annotations

from typing import Any

import numpy as np

RUNS, M, N, D = 2, 4, 3, 2
CLIENTS = np.array([[2, 0, 3], [1, 2, 0]])
ONE, TWO, THREE = (np.array(pair) for pair in ([0.1, 0.3], [0.7, 0.4], [1.5, 0.5]))
"""Hyperparameters of the two runs."""
RNG = np.random.default_rng(0)
THETA, GRADS = RNG.normal(size=(RUNS, D)), RNG.normal(size=(4, RUNS, N, D))


class Bowl:
    """The oracle of losses h*(x - c)^2/2 of each slot; its minibatches add u."""

    curvature, centre = RNG.uniform(1, 2, (RUNS, N, D)), RNG.normal(size=(RUNS, N, D))

    def grad(self, x: np.ndarray) -> np.ndarray:
        return self.curvature * (x - self.centre)

    def stochastic_grad(self, x: np.ndarray, u: np.ndarray) -> np.ndarray:
        return self.grad(x) + u


BOWL = Bowl()
SLOTS = list(np.ndindex(RUNS, N))


def entry(*shape: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape)


def walked(method: Any, state: Any, seen: Any = GRADS, clients: np.ndarray = CLIENTS) -> tuple[Any, Any]:
    """The clients' models after one step for each minibatch, and the state after the round."""
    local = method.begin_round(state, clients, BOWL)
    for one in seen:
        local = method.local_step(state, local, one)
    return local, method.aggregate(state, local, clients)
