"""Keys of all papers, found without importing them. A paper is a folder of `bounds`, discovered automatically."""

from __future__ import annotations

import re
from functools import cache
from pkgutil import iter_modules

import bounds


@cache
def papers() -> tuple[str, ...]:
    """Keys of the papers: the names of their folders."""
    return tuple(module.name for module in iter_modules(bounds.__path__) if module.ispkg)


def paper_of(name: str) -> str:
    """Key of the paper that an id or a topic belongs to; empty if it belongs to none.

    ``special.thm4.7``, ``special_bkt`` and ``networks_special`` all belong to special.
    """
    return next((part for part in re.split(r"[._]", name) if part in papers()), "")


def paper_of_file(path: str) -> str:
    """Key of the paper to which a file of code belongs, by its path in the checkout; empty for code that papers share."""
    *folders, name = path.removesuffix(".py").split("/")
    if folders == ["verify"]:
        return paper_of(name)
    inside = folders[2:] if folders[:2] == ["verify", "scenes"] else folders[1:]
    return inside[0] if inside and inside[0] in papers() else ""
