"""Facts about weighted drifts and information losses of any number of rounds (CFL, Lemma B.7, Sections 4.3.1 and 4.3.2).

Drifts are vectors of a space whose inner product is the expected one. A further round adds its squared drift, and its products
with all drifts before it, each of which a condition bounds.
"""

from __future__ import annotations

import sympy as sp

from bounds.cfl import correlated as b
from bounds.cfl.free import CURRENT
from bounds.cfl.symbols import A2, C2, D2, F2, R2, alpha, g2
from bounds.cfl.weight_sums import q_cross, q_square
from bounds.relations import eq, ge, le
from verify.engine.model.scene import Follows, Rounds
from verify.engine.model.sums import Sums
from verify.scenes.cfl.client_sums import POSITIVE, assumed
from verify.scenes.cfl.decay_sums import fade, fading
from verify.scenes.cfl.drift_facts import (
    ALIKE,
    AS_ALLOWED,
    BY_PAIRS,
    CLIENT,
    CROSSED,
    DECAYING,
    EVERY_PAIR,
    LOST,
    TIME,
)
from verify.scenes.cfl.weight_sums import SQUARED_SUM, added, earlier, grows, past, whole
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import follows
from verify.scenes.summands import before, definition
from verify.scenes.trees import Tree, square, times

DRIFT, SMALL_LOSS = le(b.xi2, TIME), le(b.lost2, R2)
_along, _squares, _faded, _product = sp.symbols(
    "along_before squares_so_far faded_before product_of_two", real=True
)
_one2, _latest2 = named("square_before, latest_square", nonnegative=True)
_SQUARE_OF_SUM = follows(
    eq(past**2, b.p_cross + b.p_square),
    (SQUARED_SUM, {whole: past, q_cross: b.p_cross, q_square: b.p_square}),
)
_square, _past = {b.p_square: grows(b.p_square, b.p**2)}, {past: grows(past, b.p)}
_mixed = {b.mixed2: grows(b.mixed2, b.p**2 * b.xi2 + 2 * b.p * _along)}

# --------------------------------------------------------------------------- gradient, client drift and time drift

_centred: Tree = ["-", "drift", times(["/", "1", "n"], ["total", "drift"])]
_client: tuple[Tree, ...] = tuple(
    ["+", times("weights", [sign, "gradient", "client"]), _centred] for sign in "+-"
)
_ADD_UP = Sums(
    eq(b.grad2, b.p_sum**2 * (g2 + b.delta2) + b.mixed2),
    {
        b.grad2: ["/", ["+", *(["each", "n", vector, vector] for vector in _client)], ["*", "2", "n"]],
        b.p_sum: "weights",
        g2: square("gradient"),
        b.delta2: square("client"),
        b.mixed2: ["/", ["each", "n", _centred, _centred], "n"],
    },
    {"n": "count", "drift": "family n", "weights": "real", **dict.fromkeys(("gradient", "client"), "vector")},
)
"""In n equally likely outcomes of the time drifts, which have mean zero, and with either sign of the client drift."""
OF_GRADIENT = follows(b.SPLIT.compared, _ADD_UP, given=b.SPLIT.conditions)

_OF_CLIENT = le(b.delta2, CLIENT)
OF_CURRENT = follows(
    CURRENT.compared,
    (_ADD_UP, {b.p_sum: sp.S.One, b.mixed2: b.xi2}),
    definition(eq(b.loss2, 0)),
    given=(DRIFT, _OF_CLIENT),
)
"""The current round alone: its drift is the weighted one, and no information is lost."""

# ------------------------------------------------------------------------------------------- bounds for each pair

