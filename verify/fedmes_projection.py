"""FedMeS, Eq. (3) to (6) and Appendix A.1: implications of the conditions on the memory, and the correction as a projection."""

from __future__ import annotations

import bounds.fedmes.projection as b
from bounds.fedmes.symbols import eta_1, lam
from verify.commands.main import main
from verify.engine.checks.relation import agreement, entailment, identity, inequality
from verify.engine.model.claim import claims_about, for_each
from verify.facts.vectors import multiple
from verify.scenes.fedmes.projection import BATCHES, LOSSES, REGULARISED, SMOOTH, STEPS, VECTORS

_claim = claims_about("fedmes", identity)
_claims = for_each(_claim)

CLAIMS = (
    _claim("eq3", LOSSES, entailment),
    *_claims("eq4.sufficient eq4.necessary eq16", LOSSES, inequality),
    _claim("eq16/small-steps", LOSSES, inequality, SMOOTH),
    _claim("eq16.expansion", LOSSES),
    _claim("eq26", LOSSES, inequality),
    _claim("eq26.regularised", VECTORS, entailment),
    _claim("eq14", LOSSES, inequality),
    _claim("eq14.each", LOSSES, entailment),
    _claim("eq15", VECTORS, inequality, "eq24.area"),
    _claim("eq17", VECTORS, inequality, "eq24.length", "eq17.area"),
    *_claims("eq17.area eq18 eq19", VECTORS),
    _claim("eq19.below", VECTORS, inequality, "eq19"),
    _claim("eq20", VECTORS, inequality, "eq20.square"),
    *_claims("eq20.square eq21 eq22 eq23", VECTORS),
    _claim("eq23.multiplier", VECTORS, entailment),
    _claim("eq23.multiplier/conflict", VECTORS, inequality),
    *_claims("eq24 eq24.orthogonal eq24.area eq24.length", VECTORS),
    _claim("eq25", BATCHES, agreement),
    _claim("eq27", VECTORS, inequality, "eq27.right-angle"),
    _claim("eq27.right-angle", VECTORS),
    _claim("eq5", REGULARISED, agreement),
    _claim("eq5/gradient", REGULARISED),
    _claim("eq5.pull", REGULARISED, inequality),
    _claim(
        "eq5.pull/gradient",
        REGULARISED.of_class("lengths of vectors", multiple(b.gradient_next, 1 - eta_1 * lam, b.towards_now)),
        inequality,
    ),
    *_claims("eq5.fixed eq5.fixed/gradient", REGULARISED),
    _claim("eq6", VECTORS, entailment),
    _claim("eq28", STEPS),
    _claim("remark1.rest", VECTORS, identity, "eq24.length", "eq27.right-angle"),
    _claim("remark1.one-of-two", STEPS),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="fedmes_projection"))
