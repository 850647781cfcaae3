"""Combinations of facts, divided by positive monomials where necessary."""

import pytest
import sympy as sp

from tests.verify.certified import DOMAINS
from verify.engine.certificates import Question, Undecided, prove
from verify.engine.tactics.draft import Draft
from verify.engine.tactics.products import _factors, combination, quotient


def asked(goal, *given):
    """The known relations, and the polynomial that should be nonnegative."""
    draft = Draft(dict(DOMAINS), 400, 40)
    for relation in given:
        draft.assume(relation, "condition")
    slack = draft.checked.slack(goal)
    assert slack.bottom.is_constant()
    return draft, slack


def test_a_combination_may_need_a_multiple():
    bound = ["<=", ["*", "p", "p", "x"], ["*", "p", "z"]]
    draft, slack = asked(["<=", "x", ["+", "1", ["*", "2", "z"]]], bound, ["<=", "z", "p"], ["<=", "1", "p"])
    signs = draft.signs()
    assert combination(signs, slack.top, 1) is None
    found = quotient(signs, slack.top, 1)
    assert found is not None
    assert found[0] == "/"
    assert draft.close(["<=", "x", ["+", "1", ["*", "2", "z"]]], found)


def test_a_search_comes_to_it():
    draft, _ = asked(["<=", "x", "z"], ["<=", ["*", "p", "p", "x"], ["*", "p", "p", "z"]])
    assert draft.show(["<=", "x", "z"])


@pytest.mark.parametrize(
    "goal",
    [["<=", "x", "z"], ["<=", ["*", "2", "x"], "z"], ["<=", "x", ["*", "z", "z"]], ["<=", "z", "x"]],
    ids=str,
)
def test_what_is_false_is_not_found(goal):
    draft, slack = asked(goal, ["<=", ["*", "p", "x"], ["*", "p", ["+", "z", "1"]]])
    for degree in (1, 2):
        assert quotient(draft.signs(), slack.top, degree) is None


def test_what_may_be_zero_is_no_multiplier():
    draft, slack = asked(["<=", "x", "1"], ["<=", ["*", "z", "x"], "z"])
    assert quotient(draft.signs(), slack.top, 1) is None


CUBES = ["+", ["^", "p", "3"], ["^", "q", "3"], ["^", "z", "3"]]
OF_NUMBERS_THAT_ARE_NOT_NEGATIVE = {
    "means of cubes": ["<=", ["^", ["+", "p", "q", "z"], "3"], ["*", "9", CUBES]],
    "Nesbitt, cleared": [
        "<=",
        ["*", ["+", "p", "q"], ["+", "q", "z"], ["+", "z", "p"]],
        ["+", ["/", ["*", "8", CUBES], "3"]],
    ],
}


@pytest.mark.parametrize("name", OF_NUMBERS_THAT_ARE_NOT_NEGATIVE)
def test_squares_count_times_what_is_not_negative(name):
    goal = OF_NUMBERS_THAT_ARE_NOT_NEGATIVE[name]
    draft, slack = asked(goal)
    found = combination(draft.signs(), slack.top, 1)
    assert found is not None
    assert draft.close(goal, found if slack.bottom.is_one() else ["/", found, str(slack.bottom)])


def test_squares_do_not_count_times_what_may_be_negative():
    for small, large in (("x", "p"), ("p", "x")):
        terms = ["+", ["*", "2", ["^", small, "3"]], ["^", large, "3"]]
        _, slack = asked(["<=", ["*", "3", small, small, large], terms])
        draft, _ = asked(["<=", "0", "1"])
        assert combination(draft.signs(), slack.top, 1) is None


@pytest.mark.parametrize(("degree", "number"), [(1, 4), (2, 4 + 6), (3, 4 + 6 + 10)])
def test_products_have_as_many_factors_as_are_asked_for(degree, number):
    """For three inequalities and an equation, which needs no partner."""
    draft, _ = asked(
        ["<=", "x", "1"], ["<=", "x", "z"], ["<=", "y", "p"], ["<=", "x", "y"], ["=", ["*", "x", "y"], "1"]
    )
    signs = draft.signs()
    signs.known = [known for known in signs.known if known.formula[0] == "slack"]
    assert len(signs.known) == 4
    found = _factors(signs, degree)
    assert len(found) == number
    for known in found:
        value = draft.checked.value(known.formula)
        assert value.bottom.is_constant()
        assert (value.top - known.polynomial * value.bottom).is_zero()


def test_facts_over_a_divisor_meet_facts_without_it():
    """c - 1 is nonnegative, and nonzero if it is a divisor."""
    s, u = sp.symbols("s u", nonnegative=True)
    e, k = sp.symbols("e k", positive=True)
    c = sp.Symbol("c", integer=True, positive=True)
    x, y, z = sp.symbols("x y z", real=True)
    share = s / (c - 1)
    given = (x <= y - 2 * e * z + e**2 * (4 * k * u + share), z >= u, e <= 1 / (2 * k))
    question = Question(x <= y + e**2 * share, tuple((relation, "condition") for relation in given))
    assert not isinstance(prove(question), Undecided)
    less = Question(x <= y + e**2 * share / 2, question.given)
    assert isinstance(prove(less, 200), Undecided)


@pytest.mark.parametrize(("terms", "tried"), [(250, True), (251, False)])
def test_polynomials_of_up_to_250_terms_are_tried(terms, tried):
    draft, slack = asked(["<=", "0", ["+", *(["^", "p", str(power)] for power in range(1, terms + 1))]])
    assert len(slack.top) == terms
    assert (combination(draft.signs(), slack.top, 1) is not None) == tried
