"""Facts about the past loss in a round along any gradients (C-FLAG, Lemma 1 and Theorem 2), on any number of paths.

A path is one outcome of the memories. On each, a round moves the model by -alpha (gradient and bias) - beta (delayed gradients).
"""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from bounds.catalogue import statement
from bounds.cflag.forgetting import BIAS
from bounds.cflag.rate import KNOWN_M, average_gf2, each_gf2, falls, forget_each, least_gf2, over_each
from bounds.cflag.redrawn import DESCENT_ANEW, ds_mean, f_mean, f_mean_next, gf2_mean, s2_mean
from bounds.cflag.symbols import L, T, alpha, b2, beta, ds, gf2, m, s2
from bounds.relations import eq, le
from verify.engine.model.scene import Condition, Follows, Rounds
from verify.engine.model.sums import Sums
from verify.scenes.cflag.terms import OF_CLIENTS, PAST, past_lift, past_way2
from verify.scenes.norms_of_sums import added, counted, follows
from verify.scenes.summands import SUMMANDS, before, changing, meant
from verify.scenes.trees import Tree, square

_fall, _fb, _bs, _falls, _other = (
    sp.Symbol(name, real=True) for name in ("fall", "fb", "bs", "falls of all", "other")
)
"""Fall of the past loss; inner products of the bias with the gradient and with the sum of delayed gradients."""
_NUMBERS = {"alpha": "positive", "beta": "positive", "lift": "real"}
_VECTORS = dict.fromkeys(("gradient", "bias", "sum"), "vector")
_memory: Tree = ["+", "gradient", "bias"]
_move: Tree = ["-", ["*", ["-", "alpha"], _memory], ["*", "beta", "sum"]]
_MEANS: dict[sp.Symbol, Tree] = {
    gf2: square("gradient"),
    b2: square("bias"),
    s2: square("sum"),
    ds: ["dot", _memory, "sum"],
    _fb: ["dot", "gradient", "bias"],
    _bs: ["dot", "bias", "sum"],
    _fall: ["-", ["-", ["dot", "gradient", _move]], "lift"],
    past_lift: "lift",
    past_way2: square(_move),
}


def _form(relation: Condition) -> Sums:
    means = {symbol: form for symbol, form in _MEANS.items() if relation.has(symbol)}
    return Sums(relation, means, {**_NUMBERS, **_VECTORS})


_GAMMA = L * beta**2 / 2 * s2 - beta * (1 - L * alpha) * ds
ON_PATH = follows(
    le(
        alpha * (1 - L * alpha * (1 + m) / 2) * gf2,
        _fall + _GAMMA + (L * alpha**2 - alpha) * _fb + beta * _bs,
    ),
    follows(le(past_lift, L / 2 * past_way2), given=(PAST, OF_CLIENTS)),
    _form(eq(_fall, alpha * (gf2 + _fb) + beta * (ds - _bs) - past_lift)),
    _form(eq(past_way2, alpha**2 * (gf2 + 2 * _fb + b2) + 2 * alpha * beta * ds + beta**2 * s2)),
    given=(PAST, OF_CLIENTS, BIAS),
)
"""Lemma 1 on one path: the quadratic upper bound of the past loss, with the bias of Lemma 9."""

# ----------------------------------------------------------------------------------------- means over the memories

_share = sp.Symbol("share", nonnegative=True)
"""Probability of a path, or of a model."""
_EACH = {gf2, _fall, s2, ds, _fb, _bs}


def _mean(quantity: sp.Symbol) -> sp.Symbol:
    """Mean of a quantity over the draws of one round."""
    return sp.Symbol(f"mean {quantity}", real=True)


def _means(total: dict[sp.Symbol, sp.Expr], relation: Condition, fact: Follows) -> Rounds:
    """A relation between means over any number of cases, from a fact about each case."""
    each = sp.Add(*total.values()).free_symbols - {L, alpha, beta}
    ends = tuple(zip(relation.args, fact.relation.args, strict=True))
    earlier = {symbol: before(symbol) for symbol in total}
    grows = (eq(whole, whole.xreplace(earlier) + _share * part) for whole, part in ends)
    return Rounds(
        relation,
        SUMMANDS,
        {},
        {},
        changing(*total, free=(_share, *each)),
        (*(added(symbol, _share * value) for symbol, value in total.items()), fact),
        through=(*grows, le(*(_share * part for _, part in ends))),
    )


def _lemma_1(of: Callable[[sp.Symbol], sp.Expr]) -> Condition:
    """Lemma 1 for means."""
    small, large = ON_PATH.relation.args
    named = {symbol: of(symbol) for symbol in _EACH}
    return le(small.xreplace(named), large.xreplace(named))


_OVER, _FORGOT = (L * alpha**2 - alpha) * _fb + beta * _bs, _GAMMA
ON_ANY_PATHS = (
    follows(
        statement("cflag.eq60/all-steps").compared,
        _means(
            {each_gf2: gf2, falls: _fall, over_each: _OVER, forget_each: _FORGOT},
            le(alpha * (1 - L * alpha * (1 + m) / 2) * each_gf2, falls + over_each + forget_each),
            ON_PATH,
        ),
        given=KNOWN_M,
    ),
    counted(
        le(SUMMANDS / T * least_gf2, average_gf2),
        T,
        changing(average_gf2, free=(each_gf2,)),
        (
            added(average_gf2, each_gf2 / T),
            follows(le(least_gf2, each_gf2), meant(eq(least_gf2, sp.Min(each_gf2, _other)))),
        ),
    ),
)
"""Eq. (60) and (61), for any way of drawing memories."""
_DEVIATION: Tree = ["-", "bias", ["*", ["/", "1", "n"], ["total", "bias"]]]
_drawn = {"n": "count", "bias": "family n", "gradient": "vector", "sum": "vector"}
_UNBIASED = (
    Sums(eq(_mean(_fb), 0), {_mean(_fb): ["each", "n", "gradient", _DEVIATION]}, _drawn),
    Sums(eq(_mean(_bs), 0), {_mean(_bs): ["each", "n", _DEVIATION, "sum"]}, _drawn),
)
"""The biases of redrawn memories have mean zero at each model."""
_AT_MODEL = follows(
    _lemma_1(lambda x: 0 if x in (_fb, _bs) else _mean(x)),
    _means({_mean(x): x for x in sorted(_EACH, key=str)}, _lemma_1(_mean), ON_PATH),
    *_UNBIASED,
)
_OF_ALL = {gf2: gf2_mean, _fall: _falls, s2: s2_mean, ds: ds_mean}
ROUND_ANEW = (
    follows(
        DESCENT_ANEW,
        _means(
            {total: _mean(x) for x, total in _OF_ALL.items()},
            _lemma_1(lambda x: _OF_ALL.get(x, sp.S.Zero)),
            _AT_MODEL,
        ),
        meant(eq(_falls, f_mean - f_mean_next)),
        given=KNOWN_M,
    ),
)
"""A round with redrawn memories, from the models of all earlier draws."""
