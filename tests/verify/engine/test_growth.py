"""Orders with explicit constants: certificates that hold in numbers, and none for terms that outgrow the claim."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import pytest
import sympy as sp

from verify.check_proof import Refused, check
from verify.engine.certificates.recheck import Rejected, recheck
from verify.engine.tactics.growth import order_proof

T, K = sp.symbols("T K", integer=True, positive=True)
a, b, p, q = sp.symbols("a b p q", positive=True)
x = sp.Symbol("x", real=True)
WITHIN = {
    "a power": (a / T**2, 1 / T, (T,)),
    "a root": (a / sp.sqrt(T) + b / T, 1 / sp.sqrt(T), (T,)),
    "a third": (a * T ** sp.Rational(1, 3), sp.sqrt(T), (T,)),
    "what is less than one": (T / (1 - a / sp.sqrt(T) - b / T), T, (T,)),
    "of any sign": ((x * T + a) / (T**2 + x * T), 1 / T, (T,)),
    "the root of a sum": (b * sp.sqrt(a * T + b) + a, sp.sqrt(a * T + b) + b, (T,)),
    "under the root of a sum": (a, sp.sqrt(a * T - b) - b, (T,)),
    "two together": (a * T * K / ((T - 1) * (K**2 + 1)), 1 / K, (T, K)),
}
BEYOND = {
    "a power": (a * T**2, T, (T,)),
    "a root": (a * sp.sqrt(T), sp.Integer(1), (T,)),
    "one of two": (a * T / K, 1 / K, (T, K)),
    "together": (T * K / (T + K), sp.Integer(1), (T, K)),
    "the root of a sum": (sp.sqrt(a * T + b), sp.Integer(1), (T,)),
    "a root that shrinks": (a, sp.sqrt(b + a / T) - b, (T,)),
    "a root that need not grow": (a, sp.sqrt(x * T + b) - b, (T,)),
    "a logarithm": (sp.log(T) / T, 1 / T, (T,)),
}


@pytest.mark.parametrize("case", WITHIN.values(), ids=WITHIN)
def test_terms_of_the_order_have_certificates(case: tuple[sp.Expr, sp.Expr, tuple[sp.Symbol, ...]]) -> None:
    found = order_proof(*case)
    assert found is not None
    check(dict(found.certificate))
    recheck(found.certificate)
    assert found.letters["d"]


@pytest.mark.parametrize("case", BEYOND.values(), ids=BEYOND)
def test_terms_beyond_it_have_none(case: tuple[sp.Expr, sp.Expr, tuple[sp.Symbol, ...]]) -> None:
    assert order_proof(*case) is None


def test_half_of_the_constant_is_no_proof() -> None:
    found = order_proof(*WITHIN["what is less than one"])
    assert found is not None
    forged = deepcopy(dict(found.certificate))
    assert forged["claim"][2][1][1][1] == "2"
    forged["claim"][2][1][1][1] = "1"
    forged["lines"][-1]["show"] = forged["claim"]
    with pytest.raises(Refused):
        check(forged)
    with pytest.raises(Rejected):
        recheck(forged)


def test_where_it_is_shown_is_said() -> None:
    found = order_proof((x * T + a) / (x * T), sp.Integer(1), (T,))
    assert found is not None
    assert found.where == "x > 0"


AT = {"T": 81.0, "K": 16.0, "a": 0.7, "b": 1.3, "x": -2.5}
"""Numbers at which certificates are evaluated again."""


def read(formula, at) -> float:
    """The value of a formula of a certificate."""
    if isinstance(formula, str):
        return at[formula] if formula in at else float(sp.Rational(formula))
    head, *parts = formula
    values = [read(part, at) for part in parts]
    if head in "*+":
        return float(np.prod(values) if head == "*" else sum(values))
    return {"/": lambda n, d: n / d, "^": pow, "abs": abs}[head](*values)


def number(formula: sp.Expr) -> float:
    return float(formula.subs({symbol: AT[symbol.name] for symbol in (T, K, a, b, x)}))


@pytest.mark.parametrize(
    "case", [*WITHIN.values(), (1 / (1 - T), 1 / T, (T,)), ((a - b) / T, 1 / T, (T,))], ids=str
)
def test_a_certificate_is_about_the_term_and_the_claim(
    case: tuple[sp.Expr, sp.Expr, tuple[sp.Symbol, ...]],
) -> None:
    """Its sides are the term and the claimed order, up to common factors; its constant is explicit."""
    term, claimed, variables = case
    found = order_proof(*case)
    assert found is not None
    root = {v: 6 if "1/3" in str(case) else 2 if "sqrt(T)" in str(case) else 1 for v in variables}
    bases = {f"root of {v.name}": AT[v.name] ** (1 / root[v]) for v in variables}
    symbols = {symbol.name: symbol for symbol in (T, K, a, b, x)}
    at = bases | {name: number(sp.sympify(said, symbols)) for name, said in found.letters.items()}
    _, above, (_, constant, below) = found.certificate["claim"]
    quotient = number(term / claimed)
    assert read(above, at) / read(below, at) == pytest.approx(quotient)
    sizes = sum(abs(value) for name, value in at.items() if name.startswith("a"))
    minus = any(part[:2] == ["*", "-1"] for part in below[1:])
    assert read(constant, at) == pytest.approx((2 if minus else 1) * sizes / at["d"])
    for name, domain in found.certificate["symbols"].items():
        assert domain == "real" or at[name] >= 0
        assert domain != "positive" or at[name] > 0


def test_large_enough_is_said_in_numbers() -> None:
    """T/(T - b) is at most 2 for T >= 1 + 2 b."""
    found = order_proof(T / (T - b), sp.Integer(1), (T,))
    assert found is not None
    assert (found.letters, found.where) == ({"d": "1", "a0": "1", "b2": "b"}, "")
    (given, *_) = found.certificate["lines"]
    assert given == {
        "given": ["<=", ["+", "1", ["/", ["*", "2", ["+", "b2"]], "d"]], "root of T"],
        "by": "large enough",
    }
    plain = order_proof(T / (T + b), sp.Integer(1), (T,))
    assert plain is not None
    assert plain.certificate["lines"][0]["given"] == ["<=", "1", "root of T"]


@pytest.mark.parametrize(
    ("small", "large", "found"),
    [
        (p, p + 1, True),
        (p + 1, p, True),
        (p**2, p, False),
        (p / (p - 1), sp.Integer(1), True),
        (p**3 / (p**2 - p), p, True),
        (p * q, p**2 - q, None),
    ],
    ids=str,
)
def test_growth_is_certified_where_it_is_so(small, large, found):
    order = order_proof(small, large, (p,) if found is not None else (p, q))
    assert (order is not None) == bool(found)
    if order is not None:
        recheck(order.certificate)
