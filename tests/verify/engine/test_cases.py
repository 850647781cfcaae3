"""Proofs by squares and by cases; and certificates without unnecessary parts."""

import pytest

from tests.verify.certified import DOMAINS
from verify.check_proof import check
from verify.engine.certificates.lighter import _guards, _references, checked, renumbered, trimmed
from verify.engine.certificates.question import Undecided
from verify.engine.certificates.recheck import Checked, recheck
from verify.engine.tactics.cases import _negated, by_cases, by_one_root, by_signs, by_squares, by_triangles
from verify.engine.tactics.draft import Draft
from verify.engine.tactics.prove import _in_order, proved


def drafted(*given):
    found = Draft(dict(DOMAINS), 200, 40)
    for relation in given:
        found.assume(relation, "condition")
    return found


def again(draft, claim):
    """The lines of a draft, checked from the beginning; the last line is the claim."""
    fresh = Checked(dict(DOMAINS), 80)
    for line in draft.lines:
        fresh.line(line)
    assert draft.lines[-1]["show"] == claim


def less(small, large):
    return ["<=", ["^", small, "2"], ["^", large, "2"]]


SQUARES = {
    "below what is positive": (["<=", "x", "p"], [less("x", "p")], True),
    "below what may be zero": (["<=", "x", "z"], [less("x", "z")], True),
    "above a negative number": ([">=", "x", ["-", "p"]], [less("x", "p")], True),
    "a negative number below": (["<=", ["-", "p"], "x"], [less("x", "p")], True),
    "a negative multiple below": (["<=", ["*", "-1", "p"], "x"], [less("x", "p")], True),
    "mirrored": ([">=", "p", "x"], [less("x", "p")], True),
    "two of any sign": (["<=", "x", "y"], [less("x", "y")], False),
    "the squares turned": (["<=", "x", "p"], [less("p", "x")], False),
    "no squares": (["<=", "x", "p"], [], False),
    "strictly": (["<", "x", "p"], [less("x", "p")], False),
    "equal": (["=", "x", "p"], [less("x", "p")], False),
}


@pytest.mark.parametrize(("above", "shown"), [("1", True), ("1/2", False)])
def test_a_term_with_a_root_is_compared_with_all_others(above, shown):
    claim = ["<=", ["-", ["root", "2", "p"], "z"], above]
    draft = drafted(["<=", "p", ["^", ["+", "1", "z"], "2"]])
    draft.checked.defined(claim)
    assert by_one_root(draft, claim) == shown
    if shown:
        again(draft, claim)
    assert not by_one_root(draft, ["<=", "p", "z"]), "no root"


@pytest.mark.parametrize("name", SQUARES)
def test_by_squares_alone(name):
    claim, given, shown = SQUARES[name]
    draft = drafted(*given)
    assert by_squares(draft, claim) == shown
    if shown:
        again(draft, claim)
        assert draft.lines[-1]["split"][0] == "-"
        assert len(draft.lines[-1]["parts"]) == 2
    else:
        assert len(draft.lines) == len(given)


@pytest.mark.parametrize(
    ("formula", "turned"),
    [
        ("x", ["-", "x"]),
        (["-", "x"], "x"),
        (["-", "x", "y"], ["-", ["-", "x", "y"]]),
        (["*", "-1", "x", "y"], ["*", "x", "y"]),
        (["*", "x", "-1"], ["-", ["*", "x", "-1"]]),
    ],
    ids=str,
)
def test_the_other_sign(formula, turned):
    assert _negated(formula) == turned
    values = Checked(dict(DOMAINS))
    assert (values.value(formula) + values.value(turned)).top.is_zero()


