"""Randomised Kaczmarz: the expected error, for all numbers of steps and dimensions."""

from __future__ import annotations

from verify.commands.main import main
from verify.engine.checks.relation import identity
from verify.engine.model.claim import claims_about
from verify.first_order import decided
from verify.scenes.kaczmarz.rows import ROWS, RUN, STEP

_claim = claims_about("kaczmarz", decided)
CLAIMS = (
    _claim("thm2.mean", ROWS, identity),
    _claim("thm2.step", STEP),
    _claim("thm2", RUN),
    _claim("thm2/ahead", RUN),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="kaczmarz_theorem"))
