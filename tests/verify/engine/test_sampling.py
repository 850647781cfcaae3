"""Random instances: inside their boxes, also at corners, with equal and opposite entries."""

import numpy as np
import pytest

from verify.engine.model.scene import Box
from verify.engine.search.sampling import sample

BATCH = 3000


def drawn(box, seed=0):
    return sample({"a": box}, np.random.default_rng(seed), BATCH)["a"]


@pytest.mark.parametrize("box", [Box(-2, 2, (3,)), Box(1, 5, (2, 2)), Box(1e-3, 1e3, scale="log"), Box(0, 0)])
def test_numbers_are_inside_and_of_the_right_shape(box):
    found = drawn(box)
    assert found.shape == (BATCH, *box.shape)
    assert (found >= box.low).all()
    assert (found <= box.high).all()


def share(mask):
    return float(np.mean(mask))


def test_a_third_stands_at_corners_and_a_third_is_mixed():
    found = drawn(Box(-1, 3))
    corner = [share(found == end) for end in (-1, 0, 3)]
    assert corner == pytest.approx([1 / 6] * 3, abs=0.03)  # (1/3 + 1/3 / 2) / 3
    spread = found[~np.isin(found, (-1, 0, 3))]
    assert spread.mean() == pytest.approx(1, abs=0.1)
    assert np.quantile(spread, [0.25, 0.75]) == pytest.approx([0, 2], abs=0.2)


def test_the_middle_of_a_range_without_zero_is_its_nearest_end():
    assert share(drawn(Box(1, 5)) == 1) == pytest.approx(1 / 3, abs=0.03)


def test_a_log_scale_is_spread_over_orders_and_has_its_ends_exactly():
    box = Box(1e-4, 1e2, scale="log")
    found = drawn(box)
    assert share(found == box.low) == pytest.approx(1 / 6, abs=0.03)
    assert share(found == box.high) == pytest.approx(1 / 6, abs=0.03)
    assert share(found < 1e-1) == pytest.approx(0.5, abs=0.12)
    assert share(np.isclose(found, 0.1)) == pytest.approx(1 / 6, abs=0.03)
    inner = found[(found > box.low) & (found < box.high) & ~np.isclose(found, 0.1)]
    assert np.median(np.log10(inner)) == pytest.approx(-1, abs=0.3)


def test_entries_are_equal_or_opposed_in_part_of_the_batch():
    found = drawn(Box(-1, 1, (4,)))
    spread = ~np.isin(found, (-1, 0, 1)).any(axis=1)
    same = (found == found[:, :1]).all(axis=1)
    sizes_alike = (np.abs(found) == np.abs(found[:, :1])).all(axis=1)
    assert share(same[spread]) == pytest.approx(0.3, abs=0.06)
    assert share((sizes_alike & ~same)[spread]) > 0.12
    assert share(sizes_alike[spread]) < 0.6
    one_sided = drawn(Box(0.5, 1, (4,)))
    assert (one_sided > 0).all()
    assert share((one_sided == one_sided[:, :1]).all(axis=1)) > 0.15


def test_slices_along_the_second_axis_are_made_equal_too():
    found = drawn(Box(-1, 1, (3, 2)))
    spread = ~np.isin(found, (-1, 0, 1)).any(axis=(1, 2))
    rows = (found == found[:, :1, :]).all(axis=(1, 2))
    columns = (found == found[:, :, :1]).all(axis=(1, 2))
    assert share((rows & ~columns)[spread]) > 0.1
    assert share((columns & ~rows)[spread]) > 0.1


def test_levels_are_the_only_values_and_signs_turn_only_where_levels_are_symmetric():
    assert set(np.unique(drawn(Box(-1, 1, (3,), levels=(-1, 1))))) == {-1, 1}
    assert set(np.unique(drawn(Box(0, 2, (3,), levels=(0, 1, 2))))) == {0, 1, 2}
    assert set(np.unique(drawn(Box(-2, 1, (3,), levels=(-2, 1))))) == {-2, 1}
    assert set(np.unique(drawn(Box(-1, 2, (3,), levels=(-1, 2))))) == {-1, 2}


def test_nothing_is_drawn_for_arrays_without_entries():
    assert drawn(Box(-1, 1, (0, 2))).shape == (BATCH, 0, 2)


def test_the_generator_decides():
    assert (drawn(Box(-1, 1, (2,)), 1) == drawn(Box(-1, 1, (2,)), 1)).all()
    assert (drawn(Box(-1, 1, (2,)), 1) != drawn(Box(-1, 1, (2,)), 2)).any()


def test_numbers_of_one_range_are_equal_in_part_of_a_batch():
    space = {"a": Box(-1, 1), "b": Box(-1, 1), "c": Box(0, 1)}
    drawn = sample(space, np.random.default_rng(0), 64)
    equal = drawn["a"] == drawn["b"]
    assert equal[::16].all()
    assert equal.mean() < 0.5
    assert (drawn["a"] != drawn["c"]).any()
    beside = sample({**space, "many": Box(-1, 1, (3,))}, np.random.default_rng(0), 64)
    assert (beside["a"] != beside["b"])[::16].any()
