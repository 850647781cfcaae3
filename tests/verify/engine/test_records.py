"""Files of records: written completely or not at all, sealed, and never outside their folder."""

import json
import os
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from verify.engine import run, topics
from verify.engine.judge import judge, unjudged
from verify.engine.records import files as records
from verify.engine.records.files import (
    LARGEST,
    PART,
    TREES,
    digest,
    digests_of_files,
    fingerprint,
    finite,
    in_one_piece,
    parts_of,
    path_of,
    read_json,
    saved,
    with_seal,
    write_json,
)
from verify.engine.records.index import Entry
from verify.engine.topics import index, selected, with_proof
from verify.engine.verdict import because
from verify.engine.work.backends import Backend
from verify.engine.work.errors import UsageError
from verify.engine.work.items import name_of, together
from verify.report.wording import sentence

ROOT = Path(__file__).resolve().parents[3]
RECORD = {"id": "p.a/b", "budget": "quick", "seed": 3, "says": "something"}


def kept(folder, **changes):
    record = with_seal({**RECORD, "versions": fingerprint(), **changes})
    write_json(path_of(folder, RECORD["id"]), record)
    return record


def test_a_record_is_taken_from_its_file_only_by_the_same_code_budget_and_seed(tmp_path):
    record = kept(tmp_path)
    assert saved(tmp_path, "p.a/b", "quick", 3) == record
    assert saved(tmp_path, "p.a/b", "default", 3) is None
    assert saved(tmp_path, "p.a/b", "quick", 4) is None
    assert saved(tmp_path, "p.other", "quick", 3) is None
    kept(tmp_path, versions={**fingerprint(), "numpy": "0.1"})
    assert saved(tmp_path, "p.a/b", "quick", 3) is None
    kept(tmp_path, id="p.c")
    assert saved(tmp_path, "p.a/b", "quick", 3) is None


def test_digests_of_syntax_trees_by_other_code_are_not_used(tmp_path, monkeypatch):
    """A cache of another version of `definitions.py` would give other digests for the same code."""
    monkeypatch.setattr(records, "SHIPPED", tmp_path / "none")

    def computed():
        digest.cache_clear()
        digests_of_files.cache_clear()
        records._trees.cache_clear()
        return digest("verify/facts")

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    try:
        name = computed()
        cache = records.cache_folder() / TREES
        content = read_json(cache)
        assert computed() == name
        wrong = dict.fromkeys(content["digests"], "0" * 16)
        write_json(cache, {**content, "digests": wrong})
        assert computed() != name  # the cache is read
        write_json(cache, {**content, "digests": wrong, "made_by": "other code"})
        assert computed() == name
    finally:
        digest.cache_clear()
        digests_of_files.cache_clear()
        records._trees.cache_clear()


def test_digests_of_syntax_trees_that_come_with_the_code_are_those_of_the_files(tmp_path, monkeypatch):
    monkeypatch.setattr(records, "SHIPPED", tmp_path / "shipped")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    digest.cache_clear()
    records._trees.cache_clear()
    try:
        records.ship_trees(tmp_path / "shipped")
        name = digest("verify/facts")
        shutil.rmtree(tmp_path / "cache")
        digest.cache_clear()
        digests_of_files.cache_clear()
        records._trees.cache_clear()
        monkeypatch.setattr(records, "module_digest", None)  # nothing is parsed
        assert digest("verify/facts") == name
        assert not (tmp_path / "cache").exists()
    finally:
        digest.cache_clear()
        digests_of_files.cache_clear()
        records._trees.cache_clear()


@pytest.mark.parametrize("content", ["", "[1]", "{", "\x00"])
def test_what_is_no_record_is_made_anew(tmp_path, content):
    path_of(tmp_path, "p.a/b").write_text(content)
    assert saved(tmp_path, "p.a/b", "quick", 3) is None


def test_a_change_by_hand_is_noticed(tmp_path):
    kept(tmp_path)
    file = path_of(tmp_path, "p.a/b")
    file.write_text(file.read_text().replace("something", "anything"))
    assert saved(tmp_path, "p.a/b", "quick", 3) is None


