"""Data sets of users: arrays, a file .npz, or a folder of pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

import numpy as np

from verify.engine.work.errors import UsageError
from verify.networks.data.images import Array, Images, split, training_and_test
from verify.networks.data.loaders import pictures
from verify.networks.data.loaders.files import Missing, damaged
from verify.networks.data.loaders.pictures import Size

LARGEST_SIDE = 64
"""Pixels of the longer side after resizing; smaller pictures are not enlarged."""
LARGEST = 4 << 30
"""Maximum bytes of all arrays of a file."""
NAMES = (
    ("x", "y", "x_test", "y_test"),
    ("x_train", "y_train", "x_test", "y_test"),
    ("images", "labels", "test_images", "test_labels"),
)
"""Accepted names of the arrays of a file: images, labels, test images and test labels; the last two are optional."""
CHANNELS = (1, 3)


def as_images(name: str, entry: Any, seed: int) -> list[Images]:
    """Images of an entry of `DATA`: a path, arrays, `Images`, a list with one of these per domain, or a function returning one.

    Raises
    ------
    UsageError
        If it is none of these, or breaks a rule of `of_arrays`.
    """
    given = entry() if callable(entry) else entry
    if isinstance(given, str | Path):
        return of_path(Path(given), None, seed)
    if isinstance(given, Images):
        return [given]
    if isinstance(given, tuple):
        return [of_arrays(name, given, seed)]
    if isinstance(given, list) and given:
        return [images for domain in given for images in as_images(name, domain, seed)]
    raise UsageError(
        f"`DATA[{name!r}]` must be a path, arrays (x, y) or (x, y, x_test, y_test), Images, or a list of these, "
        f"got {type(given).__name__}."
    )


def of_path(path: Path, size: Size | None, seed: int) -> list[Images]:
    """A file .npz, or a folder of pictures: one `Images` for each domain.

    Raises
    ------
    UsageError
        If it is neither, or damaged.
    """
    if path.is_dir():
        return _of_folder(path, size, seed)
    if path.suffix == ".npz":
        return _of_file(path, seed)
    raise UsageError(f"`--data` must be a folder of pictures or a file .npz, got {path}.")


def of_arrays(name: str, parts: Sequence[Array], seed: int | None) -> Images:
    """Data set of arrays (x, y) or (x, y, x_test, y_test); without test images, a fifth of each class is for testing.

    Parameters
    ----------
    parts : sequence of arrays
        Images (n, height, width), (n, height, width, channels) or (n, channels, height, width) with 1 or 3 channels, of uint8
        or of numbers in [0, 1], and labels (n,).
    seed : int or None
        Chooses the test images, and labels are numbered in their order; None: test images are given, and so are the numbers.
    """
    if len(parts) not in ((2, 4) if seed is not None else (4,)):
        wanted = "x, y" if seed is not None else "x, y, x_test, y_test"
        raise UsageError(f"{name} must have the arrays ({wanted}), got {len(parts)} arrays.")
    x, y = _images(name, parts[0]), _labels(name, parts[1], len(parts[0]))
    pairs = [(x, y)]
    if len(parts) == 4:
        pairs.append((_images(name, parts[2]), _labels(name, parts[3], len(parts[2]))))
        if pairs[1][0].shape[1:] != x.shape[1:]:
            raise UsageError(
                f"test images of {name} must have the shape {x.shape[1:]}, got {pairs[1][0].shape[1:]}."
            )
    if seed is None:
        labels = [part.astype(np.int64) for _, part in pairs]
        if min(part.min() for part in labels) < 0:
            raise UsageError(f"labels of {name} must be at least 0, got {min(p.min() for p in labels)}.")
        n_classes = int(max(part.max() for part in labels)) + 1
    else:
        every, numbers = np.unique(np.concatenate([part for _, part in pairs]), return_inverse=True)
        labels, n_classes = np.split(numbers.astype(np.int64), [len(y)])[: len(pairs)], len(every)
    if len(pairs) == 2:
        return training_and_test((pairs[0][0], labels[0]), (pairs[1][0], labels[1]), n_classes, name)
    assert seed is not None
    return split(x, labels[0], n_classes, name, seed=seed)


def _of_file(path: Path, seed: int) -> list[Images]:
    """All arrays of a file in one data set, or in one for each number of its array ``domain``."""
    arrays = _arrays(path)
    named = next((names for names in NAMES if set(names[:2]) <= arrays.keys()), None)
    if named is None:
        choices = ", or ".join(f"{x} and {y}" for x, y, *_ in NAMES)
        raise damaged(path, f"hold the arrays {choices}", ", ".join(sorted(arrays)) or "none")
    tested = set(named[2:]) <= arrays.keys()
    parts = [arrays[name] for name in (named if tested else named[:2])]
    domain = arrays.get("domain")
    if domain is None:
        return [of_arrays(str(path), parts, seed)]
    if tested or domain.shape != parts[1].shape:
        raise damaged(path, f"have `domain` of shape {parts[1].shape} and no test images", domain.shape)
    if {frozenset(parts[1][domain == number].tolist()) for number in np.unique(domain)} != {
        frozenset(parts[1].tolist())
    }:
        raise damaged(path, "have all classes in every `domain`", "a domain without some")
    return [
        of_arrays(f"{path}, domain {number}", [part[domain == number] for part in parts], seed)
        for number in np.unique(domain)
    ]


def _arrays(path: Path) -> Mapping[str, Array]:
    try:
        with ZipFile(path) as packed:
            total = sum(entry.file_size for entry in packed.infolist())
        if total > LARGEST:
            raise damaged(path, f"hold at most {LARGEST >> 30} GiB", f"{total >> 30} GiB")
        with np.load(path, allow_pickle=False) as file:
            return dict(file)
    except (BadZipFile, EOFError, OSError, ValueError) as error:
        raise damaged(path, "be a file of numpy.savez without objects", error) from error


def _of_folder(path: Path, size: Size | None, seed: int) -> list[Images]:
    """Pictures in PATH/CLASS, PATH/train/CLASS and PATH/test/CLASS, or either of these in PATH/DOMAIN."""
    inside = sorted(child for child in path.iterdir() if child.is_dir())
    names = {child.name for child in inside}
    if not inside:
        raise damaged(path, "hold a folder of pictures for each class", "no folder")
    files = [file for file in sorted(path.rglob("*")) if file.suffix.lower() in pictures.SUFFIXES]
    size = size or _size(files)
    one = {"train", "test"} <= names or any(file.parent.parent == path for file in files)
    folder, domains = (path.parent, (path.name,)) if one else (path, tuple(child.name for child in inside))
    try:
        found = pictures.domains(folder, domains, size, seed)
    except Missing as missing:
        raise damaged(
            path,
            "hold pictures in CLASS/, in train/CLASS/ and test/CLASS/, or in these of every DOMAIN/",
            f"nothing at {missing}: add pictures, or remove the empty folder",
        ) from missing
    return [_grey(images) for images in found]


def _size(files: Sequence[Path]) -> Size:
    """That of the first picture, with at most `LARGEST_SIDE` pixels on the longer side."""
    from PIL import Image, UnidentifiedImageError

    for file in files[:1]:
        try:
            with Image.open(file, formats=pictures.FORMATS) as picture:
                width, height = picture.size
        except (OSError, UnidentifiedImageError, ValueError, Image.DecompressionBombError):
            break  # the reader says what is wrong with it
        scale = min(1.0, LARGEST_SIDE / max(width, height))
        return max(round(height * scale), 1), max(round(width * scale), 1)
    return LARGEST_SIDE, LARGEST_SIDE


def _grey(images: Images) -> Images:
    """The data set with one channel if all three are the same."""
    x = images.images
    if not (x == x[:, :1]).all():
        return images
    return Images(x[:, :1], images.labels, images.train, images.test, images.n_classes, images.name)


def _images(name: str, given: Any) -> Array:
    x = np.asarray(given)
    if x.ndim == 3:
        x = x[:, None]
    elif x.ndim == 4 and x.shape[1] not in CHANNELS and x.shape[3] in CHANNELS:
        x = x.transpose(0, 3, 1, 2)
    if x.ndim != 4 or x.shape[1] not in CHANNELS or not x.size:
        raise UsageError(
            f"images of {name} must have the shape (n, height, width), or with 1 or 3 channels behind n or at the end, "
            f"got {np.shape(given)}."
        )
    if x.dtype == np.uint8:
        return x
    if x.dtype.kind not in "biuf":
        raise UsageError(f"images of {name} must be numbers, got an array of {x.dtype}.")
    missing = np.flatnonzero(~np.isfinite(x).all(axis=(1, 2, 3)))
    if missing.size:
        raise UsageError(
            f"images of {name} must be numbers, got NaN or infinity in {missing.size} of {len(x)} images, first in x[{missing[0]}]: "
            "leave these images out, or fill them."
        )
    low, high = float(x.min()), float(x.max())
    if x.dtype.kind in "iu" and 0 <= low <= high <= 255:
        return x.astype(np.uint8)
    if not 0 <= low <= high <= 1:
        raise UsageError(
            f"images of {name} must be uint8, or numbers in [0, 1], got numbers in [{low:g}, {high:g}]: subtract the "
            "smallest and divide by the largest."
        )
    return x.astype(np.float32)


def _labels(name: str, given: Any, n: int) -> Array:
    y = np.asarray(given)
    if y.ndim == 2 and y.shape[1] == 1:  # as some collections have them
        y = y[:, 0]
    if y.shape != (n,) or y.dtype.kind not in "biuSU":
        raise UsageError(
            f"labels of {name} must be whole numbers or names of shape ({n},), got {y.dtype} of shape {y.shape}."
        )
    return y
