"""Facts about any number of tasks, clients and steps: proved, and no proof of a changed relation."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy as sp

from bounds.cflag import metrics as tasks
from bounds.cflag.drift import WEIGHTS, mean_shift
from bounds.fedmes import personal
from bounds.relations import eq, le
from verify.engine.model.scene import Condition, Rounds
from verify.engine.proof.facts import shown_of
from verify.scenes.cflag import adaptive_sums, metric_facts, step_facts
from verify.scenes.fedmes import personal_facts
from verify.scenes.norms_of_sums import AnyNumber, follows
from verify.scenes.summands import added, before

_local = next(fact for fact in personal_facts.FROM_DOWNLOAD if fact.relation == personal_facts.LOCAL)
_cancel = next(fact for fact in step_facts.AVERAGES if fact.relation == eq(mean_shift, 0))
CHANGED: dict[str, tuple[AnyNumber, Condition]] = {
    "a number of tasks one too large": (metric_facts.METRICS[2], eq(tasks.PARTS.lhs, tasks.S + 1)),
    "a sign": (metric_facts.METRICS[1], eq(tasks.Forget, tasks.BWT_special)),
    "a power of what is left": (
        _local,
        le(personal.end_from_centre2, personal.left**3 * personal.from_centre2),
    ),
    "a factor": (
        adaptive_sums.DECOMPOSED,
        eq(adaptive_sums.DECOMPOSED.relation.lhs, 2 * adaptive_sums.DECOMPOSED.relation.rhs),
    ),
    "a sign of the interaction": (adaptive_sums.LOWERED, adaptive_sums.RAISED),
}


@pytest.mark.parametrize("name", CHANGED)
def test_a_fact_has_a_proof_and_a_changed_one_has_none(name: str) -> None:
    fact, relation = CHANGED[name]
    shown = shown_of(fact)
    assert shown is not None
    assert shown.proof["sizes"] is None
    assert shown_of(replace(fact, relation=relation)) is None


def test_corrections_cancel_only_if_weights_sum_to_one() -> None:
    assert shown_of(_cancel) is not None
    assert shown_of(replace(_cancel, given=())) is None
    assert shown_of(replace(_cancel, given=(WEIGHTS[0].func(WEIGHTS[0].lhs, sp.Integer(2)),))) is None


def test_the_average_case_is_a_condition() -> None:
    assert shown_of(replace(adaptive_sums.WITHOUT_INTERACTION, given=())) is None


def test_a_sum_of_earlier_summands_is_another() -> None:
    """With the index of a summand shifted by one, a decomposition has no proof."""
    fact = adaptive_sums.DECOMPOSED
    assert isinstance(fact, Rounds)
    first, pairs, squares = fact.steps
    late = added(squares.relation.lhs, before(sp.Symbol("own2", nonnegative=True)))
    assert shown_of(follows(fact.relation, replace(fact, steps=(first, pairs, late)))) is None
