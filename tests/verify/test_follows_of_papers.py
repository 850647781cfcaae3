"""Facts about any number of clients that papers' scenes state as sums: each mutant is refused."""

from dataclasses import replace

import pytest
import sympy as sp

from verify.engine.model.sums import Sums
from verify.engine.proof.facts import shown_of
from verify.scenes.cfl.returning import FACTS, PARTED, STEPPED, STIRRED, YOUNG

STEP = {str(fact.relation): fact for fact in FACTS if fact.relation in (PARTED, STEPPED, STIRRED, YOUNG)}


@pytest.mark.parametrize("name", STEP)
def test_a_step_of_returning_clients_speaks_of_any_number(name):
    fact = STEP[name]
    assert isinstance(fact, Sums)
    assert shown_of(fact).proof["sizes"] is None
    left, right = fact.relation.args
    for changed in (
        fact.relation.func(left, right / 2, evaluate=False),  # a factor
        fact.relation.func(left, -right, evaluate=False),  # a sign
    ):
        assert shown_of(replace(fact, relation=changed)) is None


def test_noise_that_is_not_averaged_is_not_less():
    """The mean of N noises has 1/N^2 of the sum of their squares; with 1/N it is not smaller than one of them."""
    fact = STEP[str(STIRRED)]
    (stirred,) = fact.means
    wrong = replace(fact, means={stirred: ["/", ["each", "N", "noise", "noise"], "N"]})
    assert shown_of(wrong) is None
    assert sp.Symbol("N", integer=True, positive=True) in fact.relation.free_symbols