_SIGNED = (assumed(POSITIVE), assumed(DRIFT))
_AT_MOST_TIME = le(b.p**2 * b.xi2, b.p**2 * TIME)
_PAST_POSITIVE = added(ge(past, 0), _past, (assumed(POSITIVE),), (b.p,))
_CROSS = {**_past, b.p_cross: grows(b.p_cross, 2 * b.p * before(past))}
_IS_CROSSED = added(
    ge(b.p_cross, 0),
    _CROSS,
    (assumed(POSITIVE), earlier(_PAST_POSITIVE, past)),
    (b.p,),
    (ge(2 * b.p * before(past), 0),),
)
_BOUND = F2 + C2 * g2
_PAIR = le(b.corr, _BOUND)
_ONE_BOUND = added(
    le(_along, _BOUND * past),
    {**_past, _along: grows(_along, b.p * b.corr)},
    (assumed(POSITIVE), assumed(_PAIR)),
    (b.p, b.corr),
    (le(b.p * b.corr, b.p * _BOUND),),
)
_BY_PAIRS = added(
    BY_PAIRS,
    {**_mixed, **_square, **_CROSS},
    (*_SIGNED, earlier(_ONE_BOUND, past)),
    (b.p, b.xi2, _along),
    (_AT_MOST_TIME, le(2 * b.p * _along, 2 * b.p * _BOUND * before(past))),
)
_DECAYS = {fade: fading(fade, b.p), b.p_decay: grows(b.p_decay, b.p**2 + 2 * b.p * alpha * before(fade))}
_FADED = {_faded: grows(_faded, b.p * b.decay)}
_DECAY_BOUND = le(b.corr, b.decay * TIME)
_LESS_BY_DECAY = added(
    le(_along, TIME * _faded),
    {**_FADED, _along: grows(_along, b.p * b.corr)},
    (assumed(POSITIVE), assumed(_DECAY_BOUND)),
    (b.p, b.corr, b.decay),
    (le(b.p * b.corr, b.p * b.decay * TIME),),
)
_AS_BY_DECAY = added(
    eq(_along, TIME * _faded),
    {**_FADED, _along: grows(_along, b.p * b.corr)},
    (assumed(AS_ALLOWED),),
    (b.p, b.corr, b.decay),
)


def _decaying(fact: Rounds, given: tuple[Follows, ...]) -> Rounds:
    """The bound by powers of alpha, from the products of a drift with those before it."""
    relation = fact.relation.xreplace({_faded: alpha * before(fade)})
    products = follows(relation, (fact, {_faded: alpha * before(fade)}))
    return added(
        DECAYING,
        {**_mixed, **_DECAYS},
        (*given, products),
        (b.p, b.xi2, _along),
        (_AT_MOST_TIME, relation.func(2 * b.p * _along, 2 * b.p * relation.rhs, evaluate=False)),
    )


_near_F, _near_A = sp.symbols("smaller_before larger_before", real=True)
_smaller, _larger = sp.Min(b.F2_pair, D2), sp.Max(A2, b.C2_pair)
_EACH_PAIR = le(b.corr, b.F2_pair + b.C2_pair * g2)
_ALLOWED = follows(
    le(b.corr, _smaller + _larger * g2),
    Sums(
        le(2 * b.corr, b.xi2 + _latest2),
        {b.corr: ["dot", "one", "latest"], b.xi2: square("one"), _latest2: square("latest")},
        dict.fromkeys(("one", "latest"), "vector"),
    ),
    given=(DRIFT, le(_latest2, TIME), _EACH_PAIR),
    through=(
        le(b.corr, TIME),
        le(b.C2_pair * g2, _larger * g2),
        le(A2 * g2, _larger * g2),
        le(b.corr, b.F2_pair + _larger * g2),
        le(b.corr, D2 + _larger * g2),
    ),
)
"""Two drifts are as correlated as the condition on the pair allows, and no more than a squared drift."""
_EACH_ALLOWED = added(
    le(_along, _near_F + _near_A * g2),
    {
        _along: grows(_along, b.p * b.corr),
        _near_F: grows(_near_F, b.p * _smaller),
        _near_A: grows(_near_A, b.p * _larger),
    },
    (assumed(POSITIVE), _ALLOWED),
    (b.p, b.corr, b.F2_pair, b.C2_pair),
    (le(b.p * b.corr, b.p * (_smaller + _larger * g2)),),
)
_EVERY_PAIR = added(
    EVERY_PAIR,
    {**_mixed, **_square, b.p_FD: grows(b.p_FD, 2 * b.p * _near_F), b.p_AC: grows(b.p_AC, 2 * b.p * _near_A)},
    (*_SIGNED, follows(_EACH_ALLOWED.relation, (_EACH_ALLOWED, {_latest2: b.xi2}), given=(DRIFT,))),
    (b.p, b.xi2, _along, _near_F, _near_A),
    (_AT_MOST_TIME, le(2 * b.p * _along, 2 * b.p * (_near_F + _near_A * g2))),
)

