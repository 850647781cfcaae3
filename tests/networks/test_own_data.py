"""The user's own data: arrays, a .npz file, or a folder of pictures, in one option."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from verify.engine.work.errors import UsageError
from verify.networks.data.catalogue import stream
from verify.networks.data.loaders.by_name import load
from verify.networks.data.loaders.own import LARGEST_SIDE, of_arrays, of_path

RNG = np.random.default_rng(0)
X, Y = RNG.random((40, 6, 5)), np.repeat([3, 7, 7, 9], 10)


@pytest.mark.parametrize(
    ("x", "shape"),
    [
        (X, (1, 6, 5)),
        (X[..., None], (1, 6, 5)),
        (X[:, None], (1, 6, 5)),
        (np.repeat(X[..., None], 3, -1), (3, 6, 5)),
        ((255 * X).astype(np.uint8), (1, 6, 5)),
        ((255 * X).astype(np.int64), (1, 6, 5)),
        (X > 0.5, (1, 6, 5)),
    ],
)
def test_arrays_of_any_layout(x: np.ndarray, shape: tuple[int, ...]) -> None:
    found = of_arrays("mine", (x, Y), 0)
    assert found.images.shape[1:] == shape
    assert found.labels.tolist() == np.repeat([0, 1, 1, 2], 10).tolist()
    assert len(found.test) == 8


@pytest.mark.parametrize("names", [("x", "y"), ("images", "labels"), ("x_train", "y_train")])
def test_a_file_of_arrays(names: tuple[str, str], tmp_path) -> None:
    file = tmp_path / "mine.npz"
    np.savez(file, **dict(zip(names, (X, Y.astype(str)), strict=True)))
    (found,) = load(str(file))
    assert found.n_classes == 3
    made = stream(str(file), kind="class", n_tasks=3, n_clients=2)
    assert made.classes.tolist() == np.eye(3, dtype=bool).tolist()


def test_images_for_testing_and_domains(tmp_path) -> None:
    np.savez(tmp_path / "split.npz", x=X, y=Y, x_test=X[:4], y_test=Y[:4])
    (found,) = of_path(tmp_path / "split.npz", None, 0)
    assert (len(found.train), len(found.test)) == (40, 4)
    np.savez(tmp_path / "domains.npz", x=np.tile(X, (2, 1, 1)), y=np.tile(Y, 2), domain=np.repeat([0, 1], 40))
    assert stream(str(tmp_path / "domains.npz"), n_clients=2).n_tasks == 2


def pictures(folder: Path, *places: str, size: tuple[int, int] = (7, 5), mode: str = "L") -> None:
    for place in places:
        (folder / place).mkdir(parents=True)
        for number in range(6):
            pixels = RNG.integers(256, size=(size[1], size[0], 3), dtype=np.uint8)
            Image.fromarray(pixels).convert(mode).save(folder / place / f"{number}.png")


@pytest.mark.parametrize(
    ("places", "domains"),
    [
        (("cat", "dog"), 1),
        (("train/cat", "train/dog", "test/cat", "test/dog"), 1),
        (("photo/cat", "photo/dog", "sketch/cat", "sketch/dog"), 2),
        (("photo/train/cat", "photo/test/cat", "sketch/train/cat", "sketch/test/cat"), 2),
    ],
)
def test_a_folder_of_pictures(places: tuple[str, ...], domains: int, tmp_path) -> None:
    pictures(tmp_path / "photos", *places)
    found = of_path(tmp_path / "photos", None, 0)
    assert len(found) == domains
    assert found[0].images.shape[1:] == (1, 5, 7)
    assert found[0].n_classes == len({Path(place).name for place in places})


def test_large_pictures_are_made_small_and_colours_stay(tmp_path) -> None:
    pictures(tmp_path / "photos", "a", "b", size=(200, 100), mode="RGB")
    (found,) = of_path(tmp_path / "photos", None, 0)
    assert found.images.shape[1:] == (3, LARGEST_SIDE // 2, LARGEST_SIDE)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"a": X}, "hold the arrays x and y, or x_train and y_train, or images and labels, got a"),
        (
            {"x": np.where(np.arange(len(X))[:, None, None] == 2, np.nan, X), "y": Y},
            r"NaN or infinity in 1 of \d+ images, first in x\[2\]",
        ),
        ({"x": 2 * X, "y": Y}, r"must be uint8, or numbers in \[0, 1\], got numbers in"),
        ({"x": X, "y": Y[:3]}, r"must be whole numbers or names of shape \(40,\)"),
        ({"x": X, "y": Y + 0.5}, "must be whole numbers or names"),
        ({"x": X[0], "y": Y}, r"must have the shape \(n, height, width\)"),
        ({"x": X, "y": Y, "domain": Y}, "all classes in every `domain`"),
        ({"x": X, "y": Y, "x_test": X[:, :3], "y_test": Y}, "test images of"),
        ({"x": np.array([None] * 4), "y": Y[:4]}, "without objects"),
    ],
)
def test_a_wrong_file_is_told_in_a_sentence(arrays: dict[str, np.ndarray], message: str, tmp_path) -> None:
    np.savez(tmp_path / "mine.npz", **arrays)
    with pytest.raises(UsageError, match=message):
        of_path(tmp_path / "mine.npz", None, 0)


def test_what_is_neither(tmp_path) -> None:
    (tmp_path / "mine.npz").write_bytes(b"no archive")
    (tmp_path / "mine.txt").write_text("text")
    (tmp_path / "empty").mkdir()
    for name, message in (
        ("mine.npz", "must be a file of numpy.savez"),
        ("mine.txt", "must be a folder of pictures or a file .npz"),
        ("empty", "hold a folder of pictures for each class"),
    ):
        with pytest.raises(UsageError, match=message):
            of_path(tmp_path / name, None, 0)
    with pytest.raises(UsageError, match="or the path of a folder"):
        stream(str(tmp_path / "nothing"))
