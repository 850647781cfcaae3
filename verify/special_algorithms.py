"""SPECIAL: one round of its two algorithms, and which of their printed versions agree."""

from __future__ import annotations

from verify.commands.main import main
from verify.engine.checks.relation import agreement, identity
from verify.engine.model.claim import claims_about, for_each
from verify.scenes.special.algorithms import CONSTANT, ROUND
from verify.scenes.special.problem import STEP_OF_SERVER

_claim = claims_about("special", identity)
_claims = for_each(_claim)
CLAIMS = (
    *_claims("alg1 alg1.later", ROUND, agreement),
    *_claims("alg1.eq6 alg1.update alg1.pull eq6.fedavg", ROUND),
    _claim("alg2.prox", STEP_OF_SERVER),
    _claim("alg2.update", ROUND, agreement),
    _claim("alg2.update/corrected", ROUND),
    *_claims("alg2.mean alg2.mean/full alg2.step", ROUND, agreement),
    *_claims("alg2.fedavg alg2.fedavg/sampled alg2.pull alg2.onestep alg2.esteps", ROUND),
    _claim("alg2.esteps/constant", CONSTANT),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="special_algorithms"))
