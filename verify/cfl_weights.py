"""CFL: the optimal weights of past rounds, the optimal value, and the matrix Q (Lemmas B.4, B.9, Theorems 4.7, 4.9)."""

from __future__ import annotations

from bounds.cfl.symbols import D2, F2
from bounds.cfl.weight_sums import M2
from verify.commands.main import main
from verify.engine.checks.relation import agreement, entailment, identity, inequality
from verify.engine.checks.vacuity import needed, no_placebo, nothing_free
from verify.engine.model.claim import claims_about
from verify.facts.numbers import beyond
from verify.scenes.cfl.left_out_facts import SLOPE
from verify.scenes.cfl.matrix import ENTRIES, FORMS, ROWS
from verify.scenes.cfl.nonnegative import EXPANSION, NOT_NEGATIVE
from verify.scenes.cfl.weight_sums import least_hints
from verify.scenes.cfl.weighting import (
    ANY_WEIGHTS,
    CASE_TWO,
    CLOSED,
    GRADUAL,
    OVERLAP_SOLVED,
    OVERLAPPING,
    TWO_WEIGHTS,
    UNCORRELATED,
)

_claim = claims_about("cfl", identity)
_BEYOND = beyond(D2, F2)
ABOUT_WEIGHTS = no_placebo("it speaks of weights, and nothing is trained")
_OTHERS = "other weights are what it is about; what J bounds is compared with the current data alone, as thm4.9.bound/nonnegative"


CLAIMS = (
    _claim("lemB.4/past", ANY_WEIGHTS),
    _claim("lemB.4/spread", ANY_WEIGHTS),
    _claim("lemB.4/off", ANY_WEIGHTS),
    _claim("lemB.4/least", ANY_WEIGHTS, inequality, "lemB.4/past", "lemB.4/off", through=least_hints(D2)),
    _claim("lemB.4", UNCORRELATED, inequality, "min-value", "lemB.4/least"),
    _claim("lemB.4.c1", UNCORRELATED, inequality, "lemB.4"),
    _claim("lemB.4.c2", UNCORRELATED, inequality, "lemB.4"),
    _claim("lemB.4.convergence", UNCORRELATED, inequality),
    _claim("min-value"),
    _claim("min-value.split"),
    _claim("eq33/products", ANY_WEIGHTS),
    _claim("eq33/reduced", OVERLAPPING, identity, "eq33/products", facts=(_BEYOND,)),
    _claim("eq33/off", OVERLAPPING),
    _claim("eq33/least", OVERLAPPING, inequality, "lemB.4/past", "eq33/off", through=least_hints(M2)),
    _claim("eq33", OVERLAPPING, inequality, "thm4.7.variance/corrected", "eq33/least", "eq33/reduced"),
    _claim("eq33.past", OVERLAP_SOLVED),
    _claim("eq33.current", OVERLAP_SOLVED),
    _claim("eq33.substitution", None, agreement),
    _claim("thm4.7.weights"),
    _claim("thm4.7.variance", OVERLAPPING),
    _claim("thm4.7.variance/objective", OVERLAPPING),
    _claim("thm4.7.variance/products", OVERLAPPING),
    _claim("thm4.7.variance/reduced", OVERLAPPING, identity, "thm4.7.variance/products", facts=(_BEYOND,)),
    _claim("thm4.7.variance/lemma", OVERLAPPING),
    _claim(
        "thm4.7.variance/corrected",
        OVERLAPPING,
        identity,
        *(f"thm4.7.variance/{step}" for step in ("objective", "reduced", "lemma")),
        beside=(nothing_free("both sides are equal"), ABOUT_WEIGHTS, needed),
    ),
    _claim("thm4.7.c_O/products", OVERLAPPING),
    _claim("thm4.7.c_O", OVERLAPPING, entailment),
    _claim(
        "thm4.7.c_O/corrected", OVERLAPPING, entailment, "thm4.7.variance/products", "thm4.7.c_O/products"
    ),
    _claim(
        "thm4.9",
        GRADUAL,
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
    _claim("thm4.9.lu", GRADUAL, inequality),
    _claim("thm4.9.proof.case", CASE_TWO),
    _claim("thm4.9.proof.form", TWO_WEIGHTS),
    _claim("thm4.9.proof.entries", ENTRIES, agreement),
    _claim("thm4.9.proof.matrix", TWO_WEIGHTS),
    _claim("thm4.9.proof.expansion", TWO_WEIGHTS),
    _claim("thm4.9.proof.stationary", CLOSED),
    _claim("lemB.9", FORMS, inequality),
    _claim("lemB.9/corrected", FORMS, inequality, "lemB.9/squares", "lemB.9/entries"),
    _claim("lemB.9/squares", FORMS),
    _claim("lemB.9/entries", FORMS, inequality),
    _claim("lemB.9/semidefinite", FORMS, inequality, "lemB.9/squares"),
    _claim("lemB.9.decomposition", FORMS),
    _claim("lemB.9.eigenvalue", FORMS),
    _claim("lemB.9.kernel", FORMS),
    _claim("lemB.9.rows", ROWS),
    _claim("lemB.9.MF", FORMS, inequality),
    _claim("ex1.explicit/closed-form", CLOSED),
    _claim("ex1.explicit/current", CLOSED),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_weights"))
