"""Figures that `python -m figures` has drawn, by the statement that they belong to."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from PIL import Image


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
        image = results / "figures" / f"{curve.stem}.png"
        statement = json.loads(curve.read_text()).get("statement")
        if image.is_file() and statement:
            found.append(Figure(curve.stem, statement, _url(image)))
    return found


def _url(image: Path) -> str:
    """The image as it is, in a third of the room: WebP without loss."""
    content = BytesIO()
    with Image.open(image) as opened:
        opened.convert("RGB").save(content, "WEBP", lossless=True, method=3)
    return f"data:image/webp;base64,{base64.b64encode(content.getvalue()).decode()}"
