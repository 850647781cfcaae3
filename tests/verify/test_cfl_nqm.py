"""Noisy quadratic model of CFL: quantities of the scenes and curves against plain loops."""

from __future__ import annotations

import numpy as np
import pytest

from bounds.cfl.nqm import SETTINGS
from nqm.fields import to_exact
from verify.curves import cfl_figure2, cfl_map, cfl_table3, cfl_variants
from verify.scenes.cfl.nqm import at_best_rates, with_loss_at_best_rates


def loss_of_kicks(h: float, rate: float, steps: int, rounds: int, *, remember: bool) -> float:
    """Variance of h x after some rounds with time drifts of variance 1, summed over the drifts."""
    total = 0.0
    for kicked in range(rounds):
        x = 0.0
        for t in range(rounds):
            force = (1 / (t + 1) if t >= kicked else 0.0) if remember else float(t == kicked)
            for _ in range(steps):
                x -= rate * (h * x + force)
        total += (h * x) ** 2
    return total


@pytest.mark.parametrize(("setting", "steps", "rounds"), [(0, 1, 2), (5, 2, 3), (7, 1, 4)])
def test_best_losses_of_the_scene(setting: int, steps: int, rounds: int) -> None:
    shape = {"setting": setting, "T": rounds, "K": steps, "N": 2}
    start = np.array([[0.3, 1.1]])
    values = at_best_rates(shape, {"start": start})
    given = list(SETTINGS.values())[setting]
    for name, remember in (("cfl", True), ("fedavg", False)):
        by_rate = {}
        for k in range(1, 41):
            rate, loss = k / 100, 0.0
            for axis, h in enumerate((given.mu, given.L)):
                decay = (1 - rate * h) ** (steps * rounds)
                drift = loss_of_kicks(h, rate, steps, rounds, remember=remember)
                stay = 1 - decay
                noise = h**2 * rate**2 * sum((1 - rate * h) ** (2 * j) for j in range(steps * rounds))
                loss += (h * decay * start[0, axis]) ** 2
                loss += (float(given.drift2) * drift + 0.01 * stay**2 * (h > 0) + 1e-5 * noise) / 4
            by_rate[rate] = loss
        assert values[f"nqm_best_{name}"][0] == pytest.approx(min(by_rate.values()), rel=1e-9)
        assert values[f"nqm_rate_{name}"][0] == pytest.approx(min(by_rate, key=by_rate.__getitem__))


def test_scene_is_the_same_in_fractions() -> None:
    shape, start = {"setting": 6, "T": 3, "K": 1, "N": 1}, np.array([[0.25, 0.5]])
    inexact = with_loss_at_best_rates(shape, {"start": start})
    exact = with_loss_at_best_rates(shape, {"start": to_exact(start)})
    for name in ("nqm_best_cfl", "nqm_best_fedavg", "nqm_rate_cfl"):
        assert float(exact[name][0]) == pytest.approx(inexact[name][0])


def test_energies_are_those_of_single_runs() -> None:
    setting = SETTINGS["SRD SL-SC"]
    found = cfl_variants.energies(setting, 2)
    equal = [m.present for m in cfl_variants.METHODS].index("equal")
    for place, rate in ((9, 0.1), (19, 0.2)):
        for method, remember in ((0, False), (equal, True)):
            expected = sum(loss_of_kicks(h, rate, 5, 6, remember=remember) for h in (1, 5)) / 2
            assert found.time[6, 1, method, place] == pytest.approx(expected)
    assert np.isnan(found.time[6, 1, 0, 39]) == (abs(1 - 0.4 * 5) > 1)


def test_closest_reading_gives_the_numbers_it_counts() -> None:
    curve = cfl_table3.compute(0)
    same = sum(
        abs(a - b) < 0.005
        for row, rates in curve["printed"].items()
        for a, b in zip(rates, curve["closest"]["rates"][row], strict=True)
    )
    words = [word for row in curve["outcome"].values() for word in row]
    assert same == curve["closest"]["hits"] == words.count("in the closest variant")
    assert curve["hits"].sum() == curve["variants"]
    for row, over in curve["rows"].items():
        assert (over["low"] <= curve["closest"]["rates"][row]).all()
        assert (curve["closest"]["rates"][row] <= over["high"]).all()


def test_losses_of_figure_2_start_alike_and_grow_with_the_information_loss() -> None:
    for lines in cfl_figure2.compute(0)["curves"].values():
        starts = {line[0] for line in lines.values()}
        assert max(starts) - min(starts) < 1e-12
        ends = [lines[name][-1] for name in ("CFL", "CFL-0.001", "CFL-0.01")]
        assert ends == sorted(ends)


def test_map_at_a_point_is_that_of_general_rates() -> None:
    """With much information loss and little drift, equal weights are worse and those of Theorem 4.1 forget."""
    ratio = cfl_map.compute(0)["ratio"]["1"]
    assert ratio["equal"][-1, 0] > 10
    assert ratio["theorem"][-1, 0] == pytest.approx(1, abs=0.01)
    np.testing.assert_allclose(ratio["equal"][0], ratio["theorem"][0], rtol=0.01)
