"""Experiments: a method in a setting with many seeds at once, trained on first use and cached on disk.

Each seed is a run with its own split into training and test images, assignment to clients, initial model, participants and
minibatches. Seeds share only the data set. All methods of a setting use the same seeds, so they are compared seed by seed.
"""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise, product
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np

from algorithms.draws import Draws
from verify.engine.work.items import alone, name_of
from verify.networks.data.catalogue import stream
from verify.networks.data.images import Kind, Stream
from verify.networks.data.splits import TUNING_FIRST, TUNING_SEEDS, split
from verify.networks.methods import ALONE
from verify.networks.own import versions
from verify.networks.setting import Numbers, Setting, algorithm_of
from verify.networks.training.checkpoint import Checkpoint
from verify.networks.training.federations import Federations, own_minibatches, steps_of_epochs, table
from verify.networks.training.footprint import available, estimate, for_kernels, require_room
from verify.networks.training.kernels import as_written, compiled
from verify.networks.training.measures import AT_ENDS, Measure
from verify.networks.training.models import in_precision
from verify.networks.training.modules import network
from verify.networks.training.resume import task_by_task
from verify.networks.training.train import starts
from verify.networks.training.world import NetworkWorld

SEEDS = {"quick": 6, "default": 16, "full": 32}
"""Number of seeds by budget. 6 is the smallest number whose agreement shows a majority with confidence 0.95."""
TOGETHER = 32
"""Largest number of models in one call of a compiled kernel. With fewer, the overhead of a call exceeds its work; with more,
inactive models are computed along with the others."""
ENOUGH = 4
"""Number of seeds that are trained together if memory allows; with fewer, the overhead of a step dominates."""
FOLDER = Path("results/networks")
Candidates = Mapping[str, tuple[float, ...]]
"""Values of several hyperparameters that are tried together: the first of each, then the second of each, and so on."""


@dataclass(frozen=True)
class Ran:
    """The results of the runs of one method.

    Attributes
    ----------
    by_round : (..., run, ..., K, T, tests) array
        Accuracy after each tested round (T) of each task (K) on each test set. Axes before that of the runs belong to sweeps;
        axes after it belong to the measurement.
    models : (sweep..., run, d) array
        The server's models at the end.
    """

    by_round: np.ndarray
    models: np.ndarray

    @property
    def accuracy(self) -> np.ndarray:
        """Accuracy at the ends of the tasks, (..., run, ..., K, tests)."""
        return self.by_round[..., -1, :]


# --------------------------------------------------------------------------------------------------- running


def run(setting: Setting, method: str, numbers: Mapping[str, Numbers], measure: Measure = AT_ENDS) -> Ran:
    """Run a method of `verify.networks.methods.METHODS` with some hyperparameters changed.

    Parameters
    ----------
    numbers : name -> float or tuple of floats
        Tuples are swept together, along the first axis of the results.
    measure : Measure
        Measurements and their times: `AT_ENDS`, `EVERY_ROUND` or `OWN_TASKS` of `verify.networks.training.measures`.

    Raises
    ------
    ValueError
        If the method has no such hyperparameter, or the setting has a decay and the method has no server step size.
    TooLarge
        If a single seed does not fit into memory.
    """
    return _run(setting, method, tuple(sorted(numbers.items())), measure)


def at_rates(rates: tuple[float, ...], **strengths: tuple[float, ...]) -> Candidates:
    """Candidates: every step size of the clients combined with every strength. Several strengths change together."""
    pairs = product(rates, zip(*strengths.values(), strict=True))
    columns = zip(*((rate, *each) for rate, each in pairs), strict=True)
    return dict(zip(("local_lr", *strengths), columns, strict=True))


def rates_alone(rates: tuple[float, ...], count: int) -> Candidates:
    """`count` step sizes from the first to the last of `rates`, evenly spaced on a logarithmic scale.

    Methods without strengths then have as many candidates as other methods.
    """
    return {"local_lr": tuple(float(f"{rate:.3g}") for rate in np.geomspace(rates[0], rates[-1], count))}


