"""Two tasks in turn in linear regression: the worst forgetting, for all numbers of steps and dimensions."""

from __future__ import annotations

import bounds.evron.two_tasks as b
import verify.scenes.evron.world as world
from bounds.evron.symbols import F, k, later, loss, now, t
from verify.commands.main import main
from verify.engine.checks.necessity import better_in, needed_in
from verify.engine.checks.relation import identity, inequality
from verify.engine.model.claim import claims_about, for_each
from verify.first_order import decided
from verify.scenes.evron.projections import EARLIER, LINES, SHRUNK, TURN

_claim = claims_about("evron", inequality)
_claims = for_each(_claim)
CLAIMS = (
    _claim("loss", EARLIER, decided),
    _claim("turn", TURN, decided),
    _claim("loss.next", EARLIER, decided),
    _claim("turn.sum", lemmas={b.TURN: [("turn", {later: b.r[t + 1], now: b.r[t], b.earlier: b.r[t - 1]})]}),
    _claim(
        "thm10.fall",
        lemmas={
            b.SUM: [
                (
                    "turn.sum",
                    {b.a: b.KEPT, b.T: k - 1, b.r[0]: b.first, b.r[k - 1]: b.last, b.r[k]: b.following},
                )
            ]
        },
    ),
    _claim("thm10.free", SHRUNK, decided),
    _claim(
        "thm10",
        beside=(needed_in(world.TWO, *world.ASSUMED), better_in(world.TWO, b.ONE_STEP, *world.ASSUMED)),
        lemmas={
            b.LOSS: [("loss.next", {loss: 2 * F, now: b.last, later: b.following})],
            b.FALL: [("thm10.fall", {})],
        },
    ),
    _claim("thm10.angle", None, identity),
    _claim("thm10.lines", LINES, identity),
    _claim("thm10/attained", None, identity),
    *_claims("thm10/half thm10.number thm10.number/smaller"),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="evron_two_tasks"))
