"""Branches of a computation that compares its numbers, such as sorting: a proof on every branch.

If a scene is computed in symbols, a comparison has two possible answers. The scene is computed again for each sequence of
answers, and on each branch a relation is proved from the answers. The branches are complete: they are the leaves of a tree
in which every question has both answers (`exhaustive`). Equality of two numbers is two questions (neither is smaller), so
equal numbers are a separate branch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sympy as sp
from sympy.core.relational import Relational

from verify.engine.certificates.formulas import Tree, Untranslatable, domains, relation_tree
from verify.engine.certificates.memory import first_offered, may_search
from verify.engine.certificates.question import Certificate, Undecided
from verify.engine.model.arithmetic import side_by_side
from verify.engine.model.expressions import symbolic_values
from verify.engine.model.scene import Condition, Scene, Shape, Textbook, Values
from verify.engine.model.vectors import coordinate
from verify.engine.proof.extremes import plain
from verify.engine.tactics.prove import proved

MOST = 512
"""Limit on branches of one shape."""
STEPS = 200
"""Limit on polynomials of the search for a certificate on one branch."""
ABSURD: Tree = ["<=", "1", "0"]
"""The relation that is proved on a branch that no numbers take."""
RANGE = "range of "
"""Prefix of the justification "a share is at most 1"."""
_CONTRARY = {sp.Le: sp.Gt, sp.Ge: sp.Lt, sp.Lt: sp.Ge, sp.Gt: sp.Le, sp.Eq: sp.Ne, sp.Ne: sp.Eq}

Answer = tuple[Relational, bool]
Given = tuple[Condition, str]


@dataclass(frozen=True)
class Way:
    """One branch: questions with their answers, in the order in which they were asked, and the quantities at its end."""

    answers: tuple[Answer, ...]
    values: Values

    @property
    def relations(self) -> tuple[Condition, ...]:
        """The relations given by the answers."""
        return tuple(question if yes else question.negated for question, yes in self.answers)

    @property
    def equal(self) -> tuple[Condition, ...]:
        """Equations that follow because neither side is smaller."""
        order = [_upwards(each) for each in self.relations]
        both = [ends for ends in order if not ends[2] and (ends[1], ends[0], False) in order]
        alike = [sp.Eq(large, small, evaluate=False) for small, large, _ in both]
        return tuple(each for k, each in enumerate(alike) if each.reversed not in alike[:k])


@dataclass(frozen=True)
class _Guide:
    """Answers comparisons: by earlier answers if they decide, then from `ahead`, then with yes."""

    ahead: tuple[bool, ...]
    answers: list[Answer] = field(default_factory=list)
    untried: list[tuple[bool, ...]] = field(default_factory=list)

    def __call__(self, question: Relational) -> bool:
        known = [asked if yes else asked.negated for asked, yes in self.answers]
        for yes, said in ((True, question), (False, question.negated)):
            if follows(said, known):
                return yes
        before = tuple(yes for _, yes in self.answers)
        if len(before) >= len(self.ahead):
            self.untried.append((*before, False))
        self.answers.append((question, len(before) >= len(self.ahead) or self.ahead[len(before)]))
        return self.answers[-1][1]


def follows(relation: Relational, known: Sequence[Relational]) -> bool:
    """Whether a relation is known, or follows by transitivity: a < b and b <= c give a < c."""
    if relation in known or relation.reversed in known:
        return True
    if not isinstance(relation, sp.Lt | sp.Le | sp.Gt | sp.Ge):
        return False
    steps = [_upwards(each) for each in known if isinstance(each, sp.Lt | sp.Le | sp.Gt | sp.Ge)]
    start, end, strictly = _upwards(relation)
    reached, new = set[tuple[sp.Expr, bool]](), {(start, False)}
    while new:
        reached |= new
        new = {
            (to, less or strict) for at, less in new for small, to, strict in steps if small == at
        } - reached
    return any(at == end and (less or not strictly) for at, less in reached)


def _upwards(relation: Relational) -> tuple[sp.Expr, sp.Expr, bool]:
    """Smaller side, larger side, and whether they must differ."""
    return relation.lts, relation.gts, isinstance(relation, sp.Lt | sp.Gt)


def ways(scene: Scene, shape: Shape) -> list[Way] | None:
    """All branches of a scene at one shape, in symbols; None if they are too many."""
    found: list[Way] = []
    ahead: list[tuple[bool, ...]] = [()]
    while ahead:
        if len(found) == MOST:
            return None
        guide = _Guide(ahead.pop())
        values = symbolic_values(scene, shape, guide)
        found.append(Way(tuple(guide.answers), values))
        ahead += guide.untried
    return found


def told_apart(relation: Condition, found: Sequence[Way]) -> list[Way] | None:
    """Branches, split further until the quantities of a relation contain no maximum or minimum; None if they are too
    many.
    """
    waiting, done = list(found)[::-1], list[Way]()
    names = {symbol.name for symbol in relation.free_symbols}
    while waiting:
        if len(waiting) + len(done) > MOST:
            return None
        way = waiting.pop()
        spoken = {name: way.values[name] for name in names & way.values.keys()}
        extreme = _innermost(spoken)
        if extreme is None:
            done.append(way)
            continue
        one, other, *_ = sp.ordered(extreme.args)
        question = sp.Le(one, other, evaluate=False)
        known = list(way.relations)
        answers = [yes for yes in (True, False) if not follows(question.negated if yes else question, known)]
        for yes in answers[::-1]:
            left = one if yes is isinstance(extreme, sp.Min) else other
            rest = [each for each in extreme.args if each not in (one, other)]
            chosen = {extreme: extreme.func(left, *rest)}
            values = {name: _with(entries, chosen) for name, entries in spoken.items()}
            more = ((question, yes),) if len(answers) == 2 else ()
            waiting.append(Way((*way.answers, *more), {**way.values, **values}))
    return done


def _innermost(values: Values) -> sp.Expr | None:
    """A maximum or minimum that contains no other one."""
    found = set().union(*(formula.atoms(sp.Max, sp.Min) for formula in _formulas(values)))
    single = [extreme for extreme in found if not any(part.has(sp.Max, sp.Min) for part in extreme.args)]
    return min(single, key=sp.default_sort_key, default=None)


def _formulas(values: Values) -> list[sp.Expr]:
    return [sp.sympify(entry) for entries in values.values() for entry in np.ravel(entries)]


def _with(entries: Any, chosen: Mapping[sp.Expr, sp.Expr]) -> Any:
    """The entries with some parts substituted."""
    array = np.asarray(entries, dtype=object)
    return np.array([sp.sympify(entry).xreplace(chosen) for entry in array.ravel()], dtype=object).reshape(
        array.shape
    )


def exhaustive(answers: Sequence[Sequence[Answer]]) -> bool:
    """Whether these sequences of answers cover all numbers: every question has both answers."""
    if not answers or not all(answers):
        return len(answers) == 1
    if len({sequence[0][0] for sequence in answers}) > 1:
        return False
    halves = ([sequence[1:] for sequence in answers if sequence[0][1] is yes] for yes in (True, False))
    return all(map(exhaustive, halves))


def shares(scene: Scene, shape: Shape) -> list[Given]:
    """The relations that parameters with range 0 to 1 are at most 1: they are shares and have no other values."""
    names = [
        name for name, box in scene.space(shape).items() if not box.shape and (box.low, box.high) == (0, 1)
    ]
    return [(sp.Le(sp.Symbol(name, nonnegative=True), 1), f"{RANGE}{name}") for name in names]


def shown_on_all(
    relation: Condition,
    conditions: Sequence[Condition],
    found: Sequence[Way],
    cited: Sequence[Textbook] = (),
    ranges: Sequence[Given] = (),
) -> list[Certificate] | None:
    """Certificates of a relation on every branch, from conditions, ranges and facts; None if one, or a branch, is
    missing.
    """
    if not exhaustive([way.answers for way in found]):
        return None
    together: list[Certificate] = []
    for way in found:
        shown = _entry_certificates(relation, conditions, way, cited, ranges)
        if shown is None:
            return None
        together += shown
    return together


def _entry_certificates(
    relation: Condition,
    conditions: Sequence[Condition],
    way: Way,
    cited: Sequence[Textbook],
    ranges: Sequence[Given],
) -> list[Certificate] | None:
    """Certificates of all entries of a relation, or a certificate that no numbers take this branch.

    An equation is an identity given the equal numbers; an inequality may follow from all known relations.
    """
    goals = _entries(relation, way.values)
    equal: list[Given] = [(_plain(each, *each.args), "case") for each in way.equal]
    given: list[Given] = [(_plain(each, *each.args), "case") for each in way.relations]
    given += [(entry, f"condition {each}") for each in conditions for entry in _entries(each, way.values)]
    contrary = _contrary(given)
    given += ranges
    given += [
        (entry, f"textbook {fact.name}") for fact in cited for entry in _entries(fact.relation, way.values)
    ]
    if contrary is not None:
        relation, goals, given = contrary, [contrary], []
    try:
        symbols = domains([*goals, *(known for known, _ in given)])
        certificates: list[Certificate] = []
        for goal in goals:
            assumed = equal if isinstance(relation, sp.Eq) else _enough(goal, [*equal, *given])
            found = _certificate(symbols, relation_tree(goal), _as_trees(assumed))
            if isinstance(found, Undecided):
                nothing = _certificate(symbols, ABSURD, _as_trees(_clash(given)))
                return None if isinstance(nothing, Undecided) else [nothing]
            certificates.append(found)
    except Untranslatable:
        return None
    return certificates


def _certificate(
    symbols: dict[str, str], claim: Tree, assumed: Sequence[tuple[Tree, str]]
) -> Certificate | Undecided:
    if may_search():
        return proved(symbols, claim, assumed, STEPS)
    return first_offered(symbols, claim, assumed) or Undecided("not on offer")


def _contrary(given: Sequence[Given]) -> Condition | None:
    """The relation that holds instead of a false relation between numbers; None if there is none."""
    for relation, _ in given:
        if not relation.free_symbols and relation.doit() == sp.false:
            return _CONTRARY[type(relation)](*relation.args, evaluate=False)
    return None


def _as_trees(given: Sequence[Given]) -> list[tuple[Tree, str]]:
    return [(relation_tree(relation), by) for relation, by in given]


def _enough(goal: Condition, given: Sequence[Given]) -> Sequence[Given]:
    """Relations that give the goal by transitivity, without unneeded ones; all relations if the goal is not such a chain."""
    if not goal.free_symbols:
        return []
    if not follows(goal, [relation for relation, _ in given]):
        return given
    for each in given:
        fewer = [other for other in given if other is not each]
        given = fewer if follows(goal, [relation for relation, _ in fewer]) else given
    return given


def _clash(given: Sequence[Given]) -> Sequence[Given]:
    """A relation, and relations that give its contrary by transitivity; all relations if there is no such chain."""
    for each in given:
        others = [other for other in given if other is not each]
        if follows(each[0].negated, [relation for relation, _ in others]):
            return [*_enough(each[0].negated, others), each]
    return given


def _entries(relation: Condition, values: Values) -> list[Condition]:
    """A relation between quantities, entry by entry."""
    left, right = (
        map(coordinate, part.ravel()) for part in side_by_side(relation.args, values, "symbolic", 1)
    )
    return [_plain(relation, a, b) for a, b in zip(left, right, strict=True)]


def _plain(relation: Condition, left: Any, right: Any) -> Condition:
    """The relation between given sides, in the normal form of `plain`."""
    return relation.func(plain(left), plain(right), evaluate=False)