def tuned(
    setting: Setting,
    method: str,
    candidates: Candidates,
    score: Callable[[Ran], np.ndarray],
    fixed: Mapping[str, float] | None = None,
    runs: Sequence[int] = (TUNING_SEEDS,),
) -> dict[str, float]:
    """The candidate with the highest mean score on validation images; the seeds are different from those for judging.

    Parameters
    ----------
    candidates : name -> values
        Values to try, in all combinations.
    score : Ran -> (sweep..., run) array
        The score to maximise.
    fixed : name -> value
        Further hyperparameters that are changed.
    runs : increasing numbers
        Total numbers of runs in each stage. All candidates take part in the first stage, the best quarter in the second,
        and so on.

    Notes
    -----
    The stages follow Karnin, Koren and Somekh (2013), Almost optimal exploration in multi-armed bandits. Their successive
    halving keeps one half in each stage; here one quarter is kept.
    """
    left = [dict(zip(candidates, values, strict=True)) for values in zip(*candidates.values(), strict=True)]
    scores = np.empty((len(left), 0))
    for n_had, n_runs in pairwise((0, *runs)):
        best = _best(scores, ceil(len(left) / 4)) if n_had else list(range(len(left)))
        left = [left[i] for i in best]
        apart = replace(setting, seeds=n_runs - n_had, first=TUNING_FIRST + n_had, part="validation")
        swept = {name: tuple(one[name] for one in left) for name in candidates}
        tried = left if method in ALONE else [swept]
        new = [score(run(apart, method, {**some, **(fixed or {})})) for some in tried]
        scores = np.hstack([scores[best], np.vstack(new)])
    return left[_best(scores, 1)[0]]


def _best(scores: np.ndarray, count: int) -> list[int]:
    """The candidates with the highest means of (candidate, run) scores, in their order; ties go to the first."""
    return sorted(np.argsort(-scores.mean(axis=-1), kind="stable")[:count].tolist())


