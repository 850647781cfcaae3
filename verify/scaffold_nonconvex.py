"""SCAFFOLD for smooth losses that need not be convex: parts of a round, and Theorem VII as a sum over all rounds."""

from __future__ import annotations

import sympy as sp

import bounds.scaffold.nonconvex as of
import bounds.scaffold.symbols as r
import verify.scenes.scaffold.world as w
from bounds.relations import le
from bounds.scaffold.rounds import OWN
from verify.commands.main import main
from verify.engine.checks.necessity import better_at, needed_in
from verify.engine.checks.relation import inequality
from verify.engine.model.claim import claims_about
from verify.first_order import decided
from verify.scenes.scaffold.nonconvex import DESCENT, LAG, LOCAL, MEAN, PUSH, RESTING, SERVER

_claim = claims_about("scaffold", decided)
IN_ROUND = {
    r.value: r.gaps[r.k],
    r.value_0: r.gaps[r.k - 1],
    r.behind: r.behinds[r.k],
    r.behind_0: r.behinds[r.k - 1],
    r.slope2: r.slopes2[r.k - 1],
}
"""The letters of one round, by rounds; losses are measured from their least value."""
NOISE = r.beta * r.h**2 * r.sigma2 / (r.K * r.S)
BETWEEN = (
    le(24 * r.beta * r.h, 1),
    le(24 * r.beta * r.h * r.N * r.z, r.S),
    le(
        of.WEIGHT * r.behind,
        of.WEIGHT * r.behind_0
        - 17 * r.beta**3 * r.h**2 * r.behind_0 / 3
        + r.h * r.slope2 / 96
        + sp.Rational(97, 96) * r.beta**2 * r.h * r.drift
        + 3 * NOISE / 8,
    ),
    le(
        r.beta / 2 * r.moved2,
        r.beta**2 * r.h * r.drift / 12
        + 4 * r.beta**3 * r.h**2 * r.behind_0
        + r.h * r.slope2 / 12
        + 9 * NOISE / 2,
    ),
)
"""The steps of the proof: the lag with its weight, and the square of the server's step."""
LONG = {
    **{r.R: sp.Integer(2048), r.h: 1 / (24 * r.beta), r.z: sp.Integer(1), r.N: r.S, r.sigma2: sp.Integer(0)},
    **{r.gaps[0]: r.gap, r.behinds[0]: sp.Integer(0), r.spread: sp.Integer(0)},
}
"""A run of 2,048 rounds without noise, in which all clients take part."""
CLAIMS = (
    _claim("nc.server", SERVER),
    _claim("nc.server.mean", MEAN),
    _claim("nc.lag.step", LAG),
    _claim("nc.lag.step/two", LAG),
    _claim("nc.spread", None, inequality),
    _claim(
        "nc.lag",
        None,
        inequality,
        through=(le(576 * r.h**2 * r.beta**2 * r.N, r.window * r.S),),
        lemmas={
            of.MOVED: [("nc.server", {})],
            of.MEAN_MOVED: [("nc.server.mean", {})],
            of.BEHIND_AFTER: [("nc.lag.step", {})],
        },
    ),
    _claim("nc.drift.young", LOCAL),
    _claim("nc.drift.push", PUSH),
    _claim(
        "nc.drift.step",
        None,
        inequality,
        lemmas={of.STEPPED: [("nc.drift.young", {})], of.PUSHED: [("nc.drift.push", {})]},
    ),
    _claim("nc.drift.sum", None, inequality, lemmas={of.UNROLLED: [("drift.unrolled", {r.R: r.k})]}),
    _claim(
        "nc.drift.mean",
        None,
        inequality,
        lemmas={
            of.LOCAL_STEP: [("nc.drift.step", {r.apart: r.walk[r.k], r.apart_0: r.walk[r.k - 1]})],
            of.OVER_STEPS: [
                ("nc.drift.sum", {r.R: r.K, r.rate: 1 / (r.K - 1), r.summed[r.K]: r.K * r.drift})
            ],
            of.GROWN: [
                ("drift.growth", {r.R: r.K - 1, r.rate: 1 / (r.K - 1)}),
                ("drift.exp", {r.part: sp.S.One}),
            ],
        },
    ),
    _claim(
        "nc.drift",
        None,
        inequality,
        lemmas={of.MEAN_DRIFT: [("nc.drift.mean", {r.eta_l: OWN, r.step: of.ADDED.subs(r.eta_l, OWN)})]},
    ),
    _claim("nc.descent", DESCENT),
    _claim(
        "nc.progress",
        None,
        inequality,
        through=BETWEEN,
        lemmas={
            of.DESCENDED: [("nc.descent", {})],
            of.MOVED: [("nc.server", {})],
            of.LAGGED.subs(r.window, r.z): [("nc.lag", {r.window: r.z, r.edge: r.z**2})],
            of.DRIFTED: [("nc.drift", {})],
        },
    ),
    _claim("nc.thm7.sum", None, inequality),
    _claim("nc.thm7.free", RESTING),
    _claim(
        "nc.thm7",
        None,
        inequality,
        beside=(needed_in(w.WORLD, *w.NONCONVEX, letters=w.NONCONVEX_LETTERS), better_at(LONG, of.AT_START)),
        through=(le(r.h * r.slopes, r.h * r.R * sum(of.RATE.values())),),
        lemmas={
            of.ROUND: [("nc.progress", IN_ROUND)],
            of.SUM: [
                (
                    "nc.thm7.sum",
                    {r.potential: sp.Lambda(r.k, of.phi(r.k)), r.step: of.NOISE, r.slopes_sum[r.R]: r.slopes},
                )
            ],
        },
    ),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="scaffold_nonconvex"))
