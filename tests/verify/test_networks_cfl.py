"""Sentences of CFL about experiments: settings, comparisons, and the information loss of core sets."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import verify.networks.experiments as experiments
from bounds.cfl.empirical import STATEMENTS
from verify import networks_cfl as topic
from verify.engine.judge import judge
from verify.networks.experiments import run
from verify.networks.methods import METHODS
from verify.networks.sentences import claim_of_law
from verify.scenes.networks import cfl as scene
from verify.scenes.networks.selected import chosen

TINY = {"seeds": 2, "periods": 3, "epochs": 1, "images": 140, "subsets": 2, "clients": 2, "sampled": 2}
SMALL = replace(scene.MILD, **TINY)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(experiments, "FOLDER", tmp_path)


def test_every_sentence_is_judged_once() -> None:
    ids = [claim.statement.id for claim in topic.CLAIMS]
    assert len(set(ids)) == len(ids)
    assert set(ids) == {statement.id for statement in STATEMENTS}


SETTINGS = [scene.MILD, scene.STRONG, scene.STATELESS, scene.OVERLAPS[0]]
ENTRANTS = [
    (setting, entrant)
    for setting in SETTINGS
    for entrant in scene.SELECTED[setting.deal.__name__, setting.alpha]
]


@pytest.mark.parametrize(("setting", "entrant"), ENTRANTS)
def test_entrants_have_the_numbers_that_they_are_given(setting, entrant: str) -> None:
    given = scene.numbers(setting, entrant)
    assert set(given) <= set(METHODS[scene.algorithm(entrant)].numbers)
    if "capacity" in given:
        assert given["capacity"] == (4 if entrant.endswith("small") else 8) * 40
    if entrant.endswith("/same"):
        assert given["past"] == scene.SAME


def test_every_entrant_has_as_many_candidates() -> None:
    for same in (True, False):
        compared = {name: each for name, each in scene.CANDIDATES.items() if name.endswith("/same") == same}
        (count,) = {len(values) for each in compared.values() for values in each.values()}
        for entrant, candidates in compared.items():
            assert len(set(zip(*candidates.values(), strict=True))) == count, entrant
            ends = candidates["local_lr"][0], candidates["local_lr"][-1]
            assert ends == (min(scene.RATES), max(scene.RATES))


@pytest.mark.parametrize(("setting", "entrant"), ENTRANTS)
def test_what_is_selected_is_a_candidate(setting, entrant: str) -> None:
    given = scene.SELECTED[setting.deal.__name__, setting.alpha][entrant]
    candidates = scene.CANDIDATES[entrant]
    assert given.keys() == candidates.keys()
    assert tuple(given.values()) in zip(*candidates.values(), strict=True)
    assert min(scene.RATES) < given["local_lr"] < max(scene.RATES)


def test_what_is_chosen_at_an_end_is_said() -> None:
    candidates = {"mu": (0.1, 0.2, 0.4), "lam": (3.0, 1.0, 2.0)}
    assert chosen(candidates, {"mu": 0.2, "lam": 2.0}) == {"mu": 0.2, "lam": 2.0}
    assert chosen(candidates, {"mu": 0.1, "lam": 1.0})["least candidate"] == ["mu", "lam"]
    assert chosen(candidates, {"mu": 0.4, "lam": 2.0}) == {"mu": 0.4, "lam": 2.0, "largest candidate": ["mu"]}


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
    """Runs with these accuracies in every round: (method, alpha) -> (run,)."""

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
    claim = claim_of_law("cfl.emp.7/core-set", law, replace(SMALL, periods=6))
    record = judge(claim, "quick", 1)
    details = record["evidence"][0]["details"]
    (contrast,) = details["contrasts"]
    low, high = contrast["interval"]
    assert low < contrast["mean"] < high
    assert details["measured"]["setting"]["seed"] == 1
    assert set(details["measured"]["methods"]) == {"core-set", "fedavg"}
    assert details["measured"]["selected"]["fedavg"] == scene.SELECTED["revisited", 0.2]["fedavg"]


@pytest.mark.slow
@pytest.mark.parametrize(("setting", "entrant"), ENTRANTS)
def test_numbers_are_those_selected(setting, entrant: str) -> None:
    found = scene.selected(replace(setting, factor=1), entrant)
    assert found == scene.SELECTED[setting.deal.__name__, setting.alpha][entrant]
