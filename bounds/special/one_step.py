"""SPECIAL: the best factor of one server step in the value of the problem that a task really solves. Not of the paper."""

from __future__ import annotations

from bounds.relations import le
from bounds.special.surrogate import NOT_OF_THE_PAPER
from bounds.special.symbols import SPECIAL, L, at, lam

_nonnegative = SPECIAL.nonnegative

pace = SPECIAL.positive("pace", "global times local learning rate", r"\gamma_G\gamma_L")
above = _nonnegative("above", "Phi at the model above its least value", r"\Phi(\theta_K^t)-\min\Phi")
above_next = _nonnegative("above_next", "the same one round later", r"\Phi(\theta_K^{t+1})-\min\Phi")

STEP = at("Theorem 4.10", "173")(
    "one-step.value",
    "for convex losses, one local step and all clients, without noise, a round shrinks the excess of Phi by (1 + lambda)^2: no "
    "smaller factor holds for all convex losses",
    le(above_next, above / (1 + lam) ** 2),
    conditions=(le(pace * L, 2),),
    changes=NOT_OF_THE_PAPER,
)
STATEMENTS = (STEP,)
