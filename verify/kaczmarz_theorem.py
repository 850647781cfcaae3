"""Randomised Kaczmarz: the expected error, for all numbers of steps and dimensions."""

from __future__ import annotations

import bounds.kaczmarz.theorem as b
from verify.commands.main import main
from verify.engine.checks.necessity import better_in, needed_in
from verify.engine.checks.relation import identity, inequality
from verify.engine.model.claim import claims_about
from verify.first_order import decided
from verify.scenes.kaczmarz.rows import ROWS, RUN, STEP
from verify.scenes.kaczmarz.world import ASSUMED, WORLD
from verify.scenes.standing_still import of_still_model

_claim = claims_about("kaczmarz", decided)
OF_STEP = {b.after2: b.far[b.t], b.before2: b.far[b.t - 1], b.image2: b.images[b.t - 1]}
CLAIMS = (
    _claim("thm2.mean", ROWS, identity),
    _claim("thm2.step", STEP),
    _claim("thm2", RUN, beside=(needed_in(WORLD, *ASSUMED), better_in(WORLD, b.STILL, *ASSUMED))),
    _claim("thm2/ahead", RUN),
    _claim("thm2.free", of_still_model(b.distance2, b.distance2_0)),
    _claim("thm2/rows", None, inequality, lemmas={b.MEAN: [("thm2.mean", OF_STEP)]}),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="kaczmarz_theorem"))
