"""Are the numbers of a table consistent with their definitions and with each other? Every row is recomputed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from bounds.catalogue import statement
from bounds.statement import Statement
from bounds.symbols import domain_of
from verify.engine.checks.kinds import Kind, of_kind
from verify.engine.checks.power import Power, of_digits
from verify.engine.checks.rounding import Fit, Row, fit_of, halves_of, read_number
from verify.engine.checks.unjudged import UNJUDGED
from verify.engine.model.claim import Budget, Claim
from verify.engine.model.instance import Instance
from verify.engine.model.scene import Box, Scene, Shape
from verify.engine.proof.sizes import proof_at
from verify.engine.search.witness import Witness, confirm
from verify.engine.tactics.numbers import certified
from verify.engine.verdict import Finding, Method, Reason, Verdict, because

TABLE = Kind("table", proves=True)

Column: TypeAlias = "str | Fraction | Sequence[Column]"
"""A reported number as text or as a fraction, so that it is exact; or a list of such numbers."""
ASKED = Verdict.REFUTED
"""Verdict of a failing row for a question of the toolkit, which asks more than the source claims."""
_RANGES = {"positive": Box(1e-6, 1e6, scale="log"), "nonnegative": Box(0, 1e6), "real": Box(-1e6, 1e6)}


def row(shape: Shape, columns: Mapping[str, Column]) -> Instance:
    """The instance of the claim's scene given by a row of reported numbers."""
    return Instance(shape, {name: _exact(column) for name, column in columns.items()}, {})


def printed_row(shape: Shape, columns: Mapping[str, Any]) -> Row:
    """The same for printed numbers: each stands for all numbers that round to it.

    Raises
    ------
    ValueError
        If a number cannot be read.
    """
    read = {name: read_number(printed) for name, printed in columns.items()}
    values, halves = ({name: np.array(pair[k], dtype=object) for name, pair in read.items()} for k in (0, 1))
    return Row(shape, values, {}, halves)


def printed_in(paper: str) -> Callable[..., Claim]:
    """Maker of claims about one paper, ``claim(id, rows, **how)``: the statement holds in every row of printed numbers.

    `id` is given without the paper's key. Rows have a column for each quantity of the statement; whole-number quantities are
    part of the shape of a row. ``how`` holds further arguments of `table`.
    """

    return lambda id, rows, **how: claimed_of(statement(f"{paper}.{id}"), rows, **how)


def claimed_of(
    judged: Statement,
    rows: Mapping[str, Instance],
    power: Power = of_digits,
    failing: Verdict = Verdict.INCONSISTENT,
) -> Claim:
    """The claim that a statement holds in every row of printed numbers."""
    counts = dict.fromkeys((s.name for s in judged.symbols if domain_of(s) == "count"), 1)
    reals = {s.name: _RANGES[domain_of(s)] for s in judged.symbols if s.name not in counts}
    scene = Scene(f"printed numbers of {judged.id}", (counts,), lambda shape: reals, lambda shape, values: {})
    return Claim(judged, (table(rows, power, failing),), scene)


def leading(
    scores: Mapping[tuple[str, str], Fraction],
    leaders: Iterable[tuple[str, str]],
    digits: Mapping[tuple[str, str], Fraction] = MappingProxyType({}),
) -> dict[str, Instance]:
    """Rows with the score of a leader, ``ahead``, and that of every other method in its experiment, ``behind``.

    Parameters
    ----------
    scores : mapping of (experiment, method) to number
        Larger scores are better.
    leaders : iterable of (experiment, method)
        The methods that are claimed to be better than all others of their experiment.
    digits : mapping of (experiment, method) to number
        One unit of the last digit of rounded scores; scores without an entry are exact.
    """

    def compared(experiment: str, leader: str, method: str) -> Instance:
        keys = {"ahead": (experiment, leader), "behind": (experiment, method)}
        columns = {name: np.array(scores[key], dtype=object) for name, key in keys.items()}
        halves = {
            name: np.array(digits.get(key, Fraction(0)) / 2, dtype=object) for name, key in keys.items()
        }
        return Row({}, columns, {}, halves)

    return {
        f"{experiment}: {leader} against {method}": compared(experiment, leader, method)
        for experiment, leader in leaders
        for other, method in scores
        if other == experiment and method != leader
    }


