"""Justification of the signs that a fact takes from conditions.

A fact may declare a quantity "nonnegative by this condition". This must follow from the condition, in terms of the
quantities that its scene computes. A condition may bound a supremum over all models, of which the scene computes some terms
only. Then a definition relates the supremum to a term ("squared_noise <= noise_sup"). Replacing the supremum by its bound
gives the consequence for the term, and the scene that uses the fact must satisfy the definition.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from operator import or_
from typing import TypeAlias

import sympy as sp

from verify.engine.certificates.formulas import Untranslatable, domains, relation_tree
from verify.engine.certificates.question import Certificate, Undecided
from verify.engine.certificates.weaken import weakened
from verify.engine.model.expressions import computed
from verify.engine.model.meanings import Right, entries_of, justification, sign_of, spoken_of
from verify.engine.model.scene import Assumption, Condition, Fact, Scene, Shape, Values
from verify.engine.tactics.prove import proved

STEPS, MOST = 200, 40
"""Limits of the search for one certificate: polynomials, and relations from which it starts."""


class Unfounded(ValueError):
    """A sign that a fact takes from a condition does not follow from it."""


@dataclass(frozen=True)
class Ground:
    """Conditions and signs on which signs rest.

    Attributes
    ----------
    conditions : frozenset of Relational
        Conditions, and definitions of suprema.
    signs : frozenset of Relational
        Signs of quantities that a certificate uses and no declaration gives.
    """

    conditions: frozenset[Condition] = frozenset()
    signs: frozenset[Condition] = frozenset()

    def __or__(self, other: Ground) -> Ground:
        return Ground(self.conditions | other.conditions, self.signs | other.signs)


Grounds: TypeAlias = Mapping[Right, Ground]
Shown: TypeAlias = tuple[tuple[Condition, Right], ...]


@dataclass(frozen=True)
class _Asked:
    """The signs of the entries of a quantity, their justification, and the relations that this gives between quantities of a
    scene.
    """

    quantity: str
    right: Right
    signs: tuple[Condition, ...]
    said: tuple[Condition, ...]
    ground: Ground


def grounds(fact: Fact, shape: Shape) -> Grounds:
    """The grounds of the signs that a fact assumes, for each justification.

    Raises
    ------
    Unfounded
        If a sign does not follow.
    """
    return _grounds(fact.scene, frozenset(shape.items()), tuple(fact.assumed.items()))


@lru_cache(maxsize=256)
def _grounds(
    scene: Scene, shape: frozenset[tuple[str, int]], assumed: tuple[tuple[str, Assumption], ...]
) -> Grounds:
    values = computed(scene, shape)
    waiting = [_comparison_of(values, name, quantity, tuple(right)) for name, (quantity, *right) in assumed]
    found: dict[Right, Ground] = {}
    shown: list[tuple[Condition, Right]] = []
    before: Shown = ()
    while waiting:
        left = []
        for asked in waiting:
            ground = _ground(asked, tuple((sign, by) for sign, by in before if by != asked.right), found)
            if ground is None:
                left.append(asked)
                continue
            found[asked.right] = found.get(asked.right, Ground()) | ground
            shown += [(sign, asked.right) for sign in asked.signs]
        if len(left) == len(waiting):
            raise Unfounded(
                f"the sign of `{left[0].quantity}` in the scene {scene.name!r} must follow from {justification(left[0].right)}"
            )
        waiting, before = left, tuple(shown)  # only earlier signs count, so that no sign rests on itself
    return found


def _comparison_of(values: Values, name: str, quantity: str, right: Right) -> _Asked:
    pairs = zip(values[name].ravel(), values[quantity].ravel(), strict=True)
    signs = tuple(sign_of(symbol, formula, right[0]) for symbol, formula in pairs)
    relation, needed = (right[0], frozenset[Condition]()) if len(right) == 1 else of_terms(*right)
    spoken = relation is not None and spoken_of(relation, values)
    said = tuple(entries_of(relation, values)) if spoken else ()
    return _Asked(quantity, right, signs, said, Ground(frozenset(right), needed))


@lru_cache(maxsize=256)
def of_terms(condition: Condition, through: Condition) -> tuple[Condition | None, frozenset[Condition]]:
    """Consequences of a condition on a supremum for its terms, by their definition, and the signs that this needs."""
    for extreme, bound in (condition.args, condition.args[::-1]):
        if isinstance(extreme, sp.Symbol) and extreme in through.free_symbols - bound.free_symbols:
            of_terms = through.func(*(side.subs(extreme, bound) for side in through.args), evaluate=False)
            answer = _certificate(of_terms, (condition, through))
            if answer is not None:
                return of_terms, _undeclared(answer, condition)
    return None, frozenset()


def _ground(asked: _Asked, others: Shown, found: Grounds) -> Ground | None:
    """The grounds of signs; None if one follows neither from the relations between quantities of its scene nor from other
    signs.
    """
    ground, known = asked.ground, _said_at_once(asked.said)
    owns = asked.said if len(asked.said) == len(asked.signs) else ()
    for k, sign in enumerate(asked.signs):
        if sp.expand(sign.lhs - sign.rhs) in known[type(sign)]:
            continue
        more = _besides(sign, asked, owns[k : k + 1], others, found)
        if more is None:
            return None
        ground = ground | more
    return ground


def _said_at_once(said: Sequence[Condition]) -> Mapping[type[Condition], set[sp.Expr]]:
    """Expressions that relations directly declare zero, positive or nonnegative."""
    equal = [sp.expand(each.lhs - each.rhs) for each in said if isinstance(each, sp.Eq)]
    above = {
        kind: {sp.expand(each.gts - each.lts) for each in said if isinstance(each, kind)}
        for kind in (sp.Le, sp.Ge, sp.Lt, sp.Gt)
    }
    positive = above[sp.Lt] | above[sp.Gt]
    return {
        sp.Eq: {*equal, *(sp.expand(-each) for each in equal)},
        sp.Gt: positive,
        sp.Ge: positive | above[sp.Le] | above[sp.Ge],
    }


def _besides(
    sign: Condition, asked: _Asked, own: tuple[Condition, ...], others: Shown, found: Grounds
) -> Ground | None:
    """The grounds of a sign beyond relations about its own entry; None if it does not follow."""
    spoken = {symbol.name for relation in (sign, *asked.right) for symbol in relation.free_symbols}
    related = tuple(each for each in asked.said if _names(each) <= spoken)
    near = tuple((other, by) for other, by in others if _names(other) <= spoken.union(*map(_names, own)))
    for said, more in ((own, ()), (related, ()), (own, near), (related, near), (asked.said, others)):
        answer = _certificate(sign, said, more) if len(said) + len(more) <= MOST else None
        if answer is not None:
            used = {line["by"] for line in answer["lines"] if "given" in line}
            rest = (
                found[right] for right in dict.fromkeys(by for _, by in more) if justification(right) in used
            )
            return reduce(or_, rest, Ground(signs=_undeclared(answer, asked.right[0])))
    return None


def _names(relation: Condition) -> set[str]:
    return {symbol.name for symbol in relation.free_symbols}


@lru_cache(maxsize=4096)
def _certificate(sign: Condition, said: tuple[Condition, ...], others: Shown = ()) -> Certificate | None:
    """Certificate of a sign that does not assume any expression to be defined."""
    given = [*((each, "said") for each in said), *((each, justification(by)) for each, by in others)]
    try:
        trees = [(relation_tree(each), by) for each, by in given]
        answer = proved(domains([sign, *(each for each, _ in given)]), relation_tree(sign), trees, STEPS)
    except Untranslatable:
        return None
    if isinstance(answer, Undecided) or any(line.get("by") == "defined" for line in answer["lines"]):
        return None
    return answer


def _undeclared(certificate: Certificate, condition: Condition) -> frozenset[Condition]:
    """Signs that a certificate uses, without those of the symbols of a condition."""
    return frozenset(weakened(certificate, condition)[1])
