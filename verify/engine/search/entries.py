"""Entries of sequences that meet the conditions for every index by construction, where a condition bounds an entry by others."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy as sp

from bounds.evaluate import evaluate
from bounds.symbols import domain_of
from nqm import fields
from verify.engine.model.arithmetic import ARITHMETIC
from verify.engine.model.scene import Condition, Named, Values

ROUNDING = 1e-12
"""Relative excess in floats that may be rounding; exact arithmetic decides."""
LEAST = 2**20
"""The inverse of the least gap between an entry and a bound that it may not reach."""


@dataclass(frozen=True)
class Rule:
    """A condition that bounds an entry, or its square, by others: the entry, its power, the bound of this power, and the sign
    of the gap (0 for an equation); the gap is at most the width where a condition bounds an absolute value.
    """

    condition: Condition
    letter: sp.Symbol
    name: str
    index: sp.Expr
    power: int
    bound: sp.Expr
    way: int
    width: sp.Expr | None = None


def rule_of(condition: Condition, letter: sp.Symbol) -> Rule | None:
    """The rule for the entry with the largest index, if the condition bounds it, and is linear in it or in its square with a
    factor of known sign.
    """
    if isinstance(condition, sp.Ne):
        return None
    if isinstance(condition, sp.Le | sp.Lt | sp.Ge | sp.Gt) and isinstance(condition.lts, sp.Abs):
        return _within(condition, letter)
    entries = [entry for entry in condition.atoms(sp.Indexed) if letter in entry.indices[0].free_symbols]
    offsets = {entry: sp.expand(entry.indices[0] - letter) for entry in entries}
    entries = [entry for entry in entries if offsets[entry].is_Integer]
    for entry in sorted(entries, key=lambda e: (-offsets[e], e not in condition.args, str(e))):
        place, power = sp.Dummy(real=True), _power_of(entry, condition)
        slack = (condition.lhs - condition.rhs).xreplace({entry**power: place})
        slope = sp.expand(slack).diff(place)
        sign = _sign(slope)
        if place in slope.free_symbols or not sign:
            continue
        below = isinstance(condition, sp.Le | sp.Lt) == (sign > 0)
        way = 0 if isinstance(condition, sp.Eq) else -1 if below else 1
        rest = slack.xreplace({place: sp.S.Zero})
        bound = -rest / slope if slope != 1 else _isolated(condition, entry**power, slack, place)
        return Rule(condition, letter, entry.base.label.name, entry.indices[0], power, bound, way)
    return None


def _within(condition: Condition, letter: sp.Symbol) -> Rule | None:
    """The rule of |x[t] - y| <= c: that of x[t] - y <= c, with a gap that does not lead below that of x[t] - y >= -c."""
    (inside,), size = condition.lts.args, condition.gts
    kinds = (sp.Lt, sp.Gt) if isinstance(condition, sp.Lt | sp.Gt) else (sp.Le, sp.Ge)
    sides = zip(kinds, (size, -size), strict=True)
    one, other = (rule_of(kind(inside, side, evaluate=False), letter) for kind, side in sides)
    if one is None or other is None or one.power != 1:
        return None
    width = sp.expand((other.bound - one.bound) * one.way)
    return replace(one, condition=condition, width=width)


def _power_of(entry: sp.Indexed, condition: Condition) -> int:
    """2 if a condition contains an entry that cannot be negative only as its square, else 1."""
    without = sp.Tuple(*condition.args).xreplace(
        {entry**2: sp.S.Zero}
    )  # not a relation, which may become true
    return 2 if entry.base.label.is_nonnegative and not without.has(entry) else 1


def in_order(rules: Sequence[Rule]) -> list[Rule]:
    """Rules such that, as far as possible, each speaks only of entries at its own index that rules before it give."""
    left, ordered = list(rules), list[Rule]()
    while left:
        free = [rule for rule in left if not any(_speaks(rule, other) for other in left if other is not rule)]
        ordered += free or left
        left = [rule for rule in left if rule not in ordered]
    return ordered


def _speaks(rule: Rule, other: Rule) -> bool:
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


def _isolated(condition: Condition, entry: sp.Expr, slack: sp.Expr, place: sp.Dummy) -> sp.Expr:
    """The other side, if the entry is one side; unchanged, so that nothing is expanded."""
    return condition.rhs if condition.lhs == entry else place - sp.expand(slack)


def fixed_entry(condition: Condition) -> tuple[str, int, sp.Expr] | None:
    """The sequence, the index and the value of an equation for one entry, such as x[0] = 1 or a = sqrt(x[0]/T); None if a
    condition is no such equation.
    """
    entries = condition.atoms(sp.Indexed) if isinstance(condition, sp.Eq) else set()
    if len(entries) != 1:
        return None
    (entry,) = entries
    if not entry.indices[0].is_Integer:
        return None
    for side, value in (condition.args, condition.args[::-1]):
        if side == entry and not value.has(sp.Indexed):
            return entry.base.label.name, int(entry.indices[0]), value
    place = sp.Dummy(positive=True)
    try:
        values = sp.solve(condition.xreplace({entry: place}), place)
    except NotImplementedError:
        return None
    return (entry.base.label.name, int(entry.indices[0]), values[0]) if len(values) == 1 else None


def fixed_sum(condition: Condition) -> tuple[str, sp.Sum, sp.Expr] | None:
    """The sequence, its weighted sum and the value of an equation between these; None if a condition is no such equation."""
    if isinstance(condition, sp.Eq):
        for total, value in (condition.args, condition.args[::-1]):
            entries = total.function.atoms(sp.Indexed) if isinstance(total, sp.Sum) else set()
            if len(entries) == 1 and not value.atoms(sp.Indexed):
                (entry,) = entries
                if not sp.expand(total.function / entry).atoms(sp.IndexedBase):
                    return entry.base.label.name, total, value
    return None


def gap_name(name: str) -> str:
    return f"gap of {name}"


def _kind(values: Mapping[str, Any]) -> str:
    """The kind of arithmetic of some arrays."""
    if any(map(fields.is_tensor, values.values())):
        return "torch"
    kinds = {fields.kind(x) for x in values.values() if isinstance(x, np.ndarray)}
    return next(iter(sorted(kinds - {"float"})), "float")


class _Row(list[Any]):
    """Entries of a sequence while they are computed; `evaluate` asks how many axes a sequence has."""

    ndim = 1


def entries_by_rules(
    labels: Sequence[sp.Symbol],
    rules: Sequence[Rule],
    fixed: Mapping[tuple[str, int], sp.Expr],
    values: Named,
) -> tuple[Values, Mapping[tuple[Condition, int], Any]]:
    """Entries of all sequences, index first: random, except where a rule bounds them or an equation fixes them.

    With them, of each condition at an index that its rule meets by construction, what it lacks where a domain moved the entry.
    In intervals, the two sides of such a condition would overlap.
    """
    kind = _kind(values)
    lists = {
        label.name: _Row(values[label.name][:, k] for k in range(values[label.name].shape[1]))
        for label in labels
    }
    domains = {label.name: domain_of(label) for label in labels}
    length = max((len(entries) for entries in lists.values()), default=0)
    by_rule = dict[tuple[Condition, int], tuple[dict[tuple[str, int], Any], Any]]()
    for k in range(length):
        for (name, place), value in fixed.items():
            if place == k < len(lists.get(name, ())):
                lists[name][k] = evaluate(value, values, ARITHMETIC[kind]) + 0 * lists[name][k]
        for rule in rules:
            step = int(sp.expand(k - (rule.index - rule.letter)))
            if step < (1 if domain_of(rule.letter) == "count" else 0):
                continue
            known = {**values, **lists, rule.letter.name: step}
            try:
                bound = evaluate(rule.bound, known, ARITHMETIC[kind])
                most = None if rule.width is None else evaluate(rule.width, known, ARITHMETIC[kind])
            except (LookupError, ZeroDivisionError):
                continue
            before, domain = lists[rule.name][k], domains[rule.name]
            edge = bound if rule.power == 1 else fields.sqrt(_at_least_0(bound + 0 * before))
            entry = edge + _gap(rule, values, k, most) + 0 * before
            if domain == "positive" and rule.way:
                # otherwise inside the bound: half of it, or the entry that was drawn
                entry = fields.where(entry > 0, entry, before if rule.way > 0 else (edge + 0 * before) / 2)
            lists[rule.name][k] = _at_least_0(entry) if domain == "nonnegative" else entry
            places = _places(rule.condition, rule.letter, step)
            between = domain == "real" and isinstance(rule.condition, sp.Le | sp.Ge)
            inside = not (domain == "positive" and rule.way > 0) if most is None else between
            if places is not None and inside:
                lacking = (
                    _lacking(rule, domain, bound + 0 * entry)
                    if most is None
                    else _at_least_0(-most + 0 * entry)
                )
                by_rule[rule.condition, step] = {one: lists[one[0]][one[1]] for one in places}, lacking
    met = {
        at: lacking
        for at, (used, lacking) in by_rule.items()
        if all(lists[name][k] is entry for (name, k), entry in used.items())
    }
    return {name: fields.stack(entries, 0) for name, entries in lists.items()}, met


def _gap(rule: Rule, values: Named, k: int, most: Any) -> Any:
    """The signed distance of an entry from its bound: 0 for an equation, not 0 for a strict inequality, at most the width."""
    if not rule.way:
        return 0
    gap = values[gap_name(rule.name)][:, k]
    if isinstance(rule.condition, sp.Lt | sp.Gt):
        gap = gap + (1 + 0 * gap) / LEAST
    if most is not None:
        gap = fields.where(gap < most, gap, most + 0 * gap)
    return gap * rule.way


def _lacking(rule: Rule, domain: str, bound: Any) -> Any:
    """By how much an entry exceeds its upper bound, or misses its value, because of its domain; of a square, the same."""
    if rule.way > 0 or domain == "real":
        return 0 * bound
    if isinstance(rule.condition, sp.Lt | sp.Gt):
        return fields.where(bound > 0, 0 * bound, 1 + fields.abs_(bound))
    return _at_least_0(-bound)


def _places(condition: Condition, letter: sp.Symbol, step: int) -> list[tuple[str, int]] | None:
    """Sequences and indices of all entries of a condition at a value of its symbol; None if they are entries of a sum."""
    found = [
        (entry.base.label.name, entry.indices[0].subs(letter, step)) for entry in condition.atoms(sp.Indexed)
    ]
    return [(name, int(k)) for name, k in found] if all(k.is_Integer for _, k in found) else None


def scaled_to_sum(entries: Any, total: sp.Sum, value: sp.Expr, values: Named, *, nonnegative: bool) -> Any:
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


def outside_domain(label: sp.Symbol, entries: Any) -> Any:
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


def excess_over(
    every: Sequence[tuple[Condition, sp.Symbol]],
    values: Named,
    entries: Values,
    met: Mapping[tuple[Condition, int], Any],
) -> Any:
    """Largest excess of a condition over all indices at which its entries exist."""
    kind, worst = _kind(values), None
    length = max((len(x) for x in entries.values()), default=0)
    for condition, letter in every:
        for step in range(1 if domain_of(letter) == "count" else 0, length):
            over = met.get((condition, step))
            if over is None:
                here = {**values, letter.name: step}
                try:
                    left, right = (evaluate(side, here, ARITHMETIC[kind]) for side in condition.args)
                except (LookupError, ZeroDivisionError):
                    continue
                over = _excess(condition, left, right, kind)
            worst = over if worst is None else fields.maximum(worst, over)
    first = next(iter(entries.values()))[0]
    return _at_least_0(0 * first if worst is None else worst + 0 * first)


def _excess(condition: Condition, left: Any, right: Any, kind: str) -> Any:
    """By how much two sides break a relation, up to rounding in floats; 1 if they are equal and must not be."""
    over = left - right if isinstance(condition, sp.Le | sp.Lt) else right - left
    if isinstance(condition, sp.Ne):
        return fields.chosen(operator.eq, over, 0 * over, 1 + 0 * over, 0 * over)
    over = fields.abs_(over) if isinstance(condition, sp.Eq) else over
    if isinstance(condition, sp.Lt | sp.Gt):
        return fields.where(over < 0, 0 * over, fields.maximum(over, 1 + 0 * over))
    if kind in ("float", "torch"):
        over = over - ROUNDING * (fields.abs_(left + 0 * over) + fields.abs_(right + 0 * over))
    return over
