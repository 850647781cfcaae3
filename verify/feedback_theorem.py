"""Error feedback: Theorems 1 and 2 for all numbers of steps, for one worker and for any number of clients."""

from __future__ import annotations

import bounds.feedback.theorem as b
import verify.scenes.feedback.world as world
from bounds.relations import le
from bounds.statement import Statement
from verify.commands.main import main
from verify.engine.checks.necessity import better_in, needed_in
from verify.engine.checks.relation import inequality
from verify.engine.model.claim import Check, claims_about, for_each
from verify.engine.model.scene import Scene
from verify.first_order import decided
from verify.scenes.feedback import steps as scenes
from verify.scenes.standing_still import of_still_model


def _necessity_checks(scene: Scene, trivial: Statement) -> tuple[Check, ...]:
    """What a theorem needs in a world, and whether it beats a trivial bound there."""
    return needed_in(scene, *world.ASSUMED), better_in(scene, trivial, *world.ASSUMED)


_claim = claims_about("feedback", decided)
_claims = for_each(_claim)
CLAIMS = (
    _claim("cgd", scenes.DESCENT, beside=_necessity_checks(world.DESCENT, b.STILL_NEXT)),
    *_claims("cgd/better cgd/distance", scenes.DESCENT),
    _claim("thm1.free", of_still_model(b.psi, b.psi_0)),
    _claim("cgd.free", of_still_model(b.gap_next, b.gap)),
    *_claims("thm1.step thm1.step/better thm1.step/long", scenes.EF),
    _claim("thm1.step/clients", scenes.EF_CLIENTS),
    _claim("thm1.step/shared", scenes.EF_SHARED),
    _claim("thm1", scenes.EF_RUN, beside=_necessity_checks(world.EF, b.STILL)),
    *_claims("thm2.step thm2.step/better thm2.step/long", scenes.EF21),
    _claim("thm2.step/clients", scenes.EF21_CLIENTS),
    _claim("thm2", scenes.EF21_RUN, beside=_necessity_checks(world.EF21, b.STILL)),
    _claim("faster", None, inequality, through=(le(b.SLOWER, b.z),)),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="feedback_theorem"))
