"""Questions with laws: a search may assume the laws in addition to the conditions, and rewrite goals by their equations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import sympy as sp

from bounds.symbols import domain_of
from verify.engine.certificates.formulas import Tree, relation_tree, tree
from verify.engine.certificates.question import Question
from verify.engine.certificates.recheck import replaced
from verify.engine.elementary.law import BEYOND, CONDITION, LAW, Law
from verify.engine.elementary.laws import Laws, is_whole
from verify.engine.elementary.stronger import linear_recursions, with_new_functions
from verify.engine.elementary.sums import products_in, sums_in
from verify.engine.model.scene import Condition
from verify.engine.model.sequences import for_every, letter_of, sequences_in
from verify.engine.tactics.prove import implied

SECOND_ORDER = 8
"""Limit on bounds of exp and log beyond their tangents: four for each of two exponentials or logarithms."""


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
    """

    laws: tuple[Law, ...] = ()
    letter: str = ""
    fresh: tuple[str, ...] = ()
    moved: Tree | None = None
    lemma: tuple[Tree, str] | None = None

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
        here = replaced(relation_tree(condition), index.name, letter.name)
        first = replaced(here, letter.name, tree(low))
        after = replaced(here, letter.name, ["+", letter.name, "1"])
        name = index.name
        if (low - least_of(index)).is_nonnegative:
            found += [Law(here, name, letter.name, CONDITION), Law(first, name, "", CONDITION)]
        found.append(Law(after, name, letter.name, CONDITION))
    return found


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


def extensions(question: Question) -> Iterator[Extended]:
    """Yield the question with laws: with an induction over each of its symbols, and without one (first, for functions)."""
    given = tuple(relation for relation, by in question.given if by == "condition")
    conditions = tuple(relation for relation in given if letter_of(relation) is None)

    def follows(relation: Condition) -> bool:
        return implied(relation, conditions)

    laws = Laws(question.relation, conditions, follows)
    bounds, with_bounds = laws.of_sums()
    every = for_every(given)
    ways = [
        _without_letter(question, with_bounds, bounds),
        chain(_with_letters(question, laws, every), _with_stronger(question, laws, every)),
    ]
    grows = question.relation.atoms(sp.Sum, sp.Product, sp.Indexed, sp.factorial, sp.binomial)
    if grows and not bounds and not (isinstance(question.relation, sp.Eq) and laws.of_nested_sums()):
        ways.reverse()
    yield from chain(_of_recursions(question, laws, every), *ways, _of_second_order(question, laws))


def _without_letter(question: Question, laws: Laws, bounds: Sequence[Law]) -> Iterator[Extended]:
    splits, rounding = laws.splits(None), laws.of_rounding()
    always = [*bounds, *rounding.laws, *laws.of_counting()]
    several = [(), splits] if splits else [()]
    ways = [laws.of_functions(chosen) for chosen in several]
    if always:
        ways = [found for found in ways if found] or [[]]
    for found in reversed(ways) if isinstance(question.relation, sp.Eq) else ways:
        if both := (*found, *always):
            yield Extended(
                question.relation, question.given, None, question.through, both, fresh=rounding.letters
            )


def _of_second_order(question: Question, laws: Laws) -> Iterator[Extended]:
    """The question with bounds of exp and log beyond their tangents; none if there are too many of them."""
    if isinstance(question.relation, sp.Eq):
        return
    rounding, splits = laws.of_rounding(), laws.splits(None)
    for chosen in [(), splits] if splits else [()]:
        more = laws.of_second_order(chosen)
        if 0 < len(more) <= SECOND_ORDER:
            both = (*laws.of_functions(chosen), *more, *rounding.laws, *laws.of_counting())
            yield Extended(
                question.relation, question.given, None, question.through, both, fresh=rounding.letters
            )


def _with_letters(
    question: Question, laws: Laws, every: Sequence[tuple[Condition, sp.Symbol]]
) -> Iterator[Extended]:
    least = {letter: least_given(letter, laws.conditions) for letter in letters_of(question.relation)}
    for letter in sorted(least, key=lambda letter: least[letter] == least_of(letter)):
        low = least[letter]
        here = _with_positive_entries(laws, every, letter, low)
        rounding = here.of_rounding(letter)
        several = [here.of_letter(letter, low)]
        if any(letter in part.free_symbols for part in question.relation.atoms(sp.exp, sp.log)):
            several.insert(0, here.of_letter_and_next(letter, low))
        for of_letter in several:
            found = [*rounding.laws, *of_letter, *of_conditions(every, letter, low)]
            name, moved, fresh = letter.name, None, rounding.letters
            if low != least_of(letter):
                name = _fresh(question)
                by = substitution(letter, low, name)
                found, moved = [*(beyond(law, letter, low, name) for law in found), by], by.relation
                fresh = (*fresh, name)
            yield Extended(
                question.relation, question.given, None, question.through, tuple(found), name, fresh, moved
            )


