"""SPECIAL, Section 4.1: how the assumptions of `bounds.special.theorems` hang together."""

from __future__ import annotations

import sympy as sp

from bounds.relations import ge, le
from bounds.special.lemmas import dist
from bounds.special.symbols import SPECIAL, B, K, M, at, client_sup, noise_sup, sigma_T2, task_sup
from bounds.special.theorems import PARTIAL, RATE

_positive, _nonnegative, _real = SPECIAL.positive, SPECIAL.nonnegative, SPECIAL.real

mean_g2 = _nonnegative("mean_g2", "expected squared norm of a stochastic gradient", r"\mathbb E\|g\|^2")
true_g2 = _nonnegative("true_g2", "squared norm of its mean", r"\|\nabla f_{i,m}\|^2")
here_norm = _nonnegative("here_norm", "norm of a gradient at one point", r"\|\nabla f(x)\|")
there_norm = _nonnegative("there_norm", "norm of a gradient at another point", r"\|\nabla f(y)\|")
convexity = _positive("convexity", "modulus of strong convexity", r"\mu")
rise = _real("rise", "growth of the gradient along the way", r"\langle\nabla f(x)-\nabla f(y),x-y\rangle")

ASS4_5_IMPLIED = at("Assumptions 4.1 and 4.5", "112, 128")(
    "ass4.5.implied",
    "Assumption 4.5 adds nothing to 4.1: it gives sigma_G <= 2 B",
    le(client_sup, 4 * B**2),
    assumes=("ass4.1",),
    uses=("ass4.5.implied/sharp",),
)
STATEMENTS = (
    at("Assumptions 4.1, 4.3 and 4.4", "112, 120, 124")(
        "ass4.4.implied",
        "Assumption 4.4 adds nothing to 4.1 and 4.3: they give sigma_L <= B",
        le(noise_sup, B**2),
        assumes=("ass4.1", "ass4.3"),
    ),
    ASS4_5_IMPLIED,
    ASS4_5_IMPLIED.variant(
        "sharp",
        le(client_sup, (2 * B * (1 - 1 / M)) ** 2),
        changes="with the number of clients, since each client is part of the mean that it is compared with",
        says="4.1 gives sigma_G <= 2 B (1 - 1/M)",
        uses=(),
    ),
    at("Assumptions 4.1 and 4.6", "112, 132")(
        "ass4.6.implied",
        "Assumption 4.6 adds nothing to 4.1: it gives sigma_T <= 2 B",
        le(task_sup, 4 * B**2),
        assumes=("ass4.1",),
    ),
    at("Assumption 4.1", "112")(
        "ass4.1.quadratics",
        "where a mu-strongly convex loss has gradients of norm at most B, no two points are farther apart "
        "than 2 B / mu: on all of R^d Assumption 4.1 excludes every strongly convex loss, quadratics among "
        "them",
        le(dist, 2 * B / convexity),
        conditions=(
            le(here_norm, B),
            le(there_norm, B),
            ge(rise, convexity * dist**2),
            le(rise, (here_norm + there_norm) * dist),
        ),
    ),
    at("Section 4.1, text after Assumption 4.6", "136")(
        "ass4.6.monotone",
        "the bound of Theorem 4.10 degrades monotonically with the task-drift level",
        ge(sp.diff(RATE.rhs, sigma_T2), 0),
        conditions=(*PARTIAL, ge(K, 2)),
        uses=("thm4.10",),
    ),
)
