"""Loaders, tested on small files in the formats of the public data sets."""

import bz2
import gzip
import struct
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from scipy.io import savemat

from verify.engine.work.errors import UsageError
from verify.networks.data.catalogue import RECIPES, stream
from verify.networks.data.loaders.by_name import LOADERS, load

ROOMS = Path(__file__).resolve().parents[2] / "verify" / "networks"


def rng(seed=0):
    return np.random.default_rng(seed)


def grey(n, size=(28, 28), seed=0):
    return rng(seed).integers(256, size=(n, *size)).astype(np.uint8)


def write_idx(path, values):
    header = struct.pack(f">BBBB{values.ndim}I", 0, 0, 8, values.ndim, *values.shape)
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "wb") as file:
        file.write(header + values.tobytes())


def write_mnist(folder, images, labels, prefix="", suffix="", first_label=0):
    """`images` and `labels` for training and, shorter by one, for testing."""
    test = "test" if prefix else "t10k"
    for part, stop in (("train", None), (test, -1)):
        write_idx(folder / f"{prefix}{part}-images-idx3-ubyte{suffix}", images[:stop])
        write_idx(folder / f"{prefix}{part}-labels-idx1-ubyte{suffix}", labels[:stop] + np.uint8(first_label))


def write_libsvm(path, images, labels):
    """Grey values in [-1, 1], zeros left out as the format allows."""
    lines = [
        " ".join([str(label + 1), *(f"{place + 1}:{value:.6g}" for place, value in enumerate(row) if value)])
        for row, label in zip(images.reshape(len(images), -1), labels, strict=True)
    ]
    path.write_bytes(bz2.compress("\n".join(lines).encode()))


def write_pictures(folder, images, name="picture", suffix=".png"):
    folder.mkdir(parents=True)
    for number, image in enumerate(images):
        Image.fromarray(image).save(folder / f"{name}{number}{suffix}")


def test_mnist(tmp_path):
    images, labels = grey(6), np.array([3, 1, 4, 1, 5, 9], np.uint8)
    write_mnist(tmp_path, images, labels)
    for name in ("mnist", "fashion-mnist"):
        (found,) = load(name, tmp_path)
        assert found.name == name
        assert np.array_equal(found.images[found.train][:, 0], images)
        assert np.array_equal(found.images[found.test][:, 0], images[:-1])
        assert found.labels[found.train].tolist() == labels.tolist()
        assert found.n_classes == 10


def test_gzipped_files_are_read_as_they_are(tmp_path):
    images, labels = grey(4), np.arange(4, dtype=np.uint8)
    write_mnist(tmp_path, images, labels, suffix=".gz")
    (found,) = load("mnist", tmp_path)
    assert np.array_equal(found.images[:4, 0], images)


def test_emnist_is_set_upright_and_its_letters_count_from_one(tmp_path):
    images, labels = grey(5), np.array([0, 25, 3, 7, 2], np.uint8)
    write_mnist(tmp_path, images, labels, "emnist-letters-", ".gz", first_label=1)
    (found,) = load("emnist-letters", tmp_path)
    assert np.array_equal(found.images[:5, 0], images.transpose(0, 2, 1))
    assert found.labels[:5].tolist() == labels.tolist()
    assert found.n_classes == 26


def test_usps(tmp_path):
    images, labels = rng().uniform(-1, 1, size=(5, 256)).round(4), np.array([0, 9, 3, 3, 1])
    images[:, 7] = 0
    write_libsvm(tmp_path / "usps.bz2", images, labels)
    write_libsvm(tmp_path / "usps.t.bz2", images[:2], labels[:2])
    (found,) = load("usps", tmp_path)
    assert found.images.dtype == np.float32
    assert found.images[:5].reshape(5, 256) == pytest.approx((images + 1) / 2, abs=1e-6)
    assert found.images.shape == (7, 1, 16, 16)
    assert found.labels[found.train].tolist() == labels.tolist()


def test_svhn(tmp_path):
    images, labels = rng().integers(256, size=(4, 32, 32, 3)).astype(np.uint8), np.array([10, 1, 9, 5])
    for part, n in (("train", 4), ("test", 2)):
        held = {"X": images[:n].transpose(1, 2, 3, 0), "y": labels[:n, None].astype(np.uint8)}
        savemat(tmp_path / f"{part}_32x32.mat", held)
    (found,) = load("svhn", tmp_path)
    assert np.array_equal(found.images[:4], images.transpose(0, 3, 1, 2))
    assert found.labels.tolist() == [0, 1, 9, 5, 0, 1]


