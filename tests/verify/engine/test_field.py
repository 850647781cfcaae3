"""Fields of quotients: the value of a formula, least values, powers with symbols, vectors."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.verify.certified import DOMAINS, value
from verify.engine.certificates.field import Field, Undefined, laws
from verify.engine.certificates.recheck import Checked


def of_flint(field, quotient):
    def one(polynomial):
        found = Fraction(0)
        for powers, factor in polynomial.terms():
            term = Fraction(int(factor.p), int(factor.q))
            for place, power in enumerate(powers):
                term *= value(field.formulas[place]) ** int(power) if power else 1
            found += term
        return found

    return one(quotient.top) / one(quotient.bottom)


leaves = st.sampled_from(["x", "y", "z", "p", "1", "2", "-1/3", "5/2"])
formulas = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(["+", "-", "*", "/"]), inner, inner).map(list),
        st.tuples(st.just("-"), inner).map(list),
        st.tuples(st.just("^"), inner, st.sampled_from(["0", "1", "2", "3", "-1", "-2"])).map(list),
    ),
    max_leaves=8,
)


@given(formulas)
def test_quotients_have_the_value_of_their_formula_in_lowest_terms(formula):
    field = Field(dict(DOMAINS))
    try:
        expected = value(formula)
        found = field.value(formula)
    except (Undefined, ZeroDivisionError):
        return
    try:
        assert of_flint(field, found) == expected
    except ZeroDivisionError:
        return
    assert found.bottom.leading_coefficient() == 1
    assert found.top.gcd(found.bottom).is_constant()


def test_division_by_nothing_is_undefined_and_names_must_be_declared():
    field = Field(dict(DOMAINS))
    for wrong in (
        ["/", "x", ["-", "y", "y"]],
        ["^", "0", "-1"],
        "unheard",
        ["what", "x"],
        ["^", "x", "1/2"],
        ["^", "x", "1000"],
        ["slack", 0],
        ["max"],
        ["abs", "x", "y"],
        ["at", "x", "1"],
        ["at", "unheard", "1"],
        ["each", "x", "u", "u"],
        ["each", "unheard", "u", "u"],
    ):
        with pytest.raises((Undefined, ValueError)):
            field.value(wrong)


@pytest.mark.parametrize("other", ["a", "m", "z"])
def test_families_are_summed_over_their_own_number_alone(other):
    field = Field({"m": "count", "a": "count", "z": "count", "f": f"family {other}", "u": "vector"})
    for number in "amz":
        if number == other:
            assert not field.value(["each", number, "f", "u"]).top.is_zero()
        else:
            with pytest.raises(Undefined, match=f"without an index of {number}"):
                field.value(["each", number, "f", "u"])
    with pytest.raises(Undefined, match="without an index of None"):
        field.value(["dot", "f", "u"])


@pytest.mark.parametrize(
    ("exponent", "least"),
    [
        ("t", 0),
        ("n", 1),
        (["+", "n", "t"], 1),
        (["+", ["*", "2", "n"], "3"], 5),
        (["-", "n", "1"], 0),
        (["-", "t", "1"], -1),
        (["-", "t"], None),
        ("x", None),
        (["*", "n", "n"], None),
        (["*", "1/2", "n"], None),
        (["/", "1", "n"], None),
        ("4", 4),
    ],
    ids=str,
)
def test_the_least_value_of_a_whole_exponent(exponent, least):
    field = Field(dict(DOMAINS))
    assert field.least(field.value(exponent)) == least


@pytest.mark.parametrize("base", ["x", "0", ["-", "x", "x"], ["/", "x", "p"]], ids=str)
def test_the_power_0_is_1(base):
    assert Field(dict(DOMAINS)).value(["^", base, "0"]).constant == 1


def test_powers_with_symbols_multiply():
    field = Field(dict(DOMAINS))
    same = field.value(["-", ["^", "x", ["+", "t", "2"]], ["*", "x", "x", ["^", "x", "t"]]])
    assert same.top.is_zero()
    assert not field.value(["-", ["^", "x", "t"], ["^", "y", "t"]]).top.is_zero()


def test_vectors_are_bilinear():
    field = Field(
        {**DOMAINS, "u": "vector", "v": "vector", "f": "family n", "g": "family n", "e": "family t"}
    )
    dot, each = (lambda a, b: ["dot", a, b]), (lambda a, b: ["each", "n", a, b])
    square = [
        "-",
        dot(["+", "u", "v"], ["+", "u", "v"]),
        ["+", dot("u", "u"), ["*", "2", dot("u", "v")], dot("v", "v")],
    ]
    assert field.value(square).top.is_zero()
    assert field.value(
        ["-", dot(["*", "x", "u"], ["-", "u", "v"]), ["*", "x", ["-", dot("u", "u"), dot("v", "u")]]]
    ).top.is_zero()
    assert field.value(["-", each("f", "u"), dot(["total", "f"], "u")]).top.is_zero()
    assert field.value(["-", each("u", "v"), ["*", "n", dot("u", "v")]]).top.is_zero()
    assert not field.value(["-", each("f", "g"), dot(["total", "f"], ["total", "g"])]).top.is_zero()
    assert not field.value(["-", each("f", "f"), each("f", "g")]).top.is_zero()
    for wrong in (
        each("e", "u"),
        dot("f", "u"),
        dot("x", "u"),
        dot(["total", "u"], "u"),
        dot(["*", "u", "v", "u"], "u"),
        *(dot([head, *parts], "u") for head in "+-*" for parts in ((), ("u",), ("u", "v", "u"))),
    ):
        with pytest.raises(Undefined):
            field.value(wrong)


def test_laws_are_of_what_a_formula_is():
    assert laws("n", DOMAINS) == [(">=", ["-", "n", "1"])]
    assert laws("t", DOMAINS) == [(">=", ["-", "t", "0"])]
    assert laws("x", DOMAINS) == []
    assert laws(["+", "x", "y"], DOMAINS) == []
    assert [sign for sign, _ in laws(["abs", "x"], DOMAINS)] == [">=", ">=", "="]


def test_what_no_polynomial_says_is_told_apart_by_its_head_and_its_parts():
    checked = Checked(DOMAINS)
    formulas = (
        *([head, *parts] for head in ("max", "min") for parts in (["x"], ["x", "y"], ["x", "z"])),
        *(["abs", part] for part in ("x", "y")),
        *(["root", degree, "p"] for degree in ("2", "3")),
        *(["call", name, "x"] for name in ("f", "g")),
    )
    assert len({checked.value(formula).key for formula in formulas}) == len(formulas)
