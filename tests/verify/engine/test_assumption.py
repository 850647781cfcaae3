"""An assumption gets no verdict: the record has the number of worlds that meet it, and an example of each kind."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy as sp

from bounds.statement import Paper
from bounds.symbols import Glossary
from verify.engine.checks.assumption import assumption
from verify.engine.model.claim import BUDGETS, Claim
from verify.engine.model.scene import Box, Scene
from verify.engine.verdict import Verdict

LETTERS = Glossary("tests")
x, M = LETTERS.define("x", "anything", "real"), LETTERS.define("M", "its bound", "positive")
BOUNDED = Paper("tests", "Tests", "first", LETTERS).statement("bounded", "x is bounded", sp.Le(x, M), "here")
WORLDS = Scene(
    name="a number and any bound", shapes=({"d": 1},), space=lambda shape: {"x": Box(-2, 2), "M": Box(0.1, 1)}
)


def found(scene: Scene):
    return assumption(Claim(BOUNDED, (assumption,), scene), BUDGETS["quick"], 0)


def test_some_worlds_meet_it_and_others_do_not() -> None:
    finding = found(WORLDS)
    assert finding.verdict is Verdict.ASSUMPTION
    assert 0 < finding.details["met"] < finding.details["tried"]
    inside, outside = finding.details["meets"], finding.details["does not meet"]
    assert inside["lhs"][1] <= inside["rhs"][0]
    assert outside["lhs"][0] > outside["rhs"][1]


@pytest.mark.parametrize(("low", "high", "met"), [(-2, 0.05, True), (1.5, 2, False)])
def test_it_says_what_was_not_found(low: float, high: float, met: bool) -> None:  # noqa: FBT001
    finding = found(replace(WORLDS, space=lambda shape: {"x": Box(low, high), "M": Box(0.1, 1)}))
    assert ("meets" in finding.details) == met
    assert ("does not meet" in finding.details) == (not met)
    assert (finding.details["met"] == finding.details["tried"]) == met
