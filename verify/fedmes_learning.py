"""FedMeS: Theorem 1 for a correction that learns: its rate, its floor, and whether steps that learn nothing meet it."""

from __future__ import annotations

from verify.commands.main import main
from verify.engine.checks.relation import bound, identity, inequality
from verify.engine.checks.vacuity import needed, placebos
from verify.engine.claim import claims_about
from verify.scenes.fedmes.learning import AGAIN, BENT, LEARNING, PLACEBOS, STEEP

_claim = claims_about("fedmes", identity)

CLAIMS = (
    _claim("thm1/repaired", AGAIN, bound, beside=(needed,)),
    _claim(
        "thm1.learns", LEARNING, bound, "thm1.learns.expansion", BENT, STEEP, beside=(placebos(PLACEBOS),)
    ),
    _claim("thm1.learns/smooth", None, inequality),
    _claim("thm1.learns.expansion", LEARNING),
    _claim("thm1.learns.share", None, inequality),
    _claim("thm1.learns.again", None, inequality, "thm1.learns.share"),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="fedmes_learning"))
