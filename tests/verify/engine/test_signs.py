"""The second checker and the search for signs: tables of signs against numbers, formulas against polynomials."""

from fractions import Fraction
from itertools import product as pairs

import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from verify.check_proof import check
from verify.engine.certificates.field import Field, Undefined, laws
from verify.engine.certificates.products import combination
from verify.engine.certificates.prove import proved, trimmed
from verify.engine.certificates.question import Undecided
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
from verify.engine.certificates.signs import Signs

OF = {NEGATIVE: (-2, -1), ZERO: (0,), POSITIVE: (1, 2)}
SETS = range(8)
DOMAINS = {"x": "real", "y": "real", "z": "nonnegative", "p": "positive", "n": "count", "t": "whole", "q": "positive"}


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


# ------------------------------------------------------------------------------------------------ signs of formulas


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
        (["^", "p", "-1"], POSITIVE),
        (["^", "p", "x"], POSITIVE),
        (["^", "z", "t"], ZERO | POSITIVE),
        (["^", "x", "t"], ANY),
        (["^", ["-", "p"], "2"], POSITIVE),
        (["root", "2", "z"], ZERO | POSITIVE),
        (["root", "2", "p"], POSITIVE),
        (["abs", "x"], ZERO | POSITIVE),
        (["abs", ["-", "p"]], POSITIVE),
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
    assert checked.sign(["slack", 2]) == ZERO | POSITIVE


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


# ------------------------------------------------------------------------------------------------ values of formulas

AT = {"x": Fraction(-3, 2), "y": Fraction(5), "z": Fraction(2, 3), "p": Fraction(7, 4), "n": Fraction(3), "t": Fraction(2), "q": Fraction(1, 9)}


def value(formula, at=AT):
    """The value of a formula in fractions, by another way than a field of quotients."""
    if isinstance(formula, str):
        return at[formula] if formula in at else Fraction(formula)
    head, *inside = formula
    if head == "^":
        return value(inside[0], at) ** int(inside[1])
    of = [value(part, at) for part in inside]
    if head == "*":
        found = Fraction(1)
        for factor in of:
            found *= factor
        return found
    return {"+": lambda: sum(of), "-": lambda: of[0] - sum(of[1:]) if len(of) > 1 else -of[0], "/": lambda: of[0] / of[1]}[head]()


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
    for wrong in (["/", "x", ["-", "y", "y"]], ["^", "0", "-1"], "unheard", ["what", "x"], ["^", "x", "1/2"], ["^", "x", "1000"], ["slack", 0], ["max"], ["abs", "x", "y"]):
        with pytest.raises((Undefined, ValueError)):
            field.value(wrong)


@pytest.mark.parametrize(
    ("exponent", "least"),
    [("t", 0), ("n", 1), (["+", "n", "t"], 1), (["+", ["*", "2", "n"], "3"], 5), (["-", "n", "1"], 0), (["-", "t", "1"], -1), (["-", "t"], None), ("x", None), (["*", "n", "n"], None), (["*", "1/2", "n"], None), (["/", "1", "n"], None), ("4", 4)],
    ids=str,
)
def test_the_least_value_of_a_whole_exponent(exponent, least):
    field = Field(dict(DOMAINS))
    assert field.least(field.value(exponent)) == least


def test_powers_with_symbols_multiply():
    field = Field(dict(DOMAINS))
    same = field.value(["-", ["^", "x", ["+", "t", "2"]], ["*", "x", "x", ["^", "x", "t"]]])
    assert same.top.is_zero()
    assert not field.value(["-", ["^", "x", "t"], ["^", "y", "t"]]).top.is_zero()


