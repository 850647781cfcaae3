"""Error feedback: Theorems 1 and 2 for all numbers of steps, for one worker and for any number of clients."""

from __future__ import annotations

import bounds.feedback.theorem as b
import verify.scenes.feedback.world as world
from bounds.relations import le
from verify.commands.main import main
from verify.engine.checks.relation import inequality
from verify.engine.model.claim import claims_about
from verify.first_order import decided
from verify.necessity import needed_in
from verify.scenes.feedback.steps import (
    DESCENT,
    EF,
    EF21,
    EF21_CLIENTS,
    EF21_RUN,
    EF_CLIENTS,
    EF_RUN,
    EF_SHARED,
)

_claim = claims_about("feedback", decided)
CLAIMS = (
    _claim("cgd", DESCENT, beside=(needed_in(world.DESCENT, *world.ASSUMED),)),
    _claim("cgd/better", DESCENT),
    _claim("cgd/distance", DESCENT),
    _claim("thm1.step", EF),
    _claim("thm1.step/better", EF),
    _claim("thm1.step/long", EF),
    _claim("thm1.step/clients", EF_CLIENTS),
    _claim("thm1.step/shared", EF_SHARED),
    _claim("thm1", EF_RUN, beside=(needed_in(world.EF, *world.ASSUMED),)),
    _claim("thm2.step", EF21),
    _claim("thm2.step/better", EF21),
    _claim("thm2.step/long", EF21),
    _claim("thm2.step/clients", EF21_CLIENTS),
    _claim("thm2", EF21_RUN, beside=(needed_in(world.EF21, *world.ASSUMED),)),
    _claim("faster", None, inequality, through=(le(b.SLOWER, b.z),)),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="feedback_theorem"))
