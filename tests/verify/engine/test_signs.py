"""The search for signs and proofs: results have the right value and sign, and false relations are not proved."""

from itertools import pairwise

import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.verify.certified import DOMAINS, value
from verify.check_proof import check
from verify.engine.certificates.lighter import trimmed
from verify.engine.certificates.question import Undecided
from verify.engine.certificates.recheck import NEGATIVE, POSITIVE, Checked, Rejected, recheck
from verify.engine.tactics.products import combination
from verify.engine.tactics.prove import proved
from verify.engine.tactics.signs import Signs


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
    """Check that a returned formula has the value of the polynomial and the required sign."""
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


@pytest.mark.parametrize("way", ["", "-"])
def test_products_of_what_facts_call_positive_are_positive(way):
    """Factors that no shift of a variable makes visibly positive."""
    one, other = ["-", ["^", "x", "2"], ["^", "y", "2"]], ["-", ["^", "p", "2"], ["^", "x", "2"]]
    signs = signs_with(["<", "1", one], ["<", "1", other])
    first, second = (["-", part, "1"] for part in (one, other))
    formula = ["*", ["-", "0", first], ["-", "0", second]] if way else ["*", first, ["^", second, "2"]]
    found = signs.positive_formula(polynomial(signs, formula))
    same(signs, formula, found)
    assert signs.checked.sign(found) == POSITIVE
    assert signs_with().positive_formula(polynomial(signs_with(), formula)) is None


def test_a_search_without_steps_finds_nothing():
    signs = signs_with(steps=0)
    assert signs.nonnegative_formula(polynomial(signs, "z"), 2) is None


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_what_failed_with_more_facts_is_not_tried_with_fewer(depth):
    signs = signs_with(["<=", "x", "z"], ["<=", "y", "p"], steps=500)
    unknown = polynomial(signs, ["-", ["*", "x", "y"], "z"])
    assert signs.nonnegative_formula(unknown, 2) is None
    left = signs.steps
    assert signs.nonnegative_formula(unknown, depth) is None
    assert signs.steps == left - 1


@pytest.mark.parametrize(("power", "steps"), [("1", 1), ("2", 1), ("3", 2), ("4", 4)])
def test_long_polynomials_take_more_steps(power, steps):
    """Sums of five variables have 5, 15, 35 and 70 terms; twenty terms count as one step."""
    signs = signs_with(steps=100)
    same_power = polynomial(signs, ["^", ["+", "z", "p", "q", "n", "t"], power])
    assert signs.nonnegative_formula(same_power, 0) is not None
    assert signs.steps == 100 - steps


