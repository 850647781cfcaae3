"""Identities and inequalities of several numbers: each proves claims at once, and holds at random numbers."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest
import sympy as sp
from sympy.core.relational import Relational

from tests.verify.engine.elementary.asking import question_of
from tests.verify.engine.elementary.values import true
from verify.check_proof import check, ends
from verify.engine.certificates.question import Question, Undecided
from verify.engine.certificates.recheck import recheck
from verify.engine.classical.exponents import by_whole_powers
from verify.engine.classical.monomials import by_values
from verify.engine.classical.monotone import by_order
from verify.engine.classical.norms import by_norms
from verify.engine.classical.tangents import by_tangents
from verify.engine.elementary.questions import Extended
from verify.engine.elementary.search import elementary
from verify.engine.proof.prover import check_answer

Way = Callable[[Question], Iterator[Extended]]
a, b, c, d, p, q, x, y = sp.symbols("a b c d p q x y", positive=True)
u, v, w, z = sp.symbols("u v w z", real=True)
T = sp.Symbol("T", integer=True, positive=True)
CONJUGATE = sp.Eq(1 / p + 1 / q, 1)
NORMS = (a**p + c**p) ** (1 / p), (b**q + d**q) ** (1 / q)
SUM_OF_NORMS = (a**p + c**p) ** (1 / p) + (b**p + d**p) ** (1 / p)
KL = p * sp.log(p / q) + (1 - p) * sp.log((1 - p) / (1 - q))
CHI = p**2 / q + (1 - p) ** 2 / (1 - q)
ROOTS = sp.sqrt(p * q) + sp.sqrt((1 - p) * (1 - q))
TRUE: dict[str, tuple[Way, Relational, tuple[Relational, ...]]] = {
    "a power of itself": (
        by_values,
        sp.Eq(x + c * (T / x) ** q, 2 * x),
        (sp.Eq(x, (c * T**q) ** (1 / (q + 1))),),
    ),
    "exp of half a logarithm": (
        by_values,
        sp.Eq((1 - p) * sp.exp(-x) + p * sp.exp(x), 2 * sp.sqrt(p * (1 - p))),
        (sp.Eq(x, sp.log((1 - p) / p) / 2), p < sp.S.Half),
    ),
    "conjugate exponents": (by_values, x**q <= x * x ** (1 / (p - 1)), (CONJUGATE, p > 1)),
    "Hoelder": (by_norms, a * b + c * d <= NORMS[0] * NORMS[1], (CONJUGATE, p > 1, q > 1)),
    "Minkowski": (by_norms, ((a + b) ** p + (c + d) ** p) ** (1 / p) <= SUM_OF_NORMS, (p >= 1,)),
    "power of a sum": (by_norms, (a + b + c) ** p <= a**p + b**p + c**p, (p <= 1,)),
    "weighted mean": (by_norms, q * x**p + (1 - q) * y**p <= (q * x + (1 - q) * y) ** p, (p < 1, q < 1)),
    "Jensen": (by_tangents, sp.log(CHI) >= KL, (p < 1, q < 1)),
    "log-sum": (
        by_tangents,
        a * sp.log(a / b) + c * sp.log(c / d) >= (a + c) * sp.log((a + c) / (b + d)),
        (),
    ),
    "with roots": (by_tangents, -2 * sp.log(ROOTS) <= KL, (p < 1, q < 1)),
    "exponents in order": (
        by_order,
        sp.exp(u) / (sp.exp(u) + sp.exp(v)) <= sp.exp(2 * a) * sp.exp(z) / (sp.exp(z) + sp.exp(w)),
        (sp.Abs(u - z) <= a, sp.Abs(v - w) <= a),
    ),
    "power of a minimum": (by_order, sp.Min(x, c) ** 2 <= c ** (2 - p) * x**p, (p <= 2,)),
    "power of a maximum": (by_order, sp.Max(x, c) ** p <= x**p + c**p, ()),
    "whole power": (by_whole_powers, (1 - q) / (1 - q**T) <= 1, (q < 1,)),
}
FALSE: dict[str, tuple[Way, Relational, tuple[Relational, ...]]] = {
    "another multiple": (by_values, sp.Eq(x + c * (T / x) ** q, 3 * x), TRUE["a power of itself"][2]),
    "half of Hoelder": (by_norms, a * b + c * d <= NORMS[0] * NORMS[1] / 2, (CONJUGATE, p > 1, q > 1)),
    "exponents that are not conjugate": (by_norms, a * b + c * d <= NORMS[0] * NORMS[1], (p > 1, q > 1)),
    "exponent below 1": (by_norms, ((a + b) ** p + (c + d) ** p) ** (1 / p) <= SUM_OF_NORMS, (p <= 1,)),
    "convex power": (by_norms, (a + b) ** p <= a**p + b**p, (p >= 1,)),
    "half of Jensen": (by_tangents, sp.log(CHI) / 2 >= KL, (p < 1, q < 1)),
    "exponents in no order": (
        by_order,
        sp.exp(u) / (sp.exp(u) + sp.exp(v)) <= sp.exp(a) * sp.exp(z) / (sp.exp(z) + sp.exp(w)),
        (sp.Abs(u - z) <= a, sp.Abs(v - w) <= a),
    ),
    "power of a minimum with a large exponent": (
        by_order,
        sp.Min(x, c) ** 2 <= c ** (2 - p) * x**p,
        (p >= 2,),
    ),
    "base above 1": (by_whole_powers, q**T <= q, (q > 1,)),
}


@pytest.mark.parametrize("name", TRUE)
def test_a_claim_is_proved_by_a_law(name: str) -> None:
    way, relation, conditions = TRUE[name]
    question = question_of(relation, *conditions)
    answer = elementary(next(way(question)), 400)
    assert not isinstance(answer, Undecided)
    check(answer)
    recheck(answer)
    check_answer(question, answer)


@pytest.mark.parametrize("name", [name for name, (way, *_) in TRUE.items() if way == by_values])
def test_laws_of_products_hold_without_the_equations_of_the_claim(name: str) -> None:
    _, relation, conditions = TRUE[name]
    for asked in by_values(question_of(relation, *conditions)):
        spoken = {end for law in asked.laws for end in ends(law.relation)}
        assert asked.values
        assert not spoken & {symbol for symbol, _ in asked.values}


@pytest.mark.parametrize("name", FALSE)
def test_a_false_claim_has_no_proof(name: str) -> None:
    way, relation, conditions = FALSE[name]
    asked = way(question_of(relation, *conditions))
    assert all(isinstance(elementary(one, 100), Undecided) for one in asked)


@pytest.mark.parametrize("name", [*TRUE, *FALSE])
def test_laws_hold_at_random_numbers(name: str) -> None:
    way, relation, conditions = {**TRUE, **FALSE}[name]
    laws = {str(law.relation): law for asked in way(question_of(relation, *conditions)) for law in asked.laws}
    symbols, draw, met = (a, b, c, d, p, q, x, y, u, v, w, z, T), random.Random(1), 0
    equations = [r for r in conditions if isinstance(r, sp.Eq)]
    solved = [(q, p / (p - 1)) if r == CONJUGATE else r.args for r in equations]
    values = [(s, sp.lambdify(symbols, v, "math")) for s, v in solved]
    meets = [sp.lambdify(symbols, r, "math") for r in conditions if r not in equations]
    for _ in range(200):
        numbers = {s: draw.choice([draw.uniform(0.01, 1), draw.uniform(0.1, 5)]) for s in symbols}
        numbers |= {s: draw.uniform(-2, 2) for s in (u, v, w, z)} | {T: draw.randint(1, 9)}
        try:
            for symbol, at in values:
                numbers[symbol] = float(at(*numbers.values()))
        except (ArithmeticError, ValueError):
            continue
        if numbers[q] > 0 and all(meet(*numbers.values()) for meet in meets):
            met += 1
            assert all(true(law.relation, {s.name: n for s, n in numbers.items()}) for law in laws.values())
    assert met
