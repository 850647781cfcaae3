"""SPECIAL, Appendix E.1: what the limits on the step sizes say without roots, and so a shorter way to Eq. (32) and (34).

Each weighted gradient is at most B / (1 + lambda) long, so that the sum of their squares is at most that times the sum of
their lengths. Eq. (32) takes a root of the sum of squares instead, which bounds given gradients, not expectations.
"""

from __future__ import annotations

from functools import partial

import sympy as sp

from bounds.relations import eq, le
from bounds.special.bkt_sums import CORRECTED, PRINTED, SERIES, Sums, V, correction, second_factor
from bounds.special.symbols import G0, SPECIAL, B, E, K, L, M, N, at, eps, gamma_G, gamma_L, lam, sigma_L2, t
from bounds.special.theorems import BKT, NOISY

root = SPECIAL.positive("root", "root of M E / (lambda^2 + 2 lambda)", r"\sqrt{ME/(\lambda^2+2\lambda)}")
ROOT = eq(root, sp.sqrt(M * E / (lam**2 + 2 * lam)))
SQUARED = eq(root**2 * (lam**2 + 2 * lam), M * E)
"""What the letter stands for."""
weighed = SPECIAL.positive("weighed", "sum of the weights of t rounds", r"S_t")
gained = SPECIAL.nonnegative(
    "gained", "how far alignment lets the loss of the earlier tasks fall, at first order"
)
GAINED = eq(gained, gamma_G * gamma_L / M * eps * G0 * CORRECTED.Y)
endless = SPECIAL.nonnegative("endless", "what the noise adds to T2 in endless rounds")
ENDLESS = eq(endless, second_factor * SERIES * M * E * sigma_L2)


def gentle(q: Sums) -> sp.Le:
    """No weighted gradient is longer than B / (1 + lambda)."""
    return le((1 + lam) * q.X, B * q.Y)


_limit = partial(
    at, lines="142, 565-577", conditions=BKT.conditions, changes="not of the paper: a step of a shorter proof"
)
_local, _server = _limit("Limit on gamma_L"), _limit("Limit on gamma_G")

LOCAL = _local(
    "thm4.7.limit",
    "the limit on the local step, with a letter for the root",
    le(gamma_L * B * L * E * t * root, 2 * eps * G0),
)
LARGE = _local(
    "thm4.7.limit.root", "the root is at least 1/(1 + lambda)", le(1, (1 + lam) * root), conditions=()
)
PLAIN = _local(
    "thm4.7.limit.plain",
    "so the local step meets a limit without root",
    le(gamma_L * B * L * E * t, 2 * eps * G0 * (1 + lam)),
    uses=("thm4.7.limit", "thm4.7.limit.root"),
)
LOCAL2 = _local(
    "thm4.7.limit.squared",
    "the limit on the local step, squared",
    le((gamma_L * B * L * E * t) ** 2 * M * E, 4 * eps**2 * G0**2 * (lam**2 + 2 * lam)),
    uses=("thm4.7.limit",),
)
SERVER2 = _server(
    "thm4.7.limit.server.squared",
    "the limit on the global step, squared",
    le(gamma_G**2 * N * (K - 1) ** 2, 1),
)
SERVER = _server(
    "thm4.7.limit.server",
    "the global step is at most 1/(K-1)",
    le((K - 1) * gamma_G, 1),
    uses=("thm4.7.limit.server.squared",),
)
BOTH = _limit("Limits on gamma_L and gamma_G")(
    "thm4.7.limit.both",
    "both steps together",
    le((K - 1) * gamma_G * gamma_L * L * E * t * B, 2 * eps * G0 * (1 + lam)),
    uses=("thm4.7.limit.plain", "thm4.7.limit.server"),
)
SERIES_END = _limit("Eq. (34), step (a7)")(
    "a7.endless",
    "with both limits, the noise of endless rounds adds at most the correction",
    le(endless, correction),
    uses=("thm4.7.limit.squared", "thm4.7.limit.server.squared"),
)
BRIEF2 = _limit("Eq. (32), step (a4)")(
    "a4.squared",
    "bounded gradients and the series bound the sum of squares under the root",
    le(V, B**2 * root**2),
    assumes=NOISY,
    uses=("eq33",),
)
BRIEF = _limit("Eq. (32), step (a4)")(
    "a4.root", "so they bound its root", le(sp.sqrt(V), B * root), assumes=NOISY, uses=("a4.squared",)
)
SUMMED = tuple(
    _limit("Eq. (34), step (a6)")(
        f"eq34.endless{variant}",
        "the noise part of T2 is at most that of endless rounds",
        le(q.T22, endless),
        assumes=NOISY,
        uses=(f"a5{variant}", "eq33"),
    )
    for q, variant in ((PRINTED, ""), (CORRECTED, "/corrected"))
)

STATEMENTS = (LOCAL, LARGE, PLAIN, LOCAL2, SERVER2, SERVER, BOTH, SERIES_END, BRIEF2, BRIEF, *SUMMED)
