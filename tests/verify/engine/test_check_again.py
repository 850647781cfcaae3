"""The state of the checker between lines: signs of multiples, replacements, ends of cases; all sound and complete."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify.check_proof import Refused, check
from verify.engine.certificates.recheck import Rejected, recheck

NUMBERS = st.fractions(-9, 9, max_denominator=9).filter(bool)
RISES = ["-", ["^", "x", "3"], ["*", "2", "y"]]
"""Certificates without facts about signs."""


def of(*lines: dict[str, Any], **symbols: str) -> dict[str, Any]:
    return {"symbols": {"x": "real", "y": "real", **symbols}, "lines": [*lines], "claim": lines[-1]["show"]}


def told(*relation: Any) -> dict[str, Any]:
    return {"given": [*relation], "by": "condition"}


def shown(sign: str, tree: Any, **reason: Any) -> dict[str, Any]:
    """The line that gives the sign of a formula from the known facts."""
    return {"show": [sign, tree, "0"], "as": ["-", tree, "0"], **reason}


def stands(certificate: dict[str, Any]) -> bool:
    """The common answer of both checkers."""
    try:
        check(certificate)
    except Refused:
        with pytest.raises(Rejected):
            recheck(certificate)
        return False
    recheck(certificate)
    return True


@given(NUMBERS, NUMBERS, st.sampled_from([">=", ">", "<=", "<", "!="]))
def test_a_multiple_has_the_sign_that_its_fact_and_its_factor_give(a, b, sign):
    known, asked = (["*", str(c), RISES] for c in (a, b))
    turned = {">=": "<=", ">": "<", "<=": ">=", "<": ">", "!=": "!="}[sign]
    right = sign if a * b > 0 else turned
    line = told(sign, known, "0")
    for goal in (">=", ">"):
        assert stands(of(line, shown(goal, asked))) == (right in (">", goal))
    other = ["-", ["^", "x", "3"], ["*", "3", "y"]]
    assert not stands(of(line, shown(">=", other)))


def test_facts_about_a_symbol_are_known_of_what_is_put_in_for_it_and_no_others_are():
    equation, fact = told("=", "x", ["+", "y", "1"]), told(">=", "x", "3")
    asked = ["-", ["+", "y", "1"], "3"]
    assert stands(of(equation, fact, shown(">=", asked, put=[0])))
    assert not stands(of(equation, fact, shown(">=", asked)))
    assert not stands(of(equation, fact, shown(">=", asked, put=[0]), shown(">", asked, put=[0])))
    assert not stands(
        of(equation, fact, shown(">=", asked, put=[0]), shown("=", ["-", ["+", "y", "1"], "x"]))
    )


def test_a_number_that_is_put_in_is_put_in_for_the_size_of_a_family_too():
    total = ["dot", ["total", "u"], "w"]
    lines = (
        told("=", "n", "m"),
        told(">=", total, "0"),
        shown("=", ["-", ["*", "2", total], ["dot", ["total", "u"], ["*", "2", "w"]]], put=[0]),
    )
    assert stands(of(*lines, n="count", m="count", u="family n", w="vector"))


def test_what_a_case_assumes_is_known_in_it_and_forgotten_after_it():
    square = [">=", ["^", "x", "2"], "0"]
    inside = {"show": square, "as": ["-", ["^", "x", "2"], "0"]}
    fact = told(">", "y", "2")
    below, above = (
        [shown(">=", ["-", "0", "x"]), inside],
        [shown(">", "x"), shown(">", ["-", "y", "2"]), inside],
    )
    split = {"show": square, "split": "x", "parts": [below, above]}
    assert stands(of(fact, split))
    assert not stands(of(fact, {**split, "parts": [above, below]}))
    assert not stands(of(fact, split, shown(">", "x")))
    assert not stands(of(fact, split, shown(">=", ["-", "0", "x"])))
    assert stands(of(fact, split, shown(">", ["-", "y", "2"])))


@pytest.mark.parametrize(
    "same", [["+", "x"], ["*", "x"], ["^", "x", "1"], ["/", "x", "1"]], ids=lambda x: x[0]
)
def test_what_equals_a_symbol_keeps_none_of_the_signs_of_a_case_after_it(same):
    square = [">=", ["^", same, "2"], "0"]
    inside = {"show": square, "as": ["-", ["^", same, "2"], "0"]}
    split = {"show": square, "split": "x", "parts": [[inside], [inside]]}
    mentioned = {"show": ["=", "x", "x"], "as": ["-", "x", "x"]}
    assert stands(of(mentioned, split))
    for goal in ("x", ["-", "0", "x"], same):
        assert not stands(of(mentioned, split, shown(">=", goal)))
