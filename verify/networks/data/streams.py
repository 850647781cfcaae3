"""Streams of tasks: the images of each task, their transformation, and their assignment to clients.

A stream is made in three steps, each a plain function: *tasks* (images and transformation), *deals* (clients), and `assemble`,
which builds the arrays. One seed determines everything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from verify.engine.work.errors import UsageError
from verify.networks.data.domains import LOOKS, Look, original
from verify.networks.data.images import (
    Array,
    Images,
    Kind,
    Stream,
    apportion,
    fitted,
    generator,
    sample_by_class,
    stratified,
)
from verify.networks.data.loaders import own
from verify.networks.data.partition import Deal, dirichlet, nested_latent_dirichlet, windows

Deals = Sequence[Sequence[Array]]
"""[task][client] -> numbers of images in the task's data set."""


@dataclass(frozen=True)
class Task:
    """The images of a task, before they are dealt.

    Attributes
    ----------
    source : Images
    train, test : (..,) arrays of int64
        Numbers of its images in `source`.
    classes : (C,) array of bool
        Which classes the task has.
    look : callable
        Transformation of the images, see `verify.networks.data.domains`.
    """

    source: Images
    train: Array
    test: Array
    classes: Array
    look: Look = original


def as_task(source: Images, look: Look = original) -> Task:
    """A whole data set as a task."""
    return Task(source, source.train, source.test, np.ones(source.n_classes, dtype=bool), look)


def one_look_each(source: Images, looks: Mapping[str, Look] = LOOKS) -> list[Task]:
    """The same images in every task, each time with another transformation, as in Rotated MNIST.

    As the images are the same, forgetting is due to the transformation only. An image is for training in all tasks or for testing
    in all, so no transformation of a test image is used for training.
    """
    return [as_task(source, look) for look in looks.values()]


def one_source_each(sources: Sequence[Images]) -> list[Task]:
    """One data set after another, all of the same classes."""
    numbers = {source.n_classes for source in sources}
    if len(numbers) > 1:
        raise UsageError(
            f"`sources` must have the same classes, got "
            f"{', '.join(f'{source.n_classes} in {source.name}' for source in sources)}."
        )
    return [as_task(source) for source in sources]


def of_arrays(name: str, parts: Sequence[Sequence[Array]]) -> list[Task]:
    """Tasks from arrays (x, y, x_test, y_test) of each; labels are the numbers 0, 1, ... of all tasks together."""
    sources = [own.of_arrays(f"task {place + 1} of {name}", part, None) for place, part in enumerate(parts)]
    n_classes = max(source.n_classes for source in sources)
    return [
        Task(
            replace(source, n_classes=n_classes),
            source.train,
            source.test,
            np.isin(np.arange(n_classes), source.labels),
        )
        for source in sources
    ]


