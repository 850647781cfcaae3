"""Public data sets from a folder on this computer, by name. Nothing is downloaded, and no pickle is opened."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verify.engine.work.errors import UsageError
from verify.networks.data.images import Images, digits
from verify.networks.data.loaders import arrays as arrays
from verify.networks.data.loaders import own as own
from verify.networks.data.loaders import pictures as pictures
from verify.networks.data.loaders.files import Missing
from verify.networks.data.loaders.pictures import Size


@dataclass(frozen=True)
class Loader:
    """Description of how one public data set is read.

    Attributes
    ----------
    needs : str
        What the folder must hold; empty if there is none.
    read : (folder, size, seed) -> list of Images
        One for each domain; most data sets have one. Pictures are brought to `size` as they are read, arrays
        keep their own. `seed` chooses the test images where the data set does not.
    size : (height, width)
        Of pictures, where no other is asked for.
    """

    needs: str
    read: Callable[[Path, Size, int], list[Images]]
    size: Size = (64, 64)


def load(
    name: str, folder: Path | str | None = None, *, size: Size | None = None, seed: int = 0
) -> list[Images]:
    """Load a data set by its name in `LOADERS`: one `Images` for each of its domains; "digits" needs no folder.

    Parameters
    ----------
    name : str
        Or the path of a file .npz, or of a folder of pictures, see `verify.networks.data.loaders.own`.
    folder : path
        Where the files of the data set are.
    size : (height, width), optional
        Of pictures, in data sets that are picture files.
    seed : int
        Chooses the test images where the data set does not.

    Raises
    ------
    UsageError
        One sentence: what to put where, or which file breaks which rule by which value.
    """
    if name == "digits":
        return [digits(seed)]
    loader = LOADERS.get(name)
    if loader is None and Path(name).exists():
        return own.of_path(Path(name), size, seed)
    if loader is None:
        raise UsageError(
            f"`name` must be one of digits, {', '.join(LOADERS)}, or a path that exists, got {name!r}."
        )
    if not loader.needs:
        return loader.read(Path(), size or loader.size, seed)
    if folder is None:
        raise UsageError(f"`folder` must be given for {name}, and hold {loader.needs}.")
    try:
        return loader.read(Path(folder), size or loader.size, seed)
    except Missing as missing:
        raise UsageError(
            f"`folder` must hold {loader.needs} for {name}, but {missing} does not exist."
        ) from missing


def _mnist(name: str) -> Loader:
    return Loader(_with_gz(arrays.idx_names()), lambda folder, size, seed: [arrays.mnist(folder, name)])


def _emnist(name: str, n_classes: int, first_label: int = 0) -> Loader:
    return Loader(
        _with_gz(arrays.idx_names(f"{name}-")),
        lambda folder, size, seed: [arrays.emnist(folder, name, n_classes, first_label)],
    )


def _with_gz(names: tuple[str, ...]) -> str:
    return f"{', '.join(names)} (each may end in .gz)"


def _array(needs: str, read: Callable[[Path], Images]) -> Loader:
    return Loader(needs, lambda folder, size, seed: [read(folder)])


def _domains(*names: str) -> Loader:
    needs = f"the folders {', '.join(names)}, each with a folder of pictures per class, or with train and test of such"
    return Loader(needs, lambda folder, size, seed: pictures.domains(folder, names, size, seed))


def _dn4il(folder: Path, size: Size, seed: int) -> list[Images]:
    names = ("sketch", "infograph", "painting", "quickdraw", "real", "clipart")
    if (folder / f"{names[0]}_train.txt").exists():
        return pictures.listed_domains(folder, names, size)
    return pictures.domains(folder, names, size, seed)


LOADERS: dict[str, Loader] = {
    "mnist": _mnist("mnist"),
    "fashion-mnist": _mnist("fashion-mnist"),
    "emnist-digits": _emnist("emnist-digits", 10),
    "emnist-letters": _emnist("emnist-letters", 26, first_label=1),
    "emnist-balanced": _emnist("emnist-balanced", 47),
    "emnist-byclass": _emnist("emnist-byclass", 62),
    "usps": _array("usps.bz2 and usps.t.bz2 of the LIBSVM collection", arrays.usps),
    "svhn": _array("train_32x32.mat and test_32x32.mat", arrays.svhn),
    "cifar-10": _array(
        "data_batch_1.bin to data_batch_5.bin and test_batch.bin (binary version)", arrays.cifar_10
    ),
    "cifar-100": _array("train.bin and test.bin (binary version)", arrays.cifar_100),
    "tiny-imagenet": Loader(
        "wnids.txt, train/CLASS/images, val/images and val/val_annotations.txt",
        lambda folder, size, seed: [pictures.tiny_imagenet(folder, size)],
    ),
    "mini-imagenet": Loader(
        "a folder of pictures for each class",
        # 50,000 pictures for training and 10,000 for testing, as in FedMeS, Section 5.1.
        lambda folder, size, seed: [pictures.classes_only(folder, size, seed, "mini-imagenet", share=1 / 6)],
        size=(84, 84),
    ),
    "vlcs": _domains("Caltech101", "LabelMe", "SUN09", "VOC2007"),
    "pacs": _domains("sketch", "cartoon", "photo", "art_painting"),
    "dn4il": Loader(
        "sketch_train.txt, sketch_test.txt, ... with the pictures that they list, or a folder for each of sketch, "
        "infograph, painting, quickdraw, real, clipart with a folder of pictures per class",
        _dn4il,
    ),
    "core50": _domains(*(f"s{session}" for session in range(1, 12))),
}
"""Data sets by name. Domains are in the order of the tables of SPECIAL; CORe50's are its eleven sessions."""
BUILT_IN = dict(LOADERS)
"""Loaders that come with the toolkit, without those that users add."""


def as_loader(name: str, entry: Any) -> Loader:
    """The `Loader` of an entry of `DATA`; an entry that is a `Loader` is returned unchanged.

    Other entries are a path, arrays (x, y) or (x, y, x_test, y_test), `Images`, a list of these for several domains, or a
    function without arguments that returns one of these.
    """
    if isinstance(entry, Loader):
        return entry
    return Loader("", lambda folder, size, seed: own.as_images(name, entry, seed))
