"""Splits: the images for training, testing and selection of hyperparameters in a run.

A stream defines which images are for testing; they are never used for training or selection. Within these sets, every run has its
own training, validation and test images, stratified by class. In streams of domains these are the same images in every
transformation.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from verify.networks.data.deals import Pool
from verify.networks.data.images import Stream, generator, stratified

Part = Literal["test", "validation"]

TRAINED, TESTED = 0.8, 0.8
"""Largest shares of a task's training images that a run uses for training, and of its test images that it uses for testing."""
TUNING_SEEDS, TUNING_FIRST = 8, 1_000_000
"""Number and first number of the seeds for selecting hyperparameters; none of them is used for judging."""


class Split(NamedTuple):
    """Rows in the table of a stream: of all tasks' training images one task after another, then of all test images."""

    train: Pool
    tests: list[np.ndarray]


def split(stream: Stream, seed: int, run: int, n_train: int, n_test: int, part: Part) -> Split:
    """Images of a run: at most `n_train` of each task to train on, and at most `n_test` of a part to test on.

    Parameters
    ----------
    stream : Stream
        Whose only client has all images.
    """
    train, tests = [], []
    first, n_places, n_tests = 0, stream.labels.shape[2], stream.test_labels.shape[1]
    for task, (size,) in enumerate(stream.sizes):
        labels = stream.labels[task, 0, :size]
        rows = first + task * n_places + _in_order(stream.origin, task, np.arange(size))
        labels = labels[rows - first - task * n_places]
        mine = stratified(labels, min(n_train, round(TRAINED * size)), generator(seed, "split", run, 0))
        rest = np.setdiff1d(np.arange(size), mine)
        train.append((rows[mine], labels[mine]))
        if part == "validation":
            wanted = min(len(rest), n_test, round(TESTED * n_tests))
            chosen = stratified(labels[rest], wanted, generator(seed, "split", run, 1))
            tests.append(rows[rest[chosen]])
        else:
            start = stream.n_tasks * n_places + task * n_tests
            places = (
                np.argsort(stream.test_origin[task], kind="stable")
                if stream.test_origin is not None
                else np.arange(n_tests)
            )
            chosen = stratified(
                stream.test_labels[task][places],
                min(n_test, round(TESTED * n_tests)),
                generator(seed, "split", run, 2),
            )
            tests.append(start + places[chosen])
    n = min(map(len, tests))
    return Split(train, [own[:n] for own in tests])


def _in_order(origin: np.ndarray | None, task: int, places: np.ndarray) -> np.ndarray:
    """Places of a task's images in the order of the data set that they come from."""
    return places if origin is None else np.argsort(origin[task, 0, : len(places)], kind="stable")
