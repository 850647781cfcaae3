"""The command that mutates the code at random places: which tests it runs, in which order, and how it resumes."""

import json

import pytest

from tests.mutants_of_code import (
    HANGS,
    ROOT,
    Outcome,
    Watched,
    changed_lines,
    difference,
    limits,
    remembered,
    summary,
    tried,
)

CODE = """\
def largest(numbers):
    found = 0
    for number in numbers:
        if number > found:
            found = number
    return found
"""


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [("found = 0", "found = 1", {2}), ("> found", ">= found", {4, 5}), ("in numbers", "in []", {3, 4, 5})],
)
def test_what_changes_with_a_line_is_its_innermost_statement(old, new, lines):
    assert changed_lines(CODE, CODE.replace(old, new)) == lines


def test_tests_that_run_a_line_are_tried_or_those_of_the_file():
    watched = Watched({}, {"a.py": {"1": [], "2": ["t::x"], "3": ["t::x", "t::y"], "4": ["t::z"]}})
    assert watched.running("a.py", {2, 3}) == {"t::x", "t::y"}
    assert watched.running("a.py", {1}) == {"t::x", "t::y", "t::z"}
    assert watched.running("b.py", {1}) == set()


@pytest.mark.parametrize(
    ("seconds", "tests"),
    [(9, ["own::b", "own::a", "else::c", "else::d"]), (3.5, ["own::b", "own::a"]), (0, ["own::b"])],
)
def test_likely_tests_come_first_and_quick_ones_before_slow_ones(seconds, tests):
    watched = Watched({"own::a": 2, "own::b": 1, "else::c": 1, "else::d": 3})
    assert watched.in_order(set(watched.seconds), ["own"], seconds) == tests


def test_a_sample_goes_on_with_what_survived(tmp_path):
    """Of three mutants one was noticed, one survived and is tried again, and one was not reached."""
    file, kept = ROOT / "nqm" / "shares.py", tmp_path / "kept.jsonl"
    changed = [f"{file.read_text()}\nmore = {number}\n" for number in range(3)]
    noticed, survived, fresh = (
        difference(file.relative_to(ROOT), file.read_text(), text) for text in changed
    )
    asked = []

    def notice(name, before, text):
        asked.append(difference(name, before, text))
        return HANGS

    kept.write_text(
        "".join(json.dumps({"difference": d, "by": by}) + "\n" for d, by in [(noticed, "a"), (survived, "")])
    )
    came = tried(iter([(file, text) for text in changed]), kept, notice)
    assert asked == [survived, fresh]
    assert {told: outcome.by for told, outcome in came.items()} == remembered(kept)
    assert remembered(kept) == {noticed: "a", survived: HANGS, fresh: HANGS}
    assert not any(outcome.limit for outcome in came.values())


LIMITS = """\
STEPS, LIMIT = 200, 10**6
NAMES = ("a", "b")
OTHER = STEPS + 1
least = 3
FEW = -(
    2
)
def f():
    MOST = 4
"""


def test_limits_are_numbers_that_a_module_gives_a_name_in_capitals():
    assert limits(LIMITS) == {1, 5, 6, 7}


def test_limits_are_counted_apart_and_what_fails_unchanged_is_not_counted():
    came = {
        name: Outcome(by, limit)
        for name, by, limit in [
            ("a", "t", False),
            ("b", "", False),
            ("c", HANGS, False),
            ("d", "u", False),
            ("e", "", True),
        ]
    }
    assert summary(came, {"u"}) == (
        "2 of 4 mutants are noticed, 1 of all as they take too long; beside them 0 of 1 limits"
    )
