"""Image data sets and the task streams made from them, as NumPy arrays that the training code moves to its device."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, TypeAlias, get_args

import numpy as np

Array: TypeAlias = np.ndarray
Kind = Literal["domain", "class", "task"]

PURPOSES = {
    "split": 0,
    "limit": 1,
    "view": 2,
    "deal": 3,
    "personal": 4,
    "classes": 5,
    "participants": 6,
    "minibatches": 7,
    "order": 8,
    "between": 9,
}
"""Purposes of random numbers. A new purpose gets an unused number, so that the draws of the others stay the same."""

_LUMA = np.array([0.299, 0.587, 0.114], dtype=np.float32)
"""Weights of red, green and blue in a grey value. Source: ITU-R BT.601."""


def generator(seed: int, purpose: str, *place: int) -> np.random.Generator:
    """Generator for one purpose at one `place` (a task, a client), independent of the others with the same seed."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(PURPOSES[purpose], *place)))


@dataclass(frozen=True)
class Images:
    """Labelled data set; each image is either a training or a test image.

    Attributes
    ----------
    images : (n, channels, height, width) array
        Either uint8, or float32 in [0, 1].
    labels : (n,) array of int64
        In 0..n_classes-1.
    train, test : (..,) arrays of int64
        Numbers of the images that are for training and for testing; the rest is not used.
    """

    images: Array
    labels: Array
    train: Array
    test: Array
    n_classes: int
    name: str

    def __post_init__(self) -> None:
        if self.images.ndim != 4 or self.labels.shape != self.images.shape[:1]:
            raise ValueError(
                f"`images` must have shape (n, channels, height, width) and `labels` (n,), got "
                f"{self.images.shape} and {self.labels.shape}."
            )
        if self.labels.size and not 0 <= self.labels.min() <= self.labels.max() < self.n_classes:
            raise ValueError(
                f"`labels` must be in 0..{self.n_classes - 1}, got {self.labels.min()}..{self.labels.max()}."
            )
        shared = np.intersect1d(self.train, self.test)
        if shared.size:
            raise ValueError(f"`train` and `test` must not share an image, got image {shared[0]} in both.")


@dataclass(frozen=True)
class Stream:
    """Samples of M clients in K tasks, and one test set per task.

    Attributes
    ----------
    images : (K, M, S, channels, height, width) array of float32
        Training images in [0, 1].
    labels : (K, M, S) array of int64
    sizes : (K, M) array of int64, >= 1
        How many of a client's S slots are real, the first ones. The others repeat real samples, so that
        nothing breaks that reads them, and count nowhere.
    test_images : (K, n_test, channels, height, width) array of float32
    test_labels : (K, n_test) array of int64
    classes : (K, C) array of bool
        Which classes a task has.
    n_classes : int
        Number C of classes of the whole stream; labels are global in every kind of stream.
    name : str
    kind : {"domain", "class", "task"}
        "domain": every task has all classes, and its own look. "class": every task has its own classes, and a
        prediction is among all classes. "task": the same, but the task is known when the model is tested, so
        a prediction is among `classes` of that task (one head per task, as rows of one last layer).
    test_clients : (K, M, n) array of int64, or None
        Personal test sets: for each client, numbers in the task's test set, all different, in the client's own
        mix of labels (largest remainders). n is the number of test images of the rarest class that a client
        has, over all tasks, so that every mix is possible. None if one of those classes has no test image.
    origin, test_origin : (K, M, S) and (K, n_test) arrays of int64, or None
        Number of each image in the data set that it comes from.
    """

    images: Array
    labels: Array
    sizes: Array
    test_images: Array
    test_labels: Array
    classes: Array
    n_classes: int
    name: str
    kind: Kind
    test_clients: Array | None = None
    origin: Array | None = None
    test_origin: Array | None = None

    def __post_init__(self) -> None:
        slots, tested = self.labels.shape, self.test_labels.shape
        shapes = {
            "labels": (slots, self.images.shape[:3]),
            "sizes": (self.sizes.shape, slots[:2]),
            "test_labels": (tested, self.test_images.shape[:2]),
            "test_images": (self.test_images.shape[0], slots[0]),
            "image": (self.test_images.shape[2:], self.images.shape[3:]),
            "classes": (self.classes.shape, (slots[0], self.n_classes)),
        }
        for name, (given, needed) in shapes.items():
            if given != needed:
                raise ValueError(f"`{name}` must have shape {needed}, got {given}.")
        if self.sizes.min() < 1 or self.sizes.max() > slots[2]:
            raise ValueError(f"`sizes` must be in 1..{slots[2]}, got {self.sizes.min()}..{self.sizes.max()}.")
        if self.kind not in get_args(Kind):
            raise ValueError(f"`kind` must be one of {get_args(Kind)}, got {self.kind!r}.")

    @property
    def n_tasks(self) -> int:
        """Number K of tasks."""
        return self.labels.shape[0]

    @property
    def n_clients(self) -> int:
        """Number M of clients."""
        return self.labels.shape[1]

    @property
    def image(self) -> tuple[int, ...]:
        """Shape of an image: channels, height, width."""
        return self.images.shape[3:]


