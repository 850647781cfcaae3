"""Potentials of sums, conditions with fewer sequences, and maxima in recursions: true claims are proved, no false one."""

from __future__ import annotations

import pytest
import sympy as sp

from bounds.relations import eq, ge, le
from tests.verify.engine.elementary.asking import question_of, require_proof
from verify.engine.proof.prover import follows_by_laws
from verify.engine.rounds.fewer import with_fewer_sequences
from verify.engine.rounds.gains import with_gains_in_potentials
from verify.engine.rounds.potentials import with_potentials
from verify.engine.rounds.telescoping import bounds_of_distances, bounds_of_terms, potentials_added_up

a, b, c, q, D, G, eta = sp.symbols("a b c q D G eta", positive=True)
T, t, n = sp.symbols("T t n", integer=True, positive=True)
i = sp.Symbol("i", integer=True)
r, d, e = (sp.IndexedBase(sp.Symbol(name, nonnegative=True)) for name in "rde")
w = sp.IndexedBase(sp.Symbol("w", positive=True))
f, g = sp.IndexedBase("f"), sp.IndexedBase("g")
FEW = 80
"""Limit on polynomials of an attempt that must fail."""
BIASED = (le(f[t], f[t - 1] - eta / 2 * d[t] ** 2 + eta / 2 * e[t] ** 2), ge(f[t], b), le(e[t], c))
FALLS = (le(r[t], r[t - 1] - d[t] ** 2), ge(d[t], D))
CLAIMS = {
    "biased": (eta * sp.Sum(d[i] ** 2, (i, 1, T)), 2 * (f[0] - b) + eta * T * c**2, *BIASED),
    "regret": (
        sp.Sum(g[i], (i, 1, T)),
        D * sp.sqrt(T),
        *(le(g[t], sp.sqrt(t) * (r[t - 1] - r[t])), le(r[t], D), le(r[0], D)),
    ),
    "weights from 0": (
        a * sp.Sum((1 - a) ** (-i - 1) * d[i], (i, 0, T)),
        r[0],
        *(le(r[t], (1 - a) * r[t - 1] - a * d[t - 1]), a < 1),
    ),
    "its own sum": (
        sp.Sum(d[i], (i, 1, T)),
        2 / q * d[0] + 4 * T * c / q**2,
        *(le(d[t], (1 - q / 2) * d[t - 1] + 2 * c / q), le(q, 1)),
    ),
    "stopping": (T * D**2, r[0], *FALLS),
    "sum below a bound of an entry": (
        sp.Sum(d[i] / sp.sqrt(r[i]), (i, 1, T)),
        2 * sp.sqrt(r[0] + b * T),
        *(eq(r[t], r[t - 1] + d[t]), le(d[t], b), ge(r[0], 1)),
    ),
    "last of falling losses": (
        d[T],
        r[0] / (2 * eta * T),
        *(le(r[t], r[t - 1] - 2 * eta * d[t]), le(d[t], d[t - 1])),
    ),
    "a weight of unknown sign": (
        (a - 2 * b * c) * sp.Sum(d[i], (i, 1, T)),
        r[0] + 2 * b * e[0],
        *(le(r[t], r[t - 1] - a * d[t] + b * e[t - 1]), le(e[t], e[t - 1] / 2 + c * d[t])),
    ),
    "two sequences": (
        d[T],
        (d[0] + r[0]) / (T + 1) ** 2,
        le(d[t], (t**2 * d[t - 1] + r[t - 1] - r[t]) / (t + 1) ** 2),
    ),
    "step of a logarithm": (
        r[T],
        r[0] / T + b * sp.log(T) / T,
        *(le(r[t], (1 - a) * r[t - 1] + a**2 * b), eq(a, sp.log(T) / T), ge(T, 2)),
    ),
    "error that fades": (
        sp.Sum(d[i], (i, 0, T - 1)),
        2 * r[0] / eta + e[0] / a,
        *(le(r[t], r[t - 1] - eta / 2 * d[t - 1] + eta / 2 * e[t - 1]), le(e[t], (1 - a) * e[t - 1])),
    ),
    "drift within bounds": (r[T], 2 * c * n, le(r[t], (1 + 1 / n) * r[t - 1] + c), eq(r[0], 0), le(T, n)),
    "sum of norms": (sp.Sum(d[i], (i, 1, T)), sp.sqrt(T * r[0] / a), le(r[t], r[t - 1] - a * d[t] ** 2)),
    "sum of sums": (
        sp.Sum(r[i], (i, 0, T)),
        c * T * sp.Sum(d[i], (i, 0, T - 1)),
        *(le(r[t], r[t - 1] + c * d[t - 1]), eq(r[0], 0)),
    ),
    "growing weights": (
        sp.Sum(w[i] * (d[i - 1] - d[i]), (i, 1, T)),
        b * w[T],
        *(ge(w[t], w[t - 1]), le(d[t], b), le(d[0], b)),
    ),
    "drift": (r[T], 3 * r[0] + 3 * T * b, le(r[t], (1 + a) * r[t - 1] + b), le(a * T, 1)),
    "maximum": (r[T], sp.Max((1 - a) ** T * r[0], c), le(r[t], sp.Max((1 - a) * r[t - 1], c)), a < 1),
}


