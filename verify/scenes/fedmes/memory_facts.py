"""FedMeS: facts about a memory in which the samples of any number of tasks queue up, and about neighbours in it.

The memory holds the last m samples that were added. So of the samples of a task at most as many are left as places that later
samples do not fill.
"""

from __future__ import annotations

import sympy as sp

from bounds.catalogue import relations, statement
from bounds.fedmes import inference as v
from bounds.relations import eq, ge, le
from verify.engine.model.scene import Condition, Follows
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import AnyNumber, counted, follows
from verify.scenes.summands import SUMMANDS, added, before, by_definition, changing, definition, over_summands

_relation = relations("fedmes")


def _whole(names: str) -> tuple[sp.Symbol, ...]:
    return tuple(sp.Symbol(name, nonnegative=True) for name in names.split())


all_added, of_current = _whole("all_added of_current")
"""Samples that were added before the task: in all, and of the task itself."""
size, drawn, later = _whole("size drawn later")
"""Of an earlier task: its size, its samples that were added, and samples that were added later."""
older_left, older_drawn, older_later, newer_left, newer_drawn, newer_later = _whole(
    "older_left older_drawn older_later newer_left newer_drawn newer_later"
)
"""The same of two tasks, and the samples that are left of each."""


def _left_in_memory(left: sp.Symbol, drawn: sp.Symbol, later: sp.Symbol) -> Condition:
    """Samples of a task that are left in the memory."""
    return eq(left, sp.Min(drawn, sp.Max(0, v.m - later)))


HELD = eq(v.held, sp.Min(v.m, all_added))
CURRENT = (eq(v.held_current, sp.Min(v.m, of_current)), eq(of_current, 0))
PAIRS = (
    _left_in_memory(older_left, older_drawn, older_later),
    _left_in_memory(newer_left, newer_drawn, newer_later),
    ge(older_later, newer_later + newer_drawn),
    eq(v.missing_newer, sp.Min(1, older_left) * (newer_drawn - newer_left)),
)
QUEUE = (HELD, *CURRENT, *PAIRS)
"""Definitions of numbers of samples in a memory."""
TASKS = (
    _left_in_memory(v.held_from, drawn, later),
    eq(drawn, sp.Min(v.mt, size)),
    ge(size, sp.Min(v.S_1, v.S)),
    le(later, v.mt * (v.t - 2)),
)
"""Definitions of the samples of each earlier task: it has at most t - 2 later ones."""
OF_MEMORY: tuple[AnyNumber, ...] = (
    by_definition(_relation("memory"), HELD),
    by_definition(_relation("memory.fifo"), *PAIRS),
    by_definition(_relation("alg1.memory"), *CURRENT),
)

# ------------------------------------------------------------------------------------ the mean over the samples drawn

_losses, _means, _all, _mean = named("losses_left, means, all_left, mean_of_task", real=True)


def _expected(id: str, *alike: Condition) -> Follows:
    """The expected memory loss: on average a sample that is left has the mean loss of its task."""
    changes = changing(_losses, _means, _all, free=(_mean, v.held_from))
    steps = (
        by_definition(eq(v.held_from, v.mt), *TASKS, *v.ROOM, *alike),
        added(_losses, v.held_from * _mean),
        added(_means, _mean),
        added(_all, v.held_from),
    )
    relation = _relation(id)
    return follows(
        relation,
        counted(eq(_losses, v.mt * _means), v.t - 1, changes, *steps),
        counted(eq(_all, v.mt * SUMMANDS), v.t - 1, changes, *steps),
        definition(eq(_losses, v.expected_mem * _all)),
        definition(eq(_means, relation.rhs * (v.t - 1))),
        given=(*v.ROOM, *alike),
    )


OF_ROOM: tuple[AnyNumber, ...] = (
    by_definition(_relation("memory.each/room"), *TASKS, *v.ROOM),
    _expected("memory.compact/equal", ge(v.S, v.mt), eq(v.S_1, v.S)),
    _expected("memory.compact/balanced", ge(v.S_1, v.mt), ge(v.S, v.mt)),
)

# -------------------------------------------------------------------------------------------------------- neighbours

_empty, _nearer, _new = _whole("distance_of_empty_place nearer distance_of_new")


def _inserted(place: sp.Symbol, nearer: sp.Symbol) -> AnyNumber:
    """The distance at a place in the order of distances, after one more sample."""
    return definition(eq(place, sp.Min(sp.Max(_new, nearer), before(place))))


IN_ORDER = over_summands(
    _relation("eq8"),
    {**{place: (before(place), _empty) for place in (v.near, v.near_next)}, **changing(free=(_nearer, _new))},
    _inserted(v.near, before(_nearer)),
    _inserted(v.near_next, before(v.near)),
)
"""Neighbours are in order however many samples are inserted; before, all places are empty and equally far."""

_total, _in_order, _rest, _one, _other = named(
    "total, total_in_order, rest, one_sample, other_sample", real=True
)
_whole_weight, _whole_again = sp.symbols("weights weights_again", positive=True)
_votes, _votes_again = sp.symbols("votes votes_again", real=True)
_SWAPPED = over_summands(
    eq(_total, _in_order),
    {_total: (before(_total), _in_order), **changing(free=(_rest, _one, _other))},
    definition(eq(before(_total), _rest + _one + _other)),
    definition(eq(_total, _rest + _other + _one)),
)
OBLIVIOUS = follows(
    _relation("remark2-3.oblivious"),
    (_SWAPPED, {_total: _votes_again, _in_order: _votes}),
    (_SWAPPED, {_total: _whole_again, _in_order: _whole_weight}),
    definition(eq(v.vote, _votes / _whole_weight)),
    definition(eq(v.vote_again, _votes_again / _whole_again)),
    given=statement("fedmes.remark2-3.oblivious").conditions,
)
"""Every order of the memory results from swaps of two samples. If no two are equally far, the distances alone determine which
samples are the nearest, so that each adds the same to the votes in every order.
"""
