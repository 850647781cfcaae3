"""C-FLAG: descent on the past data up to an overfitting and a forgetting term (Lemma 1), and the forms of these terms."""

from __future__ import annotations

from bounds.catalogue import statement
from verify.commands.main import main
from verify.engine.checks.relation import agreement, bound, identity
from verify.engine.checks.vacuity import free_lunch, needed, placebos
from verify.engine.model.claim import claims_about, for_each
from verify.scenes.cflag import forgetting as scenes
from verify.scenes.cflag.free import FROM_INFIMUM
from verify.scenes.cflag.placebos import OF_ROUND

FREE = free_lunch(statement("cflag.lem1.free"), FROM_INFIMUM)

_claim = claims_about("cflag", bound)
_claims = for_each(_claim)
CLAIMS = (
    *_claims("lem1 lem1/eq35 lem1/eq15", scenes.STEPS),
    _claim(
        "lem1/all-steps",
        scenes.ROUND,
        bound,
        "eq55/all-steps",
        "eq56",
        beside=(FREE, placebos(OF_ROUND), needed),
    ),
    _claim("lem1/all-steps-L", scenes.ROUND, bound, "lem1/all-steps"),
    _claim("lem1/alg1", scenes.ALG1),
    _claim("lem1/eq7", scenes.EQ7),
    _claim("lem1/ass2", scenes.SEPARATE),
    _claim("lem1.stationary", scenes.STATIONARY),
    _claim("eq36", scenes.ROUND),
    *_claims("eq37 eq38 eq39 eq40 eq41 eq42 eq43 eq44 eq45 eq46 eq47", scenes.LINES, identity),
    *_claims("eq48 eq48/squared", scenes.NORMS, identity),
    *_claims("eq49 eq50 eq51 eq52 eq53 eq54", scenes.LINES, identity),
    _claim("eq55.sum", scenes.ROUND, bound, "eq36", *scenes.SPLIT),
    _claim("eq55", scenes.STEPS),
    _claim("eq55/all-steps", scenes.ROUND, bound, "eq55.sum"),
    _claim("eq56", None, identity),
    *_claims("eq57 eq58", scenes.LATE, identity),
    *_claims("eq57/all-steps eq58/all-steps", scenes.LINES, identity),
    *_claims("eq10.eq35 eq35.eq15 eq10.eq15", scenes.LATE, agreement),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cflag_forgetting"))
