"""Facts about sums of sequences and of vectors, for any number of summands (CFL, Lemmas A.1 to A.4 and A.6).

Random vectors are families over equally likely outcomes, or vectors of a larger space whose inner products are expectations.
"""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from bounds.catalogue import statement
from bounds.cfl import techniques as b
from bounds.cfl.symbols import T, eta, mu, sigma2
from bounds.relations import eq, ge, le, lt
from verify.engine.model.expressions import Excess, Least
from verify.engine.model.scene import Box, Condition, Fact, Follows, Named, Rounds, Scene, Shape, Values
from verify.engine.model.sums import Sums
from verify.scenes.cfl.client_sums import assumed
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import AnyNumber, counted, follows
from verify.scenes.summands import SUMMANDS, added, before, changing, definition, over_summands, summed
from verify.scenes.trees import Tree, square, times, vocabulary

SEPARATED = eq(b.sum_X2, b.of_means2 + b.of_scatter)
OF_MEANS = le(b.of_means2, b.tau * b.sum_means2)
OF_SCATTER = le(b.of_scatter, b.tau * b.sum_scatter)
OF_SIGNS = eq(b.of_scatter, b.sum_scatter)
SUMMED = le(b.sum_scatter, b.M_var * b.sum_means2 + b.tau * sigma2)
ORDERED = ge(b.crossed, 0)

TELESCOPED_USED = le(b.Phi_used, (1 - mu * eta) * b.d0 / (eta * b.W_T))
GEOMETRIC = eq(mu * eta * b.W_T * b.shrunk, 1 - (1 - mu * eta) * b.shrunk)
_mean_start = b.d0 / (T + 1)
FALLEN = le(b.Phi, _mean_start / eta + b.c1 * eta + b.c2 * eta**2)
BY_FIRST = le(b.c1 * eta, sp.sqrt(b.c1) * sp.sqrt(_mean_start))
BY_SECOND = le(b.c2 * eta**2, sp.cbrt(b.c2) * sp.cbrt(_mean_start) ** 2)
BY_START = le(
    _mean_start / eta,
    _mean_start / b.eta_max
    + sp.sqrt(b.c1) * sp.sqrt(_mean_start)
    + sp.cbrt(b.c2) * sp.cbrt(_mean_start) ** 2,
)
TELESCOPED = le(b.Phi, (1 - mu * eta) ** 2 * b.d0 / (eta * b.W_T))

# ------------------------------------------------------------------------------------------------ pairs of vectors

_products, _along, _rows, _row, _product, _with_both, _first_product = named(
    "sum of products, product of sums, sum of rows, row, last product, mixed products",
    "first product",
    real=True,
)
"""For vectors u_i and v_i: the sum of <u_i, v_i>, the product of both sums, and the sum over all pairs, in rows of one vector with all
before it. For the last vectors: <u, v>, and their products with the sums before.
"""
_number = sp.Symbol("vectors", integer=True, positive=True)
_PAIRS: dict[sp.Expr, Tree] = {
    _number: ["+", "n", "1"],
    _row: ["each", "n", ["-", "u", "new_u"], ["-", "v", "new_v"]],
    before(_products): ["each", "n", "u", "v"],
    _product: ["dot", "new_u", "new_v"],
    before(_along): ["dot", ["total", "u"], ["total", "v"]],
    _along: ["dot", ["+", ["total", "u"], "new_u"], ["+", ["total", "v"], "new_v"]],
    _with_both: ["+", ["dot", ["total", "u"], "new_v"], ["dot", "new_u", ["total", "v"]]],
}
_OF_PAIRS = {"n": "count", **dict.fromkeys("uv", "family n"), **dict.fromkeys(("new_u", "new_v"), "vector")}
_of_pairs = vocabulary(_PAIRS, _OF_PAIRS)
"""A relation about n pairs of vectors and one more pair."""
PAIRED = Rounds(
    eq((SUMMANDS + 1) * _products - _along, _rows),
    SUMMANDS,
    {_number: SUMMANDS + 1},
    {_number: _number + 1},
    {
        **changing(_rows, free=(_row, _product, _with_both)),
        **{total: (before(total), _first_product) for total in (_products, _along)},
    },
    (
        added(_products, _product),
        added(_rows, _row),
        _of_pairs(eq(_along, before(_along) + _with_both + _product)),
        _of_pairs(eq(_row, before(_products) - _with_both + (_number - 1) * _product)),
    ),
)
"""The number of pairs times the sum of products, less the product of the sums, is the sum over pairs i < j of
<u_i - u_j, v_i - v_j>.
"""


def _fact_at(relation: Condition, fact: AnyNumber, letters: dict[sp.Symbol, sp.Expr]) -> Follows:
    return follows(relation, (fact, letters))


