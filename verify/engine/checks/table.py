"""Do the numbers of a table follow from their definitions and from each other? Recompute every row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from bounds.catalogue import statement
from bounds.statement import Statement
from bounds.symbols import domain_of
from verify.engine.certificates.numbers import certified
from verify.engine.claim import Budget, Claim
from verify.engine.instance import Instance
from verify.engine.scene import Box, Scene, Shape
from verify.engine.sizes import proof_at
from verify.engine.verdict import Finding, Method, Verdict
from verify.engine.witness import Witness, confirm

Column: TypeAlias = "str | Fraction | Sequence[Column]"
"""A reported number, as text or a fraction, so that it is exact; or a list of them."""


def row(shape: Shape, columns: Mapping[str, Column]) -> Instance:
    """The instance that a row of reported numbers describes, parameter by parameter of the claim's scene."""
    return Instance(shape, {name: _exact(column) for name, column in columns.items()}, {})


def printed_in(paper: str) -> Callable[[str, Mapping[str, Instance]], Claim]:
    """Maker of claims about one paper, ``claim(id, rows)``: the statement holds in every row of printed numbers.

    `id` is without the paper's key. Rows have a column for each quantity of the statement; whole-number quantities
    stand in the shape of a row.
    """

    return lambda id, rows: claimed_of(statement(f"{paper}.{id}"), rows)


def claimed_of(judged: Statement, rows: Mapping[str, Instance]) -> Claim:
    """The claim that a statement holds in every row of printed numbers."""
    counts = dict.fromkeys((s.name for s in judged.symbols if domain_of(s) == "count"), 1)
    reals = {s.name: Box(-1e6, 1e6) for s in judged.symbols if s.name not in counts}
    scene = Scene(f"printed numbers of {judged.id}", (counts,), lambda shape: reals, lambda shape, values: {})
    return Claim(judged, (table(rows),), scene)


def leading(
    scores: Mapping[tuple[str, str], Fraction], leaders: Iterable[tuple[str, str]]
) -> dict[str, Instance]:
    """Rows with the score of a leader, ``ahead``, and that of every other method in its experiment, ``behind``.

    Parameters
    ----------
    scores : mapping of (experiment, method) to number
        What is better is larger.
    leaders : iterable of (experiment, method)
        Who is said to be better than the others.
    """
    return {
        f"{experiment}: {leader} against {method}": row(
            {}, {"ahead": scores[experiment, leader], "behind": score}
        )
        for experiment, leader in leaders
        for (other, method), score in scores.items()
        if other == experiment and method != leader
    }


def table(rows: Mapping[str, Instance]) -> Callable[[Claim, Budget, int], Finding]:
    """Check that the relation holds at every row; a row where it fails shows that two places differ.

    Parameters
    ----------
    rows : mapping of str to Instance
        What each row reports, by a name for the reader.

    Raises
    ------
    ValueError
        If there are no rows; while judging, if a row does not meet the conditions of the statement.
    """
    if not rows:
        raise ValueError("`rows` must have a row at least, got none")

    def check(claim: Claim, budget: Budget, seed: int) -> Finding:
        del budget, seed
        found = {name: _recomputed(claim, name, instance) for name, instance in rows.items()}
        failing = {name: witness for name, witness in found.items() if not witness.relation.holds}
        method: Method = (
            "exact" if all(witness.method == "exact" for witness in found.values()) else "certified"
        )
        details: dict[str, Any] = {"rows": {name: _sides(witness) for name, witness in found.items()}}
        if not failing:
            return _agreed(claim, rows, method, details)
        worst = next(iter(failing.values()))
        reason = f"{len(failing)} of {len(found)} rows differ: {', '.join(failing)}"
        return Finding(
            "table", Verdict.INCONSISTENT, method, reason, len(found), witness=worst, details=details
        )

    return check


def _agreed(claim: Claim, rows: Mapping[str, Instance], method: Method, details: dict[str, Any]) -> Finding:
    """All rows agree: proved if each has a certificate."""
    assert claim.scene is not None
    reason = f"all {len(rows)} rows were recomputed and agree"
    proof = proof_at(
        ({},), [certified(claim.relation, r.values(claim.scene, "exact")) for r in rows.values()]
    )
    if proof["uncertified"]:
        reason = f"{reason}; {proof['uncertified']} numbers have no certificate"
        return Finding("table", Verdict.HOLDS, method, reason, len(rows), details=details)
    return Finding("table", Verdict.PROVED, method, reason, len(rows), details=details, proof=proof)


def _recomputed(claim: Claim, name: str, instance: Instance) -> Witness:
    if claim.scene is None:
        raise ValueError(f"{claim.statement.id}: a table needs a scene whose parameters are its columns")
    witness = confirm(claim.question, instance)
    broken = [str(condition.relation) for condition in witness.conditions if not condition.holds]
    if broken:
        raise ValueError(f"{claim.statement.id}: row {name!r} does not meet {', '.join(broken)}")
    return witness


def _sides(witness: Witness) -> dict[str, object]:
    relation, columns = witness.relation, witness.instance.record()["parameters"]
    return {"lhs": relation.small, "rhs": relation.large, "holds": relation.holds, "columns": columns}


def _exact(column: Column) -> np.ndarray:
    found: np.ndarray = np.vectorize(Fraction, otypes=[object])(np.array(column, dtype=object))
    return found
