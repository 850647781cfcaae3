"""A-GEM: the projected gradient, and a step along it over all smooth losses in every dimension."""

from __future__ import annotations

from verify.commands.main import main
from verify.engine.checks.necessity import needed_in
from verify.engine.checks.relation import identity
from verify.engine.checks.vacuity import nothing_free
from verify.engine.model.claim import claims_about, for_each
from verify.first_order import decided
from verify.scenes.agem.projection import FORMULA, PROJECTION, STEP
from verify.scenes.agem.world import ASSUMED, WORLD

CURVATURE = nothing_free("it says what curvature adds to the past loss in a step that trains another task")
_claim = claims_about("agem", decided)
_claims = for_each(_claim)
CLAIMS = (
    _claim("eq11", FORMULA, identity),
    *_claims("eq10 eq11.descends eq11.descends/same", PROJECTION),
    _claim("eq11.safe", STEP),
    _claim("eq11.safe/bounded", STEP, beside=(needed_in(WORLD, *ASSUMED), CURVATURE)),
    _claim("eq11.safe/third", STEP),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="agem_theorem"))
