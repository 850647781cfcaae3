"""Facts about metrics of continual learning, for any number of tasks and clients: they add up the same accuracies."""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from bounds.catalogue import statement
from bounds.cflag import metrics as c
from bounds.fedmes import metrics as f
from bounds.fedmes.symbols import T
from bounds.relations import eq, ge
from bounds.special import metrics as s
from bounds.special.symbols import K
from verify.engine.model.scene import Condition, Follows
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import AnyNumber, counted, follows, renamed
from verify.scenes.summands import SUMMANDS, added, before, changing, definition, over_summands

_learnt, _final, _best, _one, _first, _worst_of = named(
    "at first, at last, best, one, first one, reached", real=True
)
"""Accuracies on a task: when it was learnt, after the last task, the best so far, one of them, the first."""
_share = sp.Symbol("share", real=True)
"""The reciprocal of a number of tasks."""
_lost, _finals, _others, _all = named("losses, finals, lacks, sum of all", real=True)
"""Sums over the tasks."""


def _summed(
    relation: Condition, totals: Mapping[sp.Symbol, sp.Expr], number: sp.Expr | None = None, *facts: AnyNumber
) -> AnyNumber:
    """A relation between sums or means over tasks, from their summands."""
    each = {symbol for summand in totals.values() for symbol in summand.free_symbols} - {_share}
    changes = changing(*totals, free=sorted(each, key=str))
    steps = (*(added(total, summand) for total, summand in totals.items()), *facts)
    if number is None:
        return over_summands(relation, changes, *steps)
    return counted(relation, number, changes, *steps)


def _whole(total: sp.Symbol, mean: sp.Symbol, number: sp.Expr) -> AnyNumber:
    """The sum of which this is the mean."""
    return definition(eq(total, mean * number))


# ------------------------------------------------------------------------------------------------ C-FLAG

CFLAG: tuple[AnyNumber, ...] = (
    _summed(eq(c.Acc, c.ACC_special), {c.Acc: _share * _final, c.ACC_special: _share * _final}),
    _summed(
        eq(c.Forget, -c.BWT_special),
        {c.Forget: _share * (_learnt - _final), c.BWT_special: _share * (_final - _learnt)},
    ),
    follows(
        c.PARTS,
        _summed(
            eq(_finals + _lost + c.unlearnt, SUMMANDS),
            {_finals: _final, _lost: _learnt - _final, c.unlearnt: 1 - _learnt},
            c.S,
        ),
        *(_whole(_finals, c.Acc, c.S), _whole(_lost, c.Forget, c.S - 1)),
    ),
)

# ------------------------------------------------------------------------------------------------ SPECIAL


def _two_parts(mean: sp.Symbol, other: sp.Symbol, number: sp.Expr, given: tuple[Condition, ...]) -> Follows:
    """Means of numbers and of what they lack to 1 add up to 1."""
    return follows(
        eq(mean + other, 1),
        _summed(eq(_finals + _others, SUMMANDS), {_finals: _one, _others: 1 - _one}, number),
        *(_whole(_finals, mean, number), _whole(_others, other, number)),
        given=given,
    )


_SEVERAL = (ge(K, 2),)
SPECIAL: tuple[AnyNumber, ...] = (
    follows(
        statement("special.eq10").compared,
        _summed(
            eq(_lost, _finals - s.learnt), {_lost: _final - _learnt, _finals: _final, s.learnt: _learnt}, K
        ),
        *(_whole(_lost, s.BWT, K - 1), _whole(_finals, s.ACC, K)),
    ),
    follows(
        s.MISSED,
        _summed(eq(_finals + s.missed, SUMMANDS), {_finals: _final, s.missed: 1 - _final}, K),
        _whole(_finals, s.ACC, K),
    ),
    _summed(
        s.CHANGE,
        {s.BWT: _share * (_final - _learnt), s.kept_early: _share * _final, s.learnt_early: _share * _learnt},
    ),
    _two_parts(s.kept_early, s.lost_early, K - 1, _SEVERAL),
    _two_parts(s.learnt_early, s.unlearnt_early, K - 1, _SEVERAL),
    follows(
        s.ABOVE,
        counted(
            eq(_lost, s.above_worst + SUMMANDS * s.worst_drop),
            K - 1,
            changing(_lost, s.above_worst, free=(_one,)),
            added(_lost, _one),
            added(s.above_worst, _one - s.worst_drop),
        ),
        _whole(_lost, s.BWT, K - 1),
    ),
)

# ------------------------------------------------------------------------------------------------ FedMeS

_falls = sp.Symbol("falls most", real=True)
_BEST = over_summands(
    eq(_falls, _best - _final),
    {_falls: (before(_falls), _first - _final), _best: (before(_best), _first), **changing(free=(_one,))},
    definition(eq(_falls, sp.Max(before(_falls), _one - _final))),
    definition(eq(_best, sp.Max(before(_best), _one))),
)
"""The largest difference to a number is the difference of the largest to it."""
AFTER_TASK: tuple[AnyNumber, ...] = (
    follows(
        f.INCLUDED,
        renamed(added(_all, _one), {before(_all): f.kept}),
        *(definition(eq(f.missed, 1 - _one)), _whole(_all, f.A_kt, f.task)),
    ),
    _summed(
        eq(f.F_tk, f.F_chaudhry),
        {f.F_tk: _share * _falls, f.F_chaudhry: _share * (_best - _final)},
        None,
        _BEST,
    ),
    follows(
        f.PARTS,
        _summed(
            eq(_lost + f.kept + f.never, SUMMANDS),
            {_lost: _falls, f.kept: _final, f.never: 1 - _best},
            f.task - 1,
            _BEST,
        ),
        _whole(_lost, f.F_tk, f.task - 1),
    ),
)
AT_THE_END: tuple[AnyNumber, ...] = (
    follows(
        f.BEFORE,
        renamed(added(_all, _one), {before(_all): f.before, _one: f.A_end}),
        _whole(_all, f.Acc_Client, T),
    ),
    _summed(eq(f.before + f.before_lacks, SUMMANDS), {f.before: _one, f.before_lacks: 1 - _one}, T - 1),
    _two_parts(f.A_end, f.end_lacks, T, ()),
    _summed(
        f.RISEN,
        {
            f.F_end: _share * _falls,
            f.Forget: _share * (_learnt - _final),
            f.risen: _share * (_best - _learnt),
        },
        None,
        _BEST,
    ),
)
_clients = sp.Symbol("clients", positive=True)
_mean, _after, _earlier = named("mean, mean after, mean earlier", real=True)
_ONE_MORE = _summed(
    eq(_after, _earlier + _share * _mean),
    {_after: (_lost + _share * _one) / _clients, _earlier: _lost / _clients, _mean: _one / _clients},
)
OF_ALL: tuple[AnyNumber, ...] = (
    over_summands(
        eq(f.mean_task, f.mean_client),
        changing(f.mean_task, f.mean_client, free=(_mean,)),
        added(f.mean_task, _share * _mean),
        renamed(_ONE_MORE, {_after: f.mean_client, _earlier: before(f.mean_client)}),
    ),
    follows(
        eq(f.Acc_ALL_end, f.all_end),
        counted(eq(_all, SUMMANDS * _finals), T, changing(_all), added(_all, _finals)),
        *(_whole(_all, f.Acc_ALL_end, T * _clients), _whole(_finals, f.all_end, _clients)),
    ),
)