OF_VECTORS = _fact_at(
    statement("cfl.lemA.3.pairs").compared,
    PAIRED,
    {SUMMANDS: b.tau - 1, _products: b.tau * b.mean_sq, _along: b.tau**2 * b.mean_norm2, _rows: b.pairs2},
)
_round, _later_by = named("round, later by", integer=True, positive=True)
_more, _gap = sp.Symbol("more", real=True), sp.Symbol("gap", real=True)
_NOT_FALLING = summed(ge(_more, 0), {_more: b.rise}, (b.rise,), assumed(ge(b.rise, 0)))
"""By how much the weight of a round exceeds that of an earlier one."""


def falling(
    crossed: sp.Symbol, value: Callable[[sp.Expr], sp.Expr], given: tuple[Condition, ...] = ()
) -> Rounds:
    """Over all pairs of rounds the products of what the weight rises and what a value falls are nonnegative.

    Parameters
    ----------
    crossed : Symbol
        The sum of the products.
    value : callable
        The number of a round, from 1 on -> its value, which falls where `given` holds.
    """
    fall = definition(eq(_gap, value(_round) - value(_round + _later_by)))
    row = summed(
        ge(_row, 0),
        {_row: _more * _gap},
        (_more, _gap),
        _NOT_FALLING,
        follows(ge(_gap, 0), fall, given=given),
    )
    return summed(ge(crossed, 0), {crossed: _row}, (_row,), row)


def paired(
    relation: Condition, number: sp.Expr, products: sp.Expr, sums: sp.Expr, crossed: sp.Symbol
) -> Follows:
    """The sum of products of weights and values, by both sums and `crossed`."""
    return _fact_at(
        relation, PAIRED, {SUMMANDS: number - 1, _products: products, _along: sums, _rows: -crossed}
    )


OF_ROUNDS: tuple[AnyNumber, ...] = (
    paired(statement("cfl.lemA.6.pairs").compared, T, b.S_p, b.total * b.harmonic, b.crossed),
    falling(b.crossed, lambda number: 1 / number),
)

# -------------------------------------------------------------------------------------------------- random vectors

_RANDOM: dict[sp.Expr, Tree] = {
    b.sum_X2: ["/", ["each", "m", "sum", "sum"], "m"],
    b.of_means2: ["/", square(["total", "sum"]), ["^", "m", "2"]],
    b.of_scatter: [
        "/",
        ["each", "m", _OFF := ["-", "sum", times(["/", "1", "m"], ["total", "sum"])], _OFF],
        "m",
    ],
}
_OUTCOMES = Sums(SEPARATED, _RANDOM, {"m": "count", "sum": "family m"})


def _jensen(relation: Condition, square_: sp.Symbol, squares: sp.Symbol) -> Sums:
    """The square of a sum by the sum of the squares."""
    means = {b.tau: "n", square_: square(["total", "one"]), squares: ["each", "n", "one", "one"]}
    return Sums(relation, means, {"n": "count", "one": "family n"})


_SPREAD = b.SPREAD[0]
_SUMMED = counted(
    le(b.sum_scatter, b.M_var * b.sum_means2 + SUMMANDS * sigma2),
    b.tau,
    changing(b.sum_scatter, b.sum_means2, free=(b.scatter, b.means2)),
    added(b.sum_scatter, b.scatter),
    added(b.sum_means2, b.means2),
    assumed(_SPREAD),
)
OF_RANDOM: tuple[AnyNumber, ...] = (
    _OUTCOMES,
    _jensen(OF_MEANS, b.of_means2, b.sum_means2),
    _jensen(OF_SCATTER, b.of_scatter, b.sum_scatter),
    _SUMMED,
)
"""Facts about random vectors, dependent or not."""
covariance_each = sp.Symbol("covariance_each", real=True)
COVARIANCES = (le(covariance_each, b.covariance), le(-b.covariance, covariance_each))
"""The definition of the largest covariance."""
_UNCORRELATED = eq(b.covariance, 0)
_with_last = sp.Symbol("covariance with last", real=True)
_NOT_TOGETHER = summed(
    eq(_with_last, 0),
    {_with_last: covariance_each},
    (covariance_each,),
    *map(assumed, (*COVARIANCES, _UNCORRELATED)),
)
_OF_LAST: dict[sp.Expr, Tree] = {
    b.of_scatter: square(["+", "off", "last"]),
    before(b.of_scatter): square("off"),
    _with_last: ["dot", "off", "last"],
    b.scatter: square("last"),
}
_ONE_MORE = eq(b.of_scatter, before(b.of_scatter) + 2 * _with_last + b.scatter)
OF_UNCORRELATED: tuple[AnyNumber, ...] = (
    *OF_RANDOM,
    over_summands(
        OF_SIGNS,
        changing(b.of_scatter, b.sum_scatter, free=(b.scatter, _with_last)),
        added(b.sum_scatter, b.scatter),
        Sums(_ONE_MORE, _OF_LAST, dict.fromkeys(("off", "last"), "vector")),
        _NOT_TOGETHER,
    ),
)
"""Covariances with the sum so far are sums of covariances."""

