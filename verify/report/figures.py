"""Figures that `python -m figures` has drawn, by the statements that they belong to."""

from __future__ import annotations

import base64
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from PIL import Image

from verify.engine.forms import require
from verify.engine.records import read_json

CURVE = {"shows?": [str], "says?": str}
"""What a curve is made of, as far as reports read it."""


@dataclass(frozen=True)
class Figure:
    """A drawn curve: its name, the statements that it shows, the first one its own, what it says, the image as a data URL."""

    name: str
    shows: tuple[str, ...]
    says: str
    url: str

    @property
    def caption(self) -> str:
        return self.says or f"{self.name.replace('_', ' ')}, of {', '.join(self.shows)}"


def at_home(drawn: Sequence[Figure], known: Collection[str]) -> dict[str, list[Figure]]:
    """Figures by the statement with which each stands: the first that it shows, of those that are known."""
    homes: dict[str, list[Figure]] = {}
    for figure in drawn:
        if home := next((id for id in figure.shows if id in known), None):
            homes.setdefault(home, []).append(figure)
    return homes


def drawn(results: Path) -> list[Figure]:
    """Figures in ``results/figures`` whose curve in ``results/curves`` names its statements."""
    found = []
    for curve in sorted((results / "curves").glob("*.json")):
        image = results / "figures" / f"{curve.stem}.png"
        content = read_json(curve)
        require(content, CURVE, str(curve))
        if image.is_file() and content.get("shows"):
            found.append(Figure(curve.stem, tuple(content["shows"]), content.get("says", ""), _url(image)))
    return found


def _url(image: Path) -> str:
    """The image as it is, in a third of the room: WebP without loss."""
    content = BytesIO()
    with Image.open(image, formats=("PNG",)) as opened:
        opened.convert("RGB").save(content, "WEBP", lossless=True, method=3)
    return f"data:image/webp;base64,{base64.b64encode(content.getvalue()).decode()}"
