"""C-FLAG: corrected versions of Theorems 2 and 5, Lemmas 4, 7, 13 and Corollary 14, also tested with runs that learn nothing."""

from __future__ import annotations

from bounds.catalogue import statement
from verify.commands.main import main
from verify.engine.checks.order import order
from verify.engine.checks.relation import bound, entailment, inequality
from verify.engine.checks.vacuity import free_lunch, needed, no_placebo, nothing_free, placebos
from verify.engine.model.claim import claims_about, for_each
from verify.scenes.cflag.adaptive_facts import ALONG, LEAST_ALONG
from verify.scenes.cflag.adaptive_rates import PAIR
from verify.scenes.cflag.bias import SPREAD
from verify.scenes.cflag.drift_norms import LONG
from verify.scenes.cflag.forgetting import SPLIT
from verify.scenes.cflag.growth_facts import QUARTERED, TWELFTHED
from verify.scenes.cflag.placebos import OF_PAIR
from verify.scenes.cflag.repairs import IDLE, KEPT, LIPSCHITZ_ROUND, UPHILL

LEARNS = (free_lunch(statement("cflag.thm5.free"), KEPT), placebos((IDLE, UPHILL)), needed)
FOLLOWS = nothing_free("how far local models move is known from their steps alone")
COSTS = nothing_free(
    "a round without steps on the current data forgets nothing, but learns nothing either; the bound is not negative"
)
NO_STEPS = free_lunch(statement("cflag.lem7.free"), PAIR)

_claim = claims_about("cflag", bound)
_claims = for_each(_claim)
CLAIMS = (
    _claim("thm2.round/fixed", LIPSCHITZ_ROUND, bound, "eq36", *SPLIT),
    *_claims("thm2/fixed thm2/fixed-rate", KEPT, beside=LEARNS),
    *_claims("thm5.past/fixed thm5.longest/fixed", KEPT),
    _claim("thm5/fixed", KEPT, bound, "thm5.past/fixed", "thm5.longest/fixed", beside=LEARNS),
    *_claims("thm5/fixed.order thm5/redrawn.order", None, order),
    _claim("lem13.growth", None, inequality),
    _claim("lem13.growth/quarter", None, entailment),
    _claim(
        "lem13/tight",
        LONG,
        bound,
        "lem13/sharp",
        QUARTERED,
        beside=(FOLLOWS, no_placebo("the bound holds of steps uphill as well, and of none"), needed),
    ),
    _claim("cor14/tight", LONG, bound, "cor14/sharp", TWELFTHED),
    _claim("lem4.gap", SPREAD),
    *_claims(
        "lem7.worst/transferring lem7.worst/interfering", PAIR, beside=(NO_STEPS, placebos(OF_PAIR), needed)
    ),
    _claim(
        "lem7.worst/interfering-little",
        PAIR,
        bound,
        "lem7.worst/interfering",
        LEAST_ALONG,
        ALONG,
        beside=(COSTS, placebos(OF_PAIR), needed),
    ),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cflag_repairs"))