def test_the_seal_is_of_what_is_said_in_any_order():
    record = with_seal(RECORD)
    assert with_seal(record) == record
    assert with_seal(dict(reversed(list(RECORD.items()))))["digest"] == record["digest"]
    assert with_seal({**RECORD, "seed": 4})["digest"] != record["digest"]
    assert len(record["digest"]) == 16


def test_files_lie_in_their_folder_whatever_the_id(tmp_path):
    for id in ("p.a/b", "../../etc/passwd", "/etc/passwd", "..", "a/../../b"):
        assert path_of(tmp_path, id).resolve().parent == tmp_path.resolve()
        assert parts_of(tmp_path, id).resolve().parent == tmp_path.resolve() / "certificates"
    assert (path_of(tmp_path, "p.a/b").name, parts_of(tmp_path, "p.a/b").name) == ("p.a__b.json", "p.a__b.xz")


def test_a_file_is_there_as_a_whole_or_as_it_was(tmp_path):
    file = tmp_path / "new" / "file.json"
    write_json(file, {"a": 1})
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o644

    def half():
        with in_one_piece(file) as stream:
            stream.write("{")
            stream.flush()
            assert read_json(file) == {"a": 1}
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        half()
    assert [one.name for one in file.parent.iterdir()] == ["file.json"]
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json(file, {"a": float("nan")})
    assert read_json(file) == {"a": 1}
    assert [one.name for one in file.parent.iterdir()] == ["file.json"]


def test_what_a_killed_process_left_is_taken_away_when_the_folder_is_next_written_to(tmp_path):
    script = """
import os, signal, sys
from pathlib import Path
from verify.engine.records.files import in_one_piece
with in_one_piece(Path(sys.argv[1])) as stream:
    stream.write("{")
    stream.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""
    file = tmp_path / "file.json"
    for _ in range(2):
        subprocess.run([sys.executable, "-c", script, file], cwd=ROOT, check=False)
    old, young = sorted(tmp_path.iterdir())
    others = [tmp_path / name for name in ("tmpabc.tmp", f"{PART}kept", "of-the-user.tmp")]
    for other in (old, *others):
        other.touch()
        os.utime(other, (0, time.time() - 25 * 3600))
    os.utime(young, (0, time.time() - 23 * 3600))
    write_json(file, {"a": 1})
    assert sorted(tmp_path.iterdir()) == sorted([young, file, *others])


@pytest.mark.parametrize("content", ["", "{", "[NaN]", "[Infinity]", "[-Infinity]", "[" * 200_000, "\xff"])
def test_what_is_no_json_is_refused(tmp_path, content):
    (tmp_path / "f").write_bytes(content.encode("latin-1"))
    with pytest.raises(UsageError, match="is not JSON"):
        read_json(tmp_path / "f")


@pytest.mark.parametrize("text", [r'"\ud83d"', r'{"\udE00": 1}', r'["\uDE00\ud83d"]'])
def test_half_a_character_is_no_text(tmp_path, text):
    (tmp_path / "f").write_text(text)
    with pytest.raises(UsageError, match=r"is not JSON: .*surrogates"):
        read_json(tmp_path / "f")
    (tmp_path / "f").write_text(r'["\ud83d\ude00 \\ud83d"]')
    assert read_json(tmp_path / "f") == ["\N{GRINNING FACE} \\ud83d"]


def test_only_files_are_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(UsageError, match="must be a file"):
            read_json(path)


def test_a_file_that_is_too_large_is_not_read(tmp_path):
    with (tmp_path / "f").open("wb") as stream:
        stream.truncate(LARGEST + 1)
    with pytest.raises(UsageError, match="at most 256 MiB"):
        read_json(tmp_path / "f")


def test_numbers_that_json_does_not_have_become_null():
    inf, nan = float("inf"), float("nan")
    assert finite({"a": [1.5, inf, -inf, (nan, 2, "x", None, True)]}) == {
        "a": [1.5, None, None, [None, 2, "x", None, True]]
    }


def test_names_of_items_tell_inputs_apart_and_not_their_order():
    assert name_of("a", 1) == name_of("a", 1)
    assert len({name_of("a", 1), name_of("a", 2), name_of(1, "a"), name_of("a"), name_of("a", {"b": 1})}) == 5
    assert name_of({"a": 1, "b": 2}) == name_of({"b": 2, "a": 1})
    assert len(name_of()) == 16
    assert int(name_of(), 16) >= 0


HOLDER = """
import sys
from pathlib import Path
from verify.engine.work.items import alone
from verify.report.wording import sentence
with alone(Path(sys.argv[1]), sys.argv[2]):
    print("at it", flush=True)
    sys.stdin.read()
