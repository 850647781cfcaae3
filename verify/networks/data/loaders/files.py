"""Files of data sets, with one-sentence errors for missing or damaged files."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path
from typing import IO, Any

from verify.engine.work.errors import UsageError

LARGEST = 640 << 20
"""Largest size in bytes of an unpacked file; the images of EMNIST have 522 MiB."""


class Missing(UsageError):
    """A file or folder of a data set is not there."""


def damaged(path: Path, rule: str, value: Any) -> UsageError:
    """The error that the file at `path` breaks a rule of its format."""
    return UsageError(f"{path} must {rule}, got {value}.")


def existing(path: Path) -> Path:
    """`path`, if a file or a folder is there."""
    if not (path.is_file() or path.is_dir()):
        raise Missing(str(path))
    return path


def contents(path: Path) -> bytes:
    """The content of the file at `path`, or of the same file with the suffix .gz."""
    packed = path.with_name(path.name + ".gz")
    if not path.is_file() and not packed.is_file():
        raise Missing(str(path))
    if path.is_file():
        with path.open("rb") as plain:
            return unpacked(path, plain)
    try:
        with gzip.open(packed) as file:
            return unpacked(packed, file)
    except (OSError, EOFError, zlib.error) as error:
        raise damaged(packed, "be a complete gzip file", str(error) or type(error).__name__) from error


def unpacked(path: Path, file: IO[bytes] | gzip.GzipFile, most: int = LARGEST) -> bytes:
    """The whole content of a file, unless it exceeds `most` bytes; a small compressed file may expand to a huge one."""
    content = file.read(most + 1)
    if len(content) > most:
        raise damaged(path, f"hold at most {most >> 20} MiB", "more")
    return content


def lines(path: Path) -> list[str]:
    """The lines of a text."""
    try:
        return contents(path).decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise damaged(path, "be text in UTF-8", error) from error


def inside(listing: Path, folder: Path, name: str) -> Path:
    """The file that `listing` names, which must lie in the folder."""
    path = folder / name
    if "\0" in name or not path.resolve().is_relative_to(folder.resolve()):
        raise damaged(listing, f"name files in {folder} only", repr(name))
    return existing(path)
