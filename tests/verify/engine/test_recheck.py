"""The second checker: signs of numbers, of formulas and by facts; and invalid tricks that it refuses."""

from itertools import product as pairs

import pytest

from tests.verify.certified import DOMAINS
from verify.check_proof import Refused, check
from verify.engine.certificates.field import Undefined
from verify.engine.certificates.recheck import (
    ANY,
    NEGATIVE,
    POSITIVE,
    ZERO,
    Checked,
    Rejected,
    mirrored,
    product,
    recheck,
    replaced,
    total,
)

OF = {NEGATIVE: (-2, -1), ZERO: (0,), POSITIVE: (1, 2)}
SETS = range(8)


def numbers(signs):
    return [number for sign, some in OF.items() if signs & sign for number in some]


def signs_of(found):
    return sum({NEGATIVE if number < 0 else POSITIVE if number > 0 else ZERO for number in found})


@pytest.mark.parametrize("signs", SETS)
def test_the_negative_has_the_mirrored_signs(signs):
    assert mirrored(signs) == signs_of([-a for a in numbers(signs)])


@pytest.mark.parametrize(("a", "b"), list(pairs(SETS, SETS)))
def test_products_and_sums_have_the_signs_of_numbers(a, b):
    assert product(a, b) == signs_of([x * y for x in numbers(a) for y in numbers(b)])
    assert total(a, b) == signs_of([x + y for x in numbers(a) for y in numbers(b)])


@pytest.mark.parametrize(
    ("formula", "sign"),
    [
        ("3", POSITIVE),
        ("-3", NEGATIVE),
        ("0", ZERO),
        ("-0", ZERO),
        ("0/7", ZERO),
        ("-2/5", NEGATIVE),
        ("10", POSITIVE),
        ("x", ANY),
        ("z", ZERO | POSITIVE),
        ("t", ZERO | POSITIVE),
        ("n", POSITIVE),
        ("p", POSITIVE),
        (["-", "p"], NEGATIVE),
        (["-", "z"], ZERO | NEGATIVE),
        (["-", "p", "z"], ANY),
        (["-", "p", ["-", "z"]], POSITIVE),
        (["+", "p", "z"], POSITIVE),
        (["+", "z", "t"], ZERO | POSITIVE),
        (["*", "p", "x"], ANY),
        (["*", "-1", "z"], ZERO | NEGATIVE),
        (["/", "z", "p"], ZERO | POSITIVE),
        (["^", "x", "2"], ZERO | POSITIVE),
        (["^", "x", "3"], ANY),
        (["^", "z", "2"], ZERO | POSITIVE),
        (["^", "z", "3"], ZERO | POSITIVE),
        (["^", ["-", "z"], "2"], ZERO | POSITIVE),
        (["^", ["-", "z"], "3"], ZERO | NEGATIVE),
        (["^", ["-", "p"], "-1"], NEGATIVE),
        (["^", "p", "-1"], POSITIVE),
        (["^", "p", "x"], POSITIVE),
        (["^", "z", "t"], ZERO | POSITIVE),
        (["^", "x", "t"], ANY),
        (["^", ["-", "p"], "2"], POSITIVE),
        (["root", "2", "z"], ZERO | POSITIVE),
        (["root", "2", "p"], POSITIVE),
        (["abs", "x"], ZERO | POSITIVE),
        (["abs", ["-", "p"]], POSITIVE),
        (["abs", "0"], ZERO),
        (["-", "n", "1"], ZERO | POSITIVE),
        (["-", "n", "2"], ANY),
        (["-", "t", "0"], ZERO | POSITIVE),
        (["-", ["max", "x", "y"], "y"], ZERO | POSITIVE),
        (["-", "x", ["max", "x", "y"]], ANY),
        (["-", "x", ["min", "x", "y"]], ZERO | POSITIVE),
        (["-", ["abs", "x"], "x"], ZERO | POSITIVE),
        (["+", ["abs", "x"], "x"], ZERO | POSITIVE),
        (["+", ["abs", "x"], "y"], ANY),
        (["-", ["^", ["abs", "x"], "2"], ["^", "x", "2"]], ZERO),
        (["-", ["^", ["root", "2", "z"], "2"], "z"], ZERO),
        (["-", "x", "x"], ZERO),
        (["-", ["+", "x", "2"], "x"], POSITIVE),
        (["-", ["-", "x", "2"], "x"], NEGATIVE),
    ],
    ids=str,
)
def test_formulas_have_the_signs_that_their_parts_allow(formula, sign):
    assert Checked(DOMAINS).sign(formula) == sign


