"""SCAFFOLD: its technical lemmas, the parts of a round, and Theorem III for convex losses as a sum over all rounds."""

from __future__ import annotations

import sympy as sp

import bounds.scaffold.lemmas as lem
import bounds.scaffold.rounds as of
import bounds.scaffold.symbols as r
import verify.scenes.scaffold.world as w
from bounds.relations import le
from verify.commands.main import main
from verify.engine.checks.necessity import better_at, needed_in
from verify.engine.checks.relation import identity, inequality
from verify.engine.model.claim import claims_about, for_each
from verify.first_order import decided
from verify.scenes.scaffold.lemmas import CONTRACTION, DEPENDENT, MARTINGALE, PAIR, PERTURBED, TWO, VECTORS
from verify.scenes.scaffold.rounds import DISTANCE, LAG, LOCAL, RESTING, SERVER

_claim = claims_about("scaffold", decided)
_claims = for_each(_claim)
RENEWED = 36 * r.beta * r.h**2 * r.gap + 18 * r.beta**2 * r.h**2 * r.drift
BETWEEN = (
    le(9 * r.N * r.h**2 / r.S * r.lag, 9 * r.N * r.h**2 / r.S * r.lag_0 - 9 * r.h**2 * r.lag_0 + RENEWED),
    le(81 * r.beta**2 * r.h**2 * r.drift, r.beta * r.h * r.drift),
    le(81 * r.beta * r.h**2 * r.gap, r.h * r.gap),
    le(15 * r.mu * r.N * r.h**3 / r.S * r.lag_0, r.h**2 * r.lag_0),
    le(r.h / (25 * r.eta_g**2) * r.gap, r.h * r.gap / 25),
)
"""The steps of the proof: the control lag with its weight, and terms of higher order in the step size."""
IN_ROUND = {
    r.distance2: r.far[r.k],
    r.distance2_0: r.far[r.k - 1],
    r.lag: r.lags[r.k],
    r.lag_0: r.lags[r.k - 1],
    r.gap: r.gaps[r.k - 1],
    r.drift: r.drifts[r.k],
    r.largest: r.most[r.k],
    r.j: r.place[r.k],
}
"""The letters of one round, by rounds."""
ENDED = sp.Rational(199, 200) ** 128
LONG = {
    **{
        r.R: sp.Integer(128),
        r.h: 1 / (81 * r.beta),
        r.mu: 81 * r.beta / 100,
        r.N: r.S,
        r.sigma2: sp.Integer(0),
    },
    **{r.far[0]: r.distance2_0, r.lags[0]: sp.Integer(0), r.left: ENDED, r.weight: 200 * (1 - ENDED)},
}
"""A run of 128 rounds without noise, in which all clients take part."""
CLAIMS = (
    _claim("lem1.sum", None, inequality),
    _claim("lem1.weights", None, identity),
    *_claims("lem1.left lem1.exp", None, inequality),
    _claim(
        "lem1",
        None,
        inequality,
        through=(le(1, 3 * r.mu * r.eta * r.weight),),
        lemmas={
            lem.TELESCOPED: [
                (
                    "lem1.sum",
                    {
                        r.kept: 1 - r.mu * r.eta,
                        r.total[r.R]: r.progress,
                        r.distance[0]: r.start,
                        r.weights[r.R]: r.weight,
                    },
                )
            ],
            lem.WEIGHT: [("lem1.weights", {r.kept: 1 - r.mu * r.eta, r.weights[r.R]: r.weight})],
            lem.LEFT: [("lem1.left", {r.kept: 1 - r.mu * r.eta})],
        },
    ),
    _claim("lem2", None, inequality),
    _claim("lem3.pair", PAIR),
    *_claims("lem3.sum lem3.sum/better", VECTORS),
    *_claims("lem4 lem4/independent", DEPENDENT),
    _claim("lem4.martingale", MARTINGALE),
    _claim("lem4.martingale/single", TWO),
    *_claims("lem5 lem5/half", PERTURBED),
    *_claims("lem6 lem6/square lem6/better lem6/long", CONTRACTION),
    _claim("server", SERVER),
    _claim("lag", LAG),
    _claim("drift.step", LOCAL),
    *_claims("drift.unrolled drift.growth drift.exp", None, inequality),
    _claim(
        "drift.most",
        None,
        inequality,
        lemmas={
            of.LOCAL_STEP: [("drift.step", {r.apart: r.walk[r.k], r.apart_0: r.walk[r.k - 1]})],
            of.UNROLLED: [("drift.unrolled", {r.rate: 1 / (r.K - 1)})],
            of.GROWN: [("drift.growth", {r.rate: 1 / (r.K - 1)}), ("drift.exp", {r.part: r.R / (r.K - 1)})],
        },
    ),
    _claim(
        "drift",
        None,
        inequality,
        lemmas={
            of.MOST: [
                (
                    "drift.most",
                    {
                        r.R: r.j,
                        r.walk[r.j]: r.largest,
                        r.eta_l: of.OWN,
                        r.step: of.ADDED.subs(r.eta_l, of.OWN),
                    },
                )
            ]
        },
    ),
    _claim("step", DISTANCE),
    _claim(
        "progress",
        None,
        inequality,
        through=BETWEEN,
        lemmas={
            of.MOVED: [("server", {})],
            of.LAG: [("lag", {})],
            of.DRIFTED: [("drift", {})],
            of.STEPPED: [("step", {})],
        },
    ),
    _claim("thm3.sum", None, inequality),
    _claim("thm3.free", RESTING),
    _claim(
        "thm3",
        None,
        inequality,
        beside=(needed_in(w.WORLD, *w.CONVEX, letters=w.CONVEX_LETTERS), better_at(LONG, of.AT_START)),
        through=(le(r.h * r.progress, r.h * r.weight * sum(of.RATE.values())),),
        lemmas={
            of.ROUND: [("progress", IN_ROUND)],
            of.SUM: [
                (
                    "thm3.sum",
                    {
                        r.potential: sp.Lambda(r.k, of.phi(r.k)),
                        r.step: of.NOISE,
                        r.kept: of.PART,
                        r.weighted[r.R]: r.progress,
                        r.weights[r.R]: r.weight,
                    },
                )
            ],
        },
    ),
    _claim(
        "thm3.start",
        None,
        inequality,
        lemmas={
            of.WEIGHT: [("lem1.weights", {r.kept: of.PART, r.weights[r.R]: r.weight})],
            of.LEFT: [("lem1.left", {r.kept: of.PART})],
        },
    ),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="scaffold_theorem"))
