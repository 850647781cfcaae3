"""SPECIAL: what is true in place of Theorem 4.10, within a task and over the tasks."""

from __future__ import annotations

import sympy as sp

from bounds.special import surrogate_proof as p
from bounds.special.surrogate import forgot, forgot_slope, low, miss, miss0, miss_next, regret, regret_slope
from bounds.special.symbols import K, L, L_sup
from bounds.statement import Statement
from verify.commands.main import main
from verify.engine.certificates.question import Induction
from verify.engine.checks.relation import bound, identity, inequality
from verify.engine.checks.vacuity import needed, placebos
from verify.engine.claim import Claim, claims_about
from verify.engine.scene import Scene
from verify.facts import cocoercive, first_order
from verify.scenes.special.surrogate import QUADRATICS, SERVER, WELLS, WITHIN, placebos_of, quadratics
from verify.scenes.special.surrogate_tasks import (
    FORGOT_SLOPE,
    MISSED,
    MISSED_SLOPE,
    SLOPE,
    TASKS,
    TASKS_PLACEBOS,
)

_claim = claims_about("special", bound)


def _step(words: str, scene: Scene) -> tuple[Claim, ...]:
    """Steps of the proof that gradients decide."""
    return tuple(_claim(f"thm4.10/surrogate.{word}", scene) for word in words.split())


def _from(word: str, *premises: Statement | sp.Eq, induction: Induction | None = None) -> Claim:
    """A step that follows from others and from what its letters mean."""
    given = (p.compared if isinstance(p, Statement) else p for p in premises)
    return _claim(f"thm4.10/surrogate{word}", WITHIN, bound, *given, induction=induction)


_regret = first_order(sp.Le(regret, regret_slope), sp.Ge(low, 0))
_forgot = first_order(sp.Le(forgot, forgot_slope), sp.Ge(low, 0), sp.Ge(K, 2))
_turned = cocoercive(p.COCOERCIVE.compared, sp.Ge(low, 0), sp.Le(L_sup, L))

ROUNDS = Induction(
    "t",
    later={miss: miss_next, p.carried: p.carried_next, p.drifted: p.drifted_next},
    first={miss: miss0, p.carried: miss0, p.drifted: sp.Integer(0)},
    through=(p.LARGER.compared,),
)
"""What is one round later what; the step is that of `.keeps`."""

CLAIMS = (
    _claim("thm4.10/surrogate.step", SERVER, identity),
    *_step("split cauchy drift unbiased variance pulled", WITHIN),
    _claim("thm4.10/surrogate.cocoercive", WITHIN, facts=(_turned,)),
    *_step("grows", WELLS),
    _from(".turned", p.CAUCHY, *p.SQUARES),
    _from(".minkowski", p.SPLIT, p.TURNED, *p.SQUARES),
    _from(".worked", p.DRIFT, *p.SQUARES),
    _from(".towards", p.COCOERCIVE),
    _from(".shrinks", p.PULLED, p.TOWARDS),
    _from(".blown2", p.UNBIASED, p.VARIANCE, p.SHRINKS, p.VARIANCE_IS),
    _from(".blown", p.BLOWN2, *p.SQUARES),
    _from(".round.variance", p.MINKOWSKI, p.BLOWN, p.WORKED),
    _from(".round", p.VARIANCE_IS, p.AROUND),
    _claim("thm4.10/surrogate.carried.root", None, inequality),
    _claim("thm4.10/surrogate.carried", None, inequality, p.BELOW.compared),
    _claim("thm4.10/surrogate.larger", None, inequality),
    _from(".carried.next2", *p.CARRIED_IS, p.KEPT, p.SETTLED),
    _from(".carried.next", p.CARRIED_ON2, *p.CARRIED_SQUARES),
    _from(".drifted.next", *p.DRIFTED_IS, p.KEPT),
    _from(".keeps", p.AROUND, p.LARGER, p.CARRIED, p.CARRIED_ON, p.DRIFTED_ON),
    _from(".invariant", p.AROUND, p.CARRIED, p.CARRIED_ON, p.DRIFTED_ON, induction=ROUNDS),
    _from(".carried.most", *p.CARRIED_IS[:1], *p.CARRIED_SQUARES),
    _from(".drifted.most", *p.DRIFTED_IS[:1]),
    _claim(
        "thm4.10/surrogate",
        WITHIN,
        bound,
        *(part.compared for part in (p.INVARIANT, p.CARRIED_MOST, p.DRIFTED_MOST)),
        *p.LAST,
        beside=(placebos(placebos_of(WITHIN)), needed),
    ),
    _claim("thm4.10/surrogate.smooth", WELLS, beside=(placebos(placebos_of(WELLS)), needed)),
    _claim(
        "thm4.10/surrogate.strong", QUADRATICS, beside=(placebos(placebos_of(QUADRATICS, quadratics)), needed)
    ),
    _claim("tasks.regret", TASKS, bound, SLOPE, facts=(_regret,), beside=(placebos(TASKS_PLACEBOS), needed)),
    _claim("tasks.regret/inexact", MISSED, bound, MISSED_SLOPE, facts=(_regret,)),
    _claim("tasks.stride", TASKS),
    _claim("tasks.forgetting", TASKS, bound, FORGOT_SLOPE, facts=(_forgot,), beside=(needed,)),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="special_surrogate"))
