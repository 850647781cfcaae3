"""SPECIAL: the best factor of one server step, over all convex smooth losses in every dimension."""

from __future__ import annotations

from verify.commands.main import main
from verify.engine.model.claim import claims_about
from verify.first_order import decided
from verify.scenes.special.one_step import STEP

_claim = claims_about("special", decided)
CLAIMS = (_claim("one-step.value", STEP),)

if __name__ == "__main__":
    raise SystemExit(main(topic="special_one_step"))
