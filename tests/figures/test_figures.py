"""Figures: the data of their artists, their layout, and the command line."""

from __future__ import annotations

import copy
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from bounds.special.theorems import RATE
from figures import bkt, cflag_adaptive, cflag_drift, networks_constants, psi, style
from figures.main import draw, main
from figures.style import MARKS, theme
from tests.networks.cases import compile_here
from verify.curves import CURVES, compute, networks_lambda, networks_tasks
from verify.curves import networks_constants as networks_constants_curve
from verify.curves.headlines import HEADLINES

DRAWN = [name for name in CURVES if name not in HEADLINES] + ["special.thm4.10", "cflag.lem4", "fedmes.thm2"]
"""All kinds of figures; of theorems, one with a trivial bound, one order, and one refuted bound."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of results as written by `python -m verify curves`, with networks of two seeds and little data."""
    of_this_process = tmp_path_factory.getbasetemp()
    whole = of_this_process.parent if "PYTEST_XDIST_WORKER" in os.environ else of_this_process
    results = whole / "results"  # processes of one run of the tests share the work
    compile_here("taught", "hessian_product", "squared_gradients", "predicted")
    with pytest.MonkeyPatch.context() as few:
        for curve in (networks_constants_curve, networks_lambda, networks_tasks):
            few.setattr(curve, "SEEDS", 2)
        for size, value in {"SAMPLES": 320, "SIZES": {"N": 4, "E": 10, "T": 6}, "VISITED": (0, 2, 5)}.items():
            few.setattr(networks_constants_curve, size, value)
        compute(DRAWN, results / "curves")
    return results


@pytest.fixture(scope="module")
def results(folder: Path) -> dict[str, Any]:
    return {name: json.loads((folder / "curves" / f"{name}.json").read_text()) for name in DRAWN}


@pytest.fixture(scope="module")
def drawn(results: dict[str, Any]) -> dict[str, Figure]:
    return {name: draw(results[name]) for name in DRAWN}


def lines(axes: Axes, label: str) -> list[Line2D]:
    """Lines whose labels begin in this way, in the order drawn."""
    return [line for line in axes.lines if str(line.get_label()).startswith(label)]


def line(axes: Axes, label: str) -> Line2D:
    (only,) = lines(axes, label)
    return only


def test_every_figure_of_the_room_draws_a_curve(results: dict[str, Any]) -> None:
    room = Path(style.__file__).parent
    drawing = 'def draw(results: Results) -> Figure:\n    "'
    with_draw = {path.stem for path in room.glob("*.py") if drawing in path.read_text()}
    curves = {found["figure"] for found in results.values()}
    assert with_draw - curves == {"along", "bound", "lab", "main", "run", "worst"}


def test_marks_are_distinct() -> None:
    looks = [(mark.colour, mark.marker) for mark in MARKS.values()]
    assert len(set(looks)) == len(looks)


@pytest.mark.parametrize("name", DRAWN)
def test_draw_changes_neither_results_nor_global_state(name: str, results: dict[str, Any]) -> None:
    before, look = copy.deepcopy(results[name]), dict(mpl.rcParams)
    draw(results[name])
    assert results[name] == before
    assert dict(mpl.rcParams) == look


@pytest.mark.parametrize("name", DRAWN)
def test_axes_carry_word_and_symbol(name: str, drawn: dict[str, Figure]) -> None:
    for axes in drawn[name].axes:
        shared = axes.get_ylabel() == "" and axes.get_subplotspec().colspan.start > 0
        for label in (axes.get_xlabel(),) if shared else (axes.get_xlabel(), axes.get_ylabel()):
            above_another = label == "" and axes.get_subplotspec().rowspan.start == 0
            assert above_another or re.search("[a-z]{4,}", label.replace(r"\theta", ""))
    assert any("$" in axes.get_xlabel() for axes in drawn[name].axes)
    assert any("$" in axes.get_ylabel() for axes in drawn[name].axes)


