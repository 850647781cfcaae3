"""The public strategies: they draw admissible instances, and find false statements."""

import pytest
from hypothesis import find, given, settings
from hypothesis.errors import NoSuchExample

from bounds.special.theorems import RATE
from tests.verify import known as k
from verify import strategies
from verify.engine.checks.relation import bound
from verify.engine.topics import claims

DRIFT = claims()["special.lem4.9"]


@given(strategies.numbers(RATE, K=3, M=4, N=2, gamma_G=0.1, gamma_L=1e-6, E=1))
@settings(max_examples=20)
def test_numbers_meet_the_conditions(values):
    assert RATE.failing(**values) == []


@given(strategies.instances(DRIFT))
@settings(max_examples=30)
def test_a_true_bound_survives(instance):
    assert not strategies.sides_at(DRIFT, instance).fails


def test_a_false_bound_is_broken():
    claim = k.claim(k.OVERSTEPS, bound, k.DESCENT)
    broken = find(
        strategies.instances(claim),
        lambda i: strategies.sides_at(claim, i).fails,
        settings=settings(max_examples=500),
    )
    assert strategies.sides_at(claim, broken).small > strategies.sides_at(claim, broken).large


def test_a_true_bound_is_not():
    claim = k.claim(k.DESCENDS, bound, k.DESCENT)
    with pytest.raises(NoSuchExample):
        find(
            strategies.instances(claim),
            lambda i: strategies.sides_at(claim, i).fails,
            settings=settings(max_examples=100),
        )
