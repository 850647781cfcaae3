"""CFL, Appendix C.1.2: the information about the past that Taylor approximations, core sets and generated samples lose."""

from __future__ import annotations

from bounds.cfl.approximations import herd_mean, herd_rise, hessian_off, lost_end, lost_off
from bounds.cfl.lemmas import bend, from_end, from_point, loss_norm
from bounds.relations import le
from verify.commands.main import main
from verify.engine.checks.relation import entailment, identity, inequality
from verify.engine.model.claim import claims_about
from verify.facts import least, linear_map, mean_value
from verify.scenes.cfl.approximation_facts import EVERY_STEP
from verify.scenes.cfl.approximations import (
    CHAIN,
    GENERATED,
    LOGISTIC,
    NEXT,
    NEXT_END,
    QUADRATIC,
    STOOD_IN,
    TWO_LAYERS,
)
from verify.scenes.cfl.core_sets import AGAIN, ANY, BALANCED, ONCE, UNIFORM, UNION

# -------------------------------------------------------------------------------------------------- the claims

_TO_END = STOOD_IN.of_class("smooth losses", mean_value(le(lost_end, bend * from_end)))
_OFF = STOOD_IN.of_class("lengths of vectors", linear_map(lost_off, loss_norm, hessian_off, from_point))
_BEST = AGAIN.of_class("several numbers", least(herd_rise, herd_mean))

_claim = claims_about("cfl", identity)
CLAIMS = (
    _claim("approx.taylor", QUADRATIC),
    _claim("approx.taylor.quadratic", QUADRATIC),
    _claim("lemB.3/end", _TO_END, inequality),
    _claim("approx.taylor.next", NEXT),
    _claim("approx.taylor.next/end", NEXT_END),
    _claim("approx.taylor.hessian", STOOD_IN, entailment),
    _claim("approx.taylor.hessian/corrected", _OFF, inequality, "lemB.3"),
    _claim("approx.taylor.diagonal", QUADRATIC),
    _claim("approx.taylor.layers", QUADRATIC),
    _claim("approx.taylor.buffer", None, inequality),
    _claim("approx.taylor.fisher", LOGISTIC),
    _claim("approx.taylor.fisher/samples", LOGISTIC),
    _claim("approx.taylor.fisher/model", LOGISTIC),
    _claim("approx.taylor.fisher/network", TWO_LAYERS),
    _claim("approx.coreset", UNIFORM),
    _claim("approx.coreset.loss", UNIFORM),
    _claim("approx.coreset.more", None, inequality),
    _claim("approx.coreset.union", UNION),
    _claim("approx.coreset.union.weights", BALANCED, entailment),
    _claim("alg3", AGAIN, inequality, EVERY_STEP, "alg3.step"),
    _claim("alg3.step", _BEST, inequality, "alg3.average"),
    _claim("alg3.average", ANY),
    _claim("alg3/once", ONCE, inequality),
    _claim("alg3.distinct", AGAIN),
    _claim("alg3.distinct/once", ONCE),
    _claim("alg3.whole", AGAIN),
    _claim("alg3.whole/once", ONCE),
    _claim("approx.mcmc", CHAIN),
    _claim("approx.mcmc/langevin"),
    _claim("approx.mcmc.collapse", None, inequality),
    _claim("approx.mcmc.loss", GENERATED),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_approximations"))
