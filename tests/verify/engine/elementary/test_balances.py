"""Potentials from the beginning of a bound or from linear equations, unrolled recursions, and powers that grow: proofs and laws."""

from __future__ import annotations

import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from bounds.relations import eq, ge, le
from tests.verify.engine.elementary.asking import question_of, require_proof
from tests.verify.engine.elementary.values import true
from verify.engine.certificates.formulas import tree, with_part
from verify.engine.elementary.laws import Laws
from verify.engine.elementary.powers import falling_powers, growing_powers
from verify.engine.elementary.stronger import largest_values
from verify.engine.proof.prover import follows_by_laws
from verify.engine.rounds.balances import with_balances
from verify.engine.rounds.logarithms import exponentiated
from verify.engine.rounds.unrolled import invariants, sums_of_unrolled, unrolled
from verify.engine.summation.sums import exponent_growth

a, b, c, p, q, eta = sp.symbols("a b c p q eta", positive=True)
T, t = sp.symbols("T t", integer=True, positive=True)
i = sp.Symbol("i", integer=True)
r, d, e, h, s = (sp.IndexedBase(sp.Symbol(name, nonnegative=True)) for name in "rdehs")
w = sp.IndexedBase(sp.Symbol("w", positive=True))
f, x = sp.IndexedBase("f"), sp.IndexedBase("x")
FEW = 80
"""Limit on polynomials of an attempt that must fail."""
CLAIMS = {
    "delayed losses": (
        (a - b) * sp.Sum(d[i], (i, 1, T)),
        r[1] + b * d[0],
        le(r[t + 1], r[t] - a * d[t] + b * d[t - 1]),
    ),
    "bias of momentum": (
        eta * sp.Sum(d[i], (i, 0, T - 1)),
        f[0] - f[T] + eta * e[0] / a + eta * T * c,
        *(le(f[t], f[t - 1] - eta * d[t - 1] + eta * e[t - 1]), le(e[t], (1 - a) * e[t - 1] + a * c)),
    ),
    "error feedback": (
        (a - b * c / p) * sp.Sum(d[i], (i, 1, T)),
        r[0] + b * e[0] / p,
        *(le(r[t], r[t - 1] - a * d[t] + b * e[t - 1]), le(e[t], (1 - p) * e[t - 1] + c * d[t])),
    ),
    "two sequences at the end": (
        r[T],
        (1 - a) ** T * (r[0] + c * h[0]),
        *(le(r[t] + c * h[t], (1 - a) * (r[t - 1] + c * h[t - 1])), a < 1),
    ),
    "sum of squares": (sp.Sum(r[i] ** 2, (i, 0, T)), r[0] ** 2 / (1 - q**2), le(r[t], q * r[t - 1]), q < 1),
    "growth while a T <= 1": (
        r[T],
        sp.exp(1) * (r[0] + b * T),
        *(le(r[t], (1 + a) * r[t - 1] + b), le(a, 1 / T)),
    ),
    "exponents add up": (r[T], a**T * q ** (T * (T + 1) / 2) * r[0], le(r[t], a * q**t * r[t - 1])),
    "exponents double": (a * w[T], (a * w[0]) ** (2**T), le(w[t], a * w[t - 1] ** 2)),
    "quadratic exponents": (r[T], r[0] * sp.exp(-a * T * (T + 1) / 2), le(r[t], sp.exp(-a * t) * r[t - 1])),
    "factors exp(s - c)": (
        r[T],
        r[0] * sp.exp(c * T - eta * sp.Sum(s[i], (i, 1, T))),
        le(r[t], r[t - 1] * sp.exp(c - eta * s[t])),
    ),
    "powers with any exponent": (r[T], r[0] * (T + 1) ** a, le(r[t], (1 + a / t) * r[t - 1]), ge(a, 1)),
    "noise that halves": (r[T], r[0] + b, le(r[t], r[t - 1] + b * 2 ** (-t))),
    "noise that falls faster": (r[T], (r[0] + 2 * b) / 2**T, le(r[t], r[t - 1] / 2 + b / 4**t)),
    "noise with a ratio": (r[T], q**T * (r[0] + b * p / (q - p)), le(r[t], q * r[t - 1] + b * p**t), p < q),
    "drift of local steps": (
        sp.Sum(d[i] ** 2, (i, 1, T)),
        T**3 * c**2,
        *(le(d[t], d[t - 1] + c), eq(d[0], 0)),
    ),
    "means of numbers within bounds": (
        sp.Abs(x[T]),
        sp.Max(c, sp.Abs(x[0])),
        *(eq(x[t], (a * f[t] + b * x[t - 1]) / (a + b)), le(sp.Abs(f[t]), c)),
    ),
    "means of a falling sequence": (
        r[T],
        sp.Max(r[0], d[0]),
        *(le(r[t], (1 - a) * r[t - 1] + a * d[t]), le(d[t], d[t - 1]), le(a, 1)),
    ),
    "inverse of a growing sequence": (
        sp.Sum(1 / w[i], (i, 1, T)),
        sp.log(1 + c * T / w[0]) / c,
        eq(w[t], w[t - 1] + c),
    ),
    "logarithm of a weight": (
        sp.log(w[T] / w[0]),
        -eta * sp.Sum(f[i], (i, 1, T)),
        le(w[t], w[t - 1] * sp.exp(-eta * f[t])),
    ),
    "rounds until a weight is small": (T * sp.log(2), sp.log(w[0] / w[T]), le(w[t], w[t - 1] / 2)),
    "factors within bounds": (
        w[0] * sp.exp(-eta * c * T),
        w[T],
        *(eq(w[t], w[t - 1] * sp.exp(-eta * d[t])), le(d[t], c)),
    ),
    "local rate": (
        r[T],
        (1 - a / 2) ** T * r[0],
        *(le(r[t], (1 - a) * r[t - 1] + b * r[t - 1] ** 2), le(r[0], a / (2 * b)), a < 1),
    ),
}


