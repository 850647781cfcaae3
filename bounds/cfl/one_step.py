"""CFL: the best constants of one step along an approximation of the gradient of all past objectives. Not of the paper."""

from __future__ import annotations

from bounds.cfl.symbols import CFL, L, at, eta, mu
from bounds.relations import le, lt

_nonnegative = CFL.nonnegative

step_off2 = _nonnegative("step_off2", "squared distance from the minimiser", r"\|\omega-\omega_*\|^2")
step_off2_next = _nonnegative("step_off2_next", "the same after a step", r"\|\omega^+-\omega_*\|^2")
step_error2 = _nonnegative(
    "step_error2", "squared error of the approximated gradient: drift and loss of information", r"\|e\|^2"
)

STEP = at("Theorem 4.1, proof for strong convexity, one local step")(
    "one-step",
    "a step along an approximated gradient contracts by 1 - eta mu and adds eta/mu times the squared error: neither constant can be "
    "smaller beside the other",
    le(step_off2_next, (1 - eta * mu) * step_off2 + eta / mu * step_error2),
    conditions=(lt(mu, L), le(eta, 2 / (L + mu))),
    changes="not of the paper: a step with any error of the gradient",
)
STATEMENTS = (STEP,)
