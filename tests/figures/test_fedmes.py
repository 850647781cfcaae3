"""Figures of FedMeS: the data of their lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from figures import fedmes_correction, fedmes_personal
from verify.curves import compute


@pytest.fixture(scope="module")
def curves(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    paths: list[Path] = compute(["fedmes_correction", "fedmes_personal"], tmp_path_factory.mktemp("curves"))
    return {path.stem: json.loads(path.read_text()) for path in paths}


def line(axes: Axes, label: str) -> Line2D:
    (only,) = (each for each in axes.lines if str(each.get_label()).startswith(label))
    return only


def test_corrections_show_each_world_and_the_bound(curves: dict[str, Any]) -> None:
    curve = curves["fedmes_correction"]
    loss, inner, batches, learning = fedmes_correction.draw(curve).axes
    for name, (words, _) in fedmes_correction.WORLDS.items():
        assert list(line(loss, words).get_ydata()) == curve["gap"][name]
        assert list(line(inner, words).get_ydata()) == curve["inner"][name]
    assert list(line(batches, "(c) exact").get_ydata()) == curve["batches"]["gap"]
    theorem = line(batches, "(c) Theorem 1")
    assert set(theorem.get_ydata()) == {curve["batches"]["bound"]}
    assert theorem.get_linestyle() == "--"
    assert list(line(learning, "(d) exact").get_ydata()) == curve["learning"]["gap"]
    assert list(line(learning, "(d) what is true").get_ydata()) == curve["learning"]["bound"][1:]


def test_caption_says_how_many_conflicts_end(curves: dict[str, Any]) -> None:
    curve = curves["fedmes_correction"]
    text = fedmes_correction.draw(curve).get_supxlabel().replace("\n", " ")
    assert f"{curve['share']['worlds']:,} random worlds in two dimensions (seed 0" in text
    assert f"ended in {100 * curve['share']['ended']:.1f}% within" in text


def test_personal_models_show_error_rate_and_floor(curves: dict[str, Any]) -> None:
    curve = curves["fedmes_personal"]
    left, right = fedmes_personal.draw(curve).axes
    floors = [set(each.get_ydata()) for each in left.lines if each.get_linestyle() == ":"]
    assert floors == [{floor} for floor in curve["floor"].values()]
    for steps in map(str, curve["local_steps"]):
        error, rate = line(left, f"error {steps}"), line(left, f"rate {steps}")
        assert list(error.get_ydata()) == curve["error"][steps]
        assert list(rate.get_ydata()) == curve["rate"][steps]
        assert error.get_color() == rate.get_color() == line(right, f"error {steps}").get_color()
        assert list(line(right, f"error {steps}").get_xdata()) == curve["rate"][steps]
    slope = np.diff(np.log(line(right, "claimed").get_ydata())) / np.diff(
        np.log(line(right, "claimed").get_xdata())
    )
    assert slope == pytest.approx([1.0])
