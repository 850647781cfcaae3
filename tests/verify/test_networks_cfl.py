"""Sentences of CFL about runs: settings, what is compared, and the information loss of core sets."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import verify.networks.experiments as experiments
from bounds.cfl.empirical import STATEMENTS
from verify import networks_cfl as topic
from verify.engine.judge import judge
from verify.networks.experiments import TUNING_SEEDS, run, tuned
from verify.networks.methods import METHODS
from verify.networks.sentences import judged
from verify.scenes.networks import cfl as scene

TINY = {"seeds": 2, "periods": 3, "epochs": 1, "images": 140, "subsets": 2, "clients": 2, "sampled": 2}
SMALL = replace(scene.MILD, **TINY)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(experiments, "FOLDER", tmp_path)


def test_every_sentence_is_judged_once() -> None:
    ids = [claim.statement.id for claim in topic.CLAIMS]
    assert len(set(ids)) == len(ids)
    assert set(ids) == {statement.id for statement in STATEMENTS}


@pytest.mark.parametrize("setting", [scene.MILD, scene.STRONG, *scene.OVERLAPS])
@pytest.mark.parametrize("method", scene.METHODS)
def test_methods_have_the_numbers_that_they_are_given(setting, method: str) -> None:
    given = scene.numbers(setting, method)
    assert set(given) <= set(METHODS[scene.METHODS[method]].numbers)
    same = scene.numbers(setting, method, scene.SAME, scene.SMALL)
    assert same.keys() == given.keys()
    if "capacity" in given:
        assert (given["capacity"], same["capacity"]) == (8 * 40, 4 * 40)


def test_every_strength_has_as_many_candidates() -> None:
    assert len({len(values) for each in scene.CANDIDATES.values() for values in each.values()}) == 1


def test_strengths_are_candidates() -> None:
    for strengths in scene.STRENGTHS.values():
        for method, strength in strengths.items():
            (values,) = scene.CANDIDATES[method].values()
            assert strength in values


def test_a_core_set_of_all_images_loses_nothing() -> None:
    models = run(SMALL, "fedavg", {}).models
    whole, half, few = (scene.information_loss(SMALL, models, size) for size in (100, 10, 1))
    np.testing.assert_allclose(whole, 0, atol=1e-6)
    assert (whole < half).all()
    assert (half < few).all()


def test_best_rounds() -> None:
    curve = np.arange(12.0).reshape(2, 6, 1)
    np.testing.assert_allclose(scene.best_rounds(curve), [3, 9])


def _with(monkeypatch, scores: dict) -> None:
    """Runs that have these accuracies in every round: (method, alpha) -> (run,)."""

    def fake(setting, entrant: str):
        values = np.array(scores[entrant, setting.alpha], dtype=float)
        return experiments.Ran(np.tile(values[:, None, None, None], (1, 6, 1, 1)), np.zeros((2, 1)))

    monkeypatch.setattr(scene, "trained", fake)


def test_methods_of_several_settings_are_compared_seed_by_seed(monkeypatch) -> None:
    fedavg = {("fedavg", alpha): [2, 2] for alpha in (0.1, 0.2)}
    _with(monkeypatch, {("core-set", 0.2): [3, 3], ("core-set", 0.1): [3, 1], **fedavg})
    law = scene.everywhere((scene.MILD, scene.STRONG), ("core-set",), ("fedavg",))
    mild, strong = law(scene.MILD).sentence.parts
    np.testing.assert_allclose([mild.values, strong.values], [[1, 1], [1, -1]])


def test_improvement_is_relative_and_only_counts_where_the_base_is_worse(monkeypatch) -> None:
    fedavg = {("fedavg", 0.1): [2, 2, 4], ("fedavg", 0.2): [4, 4, 2]}
    _with(monkeypatch, {("core-set", 0.1): [3, 2.5, 8], ("core-set", 0.2): [5.5, 5.5, 3], **fedavg})
    grows, harder = scene.grows_with_difficulty("core-set")(scene.MILD).sentence.parts
    np.testing.assert_allclose(grows.values, [0.125, -0.125, 0.5])
    np.testing.assert_allclose(harder.values, [2, 2, -2])
    grows, _ = scene.grows_with_difficulty("core-set", np.subtract)(scene.MILD).sentence.parts
    np.testing.assert_allclose(grows.values, [-0.5, -1, 3])


def test_a_claim_from_runs_to_verdict() -> None:
    law = scene.FIELD.above("core-set", ("fedavg",), scene.best_rounds)
    claim = judged("cfl.emp.7/core-set", law, replace(SMALL, periods=6))
    record = judge(claim, "quick", 1)
    details = record["evidence"][0]["details"]
    (contrast,) = details["contrasts"]
    low, high = contrast["interval"]
    assert low < contrast["mean"] < high
    assert details["measured"]["setting"]["seed"] == 1
    assert set(details["measured"]["methods"]) == {"core-set", "fedavg"}


@pytest.mark.slow
@pytest.mark.parametrize("setting", [scene.MILD, scene.STRONG, scene.STATELESS, scene.OVERLAPS[0]])
def test_strengths_are_those_selected(setting) -> None:
    assert TUNING_SEEDS == 8
    strengths = scene.STRENGTHS[setting.deal.__name__, setting.alpha]
    for method in scene.CANDIDATES.keys() & strengths.keys():
        (name,) = scene.CANDIDATES[method]
        places = {key: value for key, value in scene.numbers(setting, method).items() if key != name}
        found = tuned(
            setting,
            scene.METHODS[method],
            scene.CANDIDATES[method],
            lambda ran: scene.best_rounds(ran.accuracy),
            places,
        )
        assert found == {name: strengths[method]}, method