def test_vectors_are_bilinear():
    field = Field({**DOMAINS, "u": "vector", "v": "vector", "f": "family n", "g": "family n", "e": "family t"})
    dot, each = (lambda a, b: ["dot", a, b]), (lambda a, b: ["each", "n", a, b])
    square = ["-", dot(["+", "u", "v"], ["+", "u", "v"]), ["+", dot("u", "u"), ["*", "2", dot("u", "v")], dot("v", "v")]]
    assert field.value(square).top.is_zero()
    assert field.value(["-", dot(["*", "x", "u"], ["-", "u", "v"]), ["*", "x", ["-", dot("u", "u"), dot("v", "u")]]]).top.is_zero()
    assert field.value(["-", each("f", "u"), dot(["total", "f"], "u")]).top.is_zero()
    assert field.value(["-", each("u", "v"), ["*", "n", dot("u", "v")]]).top.is_zero()
    assert not field.value(["-", each("f", "g"), dot(["total", "f"], ["total", "g"])]).top.is_zero()
    assert not field.value(["-", each("f", "f"), each("f", "g")]).top.is_zero()
    for wrong in (each("e", "u"), dot("f", "u"), dot("x", "u"), dot(["total", "u"], "u"), dot(["*", "u", "v", "u"], "u")):
        with pytest.raises(Undefined):
            field.value(wrong)


def test_laws_are_of_what_a_formula_is():
    assert laws("n", DOMAINS) == [(">=", ["-", "n", "1"])]
    assert laws("t", DOMAINS) == [(">=", ["-", "t", "0"])]
    assert laws("x", DOMAINS) == []
    assert laws(["+", "x", "y"], DOMAINS) == []
    assert [sign for sign, _ in laws(["abs", "x"], DOMAINS)] == [">=", ">=", "="]


# ------------------------------------------------------------------------------------------------ search for signs


def signs_with(*facts, steps=2000):
    checked = Checked(DOMAINS)
    for name in DOMAINS:
        checked.value(name)
    signs = Signs(checked, steps)
    for k, fact in enumerate(facts):
        checked.learn(fact)
        signs.learn(checked.value(["-", fact[2], fact[1]]), ["slack", k], zero=fact[0] == "=")
    return signs


def polynomial(signs, formula):
    quotient = signs.checked.value(formula)
    assert quotient.bottom.is_constant()
    return quotient.top


def same(signs, formula, found):
    """A formula that was found has the value of the polynomial, and no other sign than it should."""
    assert found is not None, formula
    assert (signs.checked.value(found) - signs.checked.value(formula)).top.is_zero()
    assert not signs.checked.sign(found) & NEGATIVE


VISIBLE = {
    "terms": (["+", "z", ["*", "3", "p", ["^", "x", "2"]], "1/2"],),
    "a square of a difference": (["^", ["-", "x", ["*", "2", "y"]], "2"],),
    "an odd power of a factor": (["*", "p", ["^", ["-", "x", "y"], "2"], ["^", "z", "3"]],),
    "a quadratic without a real root": (["+", ["^", "x", "2"], "x", "1"],),
    "a quadratic that touches zero": (["+", ["*", "4", ["^", "x", "2"]], ["*", "-4", "x"], "1"],),
    "a quadratic with a symbol in front": (["+", ["*", "p", ["^", "x", "2"]], ["*", "2", "p", "x"], ["*", "2", "p"]],),
    "a lower bound": (["-", ["*", "2", "x"], "2"], ["<=", "1", "x"]),
    "two lower bounds": (["-", ["*", "x", "y"], "2"], ["<=", "1", "x"], ["<=", "2", "y"]),
    "a bound in the other direction": (["-", "3", "x"], ["<=", "x", "2"]),
    "a slope": (["-", "z", "x"], ["<=", ["*", "p", "x"], ["*", "p", "z"]]),
    "an equation": (["-", "x", "1"], ["=", "x", ["+", "y", "2"]], ["<=", "0", ["+", "y", "1"]]),
    "a difference of squares": (["-", ["^", "x", "2"], "4"], ["<=", "2", "x"]),
}  # fmt: skip


@pytest.mark.parametrize("name", VISIBLE)
def test_what_is_nonnegative_is_made_visible(name):
    formula, *facts = VISIBLE[name]
    signs = signs_with(*facts)
    same(signs, formula, signs.nonnegative_formula(polynomial(signs, formula), 2))


