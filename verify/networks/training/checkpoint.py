"""States of a run on disk, so that a run that was stopped goes on from its last task with the same numbers."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from algorithms.algorithm import State
from nqm.fields import is_tensor
from verify.engine.records import in_one_piece


@dataclass(frozen=True)
class Checkpoint:
    """A file for one run.

    Attributes
    ----------
    path : Path
    key : str
        Names everything that the run depends on. A file with another key is not read, and is overwritten.
    """

    path: Path
    key: str

    def save(self, state: State, **results: np.ndarray) -> None:
        """Write the state at the end of a task, and the results up to there, in one piece or not at all."""
        content: dict[str, Any] = {"key": np.array(self.key)}
        content |= {f"{_kind(name, value)}.{name}": _array(value) for name, value in state.items()}
        content |= {f"result.{name}": value for name, value in results.items()}
        with in_one_piece(self.path, "wb") as stream:
            np.savez(stream, **content)

    def load(self, device: str) -> tuple[State, dict[str, np.ndarray]] | None:
        """State and results of this run, or None if there is no such file."""
        try:
            with self.path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
                content = dict(file)
        except (FileNotFoundError, zipfile.BadZipFile, ValueError, EOFError):
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


def at_rest(state: State) -> State:
    """The state as it would be read from a file: no entry is a view of another array."""
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
