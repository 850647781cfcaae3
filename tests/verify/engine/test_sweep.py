"""Both sides along a line, along a quantity, and over random worlds."""

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
import torch

from verify.engine.model.instance import Instance
from verify.engine.model.question import Question
from verify.engine.model.scene import Box, Scene
from verify.engine.search.along import POINTS, along
from verify.engine.search.sweep import course, ratios, tightest_world

a, b, v, w, g = sp.symbols("a b v w g", real=True)
n = sp.Symbol("n", integer=True, positive=True)


def scene(**more):
    return Scene(
        "plane",
        ({"n": 1}, {"n": 2}),
        lambda s: {"a": Box(0, 4), "b": Box(-1, 1), **({"g": Box(0.1, 1)} if more else {})},
        lambda s, values: {"v": s["n"] * values["a"], "w": values["a"] ** 2 + 0 * values["b"]},
        **more,
    )


def asked(relation, *conditions, where=None):
    return Question("plane", relation, conditions, where or scene())


def at(**numbers):
    return Instance({"n": 1}, {name: np.array(Fraction(x), dtype=object) for name, x in numbers.items()}, {})


def test_the_line_goes_where_the_gap_grows_fastest():
    line = along(asked(sp.Le(v, b), sp.Le(a, 3)), at(a=1, b=0))
    assert len(line["position"]) == POINTS
    assert line["position"][:: POINTS // 2] == pytest.approx([-1, 0, 1])
    # the slopes 1 and -1 are weighted by half of the ranges, 2 and 1: steps of 2 and 1/2
    assert line["small"][POINTS // 2 :: 20] == pytest.approx([1, 2, 3])
    assert line["large"][POINTS // 2 :: 20] == pytest.approx([0, -0.25, -0.5])
    assert line["small"][0] == 0  # inside the range
    assert line["admissible"][-2:] == [True, True]
    outside = along(asked(sp.Le(v, b), sp.Le(a, 2)), at(a=1, b=0))
    assert outside["admissible"][POINTS // 2 + 21 :] == [False] * 20
    assert all(outside["admissible"][: POINTS // 2 + 20])


def test_the_line_of_what_does_not_move_stands_still():
    where = Scene(
        "still", ({"n": 1},), lambda s: {"a": Box(1, 1), "b": Box(-1, 1, levels=(-1, 1))}, lambda s, x: {}
    )
    line = along(asked(sp.Le(a, b), where=where), at(a=1, b=1))
    assert set(line["small"]) == {1.0}
    assert set(line["large"]) == {1.0}


def test_a_line_moves_step_sizes_by_half_of_themselves():
    where = scene(steps=("g",))
    instance = Instance(
        {"n": 1},
        {name: np.array(Fraction(x), dtype=object) for name, x in (("a", 1), ("b", 0), ("g", 1))},
        {"g": np.array(Fraction(8), dtype=object)},
    )
    line = along(asked(sp.Le(g, v), where=where), instance)
    assert line["small"][0] == pytest.approx(4)
    assert line["small"][-1] == pytest.approx(12)


def test_a_course_settles_every_point_anew():
    world = {"a": torch.tensor([2.0], dtype=torch.float64), "b": torch.tensor([0.5], dtype=torch.float64)}
    found = course(asked(sp.Le(w, v), sp.Le(a, 3)), {"n": 1}, world, "n", [1, 3])
    assert found.at.tolist() == [1, 3]
    assert found.left.tolist() == [4, 4]
    assert found.right.tolist() == [2, 6]
    assert found.met.tolist() == [True, True]
    found = course(asked(sp.Le(w, v), sp.Le(a, 3)), {"n": 1}, world, "a", [1, 4], shown="w")
    assert found.at.tolist() == [1, 16]
    assert found.met.tolist() == [True, False]


@pytest.mark.parametrize(
    ("relation", "expected"),
    [
        (sp.Le(v, w), (5, 1)),
        (sp.Ge(v, w), (1, 3)),
        (sp.Eq(v, w), (5, 1)),
        (sp.Gt(v, w), (1, 3)),
        (sp.Lt(v, w), (5, 1)),
    ],
)
def test_the_worst_entry_is_shown(relation, expected):
    where = Scene(
        "entries",
        ({"n": 1},),
        lambda s: {"a": Box(0, 1)},
        lambda s, x: {"v": torch.tensor([[1.0, 5, 2, 0]]), "w": torch.tensor([[3.0, 1, 2, 0]])},
    )
    found = course(asked(relation, where=where), {"n": 1}, {"a": torch.tensor([1.0])}, "a", [1])
    assert (found.left[0], found.right[0]) == expected


def test_the_tightest_world_is_admissible_and_breaks_most():
    question = asked(sp.Le(v, w + 1), sp.Le(a, 3))
    world = tightest_world(question, {"n": 2}, {}, 256, 0)
    assert float(world["a"]) == pytest.approx(1, abs=0.15)  # 2 a / (a^2 + 1) is largest there
    kept = tightest_world(question, {"n": 2}, {"b": torch.tensor([0.25]), "c": torch.tensor([1.0])}, 256, 0)
    assert float(kept["b"]) == 0.25
    assert set(kept) == {"a", "b"}
    far = tightest_world(asked(sp.Le(v, w + 1), sp.Ge(a, 2)), {"n": 2}, {}, 256, 0)
    assert 2 <= float(far["a"]) < 2.3
    with pytest.raises(ValueError, match="none of 16 worlds"):
        tightest_world(asked(sp.Le(v, w), sp.Ge(a, 5)), {"n": 2}, {}, 16, 0)


def test_worlds_in_which_everything_is_small_do_not_count():
    where = Scene("small", ({"n": 1},), lambda s: {"a": Box(0, 4)}, lambda s, x: {"v": x["a"]})
    world = tightest_world(asked(sp.Le(v, a**2 / 2 + a), where=where), {"n": 1}, {}, 256, 0)
    assert 0.1 < float(world["a"]) < 1


def test_ratios_over_random_worlds():
    found = ratios(asked(sp.Le(v, 4)), {"n": 1}, "n", [1, 2], 128, 0)
    assert found.largest == pytest.approx([1, 2])
    assert (found.median > 0.2).all()
    assert (found.median < found.largest).all()
    assert found.trials.tolist() == [128, 128]
    some = ratios(asked(sp.Le(v, 4), sp.Le(a, 2)), {"n": 1}, "n", [1], 128, 0)
    assert some.largest[0] == pytest.approx(0.48, abs=0.02)
    assert 0 < some.trials[0] < 128
    none = ratios(asked(sp.Le(v, 4), sp.Ge(a, 5)), {"n": 1}, "n", [1], 128, 0)
    assert np.isnan([none.largest[0], none.median[0]]).all()
    assert none.trials.tolist() == [0]