LARGEST, SMALLEST, LENGTH = ["max", "x", "y"], ["min", "x", "y"], ["abs", "x"]
CASES = {
    "a largest": (["<=", LARGEST, "z"], [["<=", "x", "z"], ["<=", "y", "z"]], True),
    "a smallest": (["<=", "z", SMALLEST], [["<=", "z", "x"], ["<=", "z", "y"]], True),
    "a length": (["<=", LENGTH, "z"], [["<=", "x", "z"], ["<=", ["-", "z"], "x"]], True),
    "a length squared": (["=", ["^", LENGTH, "2"], ["^", "x", "2"]], [], True),
    "a largest and a smallest": (["=", ["+", LARGEST, SMALLEST], ["+", "x", "y"]], [], True),
    "their product": (["=", ["*", LARGEST, SMALLEST], ["*", "x", "y"]], [], True),
    "their difference": (["=", ["-", LARGEST, SMALLEST], ["-", "x", "y"]], [], False),
    "one of them twice": (["=", ["+", LARGEST, SMALLEST], ["*", "2", "x"]], [], False),
    "a largest squared": (["=", ["*", LARGEST, LARGEST], ["*", "x", "y"]], [], False),
    "three": (["<=", ["max", "x", "y", "p"], "z"], [["<=", a, "z"] for a in ("x", "y", "p")], True),
    "half of it": (["<=", LARGEST, "z"], [["<=", "x", "z"]], False),
    "one side of a length": (["<=", LENGTH, "z"], [["<=", "x", "z"]], False),
    "nothing": (["<=", "x", "z"], [["<=", "x", "z"]], False),
}


@pytest.mark.parametrize("name", CASES)
def test_by_cases_alone(name):
    claim, given, shown = CASES[name]
    draft = drafted(*given)
    draft.define(claim)
    before = len(draft.lines)
    assert by_cases(draft, claim, [claim, *given]) == shown
    if shown:
        again(draft, claim)
    assert len(draft.lines) == before + shown


@pytest.mark.parametrize(("share", "shown"), [("1", True), ("1/2", False)])
def test_an_equation_without_equal_cases_is_proved_as_two_inequalities(share, shown):
    product = ["*", share, ["abs", "x"], ["abs", "y"]]
    claim = ["=", ["abs", ["*", "x", "y"]], product]
    draft = Draft(dict.fromkeys("xy", "real"), 200, 40)
    draft.define(claim)
    assert by_cases(draft, claim, [claim]) == shown
    if shown:
        check({"symbols": draft.symbols, "lines": draft.lines, "claim": claim})


def test_many_absolute_values_are_compared_by_triangle_inequalities():
    xy, yz, xz = (["abs", ["-", a, b]] for a, b in ("xy", "yz", "xz"))
    claim = ["<=", ["+", xz, ["abs", "v"]], ["+", xy, yz, ["abs", "v"]]]
    draft = Draft(dict.fromkeys("xyzv", "real"), 200, 40)
    draft.define(claim)
    assert by_triangles(draft, claim, [claim])
    check({"symbols": draft.symbols, "lines": draft.lines, "claim": claim})


BETWEEN = [["<=", "x", "y"], ["<=", "z", "x"]]
SIGNS = {
    "between two numbers": ([*BETWEEN, less("z", "y")], True),
    "below one of them": ([BETWEEN[0], less("z", "y")], False),
    "above one of them": ([BETWEEN[1], less("z", "y")], False),
    "between two of which neither is larger": (BETWEEN, False),
}


@pytest.mark.parametrize("name", SIGNS)
def test_by_signs_alone(name):
    known, shown = SIGNS[name]
    draft = Draft({"x": "real", "y": "real", "z": "real"}, 200, 40)
    for relation in known:
        draft.assume(relation, "condition")
    assert by_signs(draft, less("x", "y")) == shown
    assert len(draft.lines) == len(known) + shown
    assert not by_signs(draft, ["=", ["^", "x", "2"], ["^", "y", "2"]])
    if shown:
        recheck({"symbols": draft.symbols, "lines": draft.lines, "claim": less("x", "y")})


def test_signs_are_told_apart_of_what_has_an_even_power_alone():
    for powers, told in ((("3",), False), (("3", "5"), False), (("2",), True), (("3", "2"), True)):
        made = drafted()
        claim = ["<=", "1", ["+", *(["^", "x", n] for n in powers)]]
        made.define(claim)
        assert not by_signs(made, claim)
        assert ("signs of what is squared" in made.tried) == told


