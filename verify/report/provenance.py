"""Provenance of a report: version, commit, date and command."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from datetime import datetime, timezone
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

HERE = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Provenance:
    """Provenance of a report. `commit` is empty outside a clone, and ends in ``+`` if files of the clone were changed."""

    version: str
    commit: str
    date: str
    command: str

    @property
    def says(self) -> str:
        made_by = f"fcl-theory {self.version}" + (f", commit {self.commit}" if self.commit else "")
        return f"{made_by}, {self.date}, {self.command}"


def provenance() -> Provenance:
    """The provenance of a report that this process writes now."""
    try:
        known = version("fcl-theory")
    except PackageNotFoundError:
        known = "from source"
    now = datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    words = " ".join(word if " " not in word else f"'{word}'" for word in sys.argv[1:])
    return Provenance(known, commit(), now, f"python -m verify {words}".strip())


def commit(folder: Path = HERE) -> str:
    """The short commit of a clone; empty outside a clone."""
    try:
        found = _git(folder, "rev-parse", "--short=10", "HEAD")
        return found + ("+" if _git(folder, "status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.SubprocessError):
        return ""


def _git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), *words], capture_output=True, text=True, check=True, timeout=10
    )
    return done.stdout.strip()
