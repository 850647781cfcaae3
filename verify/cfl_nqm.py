"""CFL, Section 5.1: the noisy quadratic model, its best learning rates, and the conclusions of the text."""

from __future__ import annotations

from verify.commands.main import main
from verify.engine.checks.applicability import applicability
from verify.engine.checks.relation import agreement, entailment, identity, inequality
from verify.engine.checks.table import table
from verify.engine.model.claim import claims_about, for_each
from verify.scenes.cfl import nqm as scenes

_claim = claims_about("cfl", inequality)
_claims = for_each(_claim)
CLAIMS = (
    _claim("nqm.model.smooth", scenes.PRINTED),
    *_claims("nqm.model.smooth/half nqm.model.convex", scenes.PRINTED, inequality, *scenes.CURVED),
    *_claims("nqm.gradient nqm.gradient/half", scenes.PRINTED, agreement),
    _claim("nqm.gradient.ass4", scenes.LOST),
    *_claims("nqm.params.loss nqm.params.loss/half", scenes.OPTIMUM, identity),
    _claim("nqm.params.loss.far", scenes.PRINTED),
    _claim("nqm.params.loss.far/strong", scenes.PRINTED, inequality, scenes.FAR),
    _claim("nqm.params.step", None, applicability(scenes.ONE_STEP)),
    _claim("tab3", scenes.AGAINST_TABLE, entailment),
    *_claims("tab3.stable tab3.stable/derivative", scenes.RATE, table(scenes.ONE_BY_ONE)),
    *_claims("nqm.claims.rates nqm.claims.rates/weak", scenes.RATES, table(scenes.BY_SETTING)),
    _claim("nqm.claims.rates/model", scenes.BEST, entailment),
    _claim("nqm.claims.tolerates", scenes.FACTORS),
    _claim("nqm.claims.tolerates/same", scenes.FACTORS, identity),
    _claim("nqm.claims.outperforms", scenes.BEST, entailment),
    _claim("nqm.claims.outperforms/long", scenes.LONG, entailment),
    _claim("nqm.claims.outperforms/lossy", scenes.LONG_WITH_LOSS, entailment),
    _claim("nqm.claims.smooth"),
    _claim("nqm.claims.smooth.steps", scenes.JUMPS),
    _claim("nqm.claims.loss", scenes.AT_LEVELS),
    _claim("nqm.claims.loss/centred", scenes.CENTRED),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_nqm"))
