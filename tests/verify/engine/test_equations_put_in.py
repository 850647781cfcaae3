"""Equations that follow from equations put in one after the other."""

from __future__ import annotations

import sympy as sp

from bounds.relations import eq
from verify.engine.proof.prover import derived

a, b, c, d, e = sp.symbols("a b c d e", real=True)
s = sp.Symbol("s", positive=True)
CHAIN = (eq(s * a, s * b + c), eq(c, s * d - s * b), eq(d, e**2))


def test_a_chain_with_a_positive_divisor_is_followed() -> None:
    assert derived(eq(a, e**2), CHAIN).outcome == "proved"


def test_what_only_the_nearest_equations_say_is_not_proved() -> None:
    assert derived(eq(a, e**2), CHAIN[:2]).outcome != "proved"
    assert derived(eq(a, e**2 + s), CHAIN).outcome != "proved"


def test_nothing_is_divided_by_what_may_be_zero() -> None:
    given = tuple(relation.subs(s, sp.Symbol("t", real=True)) for relation in CHAIN)
    assert derived(eq(a, e**2), given).outcome != "proved"
