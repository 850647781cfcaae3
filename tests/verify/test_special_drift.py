"""Checks that the machinery works, on results that are known beforehand."""

import pytest

from verify.engine.judge import judge
from verify.engine.topics import claim_of


def judged(id):
    return judge(claim_of(id), "default", 0)


def test_the_printed_recursion_falls_in_a_small_world():
    record = judged("special.eq27")
    assert record["verdict"] == "refuted"
    assert record["witness"]["shape"]["t"] <= 3
    assert record["witness"]["shape"]["d"] <= 2


def test_the_drift_bound_is_proved_and_attained():
    record = judged("special.lem4.9")
    assert record["verdict"] == "proved"
    assert 0.999 <= record["tightness"] <= 1 + 1e-9


@pytest.mark.parametrize("id", ["special.lemC.6", "special.lemC.8", "special.eq25", "special.eq26"])
def test_identities_are_proved(id):
    assert judged(id)["verdict"] == "proved"