def _of_recursions(
    question: Question, laws: Laws, every: Sequence[tuple[Condition, sp.Symbol]]
) -> Iterator[Extended]:
    """The question with a lemma for a linear recursion whose factor, or a condition, speaks of the number of rounds.

    r[t] <= (1 + 1/K) r[t - 1] + b has no induction over K; a bound of r[m] for every m is used for m = K.
    """
    given = [relation for relation, by in question.given if by == "condition"]
    fixed = frozenset().union(*(condition.free_symbols for condition in laws.conditions))
    ends = {e.base: e.indices[0] for e in question.relation.atoms(sp.Indexed) if e.indices[0].is_Symbol}
    for base, factor, rest in linear_recursions(given):
        letter = ends.get(base)
        if letter is None or letter not in fixed | factor.free_symbols | rest.free_symbols:
            continue
        if not (is_whole(letter) and laws.positive(factor - 1)):
            continue
        m = sp.Symbol(_fresh(question), integer=True, nonnegative=True)
        lemma = sp.Le(base[m], factor**m * base[0] + rest * (factor**m - 1) / (factor - 1), evaluate=False)
        here = lemma.subs(m, letter)
        found = Laws(question.relation, laws.conditions, laws.follows, (here,)).of_functions()
        yield Extended(
            question.relation,
            question.given,
            None,
            question.through,
            (*found, *of_conditions(every, m, sp.S.Zero)),
            m.name,
            (m.name,),
            lemma=(relation_tree(lemma), letter.name),
        )


def _with_stronger(
    question: Question, laws: Laws, every: Sequence[tuple[Condition, sp.Symbol]]
) -> Iterator[Extended]:
    """The question with a stronger claim that holds new functions, from which it follows, as an intermediate relation."""
    given = [relation for relation, by in question.given if by == "condition"]
    for letter in letters_of(question.relation):
        low = sp.Integer(least_of(letter))
        if least_given(letter, laws.conditions) != low:
            continue
        for other in with_new_functions(question.relation, letter, given):
            more = Laws(other, laws.conditions, laws.follows)
            found = (*more.of_letter_and_next(letter, low), *of_conditions(every, letter, low))
            yield Extended(
                question.relation, question.given, None, (*question.through, other), found, letter.name
            )


def _with_positive_entries(
    laws: Laws, every: Sequence[tuple[Condition, sp.Symbol]], letter: sp.Symbol, low: sp.Expr
) -> Laws:
    """Laws that know that sequences in logarithms are positive, where induction over their conditions shows this."""
    logs = laws.relation.atoms(sp.log)
    bases = {e.base for log in logs for e in log.atoms(sp.Indexed) if e.indices == (letter,)}
    positive = {
        base: sp.IndexedBase(sp.Symbol(base.label.name, positive=True))
        for base in bases
        if not base.label.is_positive
        and _at_known_places(base, laws, letter, low)
        and _stays_positive(base[letter], laws.conditions, every, letter, low)
    }
    if not positive:
        return laws
    relation, *conditions = (r.xreplace(positive) for r in (laws.relation, *laws.conditions))
    return Laws(relation, conditions, laws.follows)


def _at_known_places(base: sp.IndexedBase, laws: Laws, letter: sp.Symbol, low: sp.Expr) -> bool:
    """Whether every entry of a sequence is at a symbol, from its least value on, or positive by a condition."""
    formulas = (laws.relation, *laws.conditions)
    starts = {
        limit[0]: limit[1]
        for f in formulas
        for total in f.atoms(sp.Sum, sp.Product)
        for limit in total.limits
    }
    entries = {e for f in formulas for e in f.atoms(sp.Indexed) if e.base == base}
    return all(
        e.indices[0] == letter
        or (starts.get(e.indices[0], e.indices[0]) - low).is_nonnegative
        or laws.follows(sp.Gt(e, 0, evaluate=False))
        for e in entries
    )


def _stays_positive(
    entry: sp.Indexed,
    conditions: Sequence[Condition],
    every: Sequence[tuple[Condition, sp.Symbol]],
    letter: sp.Symbol,
    low: sp.Expr,
) -> bool:
    """Whether an entry is positive at the least value of a symbol, and at the next value wherever it is positive."""

    def at(value: sp.Expr) -> list[Condition]:
        return [r.func(*(side.subs(index, value) for side in r.args), evaluate=False) for r, index in every]

    free = [condition for condition in conditions if letter not in condition.free_symbols]
    first, now, later = (sp.Gt(entry.subs(letter, n), 0, evaluate=False) for n in (low, letter, letter + 1))
    begins = (low - least_of(letter)).is_nonnegative and implied(first, (*free, *at(low)))
    return bool(begins) and implied(later, (now, *free, *at(letter + 1)))


def _fresh(question: Question) -> str:
    """A name that no symbol of the question has."""
    return next(name for name in ("m", "m beyond", "m beyond it") if name not in question.symbols)