def test_few_extremes_are_told_apart():
    four = ["+", ["abs", "x"], ["abs", "y"], ["abs", ["+", "x", "1"]], ["abs", ["-", "y", "1"]]]
    claim = ["<=", "0", four]
    assert by_cases(drafted(), claim, [claim])
    more = [["abs", ["-", "x", "y"]], ["abs", ["+", "x", "y"]], ["abs", ["-", "x", "1"]]]
    seven = ["<=", "0", ["+", four, *more]]
    assert not by_cases(drafted(), seven, [seven])
    twice = ["<=", "0", ["+", four, four]]  # the same ones
    assert by_cases(drafted(), twice, [twice])


@pytest.mark.slow
def test_a_range_is_half_the_sum_of_distances():
    pairs = (("x", "y"), ("y", "z"), ("z", "x"))
    half = ["/", ["+", *(["abs", ["-", one, other]] for one, other in pairs)], "2"]
    spread = ["-", ["max", "x", "y", "z"], ["min", "x", "y", "z"]]
    for claim, true in ((["=", spread, half], True), (["<=", half, ["*", "9/10", spread]], False)):
        draft = Draft(dict.fromkeys("xyz", "real"), 200, 40)
        draft.define(claim)
        assert by_cases(draft, claim, [claim]) == true
        if true:
            check({"symbols": draft.symbols, "lines": draft.lines, "claim": claim})


def given(relation):
    return {"given": relation, "by": "condition"}


def shown(relation, by, **more):
    return {"show": relation, "as": by, **more}


def test_lines_that_say_that_something_is_defined_are_kept():
    claim = ["<=", "0", ["/", "z", "y"]]
    lines = [
        given(["<=", "x", "5"]),
        given(["<", "0", "y"]),
        given(["<=", "x", "7"]),
        shown(["<=", "x", "8"], ["+", ["slack", 2], "1"]),
        shown(claim, ["/", "z", "y"]),
    ]
    short = trimmed({"symbols": dict(DOMAINS), "lines": lines, "claim": claim})
    assert short == {
        "symbols": {"y": "real", "z": "nonnegative"},
        "lines": [lines[1], lines[4]],
        "claim": claim,
    }
    assert checked(short) == short
    assert checked({**short, "lines": lines[4:]}) is None


@pytest.mark.parametrize(
    ("claim", "assumed"),
    [
        (["<=", ["abs", "x"], "z"], [["<=", "x", "z"], ["<=", ["-", "x"], "z"]]),
        (["<=", ["max", "x", "y", "1"], "z"], [["<=", "x", "z"], ["<=", "1", "z"], ["<=", "y", "z"]]),
        (["<=", ["+", "x", "p"], "z"], [["<=", ["+", "x", "1"], "z"], ["<=", "p", "1"]]),
    ],
    ids=str,
)
@pytest.mark.parametrize("idle", [1, 2])
def test_idle_lines_before_a_proof_go_away_again(claim, assumed, idle):
    """Facts inside cases are numbered after the facts before them, so their numbers change as well."""
    whole = proved(dict(DOMAINS), claim, [(relation, "condition") for relation in assumed])
    lines = [given(["<=", "t", str(k)]) for k in range(idle)] + renumbered(whole["lines"], {}, idle)
    padded = {"symbols": dict(DOMAINS), "lines": lines, "claim": claim}
    assert checked(padded) == padded
    assert trimmed(padded) == whole


def test_lines_are_numbered_anew_wherever_they_are_named():
    line = {
        "show": "r",
        "as": ["+", ["slack", 3], ["slack", 9], ["root", "2", "x"]],
        "put": [1, 3, 8],
        "every": 3,
        "parts": [[{"show": "r", "as": ["slack", 1], "every": 7}]],
    }
    assert renumbered(line, {1: 0, 3: 1}, -2) == {
        "show": "r",
        "as": ["+", ["slack", 1], ["slack", 7], ["root", "2", "x"]],
        "put": [0, 1, 6],
        "every": 1,
        "parts": [[{"show": "r", "as": ["slack", 0], "every": 5}]],
    }


