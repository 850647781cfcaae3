"""Facts about sums over clients with common or individual rates (C-FLAG, Section 5 and Appendix 3), for any number of clients.

A client moves the model by p_i a_i, where a_i is the sum of its delayed gradients.
"""

from __future__ import annotations

import sympy as sp

from bounds.catalogue import relations
from bounds.cflag.adaptive import (
    MORE,
    C_pair,
    Lam,
    Lam_i,
    a2,
    best_rate,
    client_term,
    cross,
    least_term,
    p_i,
    q2,
    short,
)
from bounds.cflag.adaptive_cases import (
    apart,
    mean_apart,
    mean_av,
    mean_Gamma,
    mean_w,
    pair2,
    pair_apart2,
    pair_C,
    short_av,
    short_w,
    sum_av,
    sum_w,
)
from bounds.cflag.forgetting import GAMMA_15
from bounds.cflag.symbols import CFLAG, L, N, alpha, beta, ds, fd2, s2
from bounds.relations import eq, ge, gt, le
from verify.engine.model.scene import Condition, Follows, Rounds
from verify.engine.model.sums import Sums
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import AnyNumber, counted, follows, renamed
from verify.scenes.summands import SUMMANDS, added, before, changing, definition, over_summands, summed
from verify.scenes.trees import Tree, square, vocabulary

_HALF = sp.Rational(1, 2)
_product = sp.Symbol("product", real=True)
"""Inner product of a client's vector and the sum of those before it."""
_own2, _gap = named("own2, gap", nonnegative=True)
"""Square of a client's vector; sum of its squared differences from those before it."""
_both = sp.Symbol("both", positive=True)
"""Product of the weights of two clients."""
_relation = relations("cflag")

# ------------------------------------------------------------------------------------------------ common rates

_everyone: Tree = ["total", "moves"]
_half: Tree = ["/", ["*", "L", ["^", "beta", "2"]], "2"]
_agree: Tree = ["*", "beta", ["-", "1", ["*", "L", "alpha"]]]


def _sum_over_clients(square_: Tree) -> Tree:
    """The sum of the clients' terms, with this factor of their squares."""
    return ["each", "N", "moves", ["-", ["*", square_, "moves"], ["*", _agree, "fd"]]]


_MEANS: dict[sp.Expr, Tree] = {
    s2: square(_everyone),
    ds: ["dot", "fd", _everyone],
    Lam: ["each", "N", "fd", "moves"],
    q2: ["each", "N", "moves", "moves"],
    sum_av: _sum_over_clients(_half),
    sum_w: _sum_over_clients(["*", "N", _half]),
}
_LETTERS = {
    **{"N": "count", "moves": "family N", "fd": "vector"},
    **dict.fromkeys(("L", "alpha", "beta"), "positive"),
}
_form = vocabulary(_MEANS, _LETTERS)
_GROWN = Sums(
    eq(s2, before(s2) + 2 * _product + _own2),
    {
        s2: square(["+", "sum", "one"]),
        before(s2): square("sum"),
        _product: ["dot", "sum", "one"],
        _own2: square("one"),
    },
    {"sum": "vector", "one": "vector"},
)
_PAIRS = (added(cross, 2 * _product), added(q2, _own2))
DECOMPOSED = over_summands(
    eq(s2, q2 + cross), changing(s2, q2, cross, free=(_product, _own2)), _GROWN, *_PAIRS
)
"""The square of a sum by the squares of its summands and their pairs."""
NO_TWO_AGREE, ALL_AGREE = le(C_pair, 0), gt(C_pair, 0)
NOT_RAISED, RAISED = le(cross, 0), gt(cross, 0)


def _with_all(relation: Condition, each: Condition) -> Rounds:
    """The sign of the inner product with a sum, from the signs of those with each summand."""
    return summed(relation, {_product: _both * C_pair}, (C_pair, _both), follows(each, given=(each,)))


