"""Proofs of facts by induction: powers and sums are treated as sequences, defined by their recursions."""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from bounds.symbols import assumptions_of, is_visibly, renamed
from verify.engine.certificates.question import Certificate, Induction, Question, Undecided
from verify.engine.model.scene import Condition, Fact, Follows, Rounds, Textbook
from verify.engine.model.sums import Sums, require_same_vectors
from verify.engine.tactics.prove import implied, prove

COUNTER = "round"
"""Name of the counter of rounds in a certificate."""
_SIGNS = {"is_positive": sp.Gt, "is_nonnegative": sp.Ge}


def by_induction(fact: Rounds) -> Certificate | None:
    """A certificate that a relation is true for every whole number; None if a name does not satisfy its recursion, or no
    proof is found.
    """
    if not all(_grows(fact, name) for name in fact.named):
        return None
    wider = _beginning(fact)
    if wider is None:
        return None
    later = {name: renamed(name, f"{name} later") for name in (*fact.named, *fact.changes)}
    entries = _entries(fact)
    later |= {entry: renamed(entry, f"{entry} later") for entry in entries.values()}
    now = {entry: later[name] for entry, name in entries.items()}
    past = {entry.subs(fact.over, fact.over - 1): name for entry, name in now.items()}
    first = {name: sp.sympify(formula).subs(fact.over, 0).doit() for name, formula in fact.named.items()}
    starts = {name: start for name, (_, start) in fact.changes.items() if start is not None}
    definitions = (sp.Eq(later[name], fact.grows[name].xreplace(now), evaluate=False) for name in fact.named)
    round_on = {before: name for name, (before, _) in fact.changes.items()} | later
    given = (
        *((relation, "definition") for relation in definitions),
        *((_of_a_round(fact, step.relation.xreplace(past), round_on), _right(step)) for step in fact.steps),
        *((condition, "condition") for condition in fact.given),
    )
    through = tuple(_of_a_round(fact, relation.xreplace(past), round_on) for relation in fact.through)
    said = (_in_names(fact, fact.relation), *through, *(relation for relation, _ in given))
    if any(sp.sympify(part).has(fact.over) for part in (*said, *first.values(), *starts.values())):
        return None  # a certificate would take the number of the round for one number in all rounds
    wider |= {later[name]: renamed(other, f"{name} later") for name, other in wider.items()}
    induction = Induction(
        COUNTER,
        {wider.get(name, name): wider.get(after, after) for name, after in later.items()},
        {wider.get(name, name): start for name, start in {**first, **starts}.items()},
        tuple(relation.xreplace(wider) for relation in through),
    )
    known = tuple((relation.xreplace(wider), by) for relation, by in given)
    answer = prove(Question(_in_names(fact, fact.relation).xreplace(wider), known, induction))
    return None if isinstance(answer, Undecided) else answer


def _beginning(fact: Rounds) -> dict[sp.Symbol, sp.Symbol] | None:
    """Positive quantities with value 0 before the first round, declared nonnegative instead; None if a quantity begins
    outside its domain.

    The domain of a quantity must hold in every round, including the first number.
    """
    wider = dict[sp.Symbol, sp.Symbol]()
    for name, (before, start) in fact.changes.items():
        if start is None or _fits(name, begun := sp.sympify(start), fact.given):
            continue
        if not name.is_positive or begun != 0 or before.is_positive:
            return None
        kept = {key: said for key, said in assumptions_of(name).items() if key != "positive"}
        wider[name] = sp.Symbol(name.name, **kept, nonnegative=True)
    return wider


def by_algebra(fact: Follows) -> Certificate | None:
    """A certificate that a relation follows from facts by substitution; None if a substitution is not allowed, or no proof
    is found.
    """
    given = tuple((condition, "condition") for condition in fact.given)
    require_same_vectors([source for source, _ in fact.of if isinstance(source, Sums)])
    for source, letters in fact.of:
        meets = all(_fits(letter, formula, fact.given) for letter, formula in letters.items())
        if not meets or not all(
            implied(substituted(condition, letters), fact.given) for condition in source.given
        ):
            return None
        given += ((substituted(source.relation, letters), f"fact {source.relation}"),)
    answer = prove(Question(fact.relation, given, through=fact.through))
    return None if isinstance(answer, Undecided) else answer


