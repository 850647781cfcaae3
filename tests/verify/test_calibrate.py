"""Calibration: no statement of known truth gets a confident wrong verdict."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

from verify import Notes
from verify.calibration import measure
from verify.calibration.corpus import TRUTHS, corpus
from verify.calibration.fuzz import _false
from verify.calibration.measure import calibrated, judged, table, wrong
from verify.calibration.mutants import KINDS, false_somewhere, mutants
from verify.commands.main import main
from verify.engine.search.points import holds
from verify.engine.work.backends import Backend

silent = lambda line: None  # noqa: E731
notes = Notes("gate")
a, b = notes.positive("a b")


def test_the_corpus_is_large_and_of_every_kind() -> None:
    known = corpus()
    assert len(known) >= 120
    assert len({one.claim.statement.id for one in known}) == len(known)
    assert Counter(one.truth for one in known).keys() == set(TRUTHS)
    assert {mutant.kind for one in known if one.truth == "true" for mutant in mutants(one)} == set(KINDS)


def test_what_is_true_and_false_is_so_at_plain_random_points() -> None:
    """A few of the false statements fail only where several conditions hold with equality."""
    known = [one for one in corpus() if one.truth != "vacuous"]
    broken = {one.claim.statement.id: false_somewhere(one.claim, 0) for one in known}
    assert not [
        one.claim.statement.id for one in known if one.truth == "true" and broken[one.claim.statement.id]
    ]
    false = [one.claim.statement.id for one in known if one.truth != "true"]
    assert sum(broken[id] for id in false) >= 0.95 * len(false)


def test_no_point_of_a_void_statement_exists() -> None:
    for one in corpus():
        if one.truth == "vacuous":
            assert not false_somewhere(one.claim, 0), one.claim.statement.id


@pytest.mark.parametrize("seed", range(20))
def test_conclusions_at_random_are_false_at_a_point(seed: int) -> None:
    """The point is checked again: all premises hold there, and the conclusion fails."""
    rng = np.random.default_rng([seed, 7])
    state = rng.bit_generator.state
    question = _false(rng)
    rng.bit_generator.state = state
    from verify.calibration.fuzz import SYMBOLS, _number

    point = {symbol: _number(symbol, rng) for symbol in SYMBOLS}
    for relation, _ in question.given:
        left, right = (side.subs(point) for side in relation.args)
        assert left <= right
    left, right = (side.subs(point) for side in question.relation.args)
    assert left > right


def test_the_gate_in_small(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "calibration.json"
    options = [
        "--jobs",
        "1",
        "--every",
        "48",
        "--runs",
        "10",
        "--fuzz",
        "1",
        "--budget",
        "quick",
        "--out",
        str(tmp_path),
        "--json",
        str(file),
    ]
    assert main(["calibrate", *options]) == 0
    assert "confidently wrong answers: 0" in capsys.readouterr().out
    found = json.loads(file.read_text())
    assert wrong(found) == 0
    assert not found["alarms"]["false"]


def test_wrong_answers_are_counted() -> None:
    row = {"id": "x", "truth": "false", "verdict": "proved", "outcome": "wrong", "reason": ""}
    mutant = {"id": "x", "kind": KINDS[0], "change": "", "verdict": "proved", "false": True}
    found = {
        "statements": [row],
        "mutants": [mutant],
        "fuzz": {"tried": 2, "proved": ["a <= 1"]},
        "alarms": {"runs": 3, "false": [{"id": "x", "seed": 0}]},
    }
    assert wrong(found) == 3
    assert "confidently wrong answers: 3" in table(found)
    assert "false alarms: 1 in 3" in table(found)


def test_a_point_shows_that_a_statement_is_false() -> None:
    assert false_somewhere(notes.claim("half", sp.Le(a * b, (a**2 + b**2) / 4)), 0)
    assert not false_somewhere(notes.claim("whole", sp.Le(a * b, (a**2 + b**2) / 2)), 0)
    assert holds(sp.Le(a, b), {"a": 2, "b": 1}) is False


@pytest.mark.slow
def test_the_whole_gate(tmp_path: Path) -> None:
    found = calibrated("default", 0, 1000, 300, 1, tmp_path, Backend(jobs=2), silent)
    assert wrong(found) == 0, table(found)
    assert not found["alarms"]["false"]
    false = [row for row in found["mutants"] if row["false"]]
    caught = [row for row in false if row["verdict"] in ("refuted", "gap", "inconsistent", "vacuous")]
    assert len(caught) >= 0.98 * len(false), table(found)


def test_verdicts_of_a_few_statements(tmp_path: Path) -> None:
    places = [place for place, one in enumerate(corpus()) if one.claim.statement.id.endswith("am-gm")]
    found = judged(places, "quick", 0, tmp_path, Backend(), silent)
    assert [row["outcome"] for row in found] == ["right", "right"]


def test_processes_come_to_the_same_and_go_on_from_what_is_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = range(0, len(corpus()), 40)
    rows = [
        judged(places, "quick", 0, tmp_path / str(backend.jobs), backend, silent)
        for backend in (Backend(), Backend(jobs=2))
    ]
    assert rows[0] == rows[1]
    assert len(rows[0]) == len(places)
    monkeypatch.setattr(measure, "judge", None)
    assert judged(places, "quick", 0, tmp_path / "1", Backend(), silent) == rows[0]
