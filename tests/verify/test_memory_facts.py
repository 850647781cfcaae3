"""FedMeS's memory and neighbours, row operations of CFL and numbers sent by SPECIAL: proved for any size, and no proof of a changed fact."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy as sp

from bounds.cfl.matrix import eliminated, place
from bounds.cfl.symbols import D2, alpha
from bounds.fedmes import inference as v
from bounds.relations import eq, ge, le
from verify.engine.model.scene import Condition, Fact, Proved
from verify.engine.proof.facts import AnyFact, shown_of, valid_definitions
from verify.scenes.cfl.decay_sums import OF_ROWS
from verify.scenes.fedmes import memory_facts as memory
from verify.scenes.fedmes.inference import MEMORY, ROOMY
from verify.scenes.special.sentences import EXCHANGE

_held, _fifo, _current = memory.OF_MEMORY
_each, _equal, _balanced = memory.OF_ROOM
assert isinstance(EXCHANGE.compute, Proved)
_sent = EXCHANGE.compute.facts[0]
CHANGED: dict[str, tuple[AnyFact, Condition]] = {
    "a place less": (_held, le(v.held, v.m - 1)),
    "a sample missing": (_fifo, eq(v.missing_newer, 1)),
    "a sample of the current task": (_current, eq(v.held_current, 1)),
    "one sample more of each task": (_each, ge(v.held_from, v.mt + 1)),
    "a factor of the mean over equal tasks": (_equal, eq(v.expected_mem, 2 * v.past_loss)),
    "a sign of the mean over tasks": (_balanced, eq(v.expected_mem, -v.mean_past)),
    "the order of distances": (memory.IN_ORDER, le(v.near_next, v.near)),
    "a factor of votes": (memory.OBLIVIOUS, eq(v.vote, 2 * v.vote_again)),
    "a shifted power": (OF_ROWS, eq(eliminated, D2 * (alpha**place - alpha ** (place + 1)))),
    "a factor of numbers sent": (_sent, eq(_sent.relation.lhs, 2 * _sent.relation.rhs)),
}


@pytest.mark.parametrize("name", CHANGED)
def test_a_fact_has_a_proof_for_any_size_and_a_changed_one_has_none(name: str) -> None:
    fact, relation = CHANGED[name]
    assert not isinstance(fact, Fact)
    shown = shown_of(fact)
    assert shown is not None
    assert shown.proof["sizes"] is None
    assert shown_of(replace(fact, relation=relation)) is None


def test_instances_meet_the_definitions_of_a_memory() -> None:
    assert valid_definitions(MEMORY) == set(memory.QUEUE)
    assert valid_definitions(ROOMY) == set(memory.TASKS)


def test_a_queue_that_drops_one_sample_more_breaks_a_definition() -> None:
    wrong = eq(v.held_from, sp.Min(memory.drawn, sp.Max(0, v.m - memory.later - 1)))
    compute = ROOMY.compute
    assert isinstance(compute, Proved)
    changed = ROOMY.variant("a wrong queue", compute=replace(compute, defines=(wrong,)))
    assert valid_definitions(changed) == frozenset()
