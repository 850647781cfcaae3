"""Error feedback: Theorems 1 and 2 for all numbers of steps, for one worker and for any number of clients."""

from __future__ import annotations

import bounds.feedback.theorem as b
import verify.scenes.feedback.world as world
from bounds.relations import le
from verify.commands.main import main
from verify.engine.checks.relation import inequality
from verify.engine.model.claim import claims_about, for_each
from verify.first_order import decided
from verify.necessity import needed_in
from verify.scenes.feedback import steps as scenes

_claim = claims_about("feedback", decided)
_claims = for_each(_claim)
CLAIMS = (
    _claim("cgd", scenes.DESCENT, beside=(needed_in(world.DESCENT, *world.ASSUMED),)),
    *_claims("cgd/better cgd/distance", scenes.DESCENT),
    *_claims("thm1.step thm1.step/better thm1.step/long", scenes.EF),
    _claim("thm1.step/clients", scenes.EF_CLIENTS),
    _claim("thm1.step/shared", scenes.EF_SHARED),
    _claim("thm1", scenes.EF_RUN, beside=(needed_in(world.EF, *world.ASSUMED),)),
    *_claims("thm2.step thm2.step/better thm2.step/long", scenes.EF21),
    _claim("thm2.step/clients", scenes.EF21_CLIENTS),
    _claim("thm2", scenes.EF21_RUN, beside=(needed_in(world.EF21, *world.ASSUMED),)),
    _claim("faster", None, inequality, through=(le(b.SLOWER, b.z),)),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="feedback_theorem"))