def test_cifar_10(tmp_path):
    pixels, labels = rng().integers(256, size=(6, 3, 32, 32)).astype(np.uint8), [7, 0, 9, 2, 2, 5]
    for number, name in enumerate([*(f"data_batch_{i}" for i in range(1, 6)), "test_batch"]):
        (tmp_path / f"{name}.bin").write_bytes(bytes([labels[number]]) + pixels[number].tobytes())
    (found,) = load("cifar-10", tmp_path)
    assert np.array_equal(found.images, pixels)
    assert found.labels.tolist() == labels
    assert (found.train.tolist(), found.test.tolist()) == ([0, 1, 2, 3, 4], [5])


def test_cifar_100_has_its_fine_labels(tmp_path):
    pixels = rng().integers(256, size=(3, 3, 32, 32)).astype(np.uint8)
    records = [
        bytes([coarse, fine]) + p.tobytes()
        for coarse, fine, p in zip([4, 1, 19], [99, 0, 42], pixels, strict=True)
    ]
    (tmp_path / "train.bin").write_bytes(b"".join(records[:2]))
    (tmp_path / "test.bin").write_bytes(records[2])
    (found,) = load("cifar-100", tmp_path)
    assert found.labels.tolist() == [99, 0, 42]
    assert np.array_equal(found.images, pixels)


def test_tiny_imagenet(tmp_path):
    images = rng().integers(256, size=(5, 64, 64, 3)).astype(np.uint8)
    (tmp_path / "wnids.txt").write_text("n02\nn01\n")
    write_pictures(tmp_path / "train" / "n01" / "images", images[:1])
    write_pictures(tmp_path / "train" / "n02" / "images", images[1:3])
    write_pictures(tmp_path / "val" / "images", images[3:], name="val_")
    (tmp_path / "val" / "val_annotations.txt").write_text(
        "val_1.png\tn01\t0\t0\t9\t9\nval_0.png\tn02\t0\t0\t9\t9\n"
    )
    (found,) = load("tiny-imagenet", tmp_path)
    assert np.array_equal(found.images, images[[1, 2, 0, 4, 3]].transpose(0, 3, 1, 2))
    assert found.labels.tolist() == [0, 0, 1, 1, 0]
    assert found.test.tolist() == [3, 4]


def test_mini_imagenet_has_one_in_six_for_testing(tmp_path):
    for c in range(3):
        write_pictures(tmp_path / f"n{c}", grey(6, (9, 7), seed=c))
    (found,) = load("mini-imagenet", tmp_path, size=(5, 4))
    assert found.images.shape == (18, 3, 5, 4)
    assert np.bincount(found.labels[found.test]).tolist() == [1, 1, 1]
    assert load("mini-imagenet", tmp_path)[0].images.shape[2:] == (84, 84)


PACS = ("sketch", "cartoon", "photo", "art_painting")


def write_domains(root, names, classes=("dog", "elephant"), n=5):
    for number, name in enumerate(names):
        for c, label in enumerate(classes):
            write_pictures(
                root / name / label, np.full((n, 6, 6), 20 * number + 5 * c, np.uint8), suffix=".bmp"
            )


def test_domains_with_mixed_pictures_are_split_by_the_seed(tmp_path):
    write_domains(tmp_path, PACS)
    (tmp_path / "photo" / "dog" / "notes.txt").write_text("not a picture")
    found = load("pacs", tmp_path, size=(6, 6), seed=1)
    assert [images.name for images in found] == list(PACS)
    for number, images in enumerate(found):
        assert images.images[:, 0, 0, 0].tolist() == [20 * number] * 5 + [20 * number + 5] * 5
        assert np.bincount(images.labels[images.test]).tolist() == [1, 1]
    again = load("pacs", tmp_path, size=(6, 6), seed=1)
    assert np.array_equal(found[0].test, again[0].test)


def test_domains_that_separate_training_and_testing_stay_so(tmp_path):
    for name in ("Caltech101", "LabelMe", "SUN09", "VOC2007"):
        write_domains(tmp_path / name, ("train", "test"), n=2)
        write_pictures(tmp_path / name / "full" / "dog", grey(1))
    found = load("vlcs", tmp_path, size=(3, 3))
    assert all(np.array_equal(images.images[images.test][:, 0, 0, 0], [20, 20, 25, 25]) for images in found)
    assert [len(images.train) for images in found] == [4] * 4


def test_core50_counts_its_objects_as_numbers(tmp_path):
    write_domains(tmp_path, [f"s{number}" for number in range(1, 12)], ("o10", "o2"))
    found = load("core50", tmp_path, size=(3, 3))
    assert len(found) == 11
    assert found[0].images[found[0].labels == 0][0, 0, 0, 0] == 5  # o2, the second that was written


