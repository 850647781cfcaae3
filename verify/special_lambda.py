"""SPECIAL: what lambda does. Where the algorithms rest, how hard they pull, what Lemma 4.9 implies."""

from __future__ import annotations

from bounds.special.symbols import E, lam
from verify.commands.main import main
from verify.engine.checks.relation import agreement, bound, identity, inequality
from verify.engine.claim import claims_about
from verify.facts import discounted
from verify.scenes.special.lam import REST, STRENGTHS, TASKS, TASKS_AS_TEXT, TO_AND_FRO
from verify.scenes.special.ridge import RIDGE

_claim = claims_about("special", identity)
CLAIMS = (
    _claim("eq4", REST, agreement),
    _claim("eq4/effective", REST),
    _claim("alg1.surrogate", REST, agreement),
    _claim("alg1.surrogate/effective", REST),
    _claim("alg1.surrogate/several", REST),
    _claim("alg2.surrogate", REST, agreement),
    _claim("alg2.surrogate/effective", REST),
    _claim("alg2.surrogate/alone", TO_AND_FRO),
    _claim("alg2.surrogate/alone.small", REST),
    _claim("alg2.surrogate/several", REST),
    _claim("alg2.weight", None, agreement),
    _claim("alg2.retention", None, inequality),
    _claim("alg2.stronger", None, inequality),
    _claim("alg2.stronger/unit", None, inequality, facts=(discounted(2 * lam, E),)),
    _claim("lem4.9.anchor", None, inequality),
    _claim("lem4.9.suppress", STRENGTHS, bound),
    _claim("lem4.9.suppress/small", RIDGE, bound),
    _claim("lem4.9.uniform", TASKS, bound),
    _claim("lem4.9.uniform/text", TASKS_AS_TEXT, bound),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="special_lambda"))
