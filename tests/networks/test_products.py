"""Products of small matrices, and of those that the library of linear algebra computes instead."""

from __future__ import annotations

import numpy as np
import pytest

from verify.networks.training.products import LEAST, MOST, crossed, fits, product

SHAPES = [
    *((32, 64, 32), (10, 32, 32), (4, 16, 32), (5, 17, 33), (7, 100, 47), (6, 16, 64)),
    *((m, 3, 16) for m in range(4, 18)),
    *((3, 40, 40), (8, 15, 40), (8, 40, 15), (1, 1, 1), (4, MOST // 32 + 1, 32)),
]


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).integers(-9, 10, shape).astype(np.float32)


@pytest.mark.parametrize(("m", "k", "n"), SHAPES)
def test_products_of_whole_numbers_are_exact(m: int, k: int, n: int) -> None:
    left, right = numbers(m, k), numbers(k, n)
    for given in (left, np.ascontiguousarray(left.T).T):
        for first in (None, numbers(m)):
            out = np.full((m + 1, n), np.nan, np.float32)
            product(given, right, first, out[:m])
            assert (out[:m] == left @ right + (0 if first is None else first[:, None])).all()
            assert np.isnan(out[m]).all()


@pytest.mark.parametrize(("m", "k", "n"), SHAPES)
def test_products_with_a_transpose_write_it_to_the_spare_numbers(m: int, k: int, n: int) -> None:
    left, columns = numbers(m, k), numbers(n, k)
    spare, out = np.full(n * k + 1, np.nan, np.float32), np.empty((m, n), np.float32)
    crossed(left, columns, numbers(m), spare, out)
    assert (out == left @ columns.T + numbers(m)[:, None]).all()
    assert np.isnan(spare[-1])
    assert (spare[:-1].reshape(k, n) == columns.T).all() == (fits(m, k, n) and k >= LEAST[1])


def test_larger_factors_are_left_to_the_library() -> None:
    assert fits(*LEAST[:1], 1, *LEAST[1:])
    assert not any(fits(*shape) for shape in ((3, 16, 32), (4, 16, 15), (4, 0, 32), (4, MOST // 32 + 1, 32)))


def test_numbers_that_are_none_stay_in_their_column() -> None:
    left, right = numbers(8, 20), numbers(20, 40)
    right[3, 7] = np.nan
    out = np.empty((8, 40), np.float32)
    product(left, right, None, out)
    assert (np.isnan(out).any(axis=0) == (np.arange(40) == 7)).all()
