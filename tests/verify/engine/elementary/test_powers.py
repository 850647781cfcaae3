"""Powers are split into powers with single symbols as exponents."""

from __future__ import annotations

import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from tests.verify.engine.elementary.asking import question_of
from tests.verify.engine.elementary.values import true
from verify.engine.certificates.formulas import tree
from verify.engine.elementary.extended import extensions
from verify.engine.elementary.law import BEYOND
from verify.engine.elementary.laws import is_whole
from verify.engine.elementary.powers import split_powers, split_roots

q = sp.Symbol("q", positive=True)
x = sp.Symbol("x", real=True)
T, N = sp.symbols("T N", integer=True, positive=True)


@given(st.floats(0.1, 3), st.integers(1, 4), st.integers(1, 4))
def test_parts_equal_the_power(q_: float, t: int, n: int) -> None:
    formulas = [
        q ** (-T - 1),
        q ** (2 * T + N - 3),
        2 ** (T / 2 + sp.Rational(1, 2)),
        q ** (T * sp.Rational(3, 2)),
    ]
    found = split_powers(formulas, lambda formula: bool(formula.is_positive), is_whole)
    assert len(found) == 4
    for split in found:
        assert true(["=", tree(split.old), split.new], {"q": q_, "T": t, "N": n}), split


def test_a_base_of_unknown_sign_is_split_only_for_whole_exponents() -> None:
    def positive(formula: sp.Expr) -> bool:
        return bool(formula.is_positive)

    assert split_powers([x ** (T + N)], positive, is_whole)
    assert not split_powers([x ** (-T - 1)], positive, is_whole)
    assert not split_powers([x**T], positive, is_whole)


@given(st.floats(0.1, 3), st.integers(1, 4))
def test_roots_of_several_degrees_are_powers_of_one_root(q_: float, t: int) -> None:
    formulas = [sp.sqrt(q * T), q ** sp.Rational(1, 4), (q / T) ** sp.Rational(-2, 3)]
    found = split_roots(formulas, lambda formula: bool(formula.is_positive))
    assert str(found).count("['root', '12', 'q']") >= 3
    for split in found:
        assert true(["=", tree(split.old), split.new], {"q": q_, "T": t}), split


def test_roots_of_numbers_of_unknown_sign_are_not_split() -> None:
    assert not split_roots([sp.sqrt(x) * x ** sp.Rational(1, 4)], lambda formula: bool(formula.is_positive))


def test_two_powers_of_one_base_are_first_compared_by_the_whole_number_between_their_exponents() -> None:
    powers = sp.Le((1 + q) ** T, (1 + q) ** N, evaluate=False)
    first = next(extensions(question_of(powers, sp.Le(T, N))))
    assert [law.name for law in first.laws] == [BEYOND]
