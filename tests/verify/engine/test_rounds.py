"""Inductions and cases of whole numbers in the second checker: small examples that it accepts and refuses."""

from copy import deepcopy

import pytest

from verify.check_proof import Refused, check
from verify.engine.certificates.recheck import Rejected, recheck

GOAL = ["<=", "1", ["at", "s", "t"]]
STEP = ["<=", ["at", "s", "t"], ["at", "s", ["+", "t", "1"]]]
AFTER = ["<=", "1", ["at", "s", ["+", "t", "1"]]]
FIRST = ["<=", "1", ["at", "s", "0"]]


def growing():
    """s(t + 1) >= s(t) for all t and s(0) = 1 give s(t) >= 1 for all t."""
    return {
        "symbols": {"t": "whole", "s": "sequence real", "x": "real"},
        "claim": GOAL,
        "lines": [
            {"given": STEP, "by": "premise", "for": "t"},
            {"given": ["=", ["at", "s", "0"], "1"], "by": "first"},
            {
                "show": GOAL,
                "induct": "t",
                "base": [{"show": FIRST, "as": ["-", ["slack", 1]]}],
                "step": [
                    {"show": STEP, "every": 0, "at": "t"},
                    {"show": AFTER, "as": ["+", ["slack", 2], ["slack", 3]]},
                ],
            },
        ],
    }


def used(certificate, at="3"):
    """The same, with the conclusion for one number."""
    said = ["<=", "1", ["at", "s", at]]
    return {
        **certificate,
        "claim": said,
        "lines": [*certificate["lines"], {"show": said, "every": 2, "at": at}],
    }


def both_refuse(certificate):
    with pytest.raises(Rejected):
        recheck(certificate)
    with pytest.raises(Refused):
        check(certificate)


def both_accept(certificate):
    recheck(certificate)
    check(certificate)


def test_an_induction_is_accepted_and_says_it_of_every_number():
    both_accept(growing())
    for at in ("0", "3", "t", ["+", "t", "2"]):
        both_accept(used(growing(), at))


@pytest.mark.parametrize("at", ["-1", "1/2", "x", ["-", "t", "1"], ["*", "1/2", "t"]], ids=str)
def test_nothing_is_said_of_what_is_no_whole_number(at):
    both_refuse(used(growing(), at))


def hurt(change):
    found = growing()
    change(found, found["lines"], found["lines"][2])
    return found


HURT = {
    "no first number": lambda c, lines, last: last.update(base=[]),
    "no step": lambda c, lines, last: last.update(step=[]),
    "a step that ends too early": lambda c, lines, last: last.update(step=last["step"][:1]),
    "another first number": lambda c, lines, last: last["base"][0].update(show=["<=", "1", ["at", "s", "1"]]),
    "a step from later on": lambda c, lines, last: last["step"][1].update(show=GOAL, **{"as": ["slack", 2]}),
    "an assumption on the way": lambda c, lines, last: last["step"].insert(
        0, {"given": AFTER, "by": "premise"}
    ),
    "what is true of one number": lambda c, lines, last: lines[0].pop("for"),
    "for every real number": lambda c, lines, last: lines[0].update({"for": "x"}),
    "for every two": lambda c, lines, last: lines[0].update({"for": "2"}),
    "over a real number": lambda c, lines, last: last.update(induct="x"),
    "over nothing": lambda c, lines, last: last.update(induct="u"),
    "of another fact": lambda c, lines, last: last["step"][0].update(every=1),
    "of no fact": lambda c, lines, last: last["step"][0].update(every=7),
    "a start above it": lambda c, lines, last: lines[1].update(given=["=", ["at", "s", "0"], "1/2"]),
    "a real counter": lambda c, lines, last: c["symbols"].update(t="real"),
    "a counter from 1 on": lambda c, lines, last: c["symbols"].update(t="count"),
    "another claim": lambda c, lines, last: c.update(claim=["<=", "2", ["at", "s", "t"]]),
    "given and shown": lambda c, lines, last: lines[1].update(show=FIRST, **{"as": "0"}),
    "neither": lambda c, lines, last: lines[1].pop("given"),
    "without a reason": lambda c, lines, last: last.pop("induct"),
    "more lines than the claim": lambda c, lines, last: lines.append({"show": ["<=", "0", "1"], "as": "1"}),
    "no lines": lambda c, lines, last: lines.clear(),
    "no symbols": lambda c, lines, last: c.pop("symbols"),
}


