"""C-FLAG: the losses of its Section 2, and the printed server rules, which differ from each other (Eq. 1-3, 7, 23-25)."""

from __future__ import annotations

from verify.commands.main import main
from verify.engine.checks.relation import agreement, bound, identity
from verify.engine.model.claim import claims_about, for_each
from verify.scenes.cflag.problem import ALIKE, BY_SIZE, DATA, EQUAL, POINTS, SERVERS

_claim = claims_about("cflag", agreement)
_claims = for_each(_claim)
CLAIMS = (
    _claim("eq1", ALIKE, identity),
    _claim("eq2", POINTS, bound),
    _claim("eq3", DATA),
    _claim("eq3/by-size", BY_SIZE),
    _claim("eq3/equal-shares", EQUAL),
    _claim("eq7", SERVERS),
    *_claims("eq7/displacement alg1/displacement eq23/displacement eq24 eq25", SERVERS, identity),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cflag_problem"))
