"""Stronger claims imply the bound."""

from __future__ import annotations

import sympy as sp

from verify.engine.elementary.stronger import stronger

T = sp.Symbol("T", integer=True, positive=True)
k = sp.Symbol("k", integer=True, positive=True)


def test_a_stronger_claim_asks_for_more() -> None:
    relation = sp.Le(sp.Sum(1 / k**2, (k, 1, T)), 2)
    found = list(stronger(relation, T))
    assert any(other.lts - relation.lts == 1 / T for other in found)
    for other in found:
        assert (other.lts - relation.lts).is_positive
        assert other.gts == relation.gts


def test_an_equation_has_none() -> None:
    assert not list(stronger(sp.Eq(sp.Sum(k, (k, 1, T)), T), T))
