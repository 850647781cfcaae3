"""Saved results: what `python -m verify curves` wrote."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Results = Mapping[str, Any]


class UsageError(ValueError):
    """What was asked for does not exist or cannot be read; the command line shows it as one sentence."""


def read_curve(folder: Path, name: str) -> Results:
    """Results of one curve, from ``folder/curves/NAME.json``.

    Raises
    ------
    UsageError
        If there are none; the message says which command makes them.
    """
    path = folder / "curves" / f"{name}.json"
    remedy = f"`python -m verify curves {name} --out {folder / 'curves'}` makes it"
    try:
        content = json.loads(path.read_text())
    except FileNotFoundError as error:
        raise UsageError(f"there is no {path}; {remedy}") from error
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise UsageError(f"{path} is not JSON ({error}); {remedy} anew") from error
    if not isinstance(content, dict) or content.get("name") != name:
        raise UsageError(f"{path} holds no results of the curve {name}; {remedy} anew")
    return content
