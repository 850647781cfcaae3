"""Experiments: who has which images, what is kept on disk, and trends along sweeps."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import verify.networks.experiments as experiments
from verify.networks import trends
from verify.networks.experiments import (
    Setting,
    by_dirichlet,
    draws,
    fresh,
    revisited,
    run,
    tuned,
    windowed,
    world,
)

TINY = Setting(by_dirichlet, tasks=2, images=80, clients=4, sampled=2, rounds=2, epochs=1, batch=8, seeds=3)
CHANGING = replace(TINY, deal=revisited, tasks=1, periods=6, clients=2, subsets=4, rounds=1, images=160)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(experiments, "FOLDER", tmp_path)
    experiments._run.cache_clear()


def own(setting: Setting, run: int, period: int, client: int) -> np.ndarray:
    rows = world(setting).rows[period, run, client]
    return rows[rows >= 0]


# ------------------------------------------------------------------------------------- who has which images


def test_every_image_of_a_task_has_one_owner() -> None:
    for task, seed in np.ndindex(2, 3):
        held = np.concatenate([own(TINY, seed, task, client) for client in range(4)])
        assert sorted(held) == list(range(80 * task, 80 * (task + 1)))


def test_seeds_have_deals_of_their_own_that_do_not_depend_on_their_number() -> None:
    assert len({tuple(own(TINY, seed, 0, 0)) for seed in range(3)}) == 3
    later = replace(TINY, first=1, seeds=2)
    for client in range(4):
        np.testing.assert_array_equal(own(later, 0, 1, client), own(TINY, 1, 1, client))


def test_clients_come_back_to_their_subsets() -> None:
    for seed, client in np.ndindex(3, 2):
        seen = {tuple(own(CHANGING, seed, period, client)) for period in range(6)}
        assert len(seen) <= 4
        counts = Counter(row for subset in seen for row in subset)
        assert set(counts.values()) == {1}


def test_windows_move_by_what_is_not_kept() -> None:
    half = replace(CHANGING, deal=windowed, overlap=0.5)
    for seed, client in np.ndindex(3, 2):
        windows = [own(half, seed, period, client) for period in range(6)]
        size = len(windows[0])
        assert all(len(set(a) & set(b)) == size - size // 2 for a, b in pairwise(windows))


def test_new_clients_have_as_many_images_as_a_subset() -> None:
    new = replace(CHANGING, deal=fresh)
    for period in range(6):
        parts = [own(new, 0, period, client) for client in range(2)]
        assert [len(part) for part in parts] == [20, 20]
        assert not set(parts[0]) & set(parts[1])
    assert len({tuple(own(new, 0, period, 0)) for period in range(6)}) > 4


# --------------------------------------------------------------------------------------------------- running


def test_results_are_kept_and_trained_but_once(monkeypatch) -> None:
    found = run(TINY, "special", {"lam": 0.5}, "rounds")
    assert found.by_round.shape == (3, 2, 2, 2)
    np.testing.assert_array_equal(found.accuracy, found.by_round[..., -1, :])
    experiments._run.cache_clear()
    monkeypatch.setattr(experiments, "_trained", None)  # to train again would fail
    again = run(TINY, "special", {"lam": 0.5}, "rounds")
    np.testing.assert_array_equal(again.by_round, found.by_round)
    np.testing.assert_array_equal(again.models, found.models)
    assert [file.suffix for file in experiments.FOLDER.iterdir()] == [".npz"]


def test_a_run_that_was_stopped_goes_on(monkeypatch) -> None:
    whole = run(TINY, "ewc", {"lam": 0.5})
    experiments._run.cache_clear()
    moved = experiments.FOLDER / "elsewhere"
    monkeypatch.setattr(experiments, "FOLDER", moved)

    def stop(prefix: str):
        def show(line: str) -> None:
            if "task 1" in line:
                raise KeyboardInterrupt

        return show

    with monkeypatch.context() as patched:
        patched.setattr(experiments, "now_and_then", stop)
        with pytest.raises(KeyboardInterrupt):
            run(TINY, "ewc", {"lam": 0.5})
    assert list(moved.glob("*.npz"))
    np.testing.assert_array_equal(run(TINY, "ewc", {"lam": 0.5}).models, whole.models)


@pytest.mark.parametrize(("method", "number"), [("special", "lam"), ("special-second-task", "lam")])
def test_a_sweep_is_the_runs_of_its_values(method: str, number: str) -> None:
    values = (0.0, 0.4)
    together = run(TINY, method, {number: values})
    assert together.accuracy.shape == (2, 3, 2, 2)
    for place, value in enumerate(values):
        alone = run(TINY, method, {number: value})
        np.testing.assert_allclose(together.models[place], alone.models, atol=1e-5)


def test_the_servers_step_decays() -> None:
    slow = run(replace(TINY, decay=30), "fedavg", {})
    first = run(replace(TINY, tasks=1), "fedavg", {})
    np.testing.assert_allclose(slow.models, first.models, atol=1e-5)


def test_seeds_that_are_tuned_on_are_not_judged_on(monkeypatch) -> None:
    asked = []

    def scored(ran) -> np.ndarray:
        asked.append(ran.accuracy)
        return np.array([[0.0, 1.0], [2.0, 0.0]])

    monkeypatch.setattr(experiments, "TUNING_SEEDS", 2)
    assert tuned(TINY, "special", {"lam": (0.1, 0.4)}, scored) == {"lam": 0.4}
    (found,) = asked
    assert found.shape[:2] == (2, 2)
    judged = run(TINY, "special", {"lam": (0.1, 0.4)}).accuracy
    assert (found[:, :2] != judged[:, :2]).any()


def test_methods_meet_the_same_draws() -> None:
    np.testing.assert_array_equal(draws(TINY).noise(1, 0), draws(replace(TINY, local_lr=0.7)).noise(1, 0))


# --------------------------------------------------------------------------------------------------- trends

VALUES = arrays(np.int64, st.tuples(st.integers(2, 5), st.integers(1, 3)), elements=st.integers(0, 4))


@given(VALUES)
def test_trends_against_plain_loops(values: np.ndarray) -> None:
    for run_, path in enumerate(values.T.tolist()):
        steps = list(pairwise(path))
        pairs = [(a, b) for i, a in enumerate(path) for b in path[i + 1 :]]
        inside = max(path) > max(path[0], path[-1])
        top = path.index(max(path))
        expected = {
            "never_falls": all(b >= a for a, b in steps) and path[-1] > path[0],
            "mostly_rises": sum(b > a for a, b in pairs) > sum(b < a for a, b in pairs),
            "last_above_first": path[-1] > path[0],
            "highest_inside": inside,
            "rises_then_falls": inside
            and all(b >= a for a, b in steps[:top])
            and all(b <= a for a, b in steps[top:]),
        }
        for name, holds in expected.items():
            trend = getattr(trends, name)
            assert trend(values)[run_] == holds, name
            assert trends.turned(trend)(-values)[run_] == holds


@given(arrays(np.float64, st.tuples(st.just(4), st.integers(1, 3)), elements=st.integers(0, 9)))
def test_diminishing_returns(values: np.ndarray) -> None:
    at = (1, 3, 5, 10)
    gains = np.array([(values[i + 1] - values[i]) / (at[i + 1] - at[i]) for i in range(3)])
    np.testing.assert_array_equal(trends.concave(at)(values), (gains[1] < gains[0]) & (gains[2] < gains[1]))
    np.testing.assert_array_equal(trends.less_at_the_end(at)(values), gains[2] < gains[0])
