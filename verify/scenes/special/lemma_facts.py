"""Facts about SPECIAL's Appendix C, for any number of vectors, clients and losses.

Sums over ordered pairs grow by the differences to one more vector, by induction. Chances of being sampled follow by counting
the sets of N clients with their members twice.
"""

from __future__ import annotations

import sympy as sp

from bounds.catalogue import relations, statement
from bounds.relations import eq, le
from bounds.special import lemmas as b
from bounds.special.symbols import K, M, N
from verify.engine.model.scene import Condition, Follows, Rounds
from verify.engine.model.sums import Sums
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import NUMBER, counted, follows, triangle
from verify.scenes.summands import SUMMANDS, added, before, changing, definition, over_summands, summed
from verify.scenes.trees import Tree, square

_relation = relations("special")

# ------------------------------------------------------------------------------------------------ sums of vectors

_each, _weight, _part = named("length, weight, part", nonnegative=True)
_SCALED = Sums(
    eq(_part**2, _weight**2 * _each**2),
    {_part**2: square(["*", "weight", "vector"]), _each**2: square("vector"), _weight: "weight"},
    {"weight": "nonnegative", "vector": "vector"},
)
_SCALES = follows(
    eq(_part, _weight * _each), _SCALED, through=(le(_part, _weight * _each), le(_weight * _each, _part))
)
"""A nonnegative factor scales a length."""
OF_WEIGHTS = (
    over_summands(
        _relation("lemC.2"),
        changing(b.norm_sum, b.sum_norms, free=(_each, _weight, _part)),
        triangle(b.norm_sum, {before(b.norm_sum): 1, _part: 1}),
        added(b.sum_norms, _weight * _each),
        _SCALES,
    ),
    summed(
        _relation("lemC.2.equality"),
        {b.sum_scaled: _part, b.sum_norms: _weight * _each},
        (_each, _weight, _part),
        _SCALES,
    ),
)
OF_LOSSES = (
    counted(
        _relation("lemC.1").xreplace({K: SUMMANDS}),
        K,
        changing(b.grad_change, free=(b.task_change,)),
        triangle(b.grad_change, {before(b.grad_change): 1, b.task_change: 1}),
        follows(statement("special.lemC.1").conditions[0], given=statement("special.lemC.1").conditions),
    ),
)

# ------------------------------------------------------------------------------------------------ covariances

_covariance, _with_sum = sp.Symbol("covariance", real=True), sp.Symbol("covariance with the sum", real=True)
_own2, _first2 = named("square of one, square of the first", nonnegative=True)
COVARIANCES = sp.Symbol("covariances", nonnegative=True)
LARGEST = le(COVARIANCES, b.cross)
"""The definition of `cross`: no covariance is larger."""


def _with_covariances(relation: Condition, sign: int) -> Follows:
    """The expected square of a sum, from above (1) or from below (-1), by the largest covariance of two vectors.

    One more vector has a covariance with each of the vectors before it.
    """
    of_one_more = Rounds(
        le(sign * _with_sum, SUMMANDS * b.cross),
        SUMMANDS,
        {NUMBER: SUMMANDS},
        {NUMBER: NUMBER + 1},
        changing(_with_sum, free=(_covariance, COVARIANCES)),
        (
            added(_with_sum, _covariance),
            definition(eq(COVARIANCES, sp.Abs(_covariance))),
            follows(LARGEST, given=(LARGEST,)),
        ),
        through=(le(sign * _covariance, COVARIANCES),),
    )
    means = {
        b.E_sum2: square(["+", "sum", "one"]),
        before(b.E_sum2): square("sum"),
        _with_sum: ["dot", "sum", "one"],
        _own2: square("one"),
    }
    expanded = Sums(
        eq(b.E_sum2, before(b.E_sum2) + 2 * _with_sum + _own2), means, {"sum": "vector", "one": "vector"}
    )
    return counted(
        relation.xreplace({b.n: SUMMANDS + 1}),
        b.n - 1,
        {
            **changing(free=(_with_sum, _own2)),
            **{total: (before(total), _first2) for total in (b.E_sum2, b.sum_E2)},
        },
        expanded,
        added(b.sum_E2, _own2),
        of_one_more,
    )


