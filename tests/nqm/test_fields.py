"""Every function of `nqm.fields` on every kind of array, against floats or against mpmath."""

import operator
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy as sp
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from nqm import fields as f
from nqm.kinds import INTERVALS

KINDS = {
    "float": np.asarray,
    "torch": f.to_torch,
    "exact": f.to_exact,
    "interval": f.to_interval,
    "symbolic": f.to_symbolic,
}
TRANSCENDENTAL = [name for name in KINDS if name != "exact"]
VALUES = np.array([[0.3, -1.2, 4.0], [2.5, 0.0, -7.0]])
NUMBERS = st.floats(-1e6, 1e6)


def of_kind(name, values=VALUES):
    return KINDS[name](np.asarray(values, dtype=float))


@pytest.mark.parametrize("name", KINDS)
def test_a_kind_is_recognised_and_converts_back(name):
    x = of_kind(name)
    assert f.kind(x) == name
    assert f.kind(x[0, 0]) == name
    np.testing.assert_array_equal(f.to_float(x), VALUES)
    for other in ("exact", "interval", "symbolic"):
        if name in ("float", "torch", "exact") or name == other:
            np.testing.assert_array_equal(f.to_float(KINDS[other](x)), VALUES)


@pytest.mark.parametrize("name", TRANSCENDENTAL)
@pytest.mark.parametrize("function", [f.exp, f.tanh, f.logcosh, f.sin, f.cos])
def test_functions_agree_with_floats(name, function):
    np.testing.assert_allclose(f.to_float(function(of_kind(name))), function(VALUES), rtol=1e-14)


@pytest.mark.parametrize("name", KINDS)
def test_absolute_values_and_roots_of_squares_agree(name):
    np.testing.assert_allclose(f.to_float(f.abs_(of_kind(name))), np.abs(VALUES))
    np.testing.assert_allclose(f.to_float(f.sqrt(of_kind(name) ** 2)), np.abs(VALUES))
    np.testing.assert_allclose(f.to_float(f.norm(of_kind(name, [[3.0, -4.0]]))), [5.0])


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize(
    "exponent", [3, -2, Fraction(1, 2), Fraction(-3, 2), Fraction(2, 3), sp.Rational(1, 2)]
)
def test_power_agrees_with_floats(name, exponent):
    base = np.array([1.0, 64.0, 1 / 64])  # has rational square and cube roots
    np.testing.assert_allclose(f.to_float(f.power(of_kind(name, base), exponent)), base ** float(exponent))


@pytest.mark.filterwarnings("ignore:invalid value")
def test_a_fractional_power_beyond_floats_is_its_limit():
    large = Fraction(23**500, 2)
    base = np.array([2.0, 0.5, 1.0, -2.0])
    np.testing.assert_array_equal(f.power(base, large), [np.inf, 0, 1, np.nan])
    np.testing.assert_array_equal(f.power(base, -large), [0, np.inf, 1, np.nan])


@pytest.mark.parametrize("name", TRANSCENDENTAL)
def test_log_agrees_with_floats(name):
    np.testing.assert_allclose(
        f.to_float(f.log(of_kind(name, [0.5, 1.0, 7.0]))), np.log([0.5, 1, 7]), atol=1e-15
    )


