"""FedMeS: the proof of Theorem 1, for steps along batch gradients of the memory."""

from __future__ import annotations

from verify.commands.main import main
from verify.engine.checks.assumption import assumption
from verify.engine.checks.relation import bound, entailment, identity, inequality
from verify.engine.claim import claims_about
from verify.scenes.fedmes.descent import (
    ALGEBRA,
    ASSUMED,
    MOMENTS,
    ONE_STEP,
    SEVERAL,
    UNBIASED,
    WITH_ANY_CONSTANTS,
)
from verify.scenes.fedmes.descent_facts import BENT, BENT_ON_AVERAGE, CROSSED, SHIFTED

_claim = claims_about("fedmes", identity)

CLAIMS = (
    _claim("thm1/batch-descent", SEVERAL, bound),
    _claim("ass2", WITH_ANY_CONSTANTS, assumption),
    _claim("ass2.length", WITH_ANY_CONSTANTS, assumption),
    _claim("ass2.constants", ASSUMED, entailment, CROSSED),
    _claim("ass3", WITH_ANY_CONSTANTS, assumption),
    _claim("ass3.samples", UNBIASED, bound),
    _claim("eq29", MOMENTS),
    _claim("eq30", MOMENTS),
    _claim("eq30/corrected", MOMENTS),
    _claim("eq30.second", ASSUMED, inequality, "eq30/corrected"),
    _claim("eq30.third", ASSUMED, inequality),
    _claim("eq30.third/corrected", ASSUMED, inequality, "eq30/corrected"),
    _claim("eq30.constant", None, inequality),
    _claim("eq33", ALGEBRA),
    _claim("eq33.smooth", ONE_STEP, inequality, "eq33.expansion", BENT),
    _claim("eq33.expansion", ALGEBRA),
    _claim("eq34", ONE_STEP, bound, "eq34.expansion", BENT_ON_AVERAGE),
    _claim("eq34.expansion", ALGEBRA),
    _claim("eq34.second", ONE_STEP, inequality, "eq30/corrected"),
    _claim("eq34.third", None),
    _claim("eq34.third/corrected", None),
    _claim("eq35", None, inequality),
    _claim("eq36", ONE_STEP, bound, "eq34", "eq30/corrected"),
    _claim("eq36/corrected", ONE_STEP, bound, "eq34", "eq30/corrected"),
    _claim("eq36.second", ONE_STEP, inequality),
    _claim("eq36.second/corrected", ONE_STEP, inequality, "eq36.convex"),
    _claim("eq36.convex", ONE_STEP, inequality),
    _claim("eq37", ONE_STEP, bound, "eq36/corrected", "eq36.convex", SHIFTED),
    _claim("eq38", SEVERAL, bound),
    _claim("eq39", SEVERAL, bound),
    _claim("eq40", None, inequality),
    _claim("eq40/corrected", None, inequality),
    _claim("eq40.second", None, inequality),
    _claim("eq40.second/corrected", None, inequality),
    _claim("eq40.third", None, inequality),
    _claim("eq41", None, inequality, "eq40/corrected", "eq40.second/corrected"),
    _claim("eq42", None, inequality, "eq41"),
    _claim("eq43", None, inequality),
    _claim("eq43.first", ONE_STEP, bound),
    _claim("eq44", SEVERAL, bound),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="fedmes_descent"))
