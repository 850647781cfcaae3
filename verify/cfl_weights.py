"""CFL: the optimal weights of past rounds, the optimal value, and the matrix Q (Lemmas B.4, B.9, Theorems 4.7, 4.9)."""

from __future__ import annotations

from bounds.cfl.symbols import D2, F2
from bounds.cfl.weight_sums import M2
from verify.commands.main import main
from verify.engine.checks.relation import agreement, entailment, identity, inequality
from verify.engine.checks.vacuity import needed, no_placebo, nothing_free
from verify.engine.model.claim import claims_about, for_each
from verify.facts.numbers import beyond
from verify.scenes.cfl import weighting as scenes
from verify.scenes.cfl.left_out_facts import SLOPE
from verify.scenes.cfl.matrix import ENTRIES, FORMS, ROWS
from verify.scenes.cfl.nonnegative import EXPANSION, NOT_NEGATIVE
from verify.scenes.cfl.weight_sums import least_hints

_claim = claims_about("cfl", identity)
_claims = for_each(_claim)
_BEYOND = beyond(D2, F2)
ABOUT_WEIGHTS = no_placebo("it speaks of weights, and nothing is trained")
_OTHERS = "other weights are what it is about; what J bounds is compared with the current data alone, as thm4.9.bound/nonnegative"


CLAIMS = (
    *_claims("lemB.4/past lemB.4/spread lemB.4/off", scenes.ANY_WEIGHTS),
    _claim(
        "lemB.4/least", scenes.ANY_WEIGHTS, inequality, "lemB.4/past", "lemB.4/off", through=least_hints(D2)
    ),
    _claim("lemB.4", scenes.UNCORRELATED, inequality, "min-value", "lemB.4/least"),
    *_claims("lemB.4.c1 lemB.4.c2", scenes.UNCORRELATED, inequality, "lemB.4"),
    _claim("lemB.4.convergence", scenes.UNCORRELATED, inequality),
    *_claims("min-value min-value.split"),
    _claim("eq33/products", scenes.ANY_WEIGHTS),
    _claim("eq33/reduced", scenes.OVERLAPPING, identity, "eq33/products", facts=(_BEYOND,)),
    _claim("eq33/off", scenes.OVERLAPPING),
    _claim("eq33/least", scenes.OVERLAPPING, inequality, "lemB.4/past", "eq33/off", through=least_hints(M2)),
    _claim("eq33", scenes.OVERLAPPING, inequality, "thm4.7.variance/corrected", "eq33/least", "eq33/reduced"),
    *_claims("eq33.past eq33.current", scenes.OVERLAP_SOLVED),
    _claim("eq33.substitution", None, agreement),
    _claim("thm4.7.weights"),
    *_claims("thm4.7.variance thm4.7.variance/objective thm4.7.variance/products", scenes.OVERLAPPING),
    _claim(
        "thm4.7.variance/reduced", scenes.OVERLAPPING, identity, "thm4.7.variance/products", facts=(_BEYOND,)
    ),
    _claim("thm4.7.variance/lemma", scenes.OVERLAPPING),
    _claim(
        "thm4.7.variance/corrected",
        scenes.OVERLAPPING,
        identity,
        *(f"thm4.7.variance/{step}" for step in ("objective", "reduced", "lemma")),
        beside=(nothing_free("both sides are equal"), ABOUT_WEIGHTS, needed),
    ),
    _claim("thm4.7.c_O/products", scenes.OVERLAPPING),
    _claim("thm4.7.c_O", scenes.OVERLAPPING, entailment),
    _claim(
        "thm4.7.c_O/corrected",
        scenes.OVERLAPPING,
        entailment,
        "thm4.7.variance/products",
        "thm4.7.c_O/products",
    ),
    _claim(
        "thm4.9",
        scenes.GRADUAL,
        inequality,
        "thm4.9.proof.expansion",
        "thm4.9.proof.stationary",
        "lemB.9/semidefinite",
    ),
    _claim(
        "thm4.9/nonnegative",
        NOT_NEGATIVE,
        inequality,
        EXPANSION,
        SLOPE,
        "lemB.9/semidefinite",
        beside=(nothing_free(_OTHERS), ABOUT_WEIGHTS, needed),
    ),
    _claim("thm4.9.lu", scenes.GRADUAL, inequality),
    _claim("thm4.9.proof.case", scenes.CASE_TWO),
    _claim("thm4.9.proof.form", scenes.TWO_WEIGHTS),
    _claim("thm4.9.proof.entries", ENTRIES, agreement),
    *_claims("thm4.9.proof.matrix thm4.9.proof.expansion", scenes.TWO_WEIGHTS),
    _claim("thm4.9.proof.stationary", scenes.CLOSED),
    _claim("lemB.9", FORMS, inequality),
    _claim("lemB.9/corrected", FORMS, inequality, "lemB.9/squares", "lemB.9/entries"),
    _claim("lemB.9/squares", FORMS),
    _claim("lemB.9/entries", FORMS, inequality),
    _claim("lemB.9/semidefinite", FORMS, inequality, "lemB.9/squares"),
    *_claims("lemB.9.decomposition lemB.9.eigenvalue lemB.9.kernel", FORMS),
    _claim("lemB.9.rows", ROWS),
    _claim("lemB.9.MF", FORMS, inequality),
    *_claims("ex1.explicit/closed-form ex1.explicit/current", scenes.CLOSED),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_weights"))