@pytest.mark.parametrize("name", KINDS)
def test_order_geometry_and_shapes_agree_with_numpy(name):
    x, y = of_kind(name), of_kind(name, VALUES[::-1].copy())
    pairs = [
        (f.maximum(x, y), np.maximum(VALUES, VALUES[::-1])),
        (f.minimum(x, 1), np.minimum(VALUES, 1)),
        (f.amax(x, -1), VALUES.max(-1)),
        (f.amin(x, 0), VALUES.min(0)),
        (f.amax(x, (0, -1)), VALUES.max()),
        (f.amin(x, (-1, 0)), VALUES.min()),
        (f.dot(x, y), (VALUES * VALUES[::-1]).sum(-1)),
        (f.sq(x), (VALUES**2).sum(-1)),
        (f.stack([x, y], -1), np.stack([VALUES, VALUES[::-1]], -1)),
        (f.concatenate([x, y], 1), np.concatenate([VALUES, VALUES[::-1]], 1)),
        (f.zeros_like(x), np.zeros_like(VALUES)),
        (f.broadcast_to(x, (4, 2, 3)), np.broadcast_to(VALUES, (4, 2, 3))),
        (f.take(x, np.array([[2, 0], [1, 1]]), -1), VALUES[:, [[2, 0], [1, 1]]]),
        (
            f.put([x[:, 1:], x[:1, :1]], [np.array([2, 0]), np.array([1])], -1),
            np.stack([VALUES[:, 2], VALUES[[0, 0], 0], VALUES[:, 1]], -1),
        ),
        (f.expand(x, 2), VALUES[..., None, None]),
        (f.expand(x.sum(axis=-1).sum(axis=-1)), VALUES.sum()[None]),  # a bare element for object arrays
        (f.where(x > 0, x, -x), np.abs(VALUES)),
        (x.mean(axis=0), VALUES.mean(0)),
    ]
    for result, expected in pairs:
        assert f.kind(result) == name
        np.testing.assert_allclose(f.to_float(result), expected, atol=1e-15)


@pytest.mark.parametrize("name", KINDS)
def test_entries_are_taken_and_put_along_an_axis(name):
    """Each row has its own places; putting entries back where they were taken changes nothing, and the array is
    unchanged.
    """
    x, index = of_kind(name), np.array([[2, 0], [1, 2]])
    taken = f.take_along(x, index, -1)
    np.testing.assert_array_equal(f.to_float(taken), [[4.0, 0.3], [0.0, -7.0]])
    np.testing.assert_array_equal(f.to_float(f.put_along(x, index, taken, -1)), VALUES)
    found = f.put_along(x, index, of_kind(name, [[9.0, 8.0], [7.0, 6.0]]), -1)
    np.testing.assert_array_equal(f.to_float(found), [[8.0, -1.2, 9.0], [2.5, 7.0, 6.0]])
    below = f.put_along(x, np.array([[1, 0, 1]]), of_kind(name, [[9.0, 8.0, 7.0]]), 0)
    np.testing.assert_array_equal(f.to_float(below), [[0.3, 8.0, 4.0], [9.0, 0.0, 7.0]])
    for changed in (found, below):
        assert f.kind(changed) == name
    np.testing.assert_array_equal(f.to_float(x), VALUES)


def test_what_is_put_among_whole_numbers_keeps_its_digits():
    found = f.put_along(np.array([[1, 2]]), np.array([[1]]), np.array([[0.5]]), -1)
    assert found.tolist() == [[1.0, 0.5]]


COMPARISONS = [getattr(operator, name) for name in ("lt", "le", "eq", "ne", "ge", "gt")]


@pytest.mark.parametrize("name", ["float", "torch", "exact", "interval"])
@pytest.mark.parametrize("compare", COMPARISONS)
def test_a_run_goes_on_where_a_comparison_is_decided(name, compare):
    for values, other in ((of_kind(name), 0), (of_kind(name), of_kind(name)), (of_kind(name)[0, 0], 0)):
        found = np.asarray(f.decided(compare, values, other))
        assert found.dtype == bool
        np.testing.assert_array_equal(found, compare(f.to_float(values), f.to_float(other)))


@pytest.mark.parametrize("compare", COMPARISONS)
def test_a_run_does_not_go_on_where_an_interval_holds_the_border(compare):
    wide = INTERVALS.mpf([-1, 1])
    for undecided in (wide, f.to_interval([3, wide])):
        assert not f.certainly(undecided > 0).all()
        for sides in ((undecided, 0), (0, undecided), (undecided, undecided)):
            with pytest.raises(f.Overlapping, match="undecided"):
                f.decided(compare, *sides)