COMBINED = {
    "a sum of facts": (["-", "z", "x"], ["<=", "x", "y"], ["<=", "y", "z"]),
    "a fact that shares nothing with it": (["-", "z", "x"], ["<=", "x", "y"], ["<=", "y", "q"], ["<=", "q", "z"]),
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
    """Every returned formula has the value of the polynomial; if x = -3/2 and y = 5 make it negative, none is returned."""
    signs = signs_with()
    context = signs.checked.context
    x, y = context.gen(0), context.gen(1)
    terms = (x * x, x * y, y * y, x, y, context.constant(1))
    quadratic = sum((fmpq(a) * term for a, term in zip(numbers, terms, strict=True)), context.constant(0))
    found = signs.nonnegative_formula(quadratic, 1)
    if found is not None:
        same(signs, signs.formula(quadratic), found)
        assert value(found) >= 0


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
    assert isinstance(
        proved(dict(DOMAINS), claim, [(relation, "condition") for relation in given_]), Undecided
    )


@pytest.mark.parametrize(("less", "steps"), [("0", 2), (["^", "z", "3"], 1)])
def test_twenty_terms_are_a_step(less, steps):
    """The third power of a sum of four variables has 20 terms."""
    signs = signs_with(steps=100)
    formula = polynomial(signs, ["-", ["^", ["+", "z", "p", "q", "n"], "3"], less])
    assert signs.nonnegative_formula(formula, 0) is not None
    assert signs.steps == 100 - steps


def test_a_square_and_a_rest_need_no_facts():
    signs = signs_with()
    formula = ["+", ["^", "x", "2"], "x", "1"]
    same(signs, formula, signs.nonnegative_formula(polynomial(signs, formula), 0))


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
    """The second checker does not accept a changed proof as a proof of the same claim."""
    claim, given_ = PROOFS["squares of both sides"]
    certificate = proved(dict(DOMAINS), claim, [(relation, "condition") for relation in given_])
    for place in range(len(certificate["lines"]) - 1):
        with pytest.raises(Rejected):
            recheck(
                {**certificate, "lines": [*certificate["lines"][:place], *certificate["lines"][place + 1 :]]}
            )
    for other in (["<", "x", "p"], ["<=", "p", "x"], ["=", "x", "p"]):
        with pytest.raises(Rejected):
            recheck({**certificate, "claim": other})


def test_what_is_short_is_known_times_each_divisor_too():
    """From x <= y and the divisor p + z follows (p + z) (y - x) >= 0; products with too many terms are left out."""
    long = ["^", ["+", "x", "y", "z", "p", "1"], "4"]  # 70 terms, and 126 of its fifth power
    signs = signs_with(
        ["<=", "x", "y"], ["<=", "0", long], ["<=", "0", ["*", long, ["+", "x", "y", "z", "p", "1"]]]
    )
    divisor, difference = polynomial(signs, ["+", "p", "z"]), polynomial(signs, ["-", "y", "x"])
    signs.divide_by(divisor)
    before = len(signs.known)
    found = signs.over_common_divisors().known
    assert len(found) == 2 * before - 1
    assert divisor * difference in [known.polynomial for known in found]
    for known in found[before:]:
        assert not signs.checked.sign(known.formula) & NEGATIVE
        assert signs.checked.value(known.formula).top == known.polynomial
        assert any(known.polynomial == divisor * other.polynomial for other in signs.known)
    assert len(signs.known) == before


LOWER = {
    "at least 2": (["<=", "1", ["*", "1/2", "x"]], True),
    "at least another that is not negative": (["<=", ["*", "3", "z"], "x"], True),
    "at most -2": (["<=", ["*", "1/2", "x"], "-1"], False),
    "at most -1/2": (["<=", ["*", "2", "x"], "-1"], False),
    "at least another of either sign": (["<=", "y", "x"], False),
    "an equation": (["=", "x", "1"], False),
}


@pytest.mark.parametrize("name", LOWER)
def test_lower_bounds_without_negative_terms_are_told_from_others(name):
    fact, counts = LOWER[name]
    signs = signs_with(fact)
    found = signs._lower(signs.checked.names["x"])
    assert [known.formula for known in found] == [["slack", 0]] * counts


@pytest.mark.parametrize(
    ("inside", "beside"), [("y", "p"), ("x", "q"), ("y", "q"), ("q", "p"), ("p", "z"), ("z", "p")]
)
def test_a_square_of_one_number_may_be_none_of_another(inside, beside):
    """(y + p)^2 + p is a square plus a rest in y, but not in p."""
    for formula in (
        ["+", ["^", ["+", inside, beside], "2"], beside],
        ["+", ["^", ["+", inside, ["*", "-1", beside]], "2"], beside],
    ):
        signs = signs_with()
        same(signs, formula, signs.by_square(polynomial(signs, formula), 1))


@pytest.mark.parametrize(
    ("formula", "shown"),
    [
        (["*", ["+", "p", "1"], ["+", "q", "1"], ["+", "z", "1"]], True),
        (["*", ["+", "p", "1"], ["+", "q", "1"]], True),
        (["*", ["+", "p", "1"], ["^", ["-", "x", "y"], "2"]], True),
        (["*", ["+", "p", "1"], ["^", ["-", "x", "y"], "4"]], True),
        (["^", ["-", "x", "y"], "4"], True),
        (["^", ["-", "x", "y"], "3"], False),
        (["*", ["+", "p", "1"], ["-", "x", "y"]], False),
        (["+", "p", "q"], False),
    ],
    ids=["three", "two", "a square", "a fourth power", "it alone", "a cube", "one of any sign", "one alone"],
)
def test_products_of_several_factors_have_the_signs_of_them_all(formula, shown):
    signs = signs_with()
    found = signs.by_factors(polynomial(signs, formula), 1)
    assert (found is not None) == shown
    if shown:
        same(signs, formula, found)


@pytest.mark.parametrize("sign", ["<=", "<", "="])
def test_facts_are_put_in_for_as_many_steps_as_there_are(sign):
    formula, fact = ["+", ["-", "x", "y"], "p"], [sign, "y", "x"]
    for steps, shown in ((1, False), (20, True)):
        signs = signs_with(fact, steps=steps)
        assert (signs.positive_by_insertion(polynomial(signs, formula), 2) is not None) == shown
        assert signs.steps < steps


@pytest.mark.parametrize("links", [2, 3, 4])
@pytest.mark.parametrize("strict", [0, 1, 3, 4])
def test_as_many_facts_are_put_in_one_after_the_other_as_are_allowed(links, strict):
    """a < b <= c ... gives that the last number is at least the first, and larger if one relation is strict."""
    names = "abcde"[: links + 1]
    checked = Checked(dict.fromkeys(names, "real"))
    goal = checked.value(["-", names[-1], names[0]]).top
    for depth in range(links + 2):
        signs = Signs(checked.copy(), 2000)
        for k, (small, large) in enumerate(pairwise(names)):
            signs.checked.learn(["<" if k == strict else "<=", small, large])
            signs.learn(signs.checked.value(["slack", k]), ["slack", k], zero=False)
        assert (signs.nonnegative_formula(goal, depth) is not None) == (depth >= links)
        found = signs.positive_by_insertion(goal, depth)
        assert (found is not None) == (strict < links <= depth + 1)  # the remainder may itself be a fact
        assert found is None or signs.checked.sign(found) == POSITIVE


@pytest.mark.parametrize("lead", ["1", "-1", "3", "-1/2"])
@pytest.mark.parametrize("factors", [1, 2])
def test_products_of_factors_have_the_value_of_what_is_factored(lead, factors):
    signs = signs_with()
    some = [["^", ["+", "x", ["*", "2", "y"]], "3"], ["-", "p", "z"]][:factors]
    formula = ["*", lead, *some]
    found = signs.factored(polynomial(signs, formula))
    assert (signs.checked.value(found) - signs.checked.value(formula)).top.is_zero()
    once = ["*", lead, ["+", "x", "y"]]
    found = signs.factored(polynomial(signs, once))
    assert (signs.checked.value(found) - signs.checked.value(once)).top.is_zero()
