"""FedMeS: the best constants of one personalised step, for losses that are not quadratic. Not of the paper."""

from __future__ import annotations

from bounds.fedmes.personal import PULLED, error2, error_before2, off2
from bounds.fedmes.symbols import L, at, c, eta_1, lam
from bounds.relations import le, lt

STEP = at("Theorem 2, a local step of Algorithm 1", "182-186")(
    "thm2.one-step",
    "for strongly convex losses a personalised step contracts by the regularised curvature and adds what the distance of the server's "
    "model moves the personal optimum: neither constant can be smaller beside the other",
    le(error2, (1 - eta_1 * (c + lam)) * error_before2 + eta_1 * lam**2 / (c + lam) * off2),
    conditions=(PULLED, lt(c, L), le(eta_1, 2 / (L + c + 2 * lam))),
    changes="not of the paper: one step on the distance to the personal optimum, for any strongly convex smooth loss",
)
STATEMENTS = (STEP,)
