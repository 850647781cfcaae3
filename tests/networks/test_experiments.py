"""Experiments: which runs are trained, and which are cached on disk."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import verify.networks.experiments as experiments
from algorithms.algorithm import State
from algorithms.fedavg import fedavg
from verify.networks.data.deals import by_dirichlet
from verify.networks.data.splits import TUNING_FIRST
from verify.networks.experiments import at_rates, draws, rates_alone, run, tuned, world
from verify.networks.methods import METHODS
from verify.networks.setting import Setting, algorithm_of
from verify.networks.training import resume
from verify.networks.training.checkpoint import Checkpoint
from verify.networks.training.measures import AT_ENDS, EVERY_ROUND, OWN_TASKS, PERSONAL, Measure

TINY = Setting(by_dirichlet, tasks=2, images=80, clients=4, sampled=2, rounds=2, epochs=1, batch=8, seeds=3)


MEASURES = [EVERY_ROUND, *(pytest.param(one, marks=pytest.mark.slow) for one in (OWN_TASKS, PERSONAL))]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(experiments, "FOLDER", tmp_path)
    experiments._run.cache_clear()


def test_results_are_kept_and_trained_but_once(monkeypatch) -> None:
    found = run(TINY, "special", {"lam": 0.5}, EVERY_ROUND)
    assert found.by_round.shape == (3, 2, 2, 2)
    np.testing.assert_array_equal(found.accuracy, found.by_round[..., -1, :])
    experiments._run.cache_clear()
    monkeypatch.setattr(experiments, "_trained", None)  # training again would fail
    again = run(TINY, "special", {"lam": 0.5}, EVERY_ROUND)
    np.testing.assert_array_equal(again.by_round, found.by_round)
    np.testing.assert_array_equal(again.models, found.models)
    assert [file.suffix for file in experiments.FOLDER.glob("[!.]*")] == [".npz"]


@pytest.mark.parametrize(("seconds", "saved"), [(0.0, [1, 2, 3, 4]), (1e9, [1, 4])])
def test_tasks_that_take_little_are_not_saved_but_the_first_and_the_last(
    seconds: float, saved: list[int], monkeypatch
) -> None:
    tasks: list[int] = []

    def save(self: Checkpoint, state: State, **results: np.ndarray) -> None:
        if "history" in results:
            tasks.append(results["history"].shape[-3])

    monkeypatch.setattr(resume, "SELDOM", seconds)
    monkeypatch.setattr(Checkpoint, "save", save)
    run(replace(TINY, tasks=4), "fedavg", {})
    assert tasks == saved


@pytest.mark.parametrize(("seconds", "least", "most"), [(0.0, 7, 9), (1e9, 2, 2)])
def test_memory_is_given_back_after_rounds_now_and_then(seconds, least, most, monkeypatch) -> None:
    given: list[int] = []
    monkeypatch.setattr(resume, "SELDOM", seconds)
    monkeypatch.setattr(resume, "give_back", lambda: given.append(1))
    run(replace(TINY, tasks=2, rounds=3), "fedavg", {})
    assert least <= len(given) <= most


@pytest.mark.parametrize(("method", "measure"), [("ewc", EVERY_ROUND), ("fedmes-inference", OWN_TASKS)])
def test_a_run_that_was_stopped_goes_on(method: str, measure: Measure, monkeypatch) -> None:
    whole = run(TINY, method, {}, measure)
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
            run(TINY, method, {}, measure)
    assert list(moved.glob("*.npz"))
    again = run(TINY, method, {}, measure)
    np.testing.assert_array_equal(again.models, whole.models)
    np.testing.assert_array_equal(again.by_round, whole.by_round)


@pytest.mark.usefixtures("small_methods")
@pytest.mark.parametrize("method", METHODS)
def test_every_method_is_trained_and_tested(method: str) -> None:
    short = replace(TINY, rounds=1, epochs=0.5, seeds=2)
    found = run(short, method, {}, OWN_TASKS)
    assert found.accuracy.shape == (
        2,
        2,
        4,
        2,
        2,
    )  # with and without the memory's part, runs, clients, tasks, tasks
    assert ((found.accuracy >= 0) & (found.accuracy <= 1)).all()
    assert found.models.shape[0] == 2
    assert (found.models[0] != found.models[1]).any()


@pytest.mark.usefixtures("small_methods")
@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize(
    ("method", "lacking"),
    [
        ("cflag", "available"),
        ("special", "for_kernels"),
        pytest.param("ditto", "for_kernels", marks=pytest.mark.slow),
        pytest.param("fedweit/paper", "available", marks=pytest.mark.slow),
    ],
)
def test_seeds_that_take_much_memory_are_trained_one_half_after_the_other(
    method: str, lacking: str, measure: Measure, monkeypatch
) -> None:
    numbers = {"lam": (0.1, 0.4)} if "lam" in METHODS[method].numbers else {}
    whole = run(TINY, method, numbers, measure)
    experiments._run.cache_clear()
    monkeypatch.setattr(experiments, "FOLDER", experiments.FOLDER / "elsewhere")
    monkeypatch.setattr(experiments, lacking, lambda device: 1)
    monkeypatch.setattr(experiments, "ENOUGH", 1 if lacking == "for_kernels" else 3)
    monkeypatch.setattr(experiments, "require_room", lambda needed, device: None)
    parts = run(TINY, method, numbers, measure)
    np.testing.assert_allclose(parts.models, whole.models, atol=1e-5)
    np.testing.assert_allclose(parts.by_round, whole.by_round, atol=0.05)
    assert len(list(experiments.FOLDER.rglob("*.npz"))) == 5  # three seeds, two of them together, and all


@pytest.mark.usefixtures("small_methods")
@pytest.mark.parametrize("measure", MEASURES)
def test_a_sweep_that_does_not_fit_is_run_value_by_value(measure: Measure, monkeypatch) -> None:
    numbers = {"lam": (0.1, 0.4, 0.7), "local_lr": 0.2}
    one = replace(TINY, seeds=1, local_lr=None)
    whole = run(one, "special", numbers, measure)
    experiments._run.cache_clear()
    monkeypatch.setattr(experiments, "FOLDER", experiments.FOLDER / "elsewhere")
    monkeypatch.setattr(experiments, "available", lambda device: 1)
    monkeypatch.setattr(experiments, "require_room", lambda needed, device: None)
    parts = run(one, "special", numbers, measure)
    assert whole.models.shape[:2] == (3, 1)
    np.testing.assert_allclose(parts.models, whole.models, atol=1e-5)
    np.testing.assert_allclose(parts.by_round, whole.by_round, atol=0.05)
    assert len(list(experiments.FOLDER.rglob("*.npz"))) == 4  # three values, and all


def test_what_is_measured_is_kept_apart() -> None:
    common, own = (run(TINY, "fedavg", {}, measure) for measure in (AT_ENDS, OWN_TASKS))
    np.testing.assert_array_equal(common.models, own.models)
    assert own.accuracy.ndim == common.accuracy.ndim + 2
    np.testing.assert_array_equal(common.accuracy, run(TINY, "fedavg", {}, EVERY_ROUND).accuracy)


@pytest.mark.parametrize(("method", "number"), [("special", "lam"), ("special-second-task", "lam")])
def test_a_sweep_is_the_runs_of_its_values(method: str, number: str) -> None:
    values = (0.0, 0.4)
    together = run(TINY, method, {number: values})
    assert together.accuracy.shape == (2, 3, 2, 2)
    for place, value in enumerate(values):
        alone = run(TINY, method, {number: value})
        np.testing.assert_allclose(together.models[place], alone.models, atol=1e-5)


def test_a_sweep_of_clients_on_their_own_tasks() -> None:
    values = (0.1, 0.4)
    together = run(TINY, "ditto", {"lam": values}, OWN_TASKS).accuracy
    assert together.shape == (2, 2, 3, 4, 2, 2)
    alone = run(TINY, "ditto", {"lam": 0.4}, OWN_TASKS).accuracy
    np.testing.assert_allclose(together[:, 1], alone, atol=0.03)


def test_all_step_sizes_of_clients_are_the_settings(monkeypatch) -> None:
    asked: dict[str, object] = {}
    for method in ("cflag", "ditto", "fedmes"):
        made = replace(METHODS[method], make=lambda **given: asked.update(given) or fedavg(1))
        monkeypatch.setitem(METHODS, method, made)
        algorithm_of(
            replace(TINY, local_lr=0.7), method, {"capacity": 6} if method != "ditto" else {}, world(TINY)
        )
    steps = ("alpha", "beta", "local_lr", "correction_lr", "personal_lr")
    assert [asked[name] for name in steps] == [0.7] * 5
    assert asked["capacity"] == 6


def test_unknown_numbers_and_decays_are_refused() -> None:
    with pytest.raises(
        ValueError, match=r"`numbers` of ewc must be among local_lr, lam, global_lr, got 'mu'"
    ):
        run(TINY, "ewc", {"mu": 1})
    with pytest.raises(ValueError, match=r"`decay` must be 0 for cflag, .* got 1"):
        run(replace(TINY, decay=1), "cflag", {})


def test_sweeps_count_in_the_memory_that_is_required(monkeypatch) -> None:
    required = []
    monkeypatch.setattr(experiments, "require_room", lambda needed, device: required.append(needed))
    for lam in (0.1, (0.1, 0.2, 0.3)):
        run(TINY, "special", {"lam": lam})
    one, three = required
    assert three["state"] == 3 * one["state"]


def test_the_servers_step_decays() -> None:
    slow = run(replace(TINY, decay=30), "fedavg", {})
    first = run(replace(TINY, tasks=1), "fedavg", {})
    np.testing.assert_allclose(slow.models, first.models, atol=1e-5)


def test_seeds_that_are_tuned_on_are_not_judged_on() -> None:
    asked = []

    def scored(ran) -> np.ndarray:
        asked.append(ran.accuracy)
        return np.array([[0.0, 1.0], [2.0, 0.0]])

    assert tuned(TINY, "special", {"lam": (0.1, 0.4)}, scored, runs=(2,)) == {"lam": 0.4}
    (found,) = asked
    assert found.shape[:2] == (2, 2)
    judged = run(TINY, "special", {"lam": (0.1, 0.4)}).accuracy
    assert (found[:, :2] != judged[:, :2]).any()


def test_candidates_are_step_sizes_with_strengths() -> None:
    assert at_rates((0.1, 0.2), alpha=(1.0, 2.0, 3.0), beta=(6.0, 5.0, 4.0)) == {
        "local_lr": (0.1, 0.1, 0.1, 0.2, 0.2, 0.2),
        "alpha": (1.0, 2.0, 3.0, 1.0, 2.0, 3.0),
        "beta": (6.0, 5.0, 4.0, 6.0, 5.0, 4.0),
    }
    assert rates_alone((0.1, 0.3, 0.4), 3) == {"local_lr": (0.1, 0.2, 0.4)}
    with pytest.raises(ValueError, match="zip"):
        at_rates((0.1,), alpha=(1.0, 2.0), beta=(1.0,))


def test_a_sweep_of_step_sizes_is_the_runs_of_each() -> None:
    fading = replace(TINY, fading=0.9)
    together = run(fading, "special", at_rates((0.05, 0.1), lam=(0.1, 0.4)))
    alone = run(replace(fading, local_lr=0.05), "special", {"lam": 0.4})
    np.testing.assert_allclose(together.models[1], alone.models, atol=1e-5)
    np.testing.assert_allclose(together.accuracy[1], alone.accuracy, atol=0.03)


def test_candidates_are_tried_alone_where_memories_follow_from_models(monkeypatch) -> None:
    asked = []

    def fake(setting: Setting, method: str, numbers: dict) -> experiments.Ran:
        asked.append(numbers["local_lr"])
        return experiments.Ran(np.zeros(0), np.multiply.outer(numbers["local_lr"], np.ones(3)))

    monkeypatch.setattr(experiments, "run", fake)
    steps = {"local_lr": (0.001, 0.1, 0.002)}
    assert all(
        tuned(TINY, name, steps, lambda ran: ran.models) == {"local_lr": 0.1} for name in ("er", "icarl")
    )
    assert asked == [steps["local_lr"], *steps["local_lr"]]


@pytest.mark.parametrize("method", ["special", "icarl"])
def test_the_best_quarter_has_more_runs_than_the_others(method: str, monkeypatch) -> None:
    """These are neither the runs that every candidate has had nor runs used for evaluation."""
    steps, asked = (0.1, 0.2, 0.3, 0.4, 0.5), []

    def fake(setting: Setting, method: str, numbers: dict) -> experiments.Ran:
        tried = np.atleast_1d(numbers["local_lr"])
        seeds = setting.first - TUNING_FIRST + np.arange(setting.seeds)
        asked.extend((rate, int(seed)) for rate in tried for seed in seeds)
        by_chance = np.where((seeds < 2) & (tried[:, None] == 0.4), 1.0, 0.0)
        return experiments.Ran(np.zeros(0), by_chance - (tried[:, None] - 0.2) ** 2)

    monkeypatch.setattr(experiments, "run", fake)
    assert tuned(TINY, method, {"local_lr": steps}, lambda ran: ran.models, runs=(2,)) == {"local_lr": 0.4}
    assert sorted(asked) == [(rate, seed) for rate in steps for seed in (0, 1)]
    asked.clear()
    assert tuned(TINY, method, {"local_lr": steps}, lambda ran: ran.models, runs=(2, 60)) == {"local_lr": 0.2}
    further = [(rate, seed) for rate in (0.2, 0.4) for seed in range(2, 60)]
    assert sorted(asked) == sorted([(rate, seed) for rate in steps for seed in (0, 1)] + further)


def test_methods_meet_the_same_draws() -> None:
    np.testing.assert_array_equal(draws(TINY).noise(1, 0), draws(replace(TINY, local_lr=0.7)).noise(1, 0))


def test_no_dense_network_loads_the_compiler(tmp_path) -> None:
    """It would take two seconds and 60 MB of every process that trains."""
    program = (
        "import sys, pathlib\n"
        "import verify.networks.experiments as experiments\n"
        "from tests.networks.test_experiments import TINY\n"
        "from tests.networks.cases import FEWER, fewer\n"
        "from dataclasses import replace\n"
        "from verify.networks.methods import METHODS\n"
        "METHODS.update({name: fewer(name) for name in FEWER})\n"
        "experiments.FOLDER = pathlib.Path(sys.argv[1])\n"
        "for method in ('fedavg', 'cflag', 'fedweit/paper', 'cfl-mcmc', 'target/paper', 'fedcil/paper', 'mfcl/paper', 'pfeddil'):\n"
        "    experiments.run(replace(TINY, kind='class', seeds=2, rounds=1), method, {})\n"
        "    assert 'torch._dynamo' not in sys.modules, method\n"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=True, cwd=Path(__file__).parents[2])
