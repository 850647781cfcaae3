"""The user's own file of theorems: read, executed, and checked before anything is judged.

Whatever is wrong is said in one line with the file, the line or the statement, the rule and the value.
"""

from __future__ import annotations

import importlib.util
import sys
import traceback
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from bounds.catalogue import paper_of
from verify.engine.claim import Claim
from verify.engine.errors import UsageError


@cache
def claims_in(path: Path) -> tuple[Claim, ...]:
    """Claims of a user's own file, which must define `CLAIMS`. The file is executed.

    Raises
    ------
    UsageError
        If the file cannot be read or fails, or `CLAIMS` is missing, empty, holds something else, uses an id twice,
        or one of the catalogue.
    """
    found = getattr(_executed(path), "CLAIMS", None)
    if found is None:
        raise UsageError(f"{path} must define `CLAIMS`, a sequence of `verify.Claim` (or `notes.claims`)")
    if not isinstance(found, Iterable) or isinstance(found, str):
        raise UsageError(f"{path}: `CLAIMS` must be a sequence of `verify.Claim`, got {_shown(found)}")
    claims = tuple(found)
    if not claims:
        raise UsageError(f"{path}: `CLAIMS` is empty, so there is nothing to judge")
    for place, claim in enumerate(claims):
        if not isinstance(claim, Claim):
            raise UsageError(f"{path}: `CLAIMS[{place}]` must be a `verify.Claim`, got {_shown(claim)}")
    ids = [claim.statement.id for claim in claims]
    for id in ids:
        if ids.count(id) > 1:
            raise UsageError(f"{path}: `id` must be unique, got {id!r} {ids.count(id)} times")
        if paper_of(id):
            raise UsageError(
                f"{path}: `id` must not begin like one of the catalogue, got {id!r}; take another key"
            )
    return claims


def claim_in(path: Path, id: str) -> Claim:
    """The claim of a user's own file with this id.

    Raises
    ------
    UsageError
        If there is none.
    """
    for claim in claims_in(path):
        if claim.statement.id == id:
            return claim
    known = ", ".join(claim.statement.id for claim in claims_in(path))
    raise UsageError(f"{path} has no statement {id!r}; it has {known}")


def _executed(path: Path) -> ModuleType:
    if not path.is_file():
        raise UsageError(f"there is no file {path}")
    name = f"theorem_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{path} is no Python file; its name must end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        raise UsageError(f"{path}:{error.lineno or 1}: {error.msg}: {(error.text or '').strip()}") from error
    except (Exception, SystemExit) as error:
        raise UsageError(f"{_place(path, error)}: {told(error)}") from error
    return module


def told(error: BaseException) -> str:
    """An error as one line."""
    text = " ".join(str(error).split())
    return text if isinstance(error, UsageError) else f"{type(error).__name__}: {text}".rstrip(": ")


def _place(path: Path, error: BaseException) -> str:
    lines = [
        frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)
    ]
    return f"{path}:{lines[-1]}" if lines else str(path)


def _shown(value: Any) -> str:
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) <= 60 else text[:57] + '...'}"