@lru_cache(8)  # of two megabytes each
def world(setting: Setting) -> Federations:
    """The federations of a setting, one for each seed."""
    models = setting.seeds * setting.sampled
    parts = (
        -(-models // TOGETHER) if setting.device == "cpu" else 1
    )  # small calls would leave an accelerator idle
    together = -(-models // parts) if setting.compiled else None
    model = setting.model, setting.precision
    whole, quick = _worlds(data_of(setting), model, setting.batch, setting.device, together)
    runs = range(setting.first, setting.first + setting.seeds)
    splits = [
        split(whole.stream, setting.seed, number, setting.images, setting.tests, setting.part)
        for number in runs
    ]
    deals = [setting.deal(setting, own.train, number) for own, number in zip(splits, runs, strict=True)]
    return Federations(
        whole.stream,
        whole.model,
        setting.batch,
        setting.device,
        memory=whole.memory,
        rows=table(deals),
        tested=np.stack([own.tests for own in splits], axis=1),
        whole=whole,
        quick=quick,
    )


Data = tuple[str, str, Kind, int, int, int, int]
"""Stream, folder, kind, tasks, largest numbers of images of a task for training and for testing, seed."""


def data_of(setting: Setting) -> Data:
    """The images of a setting."""
    names = ("data", "folder", "kind", "tasks", "images", "tests", "seed")
    chosen: Data = tuple(getattr(setting, name) for name in names)  # type: ignore[assignment]
    return chosen


@lru_cache(4)
def digest(data: Data) -> str:
    """Digest of the images and labels as part of the key of results, as files may change; empty for the built-in digits."""
    if data[0] == "digits":
        return ""
    found, whole = hashlib.sha256(), _stream(data)
    for part in (whole.images, whole.labels, whole.sizes, whole.test_images, whole.test_labels):
        found.update(np.ascontiguousarray(part).reshape(-1).view(np.uint8).data)
    return found.hexdigest()[:16]


@lru_cache(4)  # with a table of all samples each
def _worlds(
    data: Data, model: tuple[str, str], batch: int, device: str, together: int | None
) -> tuple[NetworkWorld, NetworkWorld]:
    """Two worlds that settings share if they differ only in the assignment of images.

    One is not compiled; the other is compiled for a number of models.
    """
    images, memory = _stream(data), for_kernels(device)
    name, precision = model
    made = in_precision(network(name, images.image, images.n_classes), precision, device)
    whole = NetworkWorld(images, made, batch, device, as_written, memory=memory)
    return whole, replace(whole, compile=compiled, at_most=together) if together else whole


@lru_cache(4)  # of a megabyte each and more
def _stream(data: Data) -> Stream:
    name, folder, kind, tasks, images, tests, seed = data
    whole = name == "digits"  # of a larger data set, each run uses a part
    return stream(
        name,
        folder or None,
        n_clients=1,
        kind=kind,
        n_tasks=tasks or None,
        n_train=None if whole else 2 * images,
        n_test=None if whole else 2 * tests,
        seed=seed,
    )


def draws(setting: Setting) -> Draws:
    """Participants and minibatches of all seeds of a setting."""
    sizes = world(setting).sizes
    steps = steps_of_epochs(setting.epochs, sizes, setting.batch)
    return own_minibatches(
        setting.seed, setting.first, sizes, setting.sampled, steps, setting.batch, setting.device
    )


@lru_cache(32)  # of some hundred kilobytes each, sweeps of some megabytes
def _run(setting: Setting, method: str, numbers: tuple[tuple[str, Numbers], ...], measure: Measure) -> Ran:
    found = cached_result(
        method,
        (setting.plain(), numbers, measure.name, *filter(None, [digest(data_of(setting))])),
        lambda file: _trained(setting, method, dict(numbers), measure, file),
    )
    return Ran(found["by_round"], found["models"])


def cached_result(
    name: str, asked: tuple[Any, ...], make: Callable[[Checkpoint], dict[str, np.ndarray]]
) -> dict[str, np.ndarray]:
    """The result of `make`, computed once for all processes and cached on disk with all its inputs as the key.

    Parameters
    ----------
    name : str
        Beginning of the file name.
    asked : tuple
        The inputs except the code, as plain JSON.
    make : Checkpoint -> name -> array
        Computes the result. It receives a checkpoint file, from which an interrupted computation continues.
    """
    key = name_of(name, asked, versions())
    file = Checkpoint(FOLDER / f"{name}-{key}.npz", key)
    with alone(FOLDER, key):  # only one of several processes with the same key computes the result
        on_disk = file.load("cpu")
        if on_disk is not None and not on_disk[0]:
            return on_disk[1]
        found = make(file)
        file.save({}, **found)  # the checkpoint is not needed any more
    return found


def _trained(
    setting: Setting, method: str, numbers: Mapping[str, Numbers], measure: Measure, file: Checkpoint
) -> dict[str, np.ndarray]:
    here, drawn = world(setting), draws(setting)
    algorithm = algorithm_of(setting, method, numbers, here)
    theta0 = starts(here.model, setting.seed, setting.seeds, here.device, setting.first)
    sweep = np.broadcast_shapes(*map(np.shape, numbers.values()))
    needed = estimate(here, algorithm, drawn, theta0.expand(*sweep, *theta0.shape))
    if setting.seeds > 1 and _too_many(setting.seeds, needed, here.device):
        return _one_after_another(setting, method, numbers, measure)
    if sweep and sum(needed.values()) > available(here.device):
        return _value_by_value(setting, method, numbers, measure)
    require_room(needed, here.device)
    show = now_and_then(f"networks, {setting.seeds} seeds: {method}: ")
    done = task_by_task(here, algorithm, drawn, theta0, setting.rounds, measure, file, show)
    assert done.state is not None
    return {"by_round": done.by_round, "models": done.state["theta"].cpu().numpy()}


def _too_many(seeds: int, needed: Mapping[str, int], device: str) -> bool:
    """Whether this number of seeds needs more memory than available, or, for several seeds, more than half of a kernel's
    limit.
    """
    of_seeds = needed["state"] + needed["local work"]
    much = 2 * of_seeds > for_kernels(device)
    return sum(needed.values()) > available(device) or (seeds > ENOUGH and much)


def _one_after_another(
    setting: Setting, method: str, numbers: Mapping[str, Numbers], measure: Measure
) -> dict[str, np.ndarray]:
    """Like `_trained`, but one half of the seeds after the other; each half is cached on disk."""
    half = setting.seeds // 2
    first = replace(setting, seeds=half)
    second = replace(setting, first=setting.first + half, seeds=setting.seeds - half)
    found = [run(part, method, numbers, measure) for part in (first, second)]
    return {
        "by_round": np.concatenate([part.by_round for part in found], axis=measure.axis_of_runs),
        "models": np.concatenate([part.models for part in found], axis=-2),
    }


def _value_by_value(
    setting: Setting, method: str, numbers: Mapping[str, Numbers], measure: Measure
) -> dict[str, np.ndarray]:
    """Like `_trained`, but one value of a sweep after the other; each is cached on disk."""
    columns = (column.tolist() for column in np.broadcast_arrays(*numbers.values()))
    rows = [dict(zip(numbers, row, strict=True)) for row in zip(*columns, strict=True)]
    found = [run(setting, method, row, measure) for row in rows]
    return {
        "by_round": np.stack([one.by_round for one in found], axis=measure.axis_of_runs - 1),
        "models": np.stack([one.models for one in found], axis=-3),
    }


def now_and_then(prefix: str, seconds: float = 5) -> Callable[[str], None]:
    """A function that prints progress to stderr, at most one line every few seconds."""
    shown = time.perf_counter()

    def show(line: str) -> None:
        nonlocal shown
        if time.perf_counter() - shown >= seconds:
            shown = time.perf_counter()
            print(prefix + line, file=sys.stderr, flush=True)

    return show
