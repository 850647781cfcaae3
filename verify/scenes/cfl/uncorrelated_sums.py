"""CFL: squares of weighted sums of uncorrelated random vectors, for any number of rounds (Lemma B.2, Assumptions 2 and 5).

Random vectors are vectors of a larger space whose inner products are expectations. Gradient, client drifts, time drifts and noises of
different rounds are uncorrelated, so that the squares of their weighted sums add up.
"""

from __future__ import annotations

import sympy as sp

from bounds.catalogue import statement
from bounds.cfl import assumptions as b
from bounds.cfl.correlated import SPLIT, SUM_ONE, corr, delta2, grad2, mixed2, p, p_square, p_sum, xi2
from bounds.cfl.lemmas import grad_now2, grad_once2, mixed_delta2, mixed_xi2, restored2
from bounds.cfl.symbols import A2, B2, D2, G2, g2, sigma2
from bounds.relations import eq, ge, le
from verify.engine.model.scene import Condition, Rounds
from verify.engine.model.sums import Sums
from verify.scenes.cfl.client_sums import assumed
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import AnyNumber, follows, renamed
from verify.scenes.summands import added, before, changing, over_summands, summed
from verify.scenes.trees import Tree, square, times, vocabulary

crossed = sp.Symbol("crossed_each", real=True)
UNCORRELATED = eq(crossed, 0)
"""The expected inner product of any two of the vectors."""
_inner, _weighted = named("inner product, inner product with sum", real=True)


def zero_sum(product: sp.Symbol, weight: sp.Expr) -> Rounds:
    """The inner product of one of the vectors with a weighted sum of others."""
    return summed(
        eq(product, 0), {product: weight * crossed}, (crossed, *weight.free_symbols), assumed(UNCORRELATED)
    )


def _squares(
    total: sp.Symbol, weights2: sp.Symbol, each2: sp.Symbol, weight: sp.Symbol, most: sp.Expr
) -> Rounds:
    """The square of a weighted sum, by a bound of the square of each vector."""
    means: dict[sp.Expr, Tree] = {
        total: square(["+", "sum", times("weight", "one")]),
        before(total): square("sum"),
        _weighted: ["dot", "sum", "one"],
        each2: square("one"),
        weight: "weight",
    }
    return over_summands(
        le(total, weights2 * most),
        changing(total, weights2, free=(each2, weight, _weighted)),
        Sums(
            eq(total, before(total) + 2 * weight * _weighted + weight**2 * each2),
            means,
            {**dict.fromkeys(("sum", "one"), "vector"), "weight": "real"},
        ),
        added(weights2, weight**2),
        zero_sum(_weighted, weight),
        assumed(le(each2, most)),
        through=(le(weight**2 * each2, weight**2 * most),),
    )


# --------------------------------------------------------------------------------------------------- Lemma B.2

TIME, CLIENT = D2 + A2 * g2, G2 + B2 * g2
INDEPENDENT = le(mixed2, TIME * p_square)
ONCE_SPLIT = eq(grad_once2, g2 + mixed_delta2 + mixed_xi2)
ONCE_CLIENT = le(mixed_delta2, CLIENT * p_square)
ONCE_TIME = le(mixed_xi2, TIME * p_square)

_slope_client, _slope_time, _client_time = named(
    "slope and client, slope and time, client and time", real=True
)
_slope_clients, _clients_times = named("slope and clients, clients and times", real=True)
_DRIFTS: dict[sp.Expr, Tree] = {
    p_sum: "weights",
    g2: square("slope"),
    delta2: square("client"),
    xi2: square("time"),
    mixed2: square("times"),
    mixed_xi2: square("times"),
    mixed_delta2: square("clients"),
    grad_now2: square(["+", "slope", ["+", "client", "time"]]),
    grad2: square(["+", times("weights", ["+", "slope", "client"]), "times"]),
    restored2: square(["+", times("weights", "slope"), ["+", times("weights", "client"), "times"]]),
    grad_once2: square(["+", times("weights", "slope"), ["+", "clients", "times"]]),
    _slope_client: ["dot", "slope", "client"],
}
_NOW = {_slope_time: ["dot", "slope", "time"], _client_time: ["dot", "client", "time"]}
_RETURNING = {_slope_time: ["dot", "slope", "times"], _client_time: ["dot", "client", "times"]}
_ONCE = {
    _slope_clients: ["dot", "slope", "clients"],
    _slope_time: ["dot", "slope", "times"],
    _clients_times: ["dot", "clients", "times"],
}
_LETTERS = {**dict.fromkeys(("slope", "client", "time", "clients", "times"), "vector"), "weights": "real"}


