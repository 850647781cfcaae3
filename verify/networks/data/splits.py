"""Splits: which images a run trains on, which it is tested on, and which serve to select numbers.

A stream says which images are for testing; no run trains on them, and nothing is selected by them. Within that, every run
has training, validation and test images of its own, each class in its share. In streams of domains they are the same
images in every look.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from verify.networks.data.deals import Pool
from verify.networks.data.images import Stream, generator, stratified

Part = Literal["test", "validation"]

TRAINED, TESTED = 0.8, 0.8
"""Shares of a task's images for training that a run trains on at most, and of those for testing that it is tested on."""
TUNING_SEEDS, TUNING_FIRST = 8, 1_000_000
"""Seeds on which strengths are selected, none of which is judged on."""


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
