"""Facts about what local steps along delayed gradients add up to (C-FLAG, Eq. 4, 5, 17-22, 31, 32, 95), for any number of clients,
samples and steps and any order of refreshing.

Vectors are real numbers here, one of their coordinates.
"""

from __future__ import annotations

import sympy as sp

from bounds.catalogue import relations
from bounds.cflag import drift as b
from bounds.cflag.symbols import E, S, beta, p_sum
from bounds.relations import eq
from verify.engine.model.scene import Condition, Follows, Rounds
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import AnyNumber, counted, follows, renamed
from verify.scenes.summands import SUMMANDS, added, before, changing, definition, over_summands, summed

_relation = relations("cflag")
_used, _there, _now, _drawn, _kept, _first, _model, _here, _step = named(
    "used, there, now, drawn, kept, first, model, here, step", real=True
)
"""Gradient of a sample in use, where it was last drawn, and now; whether it is drawn (1 or 0), and whether not; its first gradient;
the model at which it was drawn, the current one, and a step.
"""

# ------------------------------------------------------------------------------------------------ delayed gradients

_KEPT = definition(eq(_kept, 1 - _drawn))


def _refreshed(quantity: sp.Symbol, now: sp.Symbol) -> AnyNumber:
    """What belongs to a sample remains, unless it is drawn."""
    return definition(eq(quantity, _kept * before(quantity) + _drawn * now))


_LAST_DRAWN = over_summands(
    eq(_used, _there),
    {**{name: (before(name), _first) for name in (_used, _there)}, **changing(free=(_now, _drawn, _kept))},
    _refreshed(_used, _now),
    _refreshed(_there, _now),
    _KEPT,
)


def _means(relation: Condition, means: dict[sp.Symbol, sp.Expr], *facts: AnyNumber) -> Rounds:
    """An equation between means over the samples, from that for each sample."""
    each = {symbol for summand in means.values() for symbol in summand.free_symbols}
    return over_summands(
        relation,
        changing(*means, free=sorted(each, key=str)),
        *(added(mean, summand / S) for mean, summand in means.items()),
        *facts,
    )


_ERROR = _means(_relation("eq31"), {b.e_vec: _used - _now, b.gp: _used, b.gi_now: _now})
_STEP = definition(_relation("eq4"))
DELAYED: tuple[AnyNumber, ...] = (
    _means(_relation("eq5"), {b.gp: _used, b.gp_tau: _there}, _LAST_DRAWN),
    _means(_relation("eq5.start"), {b.gp_start: _first, b.gi_t: _first}),
    _STEP,
    _ERROR,
    follows(_relation("eq32"), _STEP, _ERROR),
    follows(
        _relation("eq95"),
        over_summands(
            eq(_model - _here, b.lag_path),
            {
                **{name: (before(name), _first) for name in (_model, _here)},
                **changing(b.lag_path, free=(_drawn, _kept, _step)),
            },
            _refreshed(_model, _here),
            _KEPT,
            definition(eq(_here, before(_here) - _step)),
            definition(eq(b.lag_path, _kept * (before(b.lag_path) + _step))),
        ),
        definition(eq(b.lag, _model - _here)),
    ),
)
_parts = sp.symbols("part1:4", real=True)


def _of_three(id: str, mean: sp.Symbol, *parts: sp.Expr) -> Follows:
    """The toy example: the mean of the gradients in use of three samples."""
    in_use = (definition(eq(part, value)) for part, value in zip(_parts, parts, strict=True))
    return follows(_relation(id), definition(eq(mean, sp.Add(*_parts) / 3)), *in_use)


TOY = (
    _of_three("eq5.toy.k1", b.toy, b.fresh[0], b.old[1], b.old[2]),
    _of_three("eq5.toy.k2", b.toy_next, b.fresh[0], b.old[1], b.third),
)

# ------------------------------------------------------------------------------------------------ sums over the steps

