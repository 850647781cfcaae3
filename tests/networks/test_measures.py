"""Measures: the accuracy of clients on their own tasks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from algorithms.simulate import states
from verify.networks.data.deals import by_dirichlet, own_sequences
from verify.networks.experiments import draws, world
from verify.networks.setting import Setting, algorithm_of
from verify.networks.training.evaluate import correct
from verify.networks.training.measures import PERSONAL, in_own_mix, of_own, own_tests
from verify.networks.training.train import starts, train

SETTING = Setting(own_sequences, tasks=4, images=100, clients=8, sampled=8, seeds=2)


def test_clients_are_tested_on_their_classes_of_their_task() -> None:
    here = world(SETTING)
    weights, per_task = own_tests(here), here.stream.images.shape[2]
    np.testing.assert_allclose(weights.sum(axis=(-2, -1)), 1)
    for task, run, client in np.ndindex(here.rows.shape[:3]):
        mine = here.rows[task, run, client]
        mine = mine[mine >= 0]
        look = mine[0] // per_task
        labels = here.samples.labels.numpy()
        used = labels[here.tests[look, run]][weights[run, client, task, look] > 0]
        assert set(used) == set(labels[mine])
        assert not weights[run, client, task, np.arange(weights.shape[-2]) != look].any()
    always = np.ones((weights.shape[0], 1, *weights.shape[-2:]))
    np.testing.assert_allclose(of_own(always, weights), 1)


def test_sweeps_are_weighed_one_by_one() -> None:
    weights = own_tests(world(SETTING))
    rng = np.random.default_rng(0)
    right = rng.random((3, *weights.shape[:2], *weights.shape[-2:])) < 0.5
    found = of_own(right, weights)
    assert found.shape == (3, *weights.shape[:3])
    for one, expected in zip(right, found, strict=True):
        np.testing.assert_allclose(of_own(one, weights), expected)


def test_clients_that_never_took_part_have_no_part_in_personal_accuracy() -> None:
    """Their initial models would lower the mean only for methods with personal models."""
    setting = replace(
        SETTING, deal=by_dirichlet, alpha=0.5, clients=40, sampled=2, rounds=2, tasks=2, local_lr=None
    )
    here, drawn = world(setting), draws(setting)
    method, start = algorithm_of(setting, "ditto", {}, here), starts(here.model, 0, setting.seeds)
    found = train(here, method, drawn, start, setting.rounds, measure=PERSONAL)
    weights, part = own_tests(here, in_own_mix), np.zeros((setting.seeds, setting.clients), dtype=bool)
    for task, played, state in states(here, method, drawn, start, setting.rounds, 2):
        if played:
            chosen = np.asarray(drawn.participants(task, played - 1))
            part[np.arange(setting.seeds)[:, None], chosen] = True
            each = of_own(correct(here, method.served(state)).numpy(), weights)
            expected = [of_run[own].mean(axis=0) for of_run, own in zip(each, part, strict=True)]
            np.testing.assert_allclose(found.by_round[:, task, played - 1], expected)
    assert (part.sum(axis=-1) <= 8).all()
