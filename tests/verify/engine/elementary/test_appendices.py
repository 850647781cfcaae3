"""Steps of appendices that need sums beside quotients, several sequences, products of exponentials, or tangents elsewhere."""

from __future__ import annotations

import pytest
import sympy as sp

from bounds.relations import eq, le
from tests.verify.engine.elementary.asking import question_of, require_proof
from tests.verify.engine.elementary.values import true
from verify.engine.certificates.question import Undecided
from verify.engine.elementary.exponentials import convexity, tangents_at_multiples
from verify.engine.elementary.extended import extensions
from verify.engine.elementary.law import POWER_BELOW
from verify.engine.proof.prover import follows_by_laws
from verify.engine.tactics.prove import prove

a, b, c, x = sp.symbols("a b c x", positive=True)
u, v = sp.symbols("u v", real=True)
N, K, T, t = sp.symbols("N K T t", integer=True, positive=True)
k = sp.Symbol("k", integer=True, positive=True)
i = sp.Symbol("i", integer=True)
r, d, s = (sp.IndexedBase(sp.Symbol(name, nonnegative=True)) for name in "rds")
y, w = sp.IndexedBase("y"), sp.IndexedBase(sp.Symbol("w", positive=True))
Sum, exp, log = sp.Sum, sp.exp, sp.log
COUPLED = (le(r[t], (1 - a) * r[t - 1] + b * d[t - 1]), le(d[t], (1 - a) * d[t - 1]), a < 1)
SUMMED = (le(r[t], c + a * Sum(r[i], (i, 0, t - 1))), r[0] <= c)
SQUARED = (le(r[t], a * r[t - 1] ** 2), a * r[0] <= sp.Rational(1, 2))
LOSSES = (le(r[t], (1 - a) * r[t - 1] - b * d[t] + c), a < 1)
WEIGHTED = Sum(w[i], (i, 1, N)) * Sum(y[i] ** 2 / w[i], (i, 1, N))
TRUE = {
    "Titu": (Sum(y[i], (i, 1, N)) ** 2 <= WEIGHTED,),
    "two indices": (Sum(b ** (k - i), (i, 1, k), (k, 1, T)) <= T / (1 - b), b < 1),
    "coupled": (le(r[T], (1 - a) ** T * r[0] + T * b * (1 - a) ** (T - 1) * d[0]), *COUPLED),
    "Gronwall": (le(r[T], c * (1 + a) ** T), *SUMMED),
    "squared": (le(a * r[T], 2 ** (-T - 1)), *SQUARED),
    "step log T / T": (le((1 - log(T) / T) ** T, 1 / T),),
    "tangent at 2 a": (le(a * log(x), x), x >= 2 * a * log(a)),
    "weights": (
        Sum(d[i] * y[i], (i, 1, N)) ** 2 <= Sum(d[i] * y[i] ** 2, (i, 1, N)),
        eq(Sum(d[i], (i, 1, N)), 1),
    ),
    "cubes": (Sum(1 / k**3, (k, 1, T)) <= sp.Rational(5, 4),),
    "noise adds up": (le(r[T], r[0] + b), le(r[t], r[t - 1] + b / (t * (t + 1)))),
    "noise fades": (le(r[T], r[0] + c * b / (1 - b)), le(r[t], r[t - 1] + c * b**t), b < 1),
    "samples": (K * exp(-N * a) <= b, le((log(K) + log(1 / b)) / a, N)),
    "drift": (le(r[T], 3 * K * b + 3 * r[0]), le(r[t], (1 + 1 / K) * r[t - 1] + b), T <= K),
    "AdaGrad": (Sum(d[i] / s[i], (i, 1, T)) <= 2 * s[T], eq(s[t] ** 2, s[t - 1] ** 2 + d[t])),
    "step 1 / root of T": (
        le(Sum(d[i], (i, 1, T)) / T, (r[0] + c) / sp.sqrt(T)),
        le(r[t], r[t - 1] - a * d[t] + a**2 * c),
        eq(a, 1 / sp.sqrt(T)),
    ),
    "step log T / T in a recursion": (
        le(r[T], r[0] / T + c * log(T) / T),
        le(r[t], (1 - log(T) / T) * r[t - 1] + c * (log(T) / T) ** 2),
        T >= 2,
    ),
    "losses beside a recursion": (le(b * Sum(d[i], (i, 1, T)), r[0] + T * c), *LOSSES),
    "weights (1 - a)^(-t)": (
        le(b * Sum(d[i] * (1 - a) ** (-i), (i, 1, T)), r[0] + c * Sum((1 - a) ** (-i), (i, 1, T))),
        *LOSSES,
    ),
    "weights t": (
        le(Sum(i * d[i], (i, 1, T)), c * T),
        le(r[t], (1 - 2 / (t + 1)) * r[t - 1] - d[t] / (t + 1) + c / (t + 1) ** 2),
    ),
    "power of a sum": (le((a + b) ** c, a**c + b**c), c <= 1),
    "powers grow": (le((b - a) ** c, b**c - a**c), a < b, c >= 1),
    "means": (le(a**c * b ** (1 - c), c * a + (1 - c) * b), c <= 1),
    "Stirling": (le((N / sp.E) ** N, sp.factorial(N)),),
    "binomial": (le((N / K) ** K, sp.binomial(N, K)), K <= N),
}
FALSE = {
    "power of a sum": (le((a + b) ** c, a**c + b**c), c >= 1),
    "powers grow": (le((b - a) ** c, b**c - a**c), a < b, c <= 1),
    "means": (le(a**c * b ** (1 - c), c * a + (1 - c) * b), c <= 2),
    "AdaGrad": (Sum(d[i] / s[i], (i, 1, T)) <= s[T], eq(s[t] ** 2, s[t - 1] ** 2 + d[t])),
    "weights t": (
        le(Sum(i * d[i], (i, 1, T)), c * T / 8),
        le(r[t], (1 - 2 / (t + 1)) * r[t - 1] - d[t] / (t + 1) + c / (t + 1) ** 2),
    ),
    "drift": (le(r[T], 2 * K * b + 2 * r[0]), le(r[t], (1 + 1 / K) * r[t - 1] + b), T <= K),
    "Titu": (Sum(y[i], (i, 1, N)) ** 2 <= WEIGHTED / 2,),
    "Gronwall": (le(r[T], c * (1 + a / 2) ** T), *SUMMED),
    "weights": (
        2 * Sum(d[i] * y[i], (i, 1, N)) ** 2 <= Sum(d[i] * y[i] ** 2, (i, 1, N)),
        eq(Sum(d[i], (i, 1, N)), 1),
    ),
    "noise fades": (le(r[T], r[0] + c * b / (2 - b)), le(r[t], r[t - 1] + c * b**t), b < 1),
    "tangent at 2 a": (le(2 * a * log(x), x), x >= 2 * a * log(a)),
}


