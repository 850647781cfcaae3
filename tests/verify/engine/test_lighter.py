"""Smaller certificates of the same claim."""

import pytest

from verify.engine.certificates.lighter import checked, lemmas_first, lightened, sparing, trimmed
from verify.engine.tactics.prove import proved

SYMBOLS = dict.fromkeys("abxyz", "real")


def given(relation):
    return {"given": relation, "by": "condition"}


def shown(relation, by, **more):
    return {"show": relation, "as": by, **more}


def certificate(*lines):
    return {"symbols": SYMBOLS, "lines": [*lines], "claim": lines[-1]["show"]}


PUT_IN = certificate(
    given(["=", "x", "y"]),
    given(["<=", "y", "z"]),
    shown(["<=", "y", ["+", "z", "1"]], ["+", ["slack", 1], "1"], put=[0]),
    shown(["<=", "x", ["+", "z", "1"]], ["slack", 2], put=[0]),
)
"""Only the last of these two lines needs x = y."""


def test_equations_are_put_in_where_a_line_needs_them():
    plain = sparing(PUT_IN)
    assert checked(plain) == plain
    assert [line.get("put") for line in plain["lines"]] == [None, None, None, [0]]
    assert sparing(plain) == plain


def test_what_is_no_proof_is_made_no_lighter():
    wrong = certificate(*PUT_IN["lines"][:-1], shown(["<=", "x", "z"], ["slack", 2], put=[0]))
    assert sparing(wrong) == wrong
    assert lightened(wrong, trimmed, sparing, lemmas_first) is None


ABOVE = ["<=", "a", ["abs", "a"]]


def lemma(place):
    """a <= |a|, which rests on nothing, as the fact with this number: the facts of its cases are numbered from there."""
    parts = [
        [shown(ABOVE, ["-", ["slack", place]])],
        [shown(ABOVE, ["+", ["abs", "a"], ["abs", "a"], ["slack", place]])],
    ]
    return {"show": ABOVE, "split": ["abs", "a"], "parts": parts}


def test_what_rests_on_nothing_comes_first():
    last = shown(["<=", "b", ["abs", "a"]], ["+", ["slack", 0], ["slack", 2]])
    whole = certificate(given(["<=", "b", "a"]), given(["<=", "x", "y"]), lemma(2), last)
    assert checked(whole) == whole
    moved = lemmas_first(whole)
    assert checked(moved) == moved
    ahead = shown(last["show"], ["+", ["slack", 1], ["slack", 0]])
    assert moved["lines"] == [lemma(0), *whole["lines"][:2], ahead]
    assert lemmas_first(moved) == moved
    assert lightened(whole, trimmed, lemmas_first)["lines"] == [lemma(0), whole["lines"][0], ahead]


def test_what_a_case_shows_on_the_way_is_no_line_of_the_same_number():
    """Lines within cases are numbered after their own line, and so are later lines, which it does not use."""
    split = lemma(1)
    split["parts"][0] = [
        shown(["<=", ["*", "2", "a"], ["*", "2", ["abs", "a"]]], ["*", "-2", ["slack", 1]]),
        shown(ABOVE, ["*", "1/2", ["slack", 2]]),
    ]
    idle = given(["<=", "x", "y"])
    last = shown(["<=", "b", ["abs", "a"]], ["+", ["slack", 0], ["slack", 1]])
    whole = certificate(given(["<=", "b", "a"]), split, idle, last)
    assert checked(whole) == whole
    assert trimmed(whole)["lines"] == [whole["lines"][0], split, last]
    moved = lemmas_first(whole)
    assert "parts" in moved["lines"][0]
    assert checked(moved) == moved


def test_a_case_that_names_an_assumption_stays_behind_it():
    goal = ["<=", "b", ["abs", "a"]]
    parts = [
        [shown(goal, ["+", ["slack", 0], ["-", ["slack", 1]]])],
        [shown(goal, ["+", ["slack", 0], ["abs", "a"], ["abs", "a"], ["slack", 1]])],
    ]
    cases = {"show": goal, "split": ["abs", "a"], "parts": parts}
    whole = certificate(
        given(["<=", "b", "a"]), cases, shown(["<=", "b", ["+", ["abs", "a"], "1"]], ["+", ["slack", 1], "1"])
    )
    assert checked(whole) == whole
    assert lemmas_first(whole) == whole


def test_that_a_number_is_positive_need_not_be_said():
    idle = shown(["<", "0", "1"], "1")
    whole = certificate(
        given(["<=", "x", "y"]), idle, shown(["<=", "x", ["+", "y", "1"]], ["+", ["slack", 0], "1"])
    )
    assert [line for line in trimmed(whole)["lines"] if line == idle] == []
    assert checked(trimmed(whole)) is not None


@pytest.mark.parametrize(
    ("claim", "assumed"),
    [
        (["<=", ["+", "x", ["abs", "a"]], ["+", "z", ["abs", "a"]]], [["=", "x", "y"], ["<=", "y", "z"]]),
        (["<=", ["*", "a", "b"], ["/", ["+", ["^", "x", "2"], ["^", "b", "2"]], "2"]], [["=", "x", "a"]]),
        (
            ["<=", "x", "z"],
            [["=", "x", ["*", "2", "y"]], ["=", "y", "a"], ["<=", "a", "b"], ["<=", ["*", "2", "b"], "z"]],
        ),
    ],
    ids=str,
)
def test_a_proof_that_is_found_is_as_light_as_it_gets(claim, assumed):
    found = proved(dict(SYMBOLS), claim, [(relation, "condition") for relation in assumed])
    assert lightened(found, trimmed, sparing, lemmas_first) == found
