"""Long claims: polynomials stay small enough for the time limit, and finished results are stored."""

from __future__ import annotations

import time

import pytest
import sympy as sp

from bounds.relations import eq, le
from verify import Notes
from verify.engine.certificates.field import Field, Undefined
from verify.engine.checks import relation
from verify.engine.judge import judge
from verify.engine.work.processes import OutOfTime, at_most
from verify.report.wording import sentence

LETTERS = "abcdefgh"


def test_a_power_of_too_many_terms_is_no_value():
    field = Field(dict.fromkeys(LETTERS, "positive"))
    total = ["+", *LETTERS]
    assert len(field.value(["^", total, "3"]).top) == 120
    with pytest.raises(Undefined, match="too many terms"):
        field.value(["^", total, "14"])


def test_a_large_power_is_judged_in_seconds():
    notes = Notes("long")
    letters = notes.positive(" ".join(LETTERS))
    claim = notes.claim("power", le(sum(letters) ** 14, 8**13 * sum(x**14 for x in letters)))
    start = time.process_time()
    assert judge(claim, "quick", 0)["verdict"] == "unrefuted"
    assert time.process_time() - start < 60


@pytest.mark.parametrize("compare", [le, eq])
def test_random_instances_outlive_a_proof_that_runs_out_of_time(monkeypatch, compare):
    def endless(*_):
        while True:
            time.sleep(0.01)

    monkeypatch.setattr(relation, "basis_of", endless)
    notes = Notes("late")
    x = notes.real("x")
    claim = notes.claim("claim", compare(x, sp.sqrt(x**2 + 1) * 0 + x))
    with at_most(2.0):
        record = judge(claim, "quick", 0)
    assert record["verdict"] == "unrefuted"
    assert record["evidence"][0]["trials"] > 0
    assert "stopped by the time limit" in sentence(record["reason"])


def test_a_proof_outlives_a_search_that_runs_out_of_time(monkeypatch):
    def endless(*_):
        while True:
            time.sleep(0.01)

    monkeypatch.setattr(relation, "further", endless)
    notes = Notes("late")
    x, y = notes.real("x y")
    claim = notes.claim("claim", le(x * y, x**2 + y**2))
    with at_most(2.0):
        record = judge(claim, "quick", 0)
    assert record["verdict"] == "proved"
    assert record["proof"]["certificate"]
    assert "stopped by the time limit" in sentence(record["reason"])


def test_an_alarm_that_a_callback_swallows_rings_again(monkeypatch):
    monkeypatch.setattr("verify.engine.work.processes.AGAIN", 0.2)
    heard = 0
    with pytest.raises(OutOfTime), at_most(0.1):  # noqa: PT012
        while True:
            try:
                time.sleep(5)
            except OutOfTime:
                heard += 1
                if heard == 3:
                    raise
