"""Records on disk: one JSON file per statement, written atomically, and reused if its inputs have not changed."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import stat
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import IO, Any

from verify.engine.records.definitions import digest_of, module_digest
from verify.engine.work.errors import UsageError

LARGEST = 256 << 20
"""Size limit in bytes of a JSON file to be read."""
HALF = re.compile(rb"\\u[dD][89a-fA-F]")
"""JSON's escapes of surrogates, halves of characters beyond 65,535; one without its partner is no text."""
PART = ".fcl-theory-"
"""Beginning of the names of temporary files."""
LEFT = 24 * 3600
"""Seconds after which a temporary file belongs to a killed process."""
TREES = "trees.json"
"""File that holds digests of syntax trees: one comes with the code, one lies in the user's cache."""
_ROOT = Path(__file__).resolve().parents[3]
SHIPPED = _ROOT / "verify" / "answers"
"""Folder of the digests that come with the code."""
DEFINITIONS = _ROOT / "verify" / "engine" / "records" / "definitions.py"
"""File of the code that computes digests of syntax trees."""
_SOURCES = ("bounds", "nqm", "algorithms", "verify")


@contextmanager
def in_one_piece(path: Path, mode: str = "w") -> Iterator[IO[Any]]:
    """A new file at `path`, written atomically: until it is complete, readers see the old file or none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=PART, suffix=".tmp")
    try:
        _tidied(path.parent)
        with os.fdopen(handle, mode) as stream:
            yield stream
        os.chmod(temporary, 0o644)  # mkstemp keeps its files private
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


@cache
def _tidied(folder: Path) -> None:
    """Delete temporary files of killed processes in a folder, once per process.

    The age of a file is measured by the clock of the file system: the folder itself has just changed.
    """
    now = folder.stat().st_mtime
    for part in folder.glob(f"{PART}*.tmp"):
        with suppress(OSError):  # another process has deleted it, or the file belongs to another user
            if now - part.stat().st_mtime > LEFT:
                part.unlink()


def write_json(path: Path, content: Any) -> None:
    """Write `content` to `path` atomically: readers see the old file or the new one, never a part.

    Each entry of the content, and each entry of these, has its own line.
    """
    text = _in_lines(content, 2)
    with in_one_piece(path) as stream:
        stream.write(text)


def _in_lines(content: Any, depth: int, indent: str = " ") -> str:
    """JSON with one line for each entry down to some depth. Python's encoder is fast only without indentation."""
    split = depth and content
    if split and isinstance(content, dict) and all(isinstance(key, str) for key in content):
        ends = "{}"
        parts = [
            f"{json.dumps(key)}: {_in_lines(value, depth - 1, f'{indent} ')}"
            for key, value in content.items()
        ]
    elif split and isinstance(content, list | tuple):
        ends = "[]"
        parts = [_in_lines(value, depth - 1, f"{indent} ") for value in content]
    else:
        return json.dumps(content, allow_nan=False, default=str)
    inside = f",\n{indent}".join(parts)
    return f"{ends[0]}\n{indent}{inside}\n{indent[:-1]}{ends[1]}"


def read_json(path: Path) -> Any:
    """Content of an untrusted JSON file: of limited size and depth, without NaN and infinities.

    Raises
    ------
    UsageError
        If the file does not have this form.
    OSError
        If it cannot be read.
    """
    status = path.stat()
    if not stat.S_ISREG(status.st_mode) and not path.is_dir():
        raise UsageError(f"{path} must be a file, got another kind of thing")
    if status.st_size > LARGEST:
        raise UsageError(f"{path} must be at most {LARGEST >> 20} MiB, got {status.st_size >> 20}")
    written = path.read_bytes()
    try:
        content = json.loads(written, parse_constant=_no_number)
        if HALF.search(written):
            json.dumps(content, ensure_ascii=False).encode()
        return content
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is not JSON: {error}") from error


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is no number")


