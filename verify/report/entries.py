"""Entries of a report: saved records, linked to each other and to their statements."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sympy.core.relational import Eq, Relational

from bounds.catalogue import conditions, papers, statements
from bounds.statement import Statement
from verify.engine.links import with_final_verdicts
from verify.engine.proof.restrictions import verdict_with_restrictions
from verify.engine.records.files import read_json
from verify.engine.records.forms import NUMBER, require
from verify.engine.verdict import HARMLESS, Verdict
from verify.engine.work.errors import UsageError

Record = Mapping[str, Any]
_ENDS = [NUMBER]
_WITNESS = {
    "statement": str,
    "shape": {...: int},
    "parameters": dict,
    "steps": dict,
    "lhs": _ENDS,
    "rhs": _ENDS,
    "conditions": [{"text": str, "slack": NUMBER, "holds": bool}],
    "told?": {...: str},
}
_VERDICT = tuple(verdict.value for verdict in Verdict)
_TREE = (str, list)
_SIZES = (None, [{...: int}])
_CERTIFICATE = {"lines": [{"show?": _TREE, "given?": _TREE, "by?": str}]}
_PROOF = {
    "certificate?": (None, list, _CERTIFICATE),
    "certificates?": (None, list),
    "first_failing_step?": str,
    "sizes?": _SIZES,
}
_CLAUSE = {"code": str}
FORM = {
    "id": str,
    "kind": str,
    "verdict": _VERDICT,
    "source": {"paper": str, "version": str, "place": str, "lines": str},
    "statement": {
        **dict.fromkeys(("says", "latex", "text", "relation"), str),
        "conditions": [str],
        "hypotheses?": [str],
    },
    "changes": str,
    "uses": [str],
    "evidence": [
        {
            "check": str,
            "verdict": (None, *_VERDICT),
            "method": str,
            "reason": [_CLAUSE],
            "trials": (None, int),
            "tightness": (None, *NUMBER),
            "witness": (None, _WITNESS),
            "details?": {"derived_from?": (list, dict), "facts?": {...: [_CLAUSE]}},
        }
    ],
    "tightness": (None, *NUMBER),
    "method": str,
    "witness": (None, _WITNESS),
    "proof?": (None, _PROOF),
    "sizes?": _SIZES,
    "restrictions?": {"search": [str], "proof": [str]},
    "restricts?": [str],
    "reason": [_CLAUSE],
    "seconds": NUMBER,
}
"""The parts of a record that reports read."""
RANK = {verdict.value: place for place, verdict in enumerate(Verdict)}
"""Place of each verdict, most damaging first."""


@dataclass(frozen=True)
class Entry:
    """A record and the statement that it judges; None if the statement does not exist any more."""

    record: Record
    statement: Statement | None = None

    @property
    def id(self) -> str:
        return str(self.record["id"])

    @property
    def paper(self) -> str:
        return self.id.partition(".")[0]

    @property
    def name(self) -> str:
        """The id without its paper."""
        return self.id.partition(".")[2] or self.id

    @property
    def printed(self) -> str:
        """Id of the printed statement that this one is, or is a variant of."""
        return self.id.partition("/")[0]

    @property
    def verdict(self) -> str:
        return str(self.record["verdict"])

    @property
    def needs(self) -> list[Mapping[str, Any]]:
        """The clauses of the shown finding about relations from which the statement is proved."""
        shown = [f for f in self.record["evidence"] if f["check"] == self.record["kind"]]
        lacking = [c for f in shown for c in f.get("details", {}).get("no proof", ())]
        return [clause for clause in lacking if clause["code"] == "needs"]

    @property
    def printed_verdict(self) -> str:
        """The printed verdict, with the sizes that a proof covers."""
        return verdict_with_restrictions(self.record)

    @property
    def subject(self) -> str:
        """The item of the source: the name up to its number, ``thm4.7`` of ``thm4.7.limit/plain``."""
        found = re.match(r"[^./]+(?:\.\d+)*", self.name)
        return found.group() if found else self.name

    @property
    def free(self) -> bool:
        """Whether the statement is a trivial bound, which holds without the theorem."""
        return (
            "free" in self.id.partition("/")[2].split(".") or "without the theorem" in self.record["changes"]
        )

    @property
    def alike(self) -> bool:
        """Whether both sides of an equation are the same formula after simplification."""
        claimed = self.statement and self.statement.relation
        return isinstance(claimed, Eq) and claimed.lhs == claimed.rhs

    @property
    def is_own_question(self) -> bool:
        """Whether the source does not claim the statement, so that its authors have nothing to correct."""
        return str(self.record["changes"]).startswith("our own question")

    @property
    def added(self) -> bool:
        """Whether the source does not print the statement: a step of another proof, or a question that only the toolkit
        asks.
        """
        return self.is_own_question or str(self.record["changes"]).startswith("not of the paper")

    @property
    def summary(self) -> str:
        """The difference from the printed statement; the sentence of a statement without a printed one."""
        changes = str(self.record["changes"])
        return changes if changes and not self.added else str(self.record["statement"]["says"])

    @property
    def experiment(self) -> bool:
        """Whether the statement is a sentence on experiments."""
        return self.record["method"] == "sampled" or self.name.startswith("emp")

    @property
    def damaged(self) -> bool:
        return Verdict(self.verdict).damaging

    @property
    def stands(self) -> bool:
        return self.verdict in HARMLESS

    @property
    def ratio(self) -> str:
        """Largest lhs/rhs found, to four digits; empty if there is none, or the small side was zero in all instances."""
        found = self.record["tightness"]
        return f"{found:.4g}" if found else ""

    @cached_property
    def conditions(self) -> tuple[Relational, ...]:
        """All conditions, including those of the assumptions; none if the statement is no longer known."""
        return conditions(self.statement) if self.statement else ()

    @property
    def hypotheses(self) -> str:
        """Restrictions of the statement besides its conditions, as one phrase; empty if there are none."""
        return ", ".join(self.record["statement"].get("hypotheses", ()))

    @cached_property
    def findings(self) -> tuple[Record, ...]:
        """The findings of the checks, with the one that gives the verdict first."""
        shown = (self.record["kind"], self.verdict)
        return tuple(
            sorted(self.record["evidence"], key=lambda found: (found["check"], found["verdict"]) != shown)
        )


def breaks(finding: Record) -> bool:
    """Whether the witness of a finding is a counterexample, not the tightest instance."""
    return finding["verdict"] not in HARMLESS


def standing(variants: Iterable[Entry]) -> tuple[Entry, ...]:
    """The entries without a damaging verdict, proved ones first."""
    return tuple(sorted((one for one in variants if one.stands), key=lambda one: -RANK[one.verdict]))


def records_in(path: Path) -> list[dict[str, Any]]:
    """Records of a folder of JSON files, or of one file that holds a list of them, linked to each other.

    Raises
    ------
    UsageError
        If there are none, or a file is not a record.
    """
    try:
        files = sorted(path.glob("*.json")) if path.is_dir() else [path]
        listed = {file: _as_list(read_json(file)) for file in files}
    except OSError as error:
        hint = "" if path.exists() else "; `python -m verify` judges and writes records"
        raise UsageError(f"cannot read {path}: {error.strerror}{hint}") from error
    for file, contents in listed.items():
        for content in contents:
            try:
                require(content, FORM, "record")
            except UsageError as error:
                raise UsageError(f"{file} must hold records of statements only: {error}") from error
    found = [content for contents in listed.values() for content in contents]
    ids = [record["id"] for record in found]
    if len(set(ids)) < len(ids):
        twice = next(id for id in ids if ids.count(id) > 1)
        raise UsageError(
            f"{path} must hold one record of each statement, got {ids.count(twice)} of {twice!r}"
        )
    if not found:
        raise UsageError(f"there are no records in {path}; `python -m verify` makes them")
    return with_final_verdicts(found)


def _as_list(content: Any) -> list[Any]:
    return content if isinstance(content, list) else [content]


def entries(records: Sequence[Record], known: Mapping[str, Statement] | None = None) -> list[Entry]:
    """Linked records with their statements, in the order in which the papers' files state them.

    Parameters
    ----------
    records : iterable of dict
    known : mapping of str to Statement, optional
        Statements by id; by default those of the catalogue.
    """
    if known is None:  # reading the statements of all papers takes seconds
        named = {record["id"].partition(".")[0] for record in records}
        known = {id: found for paper in papers() if paper in named for id, found in statements(paper).items()}
    order = {id: place for place, id in enumerate(known)}
    found = [Entry(record, _same(record, known.get(record["id"]))) for record in records]
    return sorted(found, key=lambda entry: (entry.paper, order.get(entry.id, len(order)), entry.id))


def _same(record: Record, statement: Statement | None) -> Statement | None:
    """The statement, unless it has changed since it was judged."""
    return statement if statement and str(statement.relation) == record["statement"]["relation"] else None


def select(found: Sequence[Entry], patterns: Sequence[str]) -> list[Entry]:
    """Entries that match any of the patterns: papers, ids, shell patterns, topics; all if there are none.

    Raises
    ------
    UsageError
        If a pattern matches no record.
    """
    if not patterns:
        return list(found)
    ids = [entry.id for entry in found]
    chosen: set[str] = set()
    for pattern in patterns:
        hits = [entry.id for entry in found if entry.paper == pattern] or fnmatch.filter(ids, pattern)
        hits = hits or _of_topic(pattern, ids)
        if not hits:
            raise UsageError(f"no record matches {pattern!r}; `python -m verify {pattern}` would judge it")
        chosen.update(hits)
    return [entry for entry in found if entry.id in chosen]


def _of_topic(pattern: str, ids: Sequence[str]) -> list[str]:
    from verify.engine.topics import selected

    return [id for id in selected([pattern]) if id in set(ids)]
