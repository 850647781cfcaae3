"""C-FLAG, Lemmas 4 and 18 for a memory loss bounded below: proved for every alpha < 2/L, and no step with a smaller
right side.
"""

from __future__ import annotations

import pytest

from bounds.cflag.bounded_below import CAUTIOUS, GENTLE, TWELFTH
from tests.verify.judging import premises_hold, proved
from verify.engine.topics import claim_of, claims_of

STEPS = ("lem4.below.descent", "lem4.below.sum", "lem4.below.forgets", "lem18/bounded-below")


@pytest.mark.parametrize("id", STEPS)
def test_steps_are_proved(id):
    assert proved(claim_of(f"cflag.{id}"))


@pytest.mark.parametrize("id", ["lem4.below.descent", "lem4.below.sum"])
def test_no_better_ones_are(id):
    assert not proved(claim_of(f"cflag.{id}"), 99)


@pytest.mark.parametrize("claim", claims_of("cflag_bounded_below")[:5], ids=lambda claim: claim.statement.id)
def test_premises_are_true_in_runs(claim):
    premises_hold(claim)


def test_rates_up_to_two_over_L_are_allowed():
    own = set(claim_of("cflag.lem4/bounded-below").conditions)
    assert {*GENTLE, *CAUTIOUS, *TWELFTH} <= own
    assert not any(str(condition.rhs) == "1/L" for condition in own)
