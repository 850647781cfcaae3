"""Laws about the functions in a relation and its conditions: about single values, and for every value of a symbol."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property
from types import MappingProxyType

import sympy as sp

from verify.engine.certificates.formulas import Untranslatable, domains, relation_tree, tree
from verify.engine.certificates.question import Undecided
from verify.engine.certificates.recheck import replaced
from verify.engine.elementary.exponentials import (
    between_exponentials,
    convexity,
    exponent_of,
    exponentials,
    growing_exponentials,
    points_of,
    sides,
    signs_and_values,
    split_exponentials,
    split_logarithms,
    tangents_at_multiples,
    tangents_to_next,
    without_logarithms,
)
from verify.engine.elementary.factorials import counting_for_every, of_binomials, of_factorials
from verify.engine.elementary.law import BEGINNING, NEXT, Law
from verify.engine.elementary.neighbours import (
    bases_by_exponent,
    of_growing_bases,
    of_neighbours,
    of_real_powers,
)
from verify.engine.elementary.powers import falling_powers, growing_powers, split_powers, split_roots, squared
from verify.engine.elementary.products import Split
from verify.engine.elementary.rounding import Rounded, multiples, rounded, roundings
from verify.engine.elementary.taylor import taylor
from verify.engine.model.scene import Condition
from verify.engine.summation.integrals import monotone_sums, of_monotone, of_series, peaked
from verify.engine.summation.summing import split_sums, without_sums
from verify.engine.summation.sums import (
    exponent_growth,
    growing,
    growing_product,
    growing_row,
    later_sums,
    nonnegative,
    products_in,
    sums_in,
    written,
)
from verify.engine.tactics.prove import implied, proved

STEPS = 100
"""Limit on polynomials of the search for the sign of a base with exp or log."""


class Laws:
    """Laws about the functions in some formulas, under conditions.

    Parameters
    ----------
    relation : Relational
    conditions : sequence of Relational
    follows : callable
        Whether a relation follows from the conditions.
    more : sequence of formulas
        Formulas of other laws, about the functions in which laws are given, too.
    values : mapping
        Any value of a symbol, where signs are asked for every value of it; conditions are about one value.
    every : sequence of pairs
        Conditions for every value of a symbol, with the symbol.
    """

    def __init__(
        self,
        relation: Condition,
        conditions: Sequence[Condition],
        follows: Callable[[Condition], bool],
        more: Sequence[sp.Basic] = (),
        values: Mapping[sp.Symbol, sp.Expr] = MappingProxyType({}),
        every: Sequence[tuple[Condition, sp.Symbol]] = (),
    ) -> None:
        self.relation, self.conditions, self.follows = relation, tuple(conditions), follows
        self.more, self.values, self.every = tuple(more), values, every

    def positive(self, formula: sp.Expr) -> bool:
        """Whether a formula is positive by the domains of its symbols or by the conditions."""
        here = formula.subs(self.values)
        if here.is_positive is not None:
            return bool(here.is_positive)
        return bool(here.is_real) and self.follows(sp.Gt(here, 0, evaluate=False))

    def nonnegative(self, formula: sp.Expr) -> bool:
        """Whether a formula is nonnegative by the domains of its symbols or by the conditions."""
        here = formula.subs(self.values)
        if here.is_nonnegative is not None:
            return bool(here.is_nonnegative)
        return bool(here.is_real) and self.follows(sp.Ge(here, 0, evaluate=False))

    def _nonnegative_base(self, formula: sp.Expr) -> bool:
        """Whether the base or exponent of a power is nonnegative, also by the tangents of the exponentials and logarithms in
        it, or in the values that equations give its symbols; floors and ceilings have the sign of their arguments.
        """
        if isinstance(formula, sp.floor | sp.ceiling):
            return self._nonnegative_base(formula.args[0])
        given = {c.lhs: c.rhs for c in self.conditions if isinstance(c, sp.Eq) and c.lhs.is_Symbol}
        here = formula.subs(self.values)
        ways = dict.fromkeys((here, here.xreplace(given)))
        relations = [sp.Ge(way, 0, evaluate=False) for way in ways]
        return self.nonnegative(formula) or any(_implied_by_tangents(r, self.conditions) for r in relations)

    def between_zero_and_one(self, formula: sp.Expr) -> bool:
        """Whether 0 <= formula < 1, also by tangents."""
        return self._nonnegative_base(formula) and (
            self.positive(1 - formula)
            or _implied_by_tangents(sp.Lt(formula, 1, evaluate=False), self.conditions)
        )

    @cached_property
    def formulas(self) -> tuple[sp.Basic, ...]:
        return (self.relation, *self.conditions, *self.more, *(at_side for _, at_side in self.sides))

    @cached_property
    def sides(self) -> list[tuple[sp.Expr, sp.Expr]]:
        """The sides of the relation with their exponentials, if it speaks of both exp and log."""
        return sides(self.relation, self.positive)

    def of_sums(self) -> tuple[list[Law], Laws]:
        """Bounds of sums of monotone terms, and the laws of the functions in the relation and in these bounds."""
        known = (self.positive, self.nonnegative)
        formulas = [*self.formulas, *(f for split in self.of_nested_sums() for f in split.functions)]
        pairs = [pair for one in monotone_sums(formulas, *known) for pair in of_monotone(one, *known)]
        pairs += [*peaked(formulas, *known), *of_series(formulas, *known)]
        more = [bound for _, bound in pairs]
        return [law for law, _ in pairs], Laws(self.relation, self.conditions, self.follows, more)

    def of_functions(self, splits: Sequence[Split] = ()) -> list[Law]:
        """Laws of exp and log in the relation and its conditions, or in the formulas into which `splits` decomposes them."""
        powers = self._powers()
        found = convexity(self._functions(splits), self.positive, self.sides)
        squares = squared(self.conditions, self.positive)
        return [*found, *(law for law, _ in powers), *squares, *map(equation_of, splits)]

    def of_second_order(self, splits: Sequence[Split] = ()) -> list[Law]:
        """Bounds of exp and log beyond their tangents."""
        return list(taylor(points_of(self._functions(splits)), self.nonnegative))

    def of_multiples(self) -> list[Law]:
        """Bounds of logarithms by their tangents at multiples of the arguments of others."""
        return list(tangents_at_multiples(self.formulas))

    def _functions(self, splits: Sequence[Split]) -> list[sp.Basic]:
        """Formulas with the exponentials and logarithms about which laws speak."""
        old = {one.old: sp.Tuple(*one.functions) for one in splits}
        kept = [
            part for f in self.formulas for part in f.atoms(sp.exp, sp.log, type(sp.E)) if part not in old
        ]
        formulas = [
            sp.Tuple(*kept, *self._algebra(), *self._logarithms_of_bases()),
            *old.values(),
            *(sp.Tuple(above) for _, above in self._powers()),
        ]
        return formulas if splits else [*formulas, self.relation]

    def _logarithms_of_bases(self) -> list[sp.Expr]:
        """Logarithms of the bases of powers with exponents such as 1/T, and of the numbers with which these are compared."""
        powers = {
            p
            for p in self._algebra()
            if p.exp.free_symbols and not p.exp.is_integer and self.positive(p.base)
        }
        numbers = [side for side in self.relation.args if side.is_Rational and side.is_positive and side != 1]
        return (
            [sp.log(base) for base in (*sorted({p.base for p in powers}, key=sp.default_sort_key), *numbers)]
            if powers
            else []
        )

    def _powers(self) -> list[tuple[Law, sp.Expr]]:
        """Bounds of powers by exponentials, and these exponentials."""
        return list(between_exponentials(self.formulas, self._nonnegative_base, self.positive))

    def of_powers(self, wanted: Callable[[sp.Expr], bool]) -> list[Law]:
        """Laws of powers with wanted symbols as exponents, with the equations that write them by one exponent."""
        bases = bases_by_exponent(self.formulas, self.positive, wanted)
        units = [base**p for p, several in bases.items() for base in several]
        splits = split_powers((*self.formulas, *units), self.positive, is_whole) if bases else []
        return [*of_real_powers(bases, self.nonnegative), *map(equation_of, splits)]

    def of_rounding(self, letter: sp.Symbol | None = None) -> Rounded:
        """Laws of floors and ceilings, except those that contain the given symbol."""
        found = [one for one in roundings(self.formulas) if letter not in one.free_symbols]
        times = [(n, one) for n, one in multiples(self.formulas) if letter not in (n, *one.free_symbols)]
        return rounded(found, self.nonnegative, times)

    def of_counting(self) -> list[Law]:
        """Laws of factorials and binomials."""
        known = ([*map(without_sums, self.formulas)], self.nonnegative)
        return [*of_factorials(*known), *of_binomials(*known)]

    def _algebra(self) -> list[sp.Expr]:
        """Powers and roots in the relation and its conditions."""
        return [p for f in self.formulas for p in f.atoms(sp.Pow)]

    def splits(self, letter: sp.Symbol | None) -> list[Split]:
        """Equations that write exponentials, logarithms and powers by simpler ones, and exp of multiples of a symbol as powers."""
        return [
            *self.of_nested_sums(),
            *split_powers(self.formulas, self.positive, is_whole),
            *split_roots(self.formulas, self.positive),
            *split_exponentials(self.formulas, letter),
            *split_logarithms(self.formulas, self.positive),
        ]

    def of_nested_sums(self) -> list[Split]:
        """Equations that write nested sums by simpler ones."""
        return split_sums(self.formulas, self.nonnegative)

    def of_letter(self, letter: sp.Symbol, least: sp.Expr) -> list[Law]:
        """Laws for every value of a symbol from the least on: of sums, and of exp and log at n, n + 1 and the least value."""
        inside = self._at_any(letter, least)
        pairs = list(of_neighbours(self.formulas, inside.positive, letter))
        grown = list(growing_exponentials(self.formulas, letter, least))
        powers = growing_powers(self.formulas, letter, inside.positive)
        kept = {p for one in powers for p in one.functions}
        kept |= {e for e in exponentials(self.formulas) if exponent_growth(exponent_of(e), letter, least)}
        splits = [one for one in inside.splits(letter) if one.old not in kept]
        now = [
            self.relation,
            *inside.conditions,
            *(formula for _, formula in pairs),
            sp.Tuple(*(f for one in splits for f in one.functions)),
            factors := self._factors_of_rounds(letter),
        ]
        later = [*(formula.subs(letter, letter + 1) for formula in now), *(formula for _, formula in grown)]
        always = inside.without_undefined(now, letter)
        laws = [
            *self._of_growth(letter, least),
            *(law for law, _ in (*pairs, *grown)),
            *of_growing_bases(self.formulas, inside.positive, inside.nonnegative, letter, least),
            *(law for split in splits for law in _for_every(equation_of(split), letter, least)),
            *(replace(equation_of(one), every=letter.name) for one in powers),
            *_speaking(tangents_to_next(always, letter), letter),
            *_speaking(
                convexity([*always, *inside.without_undefined(later, letter)], inside.positive), letter
            ),
            *convexity([_at(sp.Tuple(*now) if factors else self.relation, letter, least)], inside.positive),
        ]
        return self._with_terms(laws, letter, least, [*now, *later])

    def _factors_of_rounds(self, letter: sp.Symbol) -> sp.Tuple:
        """Exponentials in conditions for every index, with sequences of which the relation does not speak, if it has exponentials."""
        spoken = self.relation.atoms(sp.IndexedBase)
        rounds = [condition.subs(index, letter) for condition, index in self.every]
        found = exponentials(rounds) if exponentials([self.relation]) else []
        return sp.Tuple(*(e for e in found if e.atoms(sp.IndexedBase) - spoken))

    def of_letter_and_next(self, letter: sp.Symbol, least: sp.Expr) -> list[Law]:
        """Few of these laws: for every n, exponentials and logarithms are compared with themselves at n + 1 and with exp(0)."""
        inside = self._at_any(letter, least)
        now = [self.relation, *inside.conditions]
        later = [formula.subs(letter, letter + 1) for formula in now]
        always = inside.without_undefined(now, letter)
        constant = [e for e in exponentials([self.relation]) if letter not in e.free_symbols]
        laws = [
            *self._of_growth(letter, least),
            *_speaking(tangents_to_next(always, letter), letter),
            *_speaking(
                signs_and_values([*always, *inside.without_undefined(later, letter)], inside.positive), letter
            ),
            *convexity([_at(self.relation, letter, least), *constant], inside.positive),
        ]
        return self._with_terms(laws, letter, least, [*now, *later])

    def _at_any(self, letter: sp.Symbol, least: sp.Expr) -> Laws:
        """Laws where signs hold for every value of a symbol from the least on, under conditions that do not hold the symbol."""
        free = [condition for condition in self.conditions if letter not in condition.free_symbols]
        any_value = sp.Symbol(f"any {letter.name}", integer=True, nonnegative=True)
        noise = (condition.subs(index, letter) for condition, index in self.every)
        more = [*_new_terms(self.formulas, letter), *(p for one in noise for p in falling_powers(one))]
        return Laws(self.relation, free, self.follows, more, {letter: least + any_value})

    def without_undefined(self, formulas: Sequence[sp.Basic], letter: sp.Symbol) -> list[sp.Basic]:
        """Formulas without logarithms whose arguments may be negative at some values of a symbol."""

        def may_end(one: sp.Expr) -> bool:
            return letter in one.free_symbols and not self.positive(one.args[0])

        return without_logarithms(formulas, may_end)

    def _sums_with(self, letter: sp.Symbol, least: sp.Expr) -> list[sp.Sum]:
        inside = self._at_any(letter, least)
        return sums_in([*self.formulas, *(f for one in inside.of_nested_sums() for f in one.functions)])

    def _of_growth(self, letter: sp.Symbol, least: sp.Expr) -> Iterator[Law]:
        """Laws of sums, products, factorials and binomials for every value of a symbol."""
        totals = [*sums_in(self.formulas), *products_in(self.formulas)]
        nested = any(total.function.has(sp.Sum, sp.Product) for total in totals)
        for total in totals:
            for law in nonnegative(total, letter.name if letter in total.free_symbols else ""):
                yield from _for_every(law, letter, least) if nested and law.every else (law,)
        for total in self._sums_with(letter, least):
            for way in (growing, growing_row):
                yield from way(total, letter, least)
        for total in products_in(self.formulas):
            yield from growing_product(total, letter, least)
        terms = [term for total in totals for term in _next_term(total, letter)]
        yield from counting_for_every([*map(without_sums, self.formulas), *terms], letter, least)

    def _with_terms(
        self, laws: Sequence[Law], letter: sp.Symbol, least: sp.Expr, formulas: Sequence[sp.Basic]
    ) -> list[Law]:
        """Laws without repetitions, in which sums up to n + 1 are written by sums up to n."""
        terms = [term for total in self._sums_with(letter, least) for term in _next_term(total, letter)]
        ways = later_sums([*self.formulas, *formulas, *terms], letter, least)
        found = list[Law]()
        for law in laws:
            sign, left, right = law.relation
            kept = left if law.name in (NEXT, BEGINNING) else written(left, ways)
            found.append(replace(law, relation=[sign, kept, written(right, ways)]))
        return list({str(law.relation): law for law in found}.values())


@cache
def _implied_by_tangents(relation: Condition, conditions: tuple[Condition, ...]) -> bool:
    """Whether a relation with exp or log follows from conditions and the tangents of exp."""
    if not relation.atoms(sp.exp, sp.log):
        return False
    laws = Laws(relation, conditions, lambda sign: implied(sign, conditions)).of_functions()
    given = [
        *((relation_tree(condition), "condition") for condition in conditions),
        *((law.relation, law.by) for law in laws),
    ]
    try:
        answer = proved(domains([relation, *conditions]), relation_tree(relation), given, STEPS)
    except Untranslatable:
        return False
    return not isinstance(answer, Undecided)


def _speaking(laws: Iterable[Law], letter: sp.Symbol) -> Iterator[Law]:
    """Laws that hold for every value of a symbol if they contain it."""
    for law in laws:
        yield replace(law, every=letter.name if letter.name in str(law.relation) else "")


def _next_term(total: sp.Sum | sp.Product, letter: sp.Symbol) -> list[sp.Expr]:
    """The term or factor by which a sum or product that ends at a symbol grows."""
    index, _, high = total.limits[0]
    return [total.function.subs(index, high.subs(letter, letter + 1))] if letter in high.free_symbols else []


def _new_terms(formulas: Sequence[sp.Basic], letter: sp.Symbol) -> list[sp.Expr]:
    """The terms with exp, log or 2^(-n) by which sums and products grow from n to n + 1; with 2^(-n), also their last terms."""
    found = []
    for total in (*sums_in(formulas), *products_in(formulas)):
        index, _, high = total.limits[0]
        last = total.function.subs(index, high)
        falls = bool(falling_powers(last))
        if letter in high.free_symbols and (falls or total.function.has(sp.exp, sp.log)):
            found += [last.subs(letter, letter + 1), *([last] if falls else [])]
    return found


def equation_of(split: Split) -> Law:
    return Law(["=", tree(split.old), split.new], split.law)


def _for_every(law: Law, letter: sp.Symbol, least: sp.Expr) -> Iterator[Law]:
    """A law at every value of a symbol, at the next value, and at the least; the law alone if it is not about the symbol."""
    if letter.name not in str(law.relation):
        yield law
        return
    yield replace(law, every=letter.name)
    yield replace(
        law, every=letter.name, relation=replaced(law.relation, letter.name, ["+", letter.name, "1"])
    )
    yield replace(law, relation=replaced(law.relation, letter.name, tree(least)))


def _at(relation: Condition, letter: sp.Symbol, value: sp.Expr) -> sp.Basic:
    """The arguments of exp and log in a relation at one value of a symbol."""
    parts = [part for part in relation.atoms(sp.exp, sp.log) if letter in part.free_symbols]
    return sp.Tuple(*(type(part)(part.args[0].subs(letter, value), evaluate=False) for part in parts))


def is_whole(formula: sp.Expr) -> bool:
    """Whether a formula is a symbol for whole numbers."""
    return isinstance(formula, sp.Symbol) and bool(formula.is_integer) and bool(formula.is_nonnegative)
