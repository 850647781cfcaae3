"""Table on vacuity: for each statement the answers to five questions, its tightest world, and its figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from verify.engine.checks.vacuity import FREE_LUNCH, NEEDED, PLACEBO
from verify.report.entries import Entry, Record
from verify.report.values import condition
from verify.report.wording import sentence

ASKED = tuple(kind.name for kind in (FREE_LUNCH, PLACEBO, NEEDED))
"""Checks that answer the questions; the search for a counterexample also gives the world and the ratio."""


@dataclass(frozen=True)
class Answers:
    """Answers from a record; empty if it has none.

    Attributes
    ----------
    entry : Entry
        The statement.
    world : str
        Sizes of an instance that meets all its conditions.
    free : str
        An instance at which the bound is below the trivial bound of the same conditions.
    needed : str
        The conditions that the statement needs.
    placebo : str
        The non-learning algorithms that violate it.
    alone : str
        Whether its conditions alone imply it.
    figure : str
        The headline in whose figure it is drawn.
    """

    entry: Entry
    world: str
    free: str
    needed: str
    placebo: str
    alone: str
    figure: str

    @property
    def missing(self) -> tuple[str, ...]:
        """Questions without an answer; false statements and statements that do not follow have no questions."""
        if not self.entry.stands:
            return ()
        return tuple(
            name for name in ("world", "free", "needed", "placebo", "alone") if not getattr(self, name)
        )


def vacuity(found: Sequence[Entry], figures: Mapping[str, str]) -> list[Answers]:
    """Answers of all statements that a headline's figure shows or whose checks ask a question, in the order of `found`.

    Parameters
    ----------
    figures : mapping of str to str
        Statement -> the headline in whose figure it is drawn.
    """
    return [
        _answers(entry, figures.get(entry.id, ""))
        for entry in found
        if entry.id in figures or _has_questions(entry)
    ]


def _has_questions(entry: Entry) -> bool:
    return any(finding["check"] in ASKED for finding in entry.record["evidence"])


def _answers(entry: Entry, figure: str) -> Answers:
    by_check: dict[str, list[Record]] = {name: [] for name in ASKED}
    for finding in entry.record["evidence"]:
        by_check.setdefault(finding["check"], []).append(finding)
    return Answers(
        entry,
        _world(entry.record),
        "; ".join(sentence(finding["reason"]) for finding in by_check[FREE_LUNCH.name]),
        "; ".join(_conditions(entry, finding) for finding in by_check[NEEDED.name]),
        "; ".join(map(_placebos, by_check[PLACEBO.name])),
        ("yes" if any(map(_from_conditions, entry.record["evidence"])) else "no")
        if by_check[NEEDED.name]
        else "",
        figure,
    )


def _from_conditions(finding: Record) -> bool:
    """Whether a finding is a proof from conditions alone, independent of any algorithm; lemmas speak of the algorithm."""
    if "derived_from" in (finding.get("details") or {}):
        return False
    proof = finding.get("proof") or {}
    rests_on = proof.get("rests_on", {})
    return "certificate" in proof and not (rests_on.get("premises") or rests_on.get("textbook"))


def _conditions(entry: Entry, finding: Record) -> str:
    """The number of needed conditions and their list; other conditions are not needed, or cannot be broken in the
    worlds.
    """
    details = finding.get("details") or {}
    names = [condition(name) for name in details.get("fails at", ())]
    count = details.get("asked", len(entry.record["statement"]["conditions"]))
    return f"{len(names)} of {count}{': ' if names else ''}{', '.join(names)}"


def assumptions_needed(entry: Entry) -> str:
    """Which assumptions of a statement were broken alone, and what followed; empty if its checks do not ask."""
    asked = (finding for finding in entry.record["evidence"] if finding["check"] == NEEDED.name)
    return "; ".join(sentence(finding["reason"]) for finding in asked)


def _placebos(finding: Record) -> str:
    """The number of non-learning algorithms that fail, and the list of those that do not; or why none is tried."""
    details = finding.get("details") or {}
    if "breaks_for" not in details:
        return sentence(finding["reason"])
    fail, met = details["breaks_for"], [*details["holds_for"], *details.get("untried", ())]
    return f"{len(fail)} of {len(fail) + len(met)} fail{'; met by ' if met else ''}{', '.join(met)}"


def _world(record: Record) -> str:
    """Sizes of the tightest instance, or of an instance in a finding; otherwise how many instances met all conditions."""
    for finding in record["evidence"]:
        instance = finding["witness"] or (finding.get("details") or {}).get("point")
        if instance:
            return ", ".join(f"{name} = {size}" for name, size in instance["shape"].items()) or "numbers"
    met = sum(finding["trials"] or 0 for finding in record["evidence"])
    return f"{met:,} instances" if met else ""
