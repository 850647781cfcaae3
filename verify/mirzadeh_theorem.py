"""Forgetting of a first task from the curvature of its loss, over all smooth losses in every dimension."""

from __future__ import annotations

from verify.commands.main import main
from verify.engine.checks.relation import inequality
from verify.engine.model.claim import claims_about
from verify.first_order import decided
from verify.necessity import needed_in
from verify.scenes.mirzadeh.optimum import ANY, QUARTIC
from verify.scenes.mirzadeh.world import ASSUMED, WORLD

_claim = claims_about("mirzadeh", decided)
CLAIMS = (
    _claim("eq5", ANY, beside=(needed_in(WORLD, *ASSUMED),)),
    _claim("eq5/third", ANY),
    _claim("eq5/local", QUARTIC, inequality),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="mirzadeh_theorem"))
