"""Textbook lemmas proved by induction, and their consequences: proved as stated, and nothing stronger."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.verify.engine.test_textbook import IN_WORLDS, LOST, NUMBERS, SCENES, k, more, x
from verify import facts
from verify.engine.model.scene import Follows, Rounds, Textbook
from verify.engine.proof.facts import shown_of, unbroken
from verify.quantities import gap, gap_mean, grad2_mean, sigma2, zeta2

CARRIED = {
    fact.relation: fact
    for fact in (*NUMBERS, LOST, *(fact for scene in SCENES for fact in scene.textbook))
    if isinstance(fact.proof, Rounds)
}


@pytest.mark.parametrize("fact", CARRIED.values(), ids=lambda fact: str(fact.relation))
def test_what_is_carried_from_round_to_round_has_a_certificate_by_induction(fact: Textbook) -> None:
    shown = shown_of(fact.proof)
    assert shown is not None
    assert "induct" in shown.proof["certificates"][0]["lines"][-1]
    assert shown.needed <= set(fact.given)


ADDED = {gap, gap_mean, grad2_mean, sigma2, zeta2}
"""Facts with sums, products with the number of rounds, noise or sampling: a search that must fail takes long for them.
The geometric recursion is a quick example that adds a term in every round.
"""
OF_ONE_KIND = {"contraction of the gradients", "contraction of local steps", "sum of reciprocal roots"}
"""Contracting distances and sums over whole numbers: there are further examples of each."""
REFUSED = [
    pytest.param(
        fact, marks=[pytest.mark.slow] if ADDED & relation.free_symbols or fact.name in OF_ONE_KIND else []
    )
    for relation, fact in CARRIED.items()
]


@pytest.mark.parametrize("fact", REFUSED, ids=lambda fact: str(fact.relation))
def test_nothing_more_is_carried_nor_without_what_carries_it(fact: Textbook) -> None:
    assert shown_of(replace(fact.proof, relation=more(fact.relation))) is None
    if fact.proof.through:
        assert shown_of(replace(fact.proof, through=())) is None
    grown = {name: 2 * growth for name, growth in fact.proof.grows.items()}
    assert not grown or shown_of(replace(fact.proof, grows=grown)) is None
    if fact.proof.steps:
        assert shown_of(replace(fact.proof, steps=())) is None


def test_there_are_facts_of_every_kind_of_recursion() -> None:
    names = {fact.name for fact in CARRIED.values()}
    assert names == {
        "Bernoulli's inequality",
        "geometric sum",
        "geometric recursion",
        "contraction of gradient descent",
        "contraction of the gradients",
        "contraction of the values",
        "contraction of local steps",
        "contraction of noisy local steps",
        "sum of reciprocal roots",
        "sum of the first whole numbers",
        "telescoping",
        "potential of gradient descent",
    }


ESTIMATED = [fact for fact in (*NUMBERS, facts.falling_to_e(k - 1)) if isinstance(fact.proof, Follows)]


@pytest.mark.parametrize("fact", ESTIMATED, ids=lambda fact: str(fact.relation))
def test_what_is_true_of_a_letter_is_true_of_what_stands_for_it(fact: Textbook) -> None:
    shown = shown_of(fact.proof)
    assert shown is not None
    assert shown.needed == set(fact.given)
    assert sum("induct" in certificate["lines"][-1] for certificate in shown.proof["certificates"]) == 2
    assert shown_of(replace(fact.proof, relation=more(fact.relation))) is None
    ((source, letters),) = fact.proof.of
    (letter,) = letters
    for other in (-k, k / 2, x):  # not positive, not whole, neither
        relation = fact.relation.func(
            *(side.xreplace({letters[letter]: other}) for side in fact.relation.args)
        )
        assert (
            shown_of(replace(fact.proof, relation=relation, of=((source, {letter: other}),), given=()))
            is None
        )


def test_a_mean_over_one_round_more_is_what_it_is_in_worlds() -> None:
    found = {
        step.relation: (step, scene)
        for fact, scene in IN_WORLDS
        if isinstance(fact.proof, Rounds)
        for step in fact.proof.steps
        if isinstance(step, Textbook) and step.source == "by definition"
    }
    assert len(found) == 2
    for step, scene in found.values():
        assert unbroken(step.relation, scene)
        assert not unbroken(more(step.relation), scene)
