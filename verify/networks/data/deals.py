"""Deals: which client has which images in which task or period, in each of many runs.

A *deal* takes a setting, a stream whose only client has all images, and the number of a run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from verify.networks.data.images import Stream, generator
from verify.networks.data.partition import (
    dirichlet,
    few_classes,
    latent_dirichlet,
    nested_latent_dirichlet,
    windows,
)

Rows = list[list[np.ndarray]]
"""[task][client] -> rows of the images of all tasks, one task after another."""


class Sharing(Protocol):
    """What a deal depends on: how many clients, in how many periods, how uneven, and the seed."""

    @property
    def clients(self) -> int: ...
    @property
    def periods(self) -> int: ...
    @property
    def alpha(self) -> float: ...
    @property
    def subsets(self) -> int: ...
    @property
    def overlap(self) -> float: ...
    @property
    def seed(self) -> int: ...


Deal = Callable[[Sharing, Stream, int], Rows]
"""(setting, stream, run) -> Rows: the functions below."""


def by_dirichlet(setting: Sharing, stream: Stream, run: int) -> Rows:
    """Every task's images dealt to the clients by Dirichlet shares of each class."""
    n, labels = stream.labels.shape[2], _labels(stream)
    return [
        [
            task * n + mine
            for mine in dirichlet(
                own, setting.clients, generator(setting.seed, "deal", run, task), alpha=setting.alpha
            )
        ]
        for task, own in enumerate(labels)
    ]


def revisited(setting: Sharing, stream: Stream, run: int) -> Rows:
    """Each client draws one of its subsets in every period. Source: CFL, Section 5.2 and Algorithm 4."""
    rng = generator(setting.seed, "deal", run)
    subsets = _subsets(setting, stream, rng)
    drawn = rng.integers(setting.subsets, size=(setting.periods, setting.clients))
    return [[of[choice] for of, choice in zip(subsets, row, strict=True)] for row in drawn]


def windowed(setting: Sharing, stream: Stream, run: int) -> Rows:
    """A window on each client's sequence of subsets moves in every period. Source: CFL, Appendix C.1.1."""
    rng = generator(setting.seed, "deal", run)
    subsets = _subsets(setting, stream, rng)
    sequences = [np.concatenate([rng.permutation(subset) for subset in of]) for of in subsets]
    places = [
        windows(len(own), len(own) // setting.subsets, setting.overlap, setting.periods) for own in sequences
    ]
    return [
        [own[window[period]] for own, window in zip(sequences, places, strict=True)]
        for period in range(setting.periods)
    ]


def fresh(setting: Sharing, stream: Stream, run: int) -> Rows:
    """New clients in every period, each with as many images as a subset has. Source: CFL, Section 5.3.4."""
    rng, labels = generator(setting.seed, "deal", run), _labels(stream)[0]
    sizes = [len(labels) // (setting.clients * setting.subsets)] * setting.clients
    return [
        latent_dirichlet(labels, setting.clients, rng, alpha=setting.alpha, sizes=sizes)
        for _ in range(setting.periods)
    ]


def own_sequences(setting: Sharing, stream: Stream, run: int, low: int = 2, high: int = 5) -> Rows:
    """Every client has the tasks in an order of its own, and some classes of each. Source: FedMeS, Section 5.1."""
    rng, n = generator(setting.seed, "deal", run), stream.labels.shape[2]
    dealt = []
    for task, labels in enumerate(_labels(stream)):
        parts = few_classes(labels, setting.clients, rng, low=low, high=min(high, len(np.unique(labels))))
        dealt.append([task * n + mine for mine in parts])
    orders = [rng.permutation(len(dealt)) for _ in range(setting.clients)]
    return [
        [dealt[order[place]][client] for client, order in enumerate(orders)] for place in range(len(dealt))
    ]


def one_or_two(setting: Sharing, stream: Stream, run: int) -> Rows:
    """`own_sequences` with one or two classes of each task."""
    return own_sequences(setting, stream, run, low=1, high=2)


def _subsets(setting: Sharing, stream: Stream, rng: np.random.Generator) -> Rows:
    labels = _labels(stream)[0]
    return nested_latent_dirichlet(
        labels, setting.clients, setting.subsets, rng, alpha=setting.alpha, beta=setting.alpha
    )


def _labels(stream: Stream) -> list[np.ndarray]:
    """Labels of the images of each task."""
    return [own[0, :size] for own, (size,) in zip(stream.labels, stream.sizes, strict=True)]
