"""Detours and excesses have certificates that both checkers accept, whatever numbers their parts are made of."""

from __future__ import annotations

from typing import Any

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from verify.check_proof import check
from verify.engine.certificates import recheck
from verify.engine.expressions import Detour, Excess
from verify.engine.sizes import slack_at

x, y = sp.symbols("x y", real=True)
a = sp.Symbol("a", positive=True)
PARTS = st.sampled_from([x, y, -2 * x, a * y, x - y, 3 * y - 3 * x, a, sp.Integer(0)])


def accepted(certificate: Any) -> bool:
    if certificate is None:
        return False
    check(dict(certificate))
    recheck(certificate)
    return True


@settings(max_examples=25, deadline=None)
@given(st.lists(PARTS, min_size=1, max_size=4))
def test_a_way_is_no_shorter_than_the_straight_line(parts: list[sp.Expr]) -> None:
    lengths, straight = sp.Add(*map(sp.Abs, parts)), sp.Abs(sp.Add(*parts))
    assert accepted(slack_at(straight, lengths, Detour(*parts), {}))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from([x, y, x - y, a * x]), min_size=2, max_size=3, unique=True))
def test_a_largest_is_no_smaller_than_any(parts: list[sp.Expr]) -> None:
    assert accepted(slack_at(parts[0], sp.Max(*parts), Excess(*parts), {}))


@pytest.mark.parametrize("slack", [Detour(x, y), 2 * Detour(x, 2 * y), Excess(x, y)])
def test_another_slack_is_none(slack: sp.Expr) -> None:
    assert slack_at(sp.Abs(x + 2 * y), sp.Abs(x) + 2 * sp.Abs(y), slack, {}) is None
