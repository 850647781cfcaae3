"""Facts about sums over a round along delayed gradients (C-FLAG, Lemmas 15 and 16), for any number of clients, samples and steps."""

from __future__ import annotations

import sympy as sp

from bounds.cflag import drift_sums as b
from bounds.cflag.drift import WEIGHTS
from bounds.cflag.drift_lemmas import QUARTER, TWELFTH, drift, drift_max, e, path, turn
from bounds.cflag.drift_sharp import growth
from bounds.cflag.repairs import g2_most, s2_most
from bounds.cflag.symbols import E, L, S, beta, gg, gg2, p_sum, rho2, s2
from bounds.relations import eq, le
from verify.engine.model.scene import Condition, Follows
from verify.engine.model.sums import Sums
from verify.scenes.cflag.drift_facts import (
    AT_STEPS,
    MOST,
    SMOOTH_CLIENT,
    SMOOTH_SAMPLE,
    changed,
    changed_by,
    largest_drift,
    relation_of,
)
from verify.scenes.cflag.growth_facts import AFTER, ALL, CURVE, EARLIER_GROWTH, GROWS, GROWTH, SLOPE
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import (
    AnyNumber,
    counted,
    follows,
    jensen,
    norm_of_sum,
    renamed,
    triangle,
    weighted,
)
from verify.scenes.summands import SUMMANDS, added, before, changing, definition, summed
from verify.scenes.trees import Tree, square

apart, total = named("apart, total", nonnegative=True)
"""Norms of the sum of the delayed gradients of a round, and of its difference to E gradients."""
_weight, _mean, _part = named("weight, mean, part", nonnegative=True)
"""Weight of a client; norm of the mean of the clients' vectors in a step; mean of their norms."""


def _fact(number: str) -> AnyNumber:
    """The fact about each local step with the relation of a statement."""
    return next(fact for fact in AT_STEPS if fact.relation == relation_of(number))


def of_clients(
    each: sp.Symbol, most: sp.Expr, *facts: AnyNumber, given: tuple[Condition, ...] = ()
) -> Follows:
    """The weighted mean of the clients' vectors has at most the norm that bounds each of them."""
    return follows(
        le(_mean, most), weighted(_mean, p_sum, each, most, *facts, given=given), given=(*WEIGHTS, *given)
    )


def _bound_on_sum(norm: sp.Symbol, most: sp.Expr, steps: tuple[AnyNumber, ...]) -> Follows:
    """A bound on a sum over all steps by the growth of the drift."""
    return counted(le(norm, most), E, {**changing(norm, free=(_mean,)), **GROWTH}, *steps, GROWS)


def total_change(smooth: AnyNumber) -> Follows:
    """The mean changes of the samples' gradients, summed over a round, by the growth of the drift."""
    most = largest_drift(smooth)
    changes = follows(
        le(changed, (EARLIER_GROWTH - 1) * gg), changed_by(smooth), renamed(most, {growth: EARLIER_GROWTH})
    )
    return _bound_on_sum(
        apart,
        ((growth - 1) / (beta * L) - SUMMANDS) * gg,
        (
            triangle(apart, {before(apart): 1, _mean: 1}),
            of_clients(changed, (EARLIER_GROWTH - 1) * gg, changes),
        ),
    )


# ------------------------------------------------------------------------------------ sums that grow with the drift

_DRIFT = renamed(_fact("lem13/sharp"), {growth: EARLIER_GROWTH})
_GROWN_TURN = of_clients(turn, (EARLIER_GROWTH - 1) * gg, SMOOTH_CLIENT, _DRIFT)
_ERROR = follows(
    le(e, (1 - 1 / S) * (EARLIER_GROWTH - 1) * gg),
    *(_fact(number) for number in ("eq94.a", "eq94.smooth", "eq97/sharp")),
    renamed(_fact("eq101.path/sharp"), {growth: EARLIER_GROWTH}),
    through=(le((1 - 1 / S) * path, (1 - 1 / S) * (EARLIER_GROWTH - 1) / L * gg),),
)
_GROWN_ERROR = of_clients(e, (1 - 1 / S) * (EARLIER_GROWTH - 1) * gg, _ERROR)


_RHO = _bound_on_sum(
    b.rho, (growth - 1) / (beta * L) * gg, (triangle(b.rho, {before(b.rho): 1, gg: 1, _mean: 1}), _GROWN_TURN)
)
_EBAR = _bound_on_sum(
    b.ebar,
    (1 - 1 / S) * ((growth - 1) / (beta * L) - SUMMANDS) * gg,
    (triangle(b.ebar, {before(b.ebar): 1, _mean: 1}), _GROWN_ERROR),
)


# ---------------------------------------------------------------------------------------------- sums of small steps

_mean2, _means2 = named("mean2, means2", nonnegative=True)


def _shares(
    total: sp.Symbol, summand: sp.Expr, most: sp.Expr, *facts: AnyNumber, given: tuple[Condition, ...]
) -> Follows:
    """The mean over the clients of a sum over the steps is at most E times what bounds each summand."""
    of_step = summed(
        le(_mean, p_sum * most),
        {_mean: _weight * summand, p_sum: _weight},
        (_weight, *summand.free_symbols),
        *facts,
        given=given,
        through=(le(_weight * summand, _weight * most),),
    )
    mean = follows(le(_mean, most), of_step, given=(*WEIGHTS, *given))
    return counted(
        le(total, SUMMANDS * most), E, changing(total, free=(_mean,)), added(total, _mean), mean, given=given
    )


