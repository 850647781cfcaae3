"""Sentences of SPECIAL about experiments: their measures and comparisons."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import verify.networks.experiments as experiments
from bounds.special.empirical import STATEMENTS
from verify import networks_special as topic
from verify.engine.checks.means import truth
from verify.engine.judge import judge
from verify.networks.experiments import Ran, run, tuned
from verify.networks.methods import METHODS
from verify.networks.sentences import claim_of_law, side_by_side
from verify.networks.setting import rates
from verify.networks.training.measures import EVERY_ROUND
from verify.scenes.metrics import acc, special_bwt
from verify.scenes.networks import special as scene
from verify.scenes.networks.second_task import PAIRS, gained, mean_accuracy, while_second

RNG = np.random.default_rng(0)
SEEDS, K, T = 3, 3, 12
TINY = replace(
    scene.DOMAINS,
    seeds=2,
    tasks=2,
    images=80,
    clients=4,
    sampled=2,
    rounds=2,
    epochs=1,
    batch=8,
    compiled=False,
)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(experiments, "FOLDER", tmp_path)


@pytest.fixture
def swept(monkeypatch) -> np.ndarray:
    """Accuracies over the grid of lambda, for any method."""
    found = RNG.random((len(scene.GRID), SEEDS, 4, 4))
    monkeypatch.setattr(scene, "run", lambda *asked: Ran(found[..., None, :], np.zeros(1)))
    return found


def ran(accuracy: np.ndarray) -> Ran:
    """Runs with accuracies (run, K, T, tests) after every round."""
    return Ran(accuracy, np.zeros((len(accuracy), 1)))


def test_every_sentence_is_judged_once() -> None:
    ids = [claim.statement.id for claim in topic.CLAIMS]
    assert len(set(ids)) == len(ids)
    assert set(ids) == {statement.id for statement in STATEMENTS}


BY_SETTING = [(scene.DOMAINS, scene.SELECTED), (scene.CLASSES, scene.SELECTED_OF_CLASSES)]


def test_every_method_has_as_many_candidates() -> None:
    assert {*scene.MORE, *scene.SYSTEMS, scene.OURS, scene.READ} == set(scene.CANDIDATES)
    (count,) = {len(values) for each in scene.CANDIDATES.values() for values in each.values()}
    for method, candidates in scene.CANDIDATES.items():
        assert set(rates(METHODS[method])) <= candidates.keys()
        assert len(set(zip(*candidates.values(), strict=True))) == count, method
        steps = rates_of(method)
        assert {candidates["local_lr"][0], candidates["local_lr"][-1]} == {min(steps), max(steps)}


def rates_of(method: str) -> tuple[float, ...]:
    return scene.SHORTER if method == "fedcil/paper" else scene.RATES


@pytest.mark.parametrize(("setting", "selected"), BY_SETTING)
def test_what_is_selected_is_a_candidate(setting, selected) -> None:
    systems = set(scene.SYSTEMS) - set(scene.PAPER) if setting.kind == "domain" else set()
    assert selected.keys() == scene.CANDIDATES.keys() - systems
    for method, given in selected.items():
        candidates = scene.CANDIDATES[method]
        assert given.keys() == candidates.keys() <= METHODS[method].numbers.keys()
        assert tuple(given.values()) in zip(*candidates.values(), strict=True)
        assert min(rates_of(method)) < given["local_lr"] < max(rates_of(method)), method


def test_no_strength_is_at_an_end_but_where_the_paper_bounds_it() -> None:
    at_end = {
        (setting.kind, method)
        for setting, selected in BY_SETTING
        for method in selected
        if any("candidate" in name for name in scene.FIELD.numbers(setting, method))
    }
    assert at_end == {("domain", scene.OURS), ("domain", scene.READ)}
    assert {min(scene.CANDIDATES[method]["lam"]) for _, method in at_end} == {min(scene.LAMBDAS)}


def test_best_between_the_ends(swept: np.ndarray) -> None:
    scores = acc(swept) + special_bwt(swept)
    expected = [of.max() > max(of[0], of[-1]) for of in scores.T]
    found = scene.best_inside(scene.OURS, scene.jointly)(TINY)
    each = [part for place in found.sentence.parts for part in place.parts]
    won = np.array([part.values > 0 for part in each]).reshape(-1, 2, SEEDS).all(axis=1).any(axis=0)
    np.testing.assert_array_equal(won, expected)
    assert sum(found.measured["best_in_seeds"]) == SEEDS


def test_ranks_in_both_metrics_count_alike(swept: np.ndarray) -> None:
    ranks = scene.by_ranks(swept)
    for seed in range(SEEDS):
        order = [np.argsort(np.argsort(of(swept)[:, seed])) + 1 for of in (acc, special_bwt)]
        np.testing.assert_allclose(ranks[:, seed], sum(order))


def test_neighbours_in_a_band(swept: np.ndarray) -> None:
    swept[:, :, -1] = 0.5
    swept[scene.GRID.index(0.3), 0, -1] -= 0.0061
    swept[scene.GRID.index(0.2), 1, -1] -= 0.0059
    lower, upper = scene.in_band(scene.OURS, 0.25)(TINY).sentence.parts
    np.testing.assert_allclose(upper.values, scene.LOSS - np.array([0.0061, 0, 0]), atol=1e-12)
    np.testing.assert_allclose(lower.values, scene.LOSS - np.array([0, 0.0059, 0]), atol=1e-12)


def test_parts_of_a_sweep(monkeypatch) -> None:
    found = RNG.random((len(scene.ON_CLIENTS), SEEDS, 4, 4))
    monkeypatch.setattr(scene, "run", lambda *asked: Ran(found[..., None, :], np.zeros(1)))
    for values in (scene.SMALL, scene.TABLE_13):
        given, part = scene.part_of(values)(TINY)
        assert given == values
        for value, a in zip(values, part, strict=True):
            np.testing.assert_array_equal(a, found[scene.ON_CLIENTS.index(value)])


def test_the_path_of_the_second_task() -> None:
    by_round = RNG.random((SEEDS, K, T, K))
    path = while_second(ran(by_round))
    assert path.shape == (SEEDS, T + 1, 2)
    np.testing.assert_array_equal(path[:, 0], by_round[:, 0, -1, :2])
    np.testing.assert_array_equal(path[:, 4], by_round[:, 1, 3, :2])
    np.testing.assert_allclose(gained(ran(by_round), 0, 10), by_round[:, 1, -1, 0] - by_round[:, 1, 9, 0])
    np.testing.assert_allclose(
        mean_accuracy(ran(by_round), 1, slice(1, 6)), by_round[:, 1, :5, 1].mean(axis=1)
    )


def test_sentences_about_two_methods() -> None:
    """SPECIAL learns task 2 quickly, forgets and recovers; SPECIAL-C hardly moves."""
    ours, client = np.full((2, 2, K, T, K), 0.5)
    ours[:, 1, :, 0] = [*np.linspace(0.4, 0.3, 10), 0.5, 0.6]
    ours[:, 1, :, 1], client[:, 1, :, 1] = np.linspace(0.5, 0.9, T), np.linspace(0.5, 0.6, T)
    ours[:, 2, -1], client[:, 2, -1] = 0.8, 0.6
    held = {name: truth(judge_(ran(ours), ran(client)), 0.05) for name, judge_ in PAIRS.items()}
    assert held == {
        "acc": True,
        "bwt": False,
        "trails": True,
        "protects": True,
        "slower": True,
        "new": True,
        "forgetting": True,
        "union": True,
        "transfer": True,
        "transfer/backward": True,
    }
    turned = {name: truth(judge_(ran(client), ran(ours)), 0.05) for name, judge_ in PAIRS.items()}
    assert not any(turned[name] for name in held if name != "bwt")


def matrices(**rows: tuple[float, float, float]) -> dict[str, np.ndarray]:
    """Accuracies of two equal seeds on two tasks by method: on task 1 when learnt, on both at the end."""
    return {name: np.array([[[first, 0.1], [kept, last]]] * 2) for name, (first, kept, last) in rows.items()}


def test_fedavg_looks_strong_where_it_forgets_more_than_what_it_equals() -> None:
    strong = matrices(fedavg=(0.9, 0.4, 0.95), **{"flwf-2t": (0.6, 0.5, 0.7), "special-c": (0.9, 0.9, 0.9)})
    assert truth(scene.looks_strong(strong), 0.05) is True
    weak = matrices(fedavg=(0.9, 0.4, 0.7), **{"flwf-2t": (0.7, 0.6, 0.7), "special-c": (0.9, 0.9, 0.9)})
    assert truth(scene.looks_strong(weak), 0.05) is False


def test_underfitting_and_forgetting_are_opposed() -> None:
    kept = matrices(a=(0.9, 0.3, 0.9), b=(0.7, 0.5, 0.7), c=(0.5, 0.5, 0.5))
    assert truth(scene.opposed(kept), 0.05) is True
    same = matrices(a=(0.9, 0.9, 0.9), b=(0.7, 0.5, 0.7), c=(0.5, 0.1, 0.5))
    assert truth(scene.opposed(same), 0.05) is False


def test_first_of_each_family_first() -> None:
    assert side_by_side("abc", "d", "ef") == tuple("adebcf")


def test_a_claim_from_runs_to_verdict(monkeypatch) -> None:
    claim = claim_of_law("special.emp.acc-best.digits", scene.FIELD.above(scene.OURS, ("fedavg",), acc), TINY)
    record = judge(claim, "quick", 1)
    details = record["evidence"][0]["details"]
    assert details["measured"]["setting"]["seeds"] == record["evidence"][0]["trials"] == 6
    table = details["measured"]["methods"]
    assert details["measured"]["selected"]["special"] == {
        **scene.SELECTED["special"],
        "least candidate": ["lam"],
    }
    gap = table["special"]["ACC"] - table["fedavg"]["ACC"]
    assert np.isfinite(gap)
    assert record["verdict"] in ("supported", "refuted", "inconclusive")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("setting", "method", "given"),
    [(setting, *pair) for setting, selected in BY_SETTING for pair in selected.items()],
)
def test_numbers_are_those_selected(setting, method: str, given) -> None:
    runs = (2, 8) if method in scene.SYSTEMS[len(scene.PAPER) :] else (8,)
    found = tuned(setting, method, scene.CANDIDATES[method], lambda found: acc(found.accuracy), runs=runs)
    assert found == given


def test_strengths_of_both_are_of_the_same_candidates() -> None:
    """Server side against client side, where both take lambda from one list."""
    lists = {"smaller": (scene.SMALLER[scene.OURS], scene.SELECTED[scene.CLIENT], scene.FREE_ONES)}
    lists["listed"] = scene.SELECTED[scene.OURS], scene.LISTED, scene.CANDIDATES[scene.OURS]
    for *given, candidates in lists.values():
        values = set(zip(*candidates.values(), strict=True))
        assert all(tuple(each.values()) in values for each in given)


def test_two_methods_run_with_the_numbers_that_are_shown() -> None:
    numbers = {scene.OURS: {"local_lr": 0.4, "lam": 0.05}, scene.CLIENT: {"lam": 0.2}}
    found = scene.placed(PAIRS["acc"], numbers, {scene.OURS: scene.CANDIDATES[scene.OURS]})(TINY)
    ours, client = (acc(run(TINY, name, each, EVERY_ROUND).accuracy) for name, each in numbers.items())
    np.testing.assert_array_equal(found.sentence.values, ours - client)
    shown = found.measured["methods"]
    assert shown[scene.OURS]["least candidate"] == ["lam"]
    assert shown[scene.CLIENT].keys() & {"lam", "local_lr", "least candidate"} == {"lam"}


@pytest.mark.slow
def test_the_strength_listed_is_the_one_selected() -> None:
    candidates = scene.CANDIDATES[scene.OURS]
    found = tuned(scene.DOMAINS, scene.CLIENT, candidates, lambda found: acc(found.accuracy))
    assert found == scene.LISTED


@pytest.mark.slow
@pytest.mark.parametrize("method", scene.SMALLER)
def test_smaller_strengths_are_those_selected(method: str) -> None:
    found = tuned(scene.DOMAINS, method, scene.FREE_ONES, lambda found: acc(found.accuracy))
    assert found == scene.SMALLER[method]
