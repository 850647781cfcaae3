"""Claims that are several claims at once: a bound of a maximum or an absolute value, or a bound by a minimum."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import sympy as sp

from verify.engine.certificates.question import Question
from verify.engine.elementary.laws import Laws
from verify.engine.elementary.questions import Extended, conditions_of
from verify.engine.model.scene import Condition
from verify.engine.tactics.prove import implied

PARTS = 4
"""Limit on claims into which a claim is taken apart."""


def with_parts(question: Question) -> Question | None:
    """The question with the claims that together say the same as intermediate relations; None if it is one claim."""
    found = parts_of(question.relation)
    return replace(question, through=(*question.through, *found)) if 1 < len(found) <= PARTS else None


def by_parts(question: Question) -> Iterator[Extended]:
    """The same with laws of the functions in each of these claims."""
    whole = with_parts(question)
    if whole is None:
        return
    given = conditions_of(question)
    found = [
        law
        for one in parts_of(question.relation)
        for law in Laws(one, given, lambda r: implied(r, given)).of_functions()
    ]
    laws = {str(law.relation): law for law in found}
    if laws:
        yield Extended(question.relation, question.given, None, whole.through, tuple(laws.values()))


def parts_of(relation: Condition) -> list[Condition]:
    """Claims without maxima and absolute values on the smaller side, and minima on the larger one, that imply a relation."""
    if not isinstance(relation, sp.Le | sp.Lt | sp.Ge | sp.Gt):
        return [relation]
    for side, way in ((relation.lts, 1), (relation.gts, -1)):
        for term in sp.Add.make_args(side):
            for factor in sp.Mul.make_args(term):
                rest = way * term / factor
                choices = _choices(factor, rest) if not rest.has(factor) else ()
                if choices and (side - term).has(factor) is False:
                    small, large = (relation.lts, relation.gts)
                    new = [side - term + way * rest * choice for choice in choices]
                    kind = sp.Lt if isinstance(relation, sp.Lt | sp.Gt) else sp.Le
                    pairs = [(one, large) if way > 0 else (small, one) for one in new]
                    return [part for pair in pairs for part in parts_of(kind(*pair, evaluate=False))]
    return [relation]


def _choices(factor: sp.Expr, rest: sp.Expr) -> tuple[sp.Expr, ...]:
    """The values of a factor, if it is a maximum or an absolute value with a positive rest, or a minimum with a negative one."""
    if isinstance(factor, sp.Max) and rest.is_positive:
        return tuple(factor.args)
    if isinstance(factor, sp.Min) and (-rest).is_positive:
        return tuple(factor.args)
    if isinstance(factor, sp.Abs) and rest.is_positive:
        return factor.args[0], -factor.args[0]
    return ()
