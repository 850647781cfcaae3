"""Streams by name: those of the papers, and any data set as a stream of domains or of classes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, get_args

from verify.engine.work.errors import UsageError
from verify.networks.data import streams
from verify.networks.data.images import Array, Images, Kind, Stream, generator
from verify.networks.data.loaders.by_name import LOADERS, Size, load
from verify.networks.data.partition import Deal, dirichlet


@dataclass(frozen=True)
class Recipe:
    """The default ingredients of a stream.

    Attributes
    ----------
    data : tuple of str
        Names of data sets. If there are several, each has its files in a folder with its name.
    kind : {"domain", "class", "task"}
    n_tasks : int or None
        Number of tasks into which the classes are split; None for a stream of all domains.
    size, channels : (height, width) and 1 or 3, or None
        Size and channels to which images are converted; None: no conversion.
    alpha : float
        Parameter of the Dirichlet shares of the clients.
    order : (n_classes, seed) -> class numbers, or None
        Order of the classes; None: as they are.
    tasks : () -> list of Task, or None
        The tasks themselves, if they are not made of data sets.
    """

    data: tuple[str, ...]
    kind: Kind = "domain"
    n_tasks: int | None = None
    size: Size | None = None
    channels: int | None = None
    alpha: float = 0.5
    order: Callable[[int, int], Array] | None = None
    tasks: Callable[[], list[streams.Task]] | None = None


def _shuffled(n_classes: int, seed: int) -> Array:
    return generator(seed, "classes").permutation(n_classes)


RECIPES: dict[str, Recipe] = {
    **{name: Recipe((name,)) for name in ("digits", *LOADERS)},
    # SPECIAL, Section 5 and Appendix F.1. The sizes of its Digit-10 (380,548 training and 78,039 test images)
    # are the sums of USPS, SVHN without its extra images, EMNIST's digits, and MNIST.
    "digit-10": Recipe(("usps", "svhn", "emnist-digits", "mnist"), size=(32, 32), channels=3, alpha=0.1),
    "vlcs": Recipe(("vlcs",), alpha=0.3),
    "pacs": Recipe(("pacs",), alpha=0.3),
    "dn4il": Recipe(("dn4il",), alpha=5.0),
    # SPECIAL, Appendix F, and C-FLAG: 5 tasks of 20 classes. FedMeS has 10 of 10.
    "split-cifar-100": Recipe(("cifar-100",), "class", 5, alpha=1.0),
    # C-FLAG, experiments; alpha from its non-IID setting.
    "split-cifar-10": Recipe(("cifar-10",), "class", 5, alpha=0.1),
    "split-tiny-imagenet": Recipe(("tiny-imagenet",), "class", 10, alpha=0.1),
    # FedMeS, Section 5.1: 60 of the 62 classes of EMNIST; pictures of three data sets, whose common size is
    # not printed, in 40 tasks.
    "split-emnist": Recipe(("emnist-byclass",), "task", 10),
    "split-mini-imagenet": Recipe(("mini-imagenet",), "task", 10),
    "fusion-tasks-40": Recipe(
        ("cifar-100", "mini-imagenet", "tiny-imagenet"),
        "task",
        40,
        size=(32, 32),
        channels=3,
        order=_shuffled,
    ),
}
"""Streams by name. Values that a paper does not print are choices of this toolkit."""
BUILT_IN = dict(RECIPES)
"""Those that come with the toolkit."""


def as_recipe(name: str, entry: Any) -> Recipe:
    """A `Recipe`, or one of a list of tasks, each with arrays (x, y, x_test, y_test); or of a function that gives such a list.

    Tasks that all have the same classes are domains, others are of classes.

    Raises
    ------
    UsageError
        If it is neither.
    """
    if isinstance(entry, Recipe):
        return entry
    parts = entry() if callable(entry) else entry
    if not isinstance(parts, list | tuple) or not parts:
        raise UsageError(
            f"`STREAMS[{name!r}]` must be a Recipe or a list of tasks (x, y, x_test, y_test), got {type(parts).__name__}."
        )
    tasks = streams.of_arrays(name, parts)
    same = all((task.classes == tasks[0].classes).all() for task in tasks)
    return Recipe((), "domain" if same else "class", len(tasks), tasks=lambda: tasks)


def stream(
    name: str = "digits",
    folder: Path | str | None = None,
    *,
    n_clients: int = 8,
    kind: Kind | None = None,
    n_tasks: int | None = None,
    alpha: float | None = None,
    how: Deal | None = None,
    n_train: int | None = None,
    n_test: int | None = None,
    size: Size | None = None,
    channels: int | None = None,
    seed: int = 0,
) -> Stream:
    """A stream by its name in `RECIPES`, whose entries hold wherever an argument is None.

    Parameters
    ----------
    name : str
        "digits" comes with scikit-learn; all others are read from `folder`.
    n_clients : int
        Clients M.
    kind : {"domain", "class", "task"}
        "domain" of a data set without domains shows its images in the looks of `verify.networks.data.domains`.
    n_tasks : int
        Tasks K that the classes are split into, 5 by default; of a stream of domains, the first ones.
    alpha : float, > 0
        Dirichlet shares: small, and the clients' classes differ much.
    how : Deal
        Instead of Dirichlet shares, another function of `verify.networks.data.partition`.
    n_train, n_test : int
        Most images of a task, for training over all clients and for testing.
    size, channels : (height, width), and 1 or 3
        To which images are brought.
    seed : int
        Of everything that is random.

    Raises
    ------
    UsageError
        If there is no such stream, its files are missing or damaged, or it cannot be of this kind.
    """
    recipe = recipe_of(name)
    kind = recipe.kind if kind is None else kind
    if kind not in get_args(Kind):
        raise UsageError(f"`kind` must be one of {', '.join(get_args(Kind))}, got {kind!r}.")
    size, channels = size or recipe.size, channels or recipe.channels
    if recipe.tasks is not None:
        tasks = _first(recipe.tasks(), n_tasks)
    else:
        sources = _sources(recipe, folder, size, seed)
        tasks = (
            _domains(sources, n_tasks)
            if kind == "domain"
            else _classes(_one(sources, name, size, channels), n_tasks or recipe.n_tasks or 5, recipe, seed)
        )
    tasks = streams.limited(tasks, seed, n_train, n_test)
    shares = partial(dirichlet, alpha=recipe.alpha if alpha is None else alpha)
    deals = streams.deal(tasks, n_clients, seed, how or shares)
    return streams.assemble(tasks, deals, kind, name, seed, size=size, channels=channels)


def drifting_stream(
    name: str = "digits",
    folder: Path | str | None = None,
    *,
    n_clients: int = 7,
    n_tasks: int = 30,
    alpha: float = 0.2,
    beta: float = 0.2,
    overlap: float = 0.0,
    n_train: int | None = None,
    n_test: int | None = None,
    seed: int = 0,
) -> Stream:
    """One data set whose classes drift: each client has a sequence of subsets, one per task.

    All tasks have all classes and the same test images. The defaults are the 7 clients, 30 subsets and
    alpha_dir = 0.2 of CFL (Section 5.2, Appendix C.1, Table 4); `beta`, by which the subsets of one client
    differ (Algorithm 4), is not printed.

    Parameters
    ----------
    alpha, beta : float, > 0
        Dirichlet parameters of the mix of classes of clients, and of the subsets of a client.
    overlap : float in [0, 1)
        Share of a client's data that it keeps from task to task (Appendix C.1.1).
    name, folder, n_train, n_test, seed
        As in `stream`.
    """
    recipe = recipe_of(name)
    source = _one(_sources(recipe, folder, recipe.size, seed), name, recipe.size, recipe.channels)
    task = streams.limited([streams.as_task(source)], seed, n_train, n_test)[0]
    deals = streams.deal_drifting(task, n_clients, n_tasks, seed, alpha=alpha, beta=beta, overlap=overlap)
    return streams.assemble([task] * n_tasks, deals, "domain", name, seed)


def recipe_of(name: str) -> Recipe:
    """The recipe of that name, or that of the data at a path.

    Raises
    ------
    UsageError
        If there is neither.
    """
    if name in RECIPES:
        return RECIPES[name]
    if not Path(name).exists():
        raise UsageError(
            f"`--data` must be one of {', '.join(RECIPES)}, or the path of a folder of pictures or of a file .npz, got {name!r}."
        )
    return Recipe((name,))


def _sources(recipe: Recipe, folder: Path | str | None, size: Size | None, seed: int) -> list[Images]:
    if len(recipe.data) == 1 or folder is None:
        places = [folder] * len(recipe.data)
    else:
        places = [Path(folder) / name for name in recipe.data]
    return [
        images
        for name, place in zip(recipe.data, places, strict=True)
        for images in load(name, place, size=size, seed=seed)
    ]


def _one(sources: list[Images], name: str, size: Size | None, channels: int | None) -> Images:
    """All sources as one data set, if their classes are different ones."""
    if len(sources) == 1:
        return sources[0]
    if recipe_of(name).kind == "domain":
        raise UsageError(
            f"`name` must have one data set where classes are split, got {name}: {len(sources)} domains of the "
            "same classes."
        )
    return streams.together(sources, name, size or (32, 32), channels or 3)


def _domains(sources: list[Images], n_tasks: int | None) -> list[streams.Task]:
    return _first(
        streams.one_look_each(sources[0]) if len(sources) == 1 else streams.one_source_each(sources), n_tasks
    )


def _first(tasks: list[streams.Task], n_tasks: int | None) -> list[streams.Task]:
    if n_tasks is not None and not 1 <= n_tasks <= len(tasks):
        raise UsageError(f"`n_tasks` must be in 1..{len(tasks)}, the number of domains, got {n_tasks}.")
    return tasks[:n_tasks]


def _classes(source: Images, n_tasks: int, recipe: Recipe, seed: int) -> list[streams.Task]:
    order = None if recipe.order is None else recipe.order(source.n_classes, seed)
    return streams.split_classes(source, n_tasks, order)
