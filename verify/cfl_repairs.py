"""CFL: corrected versions of false statements: steps, constants of a round, correlation, nonconvex losses, noise."""

from __future__ import annotations

import sympy as sp

from bounds.catalogue import statement
from bounds.cfl.nonconvex import loss_now
from bounds.cfl.symbols import D2, F2
from bounds.cfl.weight_sums import F2_more
from verify.commands.main import main
from verify.engine.checks.order import order
from verify.engine.checks.relation import bound, identity, inequality
from verify.engine.checks.vacuity import free_lunch, needed, placebos
from verify.engine.model.claim import claims_about, for_each
from verify.facts import beyond, descent
from verify.facts.numbers import rising_max
from verify.scenes.cfl import first_step, round_sums
from verify.scenes.cfl.descent_ways import DESCENT, MEAN_OF_C
from verify.scenes.cfl.nonconvex import PLACEBOS
from verify.scenes.cfl.nonconvex import ROUND as ANY_CURVATURE
from verify.scenes.cfl.overlap_ways import MORE_OVERLAP
from verify.scenes.cfl.repairs import GEOMETRIC, MISLED, SHORT_STEPS, STEADY, STEADY_BEST
from verify.scenes.cfl.round import SINGLE
from verify.scenes.cfl.step_sizes import STEPS
from verify.scenes.cfl.step_ways import ADDED, LARGEST_OF_C, RATIO, each
from verify.scenes.cfl.turning import PUSHED

_claim = claims_about("cfl", inequality)
_claims = for_each(_claim)
_STEPS = STEPS.of_class("several numbers", LARGEST_OF_C)
CLAIMS = (
    _claim("step/client-defined"),
    _claim("step/client", None, inequality, "step/client-defined", "step/client-times"),
    *_claims("step/client-times step/quadratic step.half/client-defined"),
    _claim("step.half/client", None, inequality, "step.half/client-defined", "step.half/client-times"),
    _claim("step.half/client-times"),
    *(
        _claim(id, _STEPS, inequality, ADDED, round_sums.GROWN_EACH, through=each(factor, most))
        for id, factor, most in (("step/each", 6, 2), ("step.half/each", 12, 1))
    ),
    _claim("step.ratio/repaired", STEPS, through=RATIO),
    _claim("onestep/repaired", PUSHED, bound),
    _claim(
        "onestep/single",
        SINGLE.of_class("smooth convex losses", first_step.BELOW, first_step.LOST_LEFT),
        bound,
        *(
            first_step.PUT_TOGETHER,
            first_step.AVERAGED,
            first_step.FALLING,
            first_step.NEARER,
            round_sums.GROWN,
            first_step.PASTS,
            round_sums.SIZED,
            *first_step.LENGTHS,
        ),
        through=first_step.SINGLE_STEP,
    ),
    _claim(
        "rem4.8.impact/repaired",
        facts=(beyond(D2, F2), beyond(D2, F2_more), rising_max(D2 - F2, D2 - F2_more, sp.S.Zero)),
        through=MORE_OVERLAP,
    ),
    _claim("nc.downhill/repaired", ANY_CURVATURE),
    _claim(
        "nc.descent/repaired",
        ANY_CURVATURE.of_class("smooth losses", MEAN_OF_C, descent(statement("cfl.eq25").relation)),
        bound,
        "nc.downhill/repaired",
        *(
            round_sums.MOVED,
            round_sums.PULLED,
            round_sums.STRAYED,
            round_sums.STARTED,
            round_sums.SIZED,
            round_sums.GROWN,
            round_sums.WALKED,
            round_sums.PAST,
        ),
        baseline=loss_now,
        beside=(free_lunch(statement("cfl.nc.descent.free"), ANY_CURVATURE), placebos(PLACEBOS), needed),
        through=DESCENT,
    ),
    _claim("nc.rate/repaired", None, order),
    _claim("nqm.steady", STEADY, identity),
    _claim("nqm.steady.best", STEADY_BEST, identity),
    _claim("nqm.steady.criterion", STEADY, identity),
    _claim("B44.forgotten", GEOMETRIC, identity),
    _claim("rem4.6.early", SHORT_STEPS, identity),
    _claim("phi.optimum", MISLED),
    _claim("phi.optimum/value", MISLED, identity),
    _claim("phi.optimum/strong", MISLED, inequality, "phi.optimum/value"),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_repairs"))
