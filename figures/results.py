"""Saved results: what `python -m verify curves` wrote."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

Results = Mapping[str, Any]


class UsageError(ValueError):
    """What was asked for does not exist or cannot be read; the command line shows it as one sentence."""


def saved(folder: Path) -> list[str]:
    """Names of all curves in ``folder/curves``."""
    return sorted(path.stem for path in (folder / "curves").glob("*.json"))


def read_curves(folder: Path, names: Sequence[str]) -> dict[str, Results]:
    """Results of curves by name, from ``folder/curves/NAME.json``.

    Raises
    ------
    UsageError
        If one cannot be read; the message says which command makes it.
    """
    return {name: _results_in(folder, name) for name in names}


def path_of(folder: Path, name: str) -> Path:
    """File of a curve."""
    return folder / "curves" / f"{name}.json"


def remedy(folder: Path, names: Sequence[str]) -> str:
    """Which command makes the results of these curves."""
    command = " ".join(("python -m verify curves", *names, f"--out {folder / 'curves'}"))
    return f"`{command}` makes {'it' if len(names) == 1 else 'them'}"


def read_json(path: Path, again: str) -> Any:
    """Content of a JSON file.

    Raises
    ------
    UsageError
        If it cannot be read, or is no JSON; the message says `again`, what makes the file.
    """
    try:
        content = json.loads(path.read_text())
        json.dumps(content, ensure_ascii=False).encode()  # half a character is no text, and cannot be drawn
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is not JSON ({error}); {again}") from error
    return content


def _results_in(folder: Path, name: str) -> Results:
    path = path_of(folder, name)
    content = read_json(path, f"{remedy(folder, [name])} again")
    if not isinstance(content, dict) or content.get("name") != name:
        raise UsageError(f"{path} holds no results of the curve {name}; {remedy(folder, [name])} again")
    return content
