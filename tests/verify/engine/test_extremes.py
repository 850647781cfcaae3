"""Excesses have certificates that both checkers accept, whatever numbers their parts are made of."""

from __future__ import annotations

from typing import Any

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from verify.check_proof import check
from verify.engine.certificates import recheck
from verify.engine.model.expressions import Excess
from verify.engine.proof.extremes import excess_tree
from verify.engine.proof.sizes import slack_at

x, y, z, w = sp.symbols("x y z w", real=True)
p, q = sp.symbols("p q", positive=True)
a = sp.Symbol("a", positive=True)


def accepted(certificate: Any) -> bool:
    if certificate is None:
        return False
    check(dict(certificate))
    recheck(certificate)
    return True


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from([x, y, x - y, a * x]), min_size=2, max_size=3, unique=True))
def test_a_largest_is_no_smaller_than_any(parts: list[sp.Expr]) -> None:
    assert accepted(slack_at(parts[0], sp.Max(*parts), Excess(*parts), {}))


@pytest.mark.parametrize("slack", [Excess(x, y), 2 * Excess(x, y)])
def test_another_slack_is_none(slack: sp.Expr) -> None:
    assert slack_at(sp.Abs(x + 2 * y), sp.Abs(x) + 2 * sp.Abs(y), slack, {}) is None


def test_an_excess_is_over_one_of_several():
    larger = ["max", "x", "y"]
    assert excess_tree(Excess(x, y)) == excess_tree(Excess(x + z, y + z)) == ["-", larger, "x"]
    assert excess_tree(Excess(x - p, x, y)) == ["+", ["-", larger, "x"], "p"]  # left out, as x is larger
    assert excess_tree(Excess(p, -q)) == "0"
    assert excess_tree(Excess(-q, p)) == ["+", "p", "q"]
    assert excess_tree(Excess(x + sp.Max(y, z), w)) is None
