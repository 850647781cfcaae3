"""Values of a counterexample for a reader with a pencil: short fractions, few digits, and only the case that breaks the relation.

A scene computes some quantities for several outcomes of a draw or several steps at once. The relation must hold in each case, so one
case is enough for a counterexample.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from bounds.evaluate import evaluate
from verify.engine.records.replay import question_and_instance, values_of
from verify.engine.work.errors import UsageError
from verify.report.values import MOST, side_texts, sides

DIGITS = 4
"""Digits of a number that is no short fraction."""
SHORT = 7
"""Limit on the digits of numerator and denominator of a short fraction, together."""


def values_in_broken_case(witness: Mapping[str, Any]) -> Mapping[str, Any]:
    """Every quantity of the instance of a witness, by name, in the case whose sides the witness gives.

    Sequences keep all entries. Nothing is selected if the relation has one case.
    """
    values = values_of(witness)
    try:
        question, instance = question_and_instance(witness)
        computed = instance.values(question.scene, "float")
        shown = zip(question.relation.args, sides(witness), strict=True)
        off = sum(
            abs(np.asarray(evaluate(side, computed), dtype=float) - np.mean(ends)) for side, ends in shown
        )
    except (UsageError, LookupError, TypeError, ArithmeticError, ValueError):
        return values
    if off.ndim < 2 or off.shape[0] != 1 or off.size == 1 or not np.isfinite(off).any():
        return values
    cases = off.shape[1:]
    place = tuple(map(int, np.unravel_index(int(np.nanargmin(off)), cases)))
    parts = (question.relation, *question.conditions)
    series = {base.label.name for part in parts for base in part.atoms(sp.IndexedBase)}
    return {name: value if name in series else _at(value, place, cases) for name, value in values.items()}


def _at(value: Any, place: Sequence[int], shape: Sequence[int]) -> Any:
    """The value in one case; unchanged if it is not a value for each case."""
    if not isinstance(value, np.ndarray) or value.ndim < len(shape):
        return value
    leading = value.shape[: len(shape)]
    if not all(size in (1, cases) for size, cases in zip(leading, shape, strict=True)):
        return value
    return value[tuple(0 if size == 1 else k for size, k in zip(leading, place, strict=True))]


def short_text(value: Any) -> str:
    """A number, or an array without axes of length 1: ``2``, ``16/31``, ``(0, 3/4)``, ``3/4 in each entry``."""
    if value is None:
        return "none"
    array = np.asarray(value, dtype=object).squeeze()
    if not array.ndim:
        return _number_text(array.item())
    texts = {_number_text(number) for number in array.flat}
    return f"{texts.pop()} in each entry" if len(texts) == 1 else _list_text(array)


def _list_text(array: Any) -> str:
    if not isinstance(array, np.ndarray | list):
        return _number_text(array)
    more = ", …" if len(array) > MOST else ""
    return f"({', '.join(map(_list_text, array[:MOST]))}{more})"


def _number_text(value: Any) -> str:
    if isinstance(value, int | np.integer):
        return str(value)
    try:
        number = float(Fraction(value)) if isinstance(value, str) else float(value)
    except (TypeError, ValueError, ZeroDivisionError, OverflowError):
        return str(value)
    if not np.isfinite(number):
        return str(number)
    rounded = f"{number:.{DIGITS}g}"
    if float(rounded) == number:
        return decimal(sp.Float(number))
    exact = Fraction(number).limit_denominator(10**SHORT)
    alike = abs(float(exact) - number) <= 1e-12 * abs(number)
    if alike and len(f"{abs(exact.numerator)}{exact.denominator}") <= SHORT:
        return str(exact)
    return decimal(sp.Float(number))


def decimal(value: sp.Float) -> str:
    """A number with four digits: ``0.5``, ``40510``, ``2.816*10^76``, ``10^-5``."""
    number = Decimal(str(sp.N(value, DIGITS)))
    power = number.adjusted()
    if -DIGITS <= power < 2 * DIGITS:
        return f"{number.normalize():f}"
    digits = f"{number.scaleb(-power).normalize():f}"
    return f"{digits.removesuffix('1')}10^{power}" if digits in ("1", "-1") else f"{digits}*10^{power}"


def short_sides(witness: Mapping[str, Any]) -> tuple[str, str]:
    """The left and the right side in the order of the relation, with no more digits than they need to look different."""
    texts = [short_text(np.mean(ends)) for ends in sides(witness)]
    return (texts[0], texts[1]) if texts[0] != texts[1] else side_texts(witness)
