"""CFL: one round on convex losses (Appendix B.4.1 and B.4.2), line by line.

One round starts from a given model, so the drifts of its clients, past ones too, are independent of that model:
this is what Assumption 3 asks with its expectations given omega. All outcomes of drifts and noise are enumerated.
"""

from __future__ import annotations

import sympy as sp

from bounds.cfl.convex import P, bar2_upto, cB, cG, e_before, gap, grad2_here, k
from bounds.cfl.symbols import R2, L
from verify.commands.main import main
from verify.engine.checks.relation import agreement, bound, entailment, identity, inequality
from verify.engine.claim import claims_about, for_each
from verify.scenes.cfl.dents import WITH_DENTS
from verify.scenes.cfl.round import FEDAVG, ROUND, STEPS
from verify.scenes.cfl.round_facts import ALONG, FALLING, LOST_ALONG, MEAN_OF_SQUARES, SIZED
from verify.scenes.cfl.step_ways import DENOMINATOR, RATIO, SIMPLIFIED, TWELFTH

SMOOTH = (sp.Le(grad2_here, 2 * L**2 * e_before + 4 * L * gap),)
"""Assumption 1: |grad f(w)|^2 <= 2 |grad f(w) - grad f(w_t)|^2 + 2 |grad f(w_t)|^2, and |grad f(w_t)|^2 <= 2 L (f - f*)."""
GROWING = (sp.Le(bar2_upto, k * (4 * L**2 * cB * e_before + 8 * L * cB * gap + 2 * cG + 2 * P**2 * R2)),)
"""Eq. (18) for each of k steps, the local drift of the last being the largest: the text does not say the latter."""


_claim = claims_about("cfl", inequality)
_claims = for_each(_claim)
CLAIMS = (
    *_claims("eq8 eq9 eq9/expected eq10 eq10/corrected", ROUND, identity),
    *_claims("eq11 eq11/sign eq12 eq12/corrected eq13", ROUND),
    _claim("eq11/corrected", ROUND, inequality, ALONG, facts=(LOST_ALONG,)),
    _claim("eq13/corrected", ROUND, inequality, ALONG, FALLING, facts=(LOST_ALONG,)),
    *_claims("eq14.noise eq15.mid1 eq15.mid2 eq15.last eq15", ROUND),
    _claim("eq15.mid1/independent", WITH_DENTS),
    _claim("eq14", ROUND, inequality, "eq14.noise", MEAN_OF_SQUARES),
    _claim("eq16", ROUND, identity),
    *_claims("eq17 eq18.mid eq20 eq21 eq21/corrected", ROUND),
    _claim("eq18", ROUND, inequality, "eq18.mid", *SMOOTH),
    _claim("eq19", ROUND, inequality, "eq17", *GROWING),
    *_claims("eq22 eq22/theorem eq22/theorem-units eq22/corrected step step/corrected", STEPS, entailment),
    *_claims("step.half step.half/corrected thm4.1.step", STEPS, entailment),
    _claim("step.simplified", STEPS, entailment, through=SIMPLIFIED),
    _claim("step.denominator", STEPS, through=DENOMINATOR),
    _claim("step.ratio", STEPS),
    _claim("step.ratio.twelfth", STEPS, through=TWELFTH),
    _claim("step.ratio/corrected", STEPS, inequality, SIZED, through=RATIO),
    _claim("eq22.coefficient", STEPS, agreement),
    *_claims("onestep onestep/corrected onestep/theorem", ROUND, bound),
    _claim("eq24", FEDAVG, bound),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_round"))
