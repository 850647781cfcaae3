"""Questions with inequalities between sums: of the sums in a claim, and in an induction of the sums by which others grow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce

import sympy as sp

from verify.engine.certificates.formulas import relation_tree, tree, with_part
from verify.engine.certificates.question import Question
from verify.engine.elementary.law import Law
from verify.engine.elementary.laws import Laws, equation_of
from verify.engine.elementary.questions import Extended, conditions_of, laws_of
from verify.engine.model.scene import Condition
from verify.engine.model.sequences import for_every
from verify.engine.summation.factors import added_logarithms, sums_of_factors
from verify.engine.summation.inequalities import by_ends, inequalities, parts, squares_of_sums, windows
from verify.engine.summation.integrals import monotone_sums, of_monotone
from verify.engine.summation.summing import Sign, simplified, split_sums, without_sums
from verify.engine.summation.sums import nonnegative, products_in, sums_in
from verify.engine.summation.termwise import bounded_terms
from verify.engine.tactics.prove import implied

Letters = Mapping[sp.Basic, sp.Symbol]


def by_sums(question: Question) -> Iterator[Extended]:
    """Yield the question with inequalities between its sums, if there are any.

    Other laws are about the functions of sums outside of their terms, so sums are letters while these laws are found.
    """
    if question.relation.has(sp.Sum, sp.Product):
        yield from _with_inequalities(question, [])
        formulas = (question.relation, *conditions_of(question))
        totals = sums_in(formulas) if _has_logarithm(formulas) else ()
        # After the others, as a sum of logarithms also has bounds of its own
        if equations := [one for total in totals for one in added_logarithms(total)]:
            yield from _with_inequalities(question, equations)


def _with_inequalities(question: Question, equal: Sequence[tuple[sp.Basic, str]]) -> Iterator[Extended]:
    """The question with inequalities between its sums, and with equations between these and products."""
    given = [relation for relation, by in question.given if by == "condition"]
    known = laws_of(question)
    formulas = (question.relation, *known.conditions)
    bounds = [one for total in sums_in(formulas) for one in squares_of_sums(total, known.nonnegative)]
    has_exp, products = question.relation.has(sp.exp), products_in(formulas)
    products += [factors for equation, _ in equal for factors in equation.atoms(sp.Product)]
    for factors in products:
        bounds += sums_of_factors(factors, known.positive, known.nonnegative, exponentials=has_exp)
    found = [
        (sp.Le(r.lts, simplified(r.gts, known.nonnegative, sums_in(formulas)), evaluate=False), name)
        for r, name in bounds
    ] + [*equal]
    nested = (*formulas, *(bound for bound, _ in found))
    splits = split_sums(nested, known.nonnegative, every=True)
    old = {split.old for split in splits}
    totals = [total for total in sums_in(nested) if total not in old]
    totals += [total for split in splits for total in split.functions if len(total.limits) == 1]
    spoken = frozenset().union(*(formula.free_symbols for formula in formulas))
    totals = list(dict.fromkeys(total for total in totals if total.free_symbols <= spoken))
    letters = _letters([*totals, *products])
    outside = [formula.xreplace(letters) for formula in formulas]
    back = {letter: total for total, letter in letters.items()}
    points = [sp.Tuple(*f.atoms(sp.exp, sp.log, sp.Pow)).xreplace(back) for f in map(without_sums, outside)]
    order = _orders(given)
    for here in by_ends([*totals, *products], known.nonnegative):
        found += inequalities(here, points, known.nonnegative, order)
    for total in totals:
        found += bounded_terms(total, (), known.nonnegative, totals)
    passed = [one for total in _double_sums(formulas) for one in windows(total, known.nonnegative)]
    found += passed
    with_windows = [*totals, *sums_in(relation for relation, _ in passed)]
    entries = {entry for formula in formulas for entry in without_sums(formula).atoms(sp.Indexed)}
    found += parts(with_windows, sorted(entries, key=sp.default_sort_key), known.nonnegative)
    powers = _with_powers(old, known.nonnegative)
    if not (found or powers):
        return
    new = sorted({total for relation, _ in found for total in relation.atoms(sp.Sum)}, key=str)
    known_sums = monotone_sums([one for one in new if one not in totals], known.positive, known.nonnegative)
    integrals = [
        one for each in known_sums for one, _ in of_monotone(each, known.positive, known.nonnegative)
    ]
    letters = _letters([*totals, *products, *new])
    relation, *rest = (without_sums(f.xreplace(letters)) for f in formulas)

    def follows_here(sign: Condition) -> bool:
        return implied(sign, tuple(rest))

    more = Laws(relation, rest, follows_here, [*(r.xreplace(letters) for r, _ in found), *powers])
    signs = [law for total in letters for law in nonnegative(total)]
    laws = [Law(relation_tree(r), name) for r, name in dict(found).items()]
    for several in (more.splits(None), ()):
        functions = _with_sums(more.of_functions(several), letters)
        every = (*signs, *laws, *integrals, *map(equation_of, splits), *functions)
        yield Extended(question.relation, question.given, None, question.through, every)


def _with_powers(totals: Iterable[sp.Expr], known: Sign) -> list[sp.Expr]:
    """Closed forms of sums that have powers with one letter in the base and in the exponent, such as (1 + 1/n)^n."""
    forms = [simplified(total, known, ()) for total in totals]
    found = {f for f in forms if any(p.base.free_symbols & p.exp.free_symbols for p in f.atoms(sp.Pow))}
    return sorted((form for form in found if not form.has(sp.Sum)), key=sp.default_sort_key)


def _has_logarithm(formulas: Iterable[sp.Basic]) -> bool:
    """Whether there is a logarithm outside of sums."""
    return any(without_sums(formula).has(sp.log) for formula in formulas)


def _double_sums(formulas: Iterable[sp.Basic]) -> list[sp.Sum]:
    """Sums over two indices."""
    found = {part for formula in formulas for part in formula.atoms(sp.Sum) if len(part.limits) == 2}
    return sorted(found, key=sp.default_sort_key)


def _letters(totals: Iterable[sp.Basic]) -> dict[sp.Basic, sp.Symbol]:
    """A letter for each sum or product, with the sign that all of its terms have."""
    found: dict[sp.Basic, sp.Symbol] = {}
    for total in totals:
        signs = {law.relation[0] for law in nonnegative(total)}
        sign = {"positive": True} if "<" in signs else {"nonnegative": True} if signs else {"real": True}
        found.setdefault(total, sp.Symbol(f"total {len(found)}", **sign))
    return found


def _with_sums(found: Sequence[Law], letters: Letters) -> list[Law]:
    """Laws about letters as laws about the sums for which they stand."""
    names = [(letter.name, tree(total)) for total, letter in letters.items()]
    return [
        replace(law, relation=reduce(lambda formula, name: with_part(formula, *name), names, law.relation))
        for law in found
    ]


def _orders(given: Sequence[Condition]) -> dict[sp.IndexedBase, tuple[int, int]]:
    """Sequences with d[t] <= d[t - 1] for every t (-1), or with the contrary (1), and the place of their first such entry."""
    found = {}
    for condition, index in for_every(given):
        if isinstance(condition, sp.Le | sp.Ge | sp.Lt | sp.Gt):
            small, large = condition.lts, condition.gts
            if isinstance(small, sp.Indexed) and isinstance(large, sp.Indexed) and small.base == large.base:
                before, after = (sp.expand(entry.indices[0] - index) for entry in (small, large))
                if abs(before - after) == 1:
                    start = int(min(before, after)) + (1 if index.is_positive else 0)
                    found[small.base] = (1 if before < after else -1, start)
    return found
