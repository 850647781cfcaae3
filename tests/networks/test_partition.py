"""Partitions: which client gets which samples, and how uneven the shares are."""

from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify.networks.data.partition import (
    dirichlet,
    even_sizes,
    evenly,
    few_classes,
    latent_dirichlet,
    nested_latent_dirichlet,
    windows,
)
from verify.scenes.cfl import splitting

seeds = st.integers(0, 10**6)
alphas = st.floats(1e-3, 1e5)
labellings = st.lists(st.integers(0, 4), min_size=8, max_size=60).map(np.array)


def rng(seed=0):
    return np.random.default_rng(seed)


def exactly_once(parts, n):
    return np.array_equal(np.sort(np.concatenate(parts)), np.arange(n))


@given(labels=labellings, n_clients=st.integers(1, 8), seed=seeds, alpha=alphas)
def test_every_sample_goes_to_exactly_one_client(labels, n_clients, seed, alpha):
    for deal in (evenly, partial(dirichlet, alpha=alpha), partial(latent_dirichlet, alpha=alpha)):
        parts = deal(labels, n_clients, rng(seed))
        assert len(parts) == n_clients
        assert exactly_once(parts, len(labels))
        assert all(np.array_equal(part, np.sort(part)) for part in parts)


@given(labels=labellings, n_clients=st.integers(1, 4), seed=seeds, alpha=alphas, least=st.integers(0, 2))
def test_no_client_has_fewer_samples_than_asked_for(labels, n_clients, seed, alpha, least):
    parts = dirichlet(labels, n_clients, rng(seed), alpha=alpha, least=least)
    assert min(map(len, parts)) >= least
    assert exactly_once(parts, len(labels))


@given(labels=labellings, n_clients=st.integers(1, 8), seed=seeds, alpha=alphas)
def test_sizes_are_even_where_the_source_says_so(labels, n_clients, seed, alpha):
    for deal in (evenly, partial(latent_dirichlet, alpha=alpha)):
        sizes = sorted(map(len, deal(labels, n_clients, rng(seed))))
        assert sizes == sorted(even_sizes(len(labels), n_clients))
        assert sizes[-1] - sizes[0] <= 1