def test_facts_give_signs_to_what_is_a_positive_multiple():
    checked = Checked(DOMAINS)
    checked.learn(["<", "x", "y"])
    assert checked.sign(["-", "y", "x"]) == POSITIVE
    assert checked.sign(["*", "2", ["-", "x", "y"]]) == NEGATIVE
    assert checked.sign(["-", ["*", "3", "y"], ["*", "3", "x"]]) == POSITIVE
    assert checked.sign(["-", ["*", "3", "y"], "x"]) == ANY
    checked.learn(["!=", "y", "1"])
    assert checked.sign(["-", "1", "y"]) == NEGATIVE | POSITIVE
    checked.learn([">=", "y", "1"])
    assert checked.sign(["-", "1", "y"]) == NEGATIVE
    assert checked.sign(["slack", 0]) == POSITIVE
    assert checked.sign(["slack", 2]) == POSITIVE


@pytest.mark.parametrize(
    ("formula", "fine"),
    [
        (["/", "x", "p"], True),
        (["/", "x", "z"], False),
        (["/", "x", "y"], False),
        (["root", "2", "z"], True),
        (["root", "2", "x"], False),
        (["root", "1", "z"], False),
        (["root", "x", "z"], False),
        (["^", "x", "2"], True),
        (["^", "x", "0"], True),
        (["^", "x", "-1"], False),
        (["^", "p", "-1"], True),
        (["^", "p", "x"], True),
        (["^", "z", "x"], False),
        (["^", "x", "t"], True),
        (["^", "x", "n"], True),
        (["^", "x", ["-", "t", "1"]], False),
        (["^", "x", ["-", "n", "1"]], True),
    ],
    ids=str,
)
def test_nothing_is_divided_by_what_may_be_zero(formula, fine):
    checked = Checked(DOMAINS)
    if fine:
        checked.defined(["<=", formula, "1"])
    else:
        with pytest.raises((Rejected, Undefined)):
            checked.defined(["<=", formula, "1"])


def test_another_formula_in_place_of_a_symbol():
    assert replaced(["+", "t", ["call", "t", "t"]], "t", "1") == ["+", "1", ["call", "t", "1"]]


TRICKS = {
    "nothing less than itself, by a zero with a sign": (["<", "0", "0"], "-0"),
    "by a zero with a sign and a denominator": (["<", "0", "0"], "-0/5"),
    "by a division by zero": (["<", "0", "1"], ["-", "1/0", ["-", "1/0", "1"]]),
    "by a zero to the power zero": (["<=", "1", "0"], ["-", ["^", "0", "0"], "2"]),
}


@pytest.mark.parametrize("name", TRICKS)
def test_tricks_with_numbers_are_refused_by_both(name):
    claim, shown = TRICKS[name]
    certificate = {"symbols": {}, "claim": claim, "lines": [{"show": claim, "as": shown}]}
    with pytest.raises(Refused):
        check(certificate)
    with pytest.raises(Rejected):
        recheck(certificate)


def test_a_symbol_may_be_named_like_a_head():
    assert replaced(["max", "x", "max"], "max", "y") == ["max", "x", "y"]
    assert replaced(["+", ["abs", "abs"], "1"], "abs", ["-", "abs"]) == ["+", ["abs", ["-", "abs"]], "1"]
    assert replaced("x", "x", "y") == "y"


@pytest.mark.parametrize("claim", ["x", ["+", "x", ["^", "x", "2"]]])
def test_what_a_case_says_of_a_formula_is_forgotten_after_it(claim):
    square = ["<=", "0", ["^", "x", "2"]]
    cases = [[{"show": square, "as": ["^", ["slack", 0], "2"]}], [{"show": square, "as": ["*", "x", "x"]}]]
    inside = [*cases[1], {"show": ["<", "0", claim], "as": claim}, *cases[1]]
    split = {"show": square, "split": "x", "parts": [cases[0], inside]}
    check({"symbols": {"x": "real"}, "lines": [split], "claim": square})
    after = {"show": ["<", "0", claim], "as": claim}
    with pytest.raises(Refused, match="its sign does not show"):
        check({"symbols": {"x": "real"}, "lines": [split, after], "claim": after["show"]})
