"""Facts about metrics of continual learning, for any number of tasks: sums and means of the same accuracies."""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from bounds.relations import eq
from verify.engine.model.scene import Condition, Follows
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import AnyNumber, counted, follows
from verify.scenes.summands import SUMMANDS, added, changing, definition, over_summands

LEARNT, FINAL, BEST, ONE, FIRST = named("at first, at last, best, one, first one", real=True)
"""Accuracies on a task: when it was learnt, after the last task, the best so far, one of them, the first."""
SHARE = sp.Symbol("share", real=True)
"""The reciprocal of a number of tasks."""
LOST, FINALS, OTHERS, ALL = named("losses, finals, lacks, sum of all", real=True)
"""Sums over the tasks."""


def summed(
    relation: Condition, totals: Mapping[sp.Symbol, sp.Expr], number: sp.Expr | None = None, *facts: AnyNumber
) -> AnyNumber:
    """A relation between sums or means over tasks, from their summands."""
    each = {symbol for summand in totals.values() for symbol in summand.free_symbols} - {SHARE}
    changes = changing(*totals, free=sorted(each, key=str))
    steps = (*(added(total, summand) for total, summand in totals.items()), *facts)
    if number is None:
        return over_summands(relation, changes, *steps)
    return counted(relation, number, changes, *steps)


def sum_from_mean(total: sp.Symbol, mean: sp.Symbol, number: sp.Expr) -> AnyNumber:
    """The sum of which this is the mean."""
    return definition(eq(total, mean * number))


def two_parts(mean: sp.Symbol, other: sp.Symbol, number: sp.Expr, given: tuple[Condition, ...]) -> Follows:
    """Means of numbers and of what they lack to 1 add up to 1."""
    return follows(
        eq(mean + other, 1),
        summed(eq(FINALS + OTHERS, SUMMANDS), {FINALS: ONE, OTHERS: 1 - ONE}, number),
        *(sum_from_mean(FINALS, mean, number), sum_from_mean(OTHERS, other, number)),
        given=given,
    )
