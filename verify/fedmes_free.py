"""FedMeS: trivial bounds, with which its theorems are compared."""

from __future__ import annotations

import bounds.fedmes.personal as b
import verify.scenes.fedmes.personal_facts as f
from bounds.catalogue import statement
from verify.commands.main import main
from verify.engine.checks.relation import bound, identity
from verify.engine.model.claim import claims_about
from verify.scenes.fedmes.free import DOWNLOADED, NO_CORRECTION, NO_CORRECTIONS, OWN

_claim = claims_about("fedmes", bound)
_LENGTHS = f.squares(b.error, b.end_from_centre, b.centre_moved, b.from_centre, b.off)
CLAIMS = (
    _claim("thm1.free", NO_CORRECTIONS, identity),
    _claim("thm1.learns.free", NO_CORRECTION, identity),
    _claim(
        "thm2.free",
        DOWNLOADED,
        bound,
        *(f.STAYED, f.BY_CENTRE, f.CENTRE, f.CROSSED, *_LENGTHS),
        through=tuple(
            statement(f"fedmes.thm2.{step}").compared for step in ("centre", "between", "triangle")
        ),
    ),
    _claim("thm2.free/squared", DOWNLOADED, bound, "thm2.free", *f.squares(b.error)),
    _claim("thm2.free.persistent", OWN, bound, f.STAYED_OWN, *f.squares(b.error)),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="fedmes_free"))