@pytest.mark.parametrize("name", DRAWN)
def test_nothing_overlaps_or_is_cut_off(name: str, drawn: dict[str, Figure]) -> None:
    figure = drawn[name]
    with theme():
        figure.draw_without_rendering()
    inside = figure.bbox.padded(1)
    caption = figure._supxlabel.get_window_extent()
    panels = [axes.get_tightbbox() for axes in figure.axes]
    legends = [axes.get_legend().get_window_extent() for axes in figure.axes if axes.get_legend()]
    for box in (caption, *panels, *legends):
        assert inside.x0 <= box.x0
        assert box.x1 <= inside.x1
        assert inside.y0 <= box.y0
        assert box.y1 <= inside.y1
    for legend in legends:
        assert not legend.overlaps(caption)
        assert not any(legend.overlaps(axes.get_window_extent()) for axes in figure.axes)
    assert not any(box.overlaps(caption) for box in panels)


def test_drift_shows_bound_exact_value_and_interval(
    drawn: dict[str, Figure], results: dict[str, Any]
) -> None:
    upper, lower = drawn["drift"].axes
    curve = results["drift"]
    bounds, exacts = lines(upper, "bound"), lines(upper, "exact")
    assert len(bounds) == len(exacts) == len(lower.collections) == len(curve["lam"])
    by_colour = {line.get_color(): line for line in bounds}
    for exact in exacts:
        (i,) = (i for i, values in enumerate(curve["exact"]) if values == list(exact.get_ydata()))
        bound = by_colour[exact.get_color()]
        assert list(bound.get_ydata()) == [curve["bound"][i]] * 2
        assert (bound.get_linestyle(), exact.get_linestyle()) == ("--", "-")


def test_drift_interval_is_relative_to_the_exact_value(
    drawn: dict[str, Figure], results: dict[str, Any]
) -> None:
    curve = results["drift"]
    # Drawn from the largest lambda to the smallest.
    for band, i in zip(drawn["drift"].axes[1].collections, reversed(range(len(curve["lam"]))), strict=True):
        heights = band.get_paths()[0].vertices[:, 1]
        assert heights.min() == pytest.approx(np.min(np.array(curve["low"][i]) / curve["exact"][i]))
        assert heights.max() == pytest.approx(np.max(np.array(curve["high"][i]) / curve["exact"][i]))


def test_drift_caption_says_runs_seed_and_error(drawn: dict[str, Figure], results: dict[str, Any]) -> None:
    text = drawn["drift"].get_supxlabel().replace("\n", " ")
    assert f"{results['drift']['runs']:,} runs (seed 0)" in text
    assert "error probability $10^{-6}$" in text


def test_psi_terms_add_up_to_the_bound(drawn: dict[str, Figure], results: dict[str, Any]) -> None:
    for axes, quantity in zip(drawn["psi"].axes, "KNT", strict=True):
        sweep = results["psi"]["sweeps"][quantity]
        named = [line(axes, words) for words in psi.TERMS.values()]
        total = np.nansum([term.get_ydata() for term in named], axis=0)
        np.testing.assert_allclose(total, line(axes, "sum").get_ydata())
        np.testing.assert_array_equal(line(axes, "sum").get_xdata(), sweep["values"])
        np.testing.assert_array_equal(line(axes, "for free in round 1").get_ydata(), sweep["free"]["first"])
    assert psi.TERMS.keys() == RATE.terms.keys()


def test_psi_draws_no_zero_on_a_logarithmic_axis(drawn: dict[str, Figure]) -> None:
    for axes in drawn["psi"].axes:
        assert axes.get_yscale() == "log"
        assert all(np.nanmin(line.get_ydata()) > 0 for line in axes.lines)


