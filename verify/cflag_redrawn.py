"""C-FLAG: Theorems 2 and 5 with memories that are redrawn in every round, for any number of rounds."""

from __future__ import annotations

import sympy as sp

from bounds.catalogue import statement
from bounds.cflag import redrawn as b
from bounds.cflag.floors import forget_sum, forget_sum_next
from bounds.cflag.growth import gap2, gs
from bounds.cflag.rate import forget_each, least_gf2
from bounds.cflag.repairs import gap2_most
from bounds.cflag.so_far import ONE_MORE, least_of, passed, passed_next
from bounds.cflag.symbols import ds, gg2, s2
from bounds.relations import eq, le
from verify.commands.main import main
from verify.engine.certificates.question import Induction
from verify.engine.checks.relation import bound
from verify.engine.checks.vacuity import free_lunch, needed, placebos
from verify.engine.model.claim import claims_about
from verify.scenes.cflag.drift_tight import ALONG, LENGTH
from verify.scenes.cflag.memory_facts import AGAINST
from verify.scenes.cflag.redrawn import IDLE, INFIMUM, LONGEST, REDRAWN, UPHILL
from verify.scenes.cflag.so_far import PASSED

_claim = claims_about("cflag", bound)

MEANS = {s2: b.s2_mean, ds: b.ds_mean, gs: b.gs_mean, gg2: b.gg2_mean, gap2: b.gap2_mean}
"""Quantity that depends on the draw of the memories -> its mean over the draws."""
SUMS = (eq(b.gf2_sum_next, b.gf2_sum + b.gf2_mean), eq(b.gap2_sum_next, b.gap2_sum + b.gap2_mean))
_gradients = {b.gf2_mean: b.gf2_mean_next, b.gf2_sum: b.gf2_sum_next}
_gaps = {b.gap2_mean: b.gap2_mean_next, b.gap2_sum: b.gap2_sum_next}
_none = sp.Integer(0)
FORGOTTEN = Induction(
    "r",
    later={
        **_gradients,
        forget_each: b.forget_each_next,
        forget_sum: forget_sum_next,
        b.f_mean: b.f_mean_next,
    },
    first={b.gf2_sum: _none, forget_sum: _none, b.f_mean: b.f_first},
)
TOGETHER = Induction(
    "r",
    later={**_gradients, **_gaps, b.f_mean: b.f_mean_next},
    first={b.gf2_sum: _none, b.gap2_sum: _none, b.f_mean: b.f_first},
)
AT_LEAST = Induction(
    "r",
    later={**_gradients, least_gf2: b.least_gf2_next, passed: passed_next},
    first={b.gf2_sum: _none, passed: _none},
    through=(le(passed * b.least_gf2_next, passed * least_gf2),),
)
AT_MOST = Induction(
    "r",
    later={**_gaps, gap2_most: b.gap2_most_next, passed: passed_next},
    first={b.gap2_sum: _none, passed: _none},
    through=(le(passed * gap2_most, passed * b.gap2_most_next),),
)
"""Induction over rounds: the name of each quantity one round later."""

CLAIMS = (
    _claim(
        "thm5/redrawn",
        REDRAWN,
        bound,
        *("thm5.redrawn.sum", "thm5.redrawn.least", "thm5.redrawn.most", PASSED, INFIMUM),
        beside=(free_lunch(statement("cflag.thm5.free.redrawn"), REDRAWN), placebos((IDLE, UPHILL)), needed),
    ),
    _claim("thm5.redrawn.descent", REDRAWN),
    _claim("thm2.redrawn.round", REDRAWN, bound, "thm5.redrawn.descent", b.EACH),
    _claim("thm2.redrawn.sum", REDRAWN, bound, "thm2.redrawn.round", SUMS[0], b.ADDED, induction=FORGOTTEN),
    _claim(
        "thm2.redrawn.rounds",
        REDRAWN,
        bound,
        *("thm2.redrawn.sum", "thm5.redrawn.least"),
        beside=(free_lunch(statement("cflag.thm5.free.redrawn"), REDRAWN), placebos((IDLE, UPHILL)), needed),
    ),
    _claim("thm5.redrawn.along", REDRAWN, bound, ALONG, AGAINST, means=MEANS),
    _claim("thm5.redrawn.length", REDRAWN, bound, LENGTH, means=MEANS),
    _claim("thm5.redrawn.forgets", REDRAWN, bound, "thm5.redrawn.along", "thm5.redrawn.length"),
    _claim("thm5.redrawn.round", REDRAWN, bound, "thm5.redrawn.descent", "thm5.redrawn.forgets"),
    _claim("thm5.redrawn.sum", REDRAWN, bound, "thm5.redrawn.round", *SUMS, induction=TOGETHER),
    _claim(
        "thm5.redrawn.least",
        REDRAWN,
        bound,
        *(SUMS[0], ONE_MORE, *least_of(least_gf2, b.least_gf2_next, b.gf2_mean)),
        induction=AT_LEAST,
    ),
    _claim(
        "thm5.redrawn.most",
        REDRAWN,
        bound,
        *(SUMS[1], ONE_MORE, *LONGEST),
        induction=AT_MOST,
        means={gap2: b.gap2_mean},
    ),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cflag_redrawn"))
