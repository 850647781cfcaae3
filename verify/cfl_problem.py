"""CFL, Section 3: the problem and its approximation, the steps of the server, the drifts, and Assumption 3."""

from __future__ import annotations

from verify.commands.main import main
from verify.engine.checks.relation import agreement, entailment, identity, inequality
from verify.engine.model.claim import claims_about, for_each
from verify.scenes.cfl import problem as scenes
from verify.scenes.cfl.lemmas import GRADIENT_DRIFT
from verify.scenes.cfl.problem_facts import MEAN_LOST
from verify.scenes.cfl.step_ways import FIRST, ORDER

_claim = claims_about("cfl", inequality)
_claims = for_each(_claim)
CLAIMS = (
    _claim("eq1", scenes.OBJECTIVES, agreement),
    _claim("eq1.sampling", scenes.SAMPLED, entailment),
    _claim("eq1.sampling/uniform", scenes.UNIFORM, identity),
    _claim("eq2", scenes.UNWEIGHTED, agreement),
    _claim("eq2/mean", scenes.UNWEIGHTED, identity),
    _claim("eq3", scenes.OBJECTIVES, agreement),
    _claim("eq3/same-clients", scenes.SAME_CLIENTS, identity),
    _claim("fedavg-update", scenes.SERVER, agreement),
    *_claims("fedavg-update.descent fedavg-update.descent/algorithm", scenes.SERVER),
    *_claims("alg1 alg2 def3.1", scenes.ALGORITHMS, identity),
    _claim("def3.1.recursion", scenes.ALGORITHMS, agreement),
    _claim("def3.1.estimate", scenes.ALGORITHMS, inequality, MEAN_LOST),
    _claim("noise.sgd", scenes.MODEL, agreement),
    _claim("noise.sgd.square", scenes.MODEL, identity),
    _claim("noise.fl", scenes.SAMPLED, entailment),
    _claim("noise.fl/uniform", scenes.UNIFORM, identity),
    _claim("eq5", scenes.MODEL, agreement),
    _claim("eq5.square", scenes.MODEL, identity),
    _claim("ass3", scenes.MODEL, agreement),
    _claim("ass3/corrected", scenes.MODEL, identity),
    *_claims("ass3.equivalent.there ass3.equivalent.back", GRADIENT_DRIFT, entailment, "lemB.2.1.split"),
    _claim("ass3.equivalent.letters", None, agreement),
    _claim("ass3.optimum", scenes.MODEL, entailment),
    _claim("step.theorem.order", scenes.STEP, through=ORDER),
    *(
        _claim(f"ass3.returning{part}", scenes.RETURNING, entailment)
        for part in ("", ".square", ".square/convex")
    ),
    _claim("step.theorem", scenes.STEP, entailment),
    _claim("step.theorem.first", scenes.STEP, entailment, through=FIRST),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_problem"))
