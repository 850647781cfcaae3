"""C-FLAG: lower bounds that Lemmas 4 and 18 and Theorem 5 contradict, for any number of rounds."""

from __future__ import annotations

import sympy as sp

from bounds.cflag import floors as b
from bounds.cflag.growth_runs import x0
from bounds.cflag.rate import first_x
from verify.commands.main import main
from verify.engine.certificates.question import Induction
from verify.engine.checks.relation import bound
from verify.engine.model.claim import claims_about
from verify.scenes.cflag import floors as scenes
from verify.scenes.cflag.floor_facts import FALLEN, QUARTER, STAYS

_claim = claims_about("cflag", bound)

APART = Induction(
    "r", later={b.x2_now: b.x2_next, b.least2: b.least2_next}, first={b.x2_now: x0**2, b.least2: x0**2}
)
SUM = Induction(
    "r",
    later={b.x2_now: b.x2_next, b.least2_before: b.least2, b.forget_sum: b.forget_sum_next},
    first={b.x2_now: x0**2, b.least2_before: sp.Integer(0), b.forget_sum: sp.Integer(0)},
)
STILL = Induction("r", later={b.frozen2: b.frozen2_next}, first={b.frozen2: first_x**2})
"""Induction over rounds: the name of each quantity one round later, and its initial value."""

CLAIMS = (
    _claim("lem4.floor.apart", scenes.DIVERGING, bound, b.STEP, scenes.GROWN, induction=APART),
    _claim(
        "lem4.floor.apart/limit", scenes.DIVERGING_LIMIT, bound, b.STEP, scenes.GROWN_LIMIT, induction=APART
    ),
    _claim("lem4.floor.sum", scenes.DIVERGING, bound, "lem4.floor.apart", b.ADDED, induction=SUM),
    _claim(
        "lem4.floor.sum/limit",
        scenes.DIVERGING_LIMIT,
        bound,
        "lem4.floor.apart/limit",
        b.ADDED,
        induction=SUM,
    ),
    _claim("lem4.floor", scenes.DIVERGING, bound, "lem4.floor.sum", *scenes.MEANT),
    _claim("lem4.floor/limit", scenes.DIVERGING_LIMIT, bound, "lem4.floor.sum/limit", *scenes.MEANT_LIMIT),
    _claim("lem18.floor", scenes.DIVERGING_LIMIT, bound, "lem4.floor.sum/limit", *scenes.MEANT_LIMIT),
    _claim("thm5.floor.frozen", scenes.FROZEN, bound, STAYS, induction=STILL),
    _claim("thm5.floor", scenes.FROZEN, bound, "thm5.floor.frozen", QUARTER),
    _claim("thm2.floor", scenes.FROZEN, bound, "thm5.floor", FALLEN),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cflag_floors"))