"""


def doubled(item):
    return 2 * item


def test_only_whoever_works_on_the_same_item_waits(tmp_path):
    items = {name_of(item): item for item in range(4)}
    command = [sys.executable, "-c", HOLDER, str(tmp_path), name_of(2)]
    with subprocess.Popen(command, cwd=ROOT, stdin=-1, stdout=-1, text=True) as holder:
        assert holder.stdout.readline() == "at it\n"
        found = together(doubled, items, tmp_path, Backend())
        assert sorted(next(found) for _ in range(3)) == [0, 2, 6]
        holder.stdin.close()
        assert list(found) == [4]


def test_records_tell_how_long_it_took_and_what_was_asked():
    from tests.verify import known as k
    from verify.engine.checks.relation import inequality

    claim = k.claim(k.AM_GM, inequality)
    record = judge(claim, "quick", 5)
    assert 0 <= record["seconds"] < 100
    assert (record["seed"], record["budget"], record["kind"]) == (5, "quick", "inequality")
    assert record["statement"]["conditions"] == [str(c) for c in claim.conditions]
    assert json.loads(json.dumps(record)) == record
    none = unjudged(claim, "error", because("error", error="no file"), "quick", 5)
    assert (none["verdict"], none["kind"], sentence(none["reason"])) == ("not judged", "error", "no file")
    assert 0 <= none["seconds"] < 10


def test_every_topic_is_listed_and_selected_by_name_and_pattern():
    listed = index()
    assert len(listed) > 300
    assert selected([]) == list(listed)
    some = next(iter(listed))
    assert selected([some]) == [some]
    topic = listed[some].topic
    assert set(selected([topic])) == set(with_proof(topic))
    assert {id for id, entry in listed.items() if entry.topic == topic} <= set(with_proof(topic))
    paper = some.partition(".")[0]
    assert selected([f"{paper}.*"]) == [id for id in listed if id.startswith(f"{paper}.")]
    assert all(isinstance(entry, Entry) for entry in listed.values())
    with pytest.raises(UsageError, match="did you mean"):
        selected([some + "x"])


def test_what_trains_networks_has_processes_of_its_own(monkeypatch):
    where = {"a": "networks_special", "b": "special_one", "c": "cfl_other"}
    monkeypatch.setattr(
        topics, "index", lambda: {id: Entry(id, topic, "", ()) for id, topic in where.items()}
    )
    gone = []
    monkeypatch.setattr(run, "let_go", lambda: gone.append(True))
    assert list(run._apart(["a", "b", "c", "own"])) == [["b", "c", "own"], ["a"]]
    assert gone == [True]
    assert list(run._apart(["a"])) == [["a"]]
    assert list(run._apart(["c", "b"])) == [["c", "b"]]
    assert list(run._apart([])) == []
    assert gone == [True]


def test_a_topic_comes_with_all_that_its_proofs_use_in_its_paper(monkeypatch):
    uses = {"a": ("c", "x"), "b": ("a",), "c": ("d", "gone"), "d": ("a",), "e": (), "x": ()}
    where = {"e": "special_three", "x": "cfl_other", "c": "special_two", "d": "networks_special"}
    known = {id: Entry(id, where.get(id, "special_one"), "", used) for id, used in uses.items()}
    monkeypatch.setattr(topics, "index", lambda: known)
    assert with_proof("special_one") == ["a", "b", "c", "d"]
    assert with_proof("special_three") == ["e"]
