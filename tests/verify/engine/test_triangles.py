"""Detours and excesses have certificates that both checkers accept, whatever numbers their parts are made of."""

from __future__ import annotations

from typing import Any

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from verify.check_proof import check
from verify.engine.certificates import recheck
from verify.engine.model.expressions import Detour, Excess
from verify.engine.proof.sizes import slack_at
from verify.engine.proof.triangles import detour_lines, excess_tree

x, y, z, w = sp.symbols("x y z w", real=True)
p, q = sp.symbols("p q", positive=True)
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


@pytest.mark.parametrize(
    ("detour", "split", "beyond"),
    [
        (
            Detour(x, y),
            ["abs", ["+", "x", "y"]],
            [["*", "1", ["-", ["abs", "x"], "x"]], ["*", "1", ["-", ["abs", "y"], "y"]]],
        ),
        (Detour(p, -q), ["abs", ["+", "p", ["*", "-1", "q"]]], ["0", ["*", "2", "q"]]),
        (Detour(p, q), None, ["0", "0"]),
        (Detour(-p, -q), None, ["0", "0"]),
        (Detour(p * x, -p * x), None, [["*", "p", ["abs", "x"]]] * 2),
        (Detour(0, p), None, ["0"]),
    ],
    ids=str,
)
def test_a_detour_has_a_line_of_what_each_way_is_longer(detour, split, beyond):
    (line,) = detour_lines(detour, 7)
    assert line.get("split") == split
    if split is None:
        assert line["as"] == ["+", *beyond]
    else:
        first, second = line["parts"]
        assert first == [{"show": line["show"], "as": ["+", *beyond, ["*", "1", ["slack", 7]]]}]
        assert [step["show"] for step in second] == [line["show"]]


@pytest.mark.parametrize(
    "detour", [Detour(sp.Abs(x), sp.Abs(y)), Detour(y * sp.Abs(x), w * sp.Abs(x))], ids=str
)
def test_a_detour_of_lengths_has_no_line(detour):
    assert detour_lines(detour, 0) is None


def test_an_excess_is_over_one_of_several():
    larger = ["max", "x", "y"]
    assert excess_tree(Excess(x, y)) == excess_tree(Excess(x + z, y + z)) == ["-", larger, "x"]
    assert excess_tree(Excess(x - p, x, y)) == ["+", ["-", larger, "x"], "p"]  # left out, as x is larger
    assert excess_tree(Excess(p, -q)) == "0"
    assert excess_tree(Excess(-q, p)) == ["+", "p", "q"]
    assert excess_tree(Excess(x + sp.Max(y, z), w)) is None
