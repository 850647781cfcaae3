"""Figures drawn by `python -m figures`, by the statements to which they belong."""

from __future__ import annotations

import base64
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from PIL import Image

from verify.engine.records.files import read_json
from verify.engine.records.forms import require

WIDEST, QUALITY = 1000, 70
"""Width in pixels, and quality of images that are stored with loss."""
CURVE = {"shows?": [str], "says?": str}
"""The parts of a curve that reports read."""


@dataclass(frozen=True)
class Figure:
    """A drawn curve: its name, the statements that it shows (its own first), its caption, and the image as a data URL."""

    name: str
    shows: tuple[str, ...]
    says: str
    url: str

    @property
    def caption(self) -> str:
        return self.says or f"{self.name.replace('_', ' ')}, of {', '.join(self.shows)}"


def at_home(drawn: Sequence[Figure], known: Collection[str]) -> dict[str, list[Figure]]:
    """Figures by the statement beside which they are placed: the first known one that they show."""
    homes: dict[str, list[Figure]] = {}
    for figure in drawn:
        if home := next((id for id in figure.shows if id in known), None):
            homes.setdefault(home, []).append(figure)
    return homes


def drawn_figures(results: Path) -> list[Figure]:
    """Figures in ``results/figures`` whose curves in ``results/curves`` name their statements."""
    found = []
    for curve in sorted((results / "curves").glob("*.json")):
        image = results / "figures" / f"{curve.stem}.png"
        content = read_json(curve)
        require(content, CURVE, str(curve))
        if image.is_file() and content.get("shows"):
            found.append(Figure(curve.stem, tuple(content["shows"]), content.get("says", ""), _url(image)))
    return found


def _url(image: Path) -> str:
    """The image as WebP, at most as wide as a page; lossless if that is smaller."""
    with Image.open(image, formats=("PNG",)) as opened:
        whole = opened.convert("RGB")
    if whole.width > WIDEST:
        whole = whole.resize((WIDEST, round(whole.height * WIDEST / whole.width)), Image.Resampling.LANCZOS)
    content = min((_webp(whole, lossless=True, method=3), _webp(whole, quality=QUALITY, method=4)), key=len)
    return f"data:image/webp;base64,{base64.b64encode(content).decode()}"


def _webp(image: Image.Image, **options: int) -> bytes:
    content = BytesIO()
    image.save(content, "WEBP", **options)
    return content.getvalue()
