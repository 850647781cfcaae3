"""ProxSkip: its two lemmas and Theorem 3.6, for all numbers of clients and iterations."""

from __future__ import annotations

from bounds.proxskip.theorem import STILL, psi, psi_0
from verify.commands.main import main
from verify.engine.checks.necessity import better_in, needed_in
from verify.engine.model.claim import claims_about
from verify.first_order import decided
from verify.scenes.proxskip.iteration import ITERATION, RUN, WITH_RATE
from verify.scenes.proxskip.world import ASSUMED, WORLD
from verify.scenes.standing_still import of_still_model

_claim = claims_about("proxskip", decided)
CLAIMS = (
    _claim("lem3.4", ITERATION),
    _claim("lem3.5", ITERATION),
    _claim("thm3.6.step", WITH_RATE),
    _claim("thm3.6", RUN, beside=(needed_in(WORLD, *ASSUMED), better_in(WORLD, STILL, *ASSUMED))),
    _claim("thm3.6/long", RUN),
    _claim("thm3.6.free", of_still_model(psi, psi_0)),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="proxskip_theorem"))
