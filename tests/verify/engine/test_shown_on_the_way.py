"""Hints of a claim: each is proved at every size and on every path, and none is trusted."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy as sp

from nqm.fields import maximum
from tests.verify.engine.simple import about
from tests.verify.engine.test_ways import LENGTH, lengths, scene_of, size, x
from verify.engine.model.scene import Box
from verify.engine.proof.basis import _step_by_step as step_by_step
from verify.engine.proof.ways import shown_on_all, ways


@pytest.mark.parametrize(
    ("through", "shown"),
    [((size >= x,), True), ((size >= 2 * x,), False), ((size >= -x,), False), ((), False)],
    ids=str,
)
def test_what_is_shown_on_the_way_is_shown_first(through, shown) -> None:
    asked = replace(about("lengths", (size - x) * (x + 3) >= 0, x >= -1, scene=LENGTH), through=through)
    assert (step_by_step(asked, LENGTH, LENGTH.shapes, ()) is not None) == shown


def test_what_was_shown_on_the_way_stands_at_its_size_and_what_follows_at_the_last() -> None:
    def stretched(shape, values):
        return {"size": shape["n"] * lengths(shape, values)["size"]}

    scene = replace(scene_of(stretched, {"x": Box(-1, 1)}), shapes=({"n": 1}, {"n": 2}, {"n": 3}))
    through = (size >= x, size >= -x)
    asked = replace(about("lengths", (size - x) * (size + x) >= 0, scene=scene), through=through)
    found, taken = step_by_step(asked, scene, scene.shapes, ())
    apart = [shown_on_all(hint, (), ways(scene, shape)) for shape in scene.shapes for hint in through]
    assert taken == 6, "two of each size"
    assert [certificates[:4] for certificates in found] == [
        [*first, *second] for first, second in zip(apart[::2], apart[1::2], strict=True)
    ]
    assert [len(certificates) for certificates in found] == [4, 4, 5]
    assert found[-1][-1]["claim"][0] == ">="
    assert sorted(line["by"] for line in found[-1][-1]["lines"] if "given" in line) == ["shown", "shown"]


def test_what_a_hint_declares_of_a_letter_of_its_own_is_not_believed() -> None:
    def beyond(shape, values):
        return {"over": maximum(values["x"], -2 + 0 * values["x"]) + 1}

    over, scene = sp.Symbol("over", positive=True), scene_of(beyond, {"x": Box(-1, 1)})
    named = sp.Symbol("over", real=True)
    hints = (sp.Eq(over, sp.Max(x, -2) + 1, evaluate=False),)
    false = replace(about("edge", sp.Max(x, -2) > -1, scene=scene), through=hints)
    assert step_by_step(false, scene, scene.shapes, ()) is None  # at x = -1 both sides are equal
    asked = replace(about("edge", sp.Max(x, -2) > -1, named > 0, scene=scene), through=hints)
    assert (
        step_by_step(replace(asked, through=(hints[0].xreplace({over: named}),)), scene, scene.shapes, ())
        is not None
    )
