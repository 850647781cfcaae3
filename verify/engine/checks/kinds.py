"""The kinds of checks: one record each. A new kind is a module with its check and a record here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from verify.engine.model.claim import Check
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


IDENTITY = Kind("identity", Verdict.REFUTED, equation=True, outline="box")
INEQUALITY = Kind("inequality", Verdict.REFUTED, outline="round")
BOUND = Kind("bound", Verdict.REFUTED, outline="stadium")
ENTAILMENT = Kind("entailment", Verdict.GAP, outline="hexagon")
ORDER = Kind("order", proves=True, outline="trapezium")
AGREEMENT = Kind("agreement", Verdict.INCONSISTENT, equation=True, outline="slanted")
FLOOR = Kind("floor", proves=True)
TABLE = Kind("table", proves=True)
APPLICABILITY = Kind("applicability")
ASSUMPTION = Kind("assumption")
FREQUENCY = Kind("frequency")
MEANS = Kind("means")
FREE_LUNCH = Kind("free lunch")
PLACEBO = Kind("placebo")
NEEDED = Kind("needed")
SHARPNESS = Kind("sharpness")
WORST_CASE = Kind("worst case")
UNJUDGED = Kind("unjudged")

KINDS = {
    kind.name: kind
    for kind in (
        *(IDENTITY, INEQUALITY, BOUND, ENTAILMENT, ORDER, AGREEMENT, FLOOR, TABLE, APPLICABILITY, ASSUMPTION),
        *(FREQUENCY, MEANS, FREE_LUNCH, PLACEBO, NEEDED, SHARPNESS, WORST_CASE, UNJUDGED),
    )
}
OF_INSTANCES = frozenset(kind.name for kind in KINDS.values() if kind.broken)
"""Names of the kinds of checks of relations that must be true in every instance."""


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
