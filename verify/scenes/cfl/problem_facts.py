"""CFL, Section 3: facts about losses, steps and drifts, for any number of clients, rounds and local steps."""

from __future__ import annotations

import sympy as sp

from bounds.catalogue import relations, statement
from bounds.cfl import problem as b
from bounds.cfl.correlated import DRIFT, delta2, lost2, xi2
from bounds.cfl.symbols import R2, K, L, N, T, eta_g, eta_l, g2
from bounds.relations import eq, ge, le
from verify.scenes.cfl.client_sums import assumed
from verify.scenes.cfl.uncorrelated_sums import zero_sum
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import AnyNumber, counted, follows, renamed
from verify.scenes.summands import SUMMANDS, added, before, changing, definition, over_summands, summed
from verify.scenes.trees import Tree, square, times, vocabulary

_relation = relations("cfl")

# ---------------------------------------------------------------------------------------------------------- losses

_weight, _loss, _other_loss, _pull, _more = named("weight, one loss, other loss, pull, more", real=True)
_SAME = eq(b.sets_differ, 0)
OF_LOSSES: tuple[AnyNumber, ...] = (
    summed(_relation("eq1"), {b.eq2_whole: _weight * _loss, b.eq1_loss: _weight * _loss}, (_weight, _loss)),
    summed(
        _relation("eq3/same-clients"),
        {b.eq3_loss: _other_loss, b.eq2_loss: _loss},
        (_loss, _other_loss),
        definition(eq(_other_loss, _loss + b.sets_differ * _more)),
        assumed(_SAME),
    ),
)
"""The losses of a round in Eq. (2) and (3) are those of the same clients where `sets_differ` is 0."""
_share = sp.Symbol("share", real=True)
EQUAL_LOSSES = follows(
    _relation("eq2/mean"),
    (
        summed(
            eq(_share * b.eq2_loss, b.mean_loss), {b.eq2_loss: _loss, b.mean_loss: _share * _loss}, (_loss,)
        ),
        {_share: 1 / (b.S * T)},
    ),
)

# --------------------------------------------------------------------------------------------- clients at random

_chance, _drift_sum, _pulls = (
    sp.Symbol("chance", nonnegative=True),
    *named("sum of drifts, sum of pulls", real=True),
)
_EQUALLY = eq(b.client_share, 1 / N)
OF_RANDOM_CLIENTS: tuple[AnyNumber, ...] = (
    summed(
        _relation("eq1.sampling/uniform"),
        {b.mean_pull: _chance / b.S * _pull, b.whole_pull: b.client_share * _pull},
        (_chance, _pull, b.client_share),
        definition(eq(_chance, b.S / N)),
        assumed(_EQUALLY),
    ),
    follows(
        _relation("noise.fl/uniform"),
        counted(
            eq(_drift_sum, SUMMANDS * b.whole_pull - N * _pulls),
            N,
            changing(_drift_sum, _pulls, free=(_pull, b.client_share)),
            added(_drift_sum, b.whole_pull - _pull),
            added(_pulls, b.client_share * _pull),
            assumed(_EQUALLY),
        ),
        definition(eq(_pulls, b.whole_pull)),
        definition(eq(b.mean_drift, _drift_sum / N)),
        given=(_EQUALLY,),
    ),
)
"""Each client is in the share S/N of all choices of S clients."""

# ---------------------------------------------------------------------------------------------------- algorithms

_curve, _far, _up, _down, _true, _near, _lasts = named(
    "curve, far, higher, lower, sum of slopes, sum of approximations, last slope", real=True
)
_slope, _approximation = named("true slope, approximation", real=True)
_DERIVATIVE = follows(
    _relation("alg2"),
    summed(
        eq((_up - _down) / 2, b.line6),
        {
            _up: _weight * _curve / 2 * (_far + 1) ** 2,
            _down: _weight * _curve / 2 * (_far - 1) ** 2,
            b.line6: _weight * _curve * _far,
        },
        (_weight, _curve, _far),
    ),
    definition(eq(b.slope3, (_up - _down) / 2)),
)
_losses = sp.Symbol("losses", integer=True, positive=True)
_length, _lengths = named("length of loss, sum of lengths", nonnegative=True)
MEAN_LOST, _LOST = le(b.lost_mean**2, R2), le(lost2, R2)
_most = sp.Symbol("largest length", nonnegative=True)
_LENGTHS = counted(
    le(_lengths, SUMMANDS * _most),
    _losses,
    changing(_lengths, free=(_length, lost2)),
    added(_lengths, _length),
    follows(
        le(_length, _most),
        *(definition(eq(lost2, _length**2)), definition(eq(R2, _most**2)), assumed(_LOST)),
        given=(_LOST,),
        through=(le(_length**2, _most**2),),
    ),
)
OF_ALGORITHMS: tuple[AnyNumber, ...] = (
    _DERIVATIVE,
    summed(
        _relation("alg1"),
        {b.moved_alg1: eta_g / b.S * (-eta_l * b.line6), b.slope3_all: b.slope3},
        (b.line6, b.slope3),
        _DERIVATIVE,
    ),
    follows(
        _relation("def3.1"),
        summed(
            eq(_true - _near, b.lost_sum),
            {
                _true: _weight * _slope,
                _near: _weight * _approximation,
                b.lost_sum: _weight * (_slope - _approximation),
            },
            (_weight, _slope, _approximation),
        ),
        definition(eq(b.kept_gap, _true + _lasts - (_near + _lasts))),
    ),
    follows(
        MEAN_LOST,
        (_LENGTHS, {_lengths: _losses * b.lost_mean}),
        definition(eq(R2, _most**2)),
        through=(le(b.lost_mean, _most),),
    ),
)
"""Losses of each round are quadratic; the derivative of their weighted sum is a difference quotient."""

