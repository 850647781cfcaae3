"""Curves: exact values compared with independent ones, intervals, conditions, and files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.draws import monte_carlo
from algorithms.simulate import local_path, states
from bounds.special.theorems import BKT, PSI, RATE
from nqm.constants import constants
from nqm.known import Ball
from nqm.noise import Rademacher
from nqm.quadratic import DiagonalQuadratic
from verify import curves
from verify.commands.main import main
from verify.curves import bkt, drift, psi, rate
from verify.curves.confined import Steps, confining_ball, limit
from verify.curves.headlines import HEADLINES
from verify.curves.interval import mean_interval
from verify.engine.work.errors import UsageError


@pytest.fixture(scope="module")
def found() -> dict[str, dict[str, Any]]:
    return {module.__name__.split(".")[-1]: module.compute(0) for module in (drift, psi, rate, bkt)}


def test_exact_drift_equals_its_closed_form(found: dict[str, Any]) -> None:
    """Linear losses: the drift is a weighted sum of independent means over sampled clients."""
    slopes, lam = drift.SLOPES, drift.STEPS.lam[:, None]
    t = np.arange(1, drift.ROUNDS + 1)
    powers = (1 + lam[..., None]) ** -np.arange(1.0, drift.ROUNDS + 1)
    first, second = powers.cumsum(axis=-1)[:, 0], (powers**2).cumsum(axis=-1)[:, 0]
    mean = slopes.mean(axis=0)
    spread = ((slopes - mean) ** 2).sum(axis=-1).mean()
    M, N, E = drift.M, drift.N, drift.STEPS.E
    of_round = spread * (M - N) / (N * (M - 1)) + drift.SIGMA**2 / (E * N)
    scale = (drift.STEPS.gamma_G * drift.STEPS.gamma_L * E) ** 2
    expected = scale * ((mean @ mean) * first**2 + of_round * second)
    assert found["drift"]["exact"].shape == (len(lam), len(t))
    np.testing.assert_allclose(found["drift"]["exact"], expected, rtol=1e-12)


def test_bound_above_exact_inside_interval(found: dict[str, Any]) -> None:
    curve = found["drift"]
    assert (curve["exact"] <= curve["bound"][:, None]).all()
    assert (curve["low"] <= curve["exact"]).all()
    assert (curve["exact"] <= curve["high"]).all()
    assert (curve["low"] <= curve["simulated"]).all()
    assert (curve["simulated"] <= curve["high"]).all()


def test_interval_is_narrow_enough_to_say_something(found: dict[str, Any]) -> None:
    curve = found["drift"]
    assert ((curve["high"] - curve["low"]) < 0.15 * curve["exact"]).all()


def test_seed_changes_the_runs_and_nothing_else(found: dict[str, Any]) -> None:
    other = drift.compute(1)
    assert (other["simulated"] != found["drift"]["simulated"]).any()
    np.testing.assert_array_equal(other["exact"], found["drift"]["exact"])
    np.testing.assert_array_equal(drift.compute(1)["simulated"], other["simulated"])


def test_interval_of_maurer_and_pontil() -> None:
    """Theorem 4 of their paper, for two values with equal shares, written out."""
    samples = np.array([0.0, 1.0] * 50)
    log = np.log(2 / (0.01 / 2))
    width = np.sqrt(2 * (25 / 99) * log / 100) + 7 * log / (3 * 99)
    low, high = mean_interval(samples, 1.0, 0.01)
    np.testing.assert_allclose((low, high), (0.5 - width, 0.5 + width))


@given(st.floats(0.02, 0.98), st.integers(0, 2**32 - 1), st.floats(0.01, 100))
def test_interval_holds_the_mean_and_scales(chance: float, seed: int, scale: float) -> None:
    samples = (np.random.default_rng(seed).random((3, 400)) < chance) * scale
    low, high = mean_interval(samples, np.full(3, scale), 1e-12)
    assert ((low <= chance * scale) & (chance * scale <= high)).all()
    unit = mean_interval(samples / scale, 1.0, 1e-12)
    np.testing.assert_allclose((low / scale, high / scale), unit, rtol=1e-9, atol=1e-12)


def test_interval_narrows_with_more_samples_and_more_error() -> None:
    samples = np.random.default_rng(0).random(10_000)
    width = lambda n, error: np.subtract(*mean_interval(samples[:n], 1.0, error)[::-1])  # noqa: E731
    assert width(10_000, 1e-6) < width(1_000, 1e-6) < width(1_000, 1e-9)


@pytest.mark.parametrize(
    ("samples", "error", "match"),
    [
        ([0.5, 1.5], 0.1, "must lie in"),
        ([-0.1, 0.5], 0.1, "must lie in"),
        ([0.5], 0.1, "at least 2 samples"),
        ([0.5, 0.5], 0.0, "`error`"),
        ([0.5, 0.5], 1.0, "`error`"),
    ],
)
def test_interval_refuses_what_it_does_not_hold_for(samples: list[float], error: float, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        mean_interval(samples, 1.0, error)


def test_no_run_leaves_its_ball() -> None:
    """Every point at which a client evaluates a gradient, in simulated runs with the largest steps."""
    given = rate._admissible_values(rate.CHOICES["largest"])
    steps = Steps(rate.SIZES["E"], given["gamma_L"], given["gamma_G"], rate.LAM)
    ball = confining_ball(rate.WORLD, rate.START, float(steps.reach))
    B = constants(rate.WORLD, ball)["B"].value
    draws = monte_carlo(0, 200, rate.SIZES["M"], rate.SIZES["N"], steps.E, 2, "rademacher")
    method = steps.method()
    for _, played, state in states(rate.WORLD, method, draws, rate.START, 12):
        who, noise = draws.participants(0, played), draws.noise(0, played)
        points = [local["x"] for local in local_path(rate.WORLD, method, state, 0, who, noise)]
        oracle = rate.WORLD.at(0, who)
        for step, x in enumerate([state["theta"][:, None, :], *points]):
            assert ball.contains(x).all()
            if step < steps.E:
                g = oracle.stochastic_grad(x, noise[:, :, step])
                assert (np.linalg.norm(g, axis=-1) <= B).all()


def test_ball_is_refused_where_gradients_grow_too_fast() -> None:
    world = DiagonalQuadratic(np.full((1, 1, 1), 4.0), np.ones((1, 2, 1)), Rademacher(0.0))
    with pytest.raises(ValueError, match="take smaller ones"):
        confining_ball(world, np.zeros(1), 0.25)


def test_limit_is_read_off_the_conditions() -> None:
    assert limit(RATE, "gamma_L", {"E": 2, "L": 4.0}) == 1 / 64
    assert limit(RATE, "gamma_G", {"K": 5}) == 1 / 4
    with pytest.raises(ValueError, match="no condition of the form B <="):
        limit(RATE, "B", {})


def test_terms_add_up_to_the_bound(found: dict[str, Any]) -> None:
    for sweep in found["psi"]["sweeps"].values():
        assert set(sweep["terms"]) == {"lead", *(f"psi_{name}" for name in PSI)}
        np.testing.assert_allclose(sum(sweep["terms"].values()), sweep["bound"], rtol=1e-12)


def test_sampling_terms_vanish_with_all_clients(found: dict[str, Any]) -> None:
    sweep = found["psi"]["sweeps"]["N"]
    assert sweep["values"][-1] == found["psi"]["parameters"]["M"]
    for name, term in sweep["terms"].items():
        assert (term[-1] == 0) == ("samp" in name)


@given(st.integers(2, 9), st.floats(0, 3), st.floats(0.1, 3), st.floats(0.01, 1), st.floats(0, 1))
def test_free_bound_of_the_first_round(K: int, G0: float, B: float, share: float, turn: float) -> None:
    """Compared with gradients that add up in the worst way after one round."""
    values = {"K": K, "G0": G0, "B": B, "L": 2.0, "E": 3, "gamma_G": share, "gamma_L": 0.1, "lam": 0.5}
    from bounds.evaluate import evaluate

    moved = share * 0.1 * 3 * B / 1.5
    earlier = (G0 + (K - 1) * 2.0 * moved) * np.array([1.0, 0.0])
    current = B * np.array([np.cos(turn), np.sin(turn)])
    assert ((earlier + current) ** 2).sum() <= evaluate(psi.FREE["first"], values) * (1 + 1e-12)


def scalar_moments(gamma_L: float, gamma_G: float, rounds: int) -> np.ndarray:
    """E|gradient of all tasks|^2 after each round, by the recursion of one mean and one variance.

    All curvatures are equal, so the coordinates do not mix and every client's round is the same contraction.
    """
    h, sigma, lam = rate.CURVATURE, rate.SIGMA, rate.LAM
    M, N, E, K = (rate.SIZES[name] for name in ("M", "N", "E", "K"))
    kept = (1 - gamma_L * h) ** E
    pull, stay = gamma_G * (1 - kept) / (1 + lam), (1 - gamma_G * (1 - kept)) / (1 + lam)
    spread = (rate.CLIENTS**2).sum(axis=-1).mean() * (M - N) / (N * (M - 1))
    noise = (
        (gamma_G * gamma_L * sigma / (1 + lam)) ** 2 / N * sum((1 - gamma_L * h) ** (2 * e) for e in range(E))
    )
    mean, variance, found = rate.START, 0.0, []
    for _ in range(rounds):
        mean = stay * mean + pull * rate.TASKS[0] + lam / (1 + lam) * rate.START
        variance = stay**2 * variance + pull**2 * spread + noise
        found.append((h * K) ** 2 * (((mean - rate.TASKS.mean(axis=0)) ** 2).sum() + variance))
    return np.array(found)


@pytest.mark.parametrize("choice", ["corollary", "largest"])
def test_measured_rate_equals_a_scalar_recursion(found: dict[str, Any], choice: str) -> None:
    given = rate._admissible_values(rate.CHOICES[choice])
    sweep = np.broadcast_arrays(given["T"], given["gamma_L"], given["gamma_G"])
    for i, (T, gamma_L, gamma_G) in enumerate(zip(*sweep, strict=True)):
        expected = scalar_moments(gamma_L, gamma_G, int(T)).min()
        assert found["rate"]["series"][choice]["measured"][i] == pytest.approx(expected, rel=1e-10)


def test_measured_rate_lies_between_floor_and_bounds(found: dict[str, Any]) -> None:
    for series in found["rate"]["series"].values():
        for upper in ("bound", "free_first", "free_always"):
            assert (series["measured"] <= series[upper]).all()
        assert (series["floor"] <= series["measured"]).all()


def test_steps_of_the_corollary_are_those_printed(found: dict[str, Any]) -> None:
    given = rate._admissible_values(rate.CHOICES["corollary"])
    K, N, E = (rate.SIZES[name] for name in ("K", "N", "E"))
    np.testing.assert_allclose(given["gamma_L"], rate.LAM / (np.sqrt(K * given["T"]) * E * rate.CURVATURE))
    assert given["gamma_G"] == pytest.approx(np.sqrt(N * E) / ((K - 1) * rate.LAM * rate.CURVATURE))
    assert not RATE.failing(**given)
    # gamma_L <= 1/(8EL) requires T >= 64 lambda^2 / K, which 8 meets and the next smaller power of two does not.
    assert given["T"][0] == 8
    assert 4 < 64 * rate.LAM**2 / K <= 8


def test_slope_is_the_least_squares_slope(found: dict[str, Any]) -> None:
    for series in found["rate"]["series"].values():
        x, y = np.log(series["rounds"]), np.log(series["measured"])
        slope = ((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum()
        assert series["slope"] == pytest.approx(slope)


def test_change_by_noise_alone_has_a_closed_form(found: dict[str, Any]) -> None:
    curve = found["bkt"]
    t, steps = curve["t"], curve["gamma_L"][:, bkt.WORLDS.index("noise")]
    K, N, E = (bkt.SIZES[name] for name in ("K", "N", "E"))
    weights = np.array([sum((1 + bkt.LAM) ** (-2.0 * s) for s in range(1, r + 1)) for r in t])
    variance = (curve["gamma_G"] * steps * bkt.SIGMA) ** 2 * E / N * weights
    curvature = bkt.CURVATURES["noise"][1]
    expected = (K - 1) * curvature / 2 * variance
    np.testing.assert_allclose(curve["worlds"]["noise"]["exact"], expected, rtol=1e-6)


def test_change_obeys_correction_and_free_bounds(found: dict[str, Any]) -> None:
    for lines in found["bkt"]["worlds"].values():
        for upper in ("correction", "free_drift", "free_aligned"):
            assert (lines["exact"] <= lines[upper]).all()


def test_crossing_is_where_the_lines_cross(found: dict[str, Any]) -> None:
    curve = found["bkt"]
    for i, name in enumerate(bkt.WORLDS):
        lines = curve["worlds"][name]
        below = lines["free_aligned"] < lines["correction"]
        np.testing.assert_array_equal(below, curve["t"] > np.ravel(curve["crossing"]["t"])[i])


def test_conditions_of_the_transfer_theorem_hold_in_both_worlds() -> None:
    federation = bkt.world()
    ball, given = bkt._setting(federation)
    assert not BKT.failing(**given)
    assert given["align"] >= bkt.EPS
    # The alignment at many points of the ball is not worse than its bound.
    rng = np.random.default_rng(0)
    directions = rng.normal(size=(500, 2))
    points = ball.radius * directions / np.linalg.norm(directions, axis=-1, keepdims=True)
    each = np.broadcast_to(points[:, None], (len(bkt.WORLDS), 500, len(bkt.ANGLES), 2))
    gradients = federation.grad(each, 0)[bkt.WORLDS.index("aligned")]
    towards = np.array([-1.0, 0.0])
    cosines = gradients @ towards / np.linalg.norm(gradients, axis=-1)
    assert given["align"] <= cosines.min() <= given["align"] + 0.01


def test_clients_stay_on_the_ball_of_the_transfer_world() -> None:
    ball, given = bkt._setting(bkt.world())
    reach = Steps(bkt.SIZES["E"], given["gamma_L"], given["gamma_G"], bkt.LAM).reach * given["B"]
    assert isinstance(ball, Ball)
    assert (reach <= ball.radius * (1 + 1e-12)).all()


def test_curves_are_files_of_the_folder() -> None:
    folder = Path(drift.__file__).parent
    with_compute = {path.stem for path in folder.glob("[!_]*.py") if "def compute(" in path.read_text()}
    assert with_compute - {"theorems"} | HEADLINES.keys() == set(curves.CURVES)


def test_saved_curve_is_plain_json_with_its_origin(tmp_path: Path) -> None:
    (path,) = curves.compute(["psi"], tmp_path, seed=3)
    assert path == tmp_path / "psi.json"
    record = json.loads(path.read_text())
    assert (record["name"], record["seed"], record["shows"]) == ("psi", 3, ["special.thm4.10"])
    assert {"python", "sources", "numpy"} <= record["versions"].keys()
    assert isinstance(record["sweeps"]["K"]["bound"][0], float)


def test_saved_curve_is_used_again_only_for_the_same_seed_and_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (path,) = curves.compute(["psi"], tmp_path)
    before = path.stat().st_mtime_ns
    curves.compute(["psi"], tmp_path)
    assert path.stat().st_mtime_ns == before
    assert "computed before" in capsys.readouterr().err
    curves.compute(["psi"], tmp_path, seed=1)
    assert json.loads(path.read_text())["seed"] == 1
    monkeypatch.setattr(curves, "fingerprint", lambda: {"sources": "other"})
    curves.compute(["psi"], tmp_path, seed=1)
    assert json.loads(path.read_text())["versions"] == {"sources": "other"}


@pytest.mark.parametrize("content", ["", "[]", "null", '{"seed": 0}'])
def test_broken_file_is_computed_anew(tmp_path: Path, content: str) -> None:
    (tmp_path / "psi.json").write_text(content)
    (path,) = curves.compute(["psi"], tmp_path)
    assert json.loads(path.read_text())["name"] == "psi"


def test_names_are_checked_before_anything_is_computed(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'drfit'; did you mean drift"):
        curves.compute(["psi", "drfit"], tmp_path)
    with pytest.raises(UsageError, match="there are drift, psi"):
        curves.compute(["xyz"], tmp_path)
    assert not list(tmp_path.iterdir())


def test_command_prints_paths(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["curves", "psi", "psi", "--out", str(tmp_path)]) == 0
    out, err = capsys.readouterr()
    assert out == f"{tmp_path / 'psi.json'}\n"
    assert "verify: curve psi (" in err


def test_command_reports_wrong_usage_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["curves", "nothing"]) == 2
    assert capsys.readouterr().err.startswith("verify: no curve has the name 'nothing'")
    (tmp_path / "file").touch()
    assert main(["curves", "psi", "--out", str(tmp_path / "file")]) == 2
    assert "cannot write" in capsys.readouterr().err
    with pytest.raises(SystemExit) as stopped:
        main(["curves", "--seed", "-1"])
    assert stopped.value.code == 2
