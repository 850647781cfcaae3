"""Quantities over all past rounds: their number, sums and minima, and the update of these by one more round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp

from bounds.cflag.so_far import ONE_MORE, least_of, passed
from bounds.cflag.symbols import T
from bounds.relations import eq
from nqm.fields import Array, maximum
from verify.engine.model.scene import Values
from verify.scenes.norms_of_sums import AnyNumber, follows
from verify.scenes.summands import definition


@dataclass(frozen=True)
class SoFar:
    """Number of past rounds, and the sum and minimum of a quantity over them (before any round: its value in the first)."""

    rounds: Array
    total: Array
    least: Array

    def and_then(self, now: Array) -> SoFar:
        """The result after one more round."""
        return SoFar(self.rounds + 1, self.total + now, -maximum(-self.least, -now))


def sum_and_minimum(name: str, each: Sequence[Array], r: int) -> Values:
    """The sum and the minimum of a quantity over the first r rounds, and over r + 1 rounds."""
    before = SoFar(0 * each[0], 0 * each[0], each[0])
    for now in each[:r]:
        before = before.and_then(now)
    after = before.and_then(each[r])
    return {
        **{"passed": before.rounds, "passed_next": after.rounds},
        **{f"{name}_sum": before.total, f"{name}_sum_next": after.total},
        **{f"{name}_least": before.least, f"{name}_least_next": after.least},
    }


PASSED = eq(passed, T)
"""The number of past rounds after T rounds is T."""


def facts_of(
    total: sp.Symbol, total_next: sp.Symbol, now: sp.Symbol, least: sp.Symbol, least_next: sp.Symbol
) -> tuple[AnyNumber, ...]:
    """Facts about the update of a sum, of the number of rounds and of a minimum by one more round."""
    least_is = definition(eq(least_next, sp.Min(least, now)))
    return (
        *map(definition, (eq(total_next, total + now), ONE_MORE, PASSED)),
        *(follows(relation, least_is) for relation in least_of(least, least_next, now)),
    )
