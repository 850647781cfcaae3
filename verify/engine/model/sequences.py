"""Sequences of free numbers: claims about entries x[1], x[2], ... without a scene, and conditions for every index.

A condition on an entry x[t + k] with a symbol t holds for every value of t. If it bounds the entry with the largest index by
earlier ones, instances meet it by construction: the entry is the bound minus or plus a random gap, which is often zero. In
addition, all such conditions are evaluated at every t. Their largest excess is a quantity that must not be positive. An equation for
the weighted sum of a sequence, such as "weights add up to 1", is met by dividing all entries by the same number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import takewhile
from typing import Any

import numpy as np
import sympy as sp

from bounds.evaluate import evaluate
from bounds.symbols import domain_of
from nqm import fields
from verify.engine.model.arithmetic import ARITHMETIC
from verify.engine.model.instance import Instance
from verify.engine.model.scene import Box, Condition, Named, Scene, Shape, Values

EXCESS = sp.Symbol("excess over the conditions for every index", nonnegative=True)
"""Name of the quantity that holds the largest excess of all conditions for every index."""
WITHIN = sp.Le(EXCESS, 0, evaluate=False)
"""The relation that no condition for every index is exceeded."""
_START, _MULTIPLE = "start of ", "multiple of "
BITS = 1000
"""Entries with longer numerators or denominators are not listed in a witness."""
ROUNDING = 1e-12
"""Relative excess in floats that may be rounding; exact arithmetic decides."""
GAP = 10.0
"""The largest gap between an entry and its bound."""


def letter_of(condition: sp.Basic) -> sp.Symbol | None:
    """The symbol over all values of which a condition is meant: the symbol in the index of an entry; None if there is
    none.
    """
    bound = {limit[0] for total in condition.atoms(sp.Sum, sp.Product) for limit in total.limits}
    found = set().union(*(entry.indices[0].free_symbols for entry in condition.atoms(sp.Indexed)), set())
    letters = sorted((s for s in found - bound if isinstance(s, sp.Symbol)), key=str)
    return letters[0] if letters else None


def from_0(count: sp.Symbol) -> sp.Symbol:
    """The index of the same name that counts from 0."""
    return sp.Symbol(count.name, integer=True, nonnegative=True)


def counted_from_1(condition: Any, claimed: sp.Basic) -> Any:
    """A condition for every index with an index that counts from 0, written with one that counts from 1.

    r[t + 1] <= r[t] for t >= 0 becomes r[t] <= r[t - 1] for t >= 1. A symbol that the claim speaks of stays.
    """
    letter = letter_of(condition) if isinstance(condition, sp.Basic) else None
    if letter is None or domain_of(letter) == "count" or letter in claimed.free_symbols:
        return condition
    count = sp.Symbol(letter.name, integer=True, positive=True)
    return condition.xreplace({letter: count - 1}) if letter == from_0(count) else condition


def for_every(conditions: Iterable[Condition]) -> list[tuple[Condition, sp.Symbol]]:
    """Conditions for every value of a symbol, with the symbol."""
    pairs = ((condition, letter_of(condition)) for condition in conditions)
    return [(condition, letter) for condition, letter in pairs if letter is not None]


def sequences_in(relations: Iterable[sp.Basic]) -> list[sp.Symbol]:
    """Labels of the sequences in some relations, by name."""
    found = {base.label for relation in relations for base in relation.atoms(sp.IndexedBase)}
    return sorted(found, key=str)


@dataclass(frozen=True)
class _Rule:
    """A condition that bounds an entry by others: the entry, its bound, and the sign of the gap (0 for an equation)."""

    letter: sp.Symbol
    name: str
    index: sp.Expr
    bound: sp.Expr
    way: int


def _rule(condition: Condition, letter: sp.Symbol) -> _Rule | None:
    """The rule for the entry with the largest index, if the condition is linear in it with a factor of known sign."""
    entries = [entry for entry in condition.atoms(sp.Indexed) if letter in entry.indices[0].free_symbols]
    offsets = {entry: sp.expand(entry.indices[0] - letter) for entry in entries}
    entries = [entry for entry in entries if offsets[entry].is_Integer]
    for entry in sorted(entries, key=lambda e: (-offsets[e], e not in condition.args, str(e))):
        place = sp.Dummy(real=True)
        slack = (condition.lhs - condition.rhs).xreplace({entry: place})
        slope = sp.expand(slack).diff(place)
        sign = _sign(slope)
        if place in slope.free_symbols or not sign:
            continue
        below = isinstance(condition, sp.Le | sp.Lt) == (sign > 0)
        way = 0 if isinstance(condition, sp.Eq) else -1 if below else 1
        rest = slack.xreplace({place: sp.S.Zero})
        bound = -rest / slope if slope != 1 else _isolated(condition, entry, slack, place)
        return _Rule(letter, entry.base.label.name, entry.indices[0], bound, way)
    return None


def _in_order(rules: Sequence[_Rule]) -> list[_Rule]:
    """Rules such that, as far as possible, each speaks only of entries at its own index that rules before it give."""
    left, ordered = list(rules), list[_Rule]()
    while left:
        free = [rule for rule in left if not any(_speaks(rule, other) for other in left if other is not rule)]
        ordered += free or left
        left = [rule for rule in left if rule not in ordered]
    return ordered


def _speaks(rule: _Rule, other: _Rule) -> bool:
    """Whether a rule needs the entry at its own index that another rule gives."""
    place = rule.index.subs(rule.letter, other.letter)
    entries = (entry for entry in rule.bound.atoms(sp.Indexed) if entry.base.label.name == other.name)
    return any(sp.expand(entry.indices[0].subs(rule.letter, other.letter) - place) == 0 for entry in entries)


def _sign(formula: sp.Expr) -> int:
    """1 or -1 if a formula has this sign by the domains of its symbols and sequences; else 0."""
    entries = {entry: sp.Dummy(**_assumptions(entry.base.label)) for entry in formula.atoms(sp.Indexed)}
    alike = formula.xreplace(entries)
    return 1 if alike.is_positive else -1 if alike.is_negative else 0


def _assumptions(label: sp.Symbol) -> dict[str, bool]:
    return {domain_of(label): True} if domain_of(label) in ("positive", "nonnegative") else {"real": True}


def _isolated(condition: Condition, entry: sp.Indexed, slack: sp.Expr, place: sp.Dummy) -> sp.Expr:
    """The other side, if the entry is one side; unchanged, so that nothing is expanded."""
    return condition.rhs if condition.lhs == entry else place - sp.expand(slack)


def _fixed(condition: Condition) -> tuple[str, int, sp.Expr] | None:
    """The sequence, the index and the value of an equation such as x[0] = 1; None if a condition is no such equation."""
    if isinstance(condition, sp.Eq):
        for entry, value in (condition.args, condition.args[::-1]):
            if isinstance(entry, sp.Indexed) and entry.indices[0].is_Integer and not value.atoms(sp.Indexed):
                return entry.base.label.name, int(entry.indices[0]), value
    return None


def _total(condition: Condition) -> tuple[str, sp.Sum, sp.Expr] | None:
    """The sequence, its weighted sum and the value of an equation between these; None if a condition is no such equation."""
    if isinstance(condition, sp.Eq):
        for total, value in (condition.args, condition.args[::-1]):
            entries = total.function.atoms(sp.Indexed) if isinstance(total, sp.Sum) else set()
            if len(entries) == 1 and not value.atoms(sp.Indexed):
                (entry,) = entries
                if not sp.expand(total.function / entry).atoms(sp.IndexedBase):
                    return entry.base.label.name, total, value
    return None


def with_sequences(scene: Scene, relations: Sequence[Condition], conditions: Sequence[Condition]) -> Scene:
    """A scene of free numbers that also draws the entries of all sequences in some relations."""
    labels = sequences_in(relations)
    if not labels:
        return scene
    every = tuple(for_every(conditions))
    rules = _in_order([rule for condition, letter in every if (rule := _rule(condition, letter)) is not None])
    bounded = {rule.name for rule in rules if rule.way}
    ruled = {rule.name for rule in rules}
    totals = [total for condition in conditions if (total := _total(condition)) and total[0] not in ruled]
    fixed = {(name, k): value for name, k, value in filter(None, map(_fixed, conditions))}
    names = dict.fromkeys(ruled, _START) | {name: _MULTIPLE for name, *_ in totals}
    nonnegative = {label.name for label in labels if label.is_nonnegative}
    drawn = {label.name: f"{names.get(label.name, '')}{label.name}" for label in labels}
    # so far beyond the last entry that is asked for, conditions still speak of it
    beyond = max((_span(condition, letter) for condition, letter in every), default=0)

    def space(shape: Shape) -> Mapping[str, Box]:
        asked = _indices(tuple(relations), tuple(sorted(shape.items())))
        length = max((0, *asked)) + 1 + beyond
        boxes = {drawn[label.name]: _box(label, length) for label in labels}
        gaps = {_gap(name): Box(0.0, GAP, (length,)) for name in sorted(bounded)}
        return {**scene.space(shape), **boxes, **gaps}

    def compute(shape: Shape, values: Named) -> Values:
        found = scene.compute(shape, values)
        own = {name: values[box] for name, box in drawn.items()}
        for name, total, value in totals:
            known = {**values, **found, **own}
            own[name] = _scaled(own[name], total, value, known, nonnegative=name in nonnegative)
        entries = _entries(labels, rules, fixed, {**values, **found, **own})
        excess = _excess(every, {**values, **found, **entries}, entries)
        for label in labels if every else ():
            excess = fields.maximum(excess, _outside(label, entries[label.name]))
        return {**found, **entries, **({EXCESS.name: excess} if every else {})}

    return replace(scene, space=space, compute=compute)


def _gap(name: str) -> str:
    return f"gap of {name}"


def _box(label: sp.Symbol, length: int) -> Box:
    if label.is_positive:
        return Box(1e-3, 1e3, (length,), scale="log")
    return Box(0.0 if label.is_nonnegative else -10.0, 10.0, (length,))


def drawn_entries(
    relations: Sequence[Condition], instance: Instance, scene: Scene, method: str
) -> dict[str, dict[str, dict[str, str]]]:
    """Part of a witness's record: of each sequence that is drawn the entries by index, as far as relations ask for them.

    Conditions for every index speak of all entries, so with them all entries are listed.
    """
    names = instance.parameters.keys()
    labels = [
        one for one in sequences_in(relations) if names & {f"{w}{one.name}" for w in ("", _START, _MULTIPLE)}
    ]
    if not labels:
        return {}
    values = instance.values(scene, "exact" if method == "exact" else "float")
    found = {}
    for label in labels:
        speaking = tuple(one for one in relations if label in one.free_symbols)
        asked, rows = _indices(speaking, tuple(instance.shape.items())), values[label.name]
        places = (
            range(len(rows)) if WITHIN in relations else range(min(asked), min(max(asked) + 1, len(rows)))
        )
        short = takewhile(lambda k: not _long(rows[k][0]), places)  # noqa: B023, read at once
        found[label.name] = {str(k): str(rows[k][0]) for k in short}
    return {"sequences": found}


def _long(number: Any) -> bool:
    """Whether a number has too many digits to be printed, as entries of x[t] = x[t - 1]^2 soon have."""
    return (
        isinstance(number, int | Fraction)
        and max(map(int.bit_length, Fraction(number).as_integer_ratio())) > BITS
    )


def _span(condition: Condition, letter: sp.Symbol) -> int:
    """How many entries beyond those of the claim a condition for every value of a symbol concerns: 1 for r[t] <= r[t - 1].

    0 if the condition gives the next entry of a single sequence of real numbers, because a next entry always exists.
    """
    if (
        len(labels := sequences_in([condition])) == 1
        and domain_of(labels[0]) == "real"
        and _rule(condition, letter)
    ):
        return 0
    indices = (entry.indices[0] for entry in condition.atoms(sp.Indexed))
    offsets = [offset for index in indices if (offset := sp.expand(index - letter)).is_Integer]
    return int(max(offsets) - min(offsets)) if offsets else 0


@lru_cache(maxsize=4096)
def _indices(relations: tuple[Condition, ...], sizes: tuple[tuple[str, int], ...]) -> frozenset[int]:
    """Indices at which relations ask for entries at some sizes, of a sum the first and the last."""
    known, found = dict(sizes), set()
    for relation in relations:
        ends = {limit[0]: limit[1:] for total in relation.atoms(sp.Sum) for limit in total.limits}
        for entry in relation.atoms(sp.Indexed):
            index = entry.indices[0]
            for k in (0, 1):
                place = index
                for _ in ends:  # an inner sum may end at the index of an outer one
                    place = place.subs({s: ends[s][k] for s in place.free_symbols & ends.keys()})
                at = place.subs({s: known.get(s.name, 0) for s in place.free_symbols})
                found |= {int(at)} if at.is_Integer else set()
    return frozenset(found)


def _kind(values: Mapping[str, Any]) -> str:
    """The kind of arithmetic of some arrays."""
    if any(map(fields.is_tensor, values.values())):
        return "torch"
    kinds = {fields.kind(x) for x in values.values() if isinstance(x, np.ndarray)}
    return next(iter(sorted(kinds - {"float"})), "float")


class _Row(list[Any]):
    """Entries of a sequence while they are computed; `evaluate` asks how many axes a sequence has."""

    ndim = 1


def _entries(
    labels: Sequence[sp.Symbol],
    rules: Sequence[_Rule],
    fixed: Mapping[tuple[str, int], sp.Expr],
    values: Named,
) -> Values:
    """Entries of all sequences, index first: random, except where a rule bounds them or an equation fixes them."""
    kind = _kind(values)
    lists = {
        label.name: _Row(values[label.name][:, k] for k in range(values[label.name].shape[1]))
        for label in labels
    }
    domains = {label.name: domain_of(label) for label in labels}
    length = max((len(entries) for entries in lists.values()), default=0)
    for k in range(length):
        for (name, place), value in fixed.items():
            if place == k < len(lists.get(name, ())):
                lists[name][k] = evaluate(value, values, ARITHMETIC[kind]) + 0 * lists[name][k]
        for rule in rules:
            step = int(sp.expand(k - (rule.index - rule.letter)))
            if step < (1 if domain_of(rule.letter) == "count" else 0):
                continue
            try:
                bound = evaluate(rule.bound, {**values, **lists, rule.letter.name: step}, ARITHMETIC[kind])
            except (LookupError, ZeroDivisionError):
                continue
            gap = values[_gap(rule.name)][:, k] * rule.way if rule.way else 0
            before = lists[rule.name][k]
            entry = bound + gap + 0 * before
            if domains[rule.name] == "positive" and rule.way:
                # otherwise inside the bound: half of it, or the entry that was drawn
                entry = fields.where(entry > 0, entry, before if rule.way > 0 else (bound + 0 * before) / 2)
            lists[rule.name][k] = _at_least_0(entry) if domains[rule.name] == "nonnegative" else entry
    return {name: fields.stack(entries, 0) for name, entries in lists.items()}


def _scaled(entries: Any, total: sp.Sum, value: sp.Expr, values: Named, *, nonnegative: bool) -> Any:
    """Entries of a sequence, the index last, divided so that their weighted sum has its value, where it is not 0."""
    arithmetic, lists = ARITHMETIC[_kind(values)], {}
    for base in total.atoms(sp.IndexedBase):
        rows = values[base.label.name]
        lists[base.label.name] = _Row(rows[:, k] for k in range(rows.shape[1]))
    now, then = (evaluate(one, {**values, **lists}, arithmetic) for one in (total, value))
    factor = (then + 0 * now) / (now + 1 * (now == 0))
    if nonnegative:  # a negative factor would leave the domain; the equation is then not met
        factor = fields.where(factor > 0, factor, 1 + 0 * factor)
    return entries * factor[:, None]


def _outside(label: sp.Symbol, entries: Any) -> Any:
    """1 where an entry of a sequence is outside its domain, else 0; nothing that satisfies the conditions may be."""
    found = 0 * entries[0]
    if not label.is_nonnegative:
        return found
    for entry in entries:
        inside = entry > 0 if label.is_positive else entry >= 0
        found = fields.maximum(found, fields.where(inside, 0 * entry, 1 + 0 * entry))
    return found


def _at_least_0(x: Any) -> Any:
    return fields.maximum(x, 0 * x)


def _excess(every: Sequence[tuple[Condition, sp.Symbol]], values: Named, entries: Values) -> Any:
    """Largest excess of a condition over all indices at which its entries exist."""
    kind, worst = _kind(values), None
    length = max((len(x) for x in entries.values()), default=0)
    for condition, letter in every:
        for step in range(1 if domain_of(letter) == "count" else 0, length):
            here = {**values, letter.name: step}
            try:
                left, right = (evaluate(side, here, ARITHMETIC[kind]) for side in condition.args)
            except (LookupError, ZeroDivisionError):
                continue
            over = left - right if isinstance(condition, sp.Le | sp.Lt) else right - left
            over = fields.abs_(over) if isinstance(condition, sp.Eq) else over
            if kind in ("float", "torch"):
                over = over - ROUNDING * (fields.abs_(left + 0 * over) + fields.abs_(right + 0 * over))
            worst = over if worst is None else fields.maximum(worst, over)
    first = next(iter(entries.values()))[0]
    return _at_least_0(0 * first if worst is None else worst + 0 * first)
