"""C-FLAG over any number of rounds: quantities of past rounds, and no lower bound on the right side is proved."""

from __future__ import annotations

import pytest
import torch

from tests.verify.judging import at_fractions, proved
from verify.engine.topics import claim_of
from verify.scenes.cflag.joint import SMOOTH
from verify.scenes.cflag.redrawn import REDRAWN

OVER_ROUNDS = (
    *("lem3.sum", "lem3.least", "lem3/eq67-smooth"),
    *("thm5.redrawn.sum", "thm5.redrawn.least", "thm5.redrawn.most", "thm5/redrawn"),
    *("thm2.redrawn.round", "thm2.redrawn.sum", "thm2.redrawn.rounds"),
)


LONG = {"lem3.least", "thm5.redrawn.sum", "thm2.redrawn.sum"}
"""Claims with long fruitless searches; others also have a sum and a minimum."""
LOWER = [pytest.param(id, marks=[pytest.mark.slow] if id in LONG else []) for id in OVER_ROUNDS]


@pytest.mark.parametrize("id", OVER_ROUNDS)
def test_a_bound_is_proved(id: str) -> None:
    assert proved(claim_of(f"cflag.{id}"))


@pytest.mark.parametrize("id", LOWER)
def test_no_lower_bound_is_proved(id: str) -> None:
    assert not proved(claim_of(f"cflag.{id}"), 99)


def test_what_is_told_of_rounds_is_what_they_were() -> None:
    shape = next(shape for shape in SMOOTH.shapes if shape["T"] == 3)
    before = [at_fractions(SMOOTH, {**shape, "r": r}, 8, 0) for r in range(4)]
    squares = torch.stack([found["gh2"] for found in before])
    assert torch.allclose(before[3]["gh2_sum"], squares[:3].sum(dim=0))
    assert torch.allclose(before[3]["gh2_least"], squares[:3].amin(dim=0))
    assert torch.allclose(before[3]["gh2_least_next"], squares.amin(dim=0))
    assert torch.allclose(before[1]["h_now"] - before[1]["h_next"], before[2]["Dht"] - before[1]["Dht"])
    assert (before[3]["passed"] == 3).all()


def test_memories_drawn_anew_lead_to_the_same_models_whatever_comes_later() -> None:
    """Expectations of a round do not depend on the number of later rounds."""
    shape = next(shape for shape in REDRAWN.shapes if shape["T"] == 2)
    before = [at_fractions(REDRAWN, {**shape, "r": r}, 8, 0) for r in range(3)]
    squares = torch.stack([found["gf2_mean"] for found in before])
    assert torch.allclose(before[2]["gf2_sum"], squares[:2].sum(dim=0))
    assert torch.allclose(before[2]["least_gf2"], squares[:2].amin(dim=0))
    assert torch.allclose(before[1]["f_mean_next"], before[2]["f_mean"])
    assert torch.allclose(before[0]["gap2_mean_next"], before[1]["gap2_mean"])
    assert torch.allclose(before[2]["forget_sum"], before[0]["forget_each"] + before[1]["forget_each"])
    assert torch.allclose(before[0]["forget_each_next"], before[1]["forget_each"])
    assert (before[2]["gap2_sum"] <= 2 * before[2]["gap2_most"] + 1e-9).all()