OF_COVARIANCES = (
    _with_covariances(_relation("lemC.4/above"), 1),
    _with_covariances(_relation("lemC.4/below"), -1),
)

# ------------------------------------------------------------------------------------------------ differences of pairs

_apart = sp.Symbol("differences to one", nonnegative=True)
_IN_SUMS: dict[sp.Expr, Tree] = {
    SUMMANDS: "n",
    _apart: ["each", "n", ["-", "t", "one"], ["-", "t", "one"]],
    before(b.S2): ["each", "n", "t", "t"],
    before(b.SS): square(["total", "t"]),
    b.S2: ["+", ["each", "n", "t", "t"], square("one")],
    b.SS: square(["+", ["total", "t"], "one"]),
}
PAIRS = counted(
    _relation("lemC.8").xreplace({M: SUMMANDS + 1}),
    M - 1,
    {**changing(b.P, free=(_apart,)), **{total: (before(total), _first2) for total in (b.S2, b.SS)}},
    added(b.P, 2 * _apart),
    Sums(
        eq(_apart, (SUMMANDS + 1) * b.S2 - b.SS - SUMMANDS * before(b.S2) + before(b.SS)),
        _IN_SUMS,
        {"n": "count", "t": "family n", "one": "vector"},
    ),
)
"""The differences of all ordered pairs."""

# ------------------------------------------------------------------------------------------------ expansions

_LETTERS = {"M": "count", "N": "count", "t": "family M", "Lam": "vector", "G": "real"}
_whole: Tree = ["*", "G", ["total", "t"]]
_included, _both = ["/", "N", "M"], ["/", ["*", "N", ["-", "N", "1"]], ["*", "M", ["-", "M", "1"]]]
_squares, _all = ["each", "M", "t", "t"], square(["total", "t"])
MEANS: dict[sp.Expr, Tree] = {
    b.S2: _squares,
    b.SS: _all,
    b.SL: ["each", "M", ["-", "t", "Lam"], ["-", "t", "Lam"]],
    b.Lam2: square("Lam"),
    b.full2: square(["+", _whole, "Lam"]),
    b.sampled2: [
        "+",
        ["*", ["^", "G", "2"], ["+", ["*", _included, _squares], ["*", _both, ["-", _all, _squares]]]],
        ["*", "2", _included, ["dot", _whole, "Lam"]],
        square("Lam"),
    ],
}
"""Quantity -> its formula. A client is sampled with probability N/M, and two clients with N (N - 1)/(M (M - 1))."""


def _expanded(number: str) -> Follows:
    """An expansion, from the same with sums in place of the differences of pairs."""
    relation = _relation(number)
    given = statement(f"special.{number}").conditions
    in_sums = relation.xreplace({b.P: PAIRS.relation.rhs})
    means = {quantity: form for quantity, form in MEANS.items() if in_sums.has(quantity)}
    letters = {name: domain for name, domain in _LETTERS.items() if name != "N" or in_sums.has(N)}
    return follows(relation, Sums(in_sums, means, letters, given), PAIRS, given=given)


# ------------------------------------------------------------------------------------------------ numbers of sets

_pairs, _containing = named("sets and their members, sets with certain clients", nonnegative=True)
_sets = sp.Symbol("sets", integer=True, positive=True)


def _as_often(number: sp.Expr, each: sp.Expr) -> Follows:
    """A sum of equal summands."""
    return counted(eq(_pairs, SUMMANDS * each), number, changing(_pairs), added(_pairs, each))


def _chance(number: str, in_set: sp.Expr, of_all: sp.Expr) -> Follows:
    """The share of the sets of N clients that contain certain clients, by counting sets with such members twice.

    Parameters
    ----------
    in_set : formula
        Number of choices of such clients in one set.
    of_all : formula
        Number of choices among all clients. Each is in equally many sets.
    """
    relation, given = _relation(number), statement(f"special.{number}").conditions
    twice = (_as_often(_sets, in_set), _as_often(of_all, _containing))
    return follows(relation, *twice, definition(eq(relation.lhs, _containing / _sets)), given=given)


OF_VECTORS = (
    _expanded("lemC.6"),
    _expanded("lemC.7.expectation"),
    PAIRS,
    _chance("lemC.7.inclusion", N, M),
    _chance("lemC.7.pairs", N * (N - 1), M * (M - 1)),
)