def _drifts(relation: Condition, besides: dict[sp.Symbol, Tree]) -> Sums:
    return vocabulary({**_DRIFTS, **besides}, _LETTERS)(relation)


OF_DRIFTS: tuple[AnyNumber, ...] = (
    follows(
        statement("cfl.lemB.2.1.split").compared,
        _drifts(eq(grad_now2, g2 + delta2 + xi2 + 2 * (_slope_client + _slope_time + _client_time)), _NOW),
        *(zero_sum(product, sp.S.One) for product in (_slope_client, _slope_time, _client_time)),
    ),
    follows(
        SPLIT.compared,
        _drifts(
            eq(
                grad2,
                p_sum**2 * (g2 + delta2 + 2 * _slope_client)
                + 2 * p_sum * (_slope_time + _client_time)
                + mixed2,
            ),
            _RETURNING,
        ),
        zero_sum(_slope_client, sp.S.One),
        *(zero_sum(product, p) for product in (_slope_time, _client_time)),
        given=SUM_ONE,
    ),
    _drifts(statement("cfl.lemB.2.proof/corrected").compared, {}),
    follows(
        ONCE_SPLIT,
        _drifts(
            eq(
                grad_once2,
                p_sum**2 * g2
                + 2 * p_sum * (_slope_clients + _slope_time)
                + mixed_delta2
                + mixed_xi2
                + 2 * _clients_times,
            ),
            _ONCE,
        ),
        *(zero_sum(product, p) for product in (_slope_clients, _slope_time, _clients_times)),
        given=SUM_ONE,
    ),
    _squares(mixed2, p_square, xi2, p, TIME),
    _squares(mixed_delta2, p_square, delta2, p, CLIENT),
    _squares(mixed_xi2, p_square, xi2, p, TIME),
)
"""In the last sums each of two weighted sums is taken along all vectors of the other."""

# ------------------------------------------------------------------------------------------------ assumptions

MIXED, SUMMED = le(b.mixed_noise, sigma2 * p_square), le(p_square, p_sum**2)
_POSITIVE = ge(p, 0)
_NOT_NEGATIVE = summed(ge(p_sum, 0), {p_sum: p}, (p,), assumed(_POSITIVE))
OF_NOISES: tuple[AnyNumber, ...] = (
    _squares(b.mixed_noise, p_square, b.round_noise, p, sigma2),
    summed(
        SUMMED,
        {p_square: p**2, p_sum: p},
        (p,),
        assumed(_POSITIVE),
        renamed(_NOT_NEGATIVE, {p_sum: before(p_sum)}),
        through=(ge(p * before(p_sum), 0),),
    ),
)
_PAIR: dict[sp.Expr, Tree] = {
    corr: ["dot", "one", "other"],
    b.one2: square("one"),
    b.other2: square("other"),
    b.changed2: square(["-", "other", "one"]),
}
OF_PAIRS = Sums(statement("cfl.ass5.square").compared, _PAIR, dict.fromkeys(("one", "other"), "vector"))
"""Time drifts of two rounds."""


def _variance(of: Tree) -> Tree:
    """The mean square of the members of a family of mean zero."""
    return ["/", ["each", "n", of, of], "n"]


_away: Tree = times("step", "curvature")
OF_SAMPLES = Sums(
    statement("cfl.ass2.samples.middle").compared,
    {
        b.here_noise: _variance("here"),
        b.there_noise: _variance(["-", "here", _away]),
        b.middle_noise: _variance(["-", "here", times(["/", "1", "2"], _away)]),
        b.spread_h: _variance("curvature"),
        b.apart2: ["^", "step", "2"],
    },
    {"n": "count", "here": "family n", "curvature": "family n", "step": "real"},
)
"""Gradients of samples and their curvatures, each less its mean, as vectors of one coordinate."""
