"""The page of worlds claims no larger sizes and no other worlds than the scenes of its topics."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "worlds.md"
SIZES = {
    "clients": ("N", "n", "M"),
    "samples": ("S",),
    "local steps": ("E", "K"),
    "steps": ("E", "s"),
    "rounds": ("T", "t", "r", "R"),
    "rounds known": ("t", "T", "r"),
    "tasks": ("K",),
}
KINDS = {"turned and no quadratics": ("turned", "curved"), "minimisers apart": ("centres", "curved")}


def rows() -> Iterator[tuple[tuple[str, ...], dict[str, str]]]:
    """Topics of a row, and its cells by their headings."""
    heading: list[str] = []
    for line in PAGE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        topics = tuple(re.findall(r"`((?:special|cfl|cflag|fedmes)_\w+)`", cells[0])) if cells else ()
        if cells and cells[0] == "statements":
            heading = cells
        elif topics:
            yield topics, dict(zip(heading, cells, strict=True))


def sizes_of(topics: tuple[str, ...]) -> dict[str, int]:
    """Largest sizes that scenes of these topics list."""
    found: dict[str, int] = {}
    scenes = [claim.scene for topic in topics for claim in import_module(f"verify.{topic}").CLAIMS]
    for shape in (shape for scene in scenes if scene is not None for shape in scene.shapes):
        for name, size in shape.items():
            found[name] = max(found.get(name, 0), size) if isinstance(size, int) else found.get(name, 0)
    return found


def test_the_page_has_rows_of_every_paper() -> None:
    named = [topic for topics, _ in rows() for topic in topics]
    assert {topic.split("_")[0] for topic in named} == {"special", "cfl", "cflag", "fedmes"}
    assert len(named) == len(set(named))


@pytest.mark.parametrize(
    ("topics", "cells"), list(rows()), ids=lambda x: x[0] if isinstance(x, tuple) else ""
)
def test_sizes_and_kinds_are_there(topics: tuple[str, ...], cells: dict[str, str]) -> None:
    found = sizes_of(topics)
    for heading, names in SIZES.items():
        number = re.match(r"\d+", cells.get(heading, ""))
        if number:
            one_more = heading.startswith("rounds")  # r rounds, and one more that is examined
            assert int(number[0]) <= max(found.get(name, 1) for name in names) + one_more, heading
    for heading, names in KINDS.items():
        if cells.get(heading) in ("yes", "no"):
            assert any(found.get(name, 0) for name in names) == (cells[heading] == "yes"), heading