# ---------------------------------------------------------------------------- weighted sums: Jensen's inequality

_INNER = added(
    le(2 * _along, _squares + past * _latest2),
    {**_past, _along: grows(_along, b.p * _product), _squares: grows(_squares, b.p * _one2)},
    (
        assumed(POSITIVE),
        Sums(
            le(2 * _product, _one2 + _latest2),
            {_product: ["dot", "one", "latest"], _one2: square("one"), _latest2: square("latest")},
            dict.fromkeys(("one", "latest"), "vector"),
        ),
    ),
    (b.p, _product, _one2),
    (le(2 * b.p * _product, b.p * _one2 + b.p * _latest2),),
)
"""Products of a vector with those before it."""


def _jensen(whole2: sp.Symbol, each2: sp.Symbol, bound: sp.Expr) -> Follows:
    """The squared sum of vectors with nonnegative weights is at most the squared sum of weights times a bound of all squares."""
    condition = le(each2, bound)
    sums = {**_past, _squares: grows(_squares, b.p * each2)}
    products = follows(
        le(2 * _along, before(_squares) + before(past) * each2),
        (_INNER, {_squares: before(_squares), past: before(past), _latest2: each2}),
    )
    by_squares = added(
        le(whole2, past * _squares),
        {**sums, whole2: grows(whole2, b.p**2 * each2 + 2 * b.p * _along)},
        (assumed(POSITIVE), products),
        (b.p, each2, _along),
        (le(2 * b.p * _along, b.p * before(_squares) + b.p * before(past) * each2),),
    )
    bounded = added(
        le(_squares, past * bound),
        sums,
        (assumed(POSITIVE), assumed(condition)),
        (b.p, each2),
        (le(b.p * each2, b.p * bound),),
    )
    return follows(
        le(whole2, past**2 * bound),
        by_squares,
        bounded,
        _PAST_POSITIVE,
        given=(POSITIVE, condition),
        through=(le(past * _squares, past * past * bound),),
    )


OF_LOSSES = (
    follows(LOST, (_jensen(b.loss2, b.lost2, R2), {past: 1 - b.p_now}), given=(POSITIVE, SMALL_LOSS)),
)
_WHOLE = follows(ALIKE, _jensen(b.mixed2, b.xi2, TIME), _SQUARE_OF_SUM, given=(POSITIVE, DRIFT))
OF_DRIFTS = (
    OF_GRADIENT,
    _WHOLE,
    follows(BY_PAIRS, _BY_PAIRS, given=(POSITIVE, DRIFT, _PAIR)),
    follows(DECAYING, _decaying(_LESS_BY_DECAY, _SIGNED), given=(POSITIVE, DRIFT, _DECAY_BOUND)),
    follows(DECAYING, _decaying(_AS_BY_DECAY, (assumed(DRIFT),)), given=(DRIFT, AS_ALLOWED)),
    follows(EVERY_PAIR, _EVERY_PAIR, given=(POSITIVE, DRIFT, _EACH_PAIR)),
    follows(CROSSED, _IS_CROSSED, given=(POSITIVE,)),
)
