"""Facts about C-FLAG's metrics, for any number of tasks: they add up the same accuracies."""

from __future__ import annotations

from bounds.cflag import metrics as c
from bounds.relations import eq
from verify.scenes.metric_facts import FINAL, FINALS, LEARNT, LOST, SHARE, sum_from_mean, summed
from verify.scenes.norms_of_sums import AnyNumber, follows
from verify.scenes.summands import SUMMANDS

METRICS: tuple[AnyNumber, ...] = (
    summed(eq(c.Acc, c.ACC_special), {c.Acc: SHARE * FINAL, c.ACC_special: SHARE * FINAL}),
    summed(
        eq(c.Forget, -c.BWT_special),
        {c.Forget: SHARE * (LEARNT - FINAL), c.BWT_special: SHARE * (FINAL - LEARNT)},
    ),
    follows(
        c.PARTS,
        summed(
            eq(FINALS + LOST + c.unlearnt, SUMMANDS),
            {FINALS: FINAL, LOST: LEARNT - FINAL, c.unlearnt: 1 - LEARNT},
            c.S,
        ),
        *(sum_from_mean(FINALS, c.Acc, c.S), sum_from_mean(LOST, c.Forget, c.S - 1)),
    ),
)