def _of_round(quantity: sp.Symbol, grown: AnyNumber) -> tuple[AnyNumber, ...]:
    """A quantity at any step is at most the largest of the round, to which the bound on the growth after all steps applies."""
    largest, others = (sp.Symbol(f"{name} {quantity}", nonnegative=True) for name in ("largest", "other"))
    among = follows(le(quantity, largest), definition(eq(largest, sp.Max(quantity, others))))
    return among, grown, SLOPE, ALL


_largest = lambda quantity: sp.Symbol(f"largest {quantity}", nonnegative=True)  # noqa: E731
_SHORT = follows(
    le(drift, 4 * beta * E * gg),
    *_of_round(drift, renamed(MOST, {drift_max: _largest(drift)})),
    given=(QUARTER,),
)
_LATE = follows(
    le(e, 2 * beta * L * E * gg),
    follows(le(e, L * path), *(_fact(number) for number in ("eq94.a", "eq94.smooth", "eq96", "eq97"))),
    *_of_round(path, renamed(_fact("eq101.path/sharp"), {path: _largest(path)})),
    given=(TWELFTH,),
)
SQUARE = Sums(eq(gg2, gg**2), {gg2: square("g"), gg**2: square("g")}, {"g": "vector"})
_RHO_SMALL = follows(relation_of("lem15.I/small-steps"), _RHO, SLOPE, ALL, given=(QUARTER,))
_families = {"E": "count", "now": "family E", "start": "vector"}
_turned: Tree = ["-", "now", "start"]
OVER_ROUND = (
    _RHO_SMALL,
    follows(
        relation_of("lem15.II/small-steps"),
        _RHO_SMALL,
        Sums(eq(rho2, b.rho**2), {rho2: square("rho"), b.rho**2: square("rho")}, {"rho": "vector"}),
        SQUARE,
        given=(QUARTER,),
        through=(le(b.rho**2, (4 * L * beta * E**2 + E) ** 2 * gg**2),),
    ),
    follows(relation_of("lem16/small-steps"), _EBAR, CURVE, ALL, given=(TWELFTH,)),
)
"""Lemmas 15 and 16 with small steps, for all scenes with such a round."""
IN_ROUND = (
    follows(relation_of("lem15.I/sharp"), _RHO, AFTER),
    follows(relation_of("lem16/sharp"), _EBAR, AFTER),
    norm_of_sum(b.rho, b.rho_norms),
    counted(
        le(b.rho, b.mean_turns + SUMMANDS * gg),
        E,
        changing(b.rho, b.mean_turns, free=(_mean,)),
        triangle(b.rho, {before(b.rho): 1, gg: 1, _mean: 1}),
        added(b.mean_turns, _mean),
    ),
    summed(
        relation_of("eq135.b"),
        {b.mean_turns: _mean, b.turns: _part},
        (_mean, _part),
        norm_of_sum(_mean, _part),
    ),
    summed(
        relation_of("eq136.c"),
        {b.turns: _weight * turn, b.drifts: _weight * drift},
        (_weight, turn, drift),
        SMOOTH_CLIENT,
    ),
    _shares(b.drifts, drift, 4 * beta * E * gg, _SHORT, given=(QUARTER,)),
    Sums(
        relation_of("eq139"),
        {rho2: square(["total", "now"]), b.rho_norms2: ["each", "E", "now", "now"]},
        {"E": "count", "now": "family E"},
    ),
    Sums(
        relation_of("eq140"),
        {
            b.rho_norms2: ["each", "E", "now", "now"],
            b.parted2: ["each", "E", *(["+", _turned, "start"],) * 2],
        },
        _families,
    ),
    Sums(
        relation_of("eq141.young"),
        {
            b.parted2: ["each", "E", *(["+", _turned, "start"],) * 2],
            b.mean_turns2: ["each", "E", _turned, _turned],
            gg2: square("start"),
        },
        _families,
    ),
    summed(
        relation_of("eq142.b"),
        {b.mean_turns2: _mean2, b.turns2: _means2},
        (_mean2, _means2),
        follows(le(_mean2, _means2), jensen(_mean2, _means2, p_sum), given=WEIGHTS),
    ),
    summed(
        relation_of("eq143.c"),
        {b.turns2: _weight * turn**2, b.drifts2: _weight * drift**2},
        (_weight, turn, drift),
        SMOOTH_CLIENT,
        through=(le(turn**2, L**2 * drift**2), le(_weight * turn**2, _weight * L**2 * drift**2)),
    ),
    _shares(
        b.drifts2,
        drift**2,
        16 * beta**2 * E**2 * gg2,
        follows(le(drift**2, 16 * beta**2 * E**2 * gg2), _SHORT, SQUARE, given=(QUARTER,)),
        given=(QUARTER,),
    ),
    norm_of_sum(b.ebar, b.errors),
    _shares(b.errors, e, 2 * beta * L * E * gg, _LATE, given=(TWELFTH,)),
)
"""Facts about the sums over the local steps of a round."""
SQUARE_OF_TOTAL = Sums(eq(s2, total**2), {s2: square("sum"), total**2: square("sum")}, {"sum": "vector"})
SUMMED = triangle(total, {gg: E, apart: 1})
"""The delayed gradients of a round: E times the gradient and a difference."""
LONGEST = follows(
    relation_of("thm5.longest/fixed"),
    *(SUMMED, total_change(SMOOTH_SAMPLE), AFTER),
    *(renamed(SQUARE_OF_TOTAL, {s2: s2_most}), renamed(SQUARE, {gg2: g2_most})),
    through=(le(total, ((1 + beta * L) ** E - 1) / (beta * L) * gg),),
)
"""Fact about one round; the longest sum over several rounds is the sum of one of them."""
