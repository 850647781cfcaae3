"""A judged claim as an object: `judge(claim)` returns its record, with attributes and a rich display in notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

from bounds.mathml import mathml
from verify.engine.judge import judge as record_of_checks
from verify.engine.links import with_final_verdicts
from verify.engine.model.claim import BUDGETS, Claim
from verify.engine.work.errors import UsageError
from verify.report.wording import sentence

_SIDES = {"left": "lhs", "right": "rhs"}
LABEL, WIDTH = 80, 320
"""Pixels of the label of a bar and of the longest bar."""


class Record(dict[str, Any]):
    """A mapping, as saved in JSON, whose entries are also attributes."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"a record has no {name!r}; it has {', '.join(self)}") from None

    @property
    def reason(self) -> str:
        """The reason in words; the entry of this name has codes and fields."""
        return sentence(self["reason"])


class FindingRecord(Record):
    """The finding of one check.

    ``check``, ``verdict`` (None if the check finds nothing against the claim and does not support it), ``method``,
    ``reason``, ``trials``, ``tightness``, ``witness``; some also have ``details`` and ``proof``.
    """

    def _repr_markdown_(self) -> str:
        """Check, verdict, reason, and both sides of the instance, for notebooks."""
        lines = [f"**{self._words()}**", self.reason]
        return "\n\n".join([*lines, "\n".join(_instance(self["witness"]))] if self["witness"] else lines)

    def _repr_html_(self) -> str:
        """The same as HTML, with bars for both sides of the instance."""
        lines = [f"<p><b>{escape(self._words())}</b></p>", f"<p>{escape(self.reason)}</p>"]
        return "\n".join([*lines, *_html_of_instance(self["witness"])])

    def _words(self) -> str:
        tried = f"{self['trials']} instances met the conditions"
        return f"{self['check']}: {self['verdict'] or 'no verdict'} ({self['method']}; {tried})"

    def __repr__(self) -> str:
        return f"<{self['check']}: {self['verdict'] or 'no verdict'}, {self.reason}>"


class Judged(Record):
    """The record of a claim.

    ``verdict``, ``reason``, ``tightness``, ``witness`` (the counterexample, or the tightest instance), ``proof``,
    ``evidence`` (the finding of every check, each a `FindingRecord`), ``statement``, ``seconds``.
    """

    def __init__(self, record: Mapping[str, Any]) -> None:
        super().__init__({**record, "evidence": [FindingRecord(one) for one in record["evidence"]]})

    def _repr_markdown_(self) -> str:
        """Verdict, formula, conditions, and both sides of the deciding instance, for notebooks."""
        statement, witness = self["statement"], self["witness"]
        lines = [f"**{self['id']}**: {self['verdict']}", f"$$ {statement['latex']} $$", self.reason]
        if statement["conditions"]:
            lines.append("if " + ", ".join(f"`{one}`" for one in statement["conditions"]))
        if witness:
            lines.append("\n".join(_instance(witness)))
        return "\n\n".join(lines)

    def _repr_latex_(self) -> str:
        """The formula as LaTeX, for notebooks."""
        return f"$\\displaystyle {self['statement']['latex']}$"

    def _repr_html_(self) -> str:
        """The same as HTML, with the formula in MathML and bars for both sides of the deciding instance."""
        statement = self["statement"]
        lines = [
            f"<p><b>{escape(self['id'])}</b>: {escape(self['verdict'])}</p>",
            f"<p>{mathml(statement['latex'])}</p>",
        ]
        lines.append(f"<p>{escape(self.reason)}</p>")
        if statement["conditions"]:
            conditions = ", ".join(f"<code>{escape(one)}</code>" for one in statement["conditions"])
            lines.append(f"<p>if {conditions}</p>")
        return "\n".join([*lines, *_html_of_instance(self["witness"])])

    def __repr__(self) -> str:
        return f"<{self['id']}: {self['verdict']}, {self.reason}>"


def judge(claim: Claim, budget: str = "default", seed: int = 0, among: Iterable[Claim] = ()) -> Judged:
    """Judge a claim and return its record.

    Parameters
    ----------
    budget : {"quick", "default", "full"}
        Effort of the searches.
    seed : int
        Seed of the searches.
    among : iterable of Claim
        Claims of the same file that may supply premises.

    Raises
    ------
    UsageError
        If the budget is unknown.
    """
    if budget not in BUDGETS:
        raise UsageError(f"`budget` must be one of {', '.join(BUDGETS)}, got {budget!r}")
    others = [one for one in among if one.statement.id != claim.statement.id]
    records = [record_of_checks(one, budget, seed, [claim, *others]) for one in (claim, *others)]
    return Judged(with_final_verdicts(records)[0])


def _instance(witness: Mapping[str, Any]) -> list[str]:
    """A table of an instance in Markdown."""
    return ["| quantity | value |", "|---|---|", *(f"| {name} | {value} |" for name, value in _rows(witness))]


def _html_of_instance(witness: Mapping[str, Any] | None) -> list[str]:
    """A table and a picture of an instance in HTML; nothing if there is none."""
    if not witness:
        return []
    cells = (f"<tr><td>{escape(name)}</td><td>{escape(value)}</td></tr>" for name, value in _rows(witness))
    return [f"<table>{''.join(cells)}</table>", _bars(witness)]


def _rows(witness: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Every number of an instance, both sides, and the slack of every condition."""
    numbers = {**witness["shape"], **witness["parameters"], **witness["steps"]}
    return [
        *((name, str(value)) for name, value in numbers.items()),
        *((f"{side} side", _middle(witness[key])) for side, key in _SIDES.items()),
        *((f"slack of `{one['text']}`", f"{one['slack']:.6g}") for one in witness["conditions"]),
    ]


def _bars(witness: Mapping[str, Any]) -> str:
    """Both sides of an instance as bars in SVG; from a common zero if one side is negative."""
    heights = {side: sum(witness[key]) / 2 for side, key in _SIDES.items()}
    largest = max(map(abs, heights.values())) or 1
    zero = WIDTH / 2 if min(heights.values()) < 0 else 0
    rows = []
    for row, (side, height) in enumerate(heights.items()):
        length = abs(height) / largest * (WIDTH - zero)
        start = LABEL + zero - (length if height < 0 else 0)
        rows.append(
            f'<text x="0" y="{20 * row + 15}">{side} side</text>'
            f'<rect x="{start:.1f}" y="{20 * row + 4}" width="{length:.1f}" height="14" fill="#0072b2"></rect>'
        )
    size = f'width="{LABEL + WIDTH}" height="44" font-size="13" fill="currentColor"'
    return f'<svg {size} role="img" aria-label="both sides as bars">{"".join(rows)}</svg>'


def _middle(ends: Any) -> str:
    low, high = ends
    return f"{low:.6g}" if low == high else f"{low:.6g} to {high:.6g}"