_total, _rest = sp.Symbol("total"), sp.Symbol("rest")
"""Sums over the steps that are over."""
_LOCAL = definition(eq(b.x_end, before(b.x_end) - beta * (b.g_t - b.gi_t + b.gp)))
_sum = sp.Sum(b.gps[b.j], (b.j, 0, E - 1))


def _all_steps(id: str, relation: Condition, totals: dict[sp.Symbol, tuple[sp.Expr, sp.Expr]]) -> Follows:
    """The drift as sums over all steps: sum -> its summand, and the whole sum."""
    changes = {b.x_end: (before(b.x_end), b.x_t), **changing(*totals, free=(b.gp,))}
    steps = (_LOCAL, *(added(total, summand) for total, (summand, _) in totals.items()))
    fact = counted(relation, E, changes, *steps)
    return follows(_relation(id), renamed(fact, {total: whole for total, (_, whole) in totals.items()}))


_shift = b.g_t - b.gi_t
_each = (_shift + b.gp, sp.Sum(_shift + b.gps[b.j], (b.j, 0, E - 1)))
DRIFTS = (
    *(_all_steps(id, eq(b.x_end - b.x_t, -beta * _total), {_total: _each}) for id in ("eq17", "eq18")),
    _all_steps(
        "eq19",
        eq(b.x_end - b.x_t, -beta * (_rest + _total)),
        {_rest: (_shift, sp.Sum(_shift, (b.j, 0, E - 1))), _total: (b.gp, _sum)},
    ),
    _all_steps(
        "eq20", eq(b.x_end - b.x_t, -beta * SUMMANDS * _shift - beta * _total), {_total: (b.gp, _sum)}
    ),
)

# ------------------------------------------------------------------------------------------------ means over the clients

_move, _earlier, _own_shift, _own_gradient, _mean_after, _mean_earlier, _mean_gradient, _own, _gradients = (
    named(
        "move, earlier move, own shift, own delayed, mean after, mean earlier, mean delayed",
        "own gradient, gradients",
        real=True,
    )
)
_weight = sp.Symbol("weight", nonnegative=True)
_ONE_STEP = summed(
    eq(_mean_after, _mean_earlier - beta * (b.mean_shift + _mean_gradient)),
    {
        _mean_after: _weight * _move,
        _mean_earlier: _weight * _earlier,
        b.mean_shift: _weight * _own_shift,
        _mean_gradient: _weight * _own_gradient,
    },
    (_weight, _move, _earlier, _own_shift, _own_gradient),
    definition(eq(_move, _earlier - beta * (_own_shift + _own_gradient))),
)
_MEAN_DRIFT = counted(
    eq(b.mean_move, -beta * (SUMMANDS * b.mean_shift + _total)),
    E,
    changing(b.mean_move, _total, free=(_mean_gradient,)),
    renamed(_ONE_STEP, {_mean_after: b.mean_move, _mean_earlier: before(b.mean_move)}),
    added(_total, _mean_gradient),
)
_AVERAGE = renamed(_MEAN_DRIFT, {_total: sp.Sum(b.gps_mean[b.j], (b.j, 0, E - 1))})
_CORRECTIONS = summed(
    eq(b.mean_shift, b.g_t * p_sum - _gradients),
    {b.mean_shift: _weight * (b.g_t - _own), _gradients: _weight * _own, p_sum: _weight},
    (_weight, _own),
)
_NONE = follows(_relation("eq21.zero"), _CORRECTIONS, definition(eq(b.g_t, _gradients)), given=b.WEIGHTS)
AVERAGE_MOVE = follows(_relation("eq21"), _AVERAGE)
AVERAGES = (AVERAGE_MOVE, _NONE, follows(_relation("eq22"), _AVERAGE, _NONE, given=b.WEIGHTS))
IN_STEPS: tuple[AnyNumber, ...] = (*DELAYED, *DRIFTS, *AVERAGES)
