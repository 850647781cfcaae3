"""Products of small matrices, and of those that the library of linear algebra computes instead."""

from __future__ import annotations

import numpy as np
import pytest

from verify.networks.training.products import LANES, MOST, crossed, fits, product

SHAPES = [
    *((32, 64, 32), (10, 32, 32), (4, 16, 32), (5, 17, 33), (7, 100, 47), (6, 16, 64)),
    *((3, 40, 40), (8, 15, 40), (8, 40, 31), (1, 1, 1), (4, MOST // 32 + 1, 32)),
]


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).integers(-9, 10, shape).astype(np.float32)


@pytest.mark.parametrize(("m", "k", "n"), SHAPES)
def test_products_of_whole_numbers_are_exact(m: int, k: int, n: int) -> None:
    left, right = numbers(m, k), numbers(k, n)
    for given in (left, np.ascontiguousarray(left.T).T):
        out = np.full((m + 1, n), np.nan, np.float32)
        product(given, right, out[:m])
        assert (out[:m] == left @ right).all()
        assert np.isnan(out[m]).all()


@pytest.mark.parametrize(("m", "k", "n"), SHAPES)
def test_products_with_a_transpose_write_it_to_the_spare_numbers(m: int, k: int, n: int) -> None:
    left, columns = numbers(m, k), numbers(n, k)
    spare, out = np.full(n * k + 1, np.nan, np.float32), np.empty((m, n), np.float32)
    crossed(left, columns, spare, out)
    assert (out == left @ columns.T).all()
    assert np.isnan(spare[-1])
    assert (spare[:-1].reshape(k, n) == columns.T).all() == fits(m, k, n)


def test_larger_factors_are_left_to_the_library() -> None:
    assert fits(4, LANES, 32)
    assert not any(fits(*shape) for shape in ((3, 16, 32), (4, 15, 32), (4, 16, 31), (4, MOST // 32 + 1, 32)))


def test_numbers_that_are_none_stay_in_their_column() -> None:
    left, right = numbers(8, 20), numbers(20, 40)
    right[3, 7] = np.nan
    out = np.empty((8, 40), np.float32)
    product(left, right, out)
    assert (np.isnan(out).any(axis=0) == (np.arange(40) == 7)).all()
