"""Sentences of C-FLAG and FedMeS about runs: who has which images, what clients are tested on, and the laws."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import verify.networks.personal as personal
from verify.engine.topics import claims_of
from verify.networks.contests import Contest
from verify.networks.experiments import world
from verify.networks.personal import of_own, own_tests, played
from verify.networks_cflag import CLASSES as CFLAG_CLASSES
from verify.networks_cflag import MEMORY, trained, within
from verify.networks_fedmes import CLASSES, DOMAINS, NO_LIP, OURS, forgetting, most, saturates
from verify.networks_fedmes import trained as on_own_tasks

SMALL = {"seeds": 2, "rounds": 1, "epochs": 0.5, "images": 100}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(personal, "FOLDER", tmp_path)


@cache
def federation(kind: str):
    return world(replace(DOMAINS if kind == "domain" else CLASSES, **SMALL))


@pytest.mark.parametrize(("kind", "low", "high"), [("domain", 2, 5), ("class", 1, 2)])
def test_clients_have_few_classes_of_every_task_in_an_order_of_their_own(kind, low, high) -> None:
    here = federation(kind)
    per_task, labels = here.stream.images.shape[2], here.stream.labels.ravel()
    orders = set()
    for run, client in np.ndindex(here.rows.shape[1:3]):
        each = [rows[rows >= 0] for rows in here.rows[:, run, client]]
        order = [set(rows // per_task) for rows in each]
        assert all(len(of) == 1 for of in order)
        assert {task for of in order for task in of} == set(range(here.n_tasks))
        assert all(low <= len(set(labels[rows])) <= high for rows in each)
        orders.add(tuple(min(of) for of in order))
    assert len(orders) > 1


@pytest.mark.parametrize("kind", ["domain", "class"])
def test_an_image_has_one_owner(kind) -> None:
    here = federation(kind)
    for run in range(here.rows.shape[1]):
        rows = here.rows[:, run].ravel()
        rows = rows[rows >= 0]
        assert len(set(rows)) == len(rows)


def test_clients_are_tested_on_their_classes_of_their_task() -> None:
    here = federation("domain")
    weights, per_task = own_tests(here), here.stream.images.shape[2]
    np.testing.assert_allclose(weights.sum(axis=(-2, -1)), 1)
    for task, run, client in np.ndindex(here.rows.shape[:3]):
        mine = here.rows[task, run, client]
        mine = mine[mine >= 0]
        look = mine[0] // per_task
        used = here.stream.test_labels[look][weights[run, client, task, look] > 0]
        assert set(used) == set(here.stream.labels.ravel()[mine])
        assert not weights[run, client, task, np.arange(weights.shape[-2]) != look].any()
    always = np.ones((weights.shape[0], 1, *weights.shape[-2:]))
    np.testing.assert_allclose(of_own(always, weights), 1)


def test_neighbours_change_predictions_alone() -> None:
    """The models are those of FedMeS without them, and before anything is remembered nothing changes."""
    setting = replace(DOMAINS, **SMALL)
    found = played(setting, OURS, capacity=40)
    assert found.own.shape == (2, 8, 4, 4)
    assert (found.own != found.own_outputs).any()
    np.testing.assert_array_equal(on_own_tasks(setting, NO_LIP), found.own_outputs)
    plain = played(setting, "fedavg")
    np.testing.assert_array_equal(plain.own, plain.own_outputs)


def test_runs_are_the_same_from_disk_and_whatever_their_number() -> None:
    setting = replace(CFLAG_CLASSES, **SMALL)
    first = played(setting, "cflag", capacity=MEMORY).common
    personal._kept.cache_clear()
    np.testing.assert_array_equal(played(setting, "cflag", capacity=MEMORY).common, first)
    fewer = played(replace(setting, seeds=1), "cflag", capacity=MEMORY).common
    np.testing.assert_allclose(fewer, first[:1], atol=0.02)


def test_rates_adapt_only_once_something_is_remembered() -> None:
    setting = replace(CFLAG_CLASSES, **SMALL)
    fixed, adapted = (trained(setting, name) for name in ("cflag", "cflag-worst-case"))
    np.testing.assert_array_equal(fixed[:, 0], adapted[:, 0])
    assert (fixed[:, 1:] != adapted[:, 1:]).any()


def test_laws_compare_run_by_run() -> None:
    known = {"ours": np.array([0.9, 0.5]), "other": np.array([0.8, 0.6])}
    field = Contest(lambda setting, name: known[name], {})
    np.testing.assert_array_equal(field.above("ours", ("other",), lambda a: a)(DOMAINS).met, [True, False])
    clients = Contest(lambda setting, name: known[name][:, None] + [0, 0.2, 0.3], {})
    steady = clients.above("ours", ("other",), lambda a: a, most)(DOMAINS)
    np.testing.assert_array_equal(steady.met, [True, False])
    rising = field.along(
        lambda setting: ((1, 2), np.array([[0, 1], [1, 0]])), lambda a: a, lambda v: v[1] > v[0]
    )
    np.testing.assert_array_equal(rising(DOMAINS).met, [True, False])


def test_words_as_conditions() -> None:
    assert most(np.array([[True, True, False], [True, False, False]])).tolist() == [True, False]
    assert within(3)(np.array([[0.5, 0.5], [0.52, 0.54]])).tolist() == [True, False]
    assert saturates(np.array([[0.1, 0.1], [0.2, 0.2], [0.3, 0.3], [0.4, 0.6]])).tolist() == [True, False]
    forgot_half = np.array([[[[1.0, 0.0], [0.5, 1.0]]]])
    assert forgetting(forgot_half).tolist() == [0.5]


@pytest.mark.parametrize("topic", ["networks_cflag", "networks_fedmes"])
def test_every_sentence_is_judged(topic) -> None:
    from bounds import cflag_empirical, fedmes_empirical

    module = {"networks_cflag": cflag_empirical, "networks_fedmes": fedmes_empirical}[topic]
    assert {claim.statement.id for claim in claims_of(topic)} == {each.id for each in module.STATEMENTS}
