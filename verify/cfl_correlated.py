"""CFL: is the quantity that the weights minimise a bound? Weighted gradients with correlated drifts (Lemmas B.7, B.10, Theorem 4.9)."""

from __future__ import annotations

from bounds.catalogue import statement
from bounds.cfl.correlated import SPLIT
from verify.commands.main import main
from verify.engine.checks.relation import agreement, bound, identity
from verify.engine.checks.vacuity import free_lunch, needed, no_placebo
from verify.engine.model.claim import claims_about, for_each
from verify.scenes.cfl.drift_facts import ALIKE, BY_PAIRS, CROSSED, DECAYING, EVERY_PAIR, LOST
from verify.scenes.cfl.drifts import CHAINED, CHAINED_OPTIMAL, EQUAL, OVERLAP, POINT

_PARTS = ("opt-case2.drift/nonnegative", "opt-case2.loss/nonnegative")

_claim = claims_about("cfl", identity)
_claims = for_each(_claim)
CLAIMS = (
    _claim("lemB.7", OVERLAP, bound),
    _claim("lemB.7.split", POINT),
    *_claims("lemB.7.time lemB.7/nonnegative", OVERLAP, bound),
    _claim("lemB.7/corrected", OVERLAP, bound, "lemB.7.split", "lemB.7.time/corrected"),
    _claim("lemB.7.time/corrected", OVERLAP, bound, ALIKE, BY_PAIRS, CROSSED),
    _claim("lemB.7.c_pG", None, agreement),
    *_claims("lemB.10 lemB.10/nonnegative", OVERLAP, bound),
    _claim("lemB.10/corrected", OVERLAP, bound, SPLIT.compared, EVERY_PAIR),
    _claim("opt-case2", CHAINED, bound),
    _claim("opt-case2/nonnegative", CHAINED, bound, *_PARTS),
    _claim("opt-case2.drift", CHAINED, bound),
    _claim("opt-case2.drift/nonnegative", CHAINED, bound, SPLIT.compared, DECAYING),
    _claim("opt-case2.drift/equality", EQUAL, bound, SPLIT.compared, DECAYING),
    *_claims("opt-case2.loss opt-case2.loss/nonnegative", CHAINED, bound),
    _claim("thm4.9.bound", CHAINED_OPTIMAL, bound),
    _claim(
        "thm4.9.bound/nonnegative",
        CHAINED_OPTIMAL,
        bound,
        *(SPLIT.compared, DECAYING, LOST),
        beside=(
            free_lunch(statement("cfl.thm4.9.free"), CHAINED_OPTIMAL),
            no_placebo("it compares an objective with the current loss at one model, and nothing is trained"),
            needed,
        ),
    ),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_correlated"))