def test_dn4il_by_lists_numbers_its_classes_anew(tmp_path):
    names = ("sketch", "infograph", "painting", "quickdraw", "real", "clipart")
    write_domains(tmp_path, names, n=3)
    for name in names:
        (tmp_path / f"{name}_train.txt").write_text(
            f"{name}/dog/picture0.bmp 7\n{name}/elephant/picture2.bmp 340\n"
        )
        (tmp_path / f"{name}_test.txt").write_text(f"{name}/elephant/picture1.bmp 340\n")
    found = load("dn4il", tmp_path, size=(2, 2))
    assert [images.name for images in found] == list(names)
    assert found[3].labels.tolist() == [0, 1, 1]
    assert found[3].images[:, 0, 0, 0].tolist() == [60, 65, 65]
    assert found[0].n_classes == 2
    for path in tmp_path.glob("*.txt"):
        path.unlink()
    assert [len(images.labels) for images in load("dn4il", tmp_path, size=(2, 2))] == [6] * 6


def test_digit_10_mixes_four_data_sets(tmp_path):
    for name in RECIPES["digit-10"].data:
        (tmp_path / name).mkdir()
    labels = np.arange(10).repeat(2).astype(np.uint8)
    write_mnist(tmp_path / "mnist", grey(20), labels)
    write_mnist(tmp_path / "emnist-digits", grey(20), labels, "emnist-digits-")
    for suffix in ("", ".t"):
        write_libsvm(
            tmp_path / "usps" / f"usps{suffix}.bz2", rng().uniform(-1, 1, (20, 256)), labels.astype(int)
        )
    for part in ("train", "test"):
        held = {"X": grey(20, (32, 32, 3)).transpose(1, 2, 3, 0), "y": np.where(labels, labels, 10)[:, None]}
        savemat(tmp_path / "svhn" / f"{part}_32x32.mat", held)
    found = stream("digit-10", tmp_path, n_clients=3)
    assert found.images.shape[0] == 4
    assert found.image == (3, 32, 32)
    assert found.test_labels.shape == (4, 19)
    assert found.kind == "domain"
    with pytest.raises(
        UsageError, match="`name` must have one data set where classes are split, got digit-10: 4 domains"
    ):
        stream("digit-10", tmp_path, kind="class")


@pytest.mark.parametrize("name", LOADERS)
def test_an_empty_folder_gets_one_sentence_that_says_what_is_missing(name, tmp_path):
    with pytest.raises(UsageError) as caught:
        load(name, tmp_path)
    message = str(caught.value)
    assert message.startswith(f"`folder` must hold {LOADERS[name].needs} for {name}, but {tmp_path}")
    assert message.endswith("does not exist.")
    assert "\n" not in message


def test_no_folder_gets_one_sentence():
    with pytest.raises(
        UsageError, match=r"`folder` must be given for svhn, and hold train_32x32\.mat and test_32"
    ):
        load("svhn")
    with pytest.raises(UsageError, match=r"`name` must be one of digits, mnist, .*, got 'mnits'"):
        load("mnits")


def damage(path, change):
    path.write_bytes(change(path.read_bytes()))


@pytest.mark.parametrize(
    ("file", "change", "rule"),
    [
        ("train-images-idx3-ubyte", lambda raw: raw[:-5], r"have 3152 bytes for an array of shape \(4, 28, 28\), got 3147"),
        ("train-images-idx3-ubyte", lambda raw: b"\x00\x00\x0d" + raw[3:], r"start with the bytes 0 0 8 3 .* got \[0, 0, 13, 3\]"),
        ("t10k-images-idx3-ubyte", lambda raw: raw[:9], "have a header of 16 bytes, got 9"),
        ("train-labels-idx1-ubyte", lambda raw: raw[:-1] + b"\x0a", r"hold labels in 0\.\.9, got 10 in place 3"),
        ("t10k-labels-idx1-ubyte", lambda raw: raw[:4] + b"\0\0\0\1" + raw[8:9], "hold a label for each of 3 images, got 1"),
    ],
)  # fmt: skip
def test_a_damaged_idx_file_is_named_with_rule_and_value(tmp_path, file, change, rule):
    write_mnist(tmp_path, grey(4), np.arange(4, dtype=np.uint8))
    damage(tmp_path / file, change)
    with pytest.raises(UsageError, match=f"{file} must {rule}"):
        load("mnist", tmp_path)


def test_images_of_training_and_testing_must_agree(tmp_path):
    write_mnist(tmp_path, grey(4), np.arange(4, dtype=np.uint8))
    write_idx(tmp_path / "t10k-images-idx3-ubyte", grey(3, (27, 28)))
    with pytest.raises(
        UsageError, match=r"t10k-images.* must hold images of \(28, 28\) pixels, got \(27, 28\)"
    ):
        load("mnist", tmp_path)


