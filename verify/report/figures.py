"""Figures that `python -m figures` has drawn, by the statement that they belong to."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from pathlib import Path

_TYPES = {".svg": "image/svg+xml", ".png": "image/png"}


@dataclass(frozen=True)
class Figure:
    """A drawn curve: its name, the statement that it shows, and the image as a data URL."""

    name: str
    statement: str
    url: str

    @property
    def caption(self) -> str:
        return f"{self.name.replace('_', ' ')}, of {self.statement}"


def drawn(results: Path) -> list[Figure]:
    """Figures in ``results/figures`` whose curve in ``results/curves`` names its statement."""
    found = []
    for curve in sorted((results / "curves").glob("*.json")):
        images = [results / "figures" / f"{curve.stem}{suffix}" for suffix in _TYPES]
        image = next((path for path in images if path.is_file()), None)
        statement = json.loads(curve.read_text()).get("statement")
        if image and statement:
            data = base64.b64encode(image.read_bytes()).decode()
            found.append(Figure(curve.stem, statement, f"data:{_TYPES[image.suffix]};base64,{data}"))
    return found
