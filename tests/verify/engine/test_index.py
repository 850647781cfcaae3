"""The index of statements agrees with the topics, and is rebuilt when it is damaged or the code has changed."""

import pytest

from verify.engine.records import index as indices
from verify.engine.records.index import Entry, cached_index

ONE = {"a.b": Entry("a.b", "a_topic", "what it says", ["a.c"], suppliers=[])}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "fcl-theory"


def never():
    raise AssertionError("it was made already")


def test_it_is_kept(folder):
    assert cached_index(["a_topic"], lambda: ONE) == ONE
    assert cached_index(["a_topic"], never) == ONE


@pytest.mark.parametrize("content", ["", "{", "[[]]", '[{"id": 3}]', "null"])
def test_a_damaged_one_is_made_anew(folder, content):
    cached_index(["a_topic"], lambda: ONE)
    (file,) = folder.glob("statements-*.json")
    file.write_text(content)
    assert cached_index(["a_topic"], lambda: ONE) == ONE
    assert cached_index(["a_topic"], never) == ONE


def test_other_code_makes_another_and_forgets_the_old(folder, monkeypatch):
    cached_index(["a_topic"], lambda: ONE)
    monkeypatch.setattr(indices, "digest", lambda *folders: "other")
    two = {"a.d": Entry("a.d", "a_topic", "other", [], suppliers=[])}
    assert cached_index(["a_topic"], lambda: two) == two
    assert len(list(folder.glob("statements-*.json"))) == 1
    assert cached_index(["a_topic"], never) == two


def test_what_another_process_has_forgotten_already_is_no_hindrance(folder, monkeypatch):
    monkeypatch.setattr(indices.Path, "glob", lambda self, pattern: [self / "statements-gone.json"])
    assert cached_index(["a_topic"], lambda: ONE) == ONE
    assert cached_index(["a_topic"], never) == ONE


def test_where_nothing_can_be_kept_it_is_made_each_time(folder):
    folder.write_text("no folder")
    assert cached_index(["a_topic"], lambda: ONE) == ONE


def test_one_that_comes_with_the_code_is_used_first(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(indices, "SHIPPED", tmp_path / "shipped.json")
    indices.keep(["a_topic"], ONE, indices.SHIPPED)
    assert cached_index(["a_topic"], never) == ONE
    assert not folder.exists()
    assert cached_index(["another_topic"], lambda: {}) == {}


def test_topics_that_cannot_be_imported_have_their_shipped_entries(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(indices, "SHIPPED", tmp_path / "shipped.json")
    both = ["a_topic", "b_topic"]
    old = {"b.c": Entry("b.c", "b_topic", "what it said", [], suppliers=[])}
    new = {"b.d": Entry("b.d", "b_topic", "what it says now", [], suppliers=[])}
    indices.keep(both, {**ONE, **old}, indices.SHIPPED)
    monkeypatch.setattr(indices, "digest", lambda *folders: "other")
    assert list(cached_index(both, lambda: ONE, {"b_topic"}).items()) == [*ONE.items(), *old.items()]
    assert cached_index(both, never, {"b_topic"}) == {**ONE, **old}
    assert cached_index(both, lambda: {**ONE, **new}) == {**ONE, **new}