def test_rate_shows_measured_slopes_beside_the_claimed(
    drawn: dict[str, Figure], results: dict[str, Any]
) -> None:
    (axes,) = drawn["rate"].axes
    for label, name in (("exact, steps of Cor", "corollary"), ("exact, largest", "largest")):
        series, shown = results["rate"]["series"][name], line(axes, label)
        np.testing.assert_array_equal(shown.get_ydata(), series["measured"])
        assert f"slope ${series['slope']:+.2f}$" in shown.get_label()
        assert shown.get_linestyle() == "-"
    guide = line(axes, "order claimed")
    slopes = np.diff(np.log(guide.get_ydata())) / np.diff(np.log(guide.get_xdata()))
    np.testing.assert_allclose(slopes, -0.5)
    assert guide.get_ydata()[0] == line(axes, "exact, steps").get_ydata()[0]


def test_rate_shows_bounds_above_and_floor_below(drawn: dict[str, Figure]) -> None:
    (axes,) = drawn["rate"].axes
    exact = np.array(line(axes, "exact, steps of Cor").get_ydata())
    for label in ("bound", "for free at", "for free in"):
        assert (line(axes, label).get_ydata() >= exact).all()
    assert (line(axes, "no run falls below").get_ydata() <= exact).all()


def test_bkt_shows_growth_and_decrease_apart(drawn: dict[str, Figure], results: dict[str, Any]) -> None:
    for axes, world in zip(drawn["bkt"].axes, bkt.WORLDS, strict=True):
        lines_of_world = results["bkt"]["worlds"][world]
        exact = np.array(lines_of_world["exact"])
        grows, falls = (line(axes, f"exact, loss {way}").get_ydata() for way in ("grows", "falls"))
        np.testing.assert_array_equal(grows, np.where(exact > 0, exact, np.nan))
        np.testing.assert_array_equal(falls, np.where(exact < 0, -exact, np.nan))
        np.testing.assert_array_equal(line(axes, "correction").get_ydata(), lines_of_world["correction"])
        free = line(axes, "for free: the same, and").get_ydata()
        np.testing.assert_array_equal(free, lines_of_world["free_aligned"])


def test_cflag_drift_orders_runs_and_bounds(drawn: dict[str, Figure], results: dict[str, Any]) -> None:
    for axes, name in zip(drawn["cflag_drift"].axes, cflag_drift.PANELS, strict=True):
        heights = [np.array(line.get_ydata()) for line in axes.lines]
        printed, sharper, worst, largest, median = heights
        for low, high in ((median, largest), (largest, worst), (worst, sharper), (sharper, printed)):
            assert (low <= high + 1e-9).all()
        np.testing.assert_array_equal(worst, results["cflag_drift"]["panels"][name]["worst"])


def test_weights_of_table_2_lie_on_their_lines(drawn: dict[str, Figure], results: dict[str, Any]) -> None:
    axes, curve = drawn["cfl_weights"].axes[0], results["cfl_weights"]
    rounds = {tau: line(axes, f"$p_{tau}$").get_ydata() for tau in range(1, 5)}
    assert len(curve["printed"]) == 2
    for printed in curve["printed"]:
        for tau, weight in enumerate(printed["weights"], start=1):
            assert np.interp(printed["alpha"], curve["alpha"], rounds[tau]) == pytest.approx(weight, abs=1e-3)


def test_weights_by_age_sum_to_one_and_turn_negative(drawn: dict[str, Figure]) -> None:
    axes = drawn["cfl_weights"].axes[1]
    best = lines(axes, r"$\alpha")
    assert [line.get_ydata()[1] < 0 for line in best] == [False, True, True, True]
    for shown in (*best, line(axes, "Lemma B.4")):
        assert np.sum(shown.get_ydata()) == pytest.approx(1)
    np.testing.assert_allclose(best[0].get_ydata(), line(axes, "Lemma B.4").get_ydata())