def test_a_cut_gzip_file_is_named(tmp_path):
    write_mnist(tmp_path, grey(4), np.arange(4, dtype=np.uint8), suffix=".gz")
    damage(tmp_path / "train-images-idx3-ubyte.gz", lambda raw: raw[:-20])
    with pytest.raises(UsageError, match=r"train-images-idx3-ubyte\.gz must be a complete gzip file"):
        load("mnist", tmp_path)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (b"3 1:0.5 257:0.1", "be LIBSVM text of 256 features"),
        (b"3 1:half", "be LIBSVM text of 256 features"),
        (b"3 1:1.5", r"hold grey values from -1 to 1, got 1\.5"),
        (b"11 1:0.5", r"hold labels in 1\.\.10, got 11\.0 in place 0"),
        (b"2.5 1:0.5", r"hold labels in 1\.\.10, got 2\.5 in place 0"),
        (b"", "hold grey values"),
    ],
)
def test_damaged_libsvm_text_is_named(tmp_path, text, rule):
    (tmp_path / "usps.bz2").write_bytes(bz2.compress(text))
    with pytest.raises(UsageError, match=rf"usps\.bz2 must {rule}"):
        load("usps", tmp_path)


def test_a_small_file_that_holds_a_lot_of_nothing_is_not_unpacked(tmp_path):
    (tmp_path / "usps.bz2").write_bytes(bz2.compress(bytes(1 << 24)) * 192)
    with pytest.raises(UsageError, match=r"usps\.bz2 must hold at most 64 MiB, got more\.$"):
        load("usps", tmp_path)


def test_what_is_not_packed_by_bzip2_is_named(tmp_path):
    (tmp_path / "usps.bz2").write_bytes(b"3 1:0.5")
    with pytest.raises(UsageError, match=r"usps\.bz2 must be LIBSVM text .* packed by bzip2"):
        load("usps", tmp_path)


@pytest.mark.parametrize(
    ("held", "rule"),
    [
        ({"X": np.zeros((32, 32, 3, 2), np.uint8)}, "be a MATLAB file .* with X and y"),
        ({"X": np.zeros((32, 32, 2), np.uint8), "y": np.ones((2, 1))}, r"hold X of uint8 .* got uint8 \(32, 32, 2\)"),
        ({"X": np.zeros((32, 32, 3, 2)), "y": np.ones((2, 1))}, "hold X of uint8 .* got float64"),
        ({"X": np.zeros((32, 32, 3, 2), np.uint8), "y": np.array([[3], [0]])}, r"hold labels in 1\.\.10, got 0 in place 1"),
    ],
)  # fmt: skip
def test_a_damaged_matlab_file_is_named(tmp_path, held, rule):
    savemat(tmp_path / "train_32x32.mat", held)
    with pytest.raises(UsageError, match=rf"train_32x32\.mat must {rule}"):
        load("svhn", tmp_path)


def test_what_is_no_matlab_file_is_named(tmp_path):
    (tmp_path / "train_32x32.mat").write_bytes(b"not a matrix at all" * 20)
    with pytest.raises(UsageError, match=r"train_32x32\.mat must be a MATLAB file"):
        load("svhn", tmp_path)


def test_damaged_cifar_records_are_named(tmp_path):
    (tmp_path / "train.bin").write_bytes(bytes(3074 + 1))
    with pytest.raises(UsageError, match=r"train\.bin must hold whole records of 3074 bytes, got 3075 bytes"):
        load("cifar-100", tmp_path)
    (tmp_path / "train.bin").write_bytes(bytes([0, 100]) + bytes(3072))
    with pytest.raises(UsageError, match=r"train\.bin must hold labels in 0\.\.99, got 100 in place 0"):
        load("cifar-100", tmp_path)


def test_damaged_pictures_and_lists_are_named(tmp_path):
    write_domains(tmp_path, PACS)
    damage(tmp_path / "photo" / "dog" / "picture3.bmp", lambda raw: raw[:40])
    with pytest.raises(UsageError, match=r"picture3\.bmp must be a picture that Pillow can read, got"):
        load("pacs", tmp_path)
    (tmp_path / "cartoon" / "giraffe").mkdir()
    with pytest.raises(
        UsageError, match="cartoon must have the same classes as sketch, got a difference in giraffe"
    ):
        load("pacs", tmp_path)
    (tmp_path / "sketch_train.txt").write_text("sketch/dog/picture0.bmp\n")
    with pytest.raises(
        UsageError, match="must name a picture and the number of its class in every line, got 'sketch/"
    ):
        load("dn4il", tmp_path)


def test_no_loader_opens_a_pickle():
    for path in ROOMS.glob("*.py"):
        text = path.read_text()
        assert "import pickle" not in text
        assert "allow_pickle=True" not in text
        assert "torch.load" not in text
