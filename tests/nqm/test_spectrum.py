"""Eigenvalues and largest affine norms: floats against sampling, exact arithmetic against floats."""

from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from nqm import fields as f
from nqm.elimination import is_semidefinite, solve_semidefinite
from nqm.spectrum import eigenvalue_range, largest_affine_norm2, require_semidefinite

SEEDS = st.integers(0, 2**32 - 1)
DIMS = st.integers(1, 4)


def points_of_ball(rng, dim, radius, n_points):
    """Points mostly on the sphere, where a convex function is largest."""
    directions = rng.normal(size=(n_points, dim))
    return radius * directions / np.linalg.norm(directions, axis=-1, keepdims=True)


@given(SEEDS, DIMS, st.sampled_from([0.0, 0.1, 3.0]))
@settings(max_examples=40)
def test_the_largest_affine_norm_dominates_all_points_and_is_nearly_attained(seed, dim, radius):
    rng = np.random.default_rng(seed)
    linear, constant = rng.normal(size=(dim, dim)), rng.normal(size=dim)
    value = largest_affine_norm2(linear, constant, np.array(radius))
    y = points_of_ball(rng, dim, radius, 500)
    for _ in range(300):  # a gradient step projected to the sphere never lowers a convex function
        y = y + (y @ linear.T + constant) @ linear
        y = radius * y / np.maximum(np.linalg.norm(y, axis=-1, keepdims=True), 1e-300)
    sampled = (((y @ linear.T) + constant) ** 2).sum(-1).max()
    assert sampled <= value * (1 + 1e-12)
    assert value == pytest.approx(sampled, rel=1e-4)


def test_the_largest_affine_norm_without_a_component_along_the_top_direction():
    """The hard case of a trust region: the multiplier is the top eigenvalue itself."""
    linear, constant = np.diag([3.0, 1.0]), np.array([0.0, 2.0])
    # |3 a|^2 + (b + 2)^2 with a^2 + b^2 = 1 is largest at b = 2/8
    assert largest_affine_norm2(linear, constant, np.array(1.0)) == pytest.approx(
        9 - 9 / 16 + (9 / 4) ** 2, rel=1e-7
    )


@pytest.mark.parametrize(
    ("linear", "constant", "radius", "expected"),
    [
        (np.zeros((2, 2)), np.array([3.0, 4.0]), 7.0, 25),
        (np.ones((2, 2)), np.array([3.0, 4.0]), 0.0, 25),
        (np.eye(2), np.zeros(2), 2.0, 4),
        (np.diag([1.0, 0.0]), np.zeros(2), 2.0, 4),
        (np.array([[-2.0]]), np.array([3.0]), 0.5, 16),
    ],
)
@pytest.mark.parametrize("convert", [f.to_float, f.to_torch, f.to_exact, f.to_interval])
def test_degenerate_affine_maps(linear, constant, radius, expected, convert):
    value = largest_affine_norm2(*map(convert, (linear, constant, np.array(radius))))
    assert f.to_float(value) == pytest.approx(expected, rel=2e-8)


@given(SEEDS, st.integers(2, 3))
@settings(max_examples=15)
def test_proved_bounds_are_above_the_float_values_and_close(seed, dim):
    rng = np.random.default_rng(seed)
    linear, constant, radius = rng.normal(size=(2, dim, dim)), rng.normal(size=(2, dim)), np.array([0.7, 2.0])
    symmetric = linear @ linear.swapaxes(-1, -2)
    value, (lowest, highest) = largest_affine_norm2(linear, constant, radius), eigenvalue_range(symmetric)
    for convert in (f.to_exact, f.to_interval):
        proved = largest_affine_norm2(*map(convert, (linear, constant, radius)))
        np.testing.assert_allclose(f.to_float(proved), value, rtol=1e-5)
        assert (f.to_float(f.upper(proved)) >= value * (1 - 1e-7)).all()
        below, above = eigenvalue_range(convert(symmetric))
        np.testing.assert_allclose(f.to_float(below), lowest, rtol=1e-6, atol=1e-10)
        np.testing.assert_allclose(f.to_float(above), highest, rtol=1e-6)