@pytest.mark.parametrize(
    ("earlier", "later", "needed"),
    [
        (["<", "0", "y"], ["/", "x", "y"], True),
        (["<", "y", "0"], ["/", "x", "y"], True),
        (["<=", "0", "y"], ["root", "2", "y"], True),
        (["!=", "y", "0"], ["/", "x", "y"], True),
        (["=", "y", "0"], ["/", "x", "y"], False),
        (["<", "0", "y"], ["/", "x", "z"], False),
        (["<", "z", "y"], ["/", "x", ["-", "y", "z"]], True),
        (["<=", "z", "y"], ["/", "x", ["-", "y", "z"]], False),
    ],
    ids=str,
)
def test_what_a_line_needs_to_mean_something(earlier, later, needed):
    assert _guards(given(earlier), shown(["<=", "0", later], "0")) == needed
    assert _guards(shown(earlier, "0"), shown(["<=", "0", later], "0")) == needed


def test_all_that_a_line_names_is_found():
    line = shown("r", ["+", ["slack", 3], ["slack", 5]], put=[1], parts=[[{"every": 4, "at": "0"}]])
    assert sorted(_references(line)) == [1, 3, 4, 5]


def test_what_divides_by_nothing_is_assumed_first():
    certificate = proved(
        dict(DOMAINS),
        ["<=", "x", ["/", "z", "y"]],
        [(["<=", "x", ["/", "z", "y"]], "c"), (["<", "0", "y"], "c")],
    )
    assert [line["given"][0] for line in certificate["lines"] if "given" in line] == ["<", "<="]
    assert not any(line["by"] == "defined" for line in certificate["lines"] if "given" in line)


def test_what_divides_by_products_is_assumed_before_what_divides_by_sums():
    relations = [
        ["=", "z", ["/", "x", ["-", "2", "y"]]],
        ["<", "y", ["/", "2", "p"]],
        ["<=", "z", ["root", "2", "p"]],
        ["<", "y", "2"],
    ]
    assert [relations.index(relation) for relation, _ in _in_order([(r, "c") for r in relations])] == [
        3,
        1,
        2,
        0,
    ]


def test_what_is_shown_on_the_way_is_used_and_passed_over_if_it_cannot_be():
    claim, given_ = ["<=", ["^", "x", "4"], "16"], [(["<=", "x", "2"], "c"), (["<=", "-2", "x"], "c")]
    on_the_way = [["<=", "y", "1"], ["<=", ["^", "x", "2"], "4"]]
    certificate = proved(dict(DOMAINS), claim, given_, 60, on_the_way)
    assert not isinstance(certificate, Undecided)
    assert not any(line.get("show") == on_the_way[0] for line in certificate["lines"])


WHOLE = {"n": "count", "m": "whole", "t": "count", "p": "positive"}
APART = {
    "a difference": (["<=", "1", ["-", "n", "m"]], [["<", "0", ["-", "n", "m"]]], True),
    "one less": ([">=", "n", ["+", "m", "1"]], [[">", "n", "m"]], True),
    "one after the other": (["<=", ["+", "m", "2"], "n"], [["<", "m", "t"], ["<", "t", "n"]], True),
    "what is odd": (["<=", "m", "n"], [["<", ["*", "2", "m"], ["+", ["*", "2", "n"], "1"]]], True),
    "beside a number": (["<=", "p", ["*", "p", ["-", "n", "m"]]], [["<", "m", "n"], ["<", "p", "1"]], True),
    "two less": (["<=", ["+", "m", "2"], "n"], [["<", "m", "n"]], False),
    "at most": (["<=", ["+", "m", "1"], "n"], [["<=", "m", "n"]], False),
    "no whole number": (["<=", ["+", "p", "1"], "n"], [["<", "p", "n"]], False),
    "half of one": (["<=", "2", ["-", "n", "m"]], [["<", "0", ["/", ["-", "n", "m"], "2"]]], False),
}


@pytest.mark.parametrize("name", APART)
def test_whole_numbers_are_one_apart(name):
    claim, given, shown = APART[name]
    found = proved(WHOLE, claim, [(relation, "condition") for relation in given])
    assert isinstance(found, Undecided) != shown
    if shown:
        check(found)
        recheck(found)
        assert any(line.get("whole") for line in found["lines"])