def test_intervals_that_touch_leave_open_only_whether_they_are_equal():
    left, right = f.to_interval([INTERVALS.mpf([0, 1])]), f.to_interval([INTERVALS.mpf([1, 2])])
    assert f.decided(operator.le, left, right).tolist() == [True]
    assert f.decided(operator.gt, left, right).tolist() == [False]
    for compare in (operator.lt, operator.ge, operator.eq, operator.ne):
        with pytest.raises(f.Overlapping):
            f.decided(compare, left, right)


@pytest.mark.parametrize("name", ["float", "torch", "exact", "interval"])
@pytest.mark.parametrize("compare", COMPARISONS)
def test_what_a_comparison_chooses_is_one_of_two(name, compare):
    values, other = of_kind(name), of_kind(name, VALUES[::-1])
    found = f.chosen(compare, values, other, values + 10, values - 10)
    np.testing.assert_allclose(
        f.to_float(found), np.where(compare(VALUES, VALUES[::-1]), VALUES + 10, VALUES - 10)
    )


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 2)), min_size=4, max_size=4))
@pytest.mark.parametrize("compare", COMPARISONS)
def test_what_intervals_leave_open_to_choose_holds_all_that_their_numbers_choose(compare, ends):
    x, y, a, b = [range(low, low + more + 1) for low, more in ends]
    wide = [f.to_interval([INTERVALS.mpf([numbers[0], numbers[-1]])]) for numbers in (x, y, a, b)]
    (found,) = f.chosen(compare, *wide)
    sides = [a if compare(left, right) else b for left in x for right in y]
    assert (found.a, found.b) == (min(side[0] for side in sides), max(side[-1] for side in sides))


def test_an_array_without_elements_is_exact():
    assert f.kind(np.zeros((0, 2), dtype=object)) == "exact"
    assert f.kind(np.zeros((0, 2))) == "float"


@given(NUMBERS)
@example(1e-8)
@example(-1e-300)
@example(1.5540862815161249e-43)  # mpmath's own interval functions miss by part of a last place
@example(0.0)
@example(-700.0)
@example(1e6)
@settings(deadline=None, max_examples=50)
def test_intervals_enclose_what_mpmath_computes(x):
    checks = {"tanh": mpmath.tanh, "logcosh": lambda t: mpmath.log(mpmath.cosh(t)), "abs_": abs}
    checks |= {"sin": mpmath.sin, "cos": mpmath.cos}
    with mpmath.workprec(2500):  # cosh of a small number has to keep its digits
        for name, reference in checks.items():
            value = getattr(f, name)(f.to_interval(x)[()])
            low, high = (mpmath.mpf(q.numerator) / q.denominator for q in (f.lower(value), f.upper(value)))
            exact = reference(mpmath.mpf(x))
            assert low <= exact <= high or abs(exact) < mpmath.mpf(10) ** -600  # the reference's precision
            # the value is known to 60 digits of the larger of itself and 1
            assert high - low <= mpmath.mpf(10) ** -60 * max(1, abs(exact))


@given(NUMBERS)
@example(1e-8)
@settings(deadline=None, max_examples=50)
def test_float_logcosh_keeps_its_digits(x):
    with mpmath.workprec(2500):
        exact = mpmath.log(mpmath.cosh(mpmath.mpf(x)))
    for value in (f.logcosh(x), f.logcosh(torch.tensor(x, dtype=torch.float64))):
        assert float(value) == pytest.approx(float(exact), rel=1e-13, abs=1e-300)


def test_logcosh_has_right_derivatives_at_zero_and_far_away():
    points = torch.tensor([0.0, 0.999999, 1.0, 30.0, -800.0], dtype=torch.float64)
    hessian = torch.autograd.functional.hessian(lambda x: f.logcosh(x).sum(), points)
    torch.testing.assert_close(hessian.diagonal(), 1 - torch.tanh(points) ** 2)


