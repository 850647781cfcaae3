"""Claims about numbers beyond single letters: families and sequences such as a_1, ..., a_N, and orders O(.)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from bounds.statement import Scaling
from bounds.symbols import domain_of
from verify.latex.heads import BigO
from verify.latex.vectors import Unjudged, each_side


def of_sequences(parts: Sequence[Any]) -> list[Any]:
    """A relation and its conditions in which every letter counts from 1, without the ranges of letters of families.

    A condition on an entry a_t is meant for every t, so its letter needs a first value. Its last value may be left out
    if nothing else speaks of later entries, and the family can be continued: if the condition speaks of entries at t
    only, as the last entry can be repeated, or if it is the only one on its family and bounds the newest entry, linear in
    it, by a polynomial in older ones.

    Raises
    ------
    Unjudged
        If a family has two indices, a letter no first value, or a family may not be continued.
    """
    for entry in {one for part in parts for one in part.atoms(sp.Indexed)}:
        if len(entry.indices) != 1:
            raise Unjudged(
                f"{entry} has {len(entry.indices)} indices; families of numbers with one are judged"
            )
    relation, *conditions = parts
    letters = {one for part in parts for one in part.free_symbols if _is_letter(one)}
    of_entries = {one for part in conditions if part.atoms(sp.Indexed) for one in part.free_symbols & letters}
    ranges = [part for part in conditions if not part.atoms(sp.Indexed) and part.free_symbols & letters]
    first = {one: _first(one, ranges) for one in sorted(letters, key=str)}
    kept = [part for part in ranges if not part.free_symbols & of_entries]
    for part in ranges:
        for letter in part.free_symbols & of_entries:
            if _is_upper_end(part, letter):
                _require_continued(letter, conditions)
                end = part.gts if isinstance(part, sp.Le | sp.Ge) else part.gts - 1
                _require_within(letter, end, (relation, *conditions))
                kept += [part] if letter in relation.free_symbols else []
            elif not _is_first(part, letter):
                raise Unjudged(f"{part} is no range from a number on; write for instance ${letter} \\ge 0$")
    shifted = {one: sp.Symbol(one.name, integer=True, positive=True) + low - 1 for one, low in first.items()}
    others = [part for part in conditions if part not in ranges]
    return [each_side(part, lambda side: side.subs(shifted)) for part in (relation, *others, *kept)]


def _is_letter(symbol: Any) -> bool:
    return isinstance(symbol, sp.Symbol) and bool(symbol.is_integer) and not symbol.is_positive


def _is_first(part: Any, letter: sp.Symbol) -> bool:
    return isinstance(part, sp.Ge | sp.Le) and part.gts == letter and bool(part.lts.is_Integer)


def _is_upper_end(part: Any, letter: sp.Symbol) -> bool:
    return isinstance(part, sp.Ge | sp.Le | sp.Gt | sp.Lt) and part.lts == letter


def _first(letter: sp.Symbol, ranges: Sequence[Any]) -> Any:
    found = [part.lts for part in ranges if _is_first(part, letter)]
    if not found:
        raise Unjudged(f"from which number on does {letter} count? Add `for all ${letter} \\ge 0$`")
    return max(found)


def _require_continued(letter: sp.Symbol, conditions: Sequence[Any]) -> None:
    """A family that meets its conditions up to an end must go on beyond it, as they are asked for every letter."""
    on_entries = [part for part in conditions if part.atoms(sp.Indexed)]
    for part in on_entries:
        entries = part.atoms(sp.Indexed)
        if letter not in part.free_symbols or all(one.indices[0] == letter for one in entries):
            continue
        names = {one.base for one in entries}
        newest = max(entries, key=lambda one: one.indices[0].subs(letter, 0))
        slack = part.lhs - part.rhs
        others = [
            c for c in on_entries if c is not part and {one.base for one in c.atoms(sp.Indexed)} & names
        ]
        if (
            others
            or len(names) > 1
            or not slack.is_polynomial(*entries)
            or not sp.expand(slack).coeff(newest).is_number
            or newest in sp.expand(slack).coeff(newest, 0).free_symbols
        ):
            raise Unjudged(
                f"it asks {part} up to an end; write it for all ${letter} \\ge 0$ if that is meant"
            )


def _require_within(letter: sp.Symbol, end: sp.Expr, parts: Sequence[Any]) -> None:
    """Nothing speaks of entries beyond the newest of a condition at the end of its range."""
    own = [part for part in parts[1:] if part.atoms(sp.Indexed) and letter in part.free_symbols]
    newest: dict[Any, sp.Expr] = {}
    for entry in {
        one for part in own for one in part.atoms(sp.Indexed) if letter in one.indices[0].free_symbols
    }:
        last = entry.indices[0].subs(letter, end)
        newest[entry.base] = sp.Max(newest.get(entry.base, last), last)
    for part in parts:
        if part in own:
            continue
        ends = {limit[0]: limit[2] for total in part.atoms(sp.Sum, sp.Product) for limit in total.limits}
        for entry in part.atoms(sp.Indexed):
            index = entry.indices[0].subs(ends)
            if entry.base in newest and not (newest[entry.base] - index).is_nonnegative:
                raise Unjudged(
                    f"it speaks of {entry}, which may lie beyond the end {letter} = {end} of a condition; write the condition for all ${letter} \\ge 0$ if that is meant"
                )


def order_of(relation: Any, conditions: Sequence[Any]) -> Scaling:
    r"""The order that ``A = O(B)`` claims; the whole numbers in B grow, all other numbers are fixed.

    Raises
    ------
    Unjudged
        If it is another relation, a whole number of A does not stand in B, or a condition says no letter.
    """
    if (
        not isinstance(relation, sp.Eq | sp.Le)
        or not isinstance(relation.rhs, BigO)
        or relation.lhs.has(BigO)
    ):
        raise Unjudged("an order is judged as `A = O(B)` with numbers A and B")
    steps = {}
    for part in conditions:
        if not isinstance(part, sp.Eq) or not part.lhs.is_Symbol or part.lhs in part.rhs.free_symbols:
            raise Unjudged(
                f"beside an order, conditions say what a letter is, such as `\\eta = 1/\\sqrt{{T}}`; got {part}"
            )
        steps[part.lhs] = part.rhs
    claimed = relation.rhs.args[0]
    variables = tuple(sorted((one for one in claimed.free_symbols if domain_of(one) == "count"), key=str))
    if not variables:
        raise Unjudged("which number grows? Its O(.) speaks of no whole number")
    left = relation.lhs.subs(steps, simultaneous=True)
    other = sorted((one for one in left.free_symbols - set(variables) if domain_of(one) == "count"), key=str)
    if other:
        raise Unjudged(
            f"does {other[0]} grow? Put it into O(.), or declare it as positive if it is a fixed number"
        )
    if not all(
        claimed.subs(dict.fromkeys(variables, 1)) != 0 and _is_power(f) for f in sp.Mul.make_args(claimed)
    ):
        raise Unjudged(f"O({claimed}) is no product of powers; claim each part of it alone")
    terms = {f"term{k}": term for k, term in enumerate(sp.Add.make_args(sp.expand(relation.lhs)), 1)}
    return Scaling(terms, steps, claimed, variables)


def _is_power(factor: sp.Expr) -> bool:
    base, exponent = factor.as_base_exp()
    return base.is_number or (base.is_Symbol and exponent.is_number) or not factor.has(sp.Add, sp.log)
