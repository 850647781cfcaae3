"""CFL: Theorems 4.1(c), 4.4(c) and 4.7(c), on losses of any curvature, against runs that are computed.

What the theorems ask for is the mean squared gradient, with no bias beside it. The constant c_m is not given, so that it is a
number here, too: at most 1/2, which is what the factor of the gradient in Eq. (32) is at most without A and B.
"""

from __future__ import annotations

import sympy as sp

from bounds.cfl.convex import step_limit
from bounds.cfl.rounds import non_convex, terms_nc
from bounds.cfl.shared_drift import UNSHARED
from bounds.cfl.symbols import (
    A2,
    B2,
    C2,
    CFL,
    D2,
    G2,
    R2,
    K,
    L,
    N,
    T,
    at,
    c_m,
    eps,
    eta,
    eta_g,
    excess_0,
    f0,
    fs,
    sigma2,
)
from bounds.cfl.theorems import hidden, z
from bounds.cfl.weight_sums import M2
from bounds.relations import eq, ge, gt, le
from bounds.statement import Scaling, Statement

grad2_mean = CFL.nonnegative(
    "grad2_mean",
    "mean over the rounds of the expected squared gradient before each",
    r"\tfrac1T\sum_t\mathbb E\|\nabla f(\omega_t)\|^2",
)
c_R1, c_R2 = R2 / (R2 + D2), D2**2 / (R2 + D2) ** 2
_step = "at the step sqrt(KN)/sqrt(TL)"


def _theorem(
    number: str, lines: str, share: sp.Expr, c_O: sp.Expr, *defined: sp.Rel, uses: tuple[str, ...]
) -> Statement:
    """The theorem itself; clients are new or the same in every round, and remember all rounds if they have weights for them."""
    return at(f"Theorem {number}(c)", lines)(
        f"thm{number}.nc",
        f"after 100 times as many rounds {_step} the mean squared gradient is at most eps",
        le(grad2_mean, eps),
        terms={"eps": eps},
        conditions=(
            ge(T, hidden * non_convex(share)),
            ge(hidden, 100),
            le(eta, step_limit(c_O, 6).subs(eta_g, 1)),
            *defined,
        ),
        uses=uses,
    )


THEOREMS = thm4_1_nc, thm4_4_nc, thm4_7_nc = (
    _theorem("4.1", "196, 210-212", R2 / (R2 + D2), 1 + A2 + B2, gt(R2 + D2, 0), uses=("nc.rate",)),
    _theorem("4.4", "222, 232-234", sp.S.One, 1 + A2 + B2, uses=("nc.rate",)),
    _theorem(
        *("4.7", "258, 270-272", R2 / (R2 + M2), 1 + A2 + sp.Max(B2, C2), UNSHARED, gt(R2 + M2, 0)),
        uses=("thm4.7.variance", "nc.rate"),
    ),
)
_full = (
    L**2 * (f0 - fs) ** 2 / (N * K * c_m**2 * eps**2)
    + (sp.sqrt(K * N) * c_R1 / L + sigma2 / sp.sqrt(N * K)) ** 2 / eps**2
    + sp.sqrt(K * N) * c_R2 / (c_m * eps * L)
)
"""Rounds of Theorem B.5(c)."""
_dominant = at("Theorem 4.1(c), and the text after Theorem 4.4", "210-212, 236")
DOMINANT = (
    _dominant(
        "thm4.1.nc.order",
        "only dominant terms are left out of Theorem B.5(c): as eps shrinks and all else is fixed, its number of rounds grows no "
        "faster than this one",
        Scaling(
            {"B.5(c)": _full.subs({f0 - fs: excess_0, eps: 1 / z})},
            {},
            (non_convex(c_R1).subs({f0 - fs: excess_0, eps: 1 / z})),
            (z,),
        ),
    ),
    _dominant(
        "thm4.1.nc.uniform",
        "the number of rounds of the full theorem is at most 100 times this one, whatever the constants that both show",
        le(_full, 100 * non_convex(c_R1)),
        terms={name: 100 * term for name, term in terms_nc(c_R1).items()},
        conditions=(gt(R2 + D2, 0),),
    ),
)
_alone = {"R2": eq(R2, 0), "G2": eq(G2, 0)}
DRIFTS = (
    thm4_1_nc.variant(
        "lossless",
        conditions=(*thm4_1_nc.conditions, _alone["R2"]),
        changes="nothing is lost: of the number of rounds, which knows neither G nor D, the start alone is left",
    ),
    thm4_7_nc.variant(
        "shared",
        conditions=(*thm4_7_nc.conditions, *_alone.values()),
        changes="nothing is lost and there is no client drift: what the time drifts of a client share in all rounds acts alone, "
        "of which the number of rounds knows nothing",
    ),
)
STATEMENTS = (*THEOREMS, *DRIFTS, *DOMINANT)
