"""Local steps: plain descent, proximal steps towards a point, and steps without conflict with a memory."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from algorithms.algorithm import Local, State
from algorithms.hyperparameters import against
from nqm.fields import Array, IntArray, decided, is_tensor, where

Step = Callable[[State, Local, Array], Local]
"""(State, Local, gradient (..., n, d)) -> Local."""


def always(local: Local, made: IntArray) -> IntArray:
    """The same map in all steps."""
    return np.zeros_like(made)


@dataclass(frozen=True)
class Affine:
    """A step that moves each coordinate x with gradient g to keep*x - rate*g + push and changes nothing else. The map is the
    same in the whole round, or one of several, chosen by the number of steps that a slot has made.

    A world may therefore make all steps of a round in one call (`algorithms.simulate.states_after_local_work`).

    Attributes
    ----------
    step : Step
    maps : tuple of Local
        For each map, the entries of a local state with which the step applies this map.
    turn : (Local, number of steps made (E,)) -> (..., n, E) or (E,) array of int
        Index of the next map.
    """

    step: Step
    maps: tuple[Local, ...] = ({},)
    turn: Callable[[Local, IntArray], IntArray] = always

    def __call__(self, state: State, local: Local, g: Array) -> Local:
        """Local state after the step."""
        return self.step(state, local, g)

    def parts(self, state: State, local: Local) -> tuple[Array, Array, Array]:
        """keep, rate and push, which broadcast to (..., n, d): computed by applying the step to zeros and ones.

        They have axes of length 1 except along axes on which they depend.
        """
        none = 0 * local["x"][..., :1, :1]

        def moved(x: Array, g: Array) -> Array:
            return self.step(state, {**local, "x": x}, g)["x"]

        push = moved(none, none)
        return moved(none + 1, none) - push, push - moved(none, none + 1), push


def of_the_kind(other: Step, step: Step) -> Step:
    """`step`, marked as affine if `other` is; its own addition is affine."""
    return replace(other, step=step) if isinstance(other, Affine) else step


def descend(local_lr: Array) -> Affine:
    """Step of stochastic gradient descent, x - local_lr*g."""

    def local_step(state: State, local: Local, g: Array) -> Local:
        x, rate = local["x"], against(local_lr, 2)
        if is_tensor(x) and is_tensor(g) and isinstance(rate, int | float):
            return {**local, "x": x.sub(g, alpha=rate)}  # in one pass over memory
        if isinstance(g, np.ndarray) and g.dtype == float and isinstance(rate, int | float):
            step = rate * g
            return {**local, "x": np.subtract(x, step, out=step)}  # in place
        return {**local, "x": x - rate * g}

    return Affine(local_step)


def proximal_point(x: Array, anchor: Array, lam: Array) -> Array:
    """argmin_v |v - x|^2/2 + lam*|v - anchor|^2, for x (..., n, d) and one anchor (..., d) for all slots.

    The penalty has no factor 1/2, hence 2*lam. Source: SPECIAL, arXiv:2601.22274v2, Appendix F.5.
    """
    lam = against(lam, 2)
    return (x + 2 * lam * anchor[..., None, :]) / (1 + 2 * lam)


def inner_product(g: Array, other: Array) -> Array:
    """Over the last axis, which stays with length 1: (..., d) and (..., d) -> (..., 1)."""
    return (g * other).sum(axis=-1)[..., None]


def without_conflict(g: Array, memory: Array) -> Array:
    """The vector nearest to `g` (..., d) whose inner product with the gradient of a memory is not negative.

    Where `g` and `memory` conflict, this is g - (g'm / m'm) m; else `g`, so an empty memory, whose gradient is
    zero, changes nothing. Source: A-GEM (Chaudhry et al., 2019), Eq. (11); FedMeS, Eq. (24).
    """
    inner = inner_product(g, memory)
    conflict = decided(operator.lt, inner, 0)
    along = where(conflict, inner, 0 * inner)
    return g - along / where(conflict, inner_product(memory, memory), 0 * inner + 1) * memory
