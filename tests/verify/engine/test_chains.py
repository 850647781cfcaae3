"""Chains: claims that are sums of premises, each once or times the factor of its bare side."""

from __future__ import annotations

import pytest
import sympy as sp

from tests.verify.certified import DOMAINS
from verify.engine.certificates import Question, Undecided, prove
from verify.engine.tactics.chains import by_chain, by_terms, terms
from verify.engine.tactics.draft import Draft

a, b, c, d, x, y = sp.symbols("a b c d x y", real=True)
M, N = sp.symbols("M N", integer=True, positive=True)
LINKS = (sp.Le(a / M, b / N), sp.Le(b / N, c / (M + N)), sp.Eq(c / (M + N), d / (1 + M * N), evaluate=False))
BOUNDS = (sp.Le(x, a**3 + b), sp.Le(y, c**3))
APART = sp.Ge(M, N)


def question(claim, *given, where=()):
    return Question(claim, (*((g, "premise") for g in given), *((w, "condition") for w in where)))


@pytest.mark.parametrize("claim", [sp.Le(a / M, d / (1 + M * N)), sp.Ge(d / (1 + M * N), a / M)])
def test_links_with_different_denominators(claim):
    found = prove(question(claim, *LINKS), steps=1)
    assert not isinstance(found, Undecided)
    assert len(found["lines"]) == 4


def test_a_chain_with_a_missing_link_proves_nothing():
    assert isinstance(prove(question(sp.Le(a / M, d / (1 + M * N)), LINKS[0], LINKS[2]), steps=80), Undecided)


def scaled(more=0):
    factor = (M - N) / (N * (1 + M))
    return sp.Le(factor * (x + N * y), factor * (a**3 + b + N * c**3) - more)


def test_bounds_times_factors_whose_sign_a_condition_tells():
    found = prove(question(scaled(), *BOUNDS, where=(APART,)), steps=1)
    assert not isinstance(found, Undecided)


@pytest.mark.parametrize(("claim", "where"), [(scaled(), ()), (scaled(sp.Rational(1, 100)), (APART,))])
def test_factors_of_unknown_sign_and_smaller_bounds_prove_nothing(claim, where):
    assert isinstance(prove(question(claim, *BOUNDS, where=where), steps=80), Undecided)


def drafted(*given):
    """A draft with premises about numbers p > 0, z >= 0, n >= 1, and x and y."""
    found = Draft(dict(DOMAINS), 100, 40)
    for relation in given:
        found.assume(relation, "premise")
    return found


UP, DOWN = ["<=", "x", "z"], [">=", "y", "n"]
CHAINS = {
    "a positive factor": (["<=", ["*", "p", "x"], ["*", "p", "z"]], [UP], True),
    "a factor that may be zero": (["<=", ["*", "z", "x"], ["*", "z", "z"]], [UP], True),
    "a quotient": (["<=", ["/", "x", "p"], ["/", "z", "p"]], [UP], True),
    "the other way round": ([">=", ["*", "p", "y"], ["*", "p", "n"]], [DOWN], True),
    "two at once": (["<=", ["-", ["*", "p", "x"], "y"], ["-", ["*", "p", "z"], "n"]], [UP, DOWN], True),
    "a sum of links": (["<=", ["+", "x", "n"], ["+", "z", "y"]], [UP, DOWN], True),
    "a negative factor": (["<=", ["*", "-1", "p", "x"], ["*", "-1", "p", "z"]], [UP], False),
    "a factor of any sign": (["<=", ["*", "y", "x"], ["*", "y", "z"]], [UP], False),
    "a denominator of any sign": (["<=", ["/", "x", "q"], ["/", "z", ["^", "q", "2"]]], [UP], False),
    "a smaller bound": (["<=", ["*", "p", "x"], ["-", ["*", "p", "z"], "1"]], [UP], False),
    "a square": (["<=", ["^", "x", "2"], ["^", "z", "2"]], [UP], False),
    "a strict relation": (["<", ["*", "p", "x"], ["*", "p", "z"]], [UP], False),
    "an equation": (["=", ["*", "p", "x"], ["*", "p", "z"]], [UP], False),
}


