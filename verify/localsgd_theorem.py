"""Local SGD on identical data: three lemmas and Theorems 1 and 2, for all numbers of clients, local steps and rounds."""

from __future__ import annotations

import sympy as sp

import bounds.localsgd.symbols as b
import bounds.localsgd.theorem as thm
import verify.scenes.localsgd.world as w
from bounds.relations import le
from verify.commands.main import main
from verify.engine.checks.necessity import better_at, better_in, needed_in
from verify.engine.checks.relation import inequality
from verify.engine.model.claim import claims_about, for_each
from verify.first_order import decided
from verify.scenes.localsgd.step import CLIENTS, FLAT, MODELS, PAIRS, SOME, STEP
from verify.scenes.standing_still import gap_from_distance, of_still_model

_claim = claims_about("localsgd", decided)
_claims = for_each(_claim)
IN_STEP = {
    b.distance2: b.far[b.t + 1],
    b.distance2_0: b.far[b.t],
    b.bregman: b.excess[b.t],
    b.apart: b.drift[b.t],
}
VARIANCE = ("lem2", {b.total: b.M**2 * b.noise})
NEAR = {thm.NEAR: [("lem3", {b.apart: b.drift[b.t], b.t: b.place[b.t]})]}
IDENTICAL = (w.SMOOTH, w.OFTEN, w.VARIANCE, w.UNBIASED, w.INDEPENDENT, w.IDENTICAL)
LONG = {b.T: sp.Integer(1024), b.gamma: 1 / (4 * b.L), b.sigma2: sp.Integer(0)}
"""A run of 1,024 steps without noise."""
CLAIMS = (
    _claim("lem1", STEP),
    _claim("lem1/convex", FLAT),
    _claim("lem1/long", STEP),
    _claim("lem1/quarter", SOME),
    _claim("lem2.sum", CLIENTS),
    _claim(
        "lem2", None, inequality, lemmas={thm.OF_ALL: [("lem2.sum", {b.t: b.M, b.total_0: sp.Integer(0)})]}
    ),
    *_claims("lem3.step lem3.step/all lem3.step/long", PAIRS),
    _claim(
        "lem3.steps",
        None,
        inequality,
        lemmas={thm.LOCAL_STEP: [("lem3.step", {b.apart: b.local[b.t + 1], b.apart_0: b.local[b.t]})]},
    ),
    _claim("lem3", None, inequality, lemmas={thm.STEPS: [("lem3.steps", {b.T: b.t, b.local[b.t]: b.apart})]}),
    _claim(
        "thm1",
        None,
        inequality,
        beside=(
            needed_in(w.WORLD, *IDENTICAL, w.STRONG, letters=w.ENDS),
            better_in(w.WORLD, thm.STILL, *IDENTICAL, w.STRONG, letters=w.ENDS),
        ),
        through=(le(b.gamma * b.mu, 1),),
        lemmas={thm.ONE_STEP: [("lem1", IN_STEP), VARIANCE], **NEAR},
    ),
    _claim("thm1/half", None, inequality),
    _claim("thm1.free", of_still_model(b.distance2, b.distance2_0)),
    _claim("thm2.free", gap_from_distance(b.gap, b.distance2_0)),
    _claim(
        "thm2.sum", None, inequality, lemmas={thm.FLAT_STEP: [("lem1/convex", IN_STEP), VARIANCE], **NEAR}
    ),
    _claim("thm2.mean", MODELS),
    _claim(
        "thm2",
        None,
        inequality,
        beside=(needed_in(w.WORLD, *IDENTICAL, w.CONVEX), better_at(LONG, thm.AT_START)),
        lemmas={
            thm.MEAN: [("thm2.mean", {b.t: b.T})],
            thm.SUM: [("thm2.sum", {b.far[1]: b.distance2_0, b.spent[b.T + 1]: b.gaps})],
        },
    ),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="localsgd_theorem"))
