"""Certificates of claims with sums, powers, exponentials and logarithms, by laws, rewriting and induction over a symbol."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any

import sympy as sp

from verify.check_proof import Refused, check
from verify.engine.certificates.definedness import assumable
from verify.engine.certificates.field import WHOLE, Undefined
from verify.engine.certificates.formulas import Tree, Untranslatable, parts, relation_tree
from verify.engine.certificates.lighter import lightened, trimmed, without_idle
from verify.engine.certificates.question import Certificate, Undecided
from verify.engine.certificates.recheck import NEGATIVE, ZERO, Rejected, recheck, replaced
from verify.engine.elementary.law import LAW, POWERS
from verify.engine.elementary.questions import Extended
from verify.engine.elementary.rewriting import Equation, carried_back, carried_on, rewritten
from verify.engine.elementary.stronger import powers_bounded, stronger, with_limits
from verify.engine.model.question import ask
from verify.engine.model.scene import Condition
from verify.engine.proof.facts import unbroken
from verify.engine.rounds.balances import with_balances
from verify.engine.rounds.gains import suggesting
from verify.engine.rounds.potentials import with_potentials
from verify.engine.rounds.unrolled import unrolled
from verify.engine.summation.summing import with_simpler_sums
from verify.engine.summation.sums import cauchy_schwarz, closed_form, products_in, sums_in
from verify.engine.tactics.cases import CASES, by_cases, by_squares
from verify.engine.tactics.draft import SHALLOW, Draft
from verify.engine.tactics.prove import STEPS, largest_divisor, shown_in_some_way

ROOM = 40
"""Number of variables in addition to those for the functions, powers and roots of the claim."""


def elementary(question: Extended, steps: int = STEPS) -> Certificate | Undecided:
    """A certificate that both checkers accept, or a description of how far the search got."""
    try:
        draft = Draft(
            question.symbols, steps, _room(question), assumable(question.claim, question.assumptions)
        )
        equations = _assumed(draft, question)
        goal = question.claim
        if not _values_put_in(draft, question):
            return Undecided("values by equations")
        _steps_shown(draft, question, equations)
        shown = _with_letter(draft, question, equations) if question.letter else _via(draft, goal, equations)
        if not shown:
            return Undecided("; ".join(sorted(draft.tried)) or "laws of functions and sums")
        certificate = {"symbols": question.symbols, "lines": draft.lines, "claim": goal}
        lighter = lightened(certificate, trimmed, without_idle)
        if lighter is None:
            check(certificate)
            recheck(certificate)
        return lighter or certificate
    except (Undefined, Rejected, Refused, Untranslatable) as error:
        return Undecided(f"laws of functions and sums: {error}")


def _values_put_in(draft: Draft, question: Extended) -> bool:
    """Put in the values of symbols, each of which is an assumption or shown from equations; returns whether all are known."""
    for name, value in question.values:
        equation: Tree = ["=", name, value]
        draft.define(equation)
        if equation not in draft.checked.facts and not draft.show(equation):
            return False
        draft.put_in(draft.checked.facts.index(equation))
    return True


def _steps_shown(draft: Draft, question: Extended, equations: list[Equation]) -> None:
    """Show the intermediate relations of a question, as far as possible; with an induction, for every value of its symbol."""
    for relation in question.through:
        goal = question.here(question.now(relation))
        with suppress(Rejected, Undefined):
            if not question.letter or not inducted(draft, goal, question.letter, equations):
                draft.define(goal)
                _via(draft, goal, equations)


def _room(question: Extended) -> int:
    """Largest number of variables of a proof; an induction also needs those of the next value."""
    heads = ("root", "max", "min", "abs", "call", "at", "^")
    steps = map(question.now, question.through)
    formulas = [question.claim, *steps, *(relation for relation, _ in question.assumptions)]
    found = {str(part) for f in formulas for part in parts(f) if isinstance(part, list) and part[0] in heads}
    return ROOM + (2 if question.letter else 1) * len(found)


def _assumed(draft: Draft, question: Extended) -> list[Equation]:
    """Add conditions and laws as assumptions, as far as they are defined; returns the equations among the laws.

    Those whose divisors are not yet known to differ from 0 are tried again after all others.
    """
    quantified = {str(law.relation): law.every for law in question.laws if law.every}
    names, equations = {law.by for law in question.laws}, list[Equation]()

    def undefined(assumptions: Sequence[tuple[Tree, str]]) -> list[tuple[Tree, str]]:
        left = []
        for relation, by in assumptions:
            every = quantified.get(str(relation)) if by in names else None
            if every:
                _divisors_positive(draft, relation, every)
            try:
                draft.define(relation)
                draft.add({"given": relation, "by": by, **({"for": every} if every else {})})
            except Rejected:
                left.append((relation, by))
                continue
            if by in names and relation[0] == "=" and _rewrites(relation, by):
                equations.append((relation[1], relation[2], len(draft.checked.facts) - 1))
        return left

    # facts without divisors come first, because they may show that divisors are not zero
    left = undefined(sorted(question.assumptions, key=lambda entry: largest_divisor(entry[0])))
    draft.define(question.claim)
    undefined(left)
    for k, line in enumerate(list(draft.lines)):
        if line.get("by") in ("condition", "premise"):
            with suppress(Rejected, Undefined):
                carried_on(draft, k, equations)
    return equations


def _divisors_positive(draft: Draft, relation: Tree, letter: str) -> None:
    """Show, as far as possible, that the divisors in a relation are positive for every value of a symbol.

    The line is an induction whose cases use other facts for every value, at the least and at the next value.
    """
    for part in parts(relation):
        below = part[2] if isinstance(part, list) and part[0] == "/" else "1"
        below = below[2] if below[0] == "root" else below
        if letter in list(parts(below)) and draft.checked.sign(below) & ZERO:
            goal: Tree = ["<", "0", below]
            base = _at(draft.branch(letter), goal, letter, _first(draft, letter))
            step = draft.branch(letter)
            step.checked.learn(goal)
            after = _at(step, goal, letter, ["+", letter, "1"])
            if base is not None and after is not None:
                draft.add_without_put({"show": goal, "induct": letter, "base": base, "step": after})


def _at(case: Draft, goal: Tree, letter: str, value: Tree) -> list[Any] | None:
    """Lines that show a goal at one value of a symbol from the facts for every value; None without success."""
    for k in sorted(k for k, name in case.checked.quantified.items() if name == letter):
        with suppress(Rejected, Undefined):
            fact = replaced(case.checked.facts[k], letter, value)
            case.add_without_put({"show": fact, "every": k, "at": value})
    here = replaced(goal, letter, value)
    return case.lines if case.show(here) or _by_its_square(case, here) else None


def _by_its_square(draft: Draft, goal: Tree) -> bool:
    """Show that a nonnegative number x is positive, because an equation says that x^2 is: x = (x^2 + x)/(x + 1)."""
    number = goal[2]
    if draft.checked.sign(number) & NEGATIVE:
        return False
    for k, fact in enumerate(draft.checked.facts):
        match fact:
            case ["=", ["^", base, "2"], value] if draft.checked.value(["-", base, number]).top.is_zero():
                square = ["-", value, ["slack", k]]
                if draft.close(goal, ["/", ["+", square, number], ["+", number, "1"]]):
                    return True
    return False


def _first(draft: Draft, letter: str) -> str:
    return str(WHOLE[draft.symbols[letter]])


def _rewrites(equation: Tree, by: str) -> bool:
    """Whether goals are rewritten by an equation: one of a function, a power, a sum, or of a symbol with a root."""
    return isinstance(equation[1], list) or by == f"{LAW}{POWERS}"


def _via(draft: Draft, goal: Tree, equations: list[Equation]) -> bool:
    """Show a goal after rewriting it by equations; returns whether this succeeds."""
    known = [entry for entry in equations if draft.checked.facts[entry[2]] is not None]
    goals = rewritten(draft, goal, known)
    if goals[-1] != goal:
        with suppress(Rejected, Undefined):
            draft.define(goals[-1])
            if shown_in_some_way(draft, goals[-1], goals[-1:]) and carried_back(draft, goals, known):
                return True
    return shown_in_some_way(draft, goal, [goal, *_with_extremes(draft, goal)])


def _with_extremes(draft: Draft, goal: Tree) -> list[Tree]:
    """Facts that hold a maximum, a minimum or an absolute value beside an entry or a function in a goal, or in such a fact."""
    known = [fact for fact in draft.checked.facts if fact and any(map(_is_extreme, parts(fact)))]
    found, spoken = list[Tree](), [goal]
    while spoken and known:
        said = [_at_one_place(draft, part) for formula in spoken for part in parts(formula)]
        said = [part for part in said if isinstance(part, list)]
        spoken = [
            fact
            for fact in known
            if fact not in found and any(_at_one_place(draft, side) in said for side in _sides(fact))
        ]
        extremes = {
            str(part) for fact in (goal, *found, *spoken) for part in parts(fact) if _is_extreme(part)
        }
        if found and len(extremes) > CASES:
            return found
        found += spoken
    return found


def _sides(relation: Tree) -> list[Tree]:
    """The sides of a relation, and the number of which a side is the absolute value."""
    return [*relation[1:], *(side[1] for side in relation[1:] if side[0] == "abs")]


def _at_one_place(draft: Draft, part: Tree) -> Tree:
    """An entry of a sequence, written in the same way for equal indices; any other formula unchanged."""
    match part:
        case ["at", name, place]:
            return ["at", name, draft.checked.value(place).key]
    return part


def _is_extreme(part: Tree) -> bool:
    return isinstance(part, list) and part[0] in ("max", "min", "abs")


def _with_letter(draft: Draft, question: Extended, equations: list[Equation]) -> bool:
    """Show a claim by induction; if the induction is over a new symbol, substitute its equation afterwards.

    A lemma is shown by induction and then used for one value of its symbol.
    """
    if question.lemma is not None:
        lemma, value = question.lemma
        if not inducted(draft, lemma, question.letter, equations):
            return False
        used = replaced(lemma, question.letter, value)
        draft.add_without_put({"show": used, "every": len(draft.checked.facts) - 1, "at": value})
        return _via(draft, question.claim, equations)
    if not _shown_for_every(draft, question, equations):
        return False
    if question.moved is not None:
        place = draft.checked.facts.index(question.moved)
        shown = ["slack", len(draft.checked.facts) - 1]
        draft.add_without_put({"show": question.claim, "as": shown, "put": [place]})
    return True


def _shown_for_every(draft: Draft, question: Extended, equations: list[Equation]) -> bool:
    """Show a claim by closed forms of its sums, by induction, or by induction of a stronger claim."""
    goal, letter = question.here(question.claim), question.letter
    if question.through and _via(draft, goal, equations):
        return True
    if goal[0] != "=" and _by_closed_forms(draft, question, equations):
        return True
    conditions, symbol = suggesting(question), _symbol(question)
    potentials = with_potentials(question.relation, symbol, conditions)
    # Without an entry r[T] in the claim only the recursion bounds the next term; with one, noise adds up as b (q^T - 1)/(q - 1).
    # An induction of the claim itself fails in most such cases, and takes long.
    entries = [e for e in question.relation.atoms(sp.Indexed) if e.indices == (symbol,)]
    given = tuple(relation for relation, by in question.given if by == "condition")
    first = chain(
        with_balances(question.relation, symbol, given),
        with_limits(question.relation, conditions) if entries else potentials,
    )
    if _by_stronger(draft, question, equations, first):
        return True
    if inducted(draft, goal, letter, equations):
        return True
    bounded = [
        inducted(draft, question.here(relation_tree(bound)), letter, equations)
        for bound in powers_bounded(question.relation, symbol)
    ]
    if any(bounded) and inducted(draft, goal, letter, equations):
        return True
    relations = dict.fromkeys((question.relation, with_simpler_sums(question.relation)))
    others = chain(
        potentials,
        unrolled(given, symbol),
        *(stronger(relation, symbol, conditions) for relation in relations),
    )
    if _by_stronger(draft, question, equations, others):
        return True
    return _by_cauchy_schwarz(draft, question, equations)


def _by_stronger(
    draft: Draft, question: Extended, equations: list[Equation], claims: Iterable[Condition]
) -> bool:
    """Show a claim from the first claim that seems true, has an induction and implies it."""
    conditions = tuple(relation for relation, by in question.given if by == "condition")
    for other in claims:
        goal = question.here(relation_tree(other))
        shown = _plausible(other, conditions) and inducted(draft, goal, question.letter, equations)
        if shown and _via(draft, question.here(question.claim), equations):
            return True
    return False


def _by_cauchy_schwarz(draft: Draft, question: Extended, equations: list[Equation]) -> bool:
    """Show a claim from bounds of sums by sums of squares, each of which is proved by induction."""
    bounds = list(cauchy_schwarz([question.relation, *(relation for relation, _ in question.given)]))
    found = [
        inducted(draft, question.here(relation_tree(bound)), question.letter, equations) for bound in bounds
    ]
    return any(found) and _via(draft, question.here(question.claim), equations)


def _by_closed_forms(draft: Draft, question: Extended, equations: list[Equation]) -> bool:
    """Show a claim with its sums and products replaced by closed forms, each of which is proved by induction."""
    more, simple = list(equations), with_simpler_sums(question.relation)
    for total in (*sums_in([simple]), *products_in([simple])):
        form = closed_form(total)
        if form is None:
            return False
        equation = question.here(relation_tree(sp.Eq(total, form, evaluate=False)))
        if not inducted(draft, equation, question.letter, equations):
            return False
        more.append((equation[1], equation[2], len(draft.checked.facts) - 1))
    return len(more) > len(equations) and _via(draft, question.here(question.claim), more)


def _symbol(question: Extended) -> sp.Symbol:
    """The symbol of the claim over which the induction runs."""
    name = question.letter if question.moved is None else question.moved[1]
    return next(s for s in question.relation.free_symbols if s.name == name)


def _plausible(relation: Condition, conditions: tuple[Condition, ...]) -> bool:
    """Whether no random instance violates a relation."""
    asked = ask("a stronger claim", relation, conditions, None)
    return bool(unbroken(asked.relation, asked.scene, asked.conditions))


def inducted(draft: Draft, goal: Tree, letter: str, equations: list[Equation]) -> bool:
    """Show a goal for every value of a symbol by induction, without facts that hold for one value only."""
    least = _first(draft, letter)
    for part in parts(goal):  # that divisors without the symbol are not 0 is shown once, before the induction
        if isinstance(part, list) and part[0] == "/" and letter not in list(parts(part[2])):
            with suppress(Rejected, Undefined):
                draft.define(["/", "1", part[2]])
    base, step = draft.branch(letter), draft.branch(letter)
    first, after = replaced(goal, letter, least), replaced(goal, letter, ["+", letter, "1"])
    try:
        base.define(first)
        if not _together(base, first, equations):
            draft.tried.add(f"induction over {letter}, before the first step: {_least(base)}")
            return False
        step.define(goal)
        step.checked.learn(goal)
        with suppress(Rejected, Undefined):
            carried_on(step, len(step.checked.facts) - 1, equations)
        step.define(after)
        for claim in _claims(goal):
            step.show(claim, depths=SHALLOW, degrees=(1,))
        if not _together(step, after, equations) and not by_squares(step, after):
            draft.tried.add(f"induction over {letter}")
            return False
        draft.add_without_put({"show": goal, "induct": letter, "base": base.lines, "step": step.lines})
    except (Rejected, Undefined) as error:
        draft.tried.add(f"induction over {letter}: {error}")
        return False
    return True


def _claims(goal: Tree) -> list[Tree]:
    """The claims that a bound of a maximum joins; none for other goals."""
    match goal:
        case ["<=", ["max", *parts_of], bound]:
            return [["<=", part, bound] for part in parts_of]
    return []


def _together(draft: Draft, goal: Tree, equations: list[Equation]) -> bool:
    """Show a goal; first that all values of a maximum on its small side have its bound, and both signs of an absolute value."""
    if not all(_via(draft, claim, equations) for claim in _claims(goal)):
        return False
    match goal:
        case ["<=", ["abs", inside], bound] if rewritten(draft, inside, equations)[-1] != inside:
            either = (["<=", inside, bound], ["<=", ["-", inside], bound])
            if all(_via(draft, claim, equations) for claim in either) and by_cases(draft, goal, [goal[1]]):
                return True
    return _via(draft, goal, equations)


def _least(draft: Draft) -> str:
    return "; ".join(sorted(draft.tried))
