"""C-FLAG: memories and their bias (Assumptions 2 and 3, Lemmas 8 to 11), and the meaning of expectations over memories."""

from __future__ import annotations

from verify.commands.main import main
from verify.engine.checks.assumption import assumption
from verify.engine.checks.relation import agreement, bound, entailment, identity, inequality
from verify.engine.model.claim import claims_about
from verify.scenes.cflag.bias import (
    ANEW,
    ANY,
    APART,
    BALANCED,
    BETWEEN,
    BOTH,
    COMMON,
    DRAWS,
    FREE_BIAS,
    FREE_RATIOS,
    OF_CLASSES,
    ONCE,
    RATIOS,
    SPREAD,
    STATIONARY,
    VECTORS,
)
from verify.scenes.cflag.convex_facts import FAR, SMALL_BIAS
from verify.scenes.cflag.lemma_9 import STRONGLY_CONVEX, TOUCHING
from verify.scenes.cflag.memory_facts import ANGLE, WITHIN
from verify.scenes.cflag.overfitting import AT_RATE

_claim = claims_about("cflag", bound)
CLAIMS = (
    _claim("eq6", VECTORS, identity),
    _claim("ass2", FREE_BIAS, assumption),
    _claim("ass2.stationary", None, entailment),
    _claim("ass2.correlated", APART, inequality, BETWEEN.relation),
    _claim("ass2.correlated/any", ANY, inequality),
    _claim("ass3", FREE_RATIOS, assumption),
    _claim("ass3.stationary", None, entailment),
    _claim("eq26", DRAWS, identity),
    _claim("lem8", DRAWS, identity),
    _claim("lem8.iterates", ONCE, identity),
    _claim("lem8.iterates/redrawn", ANEW, identity),
    _claim("lem8.overfitting", AT_RATE, identity),
    _claim("lem8.overfitting/redrawn", ANEW, identity),
    _claim("lem8.overfitting.sign", ONCE, inequality),
    _claim("lem8.overfitting.sign/redrawn", ANEW, inequality, "lem8.overfitting/redrawn"),
    _claim("lem8.balanced", BALANCED, identity),
    _claim("lem8.balanced/weighted", OF_CLASSES, identity),
    _claim("expectation", BOTH, agreement),
    _claim("lem9", STATIONARY),
    _claim("lem9/convex", TOUCHING),
    _claim("lem9/strongly-convex", STRONGLY_CONVEX, bound, "eq29.jensen", SMALL_BIAS, FAR),
    _claim("lem9.below-one", COMMON),
    _claim("eq28", STATIONARY),
    _claim("eq29.jensen", VECTORS, inequality),
    _claim("eq29", None, entailment),
    _claim("lem10", RATIOS),
    _claim("eq78", VECTORS, inequality),
    _claim("eq82", SPREAD, bound, "eq78", WITHIN),
    _claim("eq84", VECTORS, inequality, *ANGLE),
    _claim("lem11", SPREAD, bound, "eq82", "eq84"),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cflag_bias"))