@pytest.mark.parametrize("name", CLAIMS)
def test_a_true_claim_is_proved(name: str) -> None:
    small, large, *conditions = CLAIMS[name]
    require_proof(question_of(le(small, large), *conditions))


@pytest.mark.parametrize(
    "name", ["biased", "its own sum", "stopping", "sum of norms", "last of falling losses", "two sequences"]
)
def test_a_false_claim_is_not(name: str) -> None:
    small, large, *conditions = CLAIMS[name]
    assert follows_by_laws(question_of(le(small, large / 3), *conditions), FEW) is None


def test_a_gain_with_a_recursion_is_a_part_of_a_potential() -> None:
    conditions = (le(r[t], r[t - 1] - d[t] + e[t - 1]), le(e[t], (1 - a) * e[t - 1] + b))
    (found,) = with_gains_in_potentials(conditions)[2:]
    assert sp.expand(found.gts - found.lts - (r[t - 1] - r[t] - d[t] + (e[t - 1] - e[t] + b) / a)) == 0
    assert len(with_gains_in_potentials((conditions[0], le(e[t], e[t - 1] + b)))) == 2


def test_a_sum_may_hold_several_losses() -> None:
    claim = le(sp.Sum(d[i] + 2 * e[i], (i, 1, T)), r[0] / a)
    assert list(with_potentials(claim, T, [le(r[t], r[t - 1] - a * d[t] - 2 * a * e[t])])) == [
        le(claim.lhs + r[T] / a, claim.rhs)
    ]
    assert not list(with_potentials(claim, T, [le(r[t], r[t - 1] - a * d[t] - a * e[t])]))


def test_errors_that_fade_are_added_up() -> None:
    gains = with_gains_in_potentials((le(r[t], r[t - 1] + c * e[t]), le(e[t], q * e[t - 1])))
    (found,) = potentials_added_up(gains, T)
    share = c * q / (1 - q)
    assert sp.simplify(found.lts - r[T] - share * e[T]) == 0
    assert sp.simplify(found.gts - r[0] - share * e[0]) == 0


def test_potentials_and_falling_losses_are_added_up() -> None:
    falls = (le(r[t], r[t - 1] - 2 * eta * d[t] + b / t), le(d[t], d[t - 1]))
    (found,) = potentials_added_up(falls, T)
    assert found.lts == r[T] + 2 * eta * T * d[T]
    (noise,) = found.gts.atoms(sp.Sum)
    assert found.gts == r[0] + b * noise
    assert noise.subs(T, 2).doit() == sp.Rational(3, 2)
    assert not list(potentials_added_up((le(r[t], r[t - 1] - d[t]), le(d[t], d[t - 1] + b)), T))


def test_a_potential_is_above_its_least_value() -> None:
    small, large, *conditions = CLAIMS["biased"]
    assert le(small + 2 * (f[T] - b), large) in list(with_potentials(le(small, large), T, conditions))


@pytest.mark.parametrize(
    ("bound", "less"),
    [
        (ge(d[t], D), r[t - 1] - D**2 - e[t]),
        (le(d[t], D), r[t - 1] - e[t]),
        (ge(d[t], e[t]), r[t - 1] - e[t] ** 2 - e[t]),
    ],
    ids=str,
)
def test_a_bound_replaces_an_entry_where_the_condition_stays_true(bound: sp.Basic, less: sp.Expr) -> None:
    condition = le(r[t], r[t - 1] - d[t] ** 2 - e[t])
    claim = le(r[T] + e[T], c)
    assert with_fewer_sequences(claim, (condition, bound))[2:] == (le(r[t], less),)


def test_a_bound_from_the_wrong_side_replaces_nothing() -> None:
    assert len(with_fewer_sequences(le(g[T], c), (le(g[t], g[t - 1] - f[t]), le(f[t], c)))) == 2


def test_each_term_of_a_sum_has_the_share_of_its_bound() -> None:
    x = sp.IndexedBase("x")
    drift = le(sp.Abs(x[t] - x[t - 1]), c)
    claim = le(sp.Sum(sp.Abs(x[i] - x[0]), (i, 1, T)), c * T * (T + 1) / 2)
    squares = sp.Sum((x[i] - x[0]) ** 2, (i, 1, T))
    ((far, added),) = bounds_of_distances(le(squares, c**2 * T**3), [drift], T)
    assert far == le(sp.Abs(x[T] - x[0]), c * T)
    assert added.rhs.equals(c**2 * T * (T + 1) * (2 * T + 1) / 6)
    assert not list(bounds_of_distances(le(squares, c**2 * T**3), [le(sp.Abs(x[t] + x[t - 1]), c)], T))
    assert list(bounds_of_terms(claim, [drift], T)) == [(le(sp.Abs(x[T] - x[0]), c * T),)]
    assert not list(bounds_of_terms(claim, [], T))
    assert not list(bounds_of_terms(le(sp.Sum(d[i], (i, 1, T)), c * T), [drift], T))
