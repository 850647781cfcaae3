"""Nonconvex losses with a minimum: claims may contain the loss above its minimum."""

import pytest

from verify import Notes, judge, run, worlds
from verify.quantities import L, eta, gap, gap_0, grad2_min, loss, loss_0, t

DESCENT = run("fedavg", worlds.bounded_below(dim=(1,)), rounds=(1, 2), local_lr="eta")


@pytest.mark.parametrize(
    ("relation", "broken"),
    [
        (gap <= gap_0, False),
        (grad2_min <= 2 * gap_0 / (eta * t), False),
        (gap - gap_0 <= loss - loss_0, False),
        (gap <= gap_0 / 2, True),
        (grad2_min <= gap_0 / (2 * eta * t), True),
    ],
    ids=str,
)
def test_claims_about_the_gap_are_judged(relation, broken):
    notes = Notes("below")
    record = judge(notes.claim("x", relation, eta <= 1 / L, scene=DESCENT), budget="quick")
    assert (record.verdict == "refuted") == broken
    assert record.verdict in ("refuted", "unrefuted", "proved")
