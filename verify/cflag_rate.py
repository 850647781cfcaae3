"""C-FLAG: convergence on the past data (Theorems 2 and 5, Corollary 17), with exact expectations over all memories."""

from __future__ import annotations

from bounds.catalogue import statement
from bounds.cflag.joint import EXPERIMENTS
from bounds.cflag.symbols import T
from verify.commands.main import main
from verify.engine.checks.applicability import applicability
from verify.engine.checks.order import order, outgrown
from verify.engine.checks.relation import bound, identity, inequality
from verify.engine.checks.vacuity import free_lunch, needed, placebos
from verify.engine.model.claim import claims_about, for_each
from verify.scenes.cflag.free import REDRAWN_FROM_INFIMUM
from verify.scenes.cflag.rate import AGREEING, ANEW, IDLE, LOSSES, ONCE, STEPS, UPHILL

FLOOR = outgrown(statement("cflag.thm5.floor"), 1, T)
FREE = free_lunch(statement("cflag.thm5.free.redrawn"), REDRAWN_FROM_INFIMUM)
SETTINGS = applicability(EXPERIMENTS)


_claim = claims_about("cflag", bound)
_claims = for_each(_claim)
CLAIMS = (
    _claim("thm2", AGREEING, bound, beside=(SETTINGS,)),
    _claim("thm2.applicability", None, SETTINGS),
    *_claims("thm2/eq15 thm2/path", ONCE),
    _claim("thm2/redrawn", ANEW, bound, beside=(FREE, placebos((IDLE, UPHILL)), needed)),
    _claim("thm2.rate", None, inequality),
    _claim("eq60", STEPS),
    _claim("eq60/all-steps", ONCE),
    _claim("eq61", ONCE, inequality),
    _claim("eq62", STEPS),
    _claim("eq62/all-steps", ONCE),
    _claim("eq63", LOSSES, identity),
    _claim("eq64", AGREEING),
    _claim("eq64/all-steps", ONCE),
    _claim("eq64/redrawn", ANEW),
    _claim("eq65", None, identity),
    _claim("thm5", None, order, beside=(FLOOR,)),
    _claim("eq169", None, order),
    _claim("cor17", None, order, beside=(FLOOR,)),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cflag_rate"))