HIDDEN = {
    "a term": ("x",),
    "less one": (["-", "z", "1"],),
    "a quadratic with roots": (["+", ["^", "x", "2"], ["*", "3", "x"], "1"],),
    "an odd power": (["^", ["-", "x", "y"], "3"],),
    "beyond a bound": (["-", "x", "2"], ["<=", "1", "x"]),
    "a bound from above": (["-", "x", "1"], ["<=", "x", "2"]),
    "an unknown slope": (["-", "z", "x"], ["<=", ["*", "y", "x"], ["*", "y", "z"]]),
}


@pytest.mark.parametrize("name", HIDDEN)
def test_what_may_be_negative_is_not(name):
    formula, *facts = HIDDEN[name]
    signs = signs_with(*facts)
    assert signs.nonnegative_formula(polynomial(signs, formula), 2) is None
    assert combination(signs, polynomial(signs, formula), 2) is None


@pytest.mark.parametrize(
    ("formula", "positive"),
    [("p", True), (["+", "p", "z"], True), ("z", False), (["*", "2", "p", ["^", "q", "2"]], True), (["-", ["*", "p", "q"]], False), (["+", ["*", "p", "q"], "p"], True), (["^", "x", "2"], False), (["+", ["^", "x", "2"], "1"], True), (["^", ["+", "p", "1"], "3"], True)],
    ids=str,
)  # fmt: skip
def test_positive_formulas(formula, positive):
    signs = signs_with()
    found = signs.positive_formula(polynomial(signs, formula))
    assert (found is not None) == positive
    if positive:
        same(signs, formula, found)
        assert signs.checked.sign(found) == POSITIVE


def test_a_search_without_steps_finds_nothing():
    signs = signs_with(steps=0)
    assert signs.nonnegative_formula(polynomial(signs, "z"), 2) is None


COMBINED = {
    "a sum of facts": (["-", "z", "x"], ["<=", "x", "y"], ["<=", "y", "z"]),
    "weights": (["-", ["*", "6", "z"], ["*", "3", "x"]], ["<=", "x", ["*", "2", "z"]]),
    "a product of facts": (["*", ["-", "x", "1"], ["-", "y", "1"]], ["<=", "1", "x"], ["<=", "1", "y"]),
    "an equation with any sign": (["-", "x", "y"], ["=", "y", "x"]),
    "squares": (["-", ["+", ["^", "x", "2"], ["^", "y", "2"]], ["*", "2", "x", "y"]],),
    "squares of sums": (["+", ["^", "x", "2"], ["^", "y", "2"], ["*", "2", "x", "y"]],),
    "squares of three": (["-", ["+", ["^", "x", "2"], ["^", "y", "2"], ["^", "z", "2"]], ["+", ["*", "x", "y"], ["*", "y", "z"], ["*", "x", "z"]]],),
    "a fact times a monomial": (["-", ["*", "p", "y"], ["*", "p", "x"]], ["<=", "x", "y"]),
}  # fmt: skip


@pytest.mark.parametrize("name", COMBINED)
def test_combinations_come_to_the_polynomial(name):
    formula, *facts = COMBINED[name]
    signs = signs_with(*facts)
    same(signs, formula, combination(signs, polynomial(signs, formula), 2))


weights = st.lists(st.integers(-4, 4), min_size=6, max_size=6)


@settings(max_examples=40)
@given(weights)
def test_formulas_of_quadratics_have_their_value(numbers):
    """Whatever is found has the value of the polynomial; where x = -3/2 and y = 5 make it negative nothing is found."""
    signs = signs_with()
    context = signs.checked.context
    x, y = context.gen(0), context.gen(1)
    terms = (x * x, x * y, y * y, x, y, context.constant(1))
    quadratic = sum((fmpq(a) * term for a, term in zip(numbers, terms, strict=True)), context.constant(0))
    found = signs.nonnegative_formula(quadratic, 1)
    if found is not None:
        same(signs, signs.formula(quadratic), found)
        assert value(found) >= 0


def test_another_formula_in_place_of_a_symbol():
    assert replaced(["+", "t", ["call", "t", "t"]], "t", "1") == ["+", "1", ["call", "t", "1"]]


# ------------------------------------------------------------------------------------------------ whole proofs

