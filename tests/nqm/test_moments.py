"""Moments, compared with brute force over every subset of clients and every outcome of the noise."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from nqm import moments
from nqm.fields import kind, to_exact, to_float, to_interval, to_torch
from nqm.kinds import INTERVALS
from nqm.moments import propagate

SIZES = [(1, 1), (2, 1), (3, 2), (4, 2), (4, 4), (4, 1)]  # clients, sampled


def integers(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.integers(-3, 4, shape) / 4


def random_round(seed: int, n_clients: int, p: int, q: int) -> tuple[np.ndarray, ...]:
    """Maps, noise factors (p, r) of every client, and two equally likely states at the start."""
    rng = np.random.default_rng(seed)
    return (
        integers(rng, n_clients, p, p + q),
        integers(rng, n_clients, p),
        integers(rng, n_clients, p, 2),
        integers(rng, 2, p + q),
    )


def by_enumeration(
    matrix: np.ndarray,
    offset: np.ndarray,
    factor: np.ndarray,
    states: np.ndarray,
    n_sampled: int,
    rounds: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance of (moving, kept) after `rounds` rounds; all states are equally likely.

    The noise of a client is its factor times one of four equally likely vectors, of covariance I.
    """
    n_clients, p = offset.shape
    outcomes = [np.array(u) for u in ((1, 1), (-1, -1), (1, -1), (-1, 1))]
    for _ in range(rounds):
        after = []
        for z in states:
            for chosen in combinations(range(n_clients), n_sampled):
                moves = [[matrix[m] @ z + offset[m] + factor[m] @ u for u in outcomes] for m in chosen]
                for move in np.array(np.meshgrid(*[range(4)] * n_sampled)).reshape(n_sampled, -1).T:
                    mean = sum(moves[i][k] for i, k in enumerate(move)) / n_sampled
                    after.append(np.concatenate([mean, z[p:]]))
        states = np.array(after)
    mean = states.sum(axis=0) / len(states)
    centred = states - mean
    return mean, centred.T @ centred / len(states)


def by_recursion(
    matrix: np.ndarray,
    offset: np.ndarray,
    factor: np.ndarray,
    states: np.ndarray,
    n_sampled: int,
    rounds: int,
) -> moments.Path:
    noise = (factor @ factor.swapaxes(-1, -2)).sum(axis=-3) / factor.shape[-3]
    mean = states.sum(axis=-2) / 2
    centred = states - mean[..., None, :]
    cov = centred.swapaxes(-1, -2) @ centred / 2
    return propagate(matrix, offset, noise, mean, cov, n_sampled=n_sampled, rounds=rounds)


@pytest.mark.parametrize(("n_clients", "n_sampled"), SIZES)
@pytest.mark.parametrize(("p", "q"), [(2, 0), (2, 1), (1, 2)])
def test_one_round_is_the_enumeration(n_clients: int, n_sampled: int, p: int, q: int) -> None:
    parts = [to_exact(part) for part in random_round(0, n_clients, p, q)]
    mean, cov = by_enumeration(*parts, n_sampled, rounds=1)
    path = by_recursion(*parts, n_sampled, rounds=1)
    assert (path.mean[1] == mean[:p]).all()
    assert (path.cov[1] == cov[:p, :p]).all()
    assert (path.cross[1] == cov[:p, p:]).all()


@settings(max_examples=25)
@given(
    seed=st.integers(0, 10**6),
    size=st.sampled_from([(2, 1), (3, 1), (2, 2)]),
    parts=st.sampled_from([(1, 0), (2, 0), (1, 1), (2, 1)]),
)
def test_two_rounds_are_the_enumeration(seed: int, size: tuple[int, int], parts: tuple[int, int]) -> None:
    (n_clients, n_sampled), (p, q) = size, parts
    exact = [to_exact(part) for part in random_round(seed, n_clients, p, q)]
    exact[2] = 0 * exact[2] if n_sampled == 2 else exact[2]
    mean, cov = by_enumeration(*exact, n_sampled, rounds=2)
    path = by_recursion(*exact, n_sampled, rounds=2)
    assert (path.mean[2] == mean[:p]).all()
    assert (path.cov[2] == cov[:p, :p]).all()
    assert (path.cross[2] == cov[:p, p:]).all()


@pytest.mark.parametrize("convert", [to_torch, to_interval, np.asarray], ids=["torch", "interval", "float"])
def test_every_arithmetic_gives_the_same_path(convert) -> None:
    parts = random_round(1, 4, 2, 1)
    exact = by_recursion(*(to_exact(part) for part in parts), 2, rounds=3)
    other = by_recursion(*(convert(part) for part in parts), 2, rounds=3)
    assert kind(other.cov) == kind(convert(parts[0]))
    for name in ("mean", "cov", "cross"):
        np.testing.assert_allclose(to_float(getattr(other, name)), to_float(getattr(exact, name)), rtol=1e-12)


def test_a_batch_is_a_loop() -> None:
    each = [random_round(seed, 4, 2, 1) for seed in range(3)]
    together = by_recursion(*(np.stack(parts) for parts in zip(*each, strict=True)), 2, rounds=3)
    for i, parts in enumerate(each):
        single = by_recursion(*parts, 2, rounds=3)
        for name in ("mean", "cov", "cross"):
            np.testing.assert_allclose(
                getattr(together, name)[i], getattr(single, name), rtol=1e-13, atol=1e-13
            )


