"""Hunts resume where they stopped, keep the best instance, and refute what a search can refute."""

import json

import pytest

from verify.commands.hunt import _is_unrefuted_by_search
from verify.commands.main import main
from verify.engine.search import hunt as hunts
from verify.engine.search.hunt import best, file_of, hunt, trail
from verify.engine.work.backends import Backend
from verify.engine.work.errors import UsageError

LOOSE, BROKEN = "cfl.B44.gc/moving", "special.eq27"


def starts(folder, ids, number, jobs=1):
    found = hunt(ids, folder, "quick", 600, Backend(jobs=jobs))
    return [next(found) for _ in range(number)]


def test_a_hunt_goes_on_where_the_last_one_stopped(tmp_path):
    first = starts(tmp_path, [LOOSE], 2)
    assert [start["start"] for start in first] == [1, 2]
    assert [start["start"] for start in starts(tmp_path, [LOOSE], 3)] == [3, 4, 5]
    found = trail(tmp_path, LOOSE)
    assert found.starts == 5
    assert found.trials > first[0]["trials"] + first[1]["trials"]
    ratios = [ratio for _, _, ratio in found.course]
    assert ratios == sorted(set(ratios))
    assert ratios[-1] == max(
        json.loads(file_of(tmp_path, LOOSE, n).read_text())["ratio"] for n in range(1, 6)
    )


def test_a_start_is_the_same_whenever_it_is_made(tmp_path):
    there, here = (starts(tmp_path / name, [LOOSE], 2)[1] for name in "ab")
    beside = {"seconds": 0, "digest": ""}  # a seal also covers the seconds
    assert there | beside == here | beside
    assert there["ratio"] != starts(tmp_path / "c", [LOOSE], 1)[0]["ratio"]


def test_what_is_broken_is_hunted_no_more(tmp_path):
    found = list(hunt([BROKEN], tmp_path, "quick", 600, Backend()))
    assert found[-1]["witness"]
    assert best(trail(tmp_path, BROKEN)) == next(start["witness"] for start in found if start["witness"])
    assert trail(tmp_path, BROKEN).witness["statement"] == BROKEN


def test_a_hunt_ends_when_its_time_is_over(tmp_path):
    assert len(list(hunt([LOOSE], tmp_path, "quick", 1e-9, Backend()))) == 0


def test_another_question_has_another_folder(monkeypatch):
    one = hunts.place(LOOSE)
    assert one.startswith("cfl.B44.gc")
    monkeypatch.setattr(hunts, "fingerprint", lambda *folders: {"sources": "other"})
    hunts.place.cache_clear()
    assert hunts.place(LOOSE) != one
    hunts.place.cache_clear()


def test_the_command_hunts_what_holds_and_its_best_instance_replays(tmp_path, capsys):
    records, out = str(tmp_path / "records"), tmp_path / "hunt"
    main([LOOSE, BROKEN, "--budget", "quick", "--jobs", "1", "--out", records])
    capsys.readouterr()
    command = [
        "hunt",
        LOOSE,
        BROKEN,
        "--records",
        records,
        "--out",
        str(out),
        "--budget",
        "quick",
        "--jobs",
        "1",
    ]
    assert main([*command, "--hours", "0.0005"]) == 0
    told = capsys.readouterr().out
    assert LOOSE in told
    assert BROKEN not in told
    (witness,) = out.glob("*/best.json")
    assert main(["replay", str(witness)]) == 0
    assert "the file says the same" in capsys.readouterr().out


def test_what_does_not_hold_is_not_hunted(tmp_path, capsys):
    records = str(tmp_path / "records")
    main([BROKEN, "--budget", "quick", "--jobs", "1", "--out", records])
    assert main(["hunt", BROKEN, "--records", records]) == 2
    assert "nothing that matches has survived a search" in capsys.readouterr().err


@pytest.mark.parametrize(("method", "hunted"), [("interval", True), ("exact", True), ("sampled", False)])
def test_sentences_on_experiments_are_not_hunted(method, hunted):
    """Means of seeds decide them; a search would only break their formula at arbitrary numbers."""
    record = {"verdict": "unrefuted", "evidence": [{"verdict": "unrefuted", "method": method}]}
    assert _is_unrefuted_by_search(record) == hunted
    assert not _is_unrefuted_by_search({**record, "verdict": "refuted"})


@pytest.mark.slow
def test_processes_hunt_together(tmp_path):
    found = starts(tmp_path, [LOOSE], 8, jobs=2)
    assert sorted(start["start"] for start in found) == list(range(1, 9))


def test_a_start_that_somebody_changed_is_named(tmp_path):
    starts(tmp_path, [LOOSE], 1)
    file = file_of(tmp_path, LOOSE, 1)
    file.write_text(json.dumps({**json.loads(file.read_text()), "ratio": 1e9}))
    with pytest.raises(UsageError, match=r"001\.json is not as a hunt has written it"):
        trail(tmp_path, LOOSE)
