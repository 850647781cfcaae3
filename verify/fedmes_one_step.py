"""FedMeS: the best constants of one personalised step, over all strongly convex smooth losses in every dimension."""

from __future__ import annotations

from verify.commands.main import main
from verify.engine.model.claim import claims_about
from verify.first_order import decided
from verify.scenes.fedmes.one_step import STEP

_claim = claims_about("fedmes", decided)
CLAIMS = (_claim("thm2.one-step", STEP),)

if __name__ == "__main__":
    raise SystemExit(main(topic="fedmes_one_step"))
