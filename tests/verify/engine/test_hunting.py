"""Hunts with small examples: their starting points, the content of a trail, and where starts are saved."""

import json
from itertools import islice
from types import SimpleNamespace

import pytest
import sympy as sp

from tests.verify.engine.simple import LINE, about, of, v
from verify.engine.records.files import with_seal
from verify.engine.search import hunt as room
from verify.engine.search.adversary import Search
from verify.engine.search.hunt import Trail, best, file_of, hunt, place, search_from, trail
from verify.engine.work.backends import Backend
from verify.engine.work.errors import UsageError

CLAIMS = {name: about(name, of(sp.Le, v, 1), scene=LINE) for name in ("one", "two")}
HERE = Backend(jobs=1)


@pytest.fixture(autouse=True)
def known(monkeypatch):
    monkeypatch.setattr(room, "claim_of", CLAIMS.get)
    place.cache_clear()
    yield
    place.cache_clear()


@pytest.fixture
def quick(monkeypatch):
    """Searches that return only their number, and refute `two` from its fifth start on."""

    def attack(question, budget, number):
        broken = question.id == CLAIMS["two"].statement.id and number >= 5
        witness = SimpleNamespace(record=lambda: {"of": number}) if broken else None
        return SimpleNamespace(search=Search(trials=number, ratio=number / 10), witness=witness)

    monkeypatch.setattr(room, "_question", lambda id: CLAIMS[id].question)
    monkeypatch.setattr(room, "attack", attack)


def made(found):
    return [(start["id"], start["start"]) for start in found]


def test_starts_go_round_four_of_each_process_at_a_time(tmp_path, quick):
    found = hunt(["one", "two"], tmp_path, "quick", 600, HERE)
    first = [next(found) for _ in range(9)]
    assert made(first) == [
        *(("one", 1), ("one", 2), ("two", 1), ("two", 2)),
        *(("one", 3), ("one", 4), ("two", 3), ("two", 4)),
        ("one", 5),
    ]
    assert [start["trials"] for start in first[:2]] == [1, 2]


def test_of_many_statements_each_has_one_start_at_a_time(tmp_path, quick, monkeypatch):
    many = {f"{name}{k}": CLAIMS["one"] for k in range(3) for name in ("one", "two")}
    monkeypatch.setattr(room, "claim_of", many.get)
    monkeypatch.setattr(room, "_question", lambda id: many[id].question)
    found = hunt(list(many), tmp_path, "quick", 600, HERE)
    assert made([next(found) for _ in range(7)]) == [*((id, 1) for id in many), ("one0", 2)]


def test_what_is_broken_is_left_and_starts_that_are_saved_are_not_made_again(tmp_path, quick):
    for number in (1, 3):
        search_from(("two", number), tmp_path, "quick")
    found = list(islice(hunt(["two"], tmp_path, "quick", 600, HERE), 9))
    assert made(found) == [("two", n) for n in (2, 4, 5, 6)]
    assert [start["witness"] for start in found] == [None, None, {"of": 5}, {"of": 6}]
    more = hunt(["two", "one"], tmp_path, "quick", 600, HERE)
    assert made([next(more) for _ in range(8)]) == [
        *(("two", 7), ("two", 8), ("one", 1), ("one", 2)),
        *(("one", n) for n in (3, 4, 5, 6)),
    ]


def test_a_hunt_ends_with_its_time(tmp_path, quick, monkeypatch):
    now = iter(range(100))
    monkeypatch.setattr(room.time, "monotonic", lambda: next(now))
    assert len(list(islice(hunt(["one"], tmp_path, "quick", 3.5, HERE), 9))) == 3
    now = iter(range(100))
    assert list(hunt(["one"], tmp_path, "quick", 1, HERE)) == []


def saved(folder, *starts):
    for number, said in starts:
        file = file_of(folder, "one", number)
        file.parent.mkdir(parents=True, exist_ok=True)
        whole = {
            "start": number,
            "trials": 10,
            "ratio": None,
            "instance": number,
            "witness": None,
            "seconds": 0.5,
        }
        file.write_text(json.dumps(with_seal({**whole, **said})))


def test_a_trail_goes_up_where_the_ratio_grew(tmp_path):
    assert trail(tmp_path, "one") == Trail("one", 0, 0, 0, (), None, None)
    saved(
        tmp_path,
        (10, {"ratio": 0.75}),
        (2, {}),
        (3, {"ratio": 0.5}),
        (4, {"ratio": 0.5}),
        (5, {"ratio": 0.25}),
    )
    found = trail(tmp_path, "one")
    assert found.course == ((2, 20, 0.5), (5, 50, 0.75))
    assert (found.starts, found.trials, found.seconds, found.instance) == (5, 50, 2.5, 10)
    saved(tmp_path, (6, {"witness": {"of": 6}}), (7, {"witness": {"of": 7}}))
    assert trail(tmp_path, "one").witness == {"of": 6}


def test_a_start_that_was_changed_by_hand_is_named(tmp_path):
    saved(tmp_path, (2, {"ratio": 0.5}))
    file = file_of(tmp_path, "one", 2)
    file.write_text(file.read_text().replace("0.5", "0.75"))
    with pytest.raises(UsageError, match=f"{file} is not as a hunt has written it"):
        trail(tmp_path, "one")


def test_the_best_is_a_counterexample_or_the_tightest_instance(tmp_path):
    none = Trail("one", 1, 1, 0.0, (), None, None)
    assert best(none) is None
    assert best(Trail("one", 1, 1, 0.0, (), {"shape": {}}, {"of": 1})) == {"of": 1}
    there = {"shape": {"d": 1}, "parameters": {"u": "0.98"}, "steps": {}}
    found = best(Trail("one", 1, 1, 0.0, (), there, None))
    assert found["parameters"]["u"] == "1"
    assert found["lhs"] == [1, 1]


def test_a_thousand_starts_share_a_shelf(tmp_path):
    folder = tmp_path / place("one")
    assert file_of(tmp_path, "one", 7) == folder / "0000" / "007.json"
    assert file_of(tmp_path, "one", 1000) == folder / "0001" / "000.json"
    assert file_of(tmp_path, "one", 12345) == folder / "0012" / "345.json"
    assert place("one") != place("two")


def test_a_start_tells_what_its_search_found(tmp_path, monkeypatch):
    clock = iter([1000.0, 1000.2504])
    monkeypatch.setattr(room.time, "perf_counter", lambda: next(clock, 2000.0))
    record = search_from(("one", 3), tmp_path, "quick")
    assert {*record} == {"id", "start", "trials", "ratio", "instance", "witness", "seconds", "digest"}
    assert (record["id"], record["start"], record["witness"]) == ("one", 3, None)
    assert record["trials"] > 0
    assert record["ratio"] == pytest.approx(1)
    assert abs(int(record["instance"]["parameters"]["u"])) == 1
    assert record["seconds"] == 0.25
    again = search_from(("one", 3), tmp_path, "quick")
    assert again == record


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot write"):
        search_from(("one", 1), tmp_path / "file", "quick")