@pytest.mark.parametrize("name", TRUE)
def test_a_true_claim_is_proved(name):
    require_proof(question_of(*TRUE[name]))


@pytest.mark.parametrize("name", FALSE)
def test_a_false_claim_is_not(name):
    assert follows_by_laws(question_of(*FALSE[name]), 40) is None


@pytest.mark.parametrize(("bound", "proved"), [(sp.Abs(u - v), True), (sp.Abs(u - v) / 2, False)])
def test_clipping_is_proved_nonexpansive_by_cases_some_of_which_are_contradictory(bound, proved):
    clipped = [sp.Min(sp.Max(one, -c), c) for one in (u, v)]
    answer = prove(question_of(le(clipped[0] - clipped[1], bound)), 100)
    assert isinstance(answer, Undecided) != proved


def test_tangents_at_multiples_hold_at_all_numbers():
    laws = list(tangents_at_multiples([le(a * log(x), x), le(3 * a * log(a), x)]))
    assert len(laws) > 4
    for first in (0.01, 0.4, 1.0, 7.0, 300.0):
        for second in (0.02, 1.0, 2.0, 900.0):
            assert all(true(law.relation, {"a": first, "x": second}) for law in laws)


def test_a_product_of_exponentials_is_a_point_with_the_sum_of_its_exponents():
    laws = list(convexity([le(exp(v), exp(u) * exp(-x))], lambda formula: bool(formula.is_positive)))
    both = {"u": 0.3, "v": -1.2, "x": 2.0}
    assert all(true(law.relation, both) for law in laws)
    assert sum(str(law.relation).count("'exp'") > 2 for law in laws) >= 6


def test_the_base_of_a_bounded_power_must_be_nonnegative():
    for base, known in ((1 - log(T) / T, True), (1 - 2 * log(T) / T, False)):
        laws = [law for asked in extensions(question_of(le(base**T, b))) for law in asked.laws]
        assert any(law.name == POWER_BELOW for law in laws) == known


def test_conditions_with_sums_are_not_used_before_their_least_index():
    rule = le(r[t], c + a * Sum(r[i], (i, 0, t - 1)))
    question = question_of(le(r[T], c * (1 + a) ** T), rule)  # nothing is known of r[0]
    assert follows_by_laws(question, 40) is None


def test_sums_over_two_indices_have_equations_only_where_they_are_defined():
    relation = eq(Sum(b ** (k - i), (i, 1, k), (k, 1, T)), T / (1 - b))
    assert follows_by_laws(question_of(relation), 40) is None