# ------------------------------------------------------------------------------------------- a step of the server

_bend, _step = named("h, step", positive=True)
_left, _model, _rate, _pulled = named("left, model, rate, pulled", real=True)
BENT = le(_bend, L)
"""The definition of the smoothness constant."""
_SHORT, _MILD = statement("cfl.fedavg-update.descent/algorithm").conditions
_RATE = definition(eq(_rate, eta_l * _bend))
_STEPS = (
    definition(eq(_left, (1 - _rate) * before(_left))),
    follows(ge(_rate, 0), _RATE),
    follows(
        le(_rate, 1),
        _RATE,
        given=(_SHORT, BENT),
        through=(le(eta_l * _bend, eta_l * L), le(eta_l * L, K * eta_l * L)),
    ),
)
_AT_LEAST = over_summands(
    ge(_left, 0), {_left: (before(_left), sp.S.One)}, *_STEPS, through=(ge((1 - _rate) * before(_left), 0),)
)
_AT_MOST = over_summands(
    le(_left, 1),
    {_left: (before(_left), sp.S.One)},
    *_STEPS,
    renamed(_AT_LEAST, {_left: before(_left)}),
    through=(ge(_rate * before(_left), 0),),
)
"""What local steps leave of the distance to the minimiser."""
OF_SERVER = follows(
    _relation("fedavg-update.descent/algorithm"),
    definition(eq(b.loss_plus, _bend / 2 * (_pulled * _model) ** 2)),
    definition(eq(b.loss_before, _bend / 2 * _model**2)),
    definition(eq(_pulled, 1 - eta_g * (1 - _left))),
    *(_AT_LEAST, _AT_MOST),
    given=(_SHORT, _MILD, BENT),
    through=(
        ge(eta_g * (1 - _left), 0),
        le(eta_g * (1 - _left), 1),
        le(_pulled**2, 1),
        le((_pulled * _model) ** 2, _model**2),
    ),
)

# ------------------------------------------------------------------------------------ a client that comes again

_slope2 = sp.Symbol("slope2", nonnegative=True)
_with_rest, _with_second, _second_client = named(
    "client and rest, slope and second, client and second", real=True
)
_slope_there: Tree = ["-", "rest", times(times("step", "curvature"), "client")]
_AGAIN: dict[sp.Expr, Tree] = {
    b.curvature: "curvature",
    _step: "step",
    b.again2: square(["+", _slope_there, ["+", "client", "second"]]),
    _slope2: square(_slope_there),
    b.stale: ["dot", _slope_there, "client"],
    delta2: square("client"),
    xi2: square("second"),
    _with_rest: ["dot", "rest", "client"],
    _with_second: ["dot", _slope_there, "second"],
    _second_client: ["dot", "client", "second"],
}
_again = vocabulary(
    _AGAIN, {**dict.fromkeys(("rest", "client", "second"), "vector"), "curvature": "real", "step": "positive"}
)
_CONVEX = ge(b.curvature, 0)
_DRIFTED = tuple(_relation(id) for id in DRIFT)
OF_RETURNING = follows(
    _relation("ass3.returning.square/convex"),
    _again(eq(b.again2, _slope2 + 2 * b.stale + delta2 + xi2 + 2 * (_with_second + _second_client))),
    _again(eq(b.stale, _with_rest - _step * b.curvature * delta2)),
    *(zero_sum(product, sp.S.One) for product in (_with_rest, _with_second, _second_client)),
    definition(eq(b.g2_again, _slope2)),
    definition(eq(g2, _slope2)),
    given=(_CONVEX, *_DRIFTED),
    through=(ge(_step * b.curvature, 0), ge(_step * b.curvature * delta2, 0), le(b.stale, 0)),
)
"""A client's earlier step moved the model against its drift: `rest` is the gradient there without this part."""
