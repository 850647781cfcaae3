"""Solutions of least distance: the expected error after all tasks, for all numbers of tasks and dimensions."""

from __future__ import annotations

import bounds.minnorm.theorem as b
import verify.scenes.minnorm.world as world
from verify.commands.main import main
from verify.engine.checks.necessity import needed_in
from verify.engine.checks.relation import identity, inequality
from verify.engine.checks.vacuity import nothing_free
from verify.engine.model.claim import claims_about, for_each
from verify.first_order import decided
from verify.scenes.minnorm.task import TASK

EXACT = nothing_free("it is an equation")
_claim = claims_about("minnorm", identity)
_claims = for_each(_claim)
OF_TASK = {b.after2: b.e[b.t], b.far2: b.e[b.t - 1], b.goal2: b.q[b.t]}
CLAIMS = (
    *_claims("thm4.1.step thm4.1.step/least thm4.1.step/noiseless", TASK, decided),
    _claim(
        "thm4.1",
        beside=(needed_in(world.WORLD, *world.ASSUMED, letters=world.LETTERS), EXACT),
        lemmas={b.TASK: [("thm4.1.step", OF_TASK), ("thm4.1.step/least", OF_TASK)]},
    ),
    _claim("thm4.1/equal"),
    _claim("forgets", None, inequality),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="minnorm_theorem"))
