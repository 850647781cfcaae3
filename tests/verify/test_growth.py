"""Orders with explicit constants: certificates that hold in numbers, and none for terms that outgrow the claim."""

from __future__ import annotations

from copy import deepcopy

import pytest
import sympy as sp

from verify.check_proof import Refused, check
from verify.engine.certificates.growth import dominated
from verify.engine.certificates.recheck import Rejected, recheck

T, K = sp.symbols("T K", integer=True, positive=True)
a, b = sp.symbols("a b", positive=True)
x = sp.Symbol("x", real=True)
WITHIN = {
    "a power": (a / T**2, 1 / T, (T,)),
    "a root": (a / sp.sqrt(T) + b / T, 1 / sp.sqrt(T), (T,)),
    "a third": (a * T ** sp.Rational(1, 3), sp.sqrt(T), (T,)),
    "what is less than one": (T / (1 - a / sp.sqrt(T) - b / T), T, (T,)),
    "of any sign": ((x * T + a) / (T**2 + x * T), 1 / T, (T,)),
    "two together": (a * T * K / ((T - 1) * (K**2 + 1)), 1 / K, (T, K)),
}
BEYOND = {
    "a power": (a * T**2, T, (T,)),
    "a root": (a * sp.sqrt(T), sp.Integer(1), (T,)),
    "one of two": (a * T / K, 1 / K, (T, K)),
    "together": (T * K / (T + K), sp.Integer(1), (T, K)),
    "a logarithm": (sp.log(T) / T, 1 / T, (T,)),
}


@pytest.mark.parametrize("case", WITHIN.values(), ids=WITHIN)
def test_terms_of_the_order_have_certificates(case: tuple[sp.Expr, sp.Expr, tuple[sp.Symbol, ...]]) -> None:
    found = dominated(*case)
    assert found is not None
    check(dict(found.certificate))
    recheck(found.certificate)
    assert found.letters["d"]


@pytest.mark.parametrize("case", BEYOND.values(), ids=BEYOND)
def test_terms_beyond_it_have_none(case: tuple[sp.Expr, sp.Expr, tuple[sp.Symbol, ...]]) -> None:
    assert dominated(*case) is None


def test_half_of_the_constant_is_no_proof() -> None:
    found = dominated(*WITHIN["what is less than one"])
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
    found = dominated((x * T + a) / (x * T), sp.Integer(1), (T,))
    assert found is not None
    assert found.where == "x > 0"
