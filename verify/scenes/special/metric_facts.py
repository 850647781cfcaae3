"""Facts about SPECIAL's metrics, for any number of tasks: they add up the same accuracies."""

from __future__ import annotations

from bounds.catalogue import statement
from bounds.relations import eq, ge
from bounds.special import metrics as s
from bounds.special.symbols import K
from verify.scenes.metric_facts import (
    FINAL,
    FINALS,
    LEARNT,
    LOST,
    ONE,
    SHARE,
    sum_from_mean,
    summed,
    two_parts,
)
from verify.scenes.norms_of_sums import AnyNumber, counted, follows
from verify.scenes.summands import SUMMANDS, added, changing

_SEVERAL = (ge(K, 2),)
METRICS: tuple[AnyNumber, ...] = (
    follows(
        statement("special.eq10").compared,
        summed(eq(LOST, FINALS - s.learnt), {LOST: FINAL - LEARNT, FINALS: FINAL, s.learnt: LEARNT}, K),
        *(sum_from_mean(LOST, s.BWT, K - 1), sum_from_mean(FINALS, s.ACC, K)),
    ),
    follows(
        s.MISSED,
        summed(eq(FINALS + s.missed, SUMMANDS), {FINALS: FINAL, s.missed: 1 - FINAL}, K),
        sum_from_mean(FINALS, s.ACC, K),
    ),
    summed(
        s.CHANGE,
        {s.BWT: SHARE * (FINAL - LEARNT), s.kept_early: SHARE * FINAL, s.learnt_early: SHARE * LEARNT},
    ),
    two_parts(s.kept_early, s.lost_early, K - 1, _SEVERAL),
    two_parts(s.learnt_early, s.unlearnt_early, K - 1, _SEVERAL),
    follows(
        s.ABOVE,
        counted(
            eq(LOST, s.above_worst + SUMMANDS * s.worst_drop),
            K - 1,
            changing(LOST, s.above_worst, free=(ONE,)),
            added(LOST, ONE),
            added(s.above_worst, ONE - s.worst_drop),
        ),
        sum_from_mean(LOST, s.BWT, K - 1),
    ),
)
