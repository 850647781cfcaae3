"""Data sets stored as arrays of images of one size: idx, LIBSVM text, MATLAB, and the binary format of CIFAR."""

from __future__ import annotations

import bz2
from dataclasses import replace
from io import BytesIO
from math import prod
from pathlib import Path

import numpy as np

from verify.engine.work.errors import UsageError
from verify.networks.data.images import Array, Images, training_and_test
from verify.networks.data.loaders.files import LARGEST, contents, damaged, existing, unpacked

USPS_TEXT = 64 << 20
"""Maximum bytes of USPS as text: 7,291 images of 256 values with a dozen characters each take 21 MiB."""
Labelled = tuple[Array, Array]
"""Images (n, channels, height, width) and their labels (n,)."""


def idx_names(prefix: str = "") -> tuple[str, str, str, str]:
    """File names of training images, training labels, test images and test labels."""
    train, test = f"{prefix}train", f"{prefix}{'test' if prefix else 't10k'}"
    return (
        f"{train}-images-idx3-ubyte",
        f"{train}-labels-idx1-ubyte",
        f"{test}-images-idx3-ubyte",
        f"{test}-labels-idx1-ubyte",
    )


def mnist(folder: Path, name: str) -> Images:
    """MNIST, or another data set in files of the same names and format."""
    return _idx_pairs(folder, idx_names(), 10, 0, name)


def emnist(folder: Path, name: str, n_classes: int, first_label: int = 0) -> Images:
    """One split of EMNIST; images are transposed, since the files store them column by column."""
    lying = _idx_pairs(folder, idx_names(f"{name}-"), n_classes, first_label, name)
    return replace(lying, images=np.ascontiguousarray(np.swapaxes(lying.images, -1, -2)))


def _idx_pairs(
    folder: Path, names: tuple[str, str, str, str], n_classes: int, first_label: int, name: str
) -> Images:
    parts = []
    for images_name, labels_name in (names[:2], names[2:]):
        images, labels = idx(folder / images_name, 3), idx(folder / labels_name, 1)
        if len(images) != len(labels):
            raise damaged(folder / labels_name, f"hold a label for each of {len(images)} images", len(labels))
        numbers = labels.astype(np.int64) - first_label
        _require_labels(folder / labels_name, numbers, n_classes, first_label)
        parts.append((images[:, None], numbers))
    train, test = parts
    if test[0].shape[1:] != train[0].shape[1:]:
        raise damaged(folder / names[2], f"hold images of {train[0].shape[2:]} pixels", test[0].shape[2:])
    return training_and_test(train, test, n_classes, name)


def idx(path: Path, n_axes: int) -> Array:
    """The uint8 array of an idx file, whose bytes are 0, 0, the type 8, the number of axes, the lengths, and the values."""
    raw = contents(path)
    if raw[:4] != bytes([0, 0, 8, n_axes]):
        raise damaged(path, f"start with the bytes 0 0 8 {n_axes} of an idx file", list(raw[:4]))
    header = 4 + 4 * n_axes
    if len(raw) < header:
        raise damaged(path, f"have a header of {header} bytes", len(raw))
    shape = np.frombuffer(raw, ">u4", n_axes, offset=4).astype(np.int64)
    expected = header + int(np.prod(shape, dtype=object))
    if len(raw) != expected:
        raise damaged(path, f"have {expected} bytes for an array of shape {tuple(shape.tolist())}", len(raw))
    return np.frombuffer(raw, np.uint8, offset=header).reshape(shape)


def usps(folder: Path) -> Images:
    """USPS as LIBSVM text: label 1 to 10 for the digits 0 to 9, and 256 grey values from -1 to 1."""
    return training_and_test(_libsvm(folder / "usps.bz2"), _libsvm(folder / "usps.t.bz2"), 10, "usps")


def _libsvm(path: Path) -> Labelled:
    from sklearn.datasets import load_svmlight_file

    existing(path)
    try:
        with bz2.open(path) as file:
            text = unpacked(path, file, USPS_TEXT)
        values, labels = load_svmlight_file(BytesIO(text), n_features=256)
    except UsageError:
        raise
    except (OSError, EOFError, ValueError) as error:
        raise damaged(path, "be LIBSVM text of 256 features, packed by bzip2", error) from error
    dense = values.toarray()
    if not len(labels) or not np.isfinite(dense).all() or abs(dense).max() > 1:
        raise damaged(path, "hold grey values from -1 to 1", abs(dense).max(initial=0))
    _require_labels(path, labels - 1, 10, 1)
    return ((dense + 1) / 2).astype(np.float32).reshape(-1, 1, 16, 16), labels.astype(np.int64) - 1


def svhn(folder: Path) -> Images:
    """SVHN's cropped digits in MATLAB files, in which the digit 0 has the label 10."""
    parts = [_matlab(folder / f"{part}_32x32.mat") for part in ("train", "test")]
    return training_and_test(parts[0], parts[1], 10, "svhn")


def _matlab(path: Path) -> Labelled:
    from scipy.io import loadmat, whosmat

    existing(path)
    try:
        for name, shape, _ in whosmat(path):
            if prod(shape) > LARGEST:
                raise damaged(path, f"hold at most {LARGEST >> 20} MiB", f"`{name}` of shape {shape}")
        held = loadmat(path, variable_names=("X", "y"))
        images, labels = held["X"], held["y"].reshape(-1)
    except UsageError:
        raise
    except Exception as error:  # the reader lets errors of every kind through where a file is damaged
        raise damaged(path, "be a MATLAB file (version 5) with X and y", repr(error)) from error
    if images.dtype != np.uint8 or images.shape != (32, 32, 3, len(labels)):
        raise damaged(
            path, f"hold X of uint8 and shape (32, 32, 3, {len(labels)})", f"{images.dtype} {images.shape}"
        )
    _require_labels(path, labels.astype(np.int64) - 1, 10, 1)
    return np.ascontiguousarray(images.transpose(3, 2, 0, 1)), labels.astype(np.int64) % 10


def cifar_10(folder: Path) -> Images:
    """CIFAR-10, binary version: a byte for the label, then red, green and blue of 32 x 32 pixels."""
    batches = [_records(folder / f"data_batch_{number}.bin", 1, 10) for number in range(1, 6)]
    images, labels = (np.concatenate(parts) for parts in zip(*batches, strict=True))
    return training_and_test((images, labels), _records(folder / "test_batch.bin", 1, 10), 10, "cifar-10")


def cifar_100(folder: Path) -> Images:
    """CIFAR-100, binary version, with its 100 fine labels: the second byte of each record."""
    train, test = (_records(folder / f"{part}.bin", 2, 100) for part in ("train", "test"))
    return training_and_test(train, test, 100, "cifar-100")


def _records(path: Path, label_bytes: int, n_classes: int) -> Labelled:
    raw = np.frombuffer(contents(path), np.uint8)
    length = label_bytes + 3 * 32 * 32
    if not len(raw) or len(raw) % length:
        raise damaged(path, f"hold whole records of {length} bytes", f"{len(raw)} bytes")
    records = raw.reshape(-1, length)
    labels = records[:, label_bytes - 1].astype(np.int64)
    _require_labels(path, labels, n_classes, 0)
    return records[:, label_bytes:].reshape(-1, 3, 32, 32), labels


def _require_labels(path: Path, labels: Array, n_classes: int, first: int) -> None:
    bad = (labels < 0) | (labels >= n_classes) | (labels % 1 != 0)
    if bad.any():
        raise damaged(
            path,
            f"hold labels in {first}..{first + n_classes - 1}",
            f"{labels[bad][0] + first} in place {int(bad.argmax())}",
        )