@pytest.mark.parametrize("name", CHAINS)
def test_chains_alone_show_what_is_a_multiple_of_what_is_given(name):
    claim, given, shown = CHAINS[name]
    made = drafted(*given)
    made.define(claim)
    assert by_chain(made, claim) == shown
    if shown:
        assert made.lines[-1]["show"] == claim


def test_equations_in_a_chain_are_read_both_ways_but_few():
    """x <= y = z: either side of the equation may be the larger one; more than three equations are not tried."""
    claim = ["<=", ["^", "x", "2"], "t"]
    links = [["<=", ["^", "x", "2"], ["^", "y", "3"]], ["=", "t", ["^", "y", "3"]]]
    assert by_chain(drafted(*links), claim)
    turned = [links[0], ["=", ["^", "y", "3"], "t"]]
    assert by_chain(drafted(*turned), claim)
    idle = [["=", ["^", ["+", "y", str(k)], "2"], ["^", ["+", "y", str(k)], "2"]] for k in range(1, 4)]
    assert by_chain(drafted(*links, *idle[:2]), claim)
    assert not by_chain(drafted(*links, *idle), claim)
    assert not by_chain(drafted(links[0]), claim)


GIVEN = [">=", "x", ["*", "n", ["+", "p", ["/", "z", "p"], ["root", "2", "z"]]]]
TERMS = {
    "one term": ([">=", "x", ["*", "n", "p"]], True),
    "two terms, the other way round": (
        ["<=", ["+", ["/", ["*", "n", "z"], "p"], ["*", "n", "p"]], "x"],
        True,
    ),
    "a smaller factor": ([">=", "x", ["*", ["root", "2", "z"], "1/2"]], True),
    "a larger factor": ([">=", "x", ["*", "2", "n", "p"]], False),
    "one term twice": ([">=", "x", ["+", ["*", "n", "p"], "p"]], False),
    "another term": ([">=", "x", ["*", "n", "z"]], False),
    "another side": ([">=", "y", ["*", "n", "p"]], False),
}


@pytest.mark.parametrize("name", TERMS)
def test_sums_that_are_compared_term_by_term(name):
    claim, shown = TERMS[name]
    made = drafted(GIVEN)
    made.define(claim)
    assert by_terms(made, claim) == shown


@pytest.mark.parametrize("known", [0, 1, 5])
def test_each_term_is_below_one_of_its_own_however_much_is_known_before(known):
    """x >= n + p + 1 gives x >= n/2 + p/2, by two facts that are proved on the way."""
    made = drafted(
        *[["<=", "0", ["+", "z", str(k)]] for k in range(known)], [">=", "x", ["+", "n", "p", "1"]]
    )
    claim = [">=", "x", ["+", ["*", "1/2", "n"], ["*", "1/2", "p"]]]
    made.define(claim)
    assert by_terms(made, claim)
    assert made.lines[-1]["show"] == claim


@pytest.mark.parametrize(("added", "shown"), [("z", True), ("y", False)])
def test_what_is_left_of_a_sum_may_not_be_negative(added, shown):
    """p + y - y + z >= p, where y has either sign: y cancels, or remains."""
    large = ["+", "p", "y", ["-", "y"], added]
    made = drafted([">=", "x", large])
    assert by_terms(made, [">=", "x", "p"]) == shown


def test_terms_are_products_of_terms_over_what_divides_them():
    formula = ["/", ["*", "a", ["-", "b", ["+", "c", "d"]]], ["+", "p", "q"]]
    below = ["+", "p", "q"]
    assert terms(formula) == [
        ["/", ["*", "a", "b"], below],
        ["/", ["*", "a", ["-", "c"]], below],
        ["/", ["*", "a", ["-", "d"]], below],
    ]
