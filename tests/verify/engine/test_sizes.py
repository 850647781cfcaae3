"""Certificates at symbolic values use the premises that they need, and no others."""

from __future__ import annotations

import pytest
import sympy as sp

from tests.verify.engine.simple import of
from verify.engine.certificates import recheck
from verify.engine.proof import sizes
from verify.engine.proof.sizes import identity_at, slack_at

x, y, p, q, r = sp.symbols("x y p q r", real=True)
left, right = sp.symbols("left right", real=True)
STRICT = {s: (s, (sp.Gt(s, 0),)) for s in (p, q, r)}
LAX = {s: (s, (sp.Ge(s, 0),)) for s in (p, q, r)}


def over(s):
    """x, written as a quotient that SymPy does not cancel."""
    return (x * s + s**2) / s - s


def assumed(certificate):
    """Symbols with assumptions, in order, and the justifications of these assumptions."""
    recheck(certificate)
    lines = [line for line in certificate["lines"] if "given" in line]
    assert all(line["by"] == "defined" or line["by"].startswith("condition ") for line in lines)
    return [(line["given"][1], line["by"]) for line in lines]


@pytest.mark.parametrize(
    ("side", "needed"),
    [
        (over(p) + r, [p]),
        (over(p) + over(q) - x + r, [p, q]),
        (over(r) + over(q) - x + p, [q, r]),
        (over(p) + over(q) + over(r) - 2 * x, [p, q, r]),
        (x + sp.expand((p + q) ** 2), []),
    ],
    ids=str,
)
def test_an_equation_rests_on_what_it_divides_by_alone(side, needed):
    values = {"left": side, "right": sp.simplify(side)}
    (certificate,) = identity_at(of(sp.Eq, left, right), values, STRICT)
    assert sorted(assumed(certificate)) == [(s.name, f"condition {s} > 0") for s in needed]


@pytest.mark.parametrize(
    ("small", "large", "slack", "needed"),
    [
        (x + r, x + r + y**2, y**2, []),
        (x, x + y**2 + r, y**2 + r, [r]),
        (x + p, x + p + r, r, [r]),
        (p * x, p * x + q * r, q * r, [q, r]),
    ],
    ids=str,
)
@pytest.mark.parametrize("meant", [LAX, STRICT], ids=["lax", "strict"])
def test_a_slack_rests_on_what_stands_in_it(small, large, slack, needed, meant):
    found = assumed(slack_at(small, large, slack, meant))
    assert found == [(s.name, f"condition {meant[s][1][0]}") for s in needed]


def test_a_slack_rests_besides_on_what_is_divided_by():
    found = assumed(slack_at(x / p + q, x / p + q + r, r, STRICT))
    assert found == [("r", "condition r > 0"), ("p", "condition p > 0")]


def test_a_slack_may_speak_of_what_cancels_in_it():
    positive = sp.symbols("s t", positive=True)
    share = positive[0] / (positive[0] + positive[1])
    other = positive[1] / (positive[0] + positive[1])
    certificate = slack_at(x, x + r**2, r**2 * (share + other), {})
    assert assumed(certificate) == []
    assert certificate["symbols"] == {"x": "real", "r": "real", "s": "positive", "t": "positive"}
    assert assumed(slack_at(x, x + r, r * (share + other), LAX)) == [("r", "condition r >= 0")]


def test_a_slack_of_another_size_is_none():
    assert slack_at(x, x + r, 2 * r, LAX) is None
    assert slack_at(x, x - r, -r, LAX) is None
    assert slack_at(x, x + r, r, {}) is None
    assert slack_at(x, x + r, r, LAX, sp.Lt) is None
    assert slack_at(x, x + r, r, STRICT, sp.Lt) is not None


@pytest.mark.parametrize(("formula", "used"), [(p, True), (p - y, False), (q, False)], ids=str)
def test_what_a_stand_in_says_is_used_where_the_equation_speaks_of_it(formula, used):
    """A symbol stands for a formula: if the equation contains all symbols of the formula, a condition on the symbol may
    be used.
    """
    room = sp.Symbol("room", real=True)
    meant = {room: (formula, (sp.Gt(formula, 0),))}
    (certificate,) = identity_at(of(sp.Eq, left, right), {"left": over(p), "right": x}, meant)
    rights = [right for _, right in assumed(certificate)]
    assert rights == ([f"condition {formula} > 0"] if used else ["defined"])


def test_a_record_holds_the_certificates_for_which_there_is_room(monkeypatch):
    monkeypatch.setattr(sizes, "KEPT", 12)
    some = ["of one", "one", "of two"]  # 8, 5 and 8 bytes
    assert sizes.short({"count": 3, "certificates": some}) == {"count": 3, "certificates": ["of one"]}
    assert sizes.short({"certificates": [*some[1:], "x"]}) == {"certificates": ["one", "x"]}
    assert sizes.short({"certificates": ["ten bytes.", "x"]}) == {"certificates": ["ten bytes."]}
    assert sizes.short({"certificate": "one"}) == {"certificate": "one"}
