"""The command of fuzzers resumes where it was stopped."""

import json
import sys
from types import SimpleNamespace

from tests.fuzz import __main__ as everything
from tests.fuzz.command import run


def test_claims_that_were_judged_are_not_judged_again(tmp_path, capsys):
    kept, asked = tmp_path / "kept.jsonl", []

    def judged(place, seed):
        asked.append(place)
        return {"place": place, "verdict": "proved", "wrong": ""}

    assert run(judged, 3, None, ["--kept", str(kept), "--seed", "1"]) == 0
    kept.write_text(kept.read_text() + '{"place": 3, "ver')  # a killed process was writing
    assert run(judged, 5, None, ["--kept", str(kept), "--seed", "1"]) == 0
    assert asked == [0, 1, 2, 3, 4]
    assert len(kept.read_text().splitlines()) == 5
    assert run(judged, 1, None, ["--kept", str(kept), "--seed", "2"]) == 0
    assert asked[5:] == [0]
    capsys.readouterr()


def test_wrong_verdicts_that_are_kept_still_count(tmp_path, capsys):
    kept = tmp_path / "kept.jsonl"
    for _ in range(2):
        assert run(
            lambda place, seed: {"place": place, "verdict": "proved", "wrong": "false"},
            1,
            None,
            ["--kept", str(kept)],
        )
    assert json.loads(capsys.readouterr().out.partition("}\n{")[0] + "}")["wrong"] == 1


def test_fuzzers_that_have_a_result_do_not_run_again(tmp_path, monkeypatch, capsys):
    out, ran = tmp_path / "fuzz.json", []

    def started(command, **_):
        ran.append(command)
        return SimpleNamespace(stdout='{"number": 1}', returncode=0)

    monkeypatch.setattr(everything.subprocess, "run", started)
    monkeypatch.setattr(sys, "argv", ["fuzz", "--out", str(out), "--share", "0.001"])
    assert everything.main() == everything.main() == 0
    assert len(ran) == len(everything.NUMBERS) == len(json.loads(out.read_text()))
    assert str(tmp_path / "fuzz-claims.jsonl") in ran[0]
    capsys.readouterr()
