"""SPECIAL's lemmas, algorithms and losses for any number of members: facts are proved, changed facts are not."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy as sp

from bounds.special import algorithms as a
from bounds.special import lemmas as b
from bounds.special.drift import th
from bounds.special.problem import anchor, f_all, f_cur, f_prev
from bounds.special.symbols import E, L, M, N, gamma_G, lam
from verify.engine.proof.facts import shown_of
from verify.scenes.special import algorithm_facts, lemma_facts
from verify.scenes.special.local_drift import OF_ASSUMPTIONS

FACTS = (
    *lemma_facts.OF_WEIGHTS,
    *lemma_facts.OF_LOSSES,
    *lemma_facts.OF_COVARIANCES,
    *lemma_facts.OF_VECTORS,
    *OF_ASSUMPTIONS,
    *algorithm_facts.ROUND,
    *algorithm_facts.SERVER,
    *algorithm_facts.MOVES,
    *algorithm_facts.LOSSES_OF_ALL,
)
CHANGED = (
    sp.Le(b.norm_sum, sp.Rational(99, 100) * b.sum_norms),
    sp.Le(b.grad_change, (lemma_facts.K - 1) * L * b.dist),
    sp.Le(b.E_sum2, b.sum_E2 + (b.n - 1) ** 2 * b.cross),
    sp.Eq(b.P, M * b.S2 - 2 * b.SS),
    sp.Eq(b.inc1, (N - 1) / M),
    sp.Eq(b.inc2, N**2 / M**2),
    sp.Ge(sp.Rational(99, 100) * OF_ASSUMPTIONS[0].relation.lhs, b.noise2),
    sp.Eq(a.sent, a.grad_sum),
    sp.Eq(a.still_c - anchor, (1 - gamma_G * (1 - (1 + 2 * lam) ** (1 - E))) * (th - anchor)),
    sp.Eq(f_all, f_cur - f_prev),
)


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: str(fact.relation)[:60])
def test_facts_are_proved_at_every_size(fact) -> None:
    shown = shown_of(fact)
    assert shown is not None
    assert shown.proof["sizes"] is None


@pytest.mark.parametrize("changed", CHANGED, ids=str)
def test_changed_facts_have_no_proof(changed) -> None:
    side = {changed.lhs, changed.rhs} & {fact.relation.lhs for fact in FACTS} or {changed.rhs}
    fact = next(
        fact
        for fact in FACTS
        if fact.relation.func is changed.func and {fact.relation.lhs, fact.relation.rhs} & side
    )
    assert shown_of(replace(fact, relation=changed)) is None


def test_sampling_needs_the_number_of_members() -> None:
    (inclusion,) = (fact for fact in lemma_facts.OF_VECTORS if fact.relation.lhs == b.inc1)
    members, clients, meaning = inclusion.of
    assert shown_of(replace(inclusion, of=(members, members, meaning))) is None
    assert shown_of(replace(inclusion, of=(clients, meaning))) is None
