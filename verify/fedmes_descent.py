"""FedMeS: the proof of Theorem 1, for steps along batch gradients of the memory."""

from __future__ import annotations

import sympy as sp

import bounds.fedmes.descent as b
from bounds.fedmes.symbols import L, c, mu
from bounds.relations import ge, le
from verify.commands.main import main
from verify.engine.certificates.question import Induction
from verify.engine.checks.assumption import assumption
from verify.engine.checks.relation import bound, entailment, identity, inequality
from verify.engine.model.claim import claims_about, for_each
from verify.scenes.fedmes import descent as scenes
from verify.scenes.fedmes.quadratic_facts import CROSSED
from verify.scenes.fedmes.several_facts import STARTS
from verify.scenes.fedmes.smooth_losses import SHIFTED, STEP

_claim = claims_about("fedmes", identity)
_claims = for_each(_claim)

MEANS = {b.gap: b.gap_mean, b.gap_next: b.gap_s}
"""Quantity -> its mean over all batches so far."""
CLOSES = (
    le(b.NOISE, b.SHARE * b.FLOOR),
    le(b.gap_s, (1 - b.SHARE) * (b.shrunk_before * b.gap_1 + b.FLOOR) + b.NOISE),
)
STEPS = Induction(
    "r",
    later={b.gap_mean: b.gap_s, b.shrunk_before: b.shrunk, b.eta_s: b.eta_next},
    first={b.gap_mean: b.gap_1, b.shrunk_before: sp.Integer(1)},
    through=CLOSES,
)
"""Induction over steps: the name of each quantity one step later."""

CLAIMS = (
    _claim("thm1/batch-descent", scenes.SEVERAL, bound),
    *_claims("ass2 ass2.length", scenes.WITH_ANY_CONSTANTS, assumption),
    _claim("ass2.constants", scenes.ASSUMED, entailment, CROSSED),
    _claim("ass3", scenes.WITH_ANY_CONSTANTS, assumption),
    _claim("ass3.samples", scenes.UNBIASED, bound),
    *_claims("eq29 eq30 eq30/corrected", scenes.MOMENTS),
    _claim("eq30.second", scenes.ASSUMED, inequality, "eq30/corrected"),
    _claim("eq30.third", scenes.ASSUMED, inequality),
    _claim("eq30.third/corrected", scenes.ASSUMED, inequality, "eq30/corrected"),
    _claim("eq30.constant", None, inequality),
    _claim("eq33", scenes.AT_ONE_MODEL),
    _claim("eq33.smooth", scenes.ONE_STEP, inequality),
    _claim("eq33.expansion", scenes.ALGEBRA),
    _claim("eq34", scenes.ONE_STEP, bound),
    _claim("eq34.expansion", scenes.ALGEBRA),
    _claim("eq34.second", scenes.ONE_STEP, inequality, "eq30/corrected"),
    *_claims("eq34.third eq34.third/corrected", None),
    _claim("eq35", None, inequality),
    *_claims("eq36 eq36/corrected", scenes.ONE_STEP, bound, "eq34", "eq30/corrected"),
    _claim("eq36.second", scenes.ONE_STEP, inequality),
    _claim("eq36.second/corrected", scenes.ONE_STEP, inequality, "eq36.convex"),
    _claim("eq36.convex", scenes.ONE_STEP, inequality),
    _claim("eq37", scenes.ONE_STEP, bound, "eq36/corrected", "eq36.convex", SHIFTED),
    _claim("eq37.mean", scenes.SEVERAL, bound, STEP, means=MEANS),
    _claim(
        "eq41.several",
        scenes.SEVERAL,
        inequality,
        b.RATE,
        through=(ge(b.M_G, mu**2), le(c * mu**2, L * b.M_G)),
    ),
    _claim("eq38.before", scenes.SEVERAL, bound, "eq37.mean", "eq41.several", b.SHRINKS, induction=STEPS),
    _claim(
        "eq38", scenes.SEVERAL, bound, "eq38.before", "eq37.mean", "eq41.several", b.SHRINKS, through=CLOSES
    ),
    _claim("eq39", scenes.FIRST, bound, STEP, b.SHRINKS, *STARTS, means=MEANS),
    *_claims("eq40 eq40/corrected eq40.second eq40.second/corrected eq40.third", None, inequality),
    _claim("eq41", None, inequality, "eq40/corrected", "eq40.second/corrected"),
    _claim("eq42", None, inequality, "eq41"),
    _claim("eq43", None, inequality),
    _claim("eq43.first", scenes.ONE_STEP, bound),
    _claim("eq44", scenes.SEVERAL, bound),
    _claim("eq44/corrected", scenes.SEVERAL, bound, "eq38"),
    _claim("thm1.restored", None, entailment),
    _claim("thm1.restored/above-floor", None, inequality),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="fedmes_descent"))
