"""Chains: claims that are sums of what is given, each once or times the factor of its bare side."""

from __future__ import annotations

import pytest
import sympy as sp

from verify.engine.certificates import Question, Undecided, prove

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
