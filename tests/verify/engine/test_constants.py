"""Constants that are too small or too large by the same factor in every instance, for any axes."""

import numpy as np
import pytest
import sympy as sp

from tests.verify.engine.simple import of, u, v
from verify.engine.model.scene import Box, Scene, quantities
from verify.engine.search.constants import FEW, SHARE, _differ, _share, given_smaller

L = sp.Symbol("L", real=True)
SHARES = np.array([0.25, 0.5, 0.125])


@pytest.mark.parametrize("axes", [(), (2,), (2, 4)])
def test_a_share_has_as_many_axes_as_its_constant(axes):
    constant = np.ones((3, *axes))
    shared = constant * _share({SHARE: SHARES}, constant)
    assert shared.shape == constant.shape
    assert (shared == SHARES.reshape(3, *(1,) * len(axes))).all()


@pytest.mark.parametrize(("condition", "factor"), [(of(sp.Le, u, L), SHARES), (of(sp.Ge, u, L), 1 / SHARES)])
@pytest.mark.parametrize("axes", [(), (2,)])
def test_a_constant_is_given_nearer_to_what_it_bounds_by_its_share(condition, factor, axes):
    scene = Scene(
        "given",
        ({"d": 1},),
        lambda s: {"a": Box(1, 2, axes)},
        lambda s, x: {"u": x["a"]},
        known=lambda s, x: {"L": 3 * x["a"]},
    )
    given = given_smaller(scene, condition, of(sp.Le, u, v), ())
    assert given is not None
    values = {"a": np.linspace(1, 2, 3 * len(np.ones(axes).flat)).reshape(3, *axes), SHARE: SHARES}
    found = quantities(given, {"d": 1}, values, {})["L"]
    assert found == pytest.approx(3 * values["a"] * factor.reshape(3, *(1,) * len(axes)))
    assert given_smaller(scene, of(sp.Eq, *condition.args), of(sp.Le, u, v), ()) is None


def test_values_differ_upwards_and_downwards():
    one = np.zeros((FEW, 2))
    other = one.copy()
    other[0, 1], other[1, 0] = 1, -1
    assert _differ(one, other).tolist() == [True, True] + [False] * (FEW - 2)
    assert _differ(np.float64(1), np.float64(2)).all()
    assert not _differ(np.float64(1), np.float64(1)).any()