@pytest.mark.parametrize("name", HURT)
def test_a_hurt_induction_is_refused(name):
    both_refuse(hurt(HURT[name]))


def test_what_is_given_of_one_number_is_not_carried_on():
    """t <= 5 does not imply t + 1 <= 5, and 0 <= 5 is no induction step."""
    five = ["<=", "t", "5"]
    lines = [
        {"given": five, "by": "condition"},
        {
            "show": five,
            "induct": "t",
            "base": [{"show": ["<=", "0", "5"], "as": "5"}],
            "step": [{"show": ["<=", ["+", "t", "1"], "5"], "as": ["slack", 0]}],
        },
    ]
    both_refuse({"symbols": {"t": "whole"}, "claim": five, "lines": lines})
    six = ["<=", ["+", "t", "1"], "6"]
    inside = [{"show": six, "as": ["slack", 0]}]
    carried = {
        "show": six,
        "induct": "t",
        "base": [{"show": ["<=", ["+", "0", "1"], "6"], "as": "5"}],
        "step": inside,
    }
    both_refuse({"symbols": {"t": "whole"}, "claim": six, "lines": [lines[0], carried]})


NOT_BETWEEN = ["<=", "0", ["*", "t", ["-", "t", "1"]]]


def cases(by, goal=NOT_BETWEEN, symbols=None, whole=True, first=None, second=None):  # noqa: FBT002
    """t (t - 1) is nonnegative, because t is at most 0 or at least 1."""
    parts = [
        [{"show": goal, "as": first or ["+", ["^", "t", "2"], ["slack", 0]]}],
        [{"show": goal, "as": second or ["*", "t", ["slack", 0]]}],
    ]
    line = {"show": goal, "split": by, "parts": parts, **({"whole": True} if whole else {})}
    return {"symbols": symbols or {"t": "whole", "n": "count", "x": "real"}, "claim": goal, "lines": [line]}


def test_between_whole_numbers_is_nothing():
    both_accept(cases("t"))
    both_refuse(cases("t", whole=False))
    both_refuse(cases("t", symbols={"t": "nonnegative"}))
    two = ["<=", "0", ["*", ["-", "t", "n"], ["-", "t", ["+", "n", "1"]]]]
    apart = ["-", "t", "n"]
    both_accept(
        cases(
            apart,
            two,
            first=["+", ["^", apart, "2"], ["slack", 0]],
            second=["+", ["^", ["slack", 0], "2"], ["slack", 0]],
        )
    )


@pytest.mark.parametrize(
    "by",
    ["x", ["*", "1/2", "t"], ["/", "t", "n"], ["*", "t", "n"], ["+", "t", "1/2"], ["^", "t", "2"]],
    ids=str,
)
def test_only_sums_of_whole_numbers_are_whole(by):
    trivial = ["<=", "0", "1"]
    both_refuse(cases(by, trivial, first="1", second="1"))
    both_accept(cases(["-", ["*", "3", "t"], ["+", "n", "4"]], trivial, first="1", second="1"))


def test_every_case_is_shown():
    for place in (0, 1):
        short = cases("t")
        short["lines"][0]["parts"].pop(place)
        both_refuse(short)
        empty = cases("t")
        empty["lines"][0]["parts"][place] = []
        both_refuse(empty)
        other = deepcopy(cases("t"))
        other["lines"][0]["parts"][place] = [{"show": ["<=", "0", "t"], "as": "t"}]
        both_refuse(other)
