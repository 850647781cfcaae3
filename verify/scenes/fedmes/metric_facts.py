"""Facts about FedMeS's metrics, for any number of tasks and clients: they add up the same accuracies."""

from __future__ import annotations

import sympy as sp

from bounds.fedmes import metrics as f
from bounds.fedmes.symbols import T
from bounds.relations import eq
from verify.scenes.letters import named
from verify.scenes.metric_facts import (
    ALL,
    BEST,
    FINAL,
    FINALS,
    FIRST,
    LEARNT,
    LOST,
    ONE,
    SHARE,
    sum_from_mean,
    summed,
    two_parts,
)
from verify.scenes.norms_of_sums import AnyNumber, counted, follows, renamed
from verify.scenes.summands import SUMMANDS, added, before, changing, definition, over_summands

_falls = sp.Symbol("falls most", real=True)
_BEST = over_summands(
    eq(_falls, BEST - FINAL),
    {_falls: (before(_falls), FIRST - FINAL), BEST: (before(BEST), FIRST), **changing(free=(ONE,))},
    definition(eq(_falls, sp.Max(before(_falls), ONE - FINAL))),
    definition(eq(BEST, sp.Max(before(BEST), ONE))),
)
"""The largest difference to a number is the difference of the largest to it."""
AFTER_TASK: tuple[AnyNumber, ...] = (
    follows(
        f.INCLUDED,
        renamed(added(ALL, ONE), {before(ALL): f.kept}),
        *(definition(eq(f.missed, 1 - ONE)), sum_from_mean(ALL, f.A_kt, f.task)),
    ),
    summed(
        eq(f.F_tk, f.F_chaudhry), {f.F_tk: SHARE * _falls, f.F_chaudhry: SHARE * (BEST - FINAL)}, None, _BEST
    ),
    follows(
        f.PARTS,
        summed(
            eq(LOST + f.kept + f.never, SUMMANDS),
            {LOST: _falls, f.kept: FINAL, f.never: 1 - BEST},
            f.task - 1,
            _BEST,
        ),
        sum_from_mean(LOST, f.F_tk, f.task - 1),
    ),
)
AT_THE_END: tuple[AnyNumber, ...] = (
    follows(
        f.BEFORE,
        renamed(added(ALL, ONE), {before(ALL): f.before, ONE: f.A_end}),
        sum_from_mean(ALL, f.Acc_Client, T),
    ),
    summed(eq(f.before + f.before_lacks, SUMMANDS), {f.before: ONE, f.before_lacks: 1 - ONE}, T - 1),
    two_parts(f.A_end, f.end_lacks, T, ()),
    summed(
        f.RISEN,
        {f.F_end: SHARE * _falls, f.Forget: SHARE * (LEARNT - FINAL), f.risen: SHARE * (BEST - LEARNT)},
        None,
        _BEST,
    ),
)
_clients = sp.Symbol("clients", positive=True)
_mean, _after, _earlier = named("mean, mean after, mean earlier", real=True)
_ONE_MORE = summed(
    eq(_after, _earlier + SHARE * _mean),
    {_after: (LOST + SHARE * ONE) / _clients, _earlier: LOST / _clients, _mean: ONE / _clients},
)
OF_ALL: tuple[AnyNumber, ...] = (
    over_summands(
        eq(f.mean_task, f.mean_client),
        changing(f.mean_task, f.mean_client, free=(_mean,)),
        added(f.mean_task, SHARE * _mean),
        renamed(_ONE_MORE, {_after: f.mean_client, _earlier: before(f.mean_client)}),
    ),
    follows(
        eq(f.Acc_ALL_end, f.all_end),
        counted(eq(ALL, SUMMANDS * FINALS), T, changing(ALL), added(ALL, FINALS)),
        *(sum_from_mean(ALL, f.Acc_ALL_end, T * _clients), sum_from_mean(FINALS, f.all_end, _clients)),
    ),
)
