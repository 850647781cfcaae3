"""Forgetting of a first task from the curvature of its loss, over all smooth losses in every dimension."""

from __future__ import annotations

from verify.commands.main import main
from verify.engine.checks.necessity import needed_in
from verify.engine.checks.relation import inequality
from verify.engine.checks.vacuity import nothing_free
from verify.engine.model.claim import claims_about
from verify.first_order import decided
from verify.scenes.mirzadeh.optimum import ANY, QUARTIC
from verify.scenes.mirzadeh.world import ASSUMED, WORLD

CURVATURE = nothing_free("it is what smoothness gives at an optimum")
_claim = claims_about("mirzadeh", decided)
CLAIMS = (
    _claim("eq5", ANY, beside=(needed_in(WORLD, *ASSUMED), CURVATURE)),
    _claim("eq5/third", ANY),
    _claim("eq5/local", QUARTIC, inequality),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="mirzadeh_theorem"))