def table(
    rows: Mapping[str, Instance], power: Power = of_digits, failing: Verdict = Verdict.INCONSISTENT
) -> Callable[[Claim, Budget, int], Finding]:
    """Check that the relation holds in every row, and report how often random numbers would fail.

    Printed numbers (`printed_row`) are rounded: a row is inconsistent only if no numbers that round to it satisfy the
    relation. Rows that hold for all numbers carry no information and are left out; if all rows are of this kind, there is no
    verdict.

    Parameters
    ----------
    rows : mapping of str to Instance
        The instance of each row, by the name shown to readers.
    power : callable
        Share of random numbers that fail.
    failing : Verdict
        Verdict if a row fails: by default two places of the source are inconsistent; `ASKED` if the row contradicts nothing
        in the source.

    Raises
    ------
    ValueError
        If there are no rows; while judging, if a row does not meet the conditions of the statement.
    """
    if not rows:
        raise ValueError("`rows` must have a row at least, got none")

    @of_kind(TABLE)
    def check(claim: Claim, budget: Budget, seed: int) -> Finding:
        del budget, seed
        every = {name: _recomputed(claim, name, instance) for name, instance in rows.items()}
        fits = {name: fit_of(claim.question, instance) for name, instance in rows.items()}
        powers = power(claim, rows)
        dull = {name for name, fit in fits.items() if fit.possible and not powers.of.get(name, 1)}
        found = {name: witness for name, witness in every.items() if name not in dull}
        wrong = {name: witness for name, witness in found.items() if fits[name].possible is False}
        if not wrong and powers.of and not any(powers.of.values()):
            reason = because("rows-cannot-fail", rows=len(rows))
            return Finding(UNJUDGED.name, Verdict.NOT_JUDGED, "exact", reason, details={"rows": {}})
        method: Method = (
            "exact" if all(witness.method == "exact" for witness in found.values()) else "interval"
        )
        details: dict[str, Any] = {
            "rows": {name: _sides(witness, fits[name]) for name, witness in found.items()},
            "power": {name: float(share) for name, share in powers.of.items() if share},
        }
        tested = len(details["power"])
        tried: Reason = because(
            "rows-power", what=powers.what, differ=float(powers.expected), of=tested, left_out=len(dull)
        )
        if not wrong:
            agreed = _finding_of_agreement(
                claim, {name: (rows[name], fits[name]) for name in found}, method, details
            )
            return replace(agreed, reason=agreed.reason + tried)
        worst = next(iter(wrong.values()))
        printed = any(map(halves_of, rows.values()))
        reason = because("rows-differ", names=list(wrong), rows=len(found), rounded=printed) + tried
        return Finding(TABLE.name, failing, method, reason, len(found), witness=worst, details=details)

    return check


def _finding_of_agreement(
    claim: Claim, rows: Mapping[str, tuple[Instance, Fit]], method: Method, details: dict[str, Any]
) -> Finding:
    """The finding if no row is inconsistent: proved, with a certificate, if every row has numbers that round to it and
    satisfy the relation.
    """
    assert claim.scene is not None
    rounded = [name for name, (row, fit) in rows.items() if fit.numbers is not row]
    open_ = [name for name, (_, fit) in rows.items() if fit.possible is None]
    reason = because("rows-agree", rows=len(rows), rounded=len(rounded), undecided=open_)
    numbers = [fit.numbers for _, fit in rows.values() if fit.numbers is not None]
    proof = proof_at(
        ({},), [certified(claim.relation, number.values(claim.scene, "exact")) for number in numbers]
    )
    lacking = proof["uncertified"] + len(rows) - len(numbers)
    if lacking:
        reason += because("numbers-uncertified", count=lacking)
        return Finding(TABLE.name, Verdict.UNREFUTED, method, reason, len(rows), details=details)
    return Finding(TABLE.name, Verdict.PROVED, method, reason, len(rows), details=details, proof=proof)


def _recomputed(claim: Claim, name: str, instance: Instance) -> Witness:
    if claim.scene is None:
        raise ValueError(f"{claim.statement.id}: a table needs a scene whose parameters are its columns")
    witness = confirm(claim.question, instance)
    broken = [str(condition.relation) for condition in witness.conditions if not condition.holds]
    if broken:
        raise ValueError(f"{claim.statement.id}: row {name!r} does not meet {', '.join(broken)}")
    return witness


def _sides(witness: Witness, fit: Fit) -> dict[str, object]:
    """Both sides at the printed numbers, and whether some numbers that round to them satisfy the relation."""
    relation, columns = witness.relation, witness.instance.record()["parameters"]
    rounded = {"rounded": True} if fit.possible and not relation.holds else {}
    holds = fit.possible is not False
    return {"lhs": relation.small, "rhs": relation.large, "holds": holds, **rounded, "columns": columns}


def _exact(column: Column) -> np.ndarray:
    found: np.ndarray = np.vectorize(Fraction, otypes=[object])(np.array(column, dtype=object))
    return found
