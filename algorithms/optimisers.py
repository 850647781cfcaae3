"""Other optimisers for local steps: Adam and AdamW in place of plain descent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from algorithms.algorithm import Algorithm, Local, State
from algorithms.hyperparameters import against, fraction, step_size, strength
from nqm.fields import Array, IntArray


class Moments(NamedTuple):
    """State of Adam: means of gradients and of their squares, and the number of steps of each vector, (..., 1)."""

    first: Array
    second: Array
    steps: Array


@dataclass(frozen=True)
class Adam:
    """Adam on floating-point arrays of any shape; a step size that is an array broadcasts against them.

    Source: Kingma and Ba (2015); `decay` shrinks the point itself, as in AdamW of Loshchilov and Hutter (2019).
    """

    lr: Array
    beta1: float = 0.9
    beta2: float = 0.999
    decay: float = 0.0

    def start(self, x: Array) -> Moments:
        """The state before the first step."""
        return Moments(0 * x, 0 * x, 0 * x[..., :1])

    def step(self, x: Array, g: Array, at: Moments) -> tuple[Array, Moments]:
        """One step against the gradient `g`."""
        first = self.beta1 * at.first + (1 - self.beta1) * g
        second = self.beta2 * at.second + (1 - self.beta2) * g**2
        steps = at.steps + 1
        scale = (second / (1 - self.beta2**steps)) ** 0.5 + 1e-8
        kept = x if not self.decay else x * (1 - self.lr * self.decay)
        return kept - self.lr * first / (1 - self.beta1**steps) / scale, Moments(first, second, steps)


def plainly(algorithm: Algorithm, local_lr: Array) -> Algorithm:
    """The unchanged steps of the method."""
    return algorithm


def with_adam(
    algorithm: Algorithm, local_lr: Array, decay: float = 0.0, beta1: float = 0.9, beta2: float = 0.999
) -> Algorithm:
    """`algorithm` whose local steps are Adam steps along the direction of the method; all else is unchanged.

    The direction is a step of the method divided by its step size, so it includes penalties and corrections. Adam restarts
    in every round and moves the model that a client sends. Everything else that a client trains descends as before.

    Parameters
    ----------
    algorithm : Algorithm
        Its local steps must leave other entries of the local state unchanged.
    local_lr : number or array (sweep..., world..., run), > 0
        Step size, of the method and of Adam.
    decay : float, >= 0
        Weight decay, as in AdamW.
    beta1, beta2 : float in [0, 1)
    """
    rate = against(step_size("local_lr", local_lr), 2)
    adam = Adam(rate, fraction("beta1", beta1), fraction("beta2", beta2), strength("decay", decay))

    def begin_round(state: State, clients: IntArray, oracle: Any) -> Local:
        local = algorithm.begin_round(state, clients, oracle)
        return {**local, **_entries(adam.start(local["x"]))}

    def local_step(state: State, local: Local, seen: Any) -> Local:
        plain = algorithm.local_step(state, local, seen)
        at = Moments(*(local[name] for name in _ENTRIES))
        x, at = adam.step(local["x"], (local["x"] - plain["x"]) / rate, at)
        return {**plain, "x": x, **_entries(at)}

    return replace(algorithm, begin_round=begin_round, local_step=local_step)


OPTIMISERS: Mapping[str, Callable[[Algorithm, Array], Algorithm]] = {
    "sgd": plainly,
    "adam": with_adam,
    "adamw": partial(with_adam, decay=0.01),
}
"""Name -> (method, its step size) -> the method with that optimiser at its clients; the decay of AdamW is PyTorch's."""

_ENTRIES = tuple(f"adam {name}" for name in Moments._fields)


def _entries(at: Moments) -> Local:
    return dict(zip(_ENTRIES, at, strict=True))
