"""Facts behind C-FLAG's proofs: each has a proof at its sizes, and none where its right side is made smaller."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy as sp

from bounds.catalogue import statement
from verify.engine.facts import conditions_of
from verify.engine.scene import Fact
from verify.scenes.cflag.adaptive_facts import OF_CLIENTS
from verify.scenes.cflag.drift_sums_facts import OVER_ROUND
from verify.scenes.cflag.memory_facts import AT_POINT, IN_PARTS

CASES = {
    "eq196.average": (OF_CLIENTS, set()),
    "eq197.average": (OF_CLIENTS, {"fd2 > 0"}),
    "eq198.worst": (OF_CLIENTS, set()),
    "eq199.worst": (OF_CLIENTS, set()),
    "lem11": (AT_POINT, set()),
    "lem15.I/small-steps": (OVER_ROUND, {"beta <= 1/(4*E*L)", "client_sup <= L", "sample_sup <= L"}),
    "lem16/small-steps": (OVER_ROUND, {"beta <= 1/(12*E*L)", "sample_sup <= L"}),
}


def fact(id: str) -> Fact:
    facts, _ = CASES[id]
    return next(f for f in facts if f.relation == statement(f"cflag.{id}").compared)


@pytest.mark.parametrize("id", CASES)
def test_a_fact_is_proved_under_its_conditions(id: str) -> None:
    assert {str(condition) for condition in conditions_of(fact(id)) or ()} == CASES[id][1]


@pytest.mark.parametrize("id", CASES)
def test_no_fact_has_a_smaller_right_side(id: str) -> None:
    """The slack is what the large side has more, so it proves nothing of another one."""
    found = fact(id)
    smaller = sp.Rational(99, 100) * found.relation.rhs
    changed = found.relation.func(found.relation.lhs, smaller, evaluate=False)
    assert conditions_of(replace(found, relation=changed)) is None


def test_delayed_gradients_in_parts() -> None:
    assert all(conditions_of(found) == frozenset() for found in IN_PARTS)
