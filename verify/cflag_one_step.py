"""C-FLAG: the best constants of the descent of one round, over all smooth losses in every dimension."""

from __future__ import annotations

from verify.commands.main import main
from verify.engine.model.claim import claims_about
from verify.first_order import decided
from verify.scenes.cflag.one_step import STEP

_claim = claims_about("cflag", decided)
CLAIMS = (_claim("lem1.one-step", STEP),)

if __name__ == "__main__":
    raise SystemExit(main(topic="cflag_one_step"))