# ------------------------------------------------------------------------------------------------ sums of sequences

SHORT = lt(mu * eta, 1)
"""The condition under which a step keeps a positive share of the distance."""
_weight = sp.Symbol("weight", positive=True)
_last, _second = named("last, second", nonnegative=True)
_fallen = sp.Symbol("fallen", real=True)
_kept = sp.Symbol("kept", positive=True)
"""1 - mu eta."""
_WEIGHT = definition(eq(_weight, before(_weight) / _kept))
_LESS = (le(_kept, 1),)


def _telescoped(first: sp.Expr, heavier: sp.Expr) -> Rounds:
    """The sum of weighted differences of consecutive terms by the first and last one.

    Parameters
    ----------
    first : expression
        The factor of the first term.
    heavier : expression
        The weight of the earlier term of a difference.
    """
    return over_summands(
        le(_fallen, (first * b.d0 - _weight * _last) / eta),
        {
            _fallen: (before(_fallen), (first * b.d0 - _second) / eta),
            _weight: (before(_weight), sp.S.One),
            _last: (before(_last), _second),
        },
        _WEIGHT,
        added(_fallen, (heavier * _kept * before(_last) - _weight * _last) / eta),
        given=_LESS,
        through=(le(heavier * _kept * before(_last), before(_weight) * before(_last)),),
    )


def _over_weights(relation: Condition, mean: sp.Symbol, fact: Rounds) -> Follows:
    return follows(relation, (fact, {_fallen: mean * b.W_T, _kept: 1 - mu * eta}), given=(SHORT,))


_INVERSE = over_summands(
    eq(_weight * b.shrunk, 1),
    {name: (before(name), sp.S.One) for name in (b.shrunk, _weight)},
    definition(eq(b.shrunk, _kept * before(b.shrunk))),
    _WEIGHT,
)
_GEOMETRIC = over_summands(
    eq((1 - _kept) * b.W_T * b.shrunk, 1 - _kept * b.shrunk),
    {name: (before(name), sp.S.One) for name in (b.W_T, b.shrunk, _weight)},
    definition(eq(b.shrunk, _kept * before(b.shrunk))),
    added(b.W_T, _weight),
    _WEIGHT,
    _INVERSE,
)
OF_SEQUENCES: tuple[AnyNumber, ...] = (
    _over_weights(TELESCOPED, b.Phi, _telescoped(_kept**2, before(_weight))),
    _over_weights(TELESCOPED_USED, b.Phi_used, _telescoped(_kept, _weight)),
    follows(GEOMETRIC, (_GEOMETRIC, {_kept: 1 - mu * eta}), given=(SHORT,)),
)
"""Weights grow by 1/(1 - mu eta) from round to round."""


def _tuned(shape: Shape, values: Named) -> Values:
    """The step of Lemma A.2 for d_0/(T + 1) = `sixth`^6 (so that all roots are rational), and the three terms separately."""
    a, rounds = values["sixth"] ** 6, shape["T"] + 1
    top, first, second = (values[f"alone_{k}"][0] for k in range(3))
    one = lambda x: values["sixth"] * 0 + x  # noqa: E731
    largest, over = sp.Max(top, first, second), Excess(second, top, first)
    size, c1, c2 = a / largest, first**2 / a, second**3 / a**2
    start = a * rounds
    return {
        "d0": start,
        "eta": size,
        "eta_max": a / top,
        "c1": c1,
        "c2": c2,
        "Phi": (start - values["last"]) / (rounds * size) + c1 * size + c2 * size**2,
        "slack_fallen": values["last"] / (rounds * size),
        "slack_first": one(first * Excess(first, top, second) / largest),
        "slack_second": one(second * over * (2 * second + over) / largest**2),
        "slack_start": one(Least(first + second, top + second, top + first)),
    }


_STEP = Scene(
    name="the step of Lemma A.2 for any constants",
    shapes=({"T": T},),
    space=lambda shape: {
        **dict.fromkeys(("sixth", "alone_0"), Box(0.1, 1)),
        **dict.fromkeys(("alone_1", "alone_2", "last"), Box(0, 1)),
    },
    compute=_tuned,
    covers="an identity between arbitrary constants and any number of rounds",
)
OF_STEP = (
    Fact(FALLEN, _STEP, "slack_fallen"),
    Fact(BY_FIRST, _STEP, "slack_first"),
    Fact(BY_SECOND, _STEP, "slack_second"),
    Fact(BY_START, _STEP, "slack_start"),
)