def test_the_norm_of_a_tensor_has_a_gradient_at_zero():
    x = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    f.norm(x).backward()
    assert x.grad.tolist() == [0, 0]


def test_wide_intervals_are_enclosed_and_squares_stay_positive():
    wide = np.array([INTERVALS.mpf([-1, 2])], dtype=object)
    assert f.lower(f.sq(wide)) == 0
    assert f.upper(f.sq(wide)) == 4
    assert f.lower(f.logcosh(wide))[0] == 0
    assert float(f.upper(f.tanh(wide))[0]) == pytest.approx(np.tanh(2))
    assert float(f.lower(f.cos(wide))[0]) == pytest.approx(np.cos(2))
    assert float(f.upper(f.cos(wide))[0]) == pytest.approx(1)
    assert f.lower(f.maximum(wide, f.to_interval([1])))[0] == 1
    assert f.lower(f.amin(np.concatenate([wide, f.to_interval([1])]), 0)) == -1


def test_undecided_comparisons_are_not_certain():
    wide = np.array([INTERVALS.mpf([-1, 2]), INTERVALS.mpf(1)], dtype=object)
    assert f.certainly(wide > 0).tolist() == [False, True]
    assert f.certainly(wide <= 0).tolist() == [False, False]


def test_intervals_meet_fractions_numpy_integers_and_arrays_of_two():
    three, pair = f.to_interval(3)[()], f.to_interval([1, 2])
    assert f.upper(three * Fraction(1, 3)) >= 1 >= f.lower(Fraction(1, 3) * three)
    assert f.upper(three / np.int64(2)) == Fraction(3, 2)
    for product in (three * pair, pair * three):  # mpmath alone would read [1, 2] as the ends of one interval
        assert f.upper(product).tolist() == [3, 6]


def test_floats_become_the_fractions_that_they_are():
    assert f.to_exact([0.5, 1, "1/3"]).tolist() == [Fraction(1, 2), Fraction(1), Fraction(1, 3)]
    assert f.to_exact(0.1)[()] != Fraction(1, 10)
    assert f.upper(f.to_interval("1/3")[()]) > Fraction(1, 3) > f.lower(f.to_interval("1/3")[()])
    with pytest.raises(ValueError, match="finite"):
        f.to_exact([np.inf])


@pytest.mark.parametrize("function", [f.exp, f.tanh, f.logcosh, f.log, f.sqrt, f.sin, f.cos])
def test_irrational_results_are_refused_in_exact_arithmetic(function):
    with pytest.raises(f.Irrational, match="to_interval"):
        function(f.to_exact([2, 3]))


def test_rational_results_are_found_in_exact_arithmetic():
    assert f.sqrt(f.to_exact(["4/9"])).tolist() == [Fraction(2, 3)]
    assert f.tanh(f.to_exact([0])).tolist() == [0]
    assert f.exp(f.to_exact([0])).tolist() == [1]
    assert f.log(f.to_exact([1])).tolist() == [0]
    with pytest.raises(ValueError, match="negative"):
        f.sqrt(f.to_exact([-4]))


def test_a_float_that_slips_into_an_exact_array_is_reported():
    with pytest.raises(TypeError, match="holds float"):
        f.kind(0.5 * f.to_exact([1, 2]))


def test_symbols_pass_through():
    x = sp.Symbol("x", real=True)
    assert f.kind(np.array([x, 1], dtype=object)) == "symbolic"
    assert f.logcosh(np.array([x], dtype=object))[0] == sp.log(sp.cosh(x))
    assert f.maximum(np.array([x], dtype=object), 0)[0] == sp.Max(x, 0)


def test_a_root_of_a_fraction_too_long_to_print_is_irrational_too():
    long = Fraction(2 * 10**6000 + 1, 10**6000)
    with pytest.raises(f.Irrational, match="about 2 "):
        f.sqrt(np.array([long], dtype=object))
