"""CFL: trivial bounds, which need no theorem: standing still, the current data alone, one drift instead of a mean of many."""

from __future__ import annotations

from functools import partial

from bounds.cfl.correlated import grad2, loss2
from bounds.cfl.kept import all_gap
from bounds.cfl.nonconvex import loss_next, loss_now
from bounds.cfl.rates import gap_mean
from bounds.cfl.symbols import A2, B2, D2, G2, H, L, at, g2, mu
from bounds.hypotheses import Hypothesis
from bounds.relations import le

_free = partial(at, changes="not of the paper: what the assumptions give without the theorem")
STILL = _free("Assumption 1, by standing still", "154")(
    "runs.free",
    "a model that stands still has a mean excess loss of at most L/2 times the squared distance of the start",
    le(gap_mean, L / 2 * H),
)
ONE_DRIFT = _free("Assumptions 1 and 3, without averaging", "154, 162")(
    "thm4.1.kept.free",
    "a mean of drifts is no larger than one of them",
    le(all_gap, (G2 + D2) / (2 * mu)),
    hypotheses=(Hypothesis.NEW_CLIENTS,),
    uses=("thm4.1.kept.gradient", "thm4.1.kept.spread"),
)
CURRENT = _free("Assumption 3, for the current data alone", "162")(
    "thm4.9.free",
    "a client that follows its current data alone has the whole time drift and loses nothing",
    le(grad2 + loss2, G2 + D2 + (1 + A2 + B2) * g2),
    assumes=("ass3.client", "ass3.time"),
)
SAME = _free("Appendix B.5, by standing still", "849-948")(
    "nc.descent.free", "a model that stands still keeps its loss", le(loss_next, loss_now)
)
STATEMENTS = (STILL, ONE_DRIFT, CURRENT, SAME)
