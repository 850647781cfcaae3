"""Facts about the past loss in rounds along any gradients (C-FLAG, Lemma 1 and Theorems 2 and 5), for any number of paths and rounds.

A path is one outcome of the memories. On each, a round moves the model by -alpha (gradient and bias) - beta (delayed gradients).
"""

from __future__ import annotations

import sympy as sp

from bounds.catalogue import relations
from bounds.cflag import rate as b
from bounds.cflag.bias import b_run, over_run
from bounds.cflag.forgetting import BIAS, FACTOR, bs, fb, forgetting, overfitting
from bounds.cflag.redrawn import DESCENT_ANEW, ds_mean, f_mean, f_mean_next, gf2_mean, s2_mean
from bounds.cflag.symbols import F, L, T, alpha, b2, beta, ds, gf2, s2
from bounds.relations import eq, le
from verify.engine.model.scene import Condition, Rounds
from verify.engine.model.sums import Sums
from verify.scenes.cflag.terms import OF_CLIENTS, PAST, past_lift, past_way2
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import AnyNumber, counted, follows, renamed
from verify.scenes.summands import SUMMANDS, added, before, changing, definition, over_summands, summed
from verify.scenes.trees import Tree, square, vocabulary

_HALF = sp.Rational(1, 2)
fall, _over, _forgot, _other = named("fall, over, forgot, other", real=True)
"""Fall of the past loss in a round; its overfitting and forgetting terms; another number."""

# ------------------------------------------------------------------------------------------------ one round on one path

_NUMBERS = {"alpha": "positive", "beta": "positive", "lift": "real"}
_VECTORS = dict.fromkeys(("gradient", "bias", "sum"), "vector")
_memory: Tree = ["+", "gradient", "bias"]
_move: Tree = ["-", ["*", ["-", "alpha"], _memory], ["*", "beta", "sum"]]
_MEANS: dict[sp.Symbol, Tree] = {
    gf2: square("gradient"),
    b2: square("bias"),
    s2: square("sum"),
    ds: ["dot", _memory, "sum"],
    fb: ["dot", "gradient", "bias"],
    bs: ["dot", "bias", "sum"],
    fall: ["-", ["-", ["dot", "gradient", _move]], "lift"],
    past_lift: "lift",
    past_way2: square(_move),
}
form = vocabulary(_MEANS, {**_NUMBERS, **_VECTORS})
"""A relation between inner products of the vectors of a round."""
ON_PATH = follows(
    le(FACTOR * gf2, fall + forgetting(_HALF, s2, ds) + overfitting(bs)),
    follows(le(past_lift, L / 2 * past_way2), given=(PAST, OF_CLIENTS)),
    form(eq(fall, alpha * (gf2 + fb) + beta * (ds - bs) - past_lift)),
    form(eq(past_way2, alpha**2 * (gf2 + 2 * fb + b2) + 2 * alpha * beta * ds + beta**2 * s2)),
    given=(PAST, OF_CLIENTS, BIAS),
)
"""Lemma 1 on one path: the quadratic upper bound of the past loss, with the bias of Lemma 9."""
_IN_TERMS = follows(
    le(FACTOR * gf2, fall + _over + _forgot),
    *(ON_PATH, definition(eq(_over, overfitting(bs))), definition(eq(_forgot, forgetting(_HALF, s2, ds)))),
    given=ON_PATH.given,
)

# ------------------------------------------------------------------------------------------------ means over paths

_share = sp.Symbol("share", nonnegative=True)
"""Probability of a path, or of a model."""
_gf2_model = sp.Symbol("gradient at a model", nonnegative=True)
_fall_model, _over_model, _forgot_model = (
    sp.Symbol(f"{name} at a model", real=True) for name in ("fall", "over", "forgot")
)
"""Means over the draws of one round, at one model."""


def _means(of: dict[sp.Symbol, sp.Symbol], relation: Condition, fact: AnyNumber) -> Rounds:
    """A relation between means over any number of cases, from a fact about each case."""
    ends = tuple(zip(relation.args, fact.relation.args, strict=True))
    earlier = {mean: before(mean) for mean in of}
    grows = (eq(whole, whole.xreplace(earlier) + _share * part) for whole, part in ends)
    return over_summands(
        relation,
        changing(*of, free=(_share, *of.values())),
        *(added(mean, _share * each) for mean, each in of.items()),
        fact,
        through=(*grows, le(*(_share * part for _, part in ends))),
    )


