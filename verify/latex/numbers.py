"""Claims about families and sequences of numbers such as a_1, ..., a_N, and claims about orders O(.)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from bounds.statement import Scaling
from bounds.symbols import domain_of
from verify.latex.heads import BigO
from verify.latex.vectors import Unjudged, each_side


def of_sequences(parts: Sequence[Any]) -> list[Any]:
    """Shift all indices of a claim so that they start at 1, and drop the ranges of indices of sequences.

    A condition on an entry a_t holds for every t of its range, so the index t needs a first value. The engine applies a
    condition to all entries, so a condition for t <= T must be extended to all t. That changes nothing if

    - no other part of the lemma contains entries beyond the range (`_require_within`), and
    - every finite sequence that meets the condition can be continued forever (`_require_continued`). This is so if all
      entries of the condition have index t, as the last entry can be repeated. It is also so if the condition is the only
      one on its sequence, linear in the newest entry with a constant coefficient, and polynomial in older entries.

    Parameters
    ----------
    parts : sequence of Relational
        The claim, then its conditions.

    Raises
    ------
    Unjudged
        If a family has two indices, an index has no first value, or a sequence may not be continued.
    """
    for entry in {one for part in parts for one in part.atoms(sp.Indexed)}:
        if len(entry.indices) != 1:
            raise Unjudged(
                f"{entry} has {len(entry.indices)} indices; families of numbers must have one index"
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
                raise Unjudged(
                    f"the condition {part} must bound {letter} from below by a whole number; write for instance ${letter} \\ge 0$"
                )
    shifted = {one: sp.Symbol(one.name, integer=True, positive=True) + low - 1 for one, low in first.items()}
    others = [part for part in conditions if part not in ranges]
    return [each_side(part, lambda side: side.subs(shifted)) for part in (relation, *others, *kept)]


def _is_letter(symbol: Any) -> bool:
    """Whether a symbol is an index: an integer that is not known to be positive."""
    return isinstance(symbol, sp.Symbol) and bool(symbol.is_integer) and not symbol.is_positive


def _is_first(part: Any, letter: sp.Symbol) -> bool:
    """Whether a condition is ``letter >= whole number``."""
    return isinstance(part, sp.Ge | sp.Le) and part.gts == letter and bool(part.lts.is_Integer)


def _is_upper_end(part: Any, letter: sp.Symbol) -> bool:
    """Whether a condition is ``letter <= end`` or ``letter < end``."""
    return isinstance(part, sp.Ge | sp.Le | sp.Gt | sp.Lt) and part.lts == letter


def _first(letter: sp.Symbol, ranges: Sequence[Any]) -> Any:
    """The first value of an index: the largest of its lower bounds."""
    found = [part.lts for part in ranges if _is_first(part, letter)]
    if not found:
        raise Unjudged(f"the index {letter} has no first value; add `for all ${letter} \\ge 0$`")
    return max(found)


def _require_continued(letter: sp.Symbol, conditions: Sequence[Any]) -> None:
    """Refuse conditions on a sequence up to an end, unless every sequence that meets them can be continued beyond it."""
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
                f"the condition {part} has an upper end and the sequence may not extend beyond it; write it for all ${letter} \\ge 0$ if that is meant"
            )


def _require_within(letter: sp.Symbol, end: sp.Expr, parts: Sequence[Any]) -> None:
    """Refuse parts that contain entries beyond the last entry that a condition on a range restricts.

    Extending the condition would restrict such entries, too, and change the claim.
    """
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
                    f"{entry} may lie beyond the end {letter} = {end} of a condition; write the condition for all ${letter} \\ge 0$ if that is meant"
                )


def order_of(relation: Any, conditions: Sequence[Any]) -> Scaling:
    r"""The order that ``A = O(B)`` claims. The whole numbers in B grow, and all other numbers are fixed.

    Raises
    ------
    Unjudged
        If the relation has another form, B lacks a whole number that A contains, or a condition does not define a symbol.
    """
    if (
        not isinstance(relation, sp.Eq | sp.Le)
        or not isinstance(relation.rhs, BigO)
        or relation.lhs.has(BigO)
    ):
        raise Unjudged(f"an order must have the form `A = O(B)` with numbers A and B, got {relation}")
    steps = {}
    for part in conditions:
        if not isinstance(part, sp.Eq) or not part.lhs.is_Symbol or part.lhs in part.rhs.free_symbols:
            raise Unjudged(
                f"each condition of an order must define a symbol, as `\\eta = 1/\\sqrt{{T}}` does; got {part}"
            )
        steps[part.lhs] = part.rhs
    claimed = relation.rhs.args[0]
    variables = tuple(sorted((one for one in claimed.free_symbols if domain_of(one) == "count"), key=str))
    if not variables:
        raise Unjudged(
            f"O({claimed}) contains no whole number that grows; declare one of its symbols as count"
        )
    left = relation.lhs.subs(steps, simultaneous=True)
    other = sorted((one for one in left.free_symbols - set(variables) if domain_of(one) == "count"), key=str)
    if other:
        raise Unjudged(
            f"the whole number {other[0]} is missing in O(.); add it there, or declare it as positive if it is fixed"
        )
    if not all(
        claimed.subs(dict.fromkeys(variables, 1)) != 0 and _is_power(f) for f in sp.Mul.make_args(claimed)
    ):
        raise Unjudged(f"O({claimed}) must be a product of powers; state a lemma for each of its terms")
    terms = {f"term{k}": term for k, term in enumerate(sp.Add.make_args(sp.expand(relation.lhs)), 1)}
    return Scaling(terms, steps, claimed, variables)


def _is_power(factor: sp.Expr) -> bool:
    """Whether a factor is a number, a power of a symbol, or an expression without sums and logarithms."""
    base, exponent = factor.as_base_exp()
    return base.is_number or (base.is_Symbol and exponent.is_number) or not factor.has(sp.Add, sp.log)
