"""Public data sets from a folder on this computer, by name. Nothing is downloaded, and no pickle is opened."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from verify.engine.errors import UsageError
from verify.networks import loaders_arrays as arrays
from verify.networks import loaders_pictures as pictures
from verify.networks.data import Images, digits

Size = tuple[int, int]


@dataclass(frozen=True)
class Loader:
    """How one public data set is read.

    Attributes
    ----------
    needs : str
        What the folder must hold, in words.
    read : (folder, size, seed) -> list of Images
        One per domain; most data sets have one. Photographs of different sizes are brought to `size` (height,
        width) as they are read; arrays keep their own. `seed` chooses the test images where the data set
        comes without.
    """

    needs: str
    read: Callable[[Path, Size, int], list[Images]]


def _idx(prefix: str, n_classes: int, *, first_label: int = 0, axes: str = "rows first") -> Loader:
    files = arrays.idx_files(prefix)
    return Loader(
        f"{', '.join(files)} (also with .gz)",
        lambda folder, size, seed: [arrays.idx(folder, files, n_classes, first_label, axes)],
    )


def _domains(*names: str) -> Loader:
    return Loader(
        f"the folders {', '.join(names)}, each with one folder of images per class, directly or below `train` "
        "and `test`",
        lambda folder, size, seed: pictures.domains(folder, names, size, seed),
    )


LOADERS: dict[str, Loader] = {
    "mnist": _idx("", 10),
    "fashion-mnist": _idx("", 10),
    # The files of EMNIST hold their images column by column; read as rows, they would lie on their side.
    "emnist-digits": _idx("emnist-digits-", 10, axes="columns first"),
    "emnist-letters": _idx("emnist-letters-", 26, first_label=1, axes="columns first"),
    "emnist-balanced": _idx("emnist-balanced-", 47, axes="columns first"),
    "emnist-byclass": _idx("emnist-byclass-", 62, axes="columns first"),
    "usps": Loader("usps.bz2 and usps.t.bz2 of the LIBSVM collection", lambda folder, size, seed: [arrays.usps(folder)]),
    "svhn": Loader("train_32x32.mat and test_32x32.mat", lambda folder, size, seed: [arrays.svhn(folder)]),
    "cifar-10": Loader(
        "data_batch_1.bin to data_batch_5.bin and test_batch.bin of the binary version",
        lambda folder, size, seed: [arrays.cifar_10(folder)],
    ),
    "cifar-100": Loader(
        "train.bin and test.bin of the binary version", lambda folder, size, seed: [arrays.cifar_100(folder)]
    ),
    "tiny-imagenet": Loader(
        "wnids.txt, train/CLASS/images and val/val_annotations.txt with val/images",
        lambda folder, size, seed: [pictures.tiny_imagenet(folder, size)],
    ),
}
