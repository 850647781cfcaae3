"""FedMeS: personal models against the optimum of (2) (Theorem 2), Assumption 1, and the strength of the pull (7).

No gradients conflict here, because the memory is empty: the first task, in which (4) is met throughout.
"""

from __future__ import annotations

import sympy as sp

import bounds.fedmes.personal as b
from verify.commands.main import main
from verify.engine.checks.relation import bound, entailment, identity, inequality
from verify.engine.claim import claims_about
from verify.scenes.fedmes.personal import (
    ANYWHERE,
    AT_OPTIMUM,
    DITTO_ROUND,
    EACH,
    FEDMES_ROUND,
    MIRRORED,
    MIRRORED_DITTO,
    OBJECTIVE,
    ROUND,
    STRENGTH,
)

_claim = claims_about("fedmes", identity)
_SIGMOID = (sp.Eq(b.strength, 2 / (1 + b.decayed)), sp.Lt(b.decayed, 1))

CLAIMS = (
    _claim("thm2", MIRRORED, bound),
    _claim("thm2/short-steps", MIRRORED, bound),
    _claim("thm2/persistent", MIRRORED_DITTO, bound),
    _claim("thm2.floor", FEDMES_ROUND, bound),
    _claim(
        "thm2/corrected",
        FEDMES_ROUND,
        bound,
        sp.Le(b.error, b.end_from_centre + b.centre_moved),
        "thm2.local",
        "thm2.centre",
    ),
    _claim("thm2.local", FEDMES_ROUND, bound),
    _claim("thm2.centre", FEDMES_ROUND, bound),
    _claim("thm2/persistent-corrected", DITTO_ROUND, bound),
    _claim("ass1", FEDMES_ROUND, bound),
    _claim("ass1/everywhere", ANYWHERE, entailment),
    _claim("ass1.ball", FEDMES_ROUND, inequality, sp.Le(b.c**2 * b.to_own2, b.gradient2)),
    _claim(
        "ass1.clients",
        ANYWHERE,
        inequality,
        sp.Le(b.optima_apart, b.to_one + b.to_other),
        sp.Le(b.c * b.to_one, b.norm_one),
        sp.Le(b.c * b.to_other, b.norm_other),
    ),
    _claim("ass1.global", AT_OPTIMUM, bound),
    _claim("eq1", ROUND),
    _claim("alg1", ROUND),
    _claim("alg1.one-step", EACH),
    _claim("eq2", OBJECTIVE, inequality),
    _claim("eq2/convex", OBJECTIVE, inequality, "eq2.square"),
    _claim("eq2.square", OBJECTIVE),
    _claim("eq7", STRENGTH, inequality, *_SIGMOID),
    _claim(
        "eq7.falls",
        STRENGTH,
        inequality,
        *_SIGMOID,
        sp.Eq(b.strength_larger, 2 / (1 + b.decayed_larger)),
        sp.Le(b.decayed, b.decayed_larger),
    ),
    _claim("eq7.weak", STRENGTH, entailment),
    _claim("eq7/corrected", STRENGTH, inequality, *_SIGMOID),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="fedmes_personal"))
