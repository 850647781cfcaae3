"""CFL: convergence on convex losses (Appendix B.4.4, Table 1).

Runs of Algorithm 2 on quadratics, with exact moments. The N clients of a round are new, and their drifts, including past ones,
are independent of the model. Assumption 3 therefore holds with its expectations conditional on omega. Statements about
returning clients are judged on runs with the same N clients in every round.
"""

from __future__ import annotations

from bounds.cfl.rates import harmonic_before
from bounds.cfl.techniques import log_T
from verify.commands.main import main
from verify.engine.checks.order import order
from verify.engine.checks.relation import agreement, bound, identity, inequality
from verify.engine.model.claim import claims_about, for_each
from verify.facts import harmonic_sum
from verify.scenes.cfl.rare import RARE
from verify.scenes.cfl.rate import AVERAGES, CONVEX, FED_RETURN, LONG_CONVEX, LONG_STRONG, RETURN, RUN, STRONG
from verify.scenes.cfl.rate_facts import BEFORE
from verify.scenes.cfl.theorems import ANY_CONSTANTS

_claim = claims_about("cfl", bound)
_claims = for_each(_claim)
CLAIMS = (
    _claim("eq23", RUN),
    _claim("eq23/moving", RARE),
    _claim("B44.sc", LONG_STRONG),
    _claim("B44.sc/moving", STRONG),
    _claim("B44.gc", LONG_CONVEX),
    _claim("B44.gc/moving", CONVEX),
    _claim("eq23/returning", RETURN),
    _claim("eq24/returning", FED_RETURN),
    _claim("phi.split", None, identity),
    *_claims("phi.average phi.average/limit B44.sc.sum", AVERAGES, inequality),
    *_claims("B44.sc.rate.first B44.sc.rate.second", None, order),
    *_claims("tab1.cfl.ours.sc tab1.cfl.ours.gc tab1.fedavg.ours.sc tab1.fedavg.ours.gc", None, agreement),
    *_claims("tab1.cl.ours.sc tab1.cl.ours.gc tab1.cl.ours.constant tab1.sgd.sc", None, agreement),
    *_claims("tab1.sgd.gc tab1.conventional.sc tab1.conventional.gc", None, agreement),
    *_claims("tab1.matches.sc tab1.matches.gc", ANY_CONSTANTS, inequality),
    _claim("B44.sc.sum.order", AVERAGES, inequality),
    _claim(
        "B44.sc.sum.order/first-round",
        AVERAGES.of_class("sums of reciprocals", harmonic_sum(harmonic_before, log_T)),
        inequality,
        BEFORE,
    ),
    _claim("B44.sc.sum.order/absorbed", AVERAGES, inequality, "B44.sc.sum", "B44.sc.sum.order/first-round"),
    _claim("eq24.start", None, agreement),
    *_claims("tab1.improvement.sc tab1.improvement.gc tab1.rows.sc tab1.rows.gc", None, inequality),
    *_claims("tab1.improvement.sc/small-bias tab1.improvement.gc/small-bias", None, inequality),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_rate"))
