"""Norms of sums of any number of vectors, with their proofs: triangle inequality, weighted means, Jensen's inequality.

Each fact is an induction over the summands. A step adds one vector, whose inner product with the sum so far is bounded by
Cauchy-Schwarz.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import sympy as sp

from bounds.relations import eq, le
from verify.engine.certificates.formulas import parts, tree
from verify.engine.model.scene import Condition, Follows, Rounds
from verify.engine.model.sums import Sums
from verify.scenes.letters import named
from verify.scenes.summands import SUMMANDS, added, before, changing, definition, over_summands
from verify.scenes.trees import Tree, square

AnyNumber = Sums | Rounds | Follows
NUMBER = sp.Symbol("number of summands", nonnegative=True)
"""Name of `SUMMANDS` inside an induction."""


def triangle(norm: sp.Symbol, parts: Mapping[sp.Symbol, sp.Expr]) -> Follows:
    """The norm of a sum of vectors is at most the sum of their norms.

    Parameters
    ----------
    norm : Symbol
        Norm of the sum.
    parts : mapping
        Norm of each vector -> its positive factor in the sum.
    """
    vectors = {part: f"vector {k}" for k, part in enumerate(parts)}
    letters = {
        **dict.fromkeys(vectors.values(), "vector"),
        **{
            symbol.name: "positive" for factor in parts.values() for symbol in sp.sympify(factor).free_symbols
        },
    }
    products = {(x, y): sp.Symbol(f"product of {x} and {y}", real=True) for x, y in combinations(vectors, 2)}
    means: dict[sp.Expr, Tree] = {part**2: square(vector) for part, vector in vectors.items()}
    means |= {product: ["dot", vectors[x], vectors[y]] for (x, y), product in products.items()}
    whole: Tree = None
    for part, factor in parts.items():
        added: Tree = ["*", tree(sp.sympify(factor)), vectors[part]]
        whole = added if whole is None else ["+", whole, added]
    squared = eq(
        norm**2,
        sp.Add(
            *(factor**2 * part**2 for part, factor in parts.items()),
            *(2 * parts[x] * parts[y] * product for (x, y), product in products.items()),
        ),
    )
    along = sp.Add(*(factor * part for part, factor in parts.items()))

    def form(relation: Condition, more: Mapping[sp.Expr, Tree]) -> tuple[Sums, Mapping[sp.Symbol, sp.Expr]]:
        spoken = {quantity: form for quantity, form in means.items() if relation.has(quantity)} | dict(more)
        return Sums(relation, spoken, letters), {}

    return Follows(
        le(norm, along),
        (
            form(squared, {norm**2: square(whole)}),
            *(form(le(product**2, x**2 * y**2), {}) for (x, y), product in products.items()),
        ),
        through=(*(le(product, x * y) for (x, y), product in products.items()), le(norm**2, along**2)),
    )


def norm_of_sum(norm: sp.Symbol, norms: sp.Symbol) -> Rounds:
    """The norm of a sum of any number of vectors is at most the sum of their norms."""
    each = sp.Symbol(f"one of {norms}", nonnegative=True)
    steps = (definition(eq(norms, before(norms) + each)), triangle(norm, {before(norm): 1, each: 1}))
    return over_summands(le(norm, norms), changing(norm, norms, free=(each,)), *steps)


def counted(
    relation: Condition,
    number: sp.Expr,
    changes: Mapping[sp.Symbol, tuple[sp.Symbol, sp.Expr | None]],
    *steps: AnyNumber,
    given: tuple[Condition, ...] = (),
    through: tuple[Condition, ...] = (),
) -> Follows:
    """A relation that an induction over the number of summands proves, for this number of them.

    Parameters
    ----------
    relation : Relational
        With `SUMMANDS` for the number of summands.
    changes, steps, given, through
        As of `Rounds`.
    """
    fact = Rounds(
        relation, SUMMANDS, {NUMBER: SUMMANDS}, {NUMBER: NUMBER + 1}, changes, steps, given, through
    )
    return Follows(_with(relation, {SUMMANDS: number}), ((fact, {SUMMANDS: number}),), given)


def renamed(fact: AnyNumber, letters: Mapping[sp.Symbol, sp.Expr]) -> Follows:
    """A fact about other quantities, such as the same quantities one round earlier."""
    given = tuple(_with(condition, letters) for condition in fact.given)
    return Follows(_with(fact.relation, letters), ((fact, letters),), given)


def _with(relation: Condition, letters: Mapping[sp.Symbol, sp.Expr]) -> Condition:
    return relation.func(*(side.xreplace(dict(letters)) for side in relation.args), evaluate=False)


def follows(
    relation: Condition,
    *facts: AnyNumber | tuple[AnyNumber, Mapping[sp.Symbol, sp.Expr]],
    given: tuple[Condition, ...] = (),
    through: tuple[Condition, ...] = (),
) -> Follows:
    """A relation that follows by algebra from facts, each about the same quantities or with substitutions for its symbols."""
    return Follows(relation, tuple(f if isinstance(f, tuple) else (f, {}) for f in facts), given, through)


def equal_norms(norm: sp.Symbol, other: sp.Symbol, vector: Tree, same: Tree) -> Follows:
    """Two norms of one vector, written as two combinations of the same vectors, are equal."""
    names = {name for name in parts([vector, same]) if isinstance(name, str) and name.isidentifier()}
    squares = Sums(
        eq(norm**2, other**2),
        {norm**2: square(vector), other**2: square(same)},
        dict.fromkeys(sorted(names), "vector"),
    )
    return follows(eq(norm, other), squares, through=(le(norm, other), le(other, norm)))


def multiple(norm: sp.Symbol, factor: sp.Symbol, of: sp.Symbol) -> Follows:
    """The norm of a positive multiple of a vector."""
    squares = Sums(
        eq(norm**2, factor**2 * of**2),
        {norm**2: square(["*", factor.name, "vector"]), of**2: square("vector")},
        {"vector": "vector", factor.name: "positive"},
    )
    return follows(eq(norm, factor * of), squares, through=(le(norm, factor * of), le(factor * of, norm)))


def jensen(square_: sp.Symbol, squares: sp.Symbol, weights: sp.Symbol) -> Rounds:
    """The square of a weighted sum of any number of vectors is at most the sum of the weights times the weighted sum of squares."""
    weight, each2 = (sp.Symbol(f"{name} in {square_}", nonnegative=True) for name in ("weight", "square"))
    product = sp.Symbol(f"product in {square_}", real=True)
    letters = {"sum": "vector", "one": "vector", "weight": "nonnegative"}
    whole: Tree = ["+", "sum", ["*", "weight", "one"]]
    means = {
        weight: "weight",
        square_: square(whole),
        before(square_): square("sum"),
        each2: square("one"),
        product: ["dot", "sum", "one"],
    }
    square_of = eq(square_, before(square_) + 2 * weight * product + weight**2 * each2)
    along = le(product**2, before(square_) * each2)
    return over_summands(
        le(square_, weights * squares),
        changing(square_, squares, weights, free=(weight, each2, product)),
        added(squares, weight * each2),
        added(weights, weight),
        Sums(square_of, means, letters),
        Sums(along, {q: form for q, form in means.items() if along.has(q)}, letters),
        through=(
            le(product**2, before(weights) * before(squares) * each2),
            le(4 * product**2, (before(weights) * each2 + before(squares)) ** 2),
            le(2 * product, before(weights) * each2 + before(squares)),
            le(2 * weight * product, weight * (before(weights) * each2 + before(squares))),
        ),
    )


def weighted(
    norm: sp.Symbol,
    weights: sp.Symbol,
    each: sp.Symbol,
    most: sp.Expr,
    *facts: AnyNumber,
    given: tuple[Condition, ...] = (),
) -> Rounds:
    """A weighted sum of vectors has at most the norm that bounds each of them, times the sum of the weights.

    Parameters
    ----------
    norm : Symbol
        Norm of the sum, or a weighted sum of numbers.
    each : Symbol
        Norm of one vector.
    facts : facts
        Together they bound the norm of one vector by `most`.
    """
    weight, part = named("weight, part", nonnegative=True)
    return over_summands(
        le(norm, weights * most),
        changing(norm, weights, free=(each, part, weight)),
        triangle(norm, {before(norm): 1, part: 1}),
        definition(eq(part, weight * each)),
        added(weights, weight),
        *facts,
        given=given,
        through=(le(part, weight * most),),
    )