LOWERED = summed(NOT_RAISED, {cross: 2 * _product}, (_product,), _with_all(le(_product, 0), NO_TWO_AGREE))
_first = sp.Symbol("first two", positive=True)
_MORE_THAN_TWO = over_summands(
    RAISED,
    {cross: (before(cross), _first), _product: (before(_product), None)},
    added(cross, 2 * _product),
    _with_all(ge(_product, 0), ALL_AGREE),
)
ALL_RAISED = follows(
    RAISED, (_MORE_THAN_TWO, {_first: 2 * _both * C_pair, SUMMANDS: N - 2}), given=(ALL_AGREE, ge(N, 2))
)
"""The interaction of any two or more clients, of which the first two begin."""
_count = sp.Symbol("clients before", nonnegative=True)
_COUNTS = added(_count, sp.S.One)
_FROM_ONE = over_summands(
    eq(_gap, q2 - 2 * _product + _count * _own2),
    changing(_gap, q2, _product, _count, free=(C_pair, a2)),
    added(_gap, a2 - 2 * C_pair + _own2),
    added(q2, a2),
    added(_product, C_pair),
    _COUNTS,
)
_IN_PAIRS = over_summands(
    eq(apart, _count * q2 - q2 - cross),
    changing(apart, q2, cross, _count, free=(_gap, _product, _own2)),
    *_PAIRS,
    added(apart, _gap),
    _COUNTS,
    renamed(_FROM_ONE, {name: before(name) for name in (q2, _count)}),
)
_APART = follows(
    _relation("eq188.apart"), _IN_PAIRS, counted(eq(_count, SUMMANDS), N, changing(_count), _COUNTS)
)
_apart: Tree = ["-", "one", "other"]
OF_PAIR = Sums(
    _relation("eq188.square"),
    {
        pair2: ["+", square("one"), square("other")],
        pair_C: ["*", "2", ["dot", "one", "other"]],
        pair_apart2: square(_apart),
    },
    {"one": "vector", "other": "vector"},
)
NOT_ZERO = ge(a2, Lam_i**2 * (2 + fd2) / (1 + fd2) ** 2)
"""A vector with a nonzero inner product is nonzero; this is its quantitative form."""
_OF_TWO = follows(
    NOT_ZERO,
    Sums(
        le(Lam_i**2, a2 * fd2),
        {Lam_i: ["dot", "fd", "own"], a2: square("own"), fd2: square("fd")},
        {"fd": "vector", "own": "vector"},
    ),
    through=(le(Lam_i**2 * (2 + fd2), a2 * fd2 * (2 + fd2)), le(Lam_i**2 * (2 + fd2), a2 * (1 + fd2) ** 2)),
)
AT_COMMON_RATES: tuple[AnyNumber, ...] = (
    _form(_relation("eq15")),
    DECOMPOSED,
    LOWERED,
    ALL_RAISED,
    follows(_relation("eq187"), DECOMPOSED),
    OF_PAIR,
    _APART,
    _form(_relation("eq189")),
    _OF_TWO,
)
ALONE = eq(cross, 0)
"""What the average case means: clients do not interact on the whole."""
WITHOUT_INTERACTION = follows(
    _relation("eq184"),
    *(_form(eq(sum_av, L * beta**2 / 2 * q2 - beta * (1 - L * alpha) * ds)), DECOMPOSED),
    given=(ALONE,),
)
NO_INTERACTION = follows(_relation("eq200.average"), WITHOUT_INTERACTION, given=(ALONE,))

# ------------------------------------------------------------------------------------------------ means over memories

_share, _Gamma = sp.Symbol("share", nonnegative=True), sp.Symbol("Gamma", real=True)
_GAMMA = definition(eq(_Gamma, GAMMA_15))


def _expected(relation: Condition, means: dict[sp.Symbol, sp.Symbol], each: AnyNumber) -> Rounds:
    """An equation between means over any number of memories, from that for each memory."""
    return over_summands(
        relation,
        changing(*means, free=(_share, *means.values())),
        *(added(mean, _share * one) for mean, one in means.items()),
        each,
    )


