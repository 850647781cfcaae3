"""Data sets stored as folders of picture files, read with Pillow and resized to one size."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from verify.networks.data.images import Array, Images, split, training_and_test
from verify.networks.data.loaders.files import Missing, damaged, existing, inside, lines

Size = tuple[int, int]
"""Height and width."""

NUMBER = re.compile("[0-9]{1,9}")
MOST_PIXELS = 50_000_000
"""Maximum size of a picture; without a limit, a small compressed file could fill the memory."""
FORMATS = ("BMP", "GIF", "JPEG", "PNG", "PPM", "WEBP")
"""Formats that Pillow may open, whatever the suffix of the file. PostScript is left out: it is code, run by another program."""
SUFFIXES = {".bmp", ".gif", ".jpeg", ".jpg", ".png", ".ppm", ".webp"}
"""Suffixes of picture files; other files in the same folder are ignored."""


def tiny_imagenet(folder: Path, size: Size) -> Images:
    """Tiny-ImageNet: training pictures in one folder per class; the validation pictures, listed in a file, are for testing."""
    classes = [name for line in lines(folder / "wnids.txt") for name in line.split()]
    train = [pictures_in(folder / "train" / name / "images") for name in classes]
    listing = folder / "val" / "val_annotations.txt"
    rows = [line.split("\t") for line in lines(listing)]
    for row in rows:
        if len(row) < 2 or row[1] not in classes:
            raise damaged(listing, "name a file and a class of wnids.txt in every line", repr("\t".join(row)))
    test_files = [inside(listing, folder / "val" / "images", row[0]) for row in rows]
    test = read_all(test_files, size), np.array([classes.index(row[1]) for row in rows])
    return training_and_test(_by_class(train, size), test, len(classes), "tiny-imagenet")


def classes_only(folder: Path, size: Size, seed: int, name: str, share: float) -> Images:
    """One folder of pictures per class, with a `share` of each class for testing."""
    classes = [pictures_in(path) for path in _folders(folder)]
    return split(*_by_class(classes, size), len(classes), name, seed=seed, share=share)


def domains(folder: Path, names: Sequence[str], size: Size, seed: int, share: float = 0.2) -> list[Images]:
    """A folder per domain with a folder of pictures per class, directly or below `train` and `test`.

    Every domain must have the same classes. Without folders `train` and `test`, a `share` of each class is for testing.
    """
    parts = {name: _train_and_test(existing(folder / name)) for name in names}
    classes = [path.name for path in _folders(parts[names[0]][0])]
    for path in (path for pair in parts.values() for path in pair):
        found = [inner.name for inner in _folders(path)]
        if found != classes:
            odd = sorted(set(found) ^ set(classes))
            raise damaged(path, f"have the same classes as {names[0]}", f"a difference in {', '.join(odd)}")
    made = []
    for name, pair in parts.items():
        sets = [_by_class([pictures_in(path / c) for c in classes], size) for path in dict.fromkeys(pair)]
        if len(sets) == 2:
            made.append(training_and_test(sets[0], sets[1], len(classes), name))
        else:
            made.append(split(*sets[0], len(classes), name, seed=seed, share=share))
    return made


def listed_domains(folder: Path, names: Sequence[str], size: Size) -> list[Images]:
    """Domains whose pictures are listed in DOMAIN_train.txt and DOMAIN_test.txt: a path and a number per line.

    Class numbers may have gaps, as in a selection of classes; the result has consecutive numbers.
    """
    lists = {name: [_listing(folder / f"{name}_{part}.txt") for part in ("train", "test")] for name in names}
    numbers = np.unique(np.concatenate([labels for pair in lists.values() for _, labels in pair]))
    made = []
    for name, pair in lists.items():
        train, test = ((read_all(paths, size), np.searchsorted(numbers, labels)) for paths, labels in pair)
        made.append(training_and_test(train, test, len(numbers), name))
    return made


def read_all(paths: Sequence[Path], size: Size) -> Array:
    """Pictures as (n, 3, height, width) array of uint8, resized to `size`."""
    images = np.empty((len(paths), 3, *size), dtype=np.uint8)
    for place, path in enumerate(paths):
        images[place] = _pixels(path, size)
    return images


def pictures_in(folder: Path) -> list[Path]:
    """The picture files of a folder, in natural order; at least one."""
    found = [
        path
        for path in _natural(existing(folder).iterdir())
        if path.suffix.lower() in SUFFIXES and path.is_file()
    ]
    if not found:
        raise Missing(str(folder / "*.jpg"))
    return found


def _pixels(path: Path, size: Size) -> Array:
    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # our own limit is lower
            opened = Image.open(path, formats=FORMATS)
        with opened as picture:
            if picture.width * picture.height > MOST_PIXELS:
                raise ValueError(f"it has {picture.width} x {picture.height} pixels")
            resized = picture.convert("RGB").resize(size[::-1], Image.Resampling.BILINEAR)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise damaged(path, "be a picture that Pillow can read", error) from error
    return np.asarray(resized).transpose(2, 0, 1)


def _by_class(classes: Sequence[Sequence[Path]], size: Size) -> tuple[Array, Array]:
    files = [path for paths in classes for path in paths]
    return read_all(files, size), np.repeat(np.arange(len(classes)), [len(paths) for paths in classes])


def _train_and_test(domain: Path) -> tuple[Path, Path]:
    """Where a domain's pictures for training and for testing are; twice the same if they are mixed."""
    pair = domain / "train", domain / "test"
    return pair if all(path.is_dir() for path in pair) else (domain, domain)


def _listing(path: Path) -> tuple[list[Path], Array]:
    rows = [line.rsplit(maxsplit=1) for line in lines(path) if line.strip()]
    for row in rows:
        if len(row) != 2 or not NUMBER.fullmatch(row[1]):
            raise damaged(
                path, "name a picture and the number of its class in every line", repr(" ".join(row))
            )
    if not rows:
        raise damaged(path, "name at least one picture", "none")
    return [inside(path, path.parent, row[0]) for row in rows], np.array([int(row[1]) for row in rows])


def _folders(folder: Path) -> list[Path]:
    found = _natural(path for path in existing(folder).iterdir() if path.is_dir())
    if not found:
        raise Missing(str(folder / "CLASS"))
    return found


def _natural(paths: Iterable[Path]) -> list[Path]:
    """Sorted with numbers as numbers: o2 before o10."""
    return sorted(
        paths, key=lambda path: [int(x) if x.isdecimal() else x for x in re.split(r"(\d+)", path.name)]
    )
