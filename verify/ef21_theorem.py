"""EF21: the lemmas and Theorem 1, for all numbers of clients and iterations."""

from __future__ import annotations

from bounds.ef21.theorem import STILL, gap_0, grad2_mean
from verify.commands.main import main
from verify.engine.checks.necessity import better_in, needed_in
from verify.engine.model.claim import claims_about, for_each
from verify.first_order import decided
from verify.scenes.ef21.iteration import ITERATION, LYAPUNOV, RUN, YOUNG
from verify.scenes.ef21.world import ASSUMED, WORLD
from verify.scenes.standing_still import gradient_from_gap

_claim = claims_about("ef21", decided)
_claims = for_each(_claim)
CLAIMS = (
    _claim("lem1", YOUNG),
    *_claims("lem3 ass1.turn lem2", ITERATION),
    _claim("thm1.step", LYAPUNOV),
    _claim("thm1", RUN, beside=(needed_in(WORLD, *ASSUMED), better_in(WORLD, STILL, *ASSUMED))),
    _claim("thm1/long", RUN),
    _claim("thm1.free", gradient_from_gap(grad2_mean, gap_0)),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="ef21_theorem"))
