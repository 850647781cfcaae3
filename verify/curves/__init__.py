"""Curves: named computations, each of which saves the data of a figure as one JSON file.

The file names the `figure` that draws it and the statements that it `shows`. Figures and reports therefore need no list of
their own. To add a curve, add a module to this folder.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from verify.curves.headlines import HEADLINES
from verify.engine.records.files import fingerprint, finite, write_json
from verify.engine.work.backends import HERE, Backend
from verify.engine.work.errors import UsageError
from verify.engine.work.items import name_of, together
from verify.engine.work.messages import message

CURVES = (
    "drift",
    "psi",
    "rate",
    "bkt",
    "cfl_table3",
    "cfl_figure2",
    "cfl_map",
    "cfl_weights",
    "cfl_steady_state",
    "cflag_drift",
    "cflag_adaptive",
    "fedmes_correction",
    "fedmes_personal",
    "cflag_forgetting",
    "networks_constants",
    "networks_lambda",
    "networks_tasks",
    *HEADLINES,
)
"""Names of all curves: the modules of this folder, and the ids of the headline theorems."""
FOLDER = Path("results/curves")


def compute(
    names: Sequence[str], folder: Path = FOLDER, seed: int = 0, backend: Backend = HERE
) -> list[Path]:
    """Compute the named curves and return their files. A file that the same code saved with the same seed is reused.

    Parameters
    ----------
    names : sequence of str
        Names from `CURVES`; an empty sequence means all.
    folder : Path
        Folder for the files ``NAME.json``.
    seed : int
        Seed of the simulated runs, >= 0.

    Raises
    ------
    UsageError
        If a name is unknown, or the folder cannot be written.
    """
    chosen = list(dict.fromkeys(names)) or list(CURVES)
    for name in chosen:
        if name not in CURVES:
            raise UsageError(_unknown(name))
    named = {name_of("curve", name, seed, fingerprint()): name for name in chosen}
    list(together(_file, named, folder, backend, folder, seed))
    return [folder / f"{name}.json" for name in chosen]


def _file(name: str, folder: Path, seed: int) -> Path:
    path = folder / f"{name}.json"
    if _is_current(path, seed):
        message(f"verify: curve {name} was computed before by this code")
        return path
    start = time.perf_counter()
    content = _computed(name, seed)
    record = finite(_plain({"name": name, "seed": seed, **content, "versions": fingerprint()}))
    try:
        write_json(path, record)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
    message(f"verify: curve {name} ({time.perf_counter() - start:.1f} s)")
    return path


def _computed(name: str, seed: int) -> dict[str, Any]:
    if name in HEADLINES:
        return import_module("verify.curves.theorems").compute(name, seed)
    return {"figure": name, **import_module(f"verify.curves.{name}").compute(seed)}


def _is_current(path: Path, seed: int) -> bool:
    try:
        record = json.loads(path.read_text())
    except (OSError, ValueError):
        return False
    return isinstance(record, dict) and (record.get("versions"), record.get("seed")) == (fingerprint(), seed)


def _plain(content: Any) -> Any:
    """Content with NumPy arrays and numbers as lists and Python numbers."""
    if isinstance(content, dict):
        return {str(key): _plain(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_plain(value) for value in content]
    if isinstance(content, np.ndarray | np.generic):
        return content.tolist()
    return content


def _unknown(name: str) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, CURVES, n=1)
    hint = f"; did you mean {close[0]}?" if close else f"; there are {', '.join(CURVES)}"
    return f"no curve has the name {name!r}{hint}"
