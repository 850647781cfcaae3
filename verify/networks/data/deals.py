"""Deals: the assignment of images to clients in each task or period, for each of many runs.

A *deal* is a function of a setting, a pool with the training images of every task, and the number of a run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from verify.networks.data.images import generator
from verify.networks.data.partition import (
    dirichlet,
    few_classes,
    latent_dirichlet,
    nested_latent_dirichlet,
    windows,
)

Pool = Sequence[tuple[np.ndarray, np.ndarray]]
"""[task] -> rows of its training images in the table of a stream, and their labels."""

Rows = list[list[np.ndarray]]
"""[task][client] -> rows of the client's images."""


class Sharing(Protocol):
    """The entries of a setting on which a deal depends: numbers of clients and periods, unevenness, and the seed."""

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


Deal = Callable[[Sharing, Pool, int], Rows]
"""(setting, pool, run) -> Rows: the functions below."""


def by_dirichlet(setting: Sharing, pool: Pool, run: int) -> Rows:
    """Every task's images dealt to the clients by Dirichlet shares of each class."""
    return [
        [
            rows[mine]
            for mine in dirichlet(
                labels, setting.clients, generator(setting.seed, "deal", run, task), alpha=setting.alpha
            )
        ]
        for task, (rows, labels) in enumerate(pool)
    ]


def revisited(setting: Sharing, pool: Pool, run: int) -> Rows:
    """Each client draws one of its subsets in every period. Source: CFL, Section 5.2 and Algorithm 4."""
    rng = generator(setting.seed, "deal", run)
    subsets = _subsets(setting, pool, rng)
    drawn = rng.integers(setting.subsets, size=(setting.periods, setting.clients))
    return [[of[choice] for of, choice in zip(subsets, row, strict=True)] for row in drawn]


def windowed(setting: Sharing, pool: Pool, run: int) -> Rows:
    """A window on each client's sequence of subsets moves in every period. Source: CFL, Appendix C.1.1."""
    rng = generator(setting.seed, "deal", run)
    subsets = _subsets(setting, pool, rng)
    sequences = [np.concatenate([rng.permutation(subset) for subset in of]) for of in subsets]
    places = [
        windows(len(own), len(own) // setting.subsets, setting.overlap, setting.periods) for own in sequences
    ]
    return [
        [own[window[period]] for own, window in zip(sequences, places, strict=True)]
        for period in range(setting.periods)
    ]


def fresh(setting: Sharing, pool: Pool, run: int) -> Rows:
    """New clients in every period, each with as many images as a subset has. Source: CFL, Section 5.3.4."""
    rng, (rows, labels) = generator(setting.seed, "deal", run), pool[0]
    sizes = [len(labels) // (setting.clients * setting.subsets)] * setting.clients
    dealt = [
        latent_dirichlet(labels, setting.clients, rng, alpha=setting.alpha, sizes=sizes)
        for _ in range(setting.periods)
    ]
    return [[rows[mine] for mine in clients] for clients in dealt]


def own_sequences(setting: Sharing, pool: Pool, run: int, low: int = 2, high: int = 5) -> Rows:
    """Every client has the tasks in an order of its own, and some classes of each. Source: FedMeS, Section 5.1."""
    rng = generator(setting.seed, "deal", run)
    dealt = []
    for rows, labels in pool:
        parts = few_classes(labels, setting.clients, rng, low=low, high=min(high, len(np.unique(labels))))
        dealt.append([rows[mine] for mine in parts])
    orders = [rng.permutation(len(dealt)) for _ in range(setting.clients)]
    return [
        [dealt[order[place]][client] for client, order in enumerate(orders)] for place in range(len(dealt))
    ]


def one_or_two(setting: Sharing, pool: Pool, run: int) -> Rows:
    """`own_sequences` with one or two classes of each task."""
    return own_sequences(setting, pool, run, low=1, high=2)


DEALS: dict[str, Deal] = {
    deal.__name__: deal for deal in (by_dirichlet, revisited, windowed, fresh, own_sequences, one_or_two)
}
"""By name."""
BUILT_IN = dict(DEALS)
"""Those that come with the toolkit."""
OF_ONE_TASK = (revisited, windowed, fresh)
"""Deals of one task in which clients get other images in every period."""


def _subsets(setting: Sharing, pool: Pool, rng: np.random.Generator) -> Rows:
    rows, labels = pool[0]
    nested = nested_latent_dirichlet(
        labels, setting.clients, setting.subsets, rng, alpha=setting.alpha, beta=setting.alpha
    )
    return [[rows[subset] for subset in of] for of in nested]