@pytest.mark.parametrize("name", CLAIMS)
def test_a_true_claim_is_proved(name: str) -> None:
    small, large, *conditions = CLAIMS[name]
    require_proof(question_of(le(small, large), *conditions))


@pytest.mark.parametrize("name", ["delayed losses", "two sequences at the end", "noise that halves"])
def test_a_false_claim_is_not(name: str) -> None:
    small, large, *conditions = CLAIMS[name]
    assert follows_by_laws(question_of(le(small, large / 2), *conditions), FEW) is None


def test_a_bound_without_its_beginning_has_a_potential_from_equations() -> None:
    """The bound does not show the factor of e, because e[0] is 0."""
    conditions = (le(r[t], r[t - 1] - d[t] + b * e[t - 1]), le(e[t], e[t - 1] / 2 + c), eq(e[0], 0))
    claim = le(sp.Sum(d[i], (i, 1, T)), r[0] + 2 * b * c * T)
    assert le(claim.lhs + r[T] + 2 * b * e[T], claim.rhs) in list(with_balances(claim, T, conditions))


def test_a_claim_without_recursions_has_no_potential() -> None:
    assert not list(with_balances(le(r[T], r[0]), T, ()))


def test_an_unrolled_recursion_is_met_with_equality() -> None:
    recursions = (3 * r[t - 1] + b * p**t + c, q * r[t - 1] + b * q**t, r[t - 1] + b * t + c * t**2)
    numbers = {a: 2, b: 3, c: 5, p: sp.Rational(1, 2), q: sp.Rational(1, 3)}
    for bound in recursions:
        (found,) = unrolled((le(r[t], bound), eq(r[0], a)), T)
        value = sp.Integer(2)
        for n in range(1, 5):
            value = bound.subs({r[t - 1]: value, t: n}).subs(numbers)
            assert found.rhs.subs(T, n).subs(numbers) == value


def test_an_equation_of_a_sum_follows_from_that_of_its_entries() -> None:
    lengths = eq(sp.Sum(s[i], (i, 0, T)), s[0] * (2 ** (T + 1) - 1))
    require_proof(question_of(lengths, eq(s[t], 2 * s[t - 1])))


