"""The kinds of checks: one record each, in the module of its check."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TypeVar

from verify.engine.model.claim import Check, Claim
from verify.engine.verdict import Verdict

CUT = "cut"
"""Outline of the statements of all kinds without one of their own."""
Judge = TypeVar("Judge", bound=Check)


@dataclass(frozen=True)
class Kind:
    """What the engine and the report must know of a kind of check.

    Attributes
    ----------
    name : str
        Its name in findings and records.
    broken : Verdict or None
        For a check of a relation that must be true in every instance: the verdict of a counterexample.
    equation : bool
        Whether it compares both sides of an equation, so that a proof at sizes needs no instance.
    proves : bool
        Whether the check finds its proof without a search.
    outline : str
        Shape of its statements in the picture of a proof.
    """

    name: str
    broken: Verdict | None = None
    equation: bool = False
    proves: bool = False
    outline: str = CUT


def of_kind(kind: Kind) -> Callable[[Judge], Judge]:
    """Decorator: the check is of this kind."""

    def marked(check: Judge) -> Judge:
        check.kind = kind  # type: ignore[attr-defined]
        return check

    return marked


def kind_of(check: Check) -> Kind:
    """The kind of a check; of a check without one, a kind of its name about which nothing is known."""
    found = getattr(check, "kind", None)
    return found if isinstance(found, Kind) else Kind(getattr(check, "__name__", "check"))


def names_of_relations(claim: Claim) -> frozenset[str]:
    """Names of a claim's checks of relations that must be true in every instance."""
    return frozenset(kind.name for kind in map(kind_of, claim.checks) if kind.broken)


@cache
def kinds() -> dict[str, Kind]:
    """All kinds of checks by name, from the modules of this package."""
    package = import_module(__package__)
    modules = (import_module(f"{package.__name__}.{found.name}") for found in iter_modules(package.__path__))
    found = (value for module in modules for value in vars(module).values() if isinstance(value, Kind))
    return {kind.name: kind for kind in found}
