"""Local SGD on heterogeneous data: lemmas and the theorem for convex losses, for all numbers of clients, local steps and rounds."""

from __future__ import annotations

import sympy as sp

import bounds.localsgd.heterogeneous as b
import bounds.localsgd.symbols as s
import bounds.localsgd.theorem as thm
import verify.scenes.localsgd.world as w
from verify.commands.main import main
from verify.engine.checks.necessity import better_at, needed_in
from verify.engine.checks.relation import inequality
from verify.engine.model.claim import claims_about, for_each
from verify.first_order import decided
from verify.scenes.localsgd.sampled import GRADIENT, LONGER, MODELS, SAMPLED, SQUARE

_claim = claims_about("localsgd", decided)
_claims = for_each(_claim)
MOVED = s.far[s.t] - s.far[s.t + 1] + s.gamma**2 * b.gradient2
IN_STEP = {
    **{
        s.distance2: s.far[s.t + 1],
        s.distance2_0: s.far[s.t],
        s.bregman: s.excess[s.t],
        s.apart: s.drift[s.t],
    },
    b.inner: MOVED / (2 * s.gamma),
}
"""The letters of one step, by steps; the square of a step gives the inner product."""
IN_PERIOD = {b.strays[s.T + 1]: b.strayed, b.bills[s.T + 1]: b.paid}
"""The sums of all steps between two communications."""
OF_RUN = {b.apart_sums[b.R + 1]: b.strayed, b.loss_sums[b.R + 1]: b.losses, b.step_sums[b.R + 1]: s.T}
DIFFERENT = (w.SMOOTH, w.CONVEX, w.OFTEN, w.AT_OPTIMUM, w.UNBIASED, w.INDEPENDENT)
REACH = {b.reach: (s.H - 1) ** 2}
LONG = {
    b.reach: sp.Integer(1),
    s.T: sp.Integer(1024),
    s.H: sp.Integer(2),
    s.gamma: 1 / (8 * s.L),
    b.dif2: sp.Integer(0),
}
"""A run of 1,024 steps without noise at the optimum."""
CLAIMS = (
    *_claims("dif.gradient dif.gradient/quarter", GRADIENT),
    *_claims("dif.product dif.product/half", SAMPLED),
    _claim("dif.square", SQUARE),
    _claim(
        "dif.step",
        None,
        inequality,
        lemmas={
            b.SQUARE: [("dif.square", {})],
            b.PRODUCT.relation: [("dif.product", {})],
            b.AVERAGED.relation: [("dif.gradient", {})],
        },
    ),
    _claim("dif.gradients", SAMPLED),
    _claim("dif.mean", MODELS),
    _claim("dif.longer", LONGER),
    _claim(
        "dif.way",
        None,
        inequality,
        lemmas={
            b.LONGER: [
                (
                    "dif.longer",
                    {b.way2_next: b.ways[s.t + 2], b.way2: b.ways[s.t + 1], b.gradients2: b.moves[s.t + 1]},
                )
            ]
        },
    ),
    _claim(
        "dif.summed",
        None,
        inequality,
        lemmas={
            b.NEAR: [
                ("dif.way", {s.T: s.t}),
                ("dif.mean", {s.apart: s.drift[s.t + 1], b.way2: b.ways[s.t + 1]}),
            ]
        },
    ),
    _claim(
        "dif.billed",
        None,
        inequality,
        lemmas={
            b.IN_EVERY: [
                (
                    "dif.gradients",
                    {b.gradients2: b.moves[s.t], s.apart: s.drift[s.t], s.bregman: s.excess[s.t]},
                )
            ]
        },
    ),
    _claim("dif.count", None, inequality),
    _claim(
        "dif.strayed",
        None,
        inequality,
        lemmas={
            b.SHORT_WAYS: [("dif.count", {}), ("dif.summed", IN_PERIOD)],
            b.SQUARES: [("dif.billed", {**IN_PERIOD, s.spent[s.T + 1]: b.losses})],
        },
    ),
    _claim(
        "dif.run",
        None,
        inequality,
        lemmas={
            b.PERIOD: [
                ("dif.strayed", {s.T: b.lengths[b.k], b.strayed: b.aparts[b.k], b.losses: b.costs[b.k]})
            ]
        },
    ),
    _claim("dif.sum", None, inequality, lemmas={b.EVERY: [("dif.step", IN_STEP)]}),
    _claim(
        "dif.thm",
        None,
        inequality,
        beside=(needed_in(w.WORLD, *DIFFERENT, letters=REACH), better_at(LONG, thm.AT_START)),
        lemmas={
            b.MEAN: [("thm2.mean", {s.t: s.T, s.gaps: b.losses})],
            b.SUM: [
                (
                    "dif.sum",
                    {s.far[1]: s.distance2_0, b.strays[s.T + 1]: b.strayed, s.spent[s.T + 1]: b.losses},
                )
            ],
            b.STRAYED: [("dif.run", OF_RUN)],
        },
    ),
    _claim("dif.thm/tenth", None, inequality),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="localsgd_heterogeneous"))