def test_a_sum_that_falls_with_bounded_entries_is_not_bounded() -> None:
    claim = le(sp.Sum(-d[i], (i, 1, T)), c)
    assert not list(sums_of_unrolled(claim, T, (le(d[t], d[t - 1] + b),)))


def test_a_logarithm_of_an_entry_is_exponentiated() -> None:
    laws = Laws(le(a, b), (), lambda relation: False)

    def relations(claim: sp.Basic) -> list[sp.Basic]:
        return [relation for relation, _ in exponentiated(claim, T, laws)]

    assert relations(le(c + eta * sp.log(w[T] / w[0]), b)) == [le(w[T], w[0] * sp.exp(b / eta - c / eta))]
    assert relations(le(-sp.log(w[T]), b)) == [le(sp.exp(-b), w[T])]
    for other in (le(a * sp.log(w[0]), b), le(sp.log(w[T]), w[T]), le(sp.log(r[T]), b)):
        assert not relations(other)


@given(st.floats(0.1, 3), st.floats(-2, 2))
def test_tangents_of_logarithms_hold(x_: float, b_: float) -> None:
    laws = Laws(le(a, b), (), lambda relation: False)
    for claim in (le(sp.log(w[T]), f[0]), le(f[0], sp.log(w[T]))):
        ((_, tangent),) = exponentiated(claim, T, laws)
        for law in tangent:
            here = with_part(with_part(law.relation, tree(w[T]), "v"), tree(f[0]), "u")
            assert true(here, {"v": x_, "u": b_}), law


def test_recursions_without_a_closed_form_are_not_unrolled() -> None:
    for bound in (r[t - 1] / t, r[t - 1] ** 2, r[t - 1] + d[t], 2 * r[t - 1] + 1 / t):
        assert not list(unrolled((le(r[t], bound),), T))


def test_a_sum_is_bounded_at_the_bounds_of_its_entries() -> None:
    claim = le(sp.Sum(d[i] ** 2, (i, 1, T)), c)
    (found,) = sums_of_unrolled(claim, T, (le(d[t], d[t - 1] + b), eq(d[0], 0)))
    assert found[0] == le(d[T], b * T)
    assert sp.expand(found[1].rhs - b**2 * T * (T + 1) * (2 * T + 1) / 6) == 0


def test_a_bound_of_the_first_entry_is_an_invariant() -> None:
    falls = le(r[t], q * r[t - 1])
    assert invariants((falls, le(r[0], c), ge(d[0], 1)), T) == [le(r[T], c)]
    assert invariants((le(r[t], r[t - 1]),), T) == [le(r[T], r[0])]


@given(st.floats(0.2, 2), st.integers(1, 5))
def test_growing_powers_have_the_values_of_powers(q_: float, n: int) -> None:
    found = growing_powers([q ** (T * (T + 1) / 2), q ** (2**T)], T, lambda x: bool(x.is_positive))
    assert len(found) == 2
    for one in found:
        assert true(["=", tree(one.old), one.new], {"q": q_, "T": n}), one
    assert not growing_powers([q ** (2 * T), q ** (T**3), T ** (T**2)], T, lambda x: bool(x.is_positive))


def test_falling_powers_come_without_numbers_in_exponents() -> None:
    assert set(falling_powers(b * 2 ** (-1 - T) + q**T)) == {2 ** (-1 - T), 2 ** (-T)}


def test_an_exponent_grows_by_its_polynomial_and_by_its_sum() -> None:
    total = sp.Sum(s[i], (i, 1, T))
    assert exponent_growth(c * T - eta * total, T, sp.S.One) == (c - eta * s[1], c - eta * s[T + 1])
    assert exponent_growth(c * T**2, T, sp.S.One) == (c, 2 * c * T + c)
    assert exponent_growth(c * T, T, sp.S.One) is None
    assert exponent_growth(c * T**3, T, sp.S.One) is None


def test_an_exponent_is_largest_at_the_ends_of_its_symbols() -> None:
    assert list(largest_values(a * T, (le(a, 1 / T),))) == [1]
    assert list(largest_values(T / p, (le(T, 2 * p),))) == [2]
    assert list(largest_values(a * T, (ge(a, 1 / T),))) == []