def substituted(relation: Condition, letters: Mapping[sp.Symbol, sp.Expr]) -> Condition:
    """A relation with its symbols substituted; binomial coefficients are expanded."""
    return relation.func(*(sp.expand_func(side.xreplace(letters)) for side in relation.args), evaluate=False)


def _fits(letter: sp.Symbol, formula: sp.Expr, given: tuple[Condition, ...]) -> bool:
    """Whether a formula lies in the domain of a symbol."""
    domains = ("is_positive", "is_nonnegative", "is_real", "is_integer")
    return all(_within(formula, domain, given) for domain in domains if getattr(letter, domain))


def _right(step: Textbook | Fact | Sums | Rounds | Follows) -> str:
    return f"textbook {step.name}" if isinstance(step, Textbook) else f"fact {step.relation}"


def _entries(fact: Rounds) -> dict[sp.Indexed, sp.Symbol]:
    """Entries x[over] in the recursions, each with the name of a quantity with an arbitrary value in every round.

    A recursion leads from one number to the next; `steps` and `through` are about the next number, and write x[over - 1].
    """
    found = {
        entry
        for formula in fact.grows.values()
        for entry in sp.sympify(formula).atoms(sp.Indexed)
        if entry.indices == (fact.over,)
    }
    return {entry: renamed(entry.base.label, f"{entry.base} of the round") for entry in found}


def _of_a_round(fact: Rounds, relation: Condition, round_on: Mapping[sp.Symbol, sp.Symbol]) -> Condition:
    """A relation in names; relations with changing quantities are about this round and the next."""
    changing = {*fact.changes, *(before for before, _ in fact.changes.values())}
    named = _in_names(fact, relation)
    return named.xreplace(round_on) if named.free_symbols & changing else named


def _in_names(fact: Rounds, relation: Condition) -> Condition:
    """A relation with names in place of their formulas, larger formulas first."""
    for name, formula in sorted(fact.named.items(), key=lambda pair: -sp.count_ops(pair[1])):
        relation = relation.xreplace({formula: name})
    return relation


def _grows(fact: Rounds, name: sp.Symbol) -> bool:
    """Whether a formula at the next number equals its recursion, and the domain of its name is not narrower than that of the
    formula.
    """
    formula = sp.sympify(fact.named[name])
    later = formula.subs(fact.over, fact.over + 1)
    said = fact.grows[name].xreplace(dict(fact.named))
    alike = any(_is_zero(form - said) for form in (_last_apart(later), later.doit()))
    if not alike or not _begins_before(formula, fact.over):
        return False
    return _fits(name, formula, fact.given)


def _is_zero(formula: sp.Expr) -> bool:
    """Whether a formula simplifies to 0. Most do so when expanded; SymPy loads its units of physics to simplify others."""
    expanded = sp.expand(sp.expand_func(formula))
    return bool(expanded == 0 or sp.simplify(expanded) == 0)


def _within(formula: sp.Expr, domain: str, given: tuple[Condition, ...]) -> bool:
    """Whether a formula is positive, nonnegative, real or whole, by itself, or as it or what it is a whole power of is where `given` holds."""
    if domain not in _SIGNS and getattr(formula, domain):
        return True
    if domain in _SIGNS and is_visibly(formula, positive=domain == "is_positive"):
        return True
    if isinstance(formula, sp.Pow) and formula.exp.is_nonnegative and formula.exp.is_integer:
        return _within(formula.base, domain, given)
    if domain not in _SIGNS or not formula.is_real:
        return False
    return implied(_SIGNS[domain](formula, 0, evaluate=False), given)


def _begins_before(formula: sp.Expr, over: sp.Symbol) -> bool:
    """Whether every sum is either nonempty or ends directly before its start, for all numbers from 0 on; otherwise its value
    would depend on a convention.
    """
    number = sp.Dummy(integer=True, nonnegative=True)
    limits = [limit for found in formula.atoms(sp.Sum) for limit in found.limits]
    return all((high - low + 1).subs(over, number).is_nonnegative for _, low, high in limits)


def _last_apart(formula: sp.Expr) -> sp.Expr:
    """The expression with every sum split into its last term and the rest."""
    return formula.replace(
        lambda part: isinstance(part, sp.Sum) and len(part.limits) == 1,
        lambda part: _without_last(part.function, *part.limits[0]),
    )


def _without_last(term: sp.Expr, index: sp.Symbol, low: sp.Expr, high: sp.Expr) -> sp.Expr:
    return sp.Sum(term, (index, low, high - 1)) + term.subs(index, high)
