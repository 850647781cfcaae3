"""CFL: one round on convex losses (Appendix B.4.1 and B.4.2), line by line.

One round starts from a given model, so the drifts of its clients, including past ones, are independent of that model, as
Assumption 3 requires with its expectations conditional on omega. All outcomes of drifts and noise are enumerated.
"""

from __future__ import annotations

from bounds.cfl.steps import added, added_mean
from verify.commands.main import main
from verify.engine.checks.relation import agreement, bound, entailment, identity, inequality
from verify.engine.model.claim import claims_about, for_each
from verify.scenes.cfl.convex_sums import ALONG, FALLING, LOST_ALONG
from verify.scenes.cfl.dents import WITH_DENTS
from verify.scenes.cfl.rare import RARE
from verify.scenes.cfl.round import ROUND
from verify.scenes.cfl.round_sums import SIZED
from verify.scenes.cfl.step_sizes import STEPS
from verify.scenes.cfl.step_ways import DENOMINATOR, FACTOR, RATIO, SIMPLIFIED, TWELFTH
from verify.scenes.cfl.turning import PUSHED, TURNED

ADDED_MEAN = {added: added_mean}
_claim = claims_about("cfl", inequality)
_claims = for_each(_claim)
_ALONG = ROUND.of_class("lengths of vectors", LOST_ALONG)
CLAIMS = (
    *_claims("eq8 eq9 eq9/expected eq10 eq10/corrected", ROUND, identity),
    *_claims("eq11 eq11/sign eq12 eq12/corrected eq13", ROUND),
    _claim("eq11/corrected", _ALONG, inequality, ALONG),
    _claim("eq13/corrected", _ALONG, inequality, ALONG, FALLING),
    *_claims("eq15.mid1 eq15.mid2 eq15.last", ROUND),
    _claim("eq15.mid1/independent", WITH_DENTS),
    _claim("eq16", ROUND, identity),
    *_claims("eq18.mid eq18", TURNED),
    *_claims("eq14.noise eq14 eq15 eq17 eq19 eq20 eq21 eq21/corrected", PUSHED),
    *_claims("eq22 eq22/theorem eq22/theorem-units step step.half thm4.1.step", STEPS, entailment),
    _claim("step/corrected", STEPS, entailment, "step/each", FACTOR, means=ADDED_MEAN),
    *_claims(
        "step.half/corrected eq22/corrected", STEPS, entailment, "step.half/each", FACTOR, means=ADDED_MEAN
    ),
    _claim("step.simplified", STEPS, entailment, through=SIMPLIFIED),
    _claim("step.denominator", STEPS, through=DENOMINATOR),
    _claim("step.ratio", STEPS),
    _claim("step.ratio.twelfth", STEPS, through=TWELFTH),
    _claim("step.ratio/corrected", STEPS, inequality, SIZED, through=RATIO),
    _claim("eq22.coefficient", STEPS, agreement),
    *_claims("onestep onestep/corrected onestep/theorem", PUSHED, bound),
    _claim("eq24", RARE, bound),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_round"))
