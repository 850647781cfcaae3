"""Proofs under construction: definedness, assumptions, and replacements by equations."""

import pytest

from tests.verify.certified import DOMAINS
from verify.check_proof import check
from verify.engine.certificates.definedness import assumable
from verify.engine.certificates.question import Undecided
from verify.engine.certificates.recheck import Rejected
from verify.engine.tactics.draft import Draft
from verify.engine.tactics.prove import proved


def draft(*given, steps=400, claim="0"):
    made = Draft(dict(DOMAINS), steps, 40, assumable(claim, ()))
    for relation in given:
        made.assume(relation, "condition")
    return made


def defined(made):
    return [line["given"] for line in made.lines if line.get("by") == "defined"]


@pytest.mark.parametrize(
    ("formula", "given_", "assumed"),
    [
        (["/", "x", "p"], [], []),
        (["/", "x", ["+", "z", "1"]], [], []),
        (["/", "x", "z"], [], [["!=", "z", "0"]]),
        (["/", "x", "y"], [["<", "0", "y"]], []),
        (["/", "x", "y"], [["<", "y", "0"]], []),
        (["/", "x", "y"], [["!=", "y", "0"]], []),
        (["/", "x", "y"], [["<=", "1", "y"]], []),
        (["/", "x", ["*", "p", "y", "n"]], [], [["!=", "y", "0"]]),
        (["root", "2", "z"], [], []),
        (["root", "2", "x"], [], [["<=", "0", "x"]]),
        (["root", "2", "x"], [["<=", "p", "x"]], []),
        (["^", "x", "2"], [], []),
        (["^", "x", "-2"], [], [["!=", "x", "0"]]),
        (["^", "x", "t"], [], []),
        (["^", "p", "y"], [], []),
        (["^", "x", "y"], [["<=", "2", "x"]], []),
    ],
    ids=str,
)
def test_what_a_claim_needs_to_have_a_value_is_assumed_by_name_unless_it_is_shown(formula, given_, assumed):
    claim = ["<=", formula, "1"]
    made = draft(*given_, claim=claim)
    before = len(made.lines)
    made.define(claim)
    assert defined(made) == assumed
    needs_a_line = given_ and given_[0][0] == "<=" and formula[0] in ("/", "^", "root")
    assert len(made.lines) == before + len(assumed) + bool(needs_a_line)


@pytest.mark.parametrize(
    "formula",
    [["/", "x", "z"], ["root", "2", "x"], ["^", "x", "-2"], ["^", "x", "y"], ["^", "x", ["*", "n", "t"]]],
    ids=str,
)
def test_what_is_no_formula_of_the_claim_must_be_shown_to_have_a_value(formula):
    with pytest.raises(Rejected):
        draft().define(["<=", formula, "1"])


@pytest.mark.parametrize("exponent", ["y", ["*", "n", "t"], ["-", "n", "t"]], ids=str)
def test_that_the_base_of_a_power_is_positive_is_assumed_of_no_formula(exponent):
    claim = ["<=", "0", ["^", "x", exponent]]
    with pytest.raises(Rejected):
        draft(claim=claim).define(claim)


def test_equations_are_put_in_where_they_stand():
    made = draft(["=", "x", ["+", "z", "1"]])
    assert made.put == [0]
    assert made.show(["<=", "1", "x"])
    mirrored = draft(["<=", "x", "5"], ["=", ["+", "z", "1"], "x"])
    assert mirrored.put == [2]
    assert mirrored.lines[2] == {"show": ["=", "x", ["+", "z", "1"]], "as": ["-", ["slack", 1]]}
    around = draft(["<=", "x", "5"], ["=", "x", ["+", "x", ["*", "y", "x"]]])
    assert around.put == []
    assert draft(["<=", "x", "y"]).put == []
    counted = draft(["<=", "n", "5"], ["=", "n", "t"])
    assert counted.put == []
    twice = draft(["=", "x", "y"], ["=", "x", "z"])
    assert len(twice.put) <= 2
    assert twice.show(["<=", "0", "y"])


@pytest.mark.parametrize("before", range(5))
def test_an_equation_is_put_in_however_much_is_known_before(before):
    made = draft(*[["<=", "y", str(k)] for k in range(before)], ["=", "x", ["+", "z", "1"]])
    assert made.put == [before]
    assert made.show(["<=", "1", "x"])


def test_what_is_decided_is_shown_at_once():
    made = draft()
    assert made.show(["<=", "x", "x"])
    assert made.show(["=", "x", "x"])
    assert not made.show(["<", "x", "x"])
    assert made.show(["<=", ["-", "x", "1"], "x"])
    assert made.show(["<", ["-", "x", "1"], "x"])
    assert not made.show(["<=", "x", ["-", "x", "1"]])
    assert not made.show(["=", "x", ["-", "x", "1"]])
    assert "contradictions" in made.tried


def test_a_contradiction_shows_what_is_false():
    made = draft(["<", "x", "y"], ["<", "y", "x"])
    assert made.show(["<=", "1", "0"])
    assert made.show(["<", "5", "2"])


def test_quotients_are_shown_by_what_they_are_divided_by():
    made = draft(["<=", "p", "q"])
    assert made.show(["<=", ["/", "1", "q"], ["/", "1", "p"]])
    assert not made.show(["<=", ["/", "1", "p"], ["/", "1", "q"]])
    negative = draft(["<", "y", "0"])
    assert negative.show(["<=", ["/", "p", "y"], "0"])
    unknown = draft(["!=", "y", "0"])
    assert unknown.show(["<=", "0", ["/", ["^", "x", "2"], ["^", "y", "2"]]])
    assert unknown.show(["<=", ["*", "2", "x", "y"], ["+", ["^", "x", "2"], ["^", "y", "2"]]])


def test_a_branch_goes_on_by_itself():
    made = draft(["<=", "x", "y"])
    inside = made.branch()
    inside.checked.learn(["<=", "y", "z"])
    assert inside.show(["<=", "x", "z"])
    assert not made.show(["<=", "x", "z"])
    assert len(inside.lines) == 1
    assert len(made.lines) == 1


def test_a_branch_for_any_number_forgets_what_is_known_of_one():
    made = draft(["<=", "x", "n"], ["<=", "x", "y"])
    for every, known in (("", (True, True)), ("n", (False, True)), ("y", (True, False))):
        inside = made.branch(every)
        assert (inside.show(["<=", "x", "n"]), inside.show(["<=", "x", "y"])) == known


def test_without_steps_nothing_is_searched():
    made = draft(["<=", "x", "y"], ["<=", "y", "z"], steps=0)
    assert not made.show(["<=", ["*", "x", "p"], ["*", "z", "p"]], degrees=())
    assert draft(["<=", "x", "y"], ["<=", "y", "z"]).show(["<=", ["*", "x", "p"], ["*", "z", "p"]])


def test_the_numerator_of_a_positive_divisor_is_known_to_be_positive():
    below = ["+", ["/", "p", "q"], ["*", "q", ["-", "1", "p"]]]
    given = [["<=", "p", "1"]]
    claim = ["<=", ["/", "1", below], ["/", "q", "p"]]
    symbols = {"p": "positive", "q": "positive"}
    found = proved(symbols, claim, [(relation, "condition") for relation in given])
    assert not isinstance(found, Undecided)
    check(found)
