"""CFL: what the floors below Theorems 4.4, B.5 and B.6 on convex losses come to, for new clients, after a few more rounds.

A floor is a lower bound of the error: that it is small bounds no error. It is least at a share of the start that is what steps must leave of it, or more where drifts cannot be distinguished from it. So
it is at most half of what must be left, and half of what drifts add; either is at most eps after enough rounds. Clients that
remember all rounds leave of all drifts at most twice c_A/T and c_B/T^2.
"""

from __future__ import annotations

from functools import partial

import sympy as sp

from bounds.cfl.rates import c_A, c_B
from bounds.cfl.symbols import CFL, D2, G2, H, L, N, T, at, eps, mu
from bounds.cfl.theorems import CLEARED, floor_after
from bounds.relations import eq, le
from bounds.statement import Statement

left = CFL.positive("share_left", "least share of the start that steps up to the limit leave", r"\rho")
forgets = CFL.nonnegative("forgets", "by how much the start is longer than that, over that", r"\rho^{-1}-1")
spread = CFL.positive(
    "spread", "variance of the mean of the drifts of T rounds, over mu^2", r"\mathbb E\|\bar\delta\|^2/\mu^2"
)

LIMIT = sp.Rational(27, 250)
"""What no step exceeds, times L."""
_rho = sp.Max(spread / (H + spread), 1 / (1 + forgets))
_floor = mu / 2 * (_rho**2 * H + (1 - _rho) ** 2 * spread)
_kept = mu * H / (2 * (1 + forgets) ** 2)
_added = mu * H * spread / (2 * (H + spread))

BEST = eq(floor_after, _floor)
"""The lower bound where least of the start is left."""
LEFT = eq(left, (1 - LIMIT * mu / L) ** T)
"""Steps are no longer than the limit."""
FORGOTTEN = eq((1 + forgets) * left, 1)
ALIKE = eq(N * mu**2 * T * spread, G2 + D2)
"""Without memory the rounds count alike."""
_best_mean = sp.Max(G2 / T, 2 * D2 / (T * (T + 1)))
REMEMBERED = eq(N * mu**2 * T**2 * spread, T**2 * _best_mean)
"""With memory the best mean counts round t up to t times."""
PARTS = at("Theorems 4.4, B.5 and B.6", "222-230, 954-976")(
    "floor.parts",
    "a floor is at most half of the loss of what is left of the start, and half of that of what it and the drifts are both",
    le(_floor, _kept + _added),
)
MEMORY = at("Theorem B.5", "954-962")(
    "floor.memory",
    "T^2 times the variance of the best mean of the drifts that clients remember is at most twice T c_A and c_B",
    le(T**2 * _best_mean, 2 * T * c_A + 2 * c_B),
)


def _halves(cleared: Statement) -> tuple[Statement, ...]:
    """Both parts of a floor after the rounds of a variant, each at most half of eps."""
    shared = {"conditions": cleared.conditions, "hypotheses": cleared.hypotheses}
    place = at(cleared.source.place, cleared.source.lines, **shared)
    start, drifts = (f"{cleared.id.removeprefix('cfl.')}.{half}" for half in ("start", "drifts"))
    after = "after so many rounds, is at most half of eps"
    return (
        place(start, f"what steps must leave of the start, {after}", le(_kept, eps / 2)),
        place(drifts, f"what drifts add to a floor, {after}", le(_added, eps / 2)),
    )


def _small_drifts(id: str, start: sp.Expr, small: sp.Expr) -> tuple[Statement, ...]:
    """Why drifts add little to the floors below Theorem B.5: variances, times `start`, are at most `small`."""
    cleared = next(statement for statement in CLEARED if statement.id == f"cfl.{id}")
    place = partial(at, cleared.source.place, cleared.source.lines, hypotheses=cleared.hypotheses)
    after = place(conditions=cleared.conditions)
    return (
        place()(
            f"{id}.spread",
            "what the drifts that clients remember come to in a floor, by c_A and c_B",
            le(N * mu**2 * T**2 * start * spread, 2 * T * c_A * start + 2 * c_B * start),
        ),
        after(
            f"{id}.c_A",
            "after so many rounds the part of c_A is small",
            le(2 * T * c_A * start, T**2 * small / 50),
        ),
        after(
            f"{id}.c_B",
            "after so many rounds the part of c_B is small",
            le(2 * c_B * start, T**2 * small / 5000),
        ),
    )


REMEMBERING = (
    *_small_drifts("floor.B.5.sc.logarithm", sp.S.One, mu * eps),
    *_small_drifts("floor.B.5.gc.scale", H, eps**2),
)
STATEMENTS = (PARTS, MEMORY, *REMEMBERING, *(half for cleared in CLEARED for half in _halves(cleared)))
