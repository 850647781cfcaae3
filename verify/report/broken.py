"""Whether a step of a proof fails at the counterexample of a theorem that rests on it.

A false step need not be the reason why a theorem fails. For example, the step may be false only if clients return, while no
client returns in the theorem's counterexample. So the step is evaluated at the values of the theorem's counterexample. If
some of its symbols have no value there, a proved variant may still decide. The counterexample must meet the further conditions
of the variant, and the variant must imply the step or its contrary there.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np
import sympy as sp
from sympy.core.relational import Relational

from bounds.catalogue import conditions
from bounds.evaluate import evaluate
from bounds.hypotheses import Hypothesis
from bounds.statement import Statement
from verify.engine.records.replay import values_of
from verify.engine.verdict import SHOWN
from verify.report.entries import Entry, breaks

Values = Mapping[str, float]
ROUNDING = 1e-9
"""Relative difference up to which two sides count as equal."""
ZERO = {Hypothesis.NEW_CLIENTS: "returning"}
"""Hypotheses that hold where a quantity of this name is 0."""


def counterexample_values(entry: Entry) -> dict[str, float]:
    """The numbers of the counterexample of a statement, by name; none if it has no counterexample."""
    witnesses = [found["witness"] for found in entry.findings if found["witness"] and breaks(found)]
    if entry.statement is None or not entry.damaged or not witnesses:
        return {}
    found = values_of(witnesses[0])
    return {name: float(np.squeeze(value)) for name, value in found.items() if np.size(value) == 1}


def fails_at(step: Entry, variants: Iterable[Entry], values: Values) -> bool | None:
    """Whether a step fails at some values; None if they do not decide it."""
    if step.statement is None or not isinstance(step.statement.relation, Relational):
        return None
    for variant in variants:
        if _applies(variant, step.statement, values):
            apart = _apart(variant.statement, step.statement, values)
            if apart is not None:
                return apart
    known = {**_fixed(step.conditions), **values}
    met = [holds(condition, known) for condition in step.conditions]
    if False in met:
        return False
    claimed = holds(step.statement.relation, known)
    return None if claimed is None or (not claimed and None in met) else not claimed


def holds(relation: Relational, values: Values) -> bool | None:
    """Whether a relation holds at some values, up to rounding; None if one of its symbols has no value."""
    names = {symbol.name for symbol in relation.free_symbols}
    if not names <= values.keys() or relation.atoms(sp.Indexed):
        return None
    try:
        with np.errstate(all="ignore"):
            left, right = (float(evaluate(side, dict(values))) for side in (relation.lhs, relation.rhs))
    except (ArithmeticError, ValueError, TypeError):
        return None
    if not (math.isfinite(left) and math.isfinite(right)):
        return None
    alike = abs(left - right) <= ROUNDING * max(abs(left), abs(right))
    if isinstance(relation, sp.Eq | sp.Ne):
        return alike == isinstance(relation, sp.Eq)
    if alike:
        return isinstance(relation, sp.Le | sp.Ge)
    return (left < right) == isinstance(relation, sp.Le | sp.Lt)


def lacks(variant: Entry, step: Entry, values: Values) -> bool:
    """Whether some values break a further condition of a proved variant with the formula of a step."""
    found, own = variant.statement, step.statement
    if found is None or own is None or variant.verdict not in SHOWN or found.relation != own.relation:
        return False
    return any(holds(condition, values) is False for condition in _further(found, own))


def _applies(variant: Entry, step: Statement, values: Values) -> bool:
    """Whether a variant is proved and its further conditions hold at some values."""
    found = variant.statement
    if found is None or variant.verdict not in SHOWN:
        return False
    hypotheses = set(found.hypotheses) - set(step.hypotheses)
    return all(values.get(ZERO.get(one, "")) == 0 for one in hypotheses) and all(
        holds(condition, values) for condition in _further(found, step)
    )


def _further(variant: Statement, step: Statement) -> set[Relational]:
    return set(conditions(variant)) - set(conditions(step))


def _apart(variant: Statement | None, step: Statement, values: Values) -> bool | None:
    """Whether a true variant of a step contradicts it at some values; False if both say the same there, None if neither."""
    one, other = variant and variant.relation, step.relation
    if not isinstance(one, Relational) or not isinstance(other, Relational):
        return None
    numbers = {name: sp.Rational(value) for name, value in values.items() if math.isfinite(value)}

    def at(part: sp.Expr) -> sp.Expr:
        return part.subs(
            {symbol: numbers[symbol.name] for symbol in part.free_symbols if symbol.name in numbers}
        )

    if type(one) is not type(other) or one.lhs != other.lhs:
        return None
    difference = sp.simplify(at(one.rhs) - at(other.rhs))
    if difference == 0:
        return False
    return True if isinstance(one, sp.Eq) and difference.is_number else None


def _fixed(conditions: Iterable[Relational]) -> dict[str, float]:
    """Values of symbols that a condition sets to a number."""
    return {
        condition.lhs.name: float(condition.rhs)
        for condition in conditions
        if isinstance(condition, sp.Eq) and isinstance(condition.lhs, sp.Symbol) and condition.rhs.is_number
    }
