"""Unusual files of data sets: programs, pipes, files of excessive size, and text files from other systems."""

import os
import resource
import struct
from io import BytesIO

import numpy as np
import pytest
from PIL import EpsImagePlugin, Image

from tests.networks.test_loaders import PACS, grey, write_domains, write_mnist, write_pictures
from verify.engine.work.errors import UsageError
from verify.networks.data.loaders.by_name import load


def test_a_picture_is_no_program_whatever_its_name_says(tmp_path, monkeypatch):
    def called(*arguments, **named):
        raise AssertionError("Pillow would call Ghostscript")

    monkeypatch.setattr(EpsImagePlugin, "Ghostscript", called)
    write_domains(tmp_path, PACS)
    eps = BytesIO()
    Image.new("RGB", (8, 8)).save(eps, "EPS")
    (tmp_path / "photo" / "dog" / "picture3.bmp").write_bytes(eps.getvalue())
    with pytest.raises(UsageError, match=r"picture3\.bmp must be a picture that Pillow can read, got"):
        load("pacs", tmp_path)


def test_a_file_larger_than_any_data_set_is_not_read(tmp_path):
    write_mnist(tmp_path, grey(6), np.arange(6, dtype=np.uint8))
    images = 1 << 23
    with (tmp_path / "train-images-idx3-ubyte").open("wb") as stream:
        stream.write(struct.pack(">BBBB3I", 0, 0, 8, 3, images, 28, 28))
        stream.truncate(16 + images * 28 * 28)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(UsageError, match=r"idx3-ubyte must hold at most 640 MiB, got more\.$"):
        load("mnist", tmp_path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 1 << 20


def test_what_waits_for_a_writer_is_no_file_of_a_data_set(tmp_path):
    write_mnist(tmp_path, grey(6), np.arange(6, dtype=np.uint8))
    (tmp_path / "train-images-idx3-ubyte").unlink()
    os.mkfifo(tmp_path / "train-images-idx3-ubyte")
    with pytest.raises(UsageError, match="train-images-idx3-ubyte"):
        load("mnist", tmp_path)
    write_domains(tmp_path, PACS)
    pictures = tmp_path / "photo" / "dog"
    os.mkfifo(pictures / "a.png")
    (pictures / "b.png").mkdir()
    load("pacs", tmp_path)


@pytest.mark.parametrize("number", ["²", "٣", "1" * 5000, "-1", ""])
def test_a_list_has_numbers_of_classes(tmp_path, number):
    write_domains(tmp_path, ("sketch",))
    (tmp_path / "sketch_train.txt").write_text(f"sketch/dog/picture0.bmp {number}\n", encoding="utf-8")
    with pytest.raises(UsageError, match="must name a picture and the number of its class in every line"):
        load("dn4il", tmp_path)


def test_a_list_may_be_written_elsewhere(tmp_path):
    """With a byte-order mark, and two characters at the end of a line; and folders may have any names."""
    names = ("sketch", "infograph", "painting", "quickdraw", "real", "clipart")
    write_domains(tmp_path, names, n=2)
    (tmp_path / "²").mkdir()
    for name in names:
        for part in ("train", "test"):
            text = f"{name}/dog/picture0.bmp 7\r\n{name}/elephant/picture1.bmp 340\r\n"
            (tmp_path / f"{name}_{part}.txt").write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert [images.n_classes for images in load("dn4il", tmp_path)] == [2] * 6


def test_folders_may_have_digits_that_are_no_numbers(tmp_path):
    for name in ("²", "1²", "o10", "o2"):
        write_pictures(tmp_path / name, grey(6, (8, 8, 3)))
    (images,) = load("mini-imagenet", tmp_path)
    assert images.n_classes == 4
