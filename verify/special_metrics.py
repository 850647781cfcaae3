"""SPECIAL: its metrics, and whether its tables of results agree with them and with each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
    MAIN,
    STRENGTHS,
    TASKS,
    WORST_DROP,
    TaskTable,
)
from nqm.fields import amin
from verify.engine.checks.relation import identity, inequality
from verify.engine.checks.table import row, table
from verify.engine.claim import Claim
from verify.engine.instance import Instance
from verify.engine.main import main
from verify.engine.scene import Box, Scene, Shape, Values

Named = Mapping[str, Any]
Rows = Mapping[str, Instance]


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


# --------------------------------------------------------------------------------------------- printed numbers


def _printed_scene(
    name: str, space: Callable[[Shape], Mapping[str, Box]], more: Callable[[Named], Values], unit: int
) -> Scene:
    """Rows of printed numbers, whose last digit is worth ``1/unit``; `more` is computed from them."""

    def compute(shape: Shape, values: Named) -> Values:
        some = next(iter(values[name] for name in space(shape)))
        one = some.reshape(some.shape[0], -1)[:, 0] * 0 + 1
        return {"digit": one / unit, **more(values)}

    return Scene(name=name, shapes=({"K": 4}, {"K": 6}), space=space, compute=compute)


ACCURACY, PERCENT = Box(0, 1), Box(-100, 100)
BY_TASK_ROWS = _printed_scene(
    "accuracies by task and their mean",
    lambda shape: {"final": Box(0, 1, (shape["K"],)), "acc_printed": ACCURACY},
    lambda values: {"acc_mean": values["final"].mean(axis=1)},
    unit=10_000,
)
MAIN_ROWS = _printed_scene(
    "ACC in two tables",
    lambda shape: {"acc_printed": ACCURACY, "acc_percent": PERCENT},
    lambda values: {"acc_main": values["acc_percent"] / 100},
    unit=10_000,
)
REPEATED_ROWS = _printed_scene(
    "a number in two tables",
    lambda shape: {"entry": ACCURACY, "entry_again": ACCURACY},
    lambda values: {},
    unit=10_000,
)
DROP_ROWS = _printed_scene(
    "worst drop and BWT",
    lambda shape: {"worst_printed": PERCENT, "bwt_printed": PERCENT},
    lambda values: {},
    unit=100,
)
SWEEP_ROWS = _printed_scene(
    "sweep and main table",
    lambda shape: {"swept": PERCENT, "reference": PERCENT, "deviation": Box(0, 100)},
    lambda values: {},
    unit=100,
)


def means(printed: TaskTable) -> Rows:
    """Printed ACC and printed accuracies, by method."""
    return {
        method: row({"K": len(final)}, {"final": final, "acc_printed": printed.acc[method]})
        for method, final in printed.final.items()
    }


def against_main(printed: TaskTable) -> Rows:
    """Printed ACC and the ACC of the main table, by method."""
    reported, size = MAIN[printed.sampled].acc, {"K": len(TASKS[printed.dataset])}
    return {
        method: row(size, {"acc_printed": acc, "acc_percent": reported[printed.dataset, method].mean})
        for method, acc in printed.acc.items()
    }


def repeated() -> Rows:
    """Every number of Table 2 beside the one of the same method and task in Table 10."""
    (full,) = (printed for printed in BY_TASK if printed.number == 10)
    columns = (*TASKS[EXCERPT.dataset], "ACC")
    return {
        f"{method} on {column}": row({"K": 4}, {"entry": one, "entry_again": other})
        for method in EXCERPT.acc
        for column, one, other in zip(
            columns,
            (*EXCERPT.final[method], EXCERPT.acc[method]),
            (*full.final[method], full.acc[method]),
            strict=True,
        )
    }


def worst_drops() -> Rows:
    """Worst drop and BWT, by method and data set."""
    return {
        f"{method} on {dataset}": row(
            {"K": len(TASKS[dataset])},
            {"worst_printed": drop.mean, "bwt_printed": MAIN[4].bwt[dataset, method].mean},
        )
        for (dataset, method), drop in WORST_DROP.items()
    }


def swept_against(strength: str, method: str) -> Rows:
    """ACC and BWT of the lambda sweep of SPECIAL-C beside those of a method in Table 1, on Digit-10."""
    reported = {"ACC": MAIN[4].acc, "BWT": MAIN[4].bwt}
    return {
        metric: row(
            {"K": 4},
            {
                "swept": STRENGTHS[metric][strength],
                "reference": measured["Digit-10", method].mean,
                "deviation": measured["Digit-10", method].deviation,
            },
        )
        for metric, measured in reported.items()
    }


def _printed(id: str, rows: Rows, scene: Scene) -> Claim:
    return Claim(statement(id), (table(rows),), scene)


CLAIMS = (
    Claim(statement("special.eq10"), (identity,), ACCURACIES),
    Claim(statement("special.eq10.acc"), (inequality,), ACCURACIES, _final),
    Claim(statement("special.eq10.bwt"), (inequality,), ACCURACIES, _change),
    Claim(statement("special.eq10.relative"), (inequality,), ACCURACIES, _change),
    Claim(statement("special.worstdrop"), (inequality,), WORST, _mean),
    _printed("special.table2", means(EXCERPT), BY_TASK_ROWS),
    _printed("special.table2.rows", repeated(), REPEATED_ROWS),
    _printed("special.table8", worst_drops(), DROP_ROWS),
    *(_printed(f"special.table{printed.number}", means(printed), BY_TASK_ROWS) for printed in BY_TASK),
    *(
        _printed(f"special.table{printed.number}.main", against_main(printed), MAIN_ROWS)
        for printed in BY_TASK
    ),
    _printed("special.table13.lambda", swept_against("0.2", "SPECIAL-C"), SWEEP_ROWS),
    _printed("special.table13.fedavg", swept_against("0", "FedAvg"), SWEEP_ROWS),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="special_metrics"))
