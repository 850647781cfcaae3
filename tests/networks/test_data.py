"""Data sets and transformations of images: counts, sizes, transformed versions."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from verify.networks.data.domains import LOOKS, rotated, thickened
from verify.networks.data.images import Images, apportion, digits, fitted, generator, split, stratified

seeds = st.integers(0, 10**6)


def rng(seed=0):
    return np.random.default_rng(seed)


def test_the_digits_are_all_there():
    data = digits()
    assert data.images.shape == (1797, 1, 8, 8)
    assert data.images.dtype == np.float32
    assert (data.images.min(), data.images.max()) == (0, 1)
    assert np.array_equal(np.unique(data.labels), np.arange(10))


def test_the_digits_are_those_of_the_package():
    from sklearn.datasets import load_digits

    data, bunch = digits(), load_digits()
    assert np.array_equal(16 * data.images[:, 0], bunch.images)
    assert np.array_equal(data.labels, bunch.target)


@given(seed=seeds, share=st.floats(0.05, 0.9))
def test_images_are_for_training_or_for_testing(seed, share):
    labels = rng(seed).integers(5, size=90)
    images = np.zeros((90, 1, 2, 2), np.float32)
    data = split(images, labels, 5, "some", seed=seed, share=share)
    assert np.array_equal(np.sort(np.concatenate([data.train, data.test])), np.arange(90))
    for c in range(5):
        members = labels == c
        assert abs(members[data.test].sum() - members.sum() * len(data.test) / 90) < 1


def test_the_seed_chooses_the_test_images():
    assert np.array_equal(digits(3).test, digits(3).test)
    assert not np.array_equal(digits(3).test, digits(4).test)


def test_random_numbers_belong_to_one_purpose_and_place():
    draws = [generator(1, *place).random() for place in (("split",), ("deal",), ("deal", 0), ("deal", 1))]
    assert len(set(draws)) == 4
    assert generator(1, "deal", 1).random() == draws[-1]


@given(shares=st.lists(st.integers(0, 50), min_size=1, max_size=8).filter(any), n=st.integers(0, 100))
def test_apportioned_numbers_sum_up_and_are_nearest(shares, n):
    shares = np.array(shares)
    quota = apportion(shares, n)
    assert quota.sum() == n
    assert (abs(quota - n * shares / shares.sum()) < 1).all()
    assert not quota[shares == 0].any()


@given(seed=seeds, n=st.integers(0, 40))
def test_stratified_samples_keep_the_shares_of_the_classes(seed, n):
    labels = rng(seed).integers(4, size=40)
    found = stratified(labels, n, rng(seed))
    assert len(np.unique(found)) == len(found) == n
    counts = np.bincount(labels[found], minlength=4)
    assert (abs(counts - n * np.bincount(labels, minlength=4) / 40) < 1).all()


@given(height=st.integers(1, 9), width=st.integers(1, 9), seed=seeds, larger=st.integers(1, 12))
def test_resizing_agrees_with_pillow(height, width, seed, larger):
    image = rng(seed).random((height, width), dtype=np.float32)
    size = (larger, 13 - larger)
    expected = np.asarray(Image.fromarray(image).resize(size[::-1], Image.Resampling.BILINEAR))
    assert fitted(image[None, None], size)[0, 0] == pytest.approx(expected, abs=1e-5)


@given(grey=st.integers(0, 255), size=st.tuples(st.integers(1, 9), st.integers(1, 9)))
def test_a_plain_image_stays_plain(grey, size):
    images = np.full((2, 3, 5, 4), grey, np.uint8)
    assert fitted(images, size, 1) == pytest.approx(np.full((2, 1, *size), grey / 255), abs=1e-6)


def test_grey_and_coloured_images():
    grey = rng().random((4, 1, 3, 3), dtype=np.float32)
    assert np.array_equal(fitted(grey, channels=3), np.repeat(grey, 3, axis=1))
    assert fitted(fitted(grey, channels=3), channels=1) == pytest.approx(grey, abs=1e-6)
    pure = np.eye(3, dtype=np.float32)[..., None, None]
    assert fitted(pure, channels=1).ravel() == pytest.approx([0.299, 0.587, 0.114])
    with pytest.raises(ValueError, match="`channels` must be 1 or 3, got 1 to be made 2"):
        fitted(grey, channels=2)


@pytest.mark.parametrize("look", LOOKS)
def test_looks_keep_shape_and_range_and_see_one_image_at_a_time(look):
    images = rng().random((5, 3, 6, 7), dtype=np.float32)
    before = images.copy()
    found = LOOKS[look](images, rng(1))
    assert found.shape == images.shape
    assert found.dtype == np.float32
    assert 0 <= found.min() <= found.max() <= 1
    assert np.array_equal(images, before)
    assert np.array_equal(found, LOOKS[look](images, rng(1)))
    assert np.array_equal(found[:2], LOOKS[look](images[:2], rng(1)))
    assert (look == "original") == np.array_equal(found, images)


def test_a_quarter_turn_is_exact():
    images = rng().random((2, 1, 6, 6), dtype=np.float32)
    assert rotated(images, rng(), 90) == pytest.approx(np.rot90(images, axes=(2, 3)), abs=1e-6)


def test_strokes_only_grow():
    images = digits().images[:20]
    thick = thickened(images, rng())
    assert (thick >= images).all()
    assert thick.mean() > images.mean()


def test_errors_name_argument_rule_and_value():
    data = digits()
    with pytest.raises(ValueError, match="must not share an image, got image 7 in both"):
        replace(data, train=np.array([6, 7]), test=np.array([7, 8]))
    with pytest.raises(ValueError, match=r"`labels` must be in 0\.\.4, got 0\.\.9"):
        replace(data, n_classes=5)
    with pytest.raises(ValueError, match=r"`images` must have shape .* got \(3, 8, 8\) and \(3,\)"):
        Images(np.zeros((3, 8, 8)), np.zeros(3, int), np.arange(2), np.arange(2, 3), 1, "flat")
    with pytest.raises(ValueError, match="`share` must be strictly between 0 and 1, got 1"):
        digits(share=1)
    with pytest.raises(ValueError, match=r"`n` must be in 0\.\.3, the number of samples, got 4"):
        stratified(np.zeros(3, int), 4, rng())
