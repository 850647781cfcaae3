"""SPECIAL, Section 5 and Appendix F: the metrics, and what the tables of results say about each other."""

from __future__ import annotations

import sympy as sp

from bounds.special_symbols import SPECIAL, K, source
from bounds.special_tables import BY_TASK, MAIN, TaskTable
from bounds.statement import Statement

_define = SPECIAL.define

# Metrics of one matrix of accuracies A, A[i, j] on task j after task i
ACC = _define("ACC", "mean final accuracy", "nonnegative", r"\mathrm{ACC}")
BWT = _define(
    "BWT", "mean change of the earlier tasks' accuracies since they were learnt", "real", r"\mathrm{BWT}"
)
learnt = _define(
    "learnt", "sum over all tasks of the accuracy right after learning", "nonnegative", r"\sum_{i=1}^KA_{i,i}"
)
learnt_early = _define(
    "learnt_early", "mean over the earlier tasks of the accuracy right after learning", "nonnegative"
)
kept_early = _define("kept_early", "mean final accuracy of the earlier tasks", "nonnegative")
missed = _define("missed", "sum over all tasks of what the final accuracy lacks to 1", "nonnegative")
worst_drop = _define(
    "worst_drop", "smallest change of an earlier task's accuracy", "real", r"\min_{i\le K-1}(A_{K,i}-A_{i,i})"
)
above_worst = _define(
    "above_worst", "sum over the earlier tasks of the change minus the smallest change", "nonnegative"
)

# Printed numbers
digit = _define("digit", "one unit of the last printed digit", "positive")
acc_printed = _define("acc_printed", "printed ACC of a method", "real")
acc_mean = _define("acc_mean", "mean of its printed accuracies by task", "real")
acc_main = _define("acc_main", "its ACC in the main table", "real")
entry = _define("entry", "printed number", "real")
entry_again = _define("entry_again", "the same number, printed in another table", "real")
worst_printed = _define("worst_printed", "printed worst drop of a method", "real")
bwt_printed = _define("bwt_printed", "its printed BWT", "real")
swept = _define("swept", "number of the lambda sweep", "real")
reference = _define("reference", "number of the main table for the same method", "real")
deviation = _define("deviation", "its printed standard deviation over seeds", "nonnegative")

SEVERAL_TASKS = (sp.Ge(K, 2),)
SAME_METHOD = sp.Le(sp.Abs(swept - reference), 3 * deviation + digit)
"""Room for the seeds: three of the printed standard deviations."""

METRICS = (
    Statement(
        "special.eq10",
        "BWT is ACC seen against the accuracies right after learning: the last task cancels",
        sp.Eq((K - 1) * BWT, K * ACC - learnt),
        source("Eq. (10)", "239"),
        conditions=SEVERAL_TASKS,
    ),
    Statement(
        "special.eq10.acc",
        "ACC lies between 0 and 1",
        sp.Le(ACC, 1),
        source("Eq. (10)", "239"),
        conditions=SEVERAL_TASKS,
    ),
    Statement(
        "special.eq10.bwt",
        "BWT lies between -1 and 1",
        sp.Le(sp.Abs(BWT), 1),
        source("Eq. (10)", "239"),
        conditions=SEVERAL_TASKS,
    ),
    Statement(
        "special.eq10.relative",
        "who learns little cannot forget much: -BWT is at most the mean accuracy right after learning",
        sp.Le(-BWT, learnt_early),
        source("Section 5, main results", "243"),
        conditions=SEVERAL_TASKS,
    ),
    Statement(
        "special.worstdrop",
        "the worst drop of an earlier task is at most BWT, the mean of the drops",
        sp.Le(worst_drop, BWT),
        source("Section 5, 'Why FedAvg can look strong', and Eq. (10)", "252, 239"),
        conditions=SEVERAL_TASKS,
    ),
)


def _of_table(table: TaskTable) -> tuple[Statement, Statement]:
    """ACC against the accuracies by task, and against the main table."""
    main = MAIN[table.sampled]
    setting = f"{table.dataset}, {table.sampled} of 8 clients"
    return (
        Statement(
            f"special.table{table.number}",
            f"ACC is the mean of the accuracies by task, to the printed digits ({setting})",
            sp.Le(sp.Abs(acc_printed - acc_mean), digit),
            source(f"Table {table.number}, and Eq. (10)", f"{table.lines}, 239"),
        ),
        Statement(
            f"special.table{table.number}.main",
            f"ACC is the one of Table {main.number}, to the printed digits ({setting})",
            sp.Le(sp.Abs(acc_printed - acc_main), digit),
            source(f"Table {table.number} and Table {main.number}", f"{table.lines}, {main.lines}"),
        ),
    )


PRINTED = (
    Statement(
        "special.table2",
        "ACC is the mean of the accuracies by task, to the printed digits (VLCS, 4 of 8 clients)",
        sp.Le(sp.Abs(acc_printed - acc_mean), digit),
        source("Table 2, and Eq. (10)", "247, 239"),
    ),
    Statement(
        "special.table2.rows",
        "Table 2 repeats two lines of Table 10",
        sp.Eq(entry, entry_again),
        source("Table 2 and Table 10", "247, 851"),
    ),
    Statement(
        "special.table8",
        "no method has a worst drop above its BWT, both being means over the same seeds",
        sp.Le(worst_printed, bwt_printed + digit),
        source("Table 8 and Table 1", "829, 214"),
        uses=("special.worstdrop",),
    ),
    *(statement for table in BY_TASK for statement in _of_table(table)),
    Statement(
        "special.table13.lambda",
        "SPECIAL-C with lambda = 0.2 reaches what Table 1 reports for it (Table 7: lambda = 0.2 on Digit-10)",
        SAME_METHOD,
        source("Table 13, Table 1 and Table 7", "909, 214, 816"),
    ),
    Statement(
        "special.table13.fedavg",
        "SPECIAL-C with lambda = 0 is FedAvg and reaches what Table 1 reports for FedAvg",
        SAME_METHOD,
        source("Table 13 and Table 1", "909, 214"),
        uses=("special.alg2.fedavg",),
    ),
)

STATEMENTS = (*METRICS, *PRINTED)
