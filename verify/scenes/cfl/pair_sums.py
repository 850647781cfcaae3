"""Facts about weighted drifts and information losses of any number of rounds (CFL, Lemma B.7, Sections 4.3.1 and 4.3.2).

Drifts are vectors of a space whose inner product is the expected one. A further round adds its squared drift, and its products
with all drifts before it, each of which a condition bounds.
"""

from __future__ import annotations

import sympy as sp

from bounds.cfl.correlated import (
    SPLIT,
    C2_pair,
    F2_pair,
    corr,
    decay,
    delta2,
    grad2,
    loss2,
    lost2,
    mixed2,
    p,
    p_AC,
    p_cross,
    p_decay,
    p_FD,
    p_now,
    p_square,
    p_sum,
    xi2,
)
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

DRIFT, SMALL_LOSS = le(xi2, TIME), le(lost2, R2)
_along, _squares, _faded, _product = sp.symbols(
    "along_before squares_so_far faded_before product_of_two", real=True
)
_one2, _latest2 = named("square_before, latest_square", nonnegative=True)
_SQUARE_OF_SUM = follows(
    eq(past**2, p_cross + p_square), (SQUARED_SUM, {whole: past, q_cross: p_cross, q_square: p_square})
)
_square, _past = {p_square: grows(p_square, p**2)}, {past: grows(past, p)}
_mixed = {mixed2: grows(mixed2, p**2 * xi2 + 2 * p * _along)}

# --------------------------------------------------------------------------- gradient, client drift and time drift

_centred: Tree = ["-", "drift", times(["/", "1", "n"], ["total", "drift"])]
_client: tuple[Tree, ...] = tuple(
    ["+", times("weights", [sign, "gradient", "client"]), _centred] for sign in "+-"
)
_ADD_UP = Sums(
    eq(grad2, p_sum**2 * (g2 + delta2) + mixed2),
    {
        grad2: ["/", ["+", *(["each", "n", vector, vector] for vector in _client)], ["*", "2", "n"]],
        p_sum: "weights",
        g2: square("gradient"),
        delta2: square("client"),
        mixed2: ["/", ["each", "n", _centred, _centred], "n"],
    },
    {"n": "count", "drift": "family n", "weights": "real", **dict.fromkeys(("gradient", "client"), "vector")},
)
"""In n equally likely outcomes of the time drifts, which have mean zero, and with either sign of the client drift."""
OF_GRADIENT = follows(SPLIT.compared, _ADD_UP, given=SPLIT.conditions)

_OF_CLIENT = le(delta2, CLIENT)
OF_CURRENT = follows(
    CURRENT.compared,
    (_ADD_UP, {p_sum: sp.S.One, mixed2: xi2}),
    definition(eq(loss2, 0)),
    given=(DRIFT, _OF_CLIENT),
)
"""The current round alone: its drift is the weighted one, and no information is lost."""

# ------------------------------------------------------------------------------------------- bounds for each pair

_SIGNED = (assumed(POSITIVE), assumed(DRIFT))
_AT_MOST_TIME = le(p**2 * xi2, p**2 * TIME)
_PAST_POSITIVE = added(ge(past, 0), _past, (assumed(POSITIVE),), (p,))
_CROSS = {**_past, p_cross: grows(p_cross, 2 * p * before(past))}
_IS_CROSSED = added(
    ge(p_cross, 0),
    _CROSS,
    (assumed(POSITIVE), earlier(_PAST_POSITIVE, past)),
    (p,),
    (ge(2 * p * before(past), 0),),
)
_BOUND = F2 + C2 * g2
_PAIR = le(corr, _BOUND)
_ONE_BOUND = added(
    le(_along, _BOUND * past),
    {**_past, _along: grows(_along, p * corr)},
    (assumed(POSITIVE), assumed(_PAIR)),
    (p, corr),
    (le(p * corr, p * _BOUND),),
)
_BY_PAIRS = added(
    BY_PAIRS,
    {**_mixed, **_square, **_CROSS},
    (*_SIGNED, earlier(_ONE_BOUND, past)),
    (p, xi2, _along),
    (_AT_MOST_TIME, le(2 * p * _along, 2 * p * _BOUND * before(past))),
)
_DECAYS = {fade: fading(fade, p), p_decay: grows(p_decay, p**2 + 2 * p * alpha * before(fade))}
_FADED = {_faded: grows(_faded, p * decay)}
_DECAY_BOUND = le(corr, decay * TIME)
_LESS_BY_DECAY = added(
    le(_along, TIME * _faded),
    {**_FADED, _along: grows(_along, p * corr)},
    (assumed(POSITIVE), assumed(_DECAY_BOUND)),
    (p, corr, decay),
    (le(p * corr, p * decay * TIME),),
)
_AS_BY_DECAY = added(
    eq(_along, TIME * _faded),
    {**_FADED, _along: grows(_along, p * corr)},
    (assumed(AS_ALLOWED),),
    (p, corr, decay),
)


