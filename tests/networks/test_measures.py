"""What is measured: clients on their own tasks."""

from __future__ import annotations

import numpy as np

from verify.networks.data.deals import own_sequences
from verify.networks.experiments import world
from verify.networks.setting import Setting
from verify.networks.training.measures import of_own, own_tests

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