def finite(content: Any) -> Any:
    """JSON content with NaN and infinities as None."""
    if isinstance(content, str):  # most parts of a record
        return content
    if isinstance(content, float):
        return content if abs(content) < float("inf") else None
    if isinstance(content, Mapping):
        return {key: finite(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [finite(value) for value in content]
    return content


def cache_folder() -> Path:
    """The user's cache folder, for results that can be computed again."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fcl-theory"


@cache
def digest(*places: str) -> str:
    """Digest of the toolkit's own code in some folders, or in files that match a pattern.

    Comments, docstrings and formatting do not count.
    """
    return digest_of(*(f"{file} {tree}" for file, tree in digests_of_files(*places).items()))


@cache
def digests_of_files(*places: str) -> Mapping[str, str]:
    """Digests of the syntax trees of the same files, by their paths in the checkout.

    They are cached under the digest of the file's bytes.
    """
    names = _names(places)
    known = _trees()
    fresh = {name: module_digest(_code(file).decode()) for file, name in names.items() if name not in known}
    if fresh:
        known |= fresh
        with suppress(OSError):
            _write_trees(cache_folder(), known)
    return {file.relative_to(_ROOT).as_posix(): known[name] for file, name in names.items()}


def ship_trees(folder: Path) -> None:
    """Write the digests of the syntax trees of all present files into a folder.

    They come with the code, so a machine on which nothing was run before need not parse every file.
    """
    digest(*_SOURCES)
    _write_trees(folder, {name: _trees()[name] for name in _names(_SOURCES).values()})


def _names(places: Sequence[str]) -> dict[Path, str]:
    """Files in some folders, or that match a pattern, each with the digest of its bytes."""
    patterns = (place if Path(place).suffix else f"{place}/**/*.py" for place in places)
    files = sorted({file for pattern in patterns for file in _ROOT.glob(pattern)})
    return {file: hashlib.sha256(_code(file)).hexdigest()[:32] for file in files}


def _write_trees(folder: Path, digests: Mapping[str, str]) -> None:
    write_json(folder / TREES, {"made_by": _digester(), "digests": digests})


@cache
def _trees() -> dict[str, str]:
    """Known digests of syntax trees, by the digest of the file's bytes."""
    found: dict[str, str] = {}
    for folder in (SHIPPED, cache_folder()):
        with suppress(OSError, UsageError):
            content = read_json(folder / TREES)
            if isinstance(content, dict) and content.get("made_by") == _digester():
                found |= {str(name): str(tree) for name, tree in content["digests"].items()}
    return found


def _digester() -> str:
    """Digest of the code that computes digests of syntax trees, and of the Python version that parses them.

    Another version could give another digest of the same code.
    """
    return digest_of(_code(DEFINITIONS).decode(), platform.python_version())


@cache
def _code(file: Path) -> bytes:
    """Bytes of a file of the toolkit, read once for all digests."""
    return file.read_bytes()


@cache
def fingerprint(*folders: str) -> dict[str, str]:
    """Versions of everything a record depends on; `sources` is the digest of some folders, by default of all."""
    found = {"python": platform.python_version(), "sources": digest(*(folders or _SOURCES))}
    for package in ("numpy", "scipy", "sympy", "torch", "z3-solver"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "absent"
    return found


def path_of(folder: Path, id: str) -> Path:
    """File of a statement's record."""
    return folder / (id.replace("/", "__") + ".json")


def parts_of(folder: Path, id: str) -> Path:
    """File of the certificates of a statement's proof, beside its record."""
    return folder / "certificates" / (id.replace("/", "__") + ".xz")


def saved(folder: Path, id: str, budget: str, seed: int) -> dict[str, Any] | None:
    """The record of an earlier run with the same code, budget and seed, if there is one and it was not edited."""
    record = unchanged(path_of(folder, id))
    if record is None or record.get("id") != id:
        return None
    same = (record.get("versions"), record.get("budget"), record.get("seed")) == (fingerprint(), budget, seed)
    return record if same else None


def unchanged(path: Path) -> dict[str, Any] | None:
    """The content of a file that `with_seal` sealed; None if there is no file, or it was edited."""
    try:
        found = read_json(path)
    except (OSError, UsageError):
        return None
    return found if isinstance(found, dict) and found == with_seal(found) else None


def with_seal(record: Mapping[str, Any]) -> dict[str, Any]:
    """The record with the digest of its content, so that a manual edit is detected."""
    said = {key: value for key, value in record.items() if key != "digest"}
    text = json.dumps(said, sort_keys=True, default=str)
    return {**said, "digest": hashlib.sha256(text.encode()).hexdigest()[:16]}
