"""Local SGD on heterogeneous data: lemmas and the theorem for convex losses, for all numbers of clients, local steps and rounds."""

from __future__ import annotations

import bounds.localsgd.heterogeneous as b
import bounds.localsgd.symbols as s
from verify.commands.main import main
from verify.engine.checks.relation import inequality
from verify.engine.model.claim import claims_about
from verify.first_order import decided
from verify.scenes.localsgd.sampled import GRADIENT, SAMPLED, WAY

_claim = claims_about("localsgd", decided)
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
CLAIMS = (
    _claim("dif.gradient", GRADIENT),
    _claim("dif.gradient/quarter", GRADIENT),
    _claim("dif.product", SAMPLED),
    _claim("dif.product/half", SAMPLED),
    _claim(
        "dif.step",
        None,
        inequality,
        lemmas={b.PRODUCT.relation: [("dif.product", {})], b.AVERAGED.relation: [("dif.gradient", {})]},
    ),
    _claim("dif.gradients", SAMPLED),
    _claim("dif.way", WAY),
    _claim("dif.summed", None, inequality),
    _claim("dif.count", None, inequality),
    _claim("dif.strayed", None, inequality),
    _claim("dif.sum", None, inequality, lemmas={b.EVERY: [("dif.step", IN_STEP)]}),
    _claim(
        "dif.thm",
        None,
        inequality,
        lemmas={
            b.MEAN: [("thm2.mean", {s.t: s.T, s.gaps: b.losses})],
            b.SUM: [
                (
                    "dif.sum",
                    {s.far[1]: s.distance2_0, b.strays[s.T + 1]: b.strayed, s.spent[s.T + 1]: b.losses},
                )
            ],
        },
    ),
    _claim("dif.thm/tenth", None, inequality),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="localsgd_heterogeneous"))