EXPECTED = (
    _expected(
        _relation("eq191.apart"),
        {mean_w: sum_w, mean_Gamma: _Gamma, mean_apart: apart},
        follows(
            eq(sum_w - _Gamma, L * beta**2 / 2 * apart),
            *(_form(eq(sum_w, L * beta**2 / 2 * N * q2 - beta * (1 - L * alpha) * ds)), DECOMPOSED),
            *(_APART, _GAMMA),
        ),
    ),
)
EXPECTED_ALONE = (
    _expected(
        _relation("eq185"),
        {mean_Gamma: _Gamma, mean_av: sum_av},
        follows(eq(_Gamma, sum_av), WITHOUT_INTERACTION, _GAMMA, given=(ALONE,)),
    ),
)

# ------------------------------------------------------------------------------------------------ squares


def _completed(id: str, short: sp.Symbol, square_: sp.Expr, along: sp.Expr, given: Condition) -> Follows:
    """A quadratic polynomial of beta is its least value and a square."""
    excess = (L * square_ * beta - (1 - L * alpha) * along) ** 2 / (2 * L * square_)
    return follows(_relation(id), definition(eq(short, excess)), given=(given,))


COMPLETED = (
    _completed("eq16.square", short, s2, Lam, gt(s2, 0)),
    _completed("eq184.square", short_av, p_i * a2, Lam_i, gt(a2, 0)),
    _completed("eq191.square", short_w, N * p_i * a2, Lam_i, gt(a2, 0)),
)

# ------------------------------------------------------------------------------------------------ individual rates

_each = sp.Symbol("each", real=True)
_one2, _memory2 = named("own square, memory square", positive=True)
"""Square of a transferring client's sum, and of a memory gradient by which it is divided: both are not zero."""
_interferes = sp.Symbol("interferes", nonnegative=True)
"""Whether a client interferes, 1 or 0."""


def _in_two(total: sp.Symbol, one: sp.Symbol, other: sp.Symbol) -> Rounds:
    """A sum over all clients by those that interfere and those that do not."""
    return summed(
        eq(total, one + other),
        {total: _each, one: _interferes * _each, other: (1 - _interferes) * _each},
        (_each, _interferes),
    )


def _termwise(relation: Condition, one: sp.Expr, other: sp.Expr) -> Rounds:
    """A relation between two sums over clients, from that for each client's terms."""
    one, other = (p_i * term.xreplace({fd2: _memory2}) for term in (one, other))
    return over_summands(
        relation,
        changing(*relation.args, free=(p_i, a2, _one2, Lam_i)),
        added(relation.lhs, one),
        added(relation.rhs, other),
        through=() if isinstance(relation, sp.Eq) else (relation.func(one, other, evaluate=False),),
    )


def _lemma_7(case: str, suffix: str, factor: sp.Expr) -> tuple[AnyNumber, ...]:
    ad, ad_I, ad_T, sum_I, sum_T, best_T = (
        CFLAG[f"{name}_{suffix}"].symbol for name in ("ad", "ad_I", "ad_T", "sum_I", "sum_T", "best_T")
    )
    total = {"av": sum_av, "w": sum_w}[suffix]
    common = client_term(factor, alpha, alpha)
    best = client_term(factor, alpha, best_rate(factor))
    of_one = lambda term: term.xreplace({a2: _one2})  # noqa: E731
    raised = _termwise(le(ad_I, sum_I), client_term(factor, MORE, alpha), common)
    reached = _termwise(eq(ad_T, best_T), of_one(best), of_one(least_term(factor)))
    lowered = _termwise(le(best_T, sum_T), of_one(least_term(factor)), of_one(common))
    return (
        _in_two(ad, ad_I, ad_T),
        follows(_relation(f"eq197.{case}"), raised, reached, given=(gt(fd2, 0),)),
        follows(_relation(f"eq198.{case}"), lowered),
        follows(_relation(f"eq199.{case}"), _in_two(total, sum_I, sum_T)),
    )


OF_CLIENTS = (*_lemma_7("average", "av", sp.S.One), *_lemma_7("worst", "w", N))
"""Lemma 7, Eq. (196) to (199), in both cases."""
