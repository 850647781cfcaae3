"""The index of statements is made again, paper by paper, when it is damaged or the code has changed."""

import pytest

from bounds.papers import paper_of_file
from verify.engine.records import index as indices
from verify.engine.records.index import Entry, cached_index

ONE = {"a.b": Entry("a.b", "a_topic", "what it says", ["a.c"], suppliers=[])}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "fcl-theory"


def never(papers):
    raise AssertionError("it was made already")


def test_it_is_kept(folder):
    assert cached_index(["a_topic"], lambda papers: ONE) == ONE
    assert cached_index(["a_topic"], never) == ONE


@pytest.mark.parametrize("content", ["", "{", "[[]]", '[{"id": 3}]', "null"])
def test_a_damaged_one_is_made_anew(folder, content):
    cached_index(["a_topic"], lambda papers: ONE)
    (file,) = folder.glob("statements-*.json")
    file.write_text(content)
    assert cached_index(["a_topic"], lambda papers: ONE) == ONE
    assert cached_index(["a_topic"], never) == ONE


def test_other_code_makes_another_and_forgets_the_old(folder, monkeypatch):
    cached_index(["a_topic"], lambda papers: ONE)
    monkeypatch.setattr(indices, "digests_of_files", lambda *folders: {"nqm/world.py": "other"})
    two = {"a.d": Entry("a.d", "a_topic", "other", [], suppliers=[])}
    assert cached_index(["a_topic"], lambda papers: two) == two
    assert len(list(folder.glob("statements-*.json"))) == 1
    assert cached_index(["a_topic"], never) == two


def test_what_another_process_has_forgotten_already_is_no_hindrance(folder, monkeypatch):
    present = indices.Path.glob
    monkeypatch.setattr(
        indices.Path, "glob", lambda self, pattern: [self / "statements-gone.json", *present(self, pattern)]
    )
    assert cached_index(["a_topic"], lambda papers: ONE) == ONE
    assert cached_index(["a_topic"], never) == ONE


def test_where_nothing_can_be_kept_it_is_made_each_time(folder):
    folder.write_text("no folder")
    assert cached_index(["a_topic"], lambda papers: ONE) == ONE


def test_one_that_comes_with_the_code_is_used_first(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(indices, "SHIPPED", tmp_path / "shipped.json")
    indices.keep(["a_topic"], ONE, indices.SHIPPED)
    assert cached_index(["a_topic"], never) == ONE
    assert not folder.exists()
    assert cached_index(["another_topic"], lambda papers: {}) == {}


def test_topics_that_cannot_be_imported_have_their_shipped_entries(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(indices, "SHIPPED", tmp_path / "shipped.json")
    both = ["a_topic", "b_topic"]
    old = {"b.c": Entry("b.c", "b_topic", "what it said", [], suppliers=[])}
    new = {"b.d": Entry("b.d", "b_topic", "what it says now", [], suppliers=[])}
    indices.keep(both, {**ONE, **old}, indices.SHIPPED)
    monkeypatch.setattr(indices, "digests_of_files", lambda *folders: {"nqm/world.py": "other"})
    assert list(cached_index(both, lambda papers: ONE, {"b_topic"}).items()) == [*ONE.items(), *old.items()]
    assert cached_index(both, never, {"b_topic"}) == {**ONE, **old}
    assert cached_index(both, lambda papers: {**ONE, **new}) == {**ONE, **new}


def test_only_papers_whose_own_code_is_new_are_read_again(folder, monkeypatch):
    trees = {"nqm/world.py": "1", "verify/scenes/cfl/round.py": "1", "bounds/special/rate.py": "1"}
    monkeypatch.setattr(indices, "digests_of_files", lambda *folders: trees)
    both, asked = ["cfl_rate", "special_rate"], []

    def make(papers):
        asked.append(papers)
        return {
            f"{paper}.a": Entry(f"{paper}.a", f"{paper}_rate", "what it says", [], suppliers=[])
            for paper in papers
        }

    first = cached_index(both, make)
    trees["verify/scenes/cfl/round.py"] = "2"
    assert cached_index(both, make) == cached_index(both, make) == first
    trees["nqm/world.py"] = "2"
    cached_index(both, make)
    trees["verify/special_rate.py"] = "1"
    cached_index(both, make)
    assert asked == [["cfl", "special"], ["cfl"], ["cfl", "special"], ["special"]]


@pytest.mark.parametrize(
    ("file", "paper"),
    [
        ("bounds/cfl/rate.py", "cfl"), ("bounds/statement.py", ""), ("verify/cfl_rate.py", "cfl"),
        ("verify/networks_cfl.py", "cfl"), ("verify/scenes/cfl/round.py", "cfl"), ("verify/scenes/networks/cfl.py", ""),
        ("verify/scenes/trees.py", ""), ("verify/engine/topics.py", ""), ("nqm/world.py", ""),
    ],
)  # fmt: skip
def test_code_belongs_to_one_paper_or_is_shared(file, paper):
    assert paper_of_file(file) == paper
