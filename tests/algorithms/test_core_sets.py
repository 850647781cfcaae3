"""Core sets: every step adds the sample that reduces the error most, in floats and in fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from algorithms.core_sets import by_class, every_sample, first_of_equal, herded, new_samples

FEATURES = arrays(int, st.tuples(st.integers(1, 5), st.integers(1, 2)), elements=st.integers(-4, 4))


def fractions(features: np.ndarray) -> np.ndarray:
    return np.vectorize(Fraction, otypes=[object])(features)


@given(FEATURES, st.integers(1, 5))
def test_every_choice_is_the_best_one_more(features: np.ndarray, size: int) -> None:
    phi = fractions(features)
    chosen = herded(phi, size).tolist()
    mean = phi.sum(axis=0) / len(phi)
    for k in range(1, size + 1):
        missed = [((mean - (phi[chosen[: k - 1]].sum(axis=0) + x) / k) ** 2).sum() for x in phi]
        assert missed[chosen[k - 1]] == min(missed)


@given(FEATURES, st.integers(1, 5))
def test_it_misses_the_mean_by_no_more_than_random_samples(features: np.ndarray, size: int) -> None:
    phi = fractions(features)
    off = phi - phi.sum(axis=0) / len(phi)
    missed = off[herded(phi, size)].sum(axis=0) / size
    assert (missed**2).sum() <= (off**2).sum() / len(phi) / size


@given(FEATURES)
def test_each_sample_once(features: np.ndarray) -> None:
    assert sorted(herded(fractions(features), len(features), new_samples)) == list(range(len(features)))


def test_batches_are_alone() -> None:
    batch = np.random.default_rng(0).normal(size=(3, 6, 2))
    for rule in (every_sample, new_samples):
        together = herded(batch, 4, rule)
        np.testing.assert_array_equal(together, [herded(one, 4, rule) for one in batch])


def test_a_core_set_has_samples() -> None:
    with pytest.raises(ValueError, match="`size` must be at least 1, got 0"):
        herded(np.zeros((2, 1)), 0)


@given(st.integers(1, 9), st.integers(0, 2**32 - 1), st.sampled_from([np.float32, np.float64]))
def test_of_equally_good_samples_the_first_is_chosen_however_they_are_rounded(n, seed, dtype) -> None:
    """Repeated orthogonal directions, rotated at random: equal distances differ only by rounding."""
    rng = np.random.default_rng(seed)
    exact = np.eye(3, dtype=int)[rng.integers(3, size=n)] * rng.choice([-1, 1], (n, 1))
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    expected = herded(fractions(exact), n, new_samples).tolist()
    turned = ((exact @ turn) * rng.uniform(0.5, 2, (n, 1))).astype(dtype)  # lengths are normalised to 1
    assert by_class(turned, np.zeros(n, dtype=int)).tolist() == expected


def test_features_that_are_no_numbers_are_in_some_order() -> None:
    assert sorted(by_class(np.full((4, 2), np.nan), np.zeros(4, dtype=int)).tolist()) == [0, 1, 2, 3]


@given(st.integers(1, 3), st.integers(1, 8), st.integers(0, 10))
def test_classes_of_many_rows_are_herded_as_each_alone(rows: int, n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    features, labels = rng.standard_normal((rows, 2, n, 3)), rng.integers(-1, 3, (rows, 2, n))
    order = by_class(features, labels)
    lengths = np.linalg.norm(features, axis=-1, keepdims=True)
    for place in np.ndindex(rows, 2):
        chosen = []
        for label in range(3):
            members = np.flatnonzero(labels[place] == label)
            if len(members):
                own = (features / lengths)[place][members]
                best = herded(own, len(own), first_of_equal)
                chosen += [(k, label, members[j]) for k, j in enumerate(best)]
        expected = [sample for *_, sample in sorted(chosen)]
        assert order[place].tolist() == expected + [-1] * (n - len(expected))