def test_steady_state_is_below_its_bound_for_new_clients(drawn: dict[str, Figure]) -> None:
    for axes in drawn["cfl_steady_state"].axes:
        for method in ("CFL", "FedAvg"):
            exact, bound = (line(axes, f"{method}, {of}").get_ydata() for of in ("new", "bound"))
            assert (np.array(exact) < bound).all()
    for n, axes in enumerate(drawn["cfl_steady_state"].axes):
        labels = [found.get_label() for found in axes.get_lines()]
        assert ("CFL, sharper bound of one step" in labels) == (n != 1)
        if n != 1:
            exact, true, printed = (
                line(axes, f"CFL, {of}").get_ydata() for of in ("new", "sharper bound", "bound as printed")
            )
            assert (np.array(exact) < true).all()
            assert (np.array(true) < printed).all()


def test_constants_are_medians_over_seeds_and_bounds_are_called_sampled(
    drawn: dict[str, Figure], results: dict[str, Any]
) -> None:
    figure, methods = drawn["networks_constants"], results["networks_constants"]["methods"]
    smooth, *_, bounds = figure.axes
    seen = methods["special"]["constants"]["L_hessian"]
    np.testing.assert_allclose(line(smooth, "largest curvature").get_ydata(), np.median(seen, axis=1))
    assert line(smooth, "largest admitted").get_ydata()[0] == methods["special"]["admitted_L"]
    assert [text.get_text() for text in bounds.get_yticklabels()] == list(
        networks_constants.STATEMENTS.values()
    )
    assert "sampled" in figure.get_suptitle()
    assert "nothing is guaranteed" in figure.get_supxlabel().replace("\n", " ")


def test_networks_start_from_fedavg_and_end_as_their_matrices_say(
    drawn: dict[str, Figure], results: dict[str, Any]
) -> None:
    plane = drawn["networks_lambda"].axes[0]
    start = [line(plane, "FedAvg").get_xdata()[0], line(plane, "FedAvg").get_ydata()[0]]
    found = results["networks_lambda"]
    np.testing.assert_allclose(start, [np.mean(found[name]["special"][0]) for name in ("bwt", "acc")])
    matrices = [axes for axes in drawn["networks_tasks"].axes if axes.images]
    for axes, curve in zip(matrices, results["networks_tasks"]["curves"].values(), strict=True):
        np.testing.assert_allclose(axes.images[0].get_array(), np.array(curve["mean"])[:, -1])


