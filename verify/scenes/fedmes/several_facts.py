"""Facts about consecutive steps along batch gradients: the effect of each step, the product of the rates, and the start."""

from __future__ import annotations

import bounds.fedmes.descent as b
from bounds.relations import eq
from nqm.fields import Array
from verify.engine.model.scene import Values
from verify.scenes.fedmes.smooth_losses import OF_SEVERAL
from verify.scenes.norms_of_sums import AnyNumber
from verify.scenes.summands import by_definition, definition

STARTS = (eq(b.gap_mean, b.gap_1), eq(b.shrunk_before, 1))
"""Initial values before the first step."""


def one_more(before: Array, least: Array, rate: Array) -> Array:
    """A product of 1 - eta_i c mu A_i with one more factor, of c mu = `least` and eta_i A_i = `rate`."""
    return before * (1 - least * rate)


def shrinking(least: Array, rates: Array, r: int) -> Values:
    """These products after r, r + 1 and r + 2 steps, with rates (batch, r + 2 or more), and the rates after r steps."""
    over = [1 + 0 * least]
    for step in range(r + 2):
        over.append(one_more(over[-1], least, rates[:, step]))
    return {
        **{"shrunk_before": over[r], "shrunk": over[r + 1], "shrunk_more": over[r + 2]},
        **{"eta_s": rates[:, r], "eta_next": rates[:, r + 1]},
    }


def facts_of_several() -> tuple[AnyNumber, ...]:
    """Facts about the effect of a step, its rate, and the product of the rates."""
    return OF_SEVERAL, by_definition(b.RATE), definition(b.SHRINKS)


FIRST_STEP = tuple(map(definition, STARTS))
"""Before the first step nothing has been drawn, and no rate is a factor."""
