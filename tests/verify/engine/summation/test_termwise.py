"""Sums of bounds of their terms are true bounds, and need bounds of all parts and their places."""

from __future__ import annotations

import random

import pytest
import sympy as sp

from bounds.relations import ge, le
from tests.verify.engine.elementary.asking import question_of, require_proof
from verify.engine.summation.termwise import bounded_terms, limits_of_entries

n, t, k = sp.symbols("n t k", integer=True, positive=True)
i = sp.Symbol("i", integer=True)
b, c, q = sp.symbols("b c q", positive=True)
x = sp.IndexedBase("x")
d, e = (sp.IndexedBase(sp.Symbol(name, nonnegative=True)) for name in "de")
CONDITIONS = (le(d[t], c), ge(e[t], b * t), le(sp.Abs(x[t]), c))


def _nonnegative(formula: sp.Expr) -> bool:
    return bool(formula.is_nonnegative)


def _found(total: sp.Sum) -> list[sp.Rel]:
    limits = limits_of_entries(CONDITIONS)
    return [relation for relation, _ in bounded_terms(total, limits, _nonnegative, ())]


SUMS = {
    "entries": (sp.Sum(q**i * d[n - i] ** 2, (i, 0, n - 1)), 2),
    "both directions": (sp.Sum(d[i] / (1 + e[i]), (i, 1, n)), 1),
    "absolute values": (sp.Sum(i * x[i] ** 2 + sp.Abs(x[i]), (i, 1, n)), 2),
    "chords": (sp.Sum(d[i] ** 2 / i - d[i], (i, 1, n)), 1),
    "floors": (sp.Sum(sp.floor(n / k), (k, 1, n)), 2),
    "ceilings": (sp.Sum(-sp.ceiling(k / 2) * k, (k, 1, n)), 2),
}


@pytest.mark.parametrize(("total", "number"), SUMS.values(), ids=SUMS)
def test_bounds_of_terms_are_true(total: sp.Sum, number: int) -> None:
    chance, found = random.Random(1), _found(total)
    assert len(found) == number
    for _ in range(5):
        size = chance.randint(1, 5)
        here = {
            n: size,
            b: chance.randint(1, 3),
            c: chance.randint(1, 3),
            q: chance.choice([sp.Rational(2, 3), sp.Rational(4, 3)]),
        }
        entries = {d[p]: here[c] * sp.Rational(chance.randint(0, 4), 4) for p in range(1, 7)}
        entries |= {e[p]: here[b] * p + chance.randint(0, 2) for p in range(1, 7)}
        entries |= {x[p]: here[c] * sp.Rational(chance.randint(-4, 4), 4) for p in range(1, 7)}
        for relation in found:
            small, large = (side.subs(here).doit().subs(entries) for side in (relation.lts, relation.gts))
            assert small <= large, (relation, here)


def test_bounds_need_their_places_and_signs() -> None:
    for total in (
        sp.Sum(d[i], (i, 0, n)),
        sp.Sum(d[n - i], (i, 0, n)),
        sp.Sum(x[i], (i, 1, n)),
        sp.Sum(x[i] ** 3, (i, 1, n)),
        sp.Sum(x[2] * d[i], (i, 1, n)),
        sp.Sum(d[i], (i, 1, n - 3)),
        sp.Sum((b - c) * d[i], (i, 1, n)),
    ):
        assert not _found(total)


def test_a_discounted_sum_of_bounded_losses_is_bounded() -> None:
    total, small = sp.Sum(q**i * d[n - i], (i, 0, n - 1)), sp.Lt(q, 1, evaluate=False)
    require_proof(question_of(le(total, c / (1 - q)), le(d[t], c), small))
    require_proof(question_of(le(sp.Sum(sp.ceiling(k / 2), (k, 1, n)), n * (n + 3) / 4)))
