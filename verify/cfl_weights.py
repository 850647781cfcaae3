"""CFL: weights of past rounds. Are they optimal, is what they minimise a bound, and what does the text make of it?"""

from __future__ import annotations

from itertools import pairwise

import sympy as sp

from bounds.cfl.correlated import SPLIT, mixed2, p_AC, p_cross, p_decay, p_FD, p_square
from bounds.cfl.symbols import C2, F2, g2
from bounds.cfl.weights_text import TABLE_2
from verify.commands.main import main
from verify.engine.checks.relation import agreement, bound, entailment, identity, inequality
from verify.engine.checks.table import row, table
from verify.engine.claim import claims_about
from verify.scenes.cfl.drifts import CHAINED, CHAINED_OPTIMAL, EQUAL, OVERLAP, POINT
from verify.scenes.cfl.weighting import (
    ALONE,
    ANY_WEIGHTS,
    CASE_TWO,
    CLOSED,
    ENTRIES,
    FORMS,
    GRADUAL,
    LARGE_LOSS,
    NOT_NEGATIVE,
    OVERLAP_SOLVED,
    OVERLAPPING,
    OVERLAPPING_SUMS,
    ROWS,
    TWO_WEIGHTS,
    UNCORRELATED,
)
from verify.scenes.cfl.weights_scene import ACCURACIES, DRIFT, TABLE_1_CL, TABLE_2_ROW, TABLE_9_ROWS

_table_2 = table({f"row {n}": row({"t": 4}, entries) for n, entries in enumerate(TABLE_2, start=1)})
_growing_overlap = table(
    {
        f"{a} to {b}": row({"methods": 4}, {"less": ACCURACIES[a], "more": ACCURACIES[b]})
        for a, b in pairwise(ACCURACIES)
    }
)
_every_overlap = table(
    {a: row({"methods": 4}, {"less": found, "more": found}) for a, found in ACCURACIES.items()}
)
_yin = table({"Yin et al.": row({}, {"general": "0"})})

# ------------------------------------------------------------------------------------------------- the claims

