"""C-FLAG's lower bounds: facts about one round, for any number of clients, samples, local steps and coordinates.

With past and current losses -L|x|^2/2 every local model is a multiple of the model at the start. Its factor grows from step to
step, and delayed gradients are taken at earlier models.
"""

from __future__ import annotations

import sympy as sp

from bounds.cflag import floors as b
from bounds.cflag.rate import each_gf2, first_x
from bounds.cflag.symbols import F, L, alpha, beta
from bounds.relations import eq, ge, le
from verify.engine.certificates.formulas import tree
from verify.engine.model.scene import Condition
from verify.engine.model.sums import Sums
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import AnyNumber, follows, renamed
from verify.scenes.summands import added, before, definition, over_summands, summed
from verify.scenes.trees import square

# ---------------------------------------------------------------------------------------------- one concave loss

_factor, _least, _delayed, _sum, _share, _shares, _mean = named(
    "factor, smallest factor, delayed factor, sum of factors, share, shares, mean of sums", real=True
)
_beyond, _weight, _weights = named("beyond smallest, weight, weights", nonnegative=True)
_DELAYED = definition(eq(_delayed, before(_least) + _beyond))
"""A mean of factors of earlier steps is at least the smallest of them."""
_FACTORS = over_summands(
    ge(sp.Min(_factor, _least), 0),
    {
        _factor: (before(_factor), sp.S.One),
        _least: (before(_least), sp.S.One),
        **{quantity: (before(quantity), None) for quantity in (_delayed, _beyond)},
    },
    _DELAYED,
    definition(eq(_factor, before(_factor) + beta * L * _delayed)),
    definition(eq(_least, sp.Min(before(_least), _factor))),
    through=(
        ge(before(_factor), 0),
        ge(before(_least), 0),
        ge(_delayed, 0),
        ge(beta * L * _delayed, 0),
        ge(_factor, 0),
        ge(_least, 0),
    ),
)
_LEAST = follows(ge(_least, 0), _FACTORS, through=(le(sp.Min(_factor, _least), _least),))
_SUM = over_summands(
    ge(_sum, 1),
    {
        _sum: (before(_sum), sp.S.One),
        **{quantity: (before(quantity), None) for quantity in (_delayed, _beyond, _least)},
    },
    added(_sum, _delayed),
    _DELAYED,
    renamed(_LEAST, {_least: before(_least)}),
)
"""The sum over the local steps of a client, the first of which is at the start."""
_CLIENTS = summed(
    ge(_mean, _weights),
    {_mean: _weight * _sum, _weights: _weight},
    (_weight, _sum),
    _SUM,
    through=(ge(_weight * _sum, _weight),),
)
_ALL = follows(ge(_mean, 1), renamed(_CLIENTS, {_weights: sp.S.One}))
_slow, _move = 1 + L * (alpha + beta), 1 + L * (alpha + beta * _mean)
_MOVED = Sums(
    eq(b.x2_next, _move**2 * b.x2_now),
    {b.x2_now: square("model"), b.x2_next: square(["*", tree(_move), "model"])},
    {"model": "vector", _mean.name: "real", **{rate.name: "positive" for rate in (L, alpha, beta)}},
)
_MOVED_AT_LEAST = follows(b.STEP, _ALL, _MOVED, through=(ge(_move, _slow), ge(_move**2, _slow**2)))


def of_concave(rate: Condition) -> tuple[AnyNumber, ...]:
    """Facts about a round where a condition gives alpha, which is at least 1/L."""
    added_terms = follows(
        b.ADDED,
        _ALL,
        definition(
            eq(
                b.forget_sum_next,
                b.forget_sum
                + L / 2 * beta**2 * (L**2 * _mean**2 * b.x2_now)
                - beta * (1 - L * alpha) * (L**2 * _mean * b.x2_now),
            )
        ),
        given=(rate,),
        through=(
            ge(L * alpha, 1),
            ge(_mean**2, 1),
            ge(beta**2 * L**3 * b.x2_now * _mean**2, beta**2 * L**3 * b.x2_now),
            ge(beta * (L * alpha - 1) * L**2 * b.x2_now * _mean, beta * (L * alpha - 1) * L**2 * b.x2_now),
        ),
    )
    return _MOVED_AT_LEAST, added_terms


# ------------------------------------------------------------------------------------------ memories that cancel

STAYS = eq(b.frozen2_next, b.frozen2)
QUARTER = ge(each_gf2, L**2 * b.frozen2 / 64)
"""One of four draws contributes."""
FALLEN = le(F, L * first_x**2 / 8)
"""The past loss is L x^2/8 in the first coordinate, so its decrease is at most its initial value."""
_first, _moved, _slope = named("first coordinate, moved, slope", real=True)
_others, _last = named("other draws, last loss", nonnegative=True)
_NOT_MOVED = summed(eq(_moved, 0), {_moved: _slope}, (_slope,), definition(eq(_slope, 0)))
"""The current losses are flat along the first coordinate: the sum over local steps."""
CANCELLING: tuple[AnyNumber, ...] = (
    follows(
        STAYS,
        definition(eq(b.frozen2, _first**2)),
        definition(
            eq(
                b.frozen2_next,
                (_first - alpha * (3 * L / 4 * _first - 3 * L / 4 * _first) / 2 - beta * _moved) ** 2,
            )
        ),
        _NOT_MOVED,
    ),
    follows(QUARTER, definition(eq(each_gf2, ((L / 4) ** 2 * b.frozen2 + _others) / 4))),
    follows(FALLEN, definition(eq(F, L / 8 * first_x**2 - _last))),
)
