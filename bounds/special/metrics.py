"""SPECIAL, Section 5: the metrics ACC, BWT and worst drop, and how they bound each other."""

from __future__ import annotations

from functools import partial

import sympy as sp

from bounds.relations import eq, ge, le
from bounds.special.symbols import SPECIAL, K, at

_nonnegative, _real = SPECIAL.nonnegative, SPECIAL.real

# Metrics of one matrix of accuracies A, A[i, j] on task j after task i
ACC = _nonnegative("ACC", "mean final accuracy", r"\mathrm{ACC}")
BWT = _real("BWT", "mean change of the earlier tasks' accuracies since they were learnt", r"\mathrm{BWT}")
learnt = _nonnegative(
    "learnt", "sum over all tasks of the accuracy right after learning", r"\sum_{i=1}^KA_{i,i}"
)
learnt_early = _nonnegative(
    "learnt_early", "mean over the earlier tasks of the accuracy right after learning"
)
kept_early = _nonnegative("kept_early", "mean final accuracy of the earlier tasks")
missed = _nonnegative("missed", "sum over all tasks of what the final accuracy lacks to 1")
worst_drop = _real(
    "worst_drop", "smallest change of an earlier task's accuracy", r"\min_{i\le K-1}(A_{K,i}-A_{i,i})"
)
above_worst = _nonnegative(
    "above_worst", "sum over the earlier tasks of the change minus the smallest change"
)
lost_early = _nonnegative("lost_early", "what kept_early lacks to 1")
unlearnt_early = _nonnegative("unlearnt_early", "what learnt_early lacks to 1")

SEVERAL_TASKS = (ge(K, 2),)
MISSED = eq(K * ACC + missed, K)
CHANGE = eq(BWT, kept_early - learnt_early)
KEPT = eq(kept_early + lost_early, 1)
LEARNT = eq(learnt_early + unlearnt_early, 1)
ABOVE = eq((K - 1) * BWT, (K - 1) * worst_drop + above_worst)
"""What the bounds are derived from."""

_of_tasks = partial(at, conditions=SEVERAL_TASKS)
_eq10 = _of_tasks("Eq. (10)", "239")
_drop = _of_tasks("Section 5, 'Why FedAvg can look strong', and Eq. (10)", "252, 239")

STATEMENTS = (
    _eq10(
        "eq10",
        "BWT is ACC seen against the accuracies right after learning: the last task cancels",
        eq((K - 1) * BWT, K * ACC - learnt),
    ),
    _eq10("eq10.missed", "ACC and what the final accuracies lack add up to 1", MISSED),
    _eq10("eq10.acc", "ACC lies between 0 and 1", le(ACC, 1), uses=("eq10.missed",)),
    _eq10(
        "eq10.change",
        "BWT compares the earlier tasks at the end with themselves right after learning",
        CHANGE,
    ),
    _eq10("eq10.kept", "the final accuracies of the earlier tasks and what they lack add up to 1", KEPT),
    _eq10("eq10.learnt", "the accuracies right after learning and what they lack add up to 1", LEARNT),
    _eq10(
        "eq10.bwt",
        "BWT lies between -1 and 1",
        le(sp.Abs(BWT), 1),
        uses=("eq10.change", "eq10.kept", "eq10.learnt"),
    ),
    _of_tasks("Section 5, main results", "243")(
        "eq10.relative",
        "who learns little cannot forget much: -BWT is at most the mean accuracy right after learning",
        le(-BWT, learnt_early),
        uses=("eq10.change",),
    ),
    _drop(
        "worstdrop.above", "BWT is the worst drop and the mean of what the other changes have above it", ABOVE
    ),
    _drop(
        "worstdrop",
        "the worst drop of an earlier task is at most BWT, the mean of the drops",
        le(worst_drop, BWT),
        uses=("worstdrop.above",),
    ),
)
