"""Sequences of free numbers: claims about entries x[1], x[2], ... without a scene, and conditions for every index.

A condition on an entry x[t + k] with a symbol t holds for every value of t. If it bounds the entry with the largest index by
earlier ones, instances meet it by construction: the entry is the bound minus or plus a random gap, which is often zero. In
addition, all such conditions are evaluated at every t. Their largest excess is a quantity that must not be positive. An equation for
the weighted sum of a sequence, such as "weights add up to 1", is met by dividing all entries by the same number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import takewhile
from typing import Any

import sympy as sp

from bounds.symbols import domain_of
from nqm import fields
from verify.engine.model.instance import Instance
from verify.engine.model.scene import Box, Condition, Named, Scene, Shape, Values
from verify.engine.search.entries import (
    entries_by_rules,
    excess_over,
    fixed_entry,
    fixed_sum,
    gap_name,
    in_order,
    outside_domain,
    rule_of,
    scaled_to_sum,
)

EXCESS = sp.Symbol("excess over the conditions for every index", nonnegative=True)
"""Name of the quantity that holds the largest excess of all conditions for every index."""
WITHIN = sp.Le(EXCESS, 0, evaluate=False)
"""The relation that no condition for every index is exceeded."""
_START, _MULTIPLE = "start of ", "multiple of "
BITS = 1000
"""Entries with longer numerators or denominators are not listed in a witness."""
GAP = 10.0
"""The largest gap between an entry and its bound."""


def letter_of(condition: sp.Basic) -> sp.Symbol | None:
    """The symbol over all values of which a condition is meant: the symbol in the index of an entry; None if there is
    none.
    """
    return next(iter(letters_of(condition)), None)


def letters_of(condition: sp.Basic) -> list[sp.Symbol]:
    """All symbols in indices of entries; a condition that is judged has at most one."""
    bound = {limit[0] for total in condition.atoms(sp.Sum, sp.Product) for limit in total.limits}
    found = set().union(*(entry.indices[0].free_symbols for entry in condition.atoms(sp.Indexed)), set())
    return sorted((s for s in found - bound if isinstance(s, sp.Symbol)), key=str)


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


def with_sequences(scene: Scene, relations: Sequence[Condition], conditions: Sequence[Condition]) -> Scene:
    """A scene of free numbers that also draws the entries of all sequences in some relations."""
    labels = sequences_in(relations)
    if not labels:
        return scene
    every = tuple(for_every(conditions))
    rules = in_order(
        [rule for condition, letter in every if (rule := rule_of(condition, letter)) is not None]
    )
    bounded = {rule.name for rule in rules if rule.way}
    ruled = {rule.name for rule in rules}
    totals = [total for condition in conditions if (total := fixed_sum(condition)) and total[0] not in ruled]
    fixed = {(name, k): value for name, k, value in filter(None, map(fixed_entry, conditions))}
    names = dict.fromkeys(ruled, _START) | {name: _MULTIPLE for name, *_ in totals}
    nonnegative = {label.name for label in labels if label.is_nonnegative}
    drawn = {label.name: f"{names.get(label.name, '')}{label.name}" for label in labels}
    # so far beyond the last entry that is asked for, conditions still speak of it
    beyond = max((_span(condition, letter) for condition, letter in every), default=0)

    # whole numbers that may count rounds without naming their entries; in a recursion they are numbers like others
    spoken = set().union(*(condition.free_symbols for condition, _ in every))
    counting = {s.name for s in relations[0].free_symbols - spoken} if every else set()

    def space(shape: Shape) -> Mapping[str, Box]:
        asked = _indices(tuple(relations), tuple(sorted(shape.items())))
        rounds = (size for name, size in shape.items() if name in counting)
        length = max((0, *asked, *rounds)) + 1 + beyond
        boxes = {drawn[label.name]: _box(label, length) for label in labels}
        gaps = {gap_name(name): Box(0.0, GAP, (length,)) for name in sorted(bounded)}
        return {**scene.space(shape), **boxes, **gaps}

    def compute(shape: Shape, values: Named) -> Values:
        found = scene.compute(shape, values)
        own = {name: values[box] for name, box in drawn.items()}
        for name, total, value in totals:
            known = {**values, **found, **own}
            own[name] = scaled_to_sum(own[name], total, value, known, nonnegative=name in nonnegative)
        entries, met = entries_by_rules(labels, rules, fixed, {**values, **found, **own})
        excess = excess_over(every, {**values, **found, **entries}, entries, met)
        for label in labels if every else ():
            excess = fields.maximum(excess, outside_domain(label, entries[label.name]))
        return {**found, **entries, **({EXCESS.name: excess} if every else {})}

    return replace(scene, space=space, compute=compute)


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
        and rule_of(condition, letter)
    ):
        return 0
    indices = (entry.indices[0] for entry in condition.atoms(sp.Indexed))
    offsets = [offset for index in indices if (offset := sp.expand(index - letter)).is_Integer]
    return int(max(offsets) - min(offsets)) if offsets else 0


@lru_cache(maxsize=4096)
def _indices(relations: tuple[Condition, ...], sizes: tuple[tuple[str, int], ...]) -> frozenset[int]:
    """Indices at which relations ask for entries at some sizes, of a sum the first and the last."""
    known = dict(sizes)
    places = {place for relation in relations for place in _places(relation, {})}
    found = {place.subs({s: known.get(s.name, 0) for s in place.free_symbols}) for place in places}
    return frozenset(int(place) for place in found if place.is_Integer)


def _places(formula: sp.Basic, ends: Mapping[sp.Symbol, tuple[sp.Expr, sp.Expr]]) -> Iterator[sp.Expr]:
    """The indices of all entries in a formula, with the first and the last values of the indices of sums and products."""
    if isinstance(formula, sp.Indexed):
        for k in (0, 1):
            place = formula.indices[0]
            for _ in ends:  # an inner sum may end at the index of an outer one
                place = place.subs({s: ends[s][k] for s in place.free_symbols & ends.keys()})
            yield place
    elif isinstance(formula, sp.Sum | sp.Product):
        yield from _places(formula.function, {**ends, **{index: tuple(of) for index, *of in formula.limits}})
    else:
        for part in formula.args:
            yield from _places(part, ends)
