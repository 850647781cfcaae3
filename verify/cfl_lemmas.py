"""CFL, Section 3 and Appendices A to B.3: the problem, its drifts, and the lemmas that every proof cites."""

from __future__ import annotations

import sympy as sp

from bounds.cfl import lemmas as b
from bounds.cfl.correlated import SPLIT, mixed2, p_square
from bounds.cfl.symbols import A2, B2, D2, G2, eta, g2, mu
from verify.commands.main import main
from verify.engine.checks.relation import agreement, entailment, identity, inequality
from verify.engine.claim import claims_about
from verify.scenes.cfl.formulation import (
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
from verify.scenes.cfl.lemmas import BETWEEN, CLIENT, DRIFTS, EXPANDED, FREE, GRADIENT_DRIFT, NOW, POINTS
from verify.scenes.cfl.technique_facts import OF_MEANS, OF_SCATTER, OF_SIGNS, ORDERED, SEPARATED, SUMMED
from verify.scenes.cfl.techniques import DEPENDENT, HARMONIC, LINEAR, ROUNDS, SUBLINEAR, UNCORRELATED, VECTORS

# ------------------------------------------------------------------------------------------------- claims

_geometric = (
    sp.Eq(mu * eta * b.W_T * b.shrunk, 1 - (1 - mu * eta) * b.shrunk),
    sp.Lt(mu * eta, 1),
    sp.Le(b.shrunk, sp.Rational(607, 1000)),  # exp(-1/2), as mu eta_max T >= 1/2
    sp.Gt(b.shrunk, 0),
)
_mixed = (SPLIT.relation, sp.Le(mixed2, (D2 + A2 * g2) * p_square))
_once = (
    sp.Eq(b.grad_once2, g2 + b.mixed_delta2 + b.mixed_xi2),
    sp.Le(b.mixed_delta2, (G2 + B2 * g2) * p_square),
    sp.Le(b.mixed_xi2, (D2 + A2 * g2) * p_square),
)
_mean_value = (sp.Le(b.loss_norm, b.bend_here * b.from_point), sp.Le(b.bend_here, b.bend))

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
    _claim("def3.1.estimate", ALGORITHMS),
    _claim("noise.sgd", MODEL, agreement),
    _claim("noise.sgd.square", MODEL, identity),
    _claim("noise.fl", SAMPLED, entailment),
    _claim("noise.fl/uniform", UNIFORM, identity),
    _claim("eq5", MODEL, agreement),
    _claim("eq5.square", MODEL, identity),
    _claim("ass1.corollary", POINTS),
    _claim("ass1.corollary/corrected", POINTS, inequality, "ass1.corollary.turn"),
    _claim("ass1.corollary.turn", POINTS, identity),
    _claim("ass1.corollary.order", POINTS, entailment),
    _claim("ass3", MODEL, agreement),
    _claim("ass3/corrected", MODEL, identity),
    _claim("ass3.equivalent.there", GRADIENT_DRIFT, entailment, "lemB.2.1.split"),
    _claim("ass3.equivalent.back", GRADIENT_DRIFT, entailment, "lemB.2.1.split"),
    _claim("ass3.optimum", MODEL, entailment),
    *(_claim(f"ass3.returning{part}", RETURNING, entailment) for part in ("", ".square", ".square/convex")),
    _claim("rem3.2", None, entailment),
    _claim("rem3.3", EXPANDED, entailment),
    _claim("rem3.3/ball", EXPANDED, entailment, *_mean_value),
    *(_claim(f"step.theorem{part}", STEP, entailment) for part in ("", ".first")),
    _claim("step.theorem.order", STEP),
    _claim("lemA.1", LINEAR, inequality, "lemA.1.telescope", *_geometric),
    _claim("lemA.1.telescope", LINEAR),
    _claim("lemA.1.use", LINEAR, agreement),
    _claim("lemA.1/same-weight", LINEAR),
    _claim("lemA.2", SUBLINEAR),
    _claim("lemA.2/positive", SUBLINEAR),
    _claim("lemA.2.start"),
    _claim("lemA.3", VECTORS, inequality, "lemA.3.pairs"),
    _claim("lemA.3.pairs", VECTORS, identity),
    _claim("lemA.4", DEPENDENT),
    _claim(
        "lemA.4/uncorrelated",
        UNCORRELATED,
        inequality,
        *(SEPARATED, OF_MEANS, OF_SIGNS, SUMMED),
    ),
    _claim(
        "lemA.4/dependent",
        DEPENDENT,
        inequality,
        *(SEPARATED, OF_MEANS, OF_SCATTER, SUMMED),
    ),
    _claim("lemA.5", POINTS, inequality, "lemA.5.slopes", "lemA.5.triangle"),
    _claim("lemA.5.slopes", POINTS, identity),
    _claim("lemA.5.triangle", POINTS, identity),
    _claim("lemA.6", ROUNDS, inequality, "lemA.6.pairs", ORDERED),
    _claim("lemA.6.pairs", ROUNDS, identity),
    _claim("lemA.6.order", HARMONIC, inequality, "lemA.6.harmonic", sp.Ge(b.log_T, sp.Rational(69, 100))),
    _claim("lemA.6.harmonic", HARMONIC),
    _claim("lemB.1", CLIENT, inequality, "lemB.1.split"),
    _claim("lemB.1.split", CLIENT, identity),
    _claim("lemB.1.last", CLIENT),
    _claim("lemB.2.1", NOW, inequality, "lemB.2.1.split"),
    _claim("lemB.2.1.split", NOW, identity),
    _claim("lemB.2.2", DRIFTS, inequality, *_mixed),
    _claim("lemB.2.3", DRIFTS, inequality, *_once),
    _claim("lemB.2.weights", FREE, entailment),
    _claim("lemB.2.reduces", None, agreement),
    _claim("lemB.2.proof", DRIFTS, identity),
    _claim("lemB.2.proof/corrected", DRIFTS, identity),
    _claim("lemB.3", EXPANDED, inequality, *_mean_value),
    _claim("lemB.3.mean-value", BETWEEN, identity),
    _claim("lemB.3.point", EXPANDED, agreement),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_lemmas"))
