"""Quantities over all past rounds: their number, sums and minima, and the update of these by one more round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp

from bounds.cflag.so_far import ONE_MORE, least_of, passed
from bounds.cflag.symbols import T
from bounds.relations import eq
from nqm.fields import Array, maximum
from verify.engine.model.scene import Box, Fact, Named, Scene, Shape, Values
from verify.scenes.lengths import excess


@dataclass(frozen=True)
class SoFar:
    """Number of past rounds, and the sum and minimum of a quantity over them (before any round: its value in the first)."""

    rounds: Array
    total: Array
    least: Array

    def and_then(self, now: Array) -> SoFar:
        """The result after one more round."""
        return SoFar(self.rounds + 1, self.total + now, -maximum(-self.least, -now))


def told(name: str, each: Sequence[Array], r: int) -> Values:
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
) -> tuple[Fact, ...]:
    """Facts about the update of a sum, of the number of rounds and of a minimum by one more round."""

    def compute(shape: Shape, values: Named) -> Values:
        before = SoFar(values["rounds"], values["total"], values["least"])
        after = before.and_then(values["now"])
        known = {now: values["now"], total: before.total, total_next: after.total}
        known |= {least: before.least, least_next: after.least}
        return {
            **{symbol.name: value for symbol, value in known.items()},
            **{"passed": before.rounds, "passed_next": after.rounds},
            "slack old": excess(-before.least, [-values["now"]]),
            "slack new": excess(-values["now"], [-before.least]),
        }

    scene = Scene(
        name=f"one more round of {now.name}",
        shapes=({},),
        space=lambda shape: dict.fromkeys(("rounds", "total", "least", "now"), Box(-1, 1)),
        compute=compute,
        covers="what a sum, a number and a least value are",
    )
    letters = Scene(
        name=f"rounds of {now.name} that are over",
        shapes=({"T": T},),
        space=lambda shape: {"any": Box(0, 1)},
        compute=lambda shape, values: {"passed": 0 * values["any"] + shape["T"]},
        covers="what the letters mean",
    )
    old, new = least_of(least, least_next, now)
    return (
        Fact(eq(total_next, total + now), scene),
        Fact(ONE_MORE, scene),
        Fact(PASSED, letters),
        Fact(old, scene, "slack old"),
        Fact(new, scene, "slack new"),
    )
