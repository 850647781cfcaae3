"""A small run of the fuzzer of stored answers and records, and a test that it notices an answer that is only read."""

import json

import pytest

from tests.fuzz import records


def test_no_edit_is_believed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "IDS", ("special.eq27", "special.eq38", "special.lemC.2", "fedmes.eq43"))
    status = records.main(["--number", str(2 * len(records.EDITS)), "--seed", "1"])
    found = json.loads(capsys.readouterr().out)
    assert found["believed"] == []
    assert found["true records refused"] == []
    assert found["answers"] == 4
    assert status == 0


def test_an_answer_that_is_only_read_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "IDS", ("special.eq27", "fedmes.eq43"))
    monkeypatch.setattr(records, "stands", lambda answer, pool, key: answer)
    assert records.fuzzed(len(records.EDITS), 0)["believed"]


def _finding(verdict: str, witness: object) -> dict[str, object]:
    return {
        "evidence": [{"check": "entailment", "verdict": verdict, "witness": witness}],
        "cites": {},
        "whole": None,
    }


def test_a_counterexample_that_is_searched_again_may_be_another_one(monkeypatch: pytest.MonkeyPatch) -> None:
    sides = {
        "statement": "s",
        "relation": "a <= b",
        "method": "exact",
        "zero": [],
        "lhs": [1.0, 1.0],
        "rhs": [0.0, 0.0],
        "conditions": [],
    }
    true, other = _finding("gap", sides), _finding("gap", {**sides, "lhs": [2.0, 2.0]})
    monkeypatch.setattr(records, "stands", lambda answer, pool, key: other)
    assert not records.believed(
        _finding("gap", None), true, {}, next(iter(records.index().values())).key("default", 0)
    )
    assert records.believed(
        _finding("gap", sides), true, {}, next(iter(records.index().values())).key("default", 0)
    )
    monkeypatch.setattr(records, "stands", lambda answer, pool, key: _finding("proved", None))
    assert records.believed(
        _finding("gap", None), true, {}, next(iter(records.index().values())).key("default", 0)
    )
