"""One formula of the corpus, and the function that adds formulas to a list."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Formula:
    """A formula, its source, its declarations, and its meaning: relations of the claim, then conditions."""

    source: str
    latex: str
    claims: tuple[Any, ...]
    conditions: tuple[Any, ...] = ()
    declared: str = ""


def adder_to(formulas: list[Formula]) -> Callable[..., None]:
    """A function that adds a formula to a list: ``add(source, latex, claim or claims, *conditions, declared="")``."""

    def add(source: str, latex: str, claims: Any, *conditions: Any, declared: str = "") -> None:
        said = claims if isinstance(claims, tuple) else (claims,)
        formulas.append(Formula(source, latex, said, conditions, declared))

    return add
