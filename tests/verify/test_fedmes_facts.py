"""Facts behind FedMeS's sentences about its memory: true at all their sizes, and false with less slack."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy as sp

from bounds.catalogue import statement
from verify.engine.model.claim import BUDGETS, Claim
from verify.engine.proof.basis import basis_of
from verify.engine.topics import claim_of

HELD = ("memory", "memory.each/room", "memory.fifo", "alg1.memory")


def outcome(claim: Claim | None) -> str:
    assert claim is not None
    return basis_of(claim, BUDGETS["quick"]).outcome


@pytest.mark.parametrize("id", HELD)
def test_what_a_memory_holds_is_counted(id: str) -> None:
    assert outcome(claim_of(f"fedmes.{id}")) == "proved"


@pytest.mark.parametrize("id", ["memory.each", "memory.compact"])
def test_what_is_not_so_is_not_counted(id: str) -> None:
    assert outcome(claim_of(f"fedmes.{id}")) != "proved"


def test_the_variance_of_samples_needs_both_terms_twice() -> None:
    claim = claim_of("fedmes.ass3.samples")
    assert claim is not None
    assert outcome(claim) == "proved"
    relation = statement("fedmes.ass3.samples").compared
    less = relation.func(relation.lhs, sp.Rational(99, 100) * relation.rhs, evaluate=False)
    assert outcome(replace(claim, statement=replace(claim.statement, relation=less))) != "proved"
