"""Counterexamples that are hard to find are found: larger sizes, sign patterns, needles, violations by a hair."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.verify.engine.hard import HARD
from verify import judge
from verify.engine.search.reach import larger_shapes

MISSED = {"needle-beside-a-hill"}
"""A spike on a share of 1e-6 of the plane, with slopes that lead away from it."""


@pytest.mark.parametrize("id", sorted(HARD.keys() - MISSED))
def test_it_is_found(id: str) -> None:
    record = judge(HARD[id], "default", 0)
    assert record["verdict"] == "refuted", record["reason"]
    assert record["witness"]["method"] == "exact"


def test_the_share_that_is_found_is_said() -> None:
    said = f"{len(HARD) - len(MISSED)} of {len(HARD)} relations that are hard to break are broken"
    assert said in (Path(__file__).parents[3] / "docs" / "verdicts.md").read_text()


def test_sizes_are_doubled_up_to_the_budget() -> None:
    scene = HARD["horizon-of-600"].scene
    assert scene is not None
    assert [shape["t"] for shape in larger_shapes(scene, "t", 100)] == [6, 10, 20, 40, 80]
    assert not list(larger_shapes(scene, "t", 0))