_ROUND = _means(
    {b.each_gf2: gf2, b.falls: fall, b.over_each: _over, b.forget_each: _forgot},
    le(FACTOR * b.each_gf2, b.falls + b.over_each + b.forget_each),
    _IN_TERMS,
)
_FORGETTING = summed(
    eq(b.forget_each, forgetting(_HALF, s2_mean, ds_mean)),
    {b.forget_each: _share * forgetting(_HALF, s2, ds), s2_mean: _share * s2, ds_mean: _share * ds},
    (_share, s2, ds),
)
_DRAWN = {"n": "count", "bias": "family n", "gradient": "vector", "sum": "vector", "axis": "vector"}
_CONSTANTS = {"alpha": "positive", "beta": "positive", "L": "positive"}
_deviation: Tree = ["-", "bias", ["*", ["/", "1", "n"], ["total", "bias"]]]
_along: Tree = ["+", ["*", ["-", ["*", "L", ["^", "alpha", "2"]], "alpha"], "gradient"], ["*", "beta", "sum"]]
_bias_model = sp.Symbol("bias at a model", real=True)
_UNBIASED = (
    Sums(eq(_bias_model, 0), {_bias_model: ["each", "n", "axis", _deviation]}, _DRAWN),
    Sums(eq(_over_model, 0), {_over_model: ["each", "n", _along, _deviation]}, {**_DRAWN, **_CONSTANTS}),
)
"""Memories that are drawn in a round have biases with the mean zero, which model and delayed gradients do not depend on."""
UNBIASED = tuple(
    _means({mean: at_model}, eq(mean, 0), fact)
    for mean, at_model, fact in zip((b_run, over_run), (_bias_model, _over_model), _UNBIASED, strict=True)
)
"""Lemma 8 at the models of a run with redrawn memories."""
_AT_MODEL = follows(
    le(FACTOR * _gf2_model, _fall_model + _forgot_model),
    renamed(
        _ROUND,
        {
            b.each_gf2: _gf2_model,
            b.falls: _fall_model,
            b.over_each: _over_model,
            b.forget_each: _forgot_model,
        },
    ),
    _UNBIASED[1],
)
_REDRAWN = _means(
    {b.each_gf2: _gf2_model, b.falls: _fall_model, b.forget_each: _forgot_model},
    le(FACTOR * b.each_gf2, b.falls + b.forget_each),
    _AT_MODEL,
)
ROUND_ANEW = (
    follows(
        DESCENT_ANEW,
        renamed(_REDRAWN, {b.each_gf2: gf2_mean}),
        *(_FORGETTING, definition(eq(b.falls, f_mean - f_mean_next))),
        given=b.KNOWN_M,
    ),
)
"""A round with redrawn memories, from the models of all earlier draws."""

# ------------------------------------------------------------------------------------------------ all rounds

LEAST = follows(le(b.least_gf2, b.each_gf2), definition(eq(b.least_gf2, sp.Min(b.each_gf2, _other))))
_fallen, _rest = sp.Symbol("fallen", real=True), sp.Symbol("rest")
"""Fall of the past loss over all rounds, and a sum over all rounds."""
_entries = {
    b.falls: b.fs_mean[b.t] - b.fs_mean[b.t + 1],
    b.over_each: overfitting(b.bss[b.t]).subs(fb, b.fbs[b.t]),
    b.forget_each: forgetting(_HALF, b.s2s[b.t], b.dss[b.t]),
}
_AVERAGE = added(b.average_gf2, b.each_gf2 / T)
_ALL = counted(
    le(FACTOR * T * b.average_gf2, _rest),
    T,
    changing(b.average_gf2, _rest, free=(*_entries, b.each_gf2)),
    _AVERAGE,
    added(_rest, b.falls + b.over_each + b.forget_each),
    _ROUND,
)
_ALL_REDRAWN = counted(
    le(FACTOR * T * b.average_gf2, _fallen + _rest),
    T,
    changing(b.average_gf2, _fallen, _rest, free=(b.falls, b.forget_each, b.each_gf2)),
    _AVERAGE,
    added(_fallen, b.falls),
    added(_rest, b.forget_each),
    _REDRAWN,
)
_NO_MORE = counted(
    le(SUMMANDS / T * b.least_gf2, b.average_gf2),
    T,
    changing(b.average_gf2, free=(b.each_gf2,)),
    _AVERAGE,
    LEAST,
)
_ANY_REDRAWN = renamed(_ALL_REDRAWN, {_fallen: F, _rest: b.over_rounds(_entries[b.forget_each])})
_relation = relations("cflag")
ON_ANY_PATHS = (
    follows(_relation("eq60/all-steps"), _ROUND, given=b.KNOWN_M),
    _NO_MORE,
    follows(
        _relation("eq62/all-steps"),
        renamed(_ALL, {_rest: b.over_rounds(sp.Add(*_entries.values()))}),
        given=b.KNOWN_M,
    ),
)
"""Eq. (60) to (62), for any way of drawing memories."""
DRAWN_ANEW = (
    follows(_relation("eq64/redrawn"), _ANY_REDRAWN, given=b.KNOWN_M),
    follows(_relation("thm2/redrawn"), _ANY_REDRAWN, _NO_MORE, given=b.KNOWN_M),
)
"""Theorem 2 with memories redrawn."""
