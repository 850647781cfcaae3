"""C-FLAG: memories and their bias (Assumptions 2 and 3, Lemmas 8 to 11), and the meaning of expectations over memories."""

from __future__ import annotations

from verify.commands.main import main
from verify.engine.checks.assumption import assumption
from verify.engine.checks.relation import agreement, bound, entailment, identity, inequality
from verify.engine.model.claim import claims_about
from verify.scenes.cflag import bias as scenes
from verify.scenes.cflag.convex_facts import FAR, SMALL_BIAS
from verify.scenes.cflag.lemma_9 import STRONGLY_CONVEX, TOUCHING
from verify.scenes.cflag.memory_facts import ANGLE, WITHIN
from verify.scenes.cflag.overfitting import AT_RATE

_claim = claims_about("cflag", bound)
CLAIMS = (
    _claim("eq6", scenes.VECTORS, identity),
    _claim("ass2", scenes.FREE_BIAS, assumption),
    _claim("ass2.stationary", None, entailment),
    _claim("ass2.correlated", scenes.APART, inequality, scenes.BETWEEN.relation),
    _claim("ass2.correlated/any", scenes.ANY, inequality),
    _claim("ass3", scenes.FREE_RATIOS, assumption),
    _claim("ass3.stationary", None, entailment),
    _claim("eq26", scenes.DRAWS, identity),
    _claim("lem8", scenes.DRAWS, identity),
    _claim("lem8.iterates", scenes.ONCE, identity),
    _claim("lem8.iterates/redrawn", scenes.ANEW, identity),
    _claim("lem8.overfitting", AT_RATE, identity),
    _claim("lem8.overfitting/redrawn", scenes.ANEW, identity),
    _claim("lem8.overfitting.sign", scenes.ONCE, inequality),
    _claim("lem8.overfitting.sign/redrawn", scenes.ANEW, inequality, "lem8.overfitting/redrawn"),
    _claim("lem8.balanced", scenes.BALANCED, identity),
    _claim("lem8.balanced/weighted", scenes.OF_CLASSES, identity),
    _claim("expectation", scenes.BOTH, agreement),
    _claim("lem9", scenes.STATIONARY),
    _claim("lem9/convex", TOUCHING),
    _claim("lem9/strongly-convex", STRONGLY_CONVEX, bound, "eq29.jensen", SMALL_BIAS, FAR),
    _claim("lem9.below-one", scenes.COMMON),
    _claim("eq28", scenes.STATIONARY),
    _claim("eq29.jensen", scenes.VECTORS, inequality),
    _claim("eq29", None, entailment),
    _claim("lem10", scenes.RATIOS),
    _claim("eq78", scenes.VECTORS, inequality),
    _claim("eq82", scenes.SPREAD, bound, "eq78", WITHIN),
    _claim("eq84", scenes.VECTORS, inequality, *ANGLE),
    _claim("lem11", scenes.SPREAD, bound, "eq82", "eq84"),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cflag_bias"))
