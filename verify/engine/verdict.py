"""Verdicts and findings: what a check found out about a claim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from verify.engine.witness import Witness


Method = Literal["symbolic", "exact", "certified", "sampled"]
"""How both sides are known: as expressions, in fractions, in intervals, or from random runs with an error probability.

A search that found nothing is never a proof, whatever the method: its verdict is `HOLDS`.
"""


class Verdict(str, Enum):
    """What is known about a claim, most damaging first; its text is its value."""

    REFUTED = "refuted"
    INCONSISTENT = "inconsistent"
    GAP = "gap"
    VACUOUS = "vacuous"
    HOLDS = "holds"
    PROVED = "proved"
    NOT_APPLICABLE = "not_applicable"

    __str__ = str.__str__

    @property
    def damaging(self) -> bool:
        return self in (Verdict.REFUTED, Verdict.INCONSISTENT, Verdict.GAP, Verdict.VACUOUS)


@dataclass(frozen=True)
class Finding:
    """Outcome of one check.

    Attributes
    ----------
    check : str
        Kind of check.
    verdict : Verdict or None
        None: the check found nothing against the claim and says nothing for it.
    method : str
        How it is known: "symbolic", "exact", "certified" or "sampled".
    reason : str
        One sentence a reader can act on.
    trials : int
        Instances that met all conditions.
    tightness : float or None
        Largest lhs/rhs found.
    witness : Witness or None
        The counterexample, or the tightest instance.
    details : dict
        Plain JSON.
    proof : dict or None
        Of a proof: `certificate` (or `certificates`, one for each shape), what it `rests_on`, and the `sizes` at which
        it was checked, None if it speaks of all.
    """

    check: str
    verdict: Verdict | None
    method: Method
    reason: str
    trials: int = 0
    tightness: float | None = None
    witness: Witness | None = None
    details: dict[str, Any] = field(default_factory=dict)
    proof: dict[str, Any] | None = None

    def record(self) -> dict[str, Any]:
        return {
            "check": self.check,
            "verdict": self.verdict.value if self.verdict else None,
            "method": self.method,
            "reason": self.reason,
            "trials": self.trials,
            "tightness": self.tightness,
            "witness": self.witness.record() if self.witness else None,
            **({"details": self.details} if self.details else {}),
            **({"proof": self.proof} if self.proof else {}),
        }


def overall(findings: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Of the records of findings the one whose verdict is shown: the most damaging; among harmless ones a proof beats a survived search."""
    judged = [finding for finding in findings if finding["verdict"] is not None]
    if not judged:
        raise ValueError("a claim needs at least one check that can give a verdict")
    damage = [verdict for verdict in Verdict if verdict.damaging]
    order = [*damage, Verdict.PROVED, Verdict.HOLDS, Verdict.NOT_APPLICABLE]
    return min(judged, key=lambda finding: order.index(finding["verdict"]))