@given(labels=labellings, seed=seeds, data=st.data())
def test_sizes_may_be_given(labels, seed, data):
    sizes = data.draw(st.lists(st.integers(0, len(labels) // 4), min_size=4, max_size=4))
    parts = latent_dirichlet(labels, 4, rng(seed), alpha=0.5, sizes=sizes)
    assert list(map(len, parts)) == sizes
    assert len(np.unique(np.concatenate(parts))) == sum(sizes)


@given(seed=seeds)
def test_the_seed_decides(seed):
    labels = np.arange(40) % 4
    for deal in (
        evenly,
        partial(dirichlet, alpha=0.3),
        partial(latent_dirichlet, alpha=0.3),
        partial(few_classes, high=3),
    ):
        first, again = deal(labels, 4, rng(seed)), deal(labels, 4, rng(seed))
        assert all(map(np.array_equal, first, again))


@given(seed=seeds, alpha=st.floats(0.3, 20), n_clients=st.integers(1, 5))
def test_the_algorithm_of_cfl_is_the_one_that_is_judged(seed, alpha, n_clients):
    labels = np.repeat(np.arange(4), [5, 9, 2, 8])
    supply, sizes = np.bincount(labels), even_sizes(24, n_clients)
    replayed = rng(seed)
    for members in supply:
        replayed.permutation(members)
    weights, draws = [], []
    for size in sizes:
        shares = alpha * supply / 24
        gammas = replayed.standard_gamma(shares + 1) * (1 - replayed.random(4)) ** (1 / shares)
        weights.append(list(gammas / gammas.sum()))
        draws.append(list(replayed.random(size)))
    dealt = latent_dirichlet(labels, n_clients, rng(seed), alpha=alpha)
    found = [np.bincount(labels[part], minlength=4) for part in dealt]
    assert np.array_equal(found, splitting.split(supply.tolist(), weights, draws, splitting.MEANT))


@pytest.mark.parametrize("alpha", [0.5, 5.0])
def test_shares_have_the_moments_of_the_dirichlet_distribution(alpha):
    labels = np.repeat(np.arange(2), 60)
    deals = [dirichlet(labels, 4, rng(seed), alpha=alpha, least=0) for seed in range(600)]
    shares = np.array([[np.sum(labels[part] == 0) / 60 for part in parts] for parts in deals])
    variance = (1 / 4) * (3 / 4) / (4 * alpha + 1)
    # Rounding to whole samples changes a mean by less than one in 60; the rest is three standard errors.
    assert shares.mean(axis=0) == pytest.approx(1 / 4, abs=1 / 60 + 3 * np.sqrt(variance / 600))
    # The variance of 600 draws is known to about 6 to 10 percent.
    assert shares.var(axis=0) == pytest.approx(variance, rel=0.3)


@pytest.mark.parametrize("alpha", [0.5, 5.0])
def test_the_mix_of_a_client_has_the_moments_of_its_dirichlet_distribution(alpha):
    # A client with 40 samples cannot use up a class of 60, so only its own mixture decides.
    labels = np.repeat(np.arange(4), 60)
    mixes = [
        (labels[latent_dirichlet(labels, 1, rng(seed), alpha=alpha, sizes=[40])[0]] == 0).mean()
        for seed in range(300)
    ]
    of_mix = (1 / 4) * (3 / 4) / (alpha + 1)
    of_counts = of_mix + ((1 / 4) * (3 / 4) - of_mix) / 40
    assert np.mean(mixes) == pytest.approx(1 / 4, abs=3 * np.sqrt(of_counts / 300))
    assert np.var(mixes) == pytest.approx(of_counts, rel=0.25)


def test_tiny_alpha_separates_and_large_alpha_mixes():
    labels = np.repeat(np.arange(4), 50)
    for deal in (dirichlet, latent_dirichlet):
        apart = deal(labels, 4, rng(1), alpha=1e-3)
        mixed = deal(labels, 4, rng(1), alpha=1e5)
        assert np.mean([len(np.unique(labels[part])) for part in apart]) <= 2
        assert all(len(np.unique(labels[part])) == 4 for part in mixed)


def test_classes_that_are_left_are_dealt_however_small_their_weight():
    parts = latent_dirichlet(np.repeat(np.arange(10), 10), 7, rng(3), alpha=1e-6)
    assert exactly_once(parts, 100)


@given(seed=seeds, n_clients=st.integers(1, 4), n_subsets=st.integers(1, 5))
def test_subsets_of_all_clients_hold_every_sample_once(seed, n_clients, n_subsets):
    labels = rng(seed).integers(3, size=40)
    nested = nested_latent_dirichlet(labels, n_clients, n_subsets, rng(seed), alpha=0.2, beta=0.2)
    assert [len(subsets) for subsets in nested] == [n_subsets] * n_clients
    assert exactly_once([subset for subsets in nested for subset in subsets], 40)


@given(seed=seeds, n_clients=st.integers(1, 6))
def test_each_client_has_few_classes_and_no_sample_has_two_owners(seed, n_clients):
    labels = np.repeat(np.arange(6), 12)
    parts = few_classes(labels, n_clients, rng(seed), low=2, high=4)
    assert all(2 <= len(np.unique(labels[part])) <= 4 for part in parts)
    dealt = np.concatenate(parts)
    assert len(np.unique(dealt)) == len(dealt)
    for c in np.unique(labels[dealt]):
        counts = [np.sum(labels[part] == c) for part in parts if c in labels[part]]
        assert sum(counts) == 12
        assert max(counts) - min(counts) <= 1


@pytest.mark.parametrize(("overlap", "step"), [(0, 285), (Fraction(1, 4), 213), (0.5, 142)])
def test_windows_move_by_the_printed_steps(overlap, step):
    found = windows(30 * 285, 285, overlap, rounds=50)
    assert found.shape == (50, 285)
    assert np.array_equal(found[1], step + np.arange(285))
    assert len(np.intersect1d(found[0], found[1])) == 285 - step


@given(total=st.integers(1, 50), size=st.integers(1, 50), overlap=st.floats(0, 0.9), rounds=st.integers(1, 9))
def test_windows_wrap_around(total, size, overlap, rounds):
    if size > total or int(size * (1 - overlap)) < 1:
        with pytest.raises(ValueError, match=r"`size`|`overlap`"):
            windows(total, size, overlap, rounds)
        return
    found = windows(total, size, overlap, rounds)
    assert np.array_equal(found[0], np.arange(size))
    assert (np.diff(found, axis=1) % total == 1 % total).all()
    assert all(len(np.unique(row)) == size for row in found)


def test_errors_name_argument_rule_and_value():
    labels = np.arange(12) % 3
    with pytest.raises(ValueError, match="`alpha` must be finite and > 0, got 0"):
        dirichlet(labels, 3, rng(), alpha=0)
    with pytest.raises(ValueError, match=r"`least` must be at most 4, .* got 5"):
        dirichlet(labels, 3, rng(), alpha=1, least=5)
    with pytest.raises(ValueError, match="`n_clients` must be an integer >= 1, got 0"):
        latent_dirichlet(labels, 0, rng(), alpha=1)
    with pytest.raises(ValueError, match=r"`sizes` must be 2 numbers .* at most 12, got \[7, 7\]"):
        latent_dirichlet(labels, 2, rng(), alpha=1, sizes=[7, 7])
    with pytest.raises(ValueError, match="low <= high <= 3, the number of classes, got 2 and 5"):
        few_classes(labels, 2, rng())
    with pytest.raises(ValueError, match="`labels` must name at least one sample per client, got 12 for 13"):
        dirichlet(labels, 13, rng(), alpha=1)
