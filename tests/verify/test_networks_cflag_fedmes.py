"""Sentences of C-FLAG and FedMeS about experiments: their runs and laws."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import verify.networks.experiments as experiments
from bounds.cflag.empirical import BASELINES as CFLAG_BASELINES
from bounds.fedmes.empirical import BASELINES, UNTOLD
from verify.engine.checks.means import truth
from verify.engine.topics import claims_of
from verify.networks.contests import Contest
from verify.networks.data.images import Kind
from verify.networks.data.splits import TUNING_FIRST, TUNING_SEEDS
from verify.networks.experiments import run, tuned
from verify.networks.methods import METHODS
from verify.networks.setting import rates
from verify.networks.training.evaluate import correct
from verify.networks.training.measures import OWN_TASKS, of_own, own_tests
from verify.networks.training.measures import on_own_tasks as on_own_tasks_of
from verify.networks.trends import last_above_first
from verify.scenes.metrics import acc, fedmes_acc_all_final
from verify.scenes.networks import cflag
from verify.scenes.networks.cflag import CANDIDATES, trained, within
from verify.scenes.networks.cflag import CLASSES as CFLAG_CLASSES
from verify.scenes.networks.fedmes import (
    DOMAINS,
    METHOD,
    NO_LIP,
    NUMBERS,
    OURS,
    RATES,
    UNEVEN,
    apart,
    forgetting,
    further_apart,
    most,
    nearer_to_least,
    saturates,
)
from verify.scenes.networks.fedmes import trained as on_own_tasks

SMALL = {"seeds": 2, "rounds": 1, "epochs": 0.5, "images": 100}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(experiments, "FOLDER", tmp_path)


def test_neighbours_change_predictions_alone() -> None:
    """The models are those of FedMeS without neighbours, and before anything is remembered nothing changes."""
    setting = replace(DOMAINS, **SMALL)
    with_memory, by_outputs = run(setting, OURS, {"capacity": 40, "each": 10}, OWN_TASKS).accuracy
    assert with_memory.shape == (2, 8, 4, 4)
    assert (with_memory != by_outputs).any()
    np.testing.assert_array_equal(on_own_tasks(setting, NO_LIP, 10), by_outputs)
    plain, same = run(setting, "fedavg", {}, OWN_TASKS).accuracy
    np.testing.assert_array_equal(plain, same)


def test_memories_of_different_sizes_are_the_usual_ones_where_they_are_equal() -> None:
    setting = replace(DOMAINS, **SMALL)
    usual = run(setting, OURS, {"capacity": 40, "each": 10}, OWN_TASKS)
    equal = run(setting, UNEVEN, {"capacity": 40, "least": 40}, OWN_TASKS)
    np.testing.assert_array_equal(equal.by_round, usual.by_round)
    assert (on_own_tasks(setting, UNEVEN) != usual.accuracy[0]).any()


def test_clients_that_are_told_the_task_are_told_their_own() -> None:
    """On data of its last task, a client predicts with the model of this task, whatever its place in the stream."""
    setting = replace(DOMAINS, **SMALL, local_lr=None)
    right = []

    def shown(world, algorithm, state, participated) -> np.ndarray:
        weights, task = own_tests(world), state["task"]
        models = algorithm.served_in_task(state, task)
        right.append(of_own(correct(world, models).numpy(), weights)[..., task])
        return on_own_tasks_of(world, algorithm, state, participated)

    ran = run(setting, "fedweit/paper", {}, replace(OWN_TASKS, of=shown))
    for task, just_learnt in enumerate(right):
        np.testing.assert_allclose(ran.accuracy[0][..., task, task], just_learnt)
    np.testing.assert_array_equal(*ran.accuracy)


def test_means_by_size_are_of_their_own() -> None:
    setting = replace(DOMAINS, **SMALL)
    plain, weighted = (
        run(replace(setting, weights=how), "fedavg", {}, OWN_TASKS) for how in ("equal", "size")
    )
    np.testing.assert_array_equal(on_own_tasks(setting, "fedavg/size"), weighted.accuracy[1])
    assert (weighted.models != plain.models).any()


def test_sentences_about_memories_of_different_sizes() -> None:
    """Means are 0.5 and 0.9 with memories of one size each; 0.6 is nearer to the first, and 0.8 to the second."""
    noise = np.random.default_rng(0).normal(0, 1e-3, (3, 9))
    near, far = (np.array([[value], [0.5], [0.9]]) + noise for value in (0.6, 0.8))
    assert truth(nearer_to_least(*near), 0.05) is True
    assert truth(nearer_to_least(*far), 0.05) is False
    ranges = np.array([[[0.3, 0.2]], [[0.0, 0.0]], [[0.1, 0.1]]]) + noise[..., None]
    assert truth(further_apart(*ranges), 0.05) is True
    ranges[0, :, 1] = 0.05 + noise[0]
    assert truth(further_apart(*ranges), 0.05) is False
    accuracies = np.array([[[0.5, 0.0], [0.4, 0.2]], [[0.9, 0.0], [0.6, 0.2]]])  # client, after task, on task
    np.testing.assert_allclose(apart(accuracies[None]), [[0.4, 0.1]])


def test_runs_are_the_same_from_disk_and_whatever_their_number() -> None:
    setting = replace(CFLAG_CLASSES, **SMALL)
    first = trained(setting, "cflag")
    experiments._run.cache_clear()
    np.testing.assert_array_equal(trained(setting, "cflag"), first)
    fewer = trained(replace(setting, seeds=1), "cflag")
    np.testing.assert_allclose(fewer, first[:1], atol=0.03)


def test_strengths_are_selected_on_other_seeds(monkeypatch) -> None:
    asked = []

    def selected(setting, method, candidates, score):
        asked.append((method, candidates))
        return {"lam": 3.0}

    monkeypatch.setattr("verify.scenes.networks.cflag.tuned", selected)
    setting = replace(CFLAG_CLASSES, **SMALL)
    np.testing.assert_array_equal(trained(setting, "ewc"), run(setting, "ewc", {"lam": 3.0}).accuracy)
    assert asked == [("ewc", CANDIDATES["ewc"])]


def test_strengths_that_are_not_printed_have_as_many_candidates() -> None:
    lists = [values for candidates in CANDIDATES.values() for values in candidates.values()]
    assert len({len(values) for values in lists}) == 1
    assert all(len(set(values)) == len(values) for values in lists)
    assert all(given["kd"] in CANDIDATES[cflag.TARGET]["kd"] for given in cflag.KNOWN.values())


def test_every_method_has_as_many_candidates_where_it_has_its_own_step() -> None:
    of_tasks, of_classes = cflag.OWN["task"], cflag.OWN["class"]
    assert set(of_tasks) == {*CFLAG_BASELINES, cflag.OURS, "cflag"}
    assert set(of_classes) == {*cflag.INCREMENTAL, cflag.OURS}
    every = [*of_tasks.items(), *of_classes.items()]
    (count,) = {len(values) for _, each in every for values in each.values()}
    for method, candidates in every:
        assert set(rates(METHODS[method])) <= candidates.keys() <= METHODS[method].numbers.keys()
        assert len(set(zip(*candidates.values(), strict=True))) == count, method


OWN_STEPS = [(where, method) for where, each in cflag.SELECTED.items() for method in each]


@pytest.mark.parametrize(("where", "method"), OWN_STEPS)
def test_own_steps_are_candidates(where: tuple[Kind, float], method: str) -> None:
    given, candidates = cflag.SELECTED[where][method], cflag.OWN[where[0]][method]
    assert given.keys() == candidates.keys()
    assert tuple(given.values()) in zip(*candidates.values(), strict=True)
    for name in given.keys() & {"local_lr", "beta"}:
        assert min(candidates[name]) < given[name] < max(candidates[name])


def test_methods_run_at_their_own_steps(monkeypatch) -> None:
    setting = replace(CFLAG_CLASSES, **SMALL)
    given = {"beta": 0.2, "alpha": 0.05}
    monkeypatch.setitem(cflag.SELECTED, (setting.kind, setting.alpha), {cflag.OURS: given})
    expected = run(setting, cflag.OURS, {**given, "capacity": 15}).accuracy
    np.testing.assert_array_equal(cflag.at_own_step(setting, cflag.OURS), expected)
    assert (cflag.at_own_step(setting, cflag.OURS) != trained(setting, cflag.OURS)).any()


def test_rates_adapt_only_once_something_is_remembered() -> None:
    setting = replace(CFLAG_CLASSES, **SMALL)
    fixed, adapted = (trained(setting, name) for name in ("cflag", "cflag-worst-case"))
    np.testing.assert_array_equal(fixed[:, 0], adapted[:, 0])
    assert (fixed[:, 1:] != adapted[:, 1:]).any()


def test_laws_compare_run_by_run() -> None:
    known = {"ours": np.array([0.9, 0.5]), "other": np.array([0.8, 0.6])}
    field = Contest(lambda setting, name: known[name], {"Acc": lambda a: a})
    gap = field.above("ours", ("other",), lambda a: a)(DOMAINS)
    np.testing.assert_allclose(gap.sentence.values, [0.1, -0.1])
    assert not gap.unfit
    clients = Contest(
        lambda setting, name: known[name][:, None] + [0, 0.2, 0.3], {"Acc": lambda a: a.mean(axis=-1)}
    )
    steady = clients.above("ours", ("other",), lambda a: a, most)(DOMAINS)
    np.testing.assert_array_equal(steady.sentence.values, [1, 0])
    rising = field.along(lambda setting: ((1, 2), np.array([[0, 1], [1, 0]])), lambda a: a, last_above_first)
    np.testing.assert_array_equal(rising(DOMAINS).sentence.values, [1, -1])


def test_a_setting_in_which_all_are_perfect_is_unfit() -> None:
    perfect = Contest(lambda setting, name: np.array([0.99, 1.0]), {"Acc": lambda a: a})
    assert "too easy, all methods" in perfect.above("ours", ("other",), lambda a: a)(DOMAINS).unfit
    sweep = perfect.along(
        lambda setting: ((1, 2), np.array([[0.99, 1], [1, 0.99]])), lambda a: a, last_above_first
    )
    assert "too easy, all values" in sweep(DOMAINS).unfit


def test_words_as_conditions() -> None:
    shares = most(np.array([[0.1, 0.2, -0.1], [0.1, -0.2, -0.1]]), "a - b")
    np.testing.assert_allclose(shares.values, [2 / 3, 1 / 3])
    assert truth(within(3)(np.array([[0.5, 0.5], [0.52, 0.52]])), 0.05) is True
    assert truth(within(3)(np.array([[0.5, 0.5], [0.54, 0.54]])), 0.05) is False
    gains = saturates(np.array([[0.1, 0.1], [0.2, 0.2], [0.3, 0.3], [0.4, 0.6]]))
    np.testing.assert_allclose(gains.values, [0.1, -0.1])
    forgot_half = np.array([[[[1.0, 0.0], [0.5, 1.0]]]])
    assert forgetting(forgot_half).tolist() == [0.5]


@pytest.mark.parametrize("topic", ["networks_cflag", "networks_fedmes"])
def test_every_sentence_is_judged(topic) -> None:
    from bounds.cflag import empirical as cflag_empirical
    from bounds.fedmes import empirical as fedmes_empirical

    module = {"networks_cflag": cflag_empirical, "networks_fedmes": fedmes_empirical}[topic]
    assert {claim.statement.id for claim in claims_of(topic)} == {each.id for each in module.STATEMENTS}


def test_only_a_baseline_that_needs_it_has_a_step_of_its_own() -> None:
    own = {name for name, numbers in NUMBERS.items() if numbers.keys() & set(rates(METHODS[name]))}
    assert own == {METHOD[name] for name in BASELINES.keys() - UNTOLD}
    assert all(NUMBERS[name]["local_lr"] in RATES for name in own)


@pytest.mark.slow
@pytest.mark.parametrize("name", [OURS, NO_LIP, *BASELINES])
def test_every_method_selects_the_step_size_that_it_has(name: str) -> None:
    apart = replace(DOMAINS, seeds=TUNING_SEEDS, first=TUNING_FIRST, part="validation")
    method = METHOD.get(name, name)
    steps = dict.fromkeys(rates(METHODS[method]), RATES)
    scores = fedmes_acc_all_final(on_own_tasks(apart, name, **steps)).mean(axis=-1)
    assert RATES[scores.argmax()] == NUMBERS.get(method, {}).get("local_lr", DOMAINS.local_lr)


@pytest.mark.slow
@pytest.mark.parametrize("alpha", cflag.KNOWN)
def test_the_strength_of_target_is_the_one_selected(alpha: float) -> None:
    setting = replace(CFLAG_CLASSES, alpha=alpha)
    found = tuned(setting, cflag.TARGET, CANDIDATES[cflag.TARGET], lambda ran: acc(ran.accuracy))
    assert found == cflag.KNOWN[alpha]


@pytest.mark.slow
@pytest.mark.parametrize(("where", "method"), OWN_STEPS)
def test_own_steps_are_those_selected(where: tuple[Kind, float], method: str) -> None:
    kind, alpha = where
    setting = cflag.own_step(replace(cflag.NON_IID, kind=kind, alpha=alpha))
    fixed = cflag.fixed(setting, method)
    runs = (TUNING_SEEDS, 4 * TUNING_SEEDS) if kind == "task" else (TUNING_SEEDS,)
    found = tuned(setting, method, cflag.OWN[kind][method], lambda ran: acc(ran.accuracy), fixed, runs)
    assert found == cflag.SELECTED[where][method]
