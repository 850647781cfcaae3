"""Verdicts and findings: the results of checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from verify.engine.search.witness import Witness


Method = Literal["symbolic", "exact", "interval", "sampled"]
"""How both sides are known: as expressions, in fractions, in intervals, or from random runs with an error probability.
A search without a counterexample is never a proof, whatever the method: its verdict is `UNREFUTED`.
"""


Reason: TypeAlias = list[dict[str, Any]]
"""Why a finding is as it is: clauses, each with a ``code`` and its fields, as plain JSON. `verify.report.wording` has the
sentence of every code.
"""


def because(code: str, **fields: Any) -> Reason:
    """A reason of one clause. Reasons are joined by ``+``."""
    return [{"code": code, **fields}]


def ratio_seen(ratio: float | None) -> Reason:
    """The largest lhs/rhs of the instances that were tried beside a proof; no clause if there is none."""
    return [] if ratio is None else because("ratio-seen", ratio=ratio)


class Verdict(str, Enum):
    """The judgement of a claim, most damaging first. The value of a verdict is its printed text.

    `UNREFUTED` is a statement of theory that a search did not break, `SUPPORTED` a sentence on experiments that the seeds
    support, `CITED` a proof that rests on a textbook lemma for which no certificate exists. `INCONCLUSIVE` means that
    instances or seeds decide nothing, `ASSUMPTION` that the statement is an assumption, which is neither true nor false.
    """

    REFUTED = "refuted"
    INCONSISTENT = "inconsistent"
    GAP = "gap"
    VACUOUS = "vacuous"
    UNREFUTED = "unrefuted"
    SUPPORTED = "supported"
    CITED = "proved (cited)"
    PROVED = "proved"
    INCONCLUSIVE = "inconclusive"
    ASSUMPTION = "assumption"
    NOT_JUDGED = "not judged"

    __str__ = str.__str__

    @property
    def damaging(self) -> bool:
        return self in (Verdict.REFUTED, Verdict.INCONSISTENT, Verdict.GAP, Verdict.VACUOUS)

    @property
    def harmless(self) -> bool:
        """Whether the statement was tested and nothing speaks against it."""
        return self in (Verdict.UNREFUTED, Verdict.SUPPORTED, Verdict.CITED, Verdict.PROVED)


HARMLESS = frozenset(verdict.value for verdict in Verdict if verdict.harmless)
"""Texts of the verdicts with which a statement stands."""
SHOWN = frozenset((Verdict.PROVED.value, Verdict.CITED.value))
"""Texts of the verdicts of a proof."""


@dataclass(frozen=True)
class Finding:
    """The outcome of one check.

    Attributes
    ----------
    check : str
        Kind of check.
    verdict : Verdict or None
        None: the check found nothing against the claim and does not support it either.
    method : str
        Kind of evidence: "symbolic", "exact", "interval" or "sampled".
    reason : list of dict
        Clauses (`Reason`).
    trials : int
        Instances that met all conditions.
    tightness : float or None
        Largest lhs/rhs found.
    witness : Witness or None
        The counterexample, or the tightest instance.
    details : dict
        Plain JSON.
    proof : dict or None
        For a proof: its `certificate` (or `certificates`, one for each shape), the statements it `rests_on`, and the `sizes`
        at which it was checked (None for all sizes).
    """

    check: str
    verdict: Verdict | None
    method: Method
    reason: Reason
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
    """The finding whose verdict is shown: the most damaging one. Among harmless findings a proof ranks before a survived
    search.
    """
    judged = [finding for finding in findings if finding["verdict"] is not None]
    if not judged:
        raise ValueError("a claim needs at least one check that can give a verdict")
    damage = [verdict for verdict in Verdict if verdict.damaging]
    harmless = [verdict for verdict in reversed(Verdict) if verdict.harmless]
    rest = [verdict for verdict in Verdict if not (verdict.damaging or verdict.harmless)]
    order = [*damage, *harmless, *rest]
    return min(judged, key=lambda finding: order.index(finding["verdict"]))
