"""What a fact assumes of its own quantities: that a condition gives them the sign which the fact takes from it.

A fact says of a quantity "nonnegative by this condition". Where its scene computes all that the condition speaks of, this is
a question with an answer, and is asked. Where it does not (a supremum over all of a round, of which the scene knows one
term), it is what the quantity means there, and its author's word.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

import sympy as sp

from verify.engine.arithmetic import side_by_side
from verify.engine.certificates.formulas import Untranslatable, domains, relation_tree
from verify.engine.certificates.prove import proved
from verify.engine.certificates.question import Undecided
from verify.engine.expressions import symbolic_values
from verify.engine.scene import Condition, Fact, Scene, Shape, Values
from verify.engine.triangles import plain

STEPS = 200
"""Polynomials of the search for one certificate."""

Assumed: TypeAlias = tuple[tuple[str, tuple[str, Condition]], ...]
Meant: TypeAlias = Mapping[sp.Symbol, tuple[sp.Expr, Condition]]
"""Symbol -> the formula that it stands for, and the condition that gives this its sign (`sign_of`)."""


def meant(fact: Fact, values: Values) -> Meant:
    """What the symbols of a fact's assumptions stand for, entry by entry."""
    return {
        symbol: (formula, condition)
        for name, (quantity, condition) in fact.assumed.items()
        for symbol, formula in zip(values[name].ravel(), values[quantity].ravel(), strict=True)
    }


def grounds(fact: Fact, shape: Shape) -> Mapping[Condition, frozenset[Condition]] | None:
    """For each condition that a fact assumes, the others that its formulas need besides; None if a sign does not follow.

    A condition of which the scene lacks a quantity is taken at its word.
    """
    return _grounds(fact.scene, frozenset(shape.items()), tuple(fact.assumed.items()))


@lru_cache(maxsize=256)
def _grounds(
    scene: Scene, shape: frozenset[tuple[str, int]], assumed: Assumed
) -> Mapping[Condition, frozenset[Condition]] | None:
    values = computed(scene, shape)
    signs = [
        (sign, condition)
        for name, (quantity, condition) in assumed
        for sign in dict.fromkeys(
            sign_of(symbol, formula, condition)
            for symbol, formula in zip(values[name].ravel(), values[quantity].ravel(), strict=True)
        )
    ]
    needed: dict[Condition, frozenset[Condition]] = {}
    for sign, condition in signs:
        if not spoken_of(condition, values):
            continue
        others = [(other, by) for other, by in signs if by != condition]
        found = _besides(sign, list(_said(condition, values)), others)
        if found is None:
            return None
        needed[condition] = needed.get(condition, frozenset()) | found
    return needed


@lru_cache(maxsize=64)
def computed(scene: Scene, shape: frozenset[tuple[str, int]]) -> Values:
    """Quantities of a scene in symbols; kept, because the facts of one scene share them."""
    return symbolic_values(scene, dict(shape))


def spoken_of(condition: Condition, values: Values) -> bool:
    """Whether a scene computes all that a condition speaks of."""
    return all(symbol.name in values for symbol in condition.free_symbols)


def sign_of(symbol: sp.Symbol, formula: sp.Expr, condition: Condition) -> Condition:
    """What a condition is taken to say of a formula for which a symbol stands: nonnegative, or positive if it is strict.

    Where the symbol may have either sign, an equation makes the formula zero.
    """
    if isinstance(condition, sp.Eq) and not symbol.is_nonnegative:
        return sp.Eq(0, plain(formula), evaluate=False)
    kind = sp.Gt if isinstance(condition, sp.Lt | sp.Gt) else sp.Ge
    return kind(plain(formula), 0, evaluate=False)


def _said(condition: Condition, values: Values) -> Iterator[Condition]:
    """What a condition says of the quantities of a scene, entry by entry."""
    left, right = (side.ravel() for side in side_by_side(condition.args, values, "symbolic", 1))
    for pair in zip(left, right, strict=True):
        yield condition.func(*map(plain, pair), evaluate=False)


def _besides(
    sign: Condition, said: Sequence[Condition], others: Sequence[tuple[Condition, Condition]]
) -> frozenset[Condition] | None:
    """Other conditions, from whose signs and what a condition says a sign follows; None if it does not."""
    if any(_same(sign, each) for each in said):
        return frozenset()
    for more in ((), tuple(others)):
        given = [*((each, "condition") for each in said), *((each, str(by)) for each, by in more)]
        try:
            trees = [(relation_tree(each), by) for each, by in given]
            answer = proved(domains([sign, *(each for each, _ in given)]), relation_tree(sign), trees, STEPS)
        except Untranslatable:
            continue
        if not isinstance(answer, Undecided):
            used = {line["by"] for line in answer["lines"] if "given" in line}
            return frozenset(by for _, by in more if str(by) in used)
    return None


def _same(sign: Condition, said: Condition) -> bool:
    """Whether a relation says at once that a formula is nonnegative, or positive where this is asked."""
    if isinstance(sign, sp.Gt) and not isinstance(said, sp.Lt | sp.Gt):
        return False
    if isinstance(said, sp.Eq | sp.Ne) or isinstance(sign, sp.Eq):
        return False
    return bool(sp.expand(said.gts - said.lts - sign.lhs) == 0)
