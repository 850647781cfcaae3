"""C-FLAG, Section 7: the metrics Acc and Forget, against each other and against those of SPECIAL."""

from __future__ import annotations

from bounds.cflag.symbols import CFLAG, at
from bounds.relations import eq, ge, le

_count, _nonnegative, _real = CFLAG.count, CFLAG.nonnegative, CFLAG.real

# Metrics of one matrix of accuracies a, a[i, j] on task j after task i
S = _count("S_tasks", "number of tasks", "S")
Acc = _nonnegative("Acc", "mean final accuracy", r"\mathrm{Acc}")
Forget = _real("Forget", "mean loss of the earlier tasks since they were learnt", r"\mathrm{Forget}")
ACC_special = _nonnegative("ACC_special", "ACC as SPECIAL defines it", r"\mathrm{ACC}")
BWT_special = _real("BWT_special", "BWT as SPECIAL defines it", r"\mathrm{BWT}")
unlearnt = _nonnegative(
    "unlearnt",
    "sum over all tasks of what the accuracy right after learning lacks to 1",
    r"\sum_{i=1}^S(1-a_{i,i})",
)

SEVERAL_TASKS = (ge(S, 2),)
PARTS = eq((S - 1) * Forget + S * Acc + unlearnt, S)
ROOM = le((S - 1) * Forget + S * Acc, S)
METRICS = "Section 7, Metrics"

STATEMENTS = (
    at(METRICS, "259")("acc", "Acc is the ACC of SPECIAL", eq(Acc, ACC_special)),
    at(METRICS, "260")(
        "forget",
        "Forget is the BWT of SPECIAL with the sign turned",
        eq(Forget, -BWT_special),
        conditions=SEVERAL_TASKS,
    ),
    at(METRICS, "259-260")(
        "forget.parts",
        "Forget, Acc and what was never learnt share one whole: the last task cancels",
        PARTS,
        conditions=SEVERAL_TASKS,
    ),
    at(METRICS, "259-260")(
        "forget.acc",
        "who ends with a high accuracy cannot have forgotten much: (S - 1) Forget is at most S (1 - Acc)",
        ROOM,
        conditions=SEVERAL_TASKS,
        uses=("forget.parts",),
    ),
)
