"""C-FLAG: Lemmas 4 and 18 for every alpha < 2/L, with a fixed memory whose loss is bounded below."""

from __future__ import annotations

import sympy as sp

from bounds.cflag import bounded_below as b
from bounds.cflag.floors import forget_sum, forget_sum_next
from bounds.cflag.growth import gap2
from bounds.cflag.so_far import ONE_MORE, passed, passed_next
from bounds.cflag.symbols import E, beta, fd2
from bounds.relations import le
from verify.commands.main import main
from verify.engine.certificates.question import Induction
from verify.engine.checks.order import order
from verify.engine.checks.relation import bound
from verify.engine.checks.vacuity import needed
from verify.engine.model.claim import claims_about
from verify.scenes.cflag.bounded_below import AMONG, DESCENT, INFIMUM, KEPT, MEAN, SUMS, WITHIN, YOUNG
from verify.scenes.cflag.drift_tight import LENGTH
from verify.scenes.cflag.so_far import PASSED

_claim = claims_about("cflag", bound)
_forgotten = {b.forgets: b.forgets_next, forget_sum: forget_sum_next}
_gradients = {fd2: b.fd2_next, b.fd2_total: b.fd2_total_next}
_none = sp.Integer(0)
FALLING = Induction(
    "r",
    later={**_gradients, **_forgotten, b.fd_now: b.fd_next},
    first={b.fd2_total: _none, forget_sum: _none, b.fd_now: b.fd_first},
)
FORGETTING = Induction(
    "r",
    later={**_gradients, **_forgotten, gap2: b.gap2_next, passed: passed_next},
    first={b.fd2_total: _none, forget_sum: _none, passed: _none},
    through=(le(b.forgets, 2 * beta * E * (fd2 + b.gap2_sup)),),
)
"""Induction over rounds: the name of each quantity one round later."""
CLAIMS = (
    _claim("lem4.below.round", KEPT, bound, b.EACH, *AMONG, LENGTH, YOUNG),
    _claim("lem4.below.descent", KEPT, bound, b.EACH, DESCENT),
    _claim("lem4.below.sum", KEPT, bound, "lem4.below.descent", *SUMS, induction=FALLING),
    _claim(
        "lem4.below.forgets", KEPT, bound, "lem4.below.round", WITHIN, *SUMS, ONE_MORE, induction=FORGETTING
    ),
    _claim(
        "lem4/bounded-below",
        KEPT,
        bound,
        *("lem4.below.sum", "lem4.below.forgets", INFIMUM, MEAN, PASSED),
        beside=(needed,),
    ),
    _claim("lem4/bounded-below.order", None, order),
    _claim("lem18/bounded-below", KEPT, bound, "lem4/bounded-below"),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cflag_bounded_below"))
