"""Splits: the images for training, testing and selection in a run."""

from __future__ import annotations

import numpy as np
import pytest

from verify.networks.data.catalogue import stream
from verify.networks.data.splits import split

DOMAINS = stream("digits", n_clients=1, n_tasks=2)
CLASSES = stream("digits", n_clients=1, kind="class", n_tasks=5)


@pytest.mark.parametrize("data", [DOMAINS, CLASSES])
def test_parts_share_no_image_and_all_runs_leave_the_images_for_testing_alone(data) -> None:
    n_trained = data.labels.size
    for run in range(3):
        test, validation = (split(data, 0, run, 100, 40, part) for part in ("test", "validation"))
        for task, (rows, labels) in enumerate(test.train):
            np.testing.assert_array_equal(rows, validation.train[task][0])
            assert len(set(rows)) == len(labels) == 100
            assert not set(rows) & set(validation.tests[task])
            assert (test.tests[task] >= n_trained).all()
            assert (validation.tests[task] < n_trained).all()
            assert len(test.tests[task]) == 40


def test_every_run_has_a_split_of_its_own() -> None:
    parts = [split(DOMAINS, 0, run, 100, 40, "test") for run in range(4)]
    assert len({tuple(own.train[0][0]) for own in parts}) == len({tuple(own.tests[0]) for own in parts}) == 4


def test_a_domain_shows_the_same_images_as_the_others() -> None:
    own, (n_places, n_tests) = (
        split(DOMAINS, 0, 1, 100, 40, "test"),
        (DOMAINS.labels.shape[2], DOMAINS.test_labels.shape[1]),
    )
    shown = [set(DOMAINS.origin[task, 0, rows - task * n_places]) for task, (rows, _) in enumerate(own.train)]
    assert shown[0] == shown[1]
    starts = [2 * n_places + task * n_tests for task in range(2)]
    tested = [
        set(DOMAINS.test_origin[task, rows - start])
        for task, (rows, start) in enumerate(zip(own.tests, starts, strict=True))
    ]
    assert tested[0] == tested[1]


def test_labels_are_those_of_the_rows() -> None:
    for rows, labels in split(CLASSES, 0, 2, 100, 40, "test").train:
        np.testing.assert_array_equal(CLASSES.labels.ravel()[rows], labels)
