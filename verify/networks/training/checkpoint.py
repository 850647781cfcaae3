"""States of a run on disk, from which an interrupted run resumes after its last saved task with the same numbers."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import torch

from algorithms.algorithm import State
from nqm.fields import is_tensor
from verify.engine.records.files import in_one_piece

DAMAGED = (BadZipFile, EOFError, KeyError, OSError, RuntimeError, TypeError, ValueError, zlib.error)
"""Exceptions that NumPy raises if a file is not in its format or is damaged."""


@dataclass(frozen=True)
class Checkpoint:
    """File with the state of one run.

    Attributes
    ----------
    path : Path
    key : str
        Names everything that the run depends on. A file with another key, or one that somebody has changed, is not
        read, and is overwritten.
    """

    path: Path
    key: str

    def save(self, state: State, **results: np.ndarray) -> None:
        """Write atomically the state at the end of a task and the results up to there."""
        content: dict[str, Any] = {"key": np.array(self.key)}
        content |= {f"{_kind(name, value)}.{name}": _array(value) for name, value in state.items()}
        content |= {f"result.{name}": value for name, value in results.items()}
        content["digest"] = _digest(content)
        with in_one_piece(self.path, "wb") as stream:
            np.savez(stream, **content)

    def load(self, device: str) -> tuple[State, dict[str, np.ndarray]] | None:
        """State and results of this run, or None if there is no such file."""
        try:
            stream = self.path.open("rb")
        except FileNotFoundError:
            return None
        try:
            with stream, np.load(stream, allow_pickle=False) as file:
                content = dict(file)
        except DAMAGED:
            return None
        if not np.array_equal(content.pop("digest", 0), _digest(content)):
            return None
        if str(content.pop("key", "")) != self.key:
            return None
        state: dict[str, Any] = {}
        results = {}
        for entry, value in content.items():
            kind, _, name = entry.partition(".")
            if kind == "result":
                results[name] = value
            else:
                state[name] = _READ[kind](value, device)
        return state, results


def _digest(content: Mapping[str, np.ndarray]) -> np.ndarray:
    """Digest of all entries, which detects a damaged or edited file."""
    found = hashlib.sha256()
    for name in sorted(content):
        value = content[name]
        found.update(f"{name} {value.dtype.str} {value.shape} ".encode())
        found.update(np.ascontiguousarray(value).reshape(-1).view(np.uint8).data)
    return np.array(found.hexdigest())


def at_rest(state: State) -> State:
    """The state in the form in which it is read from a file: every tensor is contiguous."""
    return {name: value.contiguous() if is_tensor(value) else value for name, value in state.items()}


_READ: Mapping[str, Any] = {
    "tensor": lambda value, device: torch.as_tensor(value, device=device),
    "array": lambda value, device: value,
    "number": lambda value, device: value.item(),
}


def _kind(name: str, value: Any) -> str:
    if is_tensor(value):
        return "tensor"
    if isinstance(value, np.ndarray):
        return "array"
    if isinstance(value, int | float):
        return "number"
    raise TypeError(f"`{name}` of the state is a {type(value).__name__}, which a checkpoint cannot hold.")


def _array(value: Any) -> np.ndarray:
    return value.detach().cpu().numpy() if is_tensor(value) else np.asarray(value)
