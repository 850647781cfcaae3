"""Experiments: a method in a setting with many seeds at once, trained when first asked for and kept on disk.

Each seed is a run with its own deal of the images to clients, first model, participants and minibatches; what the seeds
share is the embedded data set with its split into training and test images. All methods of a setting meet the same
seeds, so that they are compared seed by seed.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np

from verify.networks.data import Kind, Stream, generator
from verify.networks.partition import dirichlet, latent_dirichlet, nested_latent_dirichlet, windows

SEEDS = {"quick": 6, "default": 16, "full": 32}
"""Seeds by budget: 6 is the least number whose agreement shows a majority with confidence 0.95."""
TUNING_SEEDS, TUNING_FIRST = 8, 1_000_000
"""Seeds on which strengths are selected, none of which is judged on."""
FOLDER = Path("results/networks")

Tested = Literal["ends", "rounds"]
Numbers = float | tuple[float, ...]
"""A hyper-parameter, or several values of it that are trained at once."""
Rows = list[list[np.ndarray]]
"""[task][client] -> rows of the images of all tasks, one task after another."""


@dataclass(frozen=True)
class Setting:
    """What a method is run on, and how long.

    Attributes
    ----------
    deal : (setting, stream, run) -> Rows
        Which client has which images, as `by_dirichlet`.
    kind : {"domain", "class", "task"}
    tasks : int
        Tasks K of the stream.
    periods : int
        How often a task's clients get other images. Each period counts as a task of the run.
    images : int
        Most training images of a task, over all clients.
    clients, sampled, rounds : int
        Clients M, clients per round N, rounds per task T.
    epochs : float
        Local epochs of a client of mean size; all clients make the same number of steps.
    batch : int
    alpha : float
        Dirichlet parameter of the clients' classes, and of a client's subsets where it has several.
    subsets, overlap : int, float
        Of a client whose images change: how many subsets it has, and how much of them it keeps.
    local_lr : float
        Step size of the clients.
    decay : float
        The server's step size in task i, from 1, is ``i**-decay``.
    seeds, first, seed : int
        Number of runs, number of the first one, and seed of the data.
    compiled : bool
        Whether gradients are compiled, which changes them by rounding; it takes seconds, and halves the time of runs.
    """

    deal: Callable[[Setting, Stream, int], Rows]
    kind: Kind = "domain"
    tasks: int = 4
    periods: int = 1
    images: int = 1437
    clients: int = 8
    sampled: int = 4
    rounds: int = 20
    epochs: float = 5
    batch: int = 32
    alpha: float = 0.1
    subsets: int = 1
    overlap: float = 0
    local_lr: float = 0.1
    decay: float = 0
    model: str = "mlp"
    seeds: int = 16
    first: int = 0
    seed: int = 0
    compiled: bool = False

    def plain(self) -> dict[str, Any]:
        """Plain JSON."""
        return {**asdict(self), "deal": self.deal.__name__}


@dataclass(frozen=True)
class Ran:
    """What became of the runs of one method.

    Attributes
    ----------
    by_round : (sweep..., run, K, T, tests) array
        Share of right predictions after each round, T, of each task, K, on each test set; T is 1 if only the ends of
        tasks were tested.
    models : (sweep..., run, d) array
        The server's models at the end.
    """

    by_round: np.ndarray
    models: np.ndarray

    @property
    def accuracy(self) -> np.ndarray:
        """At the ends of the tasks, (sweep..., run, K, tests)."""
        return self.by_round[..., -1, :]


# ------------------------------------------------------------------------------------- who has which images


def by_dirichlet(setting: Setting, stream: Stream, run: int) -> Rows:
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


def revisited(setting: Setting, stream: Stream, run: int) -> Rows:
    """Each client draws one of its subsets in every period. Source: CFL, Section 5.2 and Algorithm 4."""
    rng = generator(setting.seed, "deal", run)
    subsets = _subsets(setting, stream, rng)
    drawn = rng.integers(setting.subsets, size=(setting.periods, setting.clients))
    return [[of[choice] for of, choice in zip(subsets, row, strict=True)] for row in drawn]


def windowed(setting: Setting, stream: Stream, run: int) -> Rows:
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


def fresh(setting: Setting, stream: Stream, run: int) -> Rows:
    """New clients in every period, each with as many images as a subset has. Source: CFL, Section 5.3.4."""
    rng, labels = generator(setting.seed, "deal", run), _labels(stream)[0]
    sizes = [len(labels) // (setting.clients * setting.subsets)] * setting.clients
    return [
        latent_dirichlet(labels, setting.clients, rng, alpha=setting.alpha, sizes=sizes)
        for _ in range(setting.periods)
    ]


def _subsets(setting: Setting, stream: Stream, rng: np.random.Generator) -> Rows:
    labels = _labels(stream)[0]
    return nested_latent_dirichlet(
        labels, setting.clients, setting.subsets, rng, alpha=setting.alpha, beta=setting.alpha
    )


def _labels(stream: Stream) -> list[np.ndarray]:
    """Labels of the images of each task."""
    return [own[0, :size] for own, (size,) in zip(stream.labels, stream.sizes, strict=True)]


# --------------------------------------------------------------------------------------------------- running


def run(setting: Setting, method: str, numbers: Mapping[str, Numbers], tested: Tested = "ends") -> Ran:
    """A method of `verify.networks.methods.METHODS` with some numbers changed.

    Parameters
    ----------
    numbers : name -> float or tuple of floats
        Tuples are swept together, along a first axis of the results.
    tested : {"ends", "rounds"}
        Whether to test at the ends of tasks only, or after every round.
    """
    return _run(setting, method, tested, tuple(sorted(numbers.items())))


def tuned(
    setting: Setting,
    method: str,
    candidates: Mapping[str, tuple[float, ...]],
    score: Callable[[Ran], np.ndarray],
    fixed: Mapping[str, float] | None = None,
) -> dict[str, float]:
    """The candidate with the highest mean score over seeds that are not judged on.

    Parameters
    ----------
    candidates : name -> values
        That are tried, of all numbers together.
    score : Ran -> (sweep, run) array
    fixed : name -> value
        Further numbers that are changed.
    """
    apart = replace(setting, seeds=TUNING_SEEDS, first=TUNING_FIRST)
    best = int(np.argmax(score(run(apart, method, {**candidates, **(fixed or {})})).mean(axis=-1)))
    return {name: values[best] for name, values in candidates.items()}


@cache
def world(setting: Setting) -> Any:
    """The federations of a setting, one for each seed."""
    from verify.networks.federations import Federations, table

    whole, quick = _worlds(
        setting.kind,
        setting.tasks,
        setting.images,
        setting.seed,
        setting.model,
        setting.batch,
        setting.seeds * setting.sampled if setting.compiled else None,
    )
    runs = range(setting.first, setting.first + setting.seeds)
    rows = table([setting.deal(setting, whole.stream, number) for number in runs])
    return Federations(whole.stream, whole.model, setting.batch, rows=rows, whole=whole, quick=quick)


@cache
def _worlds(
    kind: Kind, tasks: int, images: int, seed: int, model: str, batch: int, compiled_for: int | None
) -> tuple[Any, Any]:
    """What settings share that differ in who has which images: a world as written, and one compiled for so many models."""
    from verify.networks.catalogue import stream
    from verify.networks.kernels import as_written, compiled
    from verify.networks.models import MODELS
    from verify.networks.world import NetworkWorld

    data = stream("digits", n_clients=1, kind=kind, n_tasks=tasks, n_train=images, seed=seed)
    whole = NetworkWorld(data, MODELS[model](data.image, data.n_classes), batch, compile=as_written)
    quick = replace(whole, compile=compiled, at_most=compiled_for) if compiled_for else whole
    return whole, quick


@cache
def _run(setting: Setting, method: str, tested: Tested, numbers: tuple[tuple[str, Numbers], ...]) -> Ran:
    from verify.networks.checkpoint import Checkpoint

    asked = [setting.plain(), method, tested, numbers, _code()]
    key = hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:16]
    file = Checkpoint(FOLDER / f"{method}-{key}.npz", key)
    with alone(file.path):
        found = (file.load("cpu") or ({}, {}))[1]
        if "models" not in found:
            found = _trained(setting, method, tested, dict(numbers), file)
            file.save({}, **found)  # what it takes to go on is needed no more
    return Ran(found["by_round"], found["models"])


def draws(setting: Setting) -> Any:
    """Participants and minibatches of all seeds of a setting."""
    from verify.networks.federations import own_minibatches

    sizes = world(setting).sizes
    steps = max(round(setting.epochs * sizes.mean() / setting.batch), 1)
    return own_minibatches(setting.seed, setting.first, sizes, setting.sampled, steps, setting.batch)


def _trained(
    setting: Setting, method: str, tested: Tested, numbers: Mapping[str, Numbers], file: Any
) -> dict[str, np.ndarray]:
    from verify.networks.train import starts, train

    here = world(setting)
    trained = train(
        here,
        _algorithm(setting, method, here, numbers),
        draws(setting),
        starts(here.model, setting.seed, setting.seeds, first=setting.first),
        setting.rounds,
        every_round=tested == "rounds",
        checkpoint=file,
        progress=now_and_then(f"networks, {setting.seeds} seeds: "),
    )
    return {"by_round": trained.by_round, "models": trained.models[..., 0, :].numpy()}


def _algorithm(setting: Setting, method: str, here: Any, numbers: Mapping[str, Numbers]) -> Any:
    import torch

    from algorithms.schedule import by_task
    from verify.networks.methods import METHODS

    changed: dict[str, Any] = {
        name: torch.tensor(value)[:, None] if isinstance(value, tuple) else value
        for name, value in numbers.items()
    }
    given = {"local_lr": setting.local_lr, **changed}
    return by_task(lambda task: METHODS[method](here, **given, global_lr=(task + 1.0) ** -setting.decay))


@cache
def _code() -> dict[str, str]:
    """What the numbers depend on beside the setting."""
    from verify.engine.records import digest, fingerprint

    versions = {name: version for name, version in fingerprint().items() if name != "sources"}
    return {**versions, "sources": digest("algorithms", "verify/networks")}


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Of several processes that ask for the same runs, one trains and the others wait for its results."""
    try:
        import fcntl
    except ImportError:  # elsewhere, all train
        yield
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = path.with_suffix(".lock")
    with lock.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        try:
            yield
        finally:
            lock.unlink(missing_ok=True)


def now_and_then(prefix: str, seconds: float = 5) -> Callable[[str], None]:
    """Progress to stderr, a line at most every few seconds."""
    shown = time.perf_counter()

    def show(line: str) -> None:
        nonlocal shown
        if time.perf_counter() - shown >= seconds:
            shown = time.perf_counter()
            print(prefix + line, file=sys.stderr, flush=True)

    return show


def settings_of(setting: Setting, names: Sequence[str]) -> dict[str, Any]:
    """Some entries of a setting, as plain JSON."""
    return {name: setting.plain()[name] for name in names}
