"""Facts behind C-FLAG's proofs: each has a proof, and none if its right side is smaller."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
import sympy as sp

from bounds.catalogue import statement
from bounds.cflag.joint import SAMPLES
from verify.engine.model.scene import Fact
from verify.engine.proof.facts import AnyFact, conditions_of
from verify.scenes.cflag.adaptive_sums import OF_CLIENTS
from verify.scenes.cflag.descent_facts import DRAWN_ANEW, ON_ANY_PATHS, UNBIASED
from verify.scenes.cflag.drift_sums_facts import LONGEST, OVER_ROUND
from verify.scenes.cflag.joint_facts import ON_BOTH
from verify.scenes.cflag.lemma_9 import STRONGLY_CONVEX
from verify.scenes.cflag.memory_facts import AT_POINT, IN_PARTS
from verify.scenes.cflag.run_facts import AT_PRINTED_RATE, PAST_5
from verify.scenes.cflag.terms import DEFINES, JOINT, PAST

ROUND = {"b2 <= gf2*m", "client_sup <= L"}
LEMMA_1 = {"Eq(alpha, 1/(L*(m + 1)))", *ROUND}
CASES = {
    "eq196.average": (OF_CLIENTS, set()),
    "eq197.average": (OF_CLIENTS, {"fd2 > 0"}),
    "eq198.worst": (OF_CLIENTS, set()),
    "eq199.worst": (OF_CLIENTS, set()),
    "lem11": (AT_POINT, set()),
    "eq29.jensen": (STRONGLY_CONVEX.compute.facts, set()),
    "lem15.I/small-steps": (OVER_ROUND, {"beta <= 1/(4*E*L)", "client_sup <= L", "sample_sup <= L"}),
    "lem16/small-steps": (OVER_ROUND, {"beta <= 1/(12*E*L)", "sample_sup <= L"}),
    "eq60/all-steps": (ON_ANY_PATHS, LEMMA_1),
    "eq61": (ON_ANY_PATHS, set()),
    "eq62/all-steps": (ON_ANY_PATHS, LEMMA_1),
    "lem8.overfitting/redrawn": (UNBIASED, set()),
    "eq64/redrawn": (DRAWN_ANEW, LEMMA_1),
    "thm2/redrawn": (DRAWN_ANEW, LEMMA_1),
    "thm2/fixed-rate": ((AT_PRINTED_RATE,), {*LEMMA_1, "m < 1", "Eq(m, m_root**2)"}),
    "thm5.past/fixed": ((PAST_5,), {"Eq(alpha, 1/L)", *ROUND, "m < 1", "F_path <= F_most"}),
    "thm5.longest/fixed": ((LONGEST,), {"sample_sup <= L"}),
}


SMALLER = {"lem16/small-steps": sp.Rational(1, 4)}
"""Factors at which a fact is false, where it is not sharp: Lemma 16 holds with about half of its constant."""
DEFINITIONS = {*DEFINES, JOINT, PAST}
"""Definitions of scenes of rounds; all other conditions are those of statements."""


def fact(id: str) -> AnyFact:
    facts, _ = CASES[id]
    return next(f for f in facts if f.relation == statement(f"cflag.{id}").compared)


LONG = ("thm5.longest/fixed", "eq64/redrawn", "thm2/redrawn")
"""Facts whose search takes 20 s or more."""


def cases(ids: Iterable[str]) -> list[Any]:
    """Cases of a test; the long ones are marked as slow."""
    return [pytest.param(id, marks=pytest.mark.slow) if id in LONG else id for id in ids]


@pytest.mark.parametrize("id", cases(CASES))
def test_a_fact_is_proved_under_its_conditions(id: str) -> None:
    found = fact(id)
    assumed = found.assumed.values() if isinstance(found, Fact) else ()
    definitions = DEFINITIONS | {right[-1] for _, *right in assumed if len(right) > 1}
    assert {str(condition) for condition in set(conditions_of(found) or ()) - definitions} == CASES[id][1]


@pytest.mark.parametrize("id", cases(id for id in CASES if statement(f"cflag.{id}").rhs != 0))
def test_no_fact_has_a_smaller_right_side(id: str) -> None:
    found = fact(id)
    smaller = SMALLER.get(id, sp.Rational(99, 100)) * found.relation.rhs
    changed = found.relation.func(found.relation.lhs, smaller, evaluate=False)
    assert conditions_of(replace(found, relation=changed)) is None


def test_delayed_gradients_in_parts() -> None:
    assert all(conditions_of(found) == frozenset() for found in IN_PARTS)


def test_rounds_on_both_need_smooth_samples() -> None:
    """Lemma 3 does not assume that past samples are smooth; each fact that its proof uses does."""
    needed = [conditions_of(found) for found in ON_BOTH]
    assert all(found is not None and set(SAMPLES) <= found for found in needed)


def test_memories_that_are_kept_have_no_such_fact() -> None:
    """Theorem 2 without the overfitting term is no fact about rounds on arbitrary paths, where biases have any mean."""
    drawn = next(f for f in DRAWN_ANEW if f.relation == statement("cflag.eq64/redrawn").compared)
    assert conditions_of(replace(drawn, of=((ON_ANY_PATHS[2], {}),))) is None
