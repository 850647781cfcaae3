"""CFL, Appendix C.1.2: the information about the past that Taylor approximations, core sets and generated samples lose."""

from __future__ import annotations

from bounds.cfl.approximations import herd_mean, herd_rise, hessian_off, lost_end, lost_off
from bounds.cfl.lemmas import bend, from_end, from_point, loss_norm
from bounds.relations import le
from verify.commands.main import main
from verify.engine.checks.relation import entailment, identity, inequality
from verify.engine.model.claim import claims_about, for_each
from verify.facts import least, linear_map, mean_value
from verify.scenes.cfl import approximations as scenes
from verify.scenes.cfl.approximation_facts import EVERY_STEP
from verify.scenes.cfl.core_sets import AGAIN, ANY, BALANCED, ONCE, UNIFORM, UNION

# -------------------------------------------------------------------------------------------------- the claims

_TO_END = scenes.STOOD_IN.of_class("smooth losses", mean_value(le(lost_end, bend * from_end)))
_OFF = scenes.STOOD_IN.of_class(
    "lengths of vectors", linear_map(lost_off, loss_norm, hessian_off, from_point)
)
_BEST = AGAIN.of_class("several numbers", least(herd_rise, herd_mean))

_claim = claims_about("cfl", identity)
_claims = for_each(_claim)
CLAIMS = (
    *_claims("approx.taylor approx.taylor.quadratic", scenes.QUADRATIC),
    _claim("lemB.3/end", _TO_END, inequality),
    _claim("approx.taylor.next", scenes.NEXT),
    _claim("approx.taylor.next/end", scenes.NEXT_END),
    _claim("approx.taylor.hessian", scenes.STOOD_IN, entailment),
    _claim("approx.taylor.hessian/corrected", _OFF, inequality, "lemB.3"),
    *_claims("approx.taylor.diagonal approx.taylor.layers", scenes.QUADRATIC),
    _claim("approx.taylor.buffer", None, inequality),
    *_claims("approx.taylor.fisher approx.taylor.fisher/samples approx.taylor.fisher/model", scenes.LOGISTIC),
    _claim("approx.taylor.fisher/network", scenes.TWO_LAYERS),
    *_claims("approx.coreset approx.coreset.loss", UNIFORM),
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
    _claim("approx.mcmc", scenes.CHAIN),
    _claim("approx.mcmc/langevin"),
    _claim("approx.mcmc.collapse", None, inequality),
    _claim("approx.mcmc.loss", scenes.GENERATED),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_approximations"))
