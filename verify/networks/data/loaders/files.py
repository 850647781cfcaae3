"""Files of data sets: what is missing or damaged is said in one sentence."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path
from typing import Any

from verify.engine.errors import UsageError


class Missing(UsageError):
    """A file or folder of a data set is not there."""


def damaged(path: Path, rule: str, value: Any) -> UsageError:
    """The error that the file at `path` breaks a rule of its format."""
    return UsageError(f"{path} must {rule}, got {value}.")


def existing(path: Path) -> Path:
    """`path`, if something is there."""
    if not path.exists():
        raise Missing(str(path))
    return path


def contents(path: Path) -> bytes:
    """What the file at `path` holds, or else what the same file with the suffix .gz holds."""
    packed = path.with_name(path.name + ".gz")
    if path.is_file() or not packed.exists():
        return existing(path).read_bytes()
    try:
        return gzip.decompress(packed.read_bytes())
    except (OSError, EOFError, zlib.error) as error:
        raise damaged(packed, "be a complete gzip file", str(error) or type(error).__name__) from error
