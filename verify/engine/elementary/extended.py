"""The question with laws, in every way in which a proof may use them: with inductions, lemmas and stronger claims."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

import sympy as sp

from verify.engine.certificates.formulas import Tree, relation_tree, tree, with_part
from verify.engine.certificates.question import Question
from verify.engine.certificates.recheck import replaced
from verify.engine.elementary.law import Law
from verify.engine.elementary.laws import Laws, is_whole
from verify.engine.elementary.powers import compares_exponents
from verify.engine.elementary.questions import (
    Extended,
    beyond,
    least_given,
    least_of,
    letters_of,
    of_conditions,
    substitution,
)
from verify.engine.elementary.stronger import (
    largest_values,
    linear_recursions,
    of_other_sequences,
    telescoped,
    with_entries,
    with_entries_for_bounds,
    with_new_functions,
    with_quotients,
)
from verify.engine.elementary.tuning import by_terms
from verify.engine.model.scene import Condition
from verify.engine.model.sequences import for_every, letter_of
from verify.engine.rounds.gains import suggesting
from verify.engine.rounds.logarithms import without_logarithms
from verify.engine.rounds.telescoping import of_terms_and_squares, potentials_added_up
from verify.engine.summation.sums import first_terms, growing, sums_in
from verify.engine.tactics.prove import implied

_INDEX = sp.Dummy("index")
SECOND_ORDER = 8
"""Limit on bounds of exp and log beyond their tangents: four for each of two exponentials or logarithms."""


def extensions(question: Question) -> Iterator[Extended]:
    """Yield the question with laws: with an induction over each of its symbols, and without one (first, for functions)."""
    given = tuple(relation for relation, by in question.given if by == "condition")
    conditions = tuple(relation for relation in given if letter_of(relation) is None)

    def follows(relation: Condition) -> bool:
        return implied(relation, conditions)

    every = for_every(given)
    laws = Laws(question.relation, conditions, follows, every=every)
    bounds, with_bounds = laws.of_sums()
    inductions = [_with_letters(question, laws, every), _with_stronger(question, laws, every)]
    inductions.insert(0, without_logarithms(question, laws, every))
    sums = [condition for condition, _ in every if condition.has(sp.Sum)]
    if sums:  # bounds of entries, which grow by one entry
        inductions.reverse()
    ways = [
        _without_letter(question, with_bounds, bounds),
        chain(_with_other_sequences(question, laws, every), *inductions),
    ]
    grows = question.relation.atoms(sp.Sum, sp.Product, sp.Indexed, sp.factorial, sp.binomial)
    alone = not bounds and not (isinstance(question.relation, sp.Eq) and laws.of_nested_sums())
    if compares_exponents(question.relation) or (grows and alone):
        ways.reverse()
    yield from chain(
        by_terms(question),
        _of_recursions(question, laws, every),
        _of_rounds_to_a_fixed_end(question, laws, every),
        _with_sums_of_rounds(question, laws, every),
        _with_sums_of_squares(question, laws, every),
        _with_entries_for_sums(question, laws, every),
        _of_real_powers(question, laws),
        *ways,
        _of_second_order(question, laws),
    )


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


def _of_real_powers(question: Question, laws: Laws) -> Iterator[Extended]:
    """The question with laws of powers with exponents that need not be whole."""
    if found := laws.of_powers(lambda exponent: not is_whole(exponent)):
        yield Extended(question.relation, question.given, None, question.through, tuple(found))


def _of_second_order(question: Question, laws: Laws) -> Iterator[Extended]:
    """The question with bounds of exp and log beyond their tangents at points of the claim; none if these are too many."""
    if isinstance(question.relation, sp.Eq):
        return
    rounding, splits = laws.of_rounding(), laws.splits(None)
    several = [(), splits] if splits else [()]
    ways = [
        (chosen, more) for chosen in several for more in (laws.of_multiples(), laws.of_second_order(chosen))
    ]
    for chosen, more in ways:
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
            known = first_terms((question.relation, *laws.conditions))
            found = [*rounding.laws, *known, *of_letter, *of_conditions(every, letter, low)]
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
    given = suggesting(question)
    fixed = frozenset().union(*(condition.free_symbols for condition in laws.conditions))
    ends = {e.base: e.indices[0] for e in question.relation.atoms(sp.Indexed) if e.indices[0].is_Symbol}
    for base, factor, rest in linear_recursions(given):
        letter = ends.get(base)
        spoken = fixed | factor.free_symbols | rest.free_symbols
        if letter is None or letter not in spoken or not is_whole(letter):
            continue
        grows = laws.positive(factor - 1)
        if not (grows or laws.between_zero_and_one(factor)):
            continue
        m = sp.Symbol(_fresh(question), integer=True, nonnegative=True)
        limit = rest / sp.factor(factor - 1) if grows else rest / sp.factor(1 - factor)
        starts = [c.rhs for c in laws.conditions if isinstance(c, sp.Eq) and c.lhs == base[0]]
        start = starts[0] if starts else base[0]
        power = factor**m * (start + limit) - limit if grows else factor**m * start + limit
        lemma = sp.Le(base[m], power, evaluate=False)
        exponent = letter * (factor - 1)
        largest = [*map(sp.exp, largest_values(exponent, laws.conditions))] if grows else []
        if not question.relation.has(sp.exp, sp.E):
            largest += [sp.ceiling(value) for value in largest]
        through = [] if grows else [sp.Ge(factor, 0, evaluate=False)]
        through += [sp.Le(factor**letter, value, evaluate=False) for value in largest]
        through += [sp.Le(factor**letter - 1, value * exponent, evaluate=False) for value in largest]
        here = (lemma.subs(m, letter), *largest)
        found = Laws(question.relation, laws.conditions, laws.follows, here).of_functions()
        found = [replace(law, relation=_halved(law.relation, factor, letter)) for law in found]
        yield Extended(
            question.relation,
            question.given,
            None,
            (*question.through, *through),
            (*found, *of_conditions(every, m, sp.S.Zero)),
            m.name,
            (m.name,),
            lemma=(_halved(relation_tree(lemma), factor, m), letter.name),
        )


def _halved(relation: Tree, factor: sp.Expr, letter: sp.Symbol) -> Tree:
    """A relation with (1/2)^m in place of 2^(-m), as SymPy writes products with it: the checkers know the next one."""
    return with_part(relation, tree(1 / (1 / factor) ** letter), ["^", tree(factor), letter.name])


def _of_rounds_to_a_fixed_end(
    question: Question, laws: Laws, every: Sequence[tuple[Condition, sp.Symbol]]
) -> Iterator[Extended]:
    """The question with a recursion added up over m rounds, for any m, as a lemma that is used for m = T.

    There is no induction over T where other conditions speak of T, such as a step size of 1/sqrt(T).
    """
    given = suggesting(question)
    spoken = [*given, *(c for c in laws.conditions if len(c.free_symbols) > 1)]
    fixed = frozenset().union(*(condition.free_symbols for condition in spoken))
    totals = sums_in([question.relation])
    m = sp.Symbol(_fresh(question), integer=True, nonnegative=True)
    for letter in (letter for letter in letters_of(question.relation) if letter in fixed):
        for growth, _ in telescoped(given, m):
            lemma = relation_tree(growth)
            found = [*laws.of_functions(), *of_conditions(every, m, sp.S.Zero)]
            for one in sums_in([growth]):
                same = [t for t in totals if letter not in t.function.free_symbols]
                same = [t for t in same if _from_zero(t.subs(letter, m)) == _from_zero(one)]
                if same:
                    name = replaced(tree(same[0]), letter.name, m.name)
                    lemma = with_part(lemma, tree(one), name)
                    more = [_written_with(law, letter, m) for law in growing(same[0], letter, sp.S.Zero)]
                else:
                    more = list(growing(one, m, sp.S.Zero))
                found += more
            yield Extended(
                question.relation,
                question.given,
                None,
                question.through,
                tuple(found),
                m.name,
                (m.name,),
                lemma=(lemma, letter.name),
            )


def _from_zero(total: sp.Sum) -> tuple[sp.Expr, sp.Expr]:
    """The terms of a sum with an index that begins at 0, and the last value of this index."""
    index, low, high = total.limits[0]
    return total.function.subs(index, low + _INDEX), sp.expand(high - low)


def _written_with(law: Law, letter: sp.Symbol, other: sp.Symbol) -> Law:
    """A law for every value of a symbol, with another symbol."""
    every = other.name if law.every else ""
    return replace(law, relation=replaced(law.relation, letter.name, other.name), every=every)


def _with_stronger(
    question: Question, laws: Laws, every: Sequence[tuple[Condition, sp.Symbol]]
) -> Iterator[Extended]:
    """The question with a stronger claim that holds new functions, from which it follows, as an intermediate relation."""
    given = suggesting(question)
    for letter in letters_of(question.relation):
        low = sp.Integer(least_of(letter))
        if least_given(letter, laws.conditions) != low:
            continue
        for other in with_new_functions(question.relation, letter, given):
            more = Laws(other, laws.conditions, laws.follows)
            found = (*more.of_letter_and_next(letter, low), *of_conditions(every, letter, low))
            through = (*question.through, other)
            yield Extended(question.relation, question.given, None, through, found, letter.name)


def _with_sums_of_rounds(
    question: Question, laws: Laws, every: Sequence[tuple[Condition, sp.Symbol]]
) -> Iterator[Extended]:
    """The question with recursions added up over the rounds, from which it follows without an induction of its own.

    r[t] <= r[t - 1] + b/sqrt(t) gives r[T] <= r[0] + b (1 + .. + 1/sqrt(T)), and laws bound the sum by an integral.
    """
    given = suggesting(question)
    for letter in letters_of(question.relation):
        named = [e for e in question.relation.atoms(sp.Indexed) if e.indices[0].free_symbols]
        entries = {e.base for e in named if e.indices == (letter,)}
        sums = [added for added, f in telescoped(given, letter) if not f.has(sp.Indexed)]
        for sum_of_rounds in (*sums, *potentials_added_up(given, letter)):
            if named and not entries & sum_of_rounds.atoms(sp.IndexedBase):
                continue
            more = Laws(question.relation, laws.conditions, laws.follows, (sum_of_rounds,))
            bounds, with_bounds = more.of_sums()
            growth = Laws(sum_of_rounds, laws.conditions, laws.follows)
            low = sp.Integer(least_of(letter))
            found = (
                *growth.of_letter_and_next(letter, low),
                *of_conditions(every, letter, low),
                *bounds,
                *with_bounds.of_functions(),
            )
            through = (*question.through, sum_of_rounds)
            yield Extended(question.relation, question.given, None, through, found, letter.name)


def _with_sums_of_squares(
    question: Question, laws: Laws, every: Sequence[tuple[Condition, sp.Symbol]]
) -> Iterator[Extended]:
    """The question with bounds of sums by sums of squares, which recursions bound, or with bounds of the terms of a sum."""
    for letter in letters_of(question.relation):
        for known in of_terms_and_squares(question.relation, suggesting(question), letter):
            low = sp.Integer(least_of(letter))
            more = Laws(question.relation, laws.conditions, laws.follows, known)
            found = (*more.of_letter_and_next(letter, low), *of_conditions(every, letter, low))
            through = (*question.through, *known)
            yield Extended(question.relation, question.given, None, through, found, letter.name)


def _with_entries_for_sums(
    question: Question, laws: Laws, every: Sequence[tuple[Condition, sp.Symbol]]
) -> Iterator[Extended]:
    """The question with a claim in which s[T] - s[0] replaces the sum of g, where s[t] = s[t - 1] + g[t]."""
    fixed = {c.lhs: c.rhs for c in laws.conditions if isinstance(c, sp.Eq) and isinstance(c.lhs, sp.Indexed)}
    for letter in letters_of(question.relation):
        low = sp.Integer(least_of(letter))
        ways = (with_entries, with_entries_for_bounds)
        for equation, other in chain(*(way(question.relation, letter, suggesting(question)) for way in ways)):
            simpler = with_quotients(other.xreplace(fixed))
            here = _with_positive_entries(Laws(simpler, laws.conditions, laws.follows), every, letter, low)
            found = (
                *Laws(equation, laws.conditions, laws.follows).of_letter_and_next(letter, low),
                *here.of_letter_and_next(letter, low),
                *of_conditions(every, letter, low),
                *Laws(simpler, laws.conditions, laws.follows, (question.relation,)).of_functions(),
            )
            through = (*question.through, equation, simpler)
            yield Extended(question.relation, question.given, None, through, found, letter.name)


def _with_other_sequences(
    question: Question, laws: Laws, every: Sequence[tuple[Condition, sp.Symbol]]
) -> Iterator[Extended]:
    """The question with bounds of the sequences on which the recursion of the claimed one depends."""
    given = suggesting(question)
    for letter in letters_of(question.relation):
        low = sp.Integer(least_of(letter))
        bounds = of_other_sequences(question.relation, letter, given)
        if bounds and least_given(letter, laws.conditions) == low:
            more = Laws(question.relation, laws.conditions, laws.follows, bounds)
            found = (*more.of_letter(letter, low), *of_conditions(every, letter, low))
            yield Extended(
                question.relation, question.given, None, (*bounds, *question.through), found, letter.name
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
    totals = {total for f in formulas for total in f.atoms(sp.Sum, sp.Product)}
    starts = {limit[0]: limit[1] for total in totals for limit in total.limits}
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
