"""SPECIAL: one round of its two algorithms, and which of their printed versions agree."""

from __future__ import annotations

from verify.commands.main import main
from verify.engine.checks.relation import agreement, identity
from verify.engine.model.claim import claims_about
from verify.scenes.special.algorithms import CONSTANT, ROUND
from verify.scenes.special.problem import STEP_OF_SERVER

_claim = claims_about("special", identity)
CLAIMS = (
    _claim("alg1", ROUND, agreement),
    _claim("alg1.later", ROUND, agreement),
    _claim("alg1.eq6", ROUND),
    _claim("alg1.update", ROUND),
    _claim("alg1.pull", ROUND),
    _claim("eq6.fedavg", ROUND),
    _claim("alg2.prox", STEP_OF_SERVER),
    _claim("alg2.update", ROUND, agreement),
    _claim("alg2.update/corrected", ROUND),
    _claim("alg2.mean", ROUND, agreement),
    _claim("alg2.mean/full", ROUND, agreement),
    _claim("alg2.step", ROUND, agreement),
    _claim("alg2.fedavg", ROUND),
    _claim("alg2.fedavg/sampled", ROUND),
    _claim("alg2.pull", ROUND),
    _claim("alg2.onestep", ROUND),
    _claim("alg2.esteps", ROUND),
    _claim("alg2.esteps/constant", CONSTANT),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="special_algorithms"))
