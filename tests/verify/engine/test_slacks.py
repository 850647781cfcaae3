"""Certificates of facts: slacks with largest numbers, lengths and quotients, and equations between quotients."""

from __future__ import annotations

import pytest
import sympy as sp

from verify.check_proof import check
from verify.engine.certificates.recheck import recheck
from verify.engine.model.expressions import Excess, Least
from verify.engine.proof.sizes import identity_at, slack_at

x, y, z, spare = sp.symbols("x y z spare", real=True)
a, b, up = sp.symbols("a b up", positive=True)
SLACKS = {
    "one number exceeds itself by nothing": (x**2, x**2 + y**2, y**2 + Excess(-(x**2), -(x**2)), {}),
    "the largest exceeds itself by nothing": (0, y**2, y**2 + Excess(sp.Max(x, y), x, y), {}),
    "the smallest of some numbers on a side": (
        x**2 - Excess(-(x**2), -(x**2), -(y**2)),
        (x**2 + y**2) / 2,
        (Excess(-(x**2), -(x**2), -(y**2)) + Excess(-(y**2), -(x**2), -(y**2))) / 2,
        {},
    ),
    "what is left out of the largest": (
        0,
        sp.Max(sp.Abs(x), sp.Abs(y)),
        Excess(0, 0, sp.Abs(x), sp.Abs(y)),
        {},
    ),
    "what stands for itself": (y**2, y**2 + spare * x**2, spare * x**2, {spare: (spare, "0 <= spare")}),
    "a denominator that is positive": (0, x**2 / (1 - 1 / (1 + up)), x**2 * (1 + up) / up, {}),
    "a denominator that must not vanish": (0, (x / y) ** 2, (x / y) ** 2, {}),
    "the least of what each leaves": (
        sp.Max(sp.Abs(x), sp.Abs(y)),
        sp.Abs(x) + sp.Abs(y),
        Least(sp.Abs(x), sp.Abs(y)),
        {},
    ),
    "the least where one is known": (a, 3 * a, Least(2 * a, 3 * a), {}),
}
WRONG = {
    "another stands for it": (y**2, y**2 + spare * x**2, spare * x**2, {}),
    "the least of others": (sp.Max(sp.Abs(x), sp.Abs(y)), sp.Abs(x), Least(sp.Abs(x), sp.Abs(y)), {}),
    "the largest of others": (0, sp.Max(x, y), Excess(0, x, y), {}),
}


@pytest.mark.parametrize("kind", SLACKS)
def test_a_slack_has_a_certificate(kind: str) -> None:
    found = slack_at(*SLACKS[kind])
    assert found is not None
    check(dict(found))
    recheck(found)


@pytest.mark.parametrize("kind", WRONG)
def test_a_slack_that_is_none_has_no_certificate(kind: str) -> None:
    assert slack_at(*WRONG[kind]) is None


def test_what_stands_for_a_formula_has_no_sign_but_by_its_condition() -> None:
    s, stand_in = sp.Symbol("s", real=True), sp.Symbol("stand_in", positive=True)
    found = slack_at(y**2, y**2 + stand_in, stand_in, {stand_in: (stand_in, (sp.Ge(s, 0),))})
    assert found is not None
    assert found["symbols"]["stand_in"] == "real"
    assert [line["by"] for line in found["lines"] if "given" in line] == ["condition s >= 0"]


def test_equations_between_quotients_have_certificates() -> None:
    length = sp.sqrt(x**2 + y**2)
    within = a - a * z**2
    below = a - a * z**4 - (a * z - a * z**3) ** 2 / within
    values = {"left": x * (z * x / length) / length, "right": x**2 * z / (x**2 + y**2)}
    nested = {"left": (a * z) ** 2 / below, "right": a * z**2 / (1 - z**2)}
    relation = sp.Eq(sp.Symbol("left"), sp.Symbol("right"), evaluate=False)
    for sides in (values, nested):
        (certificate,) = identity_at(relation, sides) or [None]
        assert certificate is not None
        assert {line["by"] for line in certificate["lines"] if "given" in line} <= {"defined"}
