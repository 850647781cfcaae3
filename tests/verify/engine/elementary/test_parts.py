"""Claims that are several claims at once, squares of conditions with roots, chords of roots, and mean values."""

from __future__ import annotations

import random

import pytest
import sympy as sp
from sympy.core.relational import Relational

from tests.verify.engine.elementary.values import true
from verify.engine.certificates.question import Question, Undecided
from verify.engine.elementary.law import CHORD, LEAST
from verify.engine.elementary.minima import by_chords, by_mean_values, by_minima
from verify.engine.elementary.parts import parts_of, with_parts
from verify.engine.elementary.powers import squared
from verify.engine.tactics.prove import prove

a, b, c, p, x = sp.symbols("a b c p x", positive=True)
u, v = sp.symbols("u v", real=True)
HALF = sp.Rational(1, 2)


def _question(relation: Relational, *conditions: Relational) -> Question:
    return Question(relation, tuple((condition, "condition") for condition in conditions))


@pytest.mark.parametrize(
    ("relation", "count"),
    [
        (sp.Abs(u) + a <= b, 2),
        (a * sp.Max(u, v, 1) - b <= c, 3),
        (u <= sp.Min(a, b), 2),
        (sp.Abs(u - v) <= sp.Min(a, b), 4),
        (-sp.Abs(u) <= a, 1),
        (a <= sp.Max(u, v), 1),
        (u * sp.Abs(v) <= a, 1),
        (sp.Eq(sp.Abs(u), a), 1),
    ],
)
def test_parts_together_say_what_the_claim_says(relation: Relational, count: int) -> None:
    parts, draw = parts_of(relation), random.Random(3)
    assert len(parts) == count
    symbols = sorted(relation.free_symbols, key=str)
    for _ in range(30):
        numbers = {s: sp.Rational(draw.randint(1 if s.is_positive else -9, 9), 4) for s in symbols}
        assert bool(relation.subs(numbers)) == all(bool(part.subs(numbers)) for part in parts)


def test_a_bound_by_a_minimum_with_roots_is_proved_in_parts() -> None:
    huber = _question(sp.sqrt(c**2 + u**2) - c <= sp.Min(sp.Abs(u), u**2 / (2 * c)))
    whole = with_parts(huber)
    assert whole is not None
    assert not isinstance(prove(whole), Undecided)
    assert with_parts(_question(a <= b)) is None


def test_squares_of_conditions_hold_at_random_numbers() -> None:
    log = sp.log(1 / a)
    conditions = (x >= sp.sqrt(log / (2 * b)) + c * sp.sqrt(log), x <= sp.sqrt(a), u >= sp.sqrt(log))
    laws = list(squared(conditions, lambda formula: bool(formula.is_positive)))
    assert len(laws) == 2  # only roots of logarithms on the smaller side
    assert not list(squared((x >= sp.sqrt(log) - c,), lambda formula: bool(formula.is_positive)))
    draw = random.Random(4)
    for _ in range(50):
        numbers = {s: draw.random() for s in (a, b, c)}
        least = float((conditions[0].lts).subs(numbers))
        here = {s.name: n for s, n in numbers.items()} | {"x": least + draw.random(), "u": 40.0}
        assert all(true(law.relation, here) for law in laws)


def test_a_chord_of_a_root_needs_both_ends() -> None:
    mixture = sp.sqrt(p * a + (1 - p) * b)
    jensen = mixture >= p * sp.sqrt(a) + (1 - p) * sp.sqrt(b)
    (asked,) = by_chords(_question(jensen, p <= 1))
    assert [law.name for law in asked.laws] == [CHORD]
    assert not list(by_chords(_question(jensen)))
    assert not list(by_chords(_question(mixture >= p * sp.sqrt(a) + sp.sqrt(b), p <= 1)))
    assert not list(by_chords(_question(p**2 * sp.sqrt(p) >= p, p <= 1)))  # convex
    assert not list(by_chords(_question(sp.sqrt(p) >= p, p <= HALF)))  # not 0 at 1/2


def _softplus(number: sp.Expr) -> sp.Expr:
    return sp.log(1 + sp.exp(number))


def _sigmoid(number: sp.Expr) -> sp.Expr:
    return 1 / (1 + sp.exp(-number))


@pytest.mark.parametrize(
    ("relation", "conditions", "count"),
    [
        (sp.Abs(_softplus(u) - _softplus(v)) <= sp.Abs(u - v), (), 1),
        (_softplus(u) - _softplus(v) <= sp.Max(u - v, 0), (), 1),
        (_softplus(v) - _softplus(u) <= sp.Max(u - v, 0), (), 0),
        (sp.Abs(_softplus(u) - _softplus(v)) <= sp.Abs(u - v) / 2, (), 0),
        (sp.Abs(_sigmoid(u) - _sigmoid(v)) <= sp.Abs(u - v) / 4, (), 1),
        (sp.Abs(_sigmoid(u) - _sigmoid(v)) <= sp.Abs(u - v) / 5, (), 0),
        (sp.Abs(sp.log(a) - sp.log(b)) <= sp.Abs(a - b) / c, (a >= c, b >= c), 1),
        (sp.Abs(sp.log(a) - sp.log(b)) <= sp.Abs(a - b) / c, (a >= c,), 0),  # b may lie outside
        (sp.Abs(sp.sqrt(c + u**2) - sp.sqrt(c + v**2)) <= sp.Abs(u - v), (), 1),
        (sp.Abs(_softplus(u) - _softplus(v) + 1) <= sp.Abs(u - v), (), 0),  # not 0 at v
    ],
)
def test_the_mean_value_theorem_bounds_changes(
    relation: Relational, conditions: tuple[Relational, ...], count: int
) -> None:
    assert len(list(by_mean_values(_question(relation, *conditions)))) == count


def test_a_condition_on_an_absolute_value_bounds_a_symbol_on_both_sides() -> None:
    bound = sp.exp(-a * u) <= 1 - a * u + a**2 * u**2
    names = [law.name for asked in by_minima(_question(bound, a * sp.Abs(u) <= 1)) for law in asked.laws]
    assert LEAST in names
    assert not [law for asked in by_minima(_question(bound)) for law in asked.laws if law.name == LEAST]
