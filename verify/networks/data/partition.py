"""Partitions of the training samples of a task among clients, drawn with a given random generator.

A *deal* takes labels (n,), the number of clients M and a random generator. It returns M disjoint arrays of sample numbers in
ascending order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from algorithms.hyperparameters import count
from verify.networks.data.images import Array

Deal = Callable[[Array, int, np.random.Generator], list[Array]]


def evenly(labels: Array, n_clients: int, rng: np.random.Generator) -> list[Array]:
    """Every sample to one client, at random, with sizes that differ by at most 1."""
    order = rng.permutation(len(labels))
    return [np.sort(part) for part in np.split(order, np.cumsum(even_sizes(len(labels), n_clients))[:-1])]


def dirichlet(
    labels: Array, n_clients: int, rng: np.random.Generator, *, alpha: float, least: int = 1
) -> list[Array]:
    """Every sample to one client: the shares of the clients in each class are Dirichlet distributed.

    For each class, shares of the M clients are drawn from the symmetric Dirichlet distribution with parameter
    `alpha`, and the shuffled samples of the class are cut at the cumulative shares, rounded down. Small `alpha`
    gives each class to few clients. Sizes are random; a client with fewer than `least` samples then gets
    random ones of the client that has most, until none has fewer.

    Parameters
    ----------
    alpha : float, > 0
    least : int, >= 0
        Smallest number of samples of a client.

    Notes
    -----
    Source: Yurochkin et al. (2019), Bayesian nonparametric federated learning of neural networks, experiments,
    which is what "Dirichlet sampling" of SPECIAL (Section 5) and C-FLAG (experiments) is taken to mean. That
    each client gets something is ours: the sources do not say what a client without samples does.
    """
    _check(labels, n_clients, alpha)
    if n_clients * count("least", least, at_least=0) > len(labels):
        raise ValueError(
            f"`least` must be at most {len(labels) // n_clients}, because {n_clients} clients share "
            f"{len(labels)} samples, got {least}."
        )
    owner = np.empty(len(labels), dtype=np.int64)
    for c in np.unique(labels):
        members = rng.permutation(np.flatnonzero(labels == c))
        ends = np.cumsum(rng.dirichlet(np.full(n_clients, alpha)))[:-1]
        owner[members] = np.searchsorted(np.floor(ends * len(members)), np.arange(len(members)), side="right")
    sizes = np.bincount(owner, minlength=n_clients)
    while sizes.min() < least:
        richest, poorest = sizes.argmax(), sizes.argmin()
        owner[rng.choice(np.flatnonzero(owner == richest))] = poorest
        sizes[richest], sizes[poorest] = sizes[richest] - 1, sizes[poorest] + 1
    return [np.flatnonzero(owner == client) for client in range(n_clients)]


def latent_dirichlet(
    labels: Array,
    n_clients: int,
    rng: np.random.Generator,
    *,
    alpha: float,
    sizes: Sequence[int] | Array | None = None,
) -> list[Array]:
    """Client after client draws its mix of classes, then its samples one by one from what is left.

    A client's mix has the Dirichlet distribution with parameters `alpha` p, where p are the shares of the
    classes among all samples. A class that runs empty is taken out of the mix, which is scaled up.

    Parameters
    ----------
    alpha : float, > 0
        Small: few classes per client; large: the mix of the whole.
    sizes : (M,) ints, or None
        Samples N of each client. None deals all samples, in sizes that differ by at most 1.

    Notes
    -----
    Source: CFL, Algorithms 5 and 6. As printed they cannot be run, so this is one interpretation: classes are
    0..C-1 (printed G = [0, ..., len(S)] names C + 1); "Dirichlet(alpha, p)" has the parameters alpha p as in
    Hsu et al. (2019), which Section 5.2 cites; a class is taken out at once when it is empty (the printed test
    stands after the loop that draws from it); a client that comes later has no weight on it either (printed,
    its mix is over all classes, while places in G have moved); and renormalising divides by one sum (printed,
    the sum is taken again after each division).
    """
    _check(labels, n_clients, alpha)
    wanted = even_sizes(len(labels), n_clients) if sizes is None else np.asarray(sizes)
    if wanted.shape != (n_clients,) or wanted.min() < 0 or wanted.sum() > len(labels):
        raise ValueError(
            f"`sizes` must be {n_clients} numbers >= 0 that sum to at most {len(labels)}, got {wanted.tolist()}."
        )
    classes, counts = np.unique(labels, return_counts=True)
    left = [list(rng.permutation(np.flatnonzero(labels == c))) for c in classes]
    shares = counts / counts.sum()
    dealt = []
    for size in wanted:
        # Logarithms, because with a small alpha all weight of the classes that are left may be below 1e-300.
        log_mix = _log_gamma(alpha * shares, rng)
        mine: list[int] = []
        while len(mine) < size:
            filled = np.array([bool(members) for members in left])
            mix = np.exp(np.where(filled, log_mix, -np.inf) - log_mix[filled].max())
            ends = np.cumsum(mix / mix.sum())
            while len(mine) < size:
                y = min(int(np.searchsorted(ends, rng.random(), side="right")), int(np.flatnonzero(mix)[-1]))
                mine.append(left[y].pop())
                if not left[y]:
                    break
        dealt.append(np.sort(np.array(mine, dtype=np.int64)))
    return dealt


def nested_latent_dirichlet(
    labels: Array, n_clients: int, n_subsets: int, rng: np.random.Generator, *, alpha: float, beta: float
) -> list[list[Array]]:
    """Every sample to one of `n_subsets` subsets of one client: [client][subset] -> sample numbers.

    Clients differ by `latent_dirichlet` with `alpha`, and the subsets of a client by the same with `beta`.
    Source: CFL, Algorithm 4.
    """
    clients = latent_dirichlet(labels, n_clients, rng, alpha=alpha)
    return [
        [mine[part] for part in latent_dirichlet(labels[mine], n_subsets, rng, alpha=beta)]
        for mine in clients
    ]


def few_classes(
    labels: Array, n_clients: int, rng: np.random.Generator, *, low: int = 2, high: int = 5
) -> list[Array]:
    """Each client has `low` to `high` of the classes, and an even share of the samples of each.

    How many, and which, is drawn uniformly. A class that no client has is dealt to nobody. Source: FedMeS,
    Section 5.1 ("a subset of 2-5 classes are randomly selected for each task"); that clients share the samples
    of a class evenly is our variant.
    """
    classes = np.unique(labels)
    if not 1 <= low <= high <= len(classes):
        raise ValueError(
            f"`low` and `high` must satisfy 1 <= low <= high <= {len(classes)}, the number of classes, "
            f"got {low} and {high}."
        )
    chosen = [
        rng.choice(classes, rng.integers(low, high, endpoint=True), replace=False) for _ in range(n_clients)
    ]
    dealt: list[list[Array]] = [[] for _ in range(n_clients)]
    for c in classes:
        owners = [client for client in range(n_clients) if c in chosen[client]]
        if owners:
            members = np.flatnonzero(labels == c)
            parts = evenly(members, len(owners), rng)
            for owner, part in zip(rng.permutation(owners), parts, strict=True):
                dealt[owner].append(members[part])
    return [np.sort(np.concatenate(parts)) for parts in dealt]


def windows(total: int, size: int, overlap: Fraction | float, rounds: int) -> Array:
    """Places in a client's sequence of `total` samples that it has in each round, (rounds, size).

    A window of `size` samples starts at 0 and moves by ``floor(size (1 - overlap))`` after every round; the end
    of the sequence is joined to its beginning. Source: CFL, Appendix C.1.1, whose steps of 285, 213 and 142 for windows of 285 and
    overlaps of 0, 1/4 and 1/2 are those.
    """
    if not 1 <= size <= total:
        raise ValueError(f"`size` must be in 1..{total}, the length of the sequence, got {size}.")
    if not 0 <= overlap < 1:
        raise ValueError(f"`overlap` must be at least 0 and below 1, got {overlap}.")
    step = int(size * (1 - overlap))
    if step < 1:
        raise ValueError(f"`overlap` must leave a step of at least one sample of {size}, got {overlap}.")
    return (step * np.arange(rounds)[:, None] + np.arange(size)) % total


def even_sizes(n: int, parts: int) -> Array:
    """`parts` sizes that sum to `n` and differ by at most 1, larger ones first."""
    return np.full(parts, n // parts) + (np.arange(parts) < n % parts)


def _log_gamma(shapes: Array, rng: np.random.Generator) -> Array:
    """Logarithms of gamma variables, whose normalised values are Dirichlet distributed.

    A gamma variable of shape a is one of shape a + 1 times the a-th root of a uniform one.
    """
    return np.log(rng.standard_gamma(shapes + 1)) + np.log1p(-rng.random(shapes.shape)) / shapes


def _check(labels: Array, n_clients: int, concentration: float) -> None:
    count("n_clients", n_clients, at_least=1)
    if not (np.isfinite(concentration) and concentration > 0):
        raise ValueError(f"`alpha` must be finite and > 0, got {concentration}.")
    if len(labels) < n_clients:
        raise ValueError(
            f"`labels` must name at least one sample per client, got {len(labels)} for {n_clients} clients: lower `--clients`."
        )