def test_command_draws_and_prints_paths(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--results", str(folder), "--out", str(tmp_path / "new"), "--format", "pdf"]
    assert main(["bkt", "drift", "bkt", *options]) == 0
    expected = [tmp_path / "new" / "bkt.pdf", tmp_path / "new" / "drift.pdf"]
    assert capsys.readouterr().out.split() == [str(path) for path in expected]
    assert all(path.read_bytes().startswith(b"%PDF") for path in expected)


def test_command_draws_everything_by_default(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = ["cfl_weights", "drift", "fedmes.thm2"]
    others = shutil.ignore_patterns(*(f"{name}.json" for name in DRAWN if name not in saved))
    shutil.copytree(folder / "curves", tmp_path / "curves", ignore=others)
    assert main(["--results", str(tmp_path), "--out", str(tmp_path)]) == 0
    assert [Path(path).stem for path in capsys.readouterr().out.split()] == saved


ALONE = """
import json, sys
from pathlib import Path
for name in {names}:
    for module in [m for m in sys.modules if m.partition(".")[0] in ("bounds", "figures")]:
        del sys.modules[module]
    from figures.main import draw
    draw(json.loads(Path({folder!r}, f"{{name}}.json").read_text()))
"""


def test_every_figure_imports_all_that_it_names(folder: Path) -> None:
    script = ALONE.format(names=DRAWN, folder=str(folder / "curves"))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def failure(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """The one line that the command prints to stderr as it fails."""
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("figures: ")
    return err


@pytest.mark.parametrize(
    ("name", "hint"), [("dritf", "did you mean drift?"), ("xyz", "`python -m verify curves xyz")]
)
def test_unknown_name(name: str, hint: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = failure(["drift", name, "--results", str(folder)], capsys)
    assert f"no curve {name!r} is saved in {folder / 'curves'}; {hint}" in text


def test_adaptive_rates_show_shares_and_losses(drawn: dict[str, Figure], results: dict[str, Any]) -> None:
    curve, (often_Gamma, often_loss, past, now) = results["cflag_adaptive"], drawn["cflag_adaptive"].axes
    for axes, name in ((often_Gamma, "lower_Gamma"), (often_loss, "lower_loss")):
        assert [list(each.get_ydata()) for each in axes.lines] == [c["share"] for c in curve[name].values()]
        assert len(axes.collections) == len(curve[name])
    for axes, name in ((past, "past"), (now, "current")):
        assert list(line(axes, "fixed rates").get_ydata()) == curve[name]["fixed"]
        assert np.nanmax(line(axes, "Algorithm 3").get_ydata()) <= cflag_adaptive.LARGEST


def test_missing_results_name_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = tmp_path / "curves"
    text = failure(["rate", "psi", "--results", str(tmp_path)], capsys)
    assert f"`python -m verify curves rate psi --out {where}` makes them" in text
    assert f"`python -m verify curves --out {where}` makes them" in failure(
        ["--results", str(tmp_path)], capsys
    )


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{", "is not JSON"),
        ("[]", "holds no results of the curve psi"),
        ('{"name": "rate"}', "holds no results of the curve psi"),
        ('{"name": "psi"}', "name no figure that there is, got 'None'"),
        ('{"name": "psi", "figure": "../psi"}', "name no figure that there is"),
        ('{"name": "psi", "figure": "psi"}', "do not hold what the figure shows (KeyError('sweeps'))"),
        ('{"name": "psi", "figure": "style"}', "do not hold what the figure shows"),
        ('{"name": "psi", "figure": "psi", "sweeps": {"K": 3}}', "do not hold what the figure shows"),
    ],
)
def test_broken_results(
    content: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "curves").mkdir()
    (tmp_path / "curves" / "psi.json").write_text(content)
    text = failure(["psi", "--results", str(tmp_path), "--out", str(tmp_path)], capsys)
    assert reason in text
    assert "python -m verify curves psi" in text


def test_folder_that_cannot_be_made(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    assert "cannot write" in failure(
        ["psi", "--results", str(folder), "--out", str(tmp_path / "file")], capsys
    )


def test_a_theorem_is_drawn_with_its_run_its_bounds_and_where_the_ratio_peaks(
    drawn: dict[str, Figure], results: dict[str, Any]
) -> None:
    both, ratio, other, _ = drawn["special.thm4.10"].axes
    printed, free, true = results["special.thm4.10"]["lines"]
    assert list(line(both, "exact").get_ydata()) == printed["exact"] == free["exact"]
    assert list(line(both, "bound as printed").get_ydata()) == printed["bound"]
    assert list(line(both, "for free").get_ydata()) == free["bound"]
    assert list(line(other, "true instead").get_ydata()) == true["bound"]
    peaks = {(float(found.get_xdata()[0]), float(found.get_ydata()[0])) for found in lines(ratio, "_peak")}
    assert peaks == {(found["peak"]["at"], found["peak"]["ratio"]) for found in (printed, free)}
    assert "Largest: thm4.10" in drawn["special.thm4.10"].get_supxlabel().replace("\n", " ")


def test_a_claimed_order_begins_with_the_run(drawn: dict[str, Figure], results: dict[str, Any]) -> None:
    order, floor, _ = results["cflag.lem4"]["lines"]
    axes = drawn["cflag.lem4"].axes[0]
    shown = line(axes, "order of").get_ydata()
    assert shown[0] == floor["exact"][0]
    np.testing.assert_allclose(shown / shown[0], order["order"])
