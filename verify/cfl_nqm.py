"""CFL, Section 5.1: the noisy quadratic model, its best learning rates, and the conclusions of the text."""

from __future__ import annotations

from verify.commands.main import main
from verify.engine.checks.applicability import applicability
from verify.engine.checks.relation import agreement, entailment, identity, inequality
from verify.engine.checks.table import table
from verify.engine.model.claim import claims_about
from verify.scenes.cfl.nqm import (
    AGAINST_TABLE,
    AT_LEVELS,
    BEST,
    BY_SETTING,
    CENTRED,
    CURVED,
    FACTORS,
    FAR,
    JUMPS,
    LONG,
    LONG_WITH_LOSS,
    LOST,
    ONE_BY_ONE,
    ONE_STEP,
    OPTIMUM,
    PRINTED,
    RATE,
    RATES,
)

_claim = claims_about("cfl", inequality)
CLAIMS = (
    _claim("nqm.model.smooth", PRINTED),
    _claim("nqm.model.smooth/half", PRINTED, inequality, *CURVED),
    _claim("nqm.model.convex", PRINTED, inequality, *CURVED),
    _claim("nqm.gradient", PRINTED, agreement),
    _claim("nqm.gradient/half", PRINTED, agreement),
    _claim("nqm.gradient.ass4", LOST),
    _claim("nqm.params.loss", OPTIMUM, identity),
    _claim("nqm.params.loss/half", OPTIMUM, identity),
    _claim("nqm.params.loss.far", PRINTED),
    _claim("nqm.params.loss.far/strong", PRINTED, inequality, FAR),
    _claim("nqm.params.step", None, applicability(ONE_STEP)),
    _claim("tab3", AGAINST_TABLE, entailment),
    _claim("tab3.stable", RATE, table(ONE_BY_ONE)),
    _claim("tab3.stable/derivative", RATE, table(ONE_BY_ONE)),
    _claim("nqm.claims.rates", RATES, table(BY_SETTING)),
    _claim("nqm.claims.rates/weak", RATES, table(BY_SETTING)),
    _claim("nqm.claims.rates/model", BEST, entailment),
    _claim("nqm.claims.tolerates", FACTORS),
    _claim("nqm.claims.tolerates/same", FACTORS, identity),
    _claim("nqm.claims.outperforms", BEST, entailment),
    _claim("nqm.claims.outperforms/long", LONG, entailment),
    _claim("nqm.claims.outperforms/lossy", LONG_WITH_LOSS, entailment),
    _claim("nqm.claims.smooth"),
    _claim("nqm.claims.smooth.steps", JUMPS),
    _claim("nqm.claims.loss", AT_LEVELS),
    _claim("nqm.claims.loss/centred", CENTRED),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_nqm"))
