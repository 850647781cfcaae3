"""SPECIAL: its metrics, and whether its tables of results agree with them and with each other."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import sympy as sp

from bounds.catalogue import statement
from bounds.special_metrics import (
    ACC,
    BWT,
    K,
    above_worst,
    kept_early,
    learnt_early,
    missed,
    worst_drop,
)
from bounds.special_tables import (
    BY_TASK,
    EXCERPT,
    FRACTION_DIGIT,
    MAIN,
    PERCENT_DIGIT,
    STRENGTHS,
    TASKS,
    WORST_DROP,
    TaskTable,
)
from nqm.fields import amin
from verify.engine.checks.relation import identity, inequality
from verify.engine.checks.table import Rows, table
from verify.engine.claim import Claim
from verify.engine.main import main
from verify.engine.scene import Box, Scene, Shape, Values

Named = Mapping[str, Any]


def metrics(shape: Shape, values: Named) -> Values:
    """ACC, BWT and the worst drop of accuracies A (batch, K, K), A[i, j] on task j after task i."""
    tasks, A = range(shape["K"]), values["A"]
    final = A[:, -1]
    right_after = [A[:, i, i] for i in tasks]
    drops = [final[:, i] - right_after[i] for i in tasks[:-1]]
    earlier = shape["K"] - 1
    return {
        "ACC": final.sum(axis=1) / shape["K"],
        "BWT": sum(drops) / earlier,
        "learnt": sum(right_after),
        "learnt_early": sum(right_after[:-1]) / earlier,
        "kept_early": final[:, :-1].sum(axis=1) / earlier,
        "missed": (1 - final).sum(axis=1),
    }


def with_worst(shape: Shape, values: Named) -> Values:
    """The metrics and the worst drop."""
    A = values["A"]
    drops = A[:, -1, :-1] - A[:, range(shape["K"] - 1), range(shape["K"] - 1)]
    worst = amin(drops, -1)
    return {
        **metrics(shape, values),
        "worst_drop": worst,
        "above_worst": drops.sum(axis=-1) - (shape["K"] - 1) * worst,
    }


def _accuracies(shape: Shape) -> dict[str, Box]:
    return {"A": Box(0, 1, (shape["K"], shape["K"]))}


ACCURACIES = Scene(
    name="accuracies on all tasks after each task",
    shapes=tuple({"K": K} for K in (2, 3, 4, 5)),
    space=_accuracies,
    compute=metrics,
    covers="equal as polynomials for 2 to 5 tasks; both sides add up the same entries of A",
)
WORST = Scene(
    name="accuracies and their worst drop",
    shapes=ACCURACIES.shapes,
    space=_accuracies,
    compute=with_worst,
)
_final = (sp.Eq(K * ACC + missed, K),)
_change = (sp.Eq(BWT, kept_early - learnt_early), sp.Le(kept_early, 1), sp.Le(learnt_early, 1))
_mean = (sp.Eq((K - 1) * BWT, (K - 1) * worst_drop + above_worst),)


def means(printed: TaskTable) -> Rows:
    """Printed ACC and mean of the printed accuracies, by method."""
    return {
        method: {
            "acc_printed": printed.acc[method],
            "acc_mean": sum(final, Fraction(0)) / len(final),
            "digit": FRACTION_DIGIT,
        }
        for method, final in printed.final.items()
    }


def against_main(printed: TaskTable) -> Rows:
    """Printed ACC and the ACC of the main table, both as fractions, by method."""
    reported = MAIN[printed.sampled].acc
    return {
        method: {
            "acc_printed": acc,
            "acc_main": reported[printed.dataset, method].mean / 100,
            "digit": FRACTION_DIGIT,
        }
        for method, acc in printed.acc.items()
    }


def repeated() -> Rows:
    """Every number of Table 2 beside the one of the same method and task in Table 10."""
    (full,) = (printed for printed in BY_TASK if printed.number == 10)
    columns = (*TASKS[EXCERPT.dataset], "ACC")
    return {
        f"{method}, {column}": {"entry": one, "entry_again": other}
        for method in EXCERPT.acc
        for column, one, other in zip(
            columns,
            (*EXCERPT.final[method], EXCERPT.acc[method]),
            (*full.final[method], full.acc[method]),
            strict=True,
        )
    }


def worst_drops() -> Rows:
    """Worst drop and BWT in percent, by data set and method."""
    return {
        f"{dataset}, {method}": {
            "worst_printed": drop.mean,
            "bwt_printed": MAIN[4].bwt[dataset, method].mean,
            "digit": PERCENT_DIGIT,
        }
        for (dataset, method), drop in WORST_DROP.items()
    }


def swept_against(strength: str, method: str) -> Rows:
    """ACC and BWT of the lambda sweep of SPECIAL-C beside those of a method in Table 1, on Digit-10."""
    reported = {"ACC": MAIN[4].acc, "BWT": MAIN[4].bwt}
    return {
        metric: {
            "swept": STRENGTHS[metric][strength],
            "reference": reported[metric]["Digit-10", method].mean,
            "deviation": reported[metric]["Digit-10", method].deviation,
            "digit": PERCENT_DIGIT,
        }
        for metric in reported
    }


def _printed(id: str, rows: Rows) -> Claim:
    return Claim(statement(id), (table(rows),))


CLAIMS = (
    Claim(statement("special.eq10"), (identity,), ACCURACIES),
    Claim(statement("special.eq10.acc"), (inequality,), ACCURACIES, _final),
    Claim(statement("special.eq10.bwt"), (inequality,), ACCURACIES, _change),
    Claim(statement("special.eq10.relative"), (inequality,), ACCURACIES, _change),
    Claim(statement("special.worstdrop"), (inequality,), WORST, _mean),
    _printed("special.table2", means(EXCERPT)),
    _printed("special.table2.rows", repeated()),
    _printed("special.table8", worst_drops()),
    *(_printed(f"special.table{printed.number}", means(printed)) for printed in BY_TASK),
    *(_printed(f"special.table{printed.number}.main", against_main(printed)) for printed in BY_TASK),
    _printed("special.table13.lambda", swept_against("0.2", "SPECIAL-C")),
    _printed("special.table13.fedavg", swept_against("0", "FedAvg")),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="special_metrics"))
