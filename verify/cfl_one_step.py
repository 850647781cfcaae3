"""CFL: the best constants of one step with an error, over all strongly convex smooth objectives in every dimension."""

from __future__ import annotations

from verify.commands.main import main
from verify.engine.model.claim import claims_about
from verify.first_order import decided
from verify.scenes.cfl.one_step import STEP

_claim = claims_about("cfl", decided)
CLAIMS = (_claim("one-step", STEP),)

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_one_step"))
