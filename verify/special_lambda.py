"""SPECIAL: the effect of lambda: fixed points of the algorithms, the strength of the pull, and implications of Lemma 4.9."""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from bounds.relations import ge, le
from bounds.special import line as b
from bounds.special.lam import lam_more
from bounds.special.symbols import E, lam
from verify.commands.main import main
from verify.engine.certificates.question import Induction
from verify.engine.checks.relation import agreement, bound, identity, inequality
from verify.engine.checks.vacuity import needed, no_placebo, nothing_free
from verify.engine.model.claim import claims_about
from verify.facts import discounted
from verify.scenes.special import lam as scenes
from verify.scenes.special.line import LINE
from verify.scenes.special.ridge import RIDGE

_claim = claims_about("special", identity)
_ROUNDS = Induction("t", b.LATER, {b.far: sp.Integer(0), b.far_more: sp.Integer(0)})
_BEHIND = (
    ge((1 + lam_more) * b.far_more_next, 0),
    ge(b.far_more_next, 0),
    le((1 + lam_more) * b.far_more_next, (1 + lam) * b.far_next),
    le((1 + lam) * b.far_more_next, (1 + lam_more) * b.far_more_next),
    le((1 + lam) * b.far_more_next, (1 + lam) * b.far_next),
)
CLAIMS = (
    _claim("eq4", scenes.REST, agreement),
    _claim("eq4/effective", scenes.AT_REST),
    _claim("alg1.surrogate", scenes.REST, agreement),
    _claim("alg1.surrogate/effective", scenes.OF_ONE_STEP),
    _claim("alg1.surrogate/several", scenes.REST),
    _claim("alg2.surrogate", scenes.REST, agreement),
    _claim("alg2.surrogate/effective", scenes.OF_ONE_STEP),
    _claim("alg2.surrogate/alone", scenes.TO_AND_FRO),
    _claim("alg2.surrogate/alone.small", scenes.ALONE),
    _claim("alg2.surrogate/several", scenes.REST),
    _claim("alg2.weight", None, agreement),
    _claim("alg2.retention", None, inequality),
    _claim("alg2.stronger", None, inequality),
    _claim("alg2.stronger/unit", None, inequality, facts=(discounted(2 * lam, E),)),
    _claim("lem4.9.anchor", None, inequality),
    _claim("lem4.9.suppress", scenes.STRENGTHS, bound),
    _claim("lem4.9.suppress/small", RIDGE, bound),
    _claim("lem4.9.ahead", LINE, bound, *b.PULLED[:1], *b.LED[:1], *b.RISING[:1], induction=_ROUNDS),
    _claim("lem4.9.ahead/more", LINE, bound, *b.PULLED[1:], *b.LED[1:2], *b.RISING[1:2], induction=_ROUNDS),
    _claim(
        *("lem4.9.behind", LINE, bound, "lem4.9.ahead/more", *b.PULLED, *b.LED[1:], *b.RISING[1:]),
        induction=replace(_ROUNDS, through=_BEHIND),
    ),
    _claim(
        *("lem4.9.suppress/line", LINE, bound, "lem4.9.ahead/more", "lem4.9.behind", *b.SQUARES),
        through=(le(b.far_more**2, b.far * b.far_more), le(b.far_more * b.far, b.far**2)),
        beside=(
            nothing_free("a model that stands still does not drift, whatever lambda is"),
            no_placebo("it compares two strengths of one method"),
            needed,
        ),
    ),
    _claim("lem4.9.uniform", scenes.TASKS, bound),
    _claim("lem4.9.uniform/text", scenes.TASKS_AS_TEXT, bound),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="special_lambda"))
