"""Kinds of numbers: decimals are exact, enclosures contain the value, and sides are aligned."""

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
import torch
from hypothesis import given
from hypothesis import strategies as st

from nqm.fields import Irrational
from verify.engine.model.arithmetic import (
    as_printed,
    as_written,
    bounds_of,
    convert,
    exactly,
    side,
    side_by_side,
)

x, y, t = sp.symbols("x y t", real=True)
i = sp.Symbol("i", integer=True)
D = sp.IndexedBase("D")
ROOTS = sp.sqrt(x) + sp.Rational(1, 3)


def exact(*numbers):
    return np.array([Fraction(n) for n in numbers], dtype=object)


def test_a_decimal_is_what_its_digits_say():
    assert as_printed(sp.Float("0.1")) == sp.Rational(1, 10)
    assert as_printed(sp.Integer(3)) == 3
    assert side(x * sp.Float("0.1"), {"x": exact(3)}, "exact", 1)[0, 0] == Fraction(3, 10)


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_the_decimal_that_is_read_as_it_and_order_is_kept(one, other):
    assert float(as_written(one)) == one
    assert as_written(np.float64(one)) == as_written(one)
    assert (as_written(one) < as_written(other)) == (one < other)


def test_floats_are_made_exact_as_they_are_written():
    assert exactly(np.array([[0.05, 1e-9], [0.1, 3]])).tolist() == [
        [Fraction(1, 20), Fraction(1, 10**9)],
        [Fraction(1, 10), 3],
    ]
    assert exactly(np.zeros((0, 2))).shape == (0, 2)
    assert exactly(0.25).item() == Fraction(1, 4)


@pytest.mark.parametrize("kind", ["torch", "exact", "interval", "symbolic"])
def test_every_kind_comes_to_the_same(kind):
    values = convert({"x": exact(4, Fraction(1, 4))}, kind)
    found = side(sp.Max(ROOTS, sp.Abs(x - 5)) ** 2, values, kind, 2)
    assert found.shape == (2, 1)
    for one, wanted in zip(found[:, 0], (Fraction(49, 9), Fraction(361, 16)), strict=True):
        low, high = bounds_of(one) if kind != "symbolic" else (float(one), float(one))
        assert low - 1e-12 <= float(wanted) <= high + 1e-12
        assert high - low < 1e-9


def test_intervals_enclose_what_fractions_cannot_say():
    for number in (sp.pi, sp.E, sp.Rational(1, 3)):
        low, high = bounds_of(side(number + x, convert({"x": exact(0)}, "interval"), "interval", 1)[0, 0])
        assert low <= float(number) <= high
        assert high - low < 1e-12
    with pytest.raises(Irrational):
        side(sp.pi * x, {"x": exact(1)}, "exact", 1)
    with pytest.raises(Irrational):
        side(sp.sqrt(x), {"x": exact(2)}, "exact", 1)


def test_sides_with_fewer_axes_are_repeated():
    values = {"x": torch.arange(6.0).reshape(2, 3), "y": torch.tensor([10.0, 20.0])}
    left, right = side_by_side((x, y), values, "torch", 2)
    assert left.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert right.tolist() == [[10, 10, 10], [20, 20, 20]]
    assert side(sp.Integer(7), values, "torch", 2).tolist() == [[7], [7]]
    assert side(x + y, values, "torch", 2).tolist() == [[10, 11, 12], [23, 24, 25]]


def test_a_shared_instance_is_repeated_for_the_batch():
    assert side(y, {"y": torch.tensor([3.0])}, "torch", 4).tolist() == [[3]] * 4
    assert side(sp.Symbol("n"), {"n": 2}, "torch", 3).tolist() == [[2]] * 3


def test_an_index_stands_before_the_batch():
    values = {"D": torch.tensor([[1.0, 2.0], [10.0, 20.0], [100.0, 200.0]]), "x": torch.tensor([1.0, 2.0])}
    assert side(sp.Sum(D[i], (i, 0, 2)) + x, values, "torch", 2).tolist() == [[112], [224]]
