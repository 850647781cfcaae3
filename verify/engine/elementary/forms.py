"""Forms of a claim without quotients, roots, exponentials and logarithms, and proofs through such forms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import sympy as sp
from sympy.core.relational import Relational

from verify.engine.certificates.question import Question
from verify.engine.elementary.laws import Laws, equation_of
from verify.engine.elementary.questions import Extended, conditions_of
from verify.engine.model.scene import Condition
from verify.engine.tactics.prove import implied

SIZE = 80
"""Limit on operations of a relation that is multiplied out."""


def by_forms(question: Question) -> Iterator[Extended]:
    """Yield the question with an intermediate relation: steps of the user together, or another form of the claim.

    The laws also speak about the functions in these relations.
    """
    relation = question.relation
    conditions = conditions_of(question)

    def follows(other: Condition) -> bool:
        return implied(other, conditions)

    if steps := _with_values(question.through, Laws(relation, conditions, follows)):
        laws = Laws(relation, conditions, follows, steps)
        for splits in (laws.splits(None), ()):
            yield Extended(relation, question.given, None, question.through, tuple(laws.of_functions(splits)))
    if not isinstance(relation, sp.Le | sp.Lt | sp.Ge | sp.Gt) or relation.count_ops() > SIZE:
        return
    for form in dict.fromkeys(forms(relation, Laws(relation, conditions, follows))):
        if not says_nothing_new(form, relation):
            splits = Laws(relation, conditions, follows, (form,)).splits(None)
            laws_of_form = Laws(form, conditions, follows).of_functions()
            through = (*question.through, form)
            yield Extended(
                relation, question.given, None, through, (*laws_of_form, *map(equation_of, splits))
            )


def _with_values(steps: Sequence[Condition], laws: Laws) -> list[Condition]:
    """The steps whose logarithms are defined wherever the claim is.

    Laws about a logarithm assume that it has a value; a step of the user may lack one where the claim does not.
    """
    logarithms = {one for formula in laws.formulas for one in formula.atoms(sp.log)}
    return [
        step for step in steps if all(laws.positive(one.args[0]) for one in step.atoms(sp.log) - logarithms)
    ]


def says_nothing_new(relation: Condition, claim: Condition) -> bool:
    """Whether a relation is no relation between numbers, or the claim with both sides multiplied by a number."""
    if not isinstance(relation, Relational) or relation.has(sp.nan, sp.zoo, sp.oo):
        return True
    one, other = (side.lhs - side.rhs for side in (relation, claim))
    return other == 0 or bool((one / other).simplify().is_number)


def forms(relation: Condition, laws: Laws) -> Iterator[Condition]:
    """The relation multiplied out; its squares, exponentials and logarithms, where its sides allow this."""
    large, small = relation.gts, relation.lts
    if relation.has(sp.Sum, sp.Product, sp.Indexed):
        return
    yield simple(relation, laws)
    roots = [p for p in relation.atoms(sp.Pow) if p.exp.is_Rational and not p.exp.is_Integer]
    if roots and laws.nonnegative(large) and laws.nonnegative(small):
        yield simple(relation.func(*(sp.expand(side**2) for side in relation.args), evaluate=False), laws)
    if relation.has(sp.exp) and laws.positive(large) and laws.positive(small):
        logs = [sp.expand_log(sp.log(side)) for side in relation.args]
        yield simple(relation.func(*logs, evaluate=False), laws)


def simple(relation: Condition, laws: Laws) -> Condition:
    """The relation without positive divisors and factors, with positive terms on both sides."""
    slack = sp.together(relation.gts - relation.lts)
    top, below = sp.fraction(slack)
    if not laws.positive(below):
        return relation
    content, factors = _factors(top) if _polynomial(top) else (sp.S.One, [(top, 1)])
    left = [base**power for base, power in factors if not laws.positive(base)]  # a power may be T
    terms = sp.Add.make_args(sp.expand(sp.sign(content) * sp.Mul(*left)))
    scale = sp.gcd_list([abs(term.as_coeff_Mul()[0]) for term in terms]) if terms else sp.S.One
    plus = [term / scale for term in terms if not term.could_extract_minus_sign()]
    minus = [-term / scale for term in terms if term.could_extract_minus_sign()]
    strict = isinstance(relation, sp.Lt | sp.Gt)
    return (sp.Gt if strict else sp.Ge)(sp.Add(*plus), sp.Add(*minus), evaluate=False)


def _factors(formula: sp.Expr) -> tuple[sp.Expr, list[tuple[sp.Expr, int]]]:
    """The content and the factors of a formula; the formula itself where SymPy cannot factor it."""
    try:
        content, factors = sp.factor_list(formula)
    except sp.PolynomialError:
        return sp.S.One, [(formula, 1)]
    return content, factors


def _polynomial(formula: sp.Expr) -> bool:
    """Whether a formula is small, and its powers have numbers as exponents: SymPy's factors have symbolic ones otherwise."""
    symbolic = any(not power.exp.is_number for power in formula.atoms(sp.Pow))
    return (
        bool(formula.count_ops() <= SIZE) and not symbolic and not formula.has(sp.Sum, sp.Product, sp.Indexed)
    )