PROOFS = {
    "squares of both sides": (["<=", "x", "p"], [["<=", ["^", "x", "2"], ["^", "p", "2"]]]),
    "squares of both sides, mirrored": ([">=", "x", ["-", "p"]], [["<=", ["^", "x", "2"], ["^", "p", "2"]]]),
    "cases of a largest": (["<=", ["max", "x", "y"], "z"], [["<=", "x", "z"], ["<=", "y", "z"]]),
    "cases of a smallest": (["<=", "z", ["min", "x", "y"]], [["<=", "z", "x"], ["<=", "z", "y"]]),
    "cases of a length": (["<=", ["abs", "x"], "z"], [["<=", "x", "z"], ["<=", ["-", "z"], "x"]]),
    "two lengths": (["<=", ["abs", ["+", "x", "y"]], ["+", ["abs", "x"], ["abs", "y"]]], []),
    "an equation put in": (["<=", "1", "x"], [["=", "x", ["+", "z", "1"]]]),
    "a quotient": (["<=", ["/", "1", "p"], "1"], [["<=", "1", "p"]]),
    "a quotient by what is not zero": (["=", ["/", "x", "x"], "1"], [["!=", "x", "0"]]),
    "a strict relation": (["<", "x", "y"], [["<", "x", "z"], ["<=", "z", "y"]]),
    "a count": (["<=", "1", ["*", "n", "n"]], []),
    "a root": (["<=", "z", ["^", ["root", "2", ["+", "z", "1"]], "2"]], []),
}  # fmt: skip
FALSE = {
    "squares of a negative number": (["<=", "p", "x"], [["<=", ["^", "p", "2"], ["^", "x", "2"]]]),
    "a largest": (["<=", ["max", "x", "y"], "z"], [["<=", "x", "z"]]),
    "a strict relation from weak ones": (["<", "x", "y"], [["<=", "x", "y"]]),
    "a quotient": (["<=", ["/", "1", "p"], "1"], []),
    "an equation from an inequality": (["=", "x", "y"], [["<=", "x", "y"]]),
}


@pytest.mark.parametrize("name", PROOFS)
def test_true_relations_are_proved_and_both_checkers_agree(name):
    claim, given_ = PROOFS[name]
    certificate = proved(dict(DOMAINS), claim, [(relation, "condition") for relation in given_])
    assert not isinstance(certificate, Undecided), certificate
    check(certificate)
    recheck(certificate)
    assert certificate["claim"] == claim
    assert set(certificate["symbols"]) <= set("".join(str([claim, given_])))


@pytest.mark.parametrize("name", FALSE)
def test_false_relations_are_not(name):
    claim, given_ = FALSE[name]
    assert isinstance(proved(dict(DOMAINS), claim, [(relation, "condition") for relation in given_]), Undecided)


def test_what_a_claim_does_not_use_is_cut():
    line = lambda relation: {"given": relation, "by": "condition"}  # noqa: E731
    whole = {
        "symbols": {"x": "real", "y": "real", "z": "nonnegative"},
        "claim": ["<=", "x", ["+", "y", "1"]],
        "lines": [
            line(["<=", "z", "5"]),
            line(["<=", "x", "y"]),
            line(["<=", "z", "7"]),
            {"show": ["<=", "x", ["+", "y", "1"]], "as": ["+", ["slack", 1], "1"]},
        ],
    }
    short = trimmed(whole)
    assert short["symbols"] == {"x": "real", "y": "real"}
    assert [next(iter(one)) for one in short["lines"]] == ["given", "show"]
    assert short["lines"][1]["as"] == ["+", ["slack", 0], "1"]
    recheck(short)


def test_every_line_of_a_certificate_is_needed_and_no_sign_may_be_turned():
    """Whatever of a proof is changed, the second checker does not accept it as a proof of the same claim."""
    claim, given_ = PROOFS["squares of both sides"]
    certificate = proved(dict(DOMAINS), claim, [(relation, "condition") for relation in given_])
    for place in range(len(certificate["lines"]) - 1):
        with pytest.raises(Rejected):
            recheck({**certificate, "lines": [*certificate["lines"][:place], *certificate["lines"][place + 1 :]]})
    for other in (["<", "x", "p"], ["<=", "p", "x"], ["=", "x", "p"]):
        with pytest.raises(Rejected):
            recheck({**certificate, "claim": other})