def digits(seed: int = 0, share: float = 0.2) -> Images:
    """The 1,797 handwritten digits of 8 x 8 pixels that come with scikit-learn, in float32 from 0 to 1.

    Parameters
    ----------
    seed : int
        Chooses the test images.
    share : float
        Share of the images of every class that are for testing.
    """
    table = _table_of_digits()
    images = (table[:, :-1].reshape(-1, 1, 8, 8) / 16).astype(np.float32)
    return split(images, table[:, -1].astype(np.int64), 10, "digits", seed=seed, share=share)


def _table_of_digits() -> Array:
    """Pixels and label of each digit, (1797, 65), from scikit-learn's file: to import it takes a second and 90 MB."""
    package = find_spec("sklearn")
    assert package is not None
    assert package.submodule_search_locations is not None
    return np.loadtxt(
        Path(package.submodule_search_locations[0], "datasets/data/digits.csv.gz"), delimiter=","
    )


def split(
    images: Array, labels: Array, n_classes: int, name: str, *, seed: int, share: float = 0.2
) -> Images:
    """A data set that comes as one whole, with a `share` of every class set aside for testing."""
    if not 0 < share < 1:
        raise ValueError(f"`share` must be strictly between 0 and 1, got {share}.")
    test = stratified(labels, round(share * len(labels)), generator(seed, "split"))
    train = np.setdiff1d(np.arange(len(labels)), test)
    return Images(images, labels, train, test, n_classes, name)


def training_and_test(
    train: tuple[Array, Array], test: tuple[Array, Array], n_classes: int, name: str
) -> Images:
    """A data set that comes with training and test images, each as (images, labels)."""
    first, total = len(train[1]), len(train[1]) + len(test[1])
    return Images(
        np.concatenate([train[0], test[0]]),
        np.concatenate([train[1], test[1]]).astype(np.int64),
        np.arange(first),
        np.arange(first, total),
        n_classes,
        name,
    )


def apportion(shares: Array, n: int) -> Array:
    """Whole numbers that sum to `n` and are nearest to ``n * shares``, by largest remainders.

    Parameters
    ----------
    shares : (C,) array of numbers >= 0, not all 0
        Need not sum to 1.
    """
    exact = n * shares / shares.sum()
    quota = np.floor(exact).astype(np.int64)
    quota[np.argsort(quota - exact, kind="stable")[: n - quota.sum()]] += 1
    return quota


def stratified(labels: Array, n: int, rng: np.random.Generator) -> Array:
    """Numbers of `n` samples, ascending, of which each class has its share of `labels`, rounded."""
    if not 0 <= n <= len(labels):
        raise ValueError(f"`n` must be in 0..{len(labels)}, the number of samples, got {n}.")
    counts = np.bincount(labels)
    return sample_by_class(labels, apportion(counts, n) if n else np.zeros_like(counts), rng)


def sample_by_class(labels: Array, quota: Array, rng: np.random.Generator) -> Array:
    """Numbers of samples drawn without repetition, ascending: ``quota[c]`` of class c."""
    chosen = [rng.permutation(np.flatnonzero(labels == c))[:wanted] for c, wanted in enumerate(quota)]
    return np.sort(np.concatenate(chosen))


def fitted(images: Array, size: tuple[int, int] | None = None, channels: int | None = None) -> Array:
    """Images as float32 in [0, 1], resized to `size` (height, width) and with 1 or 3 channels.

    A grey image gets three equal channels; a coloured one becomes grey by its luma (ITU-R BT.601). Resizing
    is linear interpolation with the triangle widened to the pixels that it replaces, as in Pillow's BILINEAR.

    Parameters
    ----------
    images : (n, channels, height, width) array of uint8, or float32 in [0, 1]
    """
    floats = images.astype(np.float32) / 255 if images.dtype == np.uint8 else images.astype(np.float32)
    if channels is not None and channels != floats.shape[1]:
        if {channels, floats.shape[1]} != {1, 3}:
            raise ValueError(f"`channels` must be 1 or 3, got {floats.shape[1]} to be made {channels}.")
        grey = floats if channels == 3 else np.einsum("nchw,c->nhw", floats, _LUMA)[:, None]
        floats = np.repeat(grey, channels, axis=1)
    if size is None or tuple(size) == floats.shape[2:]:
        return floats
    rows, columns = (_interpolation(*lengths) for lengths in zip(floats.shape[2:], size, strict=True))
    return rows @ floats @ columns.T


def _interpolation(length: int, wanted: int) -> Array:
    """Matrix (wanted, length) of linear interpolation between pixel centres; its rows sum to 1."""
    scale = length / wanted
    centres = (np.arange(wanted) + 0.5) * scale - 0.5
    distance = np.abs(np.arange(length) - centres[:, None])
    weights = np.maximum(0, 1 - distance / max(scale, 1))
    return (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)
