"""CFL, Section 3: the problem and its approximation, the steps of the server, the drifts, and Assumption 3."""

from __future__ import annotations

from verify.commands.main import main
from verify.engine.checks.relation import agreement, entailment, identity, inequality
from verify.engine.model.claim import claims_about
from verify.scenes.cfl.lemmas import GRADIENT_DRIFT
from verify.scenes.cfl.problem import (
    ALGORITHMS,
    MODEL,
    OBJECTIVES,
    RETURNING,
    SAME_CLIENTS,
    SAMPLED,
    SERVER,
    STEP,
    UNIFORM,
    UNWEIGHTED,
)
from verify.scenes.cfl.problem_facts import MEAN_LOST
from verify.scenes.cfl.step_ways import FIRST, ORDER

_claim = claims_about("cfl", inequality)
CLAIMS = (
    _claim("eq1", OBJECTIVES, agreement),
    _claim("eq1.sampling", SAMPLED, entailment),
    _claim("eq1.sampling/uniform", UNIFORM, identity),
    _claim("eq2", UNWEIGHTED, agreement),
    _claim("eq2/mean", UNWEIGHTED, identity),
    _claim("eq3", OBJECTIVES, agreement),
    _claim("eq3/same-clients", SAME_CLIENTS, identity),
    _claim("fedavg-update", SERVER, agreement),
    _claim("fedavg-update.descent", SERVER),
    _claim("fedavg-update.descent/algorithm", SERVER),
    _claim("alg1", ALGORITHMS, identity),
    _claim("alg2", ALGORITHMS, identity),
    _claim("def3.1", ALGORITHMS, identity),
    _claim("def3.1.recursion", ALGORITHMS, agreement),
    _claim("def3.1.estimate", ALGORITHMS, inequality, MEAN_LOST),
    _claim("noise.sgd", MODEL, agreement),
    _claim("noise.sgd.square", MODEL, identity),
    _claim("noise.fl", SAMPLED, entailment),
    _claim("noise.fl/uniform", UNIFORM, identity),
    _claim("eq5", MODEL, agreement),
    _claim("eq5.square", MODEL, identity),
    _claim("ass3", MODEL, agreement),
    _claim("ass3/corrected", MODEL, identity),
    _claim("ass3.equivalent.there", GRADIENT_DRIFT, entailment, "lemB.2.1.split"),
    _claim("ass3.equivalent.back", GRADIENT_DRIFT, entailment, "lemB.2.1.split"),
    _claim("ass3.equivalent.letters", None, agreement),
    _claim("ass3.optimum", MODEL, entailment),
    _claim("step.theorem.order", STEP, through=ORDER),
    *(_claim(f"ass3.returning{part}", RETURNING, entailment) for part in ("", ".square", ".square/convex")),
    _claim("step.theorem", STEP, entailment),
    _claim("step.theorem.first", STEP, entailment, through=FIRST),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_problem"))
