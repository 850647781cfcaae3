"""Step sizes of SPECIAL, and balls that no run with these steps leaves. Constants are then needed on the ball only.

The proof is by induction over steps. While all gradients are at most B, the server's model is within
gamma_G gamma_L E B / lambda of the start (Lemma 4.9, which holds on every path), and a client is within gamma_L E B of the
server's model. A run therefore never leaves a ball whose radius is at least the sum of the two, if gradients on it are at
most B.

A quadratic loss h|x-c|^2/2 may be continued outside the ball by Huber's linear branch, where its gradient has constant
length. No run changes, and the continued loss is h-smooth with bounded gradients on all of R^d.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import reduce
from typing import Any

import numpy as np

from algorithms.algorithm import Algorithm
from algorithms.special import special
from bounds.evaluate import evaluate
from bounds.statement import Statement
from nqm.constants import Constants, constants
from nqm.known import Ball
from nqm.world import World


@dataclass(frozen=True)
class Steps:
    """Hyperparameters of SPECIAL. All except E may be arrays of shape (sweep..., world...)."""

    E: int
    gamma_L: Any
    gamma_G: Any
    lam: Any

    @property
    def values(self) -> dict[str, Any]:
        """The hyperparameters by their names in the glossary."""
        return asdict(self)

    @property
    def drift(self) -> Any:
        """Largest distance of the server's model from the task start, per unit of the gradient bound."""
        return self.gamma_G * self.gamma_L * self.E / self.lam

    @property
    def reach(self) -> Any:
        """Largest distance of a client's model from the task start, per unit of the gradient bound."""
        return self.drift + self.gamma_L * self.E

    def method(self) -> Algorithm:
        """SPECIAL, with an axis of runs."""
        return special(
            *(np.asarray(value, dtype=float)[..., None] for value in (self.gamma_L, self.gamma_G, self.lam))
        )


def limit(statement: Statement, step: str, given: Mapping[str, Any]) -> Any:
    """Largest value of a step size under the conditions of a statement that have the form ``step <= ...``."""
    tops = [c.rhs for c in statement.conditions if getattr(c.lhs, "name", None) == step and c.rel_op == "<="]
    if not tops:
        raise ValueError(f"{statement.id} has no condition of the form {step} <= ...")
    return reduce(np.minimum, (evaluate(top, given) for top in tops))


def confining_ball(world: World, start: np.ndarray, reach: float) -> Ball:
    """A ball around `start` that no run leaves, in a world of floats.

    Parameters
    ----------
    world : World
        A world whose noise has an almost sure bound.
    start : (d,) array
        The model at the start of the task.
    reach : float
        The largest `Steps.reach` of the runs.

    Raises
    ------
    ValueError
        If no such ball is found.
    """
    radius = 0.0
    for _ in range(200):
        ball = Ball(start, np.array(radius))
        needed = float(reach * np.max(constants(world, ball)["B"].value))
        if needed <= radius:
            return ball
        radius = needed * (1 + 1e-9)
    raise ValueError(
        f"no ball was found that runs with a `reach` of {reach} do not leave: gradients grow too fast with "
        "the distance for these step sizes; take smaller ones, or a larger lambda"
    )


def named_constants(found: Constants, *names: str) -> dict[str, dict[str, Any]]:
    """Value of each named constant and how it was obtained, for a record."""
    return {name: {"value": found[name].value, "known": found[name].known} for name in names}