@pytest.mark.parametrize("shared", [(), (0,), (1,), (2,), (0, 2), (0, 1, 2)])
def test_columns_that_are_shared_by_all_clients(shared: tuple[int, ...]) -> None:
    parts = list(random_round(2, 3, 2, 1))
    parts[0][:, :, list(shared)] = parts[0][:1, :, list(shared)]
    exact = by_recursion(*(to_exact(part) for part in parts), 2, rounds=2)
    mean, cov = by_enumeration(
        *(to_exact(p) for p in parts[:2]), 0 * to_exact(parts[2]), to_exact(parts[3]), 2, 2
    )
    silent = by_recursion(*(to_exact(p) for p in parts[:2]), 0 * to_exact(parts[2]), to_exact(parts[3]), 2, 2)
    assert (silent.mean[2] == mean[:2]).all()
    assert (silent.cov[2] == cov[:2, :2]).all()
    floats = by_recursion(*parts, 2, rounds=2)
    np.testing.assert_allclose(floats.cov, to_float(exact.cov), rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(floats.cross, to_float(exact.cross), rtol=1e-12, atol=1e-13)


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")  # torch.func.jvp itself uses it
def test_derivatives_do_not_vanish_with_the_differences_between_clients() -> None:
    # All clients have the same matrix, so no column varies; but the variance grows to first order if one column does.
    parts = random_round(3, 3, 2, 1)
    parts[0][:] = parts[0][:1]

    def variance(step: torch.Tensor) -> torch.Tensor:
        matrix, *others = (torch.tensor(part) for part in parts)
        bump = torch.zeros_like(matrix)
        bump[1, 0, 2] = 1
        return by_recursion(matrix + step * bump, *others, 2, rounds=2).cov[2, 0, 0]

    at = torch.tensor(0.0, dtype=torch.float64, requires_grad=True)
    (slope,) = torch.autograd.grad(variance(at), at)
    h = 1e-5
    with torch.no_grad():
        difference = (variance(torch.tensor(h)) - variance(torch.tensor(-h))) / (2 * h)
    assert abs(slope) > 1e-3
    np.testing.assert_allclose(slope, difference, rtol=1e-7)
    zero, one = torch.zeros((), dtype=torch.float64), torch.ones((), dtype=torch.float64)
    np.testing.assert_allclose(torch.func.grad(variance)(zero), slope)
    np.testing.assert_allclose(torch.func.jvp(variance, (zero,), (one,))[1], slope)


def test_gradients_are_those_of_finite_differences() -> None:
    parts = [torch.tensor(part, requires_grad=True) for part in random_round(4, 4, 2, 1)]

    def everything(*parts: torch.Tensor) -> torch.Tensor:
        path = by_recursion(*parts, 2, rounds=2)
        return torch.cat([path.mean.reshape(-1), path.cov.reshape(-1), path.cross.reshape(-1)])

    assert torch.autograd.gradcheck(everything, parts)


def test_clients_in_one_interval_may_differ() -> None:
    """One of two maps from the same interval is drawn; the variance encloses that of any two maps in the interval."""
    wide = to_interval(np.zeros((2, 1, 1)))
    wide[:] = INTERVALS.mpf([-0.5, 0.5])
    none = to_interval(np.zeros((2, 1)))
    path = propagate(wide, none, none[:1], none[0] + 1, none[:1], n_sampled=1, rounds=1)
    assert Fraction(1, 4) in path.cov[1, 0, 0]


def test_full_participation_adds_noise_only() -> None:
    parts = [to_exact(part) for part in random_round(5, 3, 2, 0)]
    parts[2] = 0 * parts[2]
    parts[3] = parts[3][[0, 0]]
    assert (by_recursion(*parts, 3, rounds=4).cov == 0).all()
    assert (by_recursion(*parts, 2, rounds=4).cov[1:] != 0).any()


@pytest.mark.parametrize(
    ("n_sampled", "rounds", "message"),
    [
        (4, 1, "`n_sampled` must be in 1..3, the number of clients, got 4"),
        (0, 1, "`n_sampled` must be in 1..3"),
        (2, 0, "`rounds` must be >= 1, got 0"),
    ],
)
def test_bad_counts(n_sampled: int, rounds: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        by_recursion(*random_round(0, 3, 2, 0), n_sampled, rounds)


def test_sampling_is_that_of_inclusion_probabilities() -> None:
    # Clients that only send a number: the variance of the mean of N of M without replacement.
    values = [Fraction(v) for v in (1, 2, 4, 9)]
    matrix, offset = to_exact(np.zeros((4, 1, 1))), np.array(values, dtype=object)[:, None]
    zero = to_exact(np.zeros((1, 1)))
    for n_sampled in (1, 2, 3, 4):
        path = propagate(matrix, offset, zero, zero[0], zero, n_sampled=n_sampled, rounds=1)
        single, pair = Fraction(n_sampled, 4), Fraction(n_sampled * (n_sampled - 1), 4 * 3)
        second = (
            sum(
                (single if i == j else pair) * a * b
                for i, a in enumerate(values)
                for j, b in enumerate(values)
            )
            / n_sampled**2
        )
        assert path.cov[1, 0, 0] == second - (sum(values) / 4) ** 2
