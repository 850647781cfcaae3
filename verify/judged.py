"""A judged claim as an object: `judge(claim)` returns its record, with attributes and a rich display in notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from verify.engine.judge import judge as record_of_checks
from verify.engine.links import linked
from verify.engine.model.claim import BUDGETS, Claim
from verify.engine.work.errors import UsageError


class Judged(dict[str, Any]):
    """The record of a claim: a mapping, as saved in JSON. Its entries are also attributes.

    ``verdict``, ``reason``, ``tightness``, ``witness`` (the counterexample, or the tightest instance), ``proof``,
    ``evidence`` (the finding of every check), ``statement``, ``seconds``.
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"a record has no {name!r}; it has {', '.join(self)}") from None

    def _repr_markdown_(self) -> str:
        """Verdict, formula, conditions, and both sides of the deciding instance, for notebooks."""
        statement, witness = self["statement"], self["witness"]
        lines = [f"**{self['id']}**: {self['verdict']}", f"$$ {statement['latex']} $$", self["reason"]]
        if statement["conditions"]:
            lines.append("if " + ", ".join(f"`{one}`" for one in statement["conditions"]))
        if witness:
            lines.append("\n".join(_instance(witness)))
        return "\n\n".join(lines)

    def __repr__(self) -> str:
        return f"<{self['id']}: {self['verdict']}, {self['reason']}>"


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
    return Judged(linked(records)[0])


def _instance(witness: Mapping[str, Any]) -> list[str]:
    """A table of an instance: every number, both sides, and the slack of every condition."""
    rows = [
        f"| {name} | {value} |"
        for name, value in {**witness["shape"], **witness["parameters"], **witness["steps"]}.items()
    ]
    rows += [
        f"| {side} side | {_middle(witness[key])} |" for side, key in (("left", "lhs"), ("right", "rhs"))
    ]
    rows += [f"| slack of `{one['text']}` | {one['slack']:.6g} |" for one in witness["conditions"]]
    return ["| quantity | value |", "|---|---|", *rows]


def _middle(ends: Any) -> str:
    low, high = ends
    return f"{low:.6g}" if low == high else f"{low:.6g} to {high:.6g}"
