"""C-FLAG: convergence on memory and current data together (Lemma 3), by Algorithm 1 and by the rules of its proof."""

from __future__ import annotations

import sympy as sp

from bounds.catalogue import statement
from bounds.cflag import joint as b
from bounds.cflag.joint import EXPERIMENTS
from bounds.cflag.so_far import ONE_MORE, least_of, passed, passed_next
from bounds.cflag.symbols import E, L, beta, gh2, h_next, h_now
from bounds.relations import eq, ge, le
from verify.commands.main import main
from verify.engine.certificates.question import Induction
from verify.engine.checks.applicability import applicability
from verify.engine.checks.order import order
from verify.engine.checks.relation import agreement, bound, entailment, identity, inequality
from verify.engine.checks.vacuity import free_lunch, needed, placebos
from verify.engine.model.claim import claims_about, for_each
from verify.scenes.cflag.joint import ALGORITHM, BALANCED, BOWLS, IDLE, REDUCED, ROUGH, SETS, SMOOTH, UPHILL
from verify.scenes.cflag.joint_facts import ALONG, DESCENT, FALL, LENGTH
from verify.scenes.cflag.so_far import PASSED

_claim = claims_about("cflag", bound)
_claims = for_each(_claim)

SUMMED = eq(b.gh2_sum_next, b.gh2_sum + gh2)
LEAST = least_of(b.gh2_least, b.gh2_least_next, gh2)
AT_RATE = (eq(30 * L * E * beta, 1), le(30 * L * beta, 1))
NEAR = ge(b.js, sp.Rational(103, 105) * E * gh2)
SHORT = le(L * beta * b.js2, sp.Rational(32, 735) * E * gh2)
FALLEN = (
    le(L * beta**2 * gh2 / 2, beta * gh2),
    ge(beta * b.js, 0),
    le(h_next - h_now, -sp.Rational(29, 30) * beta * b.js + L * beta**2 * b.js2 / 2),
)
SUM = Induction(
    "r",
    later={gh2: b.gh2_next, b.gh2_sum: b.gh2_sum_next, h_now: h_next},
    first={b.gh2_sum: sp.Integer(0), h_now: b.h_first},
)
AT_LEAST = Induction(
    "r",
    later={gh2: b.gh2_next, b.gh2_sum: b.gh2_sum_next, b.gh2_least: b.gh2_least_next, passed: passed_next},
    first={b.gh2_sum: sp.Integer(0), passed: sp.Integer(0)},
    through=(le(passed * b.gh2_least_next, passed * b.gh2_least),),
)
"""Induction over rounds: the name of each quantity one round later."""

CLAIMS = (
    _claim("lem3", ALGORITHM, bound, beside=(applicability(EXPERIMENTS),)),
    _claim("lem3/eq67", ROUGH),
    _claim(
        "lem3/eq67-smooth",
        SMOOTH,
        bound,
        *("lem3.sum", "lem3.least", PASSED, FALL),
        beside=(free_lunch(statement("cflag.lem3.free"), BOWLS), placebos((IDLE, UPHILL)), needed),
    ),
    _claim("lem3.along", SMOOTH, bound, ALONG, through=(*AT_RATE, NEAR)),
    _claim("lem3.length", SMOOTH, bound, LENGTH, through=(*AT_RATE, SHORT)),
    _claim("lem3.round", SMOOTH, bound, "lem3.along", "lem3.length", DESCENT, through=(*AT_RATE, *FALLEN)),
    _claim("lem3.sum", SMOOTH, bound, "lem3.round", SUMMED, induction=SUM),
    _claim("lem3.least", SMOOTH, bound, SUMMED, ONE_MORE, *LEAST, induction=AT_LEAST),
    *_claims("lem3.rate lem3.rate/bounded-below", None, order),
    _claim("lem3.current", BALANCED, entailment),
    _claim("lem3.current/memory", SETS),
    *_claims("eq67 eq68", REDUCED, agreement),
    _claim("eq69", SMOOTH),
    _claim("eq69/gradient", ROUGH),
    _claim("eq69/quarter", SMOOTH, bound, ALONG, LENGTH, DESCENT),
    *_claims("eq70 eq70/nonstationary eq71", None, inequality),
    *_claims("eq72 eq72/small", None, entailment),
    _claim("eq73", None, identity),
    _claim("eq74", None, agreement),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cflag_joint"))