def _decaying(fact: Rounds, given: tuple[Follows, ...]) -> Rounds:
    """The bound by powers of alpha, from the products of a drift with those before it."""
    relation = fact.relation.xreplace({_faded: alpha * before(fade)})
    products = follows(relation, (fact, {_faded: alpha * before(fade)}))
    return added(
        DECAYING,
        {**_mixed, **_DECAYS},
        (*given, products),
        (p, xi2, _along),
        (_AT_MOST_TIME, relation.func(2 * p * _along, 2 * p * relation.rhs, evaluate=False)),
    )


_near_F, _near_A = sp.symbols("smaller_before larger_before", real=True)
_smaller, _larger = sp.Min(F2_pair, D2), sp.Max(A2, C2_pair)
_EACH_PAIR = le(corr, F2_pair + C2_pair * g2)
_ALLOWED = follows(
    le(corr, _smaller + _larger * g2),
    Sums(
        le(2 * corr, xi2 + _latest2),
        {corr: ["dot", "one", "latest"], xi2: square("one"), _latest2: square("latest")},
        dict.fromkeys(("one", "latest"), "vector"),
    ),
    given=(DRIFT, le(_latest2, TIME), _EACH_PAIR),
    through=(
        le(corr, TIME),
        le(C2_pair * g2, _larger * g2),
        le(A2 * g2, _larger * g2),
        le(corr, F2_pair + _larger * g2),
        le(corr, D2 + _larger * g2),
    ),
)
"""Two drifts are as correlated as the condition on the pair allows, and no more than a squared drift."""
_EACH_ALLOWED = added(
    le(_along, _near_F + _near_A * g2),
    {
        _along: grows(_along, p * corr),
        _near_F: grows(_near_F, p * _smaller),
        _near_A: grows(_near_A, p * _larger),
    },
    (assumed(POSITIVE), _ALLOWED),
    (p, corr, F2_pair, C2_pair),
    (le(p * corr, p * (_smaller + _larger * g2)),),
)
_EVERY_PAIR = added(
    EVERY_PAIR,
    {**_mixed, **_square, p_FD: grows(p_FD, 2 * p * _near_F), p_AC: grows(p_AC, 2 * p * _near_A)},
    (*_SIGNED, follows(_EACH_ALLOWED.relation, (_EACH_ALLOWED, {_latest2: xi2}), given=(DRIFT,))),
    (p, xi2, _along, _near_F, _near_A),
    (_AT_MOST_TIME, le(2 * p * _along, 2 * p * (_near_F + _near_A * g2))),
)

# ---------------------------------------------------------------------------- weighted sums: Jensen's inequality

_INNER = added(
    le(2 * _along, _squares + past * _latest2),
    {**_past, _along: grows(_along, p * _product), _squares: grows(_squares, p * _one2)},
    (
        assumed(POSITIVE),
        Sums(
            le(2 * _product, _one2 + _latest2),
            {_product: ["dot", "one", "latest"], _one2: square("one"), _latest2: square("latest")},
            dict.fromkeys(("one", "latest"), "vector"),
        ),
    ),
    (p, _product, _one2),
    (le(2 * p * _product, p * _one2 + p * _latest2),),
)
"""Products of a vector with those before it."""


def _jensen(whole2: sp.Symbol, each2: sp.Symbol, bound: sp.Expr) -> Follows:
    """The squared sum of vectors with nonnegative weights is at most the squared sum of weights times a bound of all squares."""
    condition = le(each2, bound)
    sums = {**_past, _squares: grows(_squares, p * each2)}
    products = follows(
        le(2 * _along, before(_squares) + before(past) * each2),
        (_INNER, {_squares: before(_squares), past: before(past), _latest2: each2}),
    )
    by_squares = added(
        le(whole2, past * _squares),
        {**sums, whole2: grows(whole2, p**2 * each2 + 2 * p * _along)},
        (assumed(POSITIVE), products),
        (p, each2, _along),
        (le(2 * p * _along, p * before(_squares) + p * before(past) * each2),),
    )
    bounded = added(
        le(_squares, past * bound),
        sums,
        (assumed(POSITIVE), assumed(condition)),
        (p, each2),
        (le(p * each2, p * bound),),
    )
    return follows(
        le(whole2, past**2 * bound),
        by_squares,
        bounded,
        _PAST_POSITIVE,
        given=(POSITIVE, condition),
        through=(le(past * _squares, past * past * bound),),
    )


OF_LOSSES = (follows(LOST, (_jensen(loss2, lost2, R2), {past: 1 - p_now}), given=(POSITIVE, SMALL_LOSS)),)
_WHOLE = follows(ALIKE, _jensen(mixed2, xi2, TIME), _SQUARE_OF_SUM, given=(POSITIVE, DRIFT))
OF_DRIFTS = (
    OF_GRADIENT,
    _WHOLE,
    follows(BY_PAIRS, _BY_PAIRS, given=(POSITIVE, DRIFT, _PAIR)),
    follows(DECAYING, _decaying(_LESS_BY_DECAY, _SIGNED), given=(POSITIVE, DRIFT, _DECAY_BOUND)),
    follows(DECAYING, _decaying(_AS_BY_DECAY, (assumed(DRIFT),)), given=(DRIFT, AS_ALLOWED)),
    follows(EVERY_PAIR, _EVERY_PAIR, given=(POSITIVE, DRIFT, _EACH_PAIR)),
    follows(CROSSED, _IS_CROSSED, given=(POSITIVE,)),
)