_claim = claims_about("cfl", identity)
_PARTS = ("opt-case2.drift/nonnegative", "opt-case2.loss/nonnegative")
_BY_PAIRS = (
    sp.Le(mixed2, DRIFT * p_square + sp.Min(DRIFT, F2 + C2 * g2) * p_cross),
    sp.Ge(p_cross, 0),
)
_EVERY_PAIR = sp.Le(mixed2, DRIFT * p_square + p_FD + p_AC * g2)
_DECAYING = sp.Le(mixed2, DRIFT * p_decay)
CLAIMS = (
    _claim("tab2", TABLE_2_ROW, _table_2),
    _claim("tab2/squares", TABLE_2_ROW, _table_2),
    _claim("lemB.4/past", ANY_WEIGHTS),
    _claim("lemB.4/spread", ANY_WEIGHTS),
    _claim("lemB.4/least", ANY_WEIGHTS, inequality, "lemB.4/past", "lemB.4/spread"),
    _claim("lemB.4", UNCORRELATED, inequality, "min-value", "lemB.4/least"),
    _claim("lemB.4.c1", UNCORRELATED, inequality, "lemB.4"),
    _claim("lemB.4.c2", UNCORRELATED, inequality, "lemB.4"),
    _claim("lemB.4.convergence", UNCORRELATED, inequality),
    _claim("min-value"),
    _claim("min-value.split"),
    _claim("prop4.3", None, inequality),
    _claim("prop4.3.limit"),
    _claim("prop4.3.improvement", None, inequality, "prop4.3"),
    _claim("rem4.2.strongly", None, agreement),
    _claim("rem4.2.strongly/one-client", None, agreement),
    _claim("rem4.2.convex", None, agreement),
    _claim("rem4.2.convex/one-client", None, agreement),
    _claim("rem4.2.yin", TABLE_1_CL, _yin),
    _claim("rem4.5.special", ALONE),
    _claim("rem4.5.rate", LARGE_LOSS, inequality),
    _claim("rem4.5.weight", LARGE_LOSS, inequality),
    _claim("rem4.6.variance", None, inequality),
    _claim("rem4.6.convex", None, inequality),
    _claim("rem4.6.nonconvex", None, inequality),
    _claim("rem4.6.factor", None, agreement),
    _claim("rem4.6.accuracy", None, inequality),
    _claim("lemB.7", OVERLAP, bound),
    _claim("lemB.7.split", POINT),
    _claim("lemB.7.time", OVERLAP, bound),
    _claim("lemB.7/nonnegative", OVERLAP, bound),
    _claim("lemB.7/corrected", OVERLAP, bound, "lemB.7.split", "lemB.7.time/corrected"),
    _claim("lemB.7.time/corrected", OVERLAP, bound, *_BY_PAIRS),
    _claim("lemB.7.c_pG", None, agreement),
    _claim("eq33/products", ANY_WEIGHTS),
    _claim("eq33/reduced", OVERLAPPING, identity, "eq33/products"),
    _claim("eq33/least", OVERLAPPING, inequality, "lemB.4/past", "lemB.4/spread"),
    _claim("eq33", OVERLAPPING, inequality, "thm4.7.variance/corrected", "eq33/least", "eq33/reduced"),
    _claim("eq33.past", OVERLAP_SOLVED),
    _claim("eq33.current", OVERLAP_SOLVED),
    _claim("eq33.substitution", None, agreement),
    _claim("thm4.7.weights"),
    _claim("thm4.7.variance", OVERLAPPING),
    _claim("thm4.7.variance/objective", OVERLAPPING_SUMS),
    _claim("thm4.7.variance/products", OVERLAPPING_SUMS),
    _claim("thm4.7.variance/lemma", OVERLAPPING_SUMS),
    _claim(
        "thm4.7.variance/corrected",
        OVERLAPPING,
        identity,
        *(f"thm4.7.variance/{step}" for step in ("objective", "products", "lemma")),
    ),
    _claim("thm4.7.c_O/products", OVERLAPPING_SUMS),
    _claim("thm4.7.c_O", OVERLAPPING, entailment),
    _claim(
        "thm4.7.c_O/corrected", OVERLAPPING, entailment, "thm4.7.variance/products", "thm4.7.c_O/products"
    ),
    _claim("thm4.7.fedavg", None, agreement),
    *(
        _claim(f"thmB.8.{word}", None, agreement)
        for word in ("weights", "step", "strongly", "convex", "nonconvex")
    ),
    _claim("rem4.8.rate", None, agreement),
    _claim("rem4.8.rate/noise", None, agreement),
    _claim("rem4.8.impact", OVERLAPPING, inequality),
    _claim("rem4.8.impact/least", OVERLAPPING, inequality),
    _claim("rem4.8.weights", None, inequality),
    _claim("rem4.8.table9", TABLE_9_ROWS, _growing_overlap),
    _claim("rem4.8.coreset", TABLE_9_ROWS, _every_overlap),
    _claim("lemB.10", OVERLAP, bound),
    _claim("lemB.10/nonnegative", OVERLAP, bound),
    _claim("lemB.10/corrected", OVERLAP, bound, SPLIT.compared, _EVERY_PAIR),
    _claim("opt-case2", CHAINED, bound),
    _claim("opt-case2/nonnegative", CHAINED, bound, *_PARTS),
    _claim("opt-case2.drift", CHAINED, bound),
    _claim("opt-case2.drift/nonnegative", CHAINED, bound, SPLIT.compared, _DECAYING),
    _claim("opt-case2.drift/equality", EQUAL, bound, SPLIT.compared, _DECAYING),
    _claim("opt-case2.loss", CHAINED, bound),
    _claim("opt-case2.loss/nonnegative", CHAINED, bound),
    _claim(
        "thm4.9",
        GRADUAL,
        inequality,
        "thm4.9.proof.expansion",
        "thm4.9.proof.stationary",
        "lemB.9/semidefinite",
    ),
    _claim("thm4.9/nonnegative", NOT_NEGATIVE, inequality),
    _claim("thm4.9.bound", CHAINED_OPTIMAL, bound),
    _claim("thm4.9.bound/nonnegative", CHAINED_OPTIMAL, bound, *_PARTS),
    _claim("thm4.9.proof.case", CASE_TWO),
    _claim("thm4.9.proof.form", TWO_WEIGHTS),
    _claim("thm4.9.proof.entries", ENTRIES, agreement),
    _claim("thm4.9.proof.matrix", TWO_WEIGHTS),
    _claim("thm4.9.proof.expansion", TWO_WEIGHTS),
    _claim("thm4.9.proof.stationary", CLOSED),
    _claim("lemB.9", FORMS, inequality),
    _claim("lemB.9/corrected", FORMS, inequality),
    _claim("lemB.9/squares", FORMS),
    _claim("lemB.9/semidefinite", FORMS, inequality, "lemB.9/squares"),
    _claim("lemB.9.decomposition", FORMS),
    _claim("lemB.9.eigenvalue", FORMS),
    _claim("lemB.9.kernel", FORMS),
    _claim("lemB.9.rows", ROWS),
    _claim("lemB.9.MF", FORMS, inequality),
    _claim("ex1.explicit/closed-form", CLOSED),
    _claim("ex1.explicit/current", CLOSED),
    _claim("ex1.current", None, inequality),
    _claim("ex1.current/every-round", GRADUAL, inequality),
    _claim("ex1.importance", None, inequality, "ex1.current"),
    _claim("ex1.importance/each", GRADUAL, inequality),
    _claim("ex1.overlap", None, inequality),
    _claim("ex1.rate", None, inequality),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="cfl_weights"))