def test_round_eigenvalues_are_found_exactly():
    lowest, highest = eigenvalue_range(f.to_exact([[[2, 1], [1, 2]], [["1/3", 0], [0, 5]], [[1, 1], [1, 1]]]))
    assert lowest.tolist() == [1, Fraction(1, 3), 0]
    assert highest.tolist() == [3, 5, 2]


def test_eigenvalues_of_symbols_exist_in_one_dimension_only():
    one = f.to_symbolic([[3]])
    assert eigenvalue_range(one) == (3, 3)
    with pytest.raises(TypeError, match="symbolic"):
        eigenvalue_range(f.to_symbolic([[1, 0], [0, 1]]))


@pytest.mark.parametrize(
    ("matrix", "expected"),
    [
        ([[1, 2], [2, 4]], True),
        ([[1, 2], [2, "39/10"]], False),
        ([[0, 0], [0, 1]], True),
        ([[0, 1], [1, 1]], False),
        ([[0, 0, 0], [0, 2, 2], [0, 2, 2]], True),
        ([[-1]], False),
    ],
)
def test_semidefinite_matrices_are_recognised(matrix, expected):
    assert is_semidefinite(f.to_exact(matrix)) is expected


def test_interval_elimination_refuses_what_it_cannot_decide():
    third = f.to_interval("1/3")[()]
    nearly_singular = np.array([[third, third], [third, third]], dtype=object)
    assert not is_semidefinite(nearly_singular)  # true, but not proved
    with pytest.raises(ArithmeticError, match="neither certainly positive nor 0"):
        solve_semidefinite(nearly_singular, f.to_interval([1, 1]))


def test_the_largest_affine_norm_has_the_derivative_of_its_maximum():
    rng = np.random.default_rng(3)
    linear = torch.tensor(rng.normal(size=(3, 3)), requires_grad=True)
    constant = torch.tensor(rng.normal(size=3), requires_grad=True)
    radius = torch.tensor(1.5, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(largest_affine_norm2, (linear, constant, radius), atol=1e-4)


def test_what_is_too_small_for_floats_is_bounded_by_the_triangle_inequality():
    """The norm of the matrix is bounded by the root of the sum of all squares, rounded up."""
    small = Fraction(1, 10**100)
    linear, constant = f.to_exact([[1, 0], [0, 1]]) * small**2, f.to_exact([3, 4]) * small
    found = largest_affine_norm2(linear, constant, f.to_exact(1 / small)) / small**2
    assert found == pytest.approx((np.sqrt(2) + 5) ** 2)
    alone = largest_affine_norm2(linear, 0 * constant, f.to_exact(1 / small)) / small**2
    assert 2 <= alone < 2 + Fraction(1, 10**70)


def test_nothing_is_symmetric_and_semidefinite():
    require_semidefinite("curvature", np.zeros((3, 2, 2)))
    require_semidefinite("curvature", torch.zeros(1, 2, 2))


@pytest.mark.parametrize("dim", [1, 12, 60])
def test_floats_are_forgiven_rounding_and_no_more(dim):
    rng = np.random.default_rng(dim)
    root = rng.normal(size=(2, dim, 1))
    rounded = root @ root.swapaxes(-1, -2)
    require_semidefinite("curvature", rounded * (1 + 1e-15))
    for wrong in (1e-9 * np.triu(np.ones((dim, dim)), 1), -1e-9 * np.eye(dim)):
        changed = rounded.copy()
        changed[1] = (0 if dim == 1 else changed[1]) + wrong * np.abs(rounded[1]).max()
        if (changed != rounded).any() and changed[1].any():
            with pytest.raises(ValueError, match=r"`curvature` must be .*at index \(1,\)"):
                require_semidefinite("curvature", changed)