def split_classes(source: Images, n_tasks: int, order: Sequence[int] | Array | None = None) -> list[Task]:
    """Equally many classes for each task, no class in two.

    Parameters
    ----------
    order : class numbers
        Their order in the stream, in which they are numbered again; by default as they are. Classes beyond the
        last full share are not used (Split EMNIST of FedMeS: 60 of 62).
    """
    if not 1 <= n_tasks <= source.n_classes:
        raise UsageError(
            f"`n_tasks` must be in 1..{source.n_classes}, the number of classes, got {n_tasks}: lower `--tasks`."
        )
    each = source.n_classes // n_tasks
    used = np.arange(source.n_classes) if order is None else np.asarray(order)
    numbers = np.full(source.n_classes, -1)
    numbers[used[: each * n_tasks]] = np.arange(each * n_tasks)
    # Images of unused classes are in no task; their label only has to be valid.
    renamed = replace(source, labels=np.maximum(numbers[source.labels], 0), n_classes=each * n_tasks)
    task_of_image = np.where(numbers >= 0, numbers // each, -1)[source.labels]
    task_of_class = np.arange(each * n_tasks) // each
    return [
        Task(
            renamed,
            source.train[task_of_image[source.train] == task],
            source.test[task_of_image[source.test] == task],
            task_of_class == task,
        )
        for task in range(n_tasks)
    ]


def together(sources: Sequence[Images], name: str, size: tuple[int, int], channels: int = 3) -> Images:
    """Several data sets as one, with the classes of all.

    The images are brought to one size and number of channels, in 256 levels.
    """
    images = [
        (255 * fitted(part, size, channels)).round().astype(np.uint8)
        for source in sources
        for part in np.array_split(source.images, -(-len(source.images) // 4096))  # to spare memory
    ]
    counts = [len(source.labels) for source in sources]
    classes = [source.n_classes for source in sources]
    return Images(
        np.concatenate(images),
        _shifted([source.labels for source in sources], classes),
        _shifted([source.train for source in sources], counts),
        _shifted([source.test for source in sources], counts),
        sum(classes),
        name,
    )


def limited(
    tasks: Sequence[Task], seed: int, n_train: int | None = None, n_test: int | None = None
) -> list[Task]:
    """Tasks with at most `n_train` and `n_test` images, in which every class keeps its share.

    Tasks on the same images keep the same ones.
    """

    def some(task: Task, numbers: Array, limit: int | None, part: int) -> Array:
        if limit is None or limit >= len(numbers):
            return numbers
        rng = generator(seed, "limit", part)
        return numbers[stratified(task.source.labels[numbers], limit, rng)]

    return [
        replace(task, train=some(task, task.train, n_train, 0), test=some(task, task.test, n_test, 1))
        for task in tasks
    ]


def deal(tasks: Sequence[Task], n_clients: int, seed: int, how: Deal | None = None) -> list[list[Array]]:
    """Every task's training images dealt to clients, afresh in each task.

    Parameters
    ----------
    how : Deal
        See `verify.networks.data.partition`; by default Dirichlet shares with alpha = 0.5.
    """
    how = partial(dirichlet, alpha=0.5) if how is None else how
    return [
        [
            task.train[mine]
            for mine in how(task.source.labels[task.train], n_clients, generator(seed, "deal", number))
        ]
        for number, task in enumerate(tasks)
    ]


def deal_drifting(
    task: Task, n_clients: int, n_tasks: int, seed: int, *, alpha: float, beta: float, overlap: float = 0
) -> list[list[Array]]:
    """The images of one task dealt to clients with a sequence of `n_tasks` subsets each, one per task of a stream.

    Clients differ by Dirichlet mixes of classes with `alpha`, subsets of a client with `beta`. With an
    `overlap` in [0, 1), a client's data of a task is a window on its sequence that moves by less than its size,
    see `partition.windows`.

    Source: CFL, Algorithm 4 and Appendix C.1.1.
    """
    labels, rng = task.source.labels[task.train], generator(seed, "deal")
    nested = nested_latent_dirichlet(labels, n_clients, n_tasks, rng, alpha=alpha, beta=beta)
    if overlap == 0:
        return [[task.train[subsets[number]] for subsets in nested] for number in range(n_tasks)]
    # Shuffled within subsets, because what a window cuts off must not depend on numbers of images.
    sequences = [np.concatenate([rng.permutation(subset) for subset in subsets]) for subsets in nested]
    places = [windows(len(own), len(own) // n_tasks, overlap, n_tasks) for own in sequences]
    return [
        [task.train[own[window[number]]] for own, window in zip(sequences, places, strict=True)]
        for number in range(n_tasks)
    ]


def assemble(
    tasks: Sequence[Task],
    deals: Deals,
    kind: Kind,
    name: str,
    seed: int,
    *,
    size: tuple[int, int] | None = None,
    channels: int | None = None,
) -> Stream:
    """The arrays of a stream.

    All tasks get as many test images as the one that has fewest, every class in its share. All clients get as
    many slots as the largest needs, so very uneven deals take memory: limit the tasks, or even out the deals.

    Parameters
    ----------
    size : (height, width)
    channels : 1 or 3
        To which all images are brought; by default they stay as they are, and must agree.
    """
    sizes = np.array([[len(mine) for mine in clients] for clients in deals])
    if sizes.min() < 1:
        task, client = np.argwhere(sizes < 1)[0]
        raise UsageError(
            f"`deals` must give each client a sample, got none for client {client} in task {task}."
        )
    n_test = min(len(task.test) for task in tasks)
    if n_test < 1:
        empty = next(number for number, task in enumerate(tasks) if not len(task.test))
        raise UsageError(
            f"`tasks` must have a test image each, got none in task {empty}: give test images, or more images of each class, "
            "of which a fifth is for testing."
        )
    slots = np.arange(sizes.max()) % sizes[..., None]
    origin = np.array(
        [[mine[row] for mine, row in zip(*pair, strict=True)] for pair in zip(deals, slots, strict=True)]
    )
    tested = np.array([task.test for task in limited(tasks, seed, n_test=n_test)])
    labels, test_labels = (
        np.array([task.source.labels[row] for task, row in zip(tasks, rows, strict=True)])
        for rows in (origin, tested)
    )

    def images_of(number: int, numbers: Array, part: int) -> Array:
        shown, place = np.unique(numbers, return_inverse=True)
        images = fitted(tasks[number].source.images[shown], size, channels)
        looked = tasks[number].look(images, generator(seed, "view", number, part))
        return looked[place.reshape(numbers.shape)]

    return Stream(
        images=_stacked([images_of(number, rows, 0) for number, rows in enumerate(origin)]),
        labels=labels,
        sizes=sizes,
        test_images=_stacked([images_of(number, rows, 1) for number, rows in enumerate(tested)]),
        test_labels=test_labels,
        classes=np.array([task.classes for task in tasks]),
        n_classes=tasks[0].source.n_classes,
        name=name,
        kind=kind,
        test_clients=_personal(labels, sizes, test_labels, seed),
        origin=origin,
        test_origin=tested,
    )


def _personal(labels: Array, sizes: Array, test_labels: Array, seed: int) -> Array | None:
    """Test sets in each client's mix of labels, as `Stream.test_clients`."""
    n = min(
        int((tested == c).sum())
        for own, tested in zip(labels, test_labels, strict=True)
        for c in np.unique(own)
    )
    if n == 0:
        return None

    def chosen(task: int, client: int) -> Array:
        counts = np.bincount(labels[task, client, : sizes[task, client]])
        return sample_by_class(
            test_labels[task], apportion(counts, n), generator(seed, "personal", task, client)
        )

    n_tasks, n_clients = sizes.shape
    return np.array([[chosen(task, client) for client in range(n_clients)] for task in range(n_tasks)])


def _stacked(images: Sequence[Array]) -> Array:
    shapes = {task.shape[-3:] for task in images}
    if len(shapes) > 1:
        raise UsageError(
            "`size` and `channels` must be given where images differ, got images of (channels, height, width) "
            f"{', '.join(map(str, sorted(shapes)))}."
        )
    return np.stack(images)


def _shifted(parts: Sequence[Array], lengths: Sequence[int]) -> Array:
    """Numbers of several sets as numbers in all of them together."""
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    return np.concatenate([part + start for part, start in zip(parts, starts, strict=True)])
