"""Lines through an instance show the worst entry: the largest gap of an inequality or difference of an equation."""

import numpy as np
import pytest
import sympy as sp

from tests.verify.engine.simple import at, of, u, v
from verify.engine.model.question import Question
from verify.engine.model.scene import Box, Scene
from verify.engine.search.along import POINTS, _at_worst, along

SCENE = Scene("entries", ({"d": 1},), lambda s: {}, lambda s, x: {})


@pytest.mark.parametrize(
    ("relation", "small", "large", "worst"),
    [
        (sp.Eq, (4.0, 3.0), (2.0, 3.5), 0),
        (sp.Eq, (3.0, 2.0), (3.5, 4.0), 1),
        (sp.Eq, (3.0, -3.0), (3.0, 3.0), 1),
        (sp.Le, (4.0, 3.0), (2.0, 0.5), 1),
        (sp.Le, (-4.0, 3.0), (2.0, 8.5), 1),
        (sp.Le, (1.0, float("nan")), (2.0, 0.5), 0),
    ],
)
def test_the_worst_entry_is_shown(relation, small, large, worst):
    values = {"u": np.tile(small, (POINTS, 1)), "v": np.tile(large, (POINTS, 1))}
    shown = _at_worst(Question("entries", of(relation, u, v), (), SCENE), values)
    assert shown == ([small[worst]] * POINTS, [large[worst]] * POINTS)


@pytest.mark.parametrize(("low", "high"), [(0, 1), (0, 5), (-1, 2)])
@pytest.mark.parametrize(("relation", "sign"), [(of(sp.Le, u, v), 1), (of(sp.Ge, u, v), -1)])
def test_the_largest_step_is_half_of_a_range_towards_a_break_and_stays_inside(low, high, relation, sign):
    scene = Scene("line", ({"d": 1},), lambda s: {"u": Box(low, high)}, lambda s, x: {"v": 0 * x["u"] + 9})
    start = low + (high - low) / 4
    found = along(Question("line", relation, (), scene), at(u=start))
    moved = np.clip(start + sign * (high - low) / 2 * np.array(found["position"]), low, high)
    assert found["small" if sign == 1 else "large"] == pytest.approx(moved)
    assert found["large" if sign == 1 else "small"] == pytest.approx(np.full(POINTS, 9))
    assert all(found["admissible"])


def test_parameters_move_by_their_slopes_and_those_of_one_value_stay():
    space = {**dict.fromkeys("abc", Box(0, 1)), "one": Box(2, 2), "few": Box(0, 1, levels=(0.0, 0.5, 1.0))}
    sides = {
        "u": lambda x: x["a"] + x["b"] / 2 + 0 * x["c"] + x["one"] + x["few"],
        "v": lambda x: 0 * x["a"] + 9,
    }
    scene = Scene("plane", ({"d": 1},), lambda s: space, lambda s, x: {k: f(x) for k, f in sides.items()})
    found = along(Question("plane", of(sp.Le, u, v), (), scene), at(a=0.5, b=0.5, c=0.5, one=2, few=0.5))
    position = np.array(found["position"])
    assert position[[0, POINTS // 2, -1]] == pytest.approx((-1, 0, 1))
    assert found["small"] == pytest.approx(3.25 + position * (0.5 + 0.25 / 2))


def test_without_a_slope_nothing_moves():
    scene = Scene(
        "flat", ({"d": 1},), lambda s: {"a": Box(0, 1)}, lambda s, x: {"u": 0 * x["a"], "v": 0 * x["a"] + 1}
    )
    found = along(Question("flat", of(sp.Le, u, v), (), scene), at(a=0.5))
    assert (found["small"], found["large"]) == ([0] * POINTS, [1] * POINTS)
