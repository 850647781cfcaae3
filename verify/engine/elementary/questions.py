"""Questions with laws: a search may assume the laws in addition to the conditions, and rewrite goals by their equations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import sympy as sp

from bounds.symbols import domain_of
from verify.engine.certificates.formulas import Tree, relation_tree, tree
from verify.engine.certificates.question import Question
from verify.engine.certificates.recheck import replaced
from verify.engine.elementary.law import BEYOND, CONDITION, LAW, Law
from verify.engine.elementary.laws import Laws, is_whole
from verify.engine.model.scene import Condition
from verify.engine.model.sequences import letter_of, sequences_in
from verify.engine.summation.sums import products_in, sums_in
from verify.engine.tactics.prove import implied


@dataclass(frozen=True, eq=False)
class Extended(Question):
    """A question with laws about the functions in it.

    Attributes
    ----------
    laws : tuple of Law
    letter : str
        The whole symbol of the induction; empty if there is no induction.
    fresh : tuple of str
        Whole symbols that occur only in the laws.
    moved : Tree or None
        The equation n = m + 4 where an induction runs over a fresh letter m, because a condition says n >= 4.
    lemma : tuple of Tree and str, or None
        A relation that an induction over a fresh letter shows, and the symbol of the claim for which it is used.
    values : tuple of str and Tree
        Symbols with the values that equations among the conditions give them, and that a proof puts in.
    """

    laws: tuple[Law, ...] = ()
    letter: str = ""
    fresh: tuple[str, ...] = ()
    moved: Tree | None = None
    lemma: tuple[Tree, str] | None = None
    values: tuple[tuple[str, Tree], ...] = ()

    @property
    def symbols(self) -> dict[str, str]:
        return {**super().symbols, **dict.fromkeys(self.fresh, "whole")}

    @property
    def assumptions(self) -> list[tuple[Tree, str]]:
        return [*super().assumptions, *((law.relation, law.by) for law in self.laws)]

    def here(self, formula: Tree) -> Tree:
        """A formula written in the symbol of the induction."""
        return formula if self.moved is None else replaced(formula, self.moved[1], self.moved[2])

    @property
    def over(self) -> str | None:
        return self.letter or None

    @property
    def for_every(self) -> tuple[str, ...]:
        """Prefixes of justifications that allow an assumption for every value of the symbol."""
        return LAW, CONDITION


def conditions_of(question: Question) -> tuple[Condition, ...]:
    """The conditions of a question, without those that hold for every index of a sequence."""
    return tuple(r for r, by in question.given if by == "condition" and letter_of(r) is None)


def laws_of(question: Question) -> Laws:
    """Laws about the functions in a question, where signs follow from its conditions."""
    conditions = conditions_of(question)
    return Laws(question.relation, conditions, lambda relation: implied(relation, conditions))


def least_of(letter: sp.Symbol) -> int:
    """The least value of a symbol for whole numbers."""
    return 1 if domain_of(letter) == "count" else 0


def letters_of(relation: Condition) -> list[sp.Symbol]:
    """Whole symbols for an induction: ends of sums first, then exponents, then all others."""
    totals = (*sums_in([relation]), *products_in([relation]))
    ends = [s for total in totals for end in total.limits[0][1:] for s in _ordered(end)]
    bound = {limit[0] for total in relation.atoms(sp.Sum, sp.Product) for limit in total.limits}
    powers = sorted(relation.atoms(sp.Pow), key=sp.default_sort_key)
    exponents = [s for p in powers for s in _ordered(p.exp)]
    found = dict.fromkeys([*ends, *exponents, *_ordered(relation)])
    return [s for s in found if is_whole(s) and s not in bound and s not in sequences_in([relation])]


def _ordered(formula: sp.Basic) -> list[sp.Symbol]:
    return sorted((s for s in formula.free_symbols if isinstance(s, sp.Symbol)), key=lambda s: s.name)


def least_given(letter: sp.Symbol, conditions: Iterable[Condition]) -> sp.Expr:
    """The least value of a whole symbol under the conditions: a number or a sum of whole symbols; by default that of its domain."""
    numbers, formulas = [sp.Integer(least_of(letter))], list[sp.Expr]()
    for condition in conditions:
        if not isinstance(condition, sp.Ge | sp.Gt | sp.Le | sp.Lt):
            continue
        low = sp.expand(letter - (condition.gts - condition.lts))
        if letter in low.free_symbols or not _whole_sum(low):
            continue
        low = low + 1 if isinstance(condition, sp.Gt | sp.Lt) else low
        (formulas if low.free_symbols else numbers).append(low)
    return formulas[0] if formulas else max(numbers)


def _whole_sum(formula: sp.Expr) -> bool:
    """Whether a formula is a sum of whole symbols and a whole number."""
    parts = [part for part in sp.Add.make_args(formula) if not part.is_Integer]
    return all(map(is_whole, parts)) and bool(formula.is_integer)


def beyond(law: Law, letter: sp.Symbol, low: sp.Expr, fresh: str) -> Law:
    """A law for every value of a symbol from `low` on, written with the difference `fresh` of the symbol and `low`."""
    here = replaced(law.relation, letter.name, ["+", fresh, tree(low)])
    return replace(law, relation=here, every=fresh if law.every else "")


def substitution(letter: sp.Symbol, low: sp.Expr, fresh: str) -> Law:
    """The law that a whole symbol of at least `low` equals `low` plus a whole number `fresh`."""
    return Law(["=", letter.name, ["+", fresh, tree(low)]], BEYOND)


def of_conditions(
    conditions: Sequence[tuple[Condition, sp.Symbol]], letter: sp.Symbol, low: sp.Expr
) -> list[Law]:
    """Conditions that hold for every index, at a symbol from its least value on, at the next value, and at the least."""
    found = []
    for condition, index in conditions:
        here = replaced(relation_tree(_with_sums_up_to(letter, condition, index)), index.name, letter.name)
        first = replaced(here, letter.name, tree(low))
        after = replaced(here, letter.name, ["+", letter.name, "1"])
        name = index.name
        if (low - least_of(index)).is_nonnegative:
            found += [Law(here, name, letter.name, CONDITION), Law(first, name, "", CONDITION)]
        found.append(Law(after, name, letter.name, CONDITION))
    return found


def _with_sums_up_to(letter: sp.Symbol, condition: Condition, index: sp.Symbol) -> Condition:
    """A condition for every index with its sums at a symbol: certificates name a sum after the symbol at its ends."""
    sums = {total: total.subs(index, letter) for total in sums_in([condition])}
    return condition.xreplace(sums)


KNOWN_BY_LAWS = (
    sp.Sum,
    sp.Product,
    sp.Indexed,
    sp.exp,
    sp.log,
    sp.floor,
    sp.ceiling,
    sp.factorial,
    sp.binomial,
)
"""Functions about which a search has no information except laws."""


def needs_laws(question: Question) -> bool:
    """Whether a relation needs laws: it has functions without other rules, or exponents that conditions bound."""
    relation = question.relation
    if any(formula.atoms(*KNOWN_BY_LAWS) for formula in (relation, *(given for given, _ in question.given))):
        return True
    powers = relation.atoms(sp.Pow)
    letters = [s for s in letters_of(relation) if any(s in p.exp.free_symbols for p in powers)]
    given = [condition for condition, by in question.given if by == "condition"]
    moved = any(least_given(letter, given) != least_of(letter) for letter in letters)
    return moved or any(
        len(p.exp.free_symbols) > 1 or p.exp.could_extract_minus_sign() for p in powers if p.exp.free_symbols
    )
