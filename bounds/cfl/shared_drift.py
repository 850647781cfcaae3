"""CFL: Theorem 4.7 itself on convex losses, where time drifts of a client are alike in all rounds, against floors."""

from __future__ import annotations

import sympy as sp

from bounds.cfl.rounds import SHARED_RATES
from bounds.cfl.symbols import D2, F2, R2, T, at, eta_g
from bounds.cfl.theorems import BIASED, LOWER, floor_after, hidden, original
from bounds.cfl.weight_sums import M2
from bounds.relations import eq, ge, gt, le
from bounds.statement import Statement

UNSHARED = eq(M2, sp.Max(0, D2 - F2))


def _theorem(part: str, lines: str, rounds: sp.Expr) -> Statement:
    return at(f"Theorem 4.7({part[0]})", lines)(
        f"thm4.7.{part[3:]}",
        f"{LOWER} after 100 times as many rounds",
        le(floor_after, sum(BIASED.values())),
        terms=BIASED,
        original=original(BIASED),
        conditions=(ge(T, hidden * rounds.subs(eta_g, 1)), ge(hidden, 100), UNSHARED, gt(R2 + M2, 0)),
        uses=("onestep.unbiased", "thm4.7.variance", "thm4.7.c_O", "lemB.7", f"thmB.5.{part[3:]}.longest"),
    )


THEOREMS = thm4_7_sc, thm4_7_gc = (
    _theorem("a, sc", "258-264", SHARED_RATES["sc"]),
    _theorem("b, gc", "258, 266-268", SHARED_RATES["gc"]),
)
STATEMENTS = THEOREMS
