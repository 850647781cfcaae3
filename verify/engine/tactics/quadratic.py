"""Quadratic forms with numbers as coefficients: a sum of squares by exact elimination, for any number of symbols."""

from __future__ import annotations

from flint import fmpq, fmpq_mpoly

from verify.engine.certificates.formulas import Tree
from verify.engine.certificates.recheck import POSITIVE, ZERO
from verify.engine.tactics.draft import Draft
from verify.engine.tactics.signs import Signs

LARGEST = 60
"""Limit on symbols of a quadratic form."""

Row = dict[int, fmpq]
"""A linear form: coefficients by place; place -1 belongs to the number 1."""


def by_quadratic_form(draft: Draft, claim: Tree) -> bool:
    """Prove that a polynomial of degree 2 is nonnegative as a sum of squares of linear forms."""
    slack = draft.checked.slack(claim)
    if claim[0] not in ("<=", ">=") or slack.top.total_degree() != 2:
        return False
    signs = Signs(draft.checked, 0)
    below: Tree = "1"
    top = slack.top
    if not slack.bottom.is_constant():
        below = signs.formula(slack.bottom)
        if draft.checked.sign(below) & ~(ZERO | POSITIVE):
            return False
    else:
        top = top * (1 / slack.bottom.leading_coefficient())
    found = _squares(top)
    if found is None:
        draft.tried.add("squares of linear forms")
        return False
    terms = [["*", str(weight), ["^", signs.formula(_form(draft, row)), "2"]] for weight, row in found]
    whole: Tree = ["+", *terms]
    return draft.close(claim, whole if below == "1" else ["/", whole, below])


def _form(draft: Draft, row: Row) -> fmpq_mpoly:
    context = draft.checked.context
    total = context.constant(0)
    for place, factor in row.items():
        total = total + (context.constant(factor) if place < 0 else context.gen(place) * factor)
    return total


def _squares(polynomial: fmpq_mpoly) -> list[tuple[fmpq, Row]] | None:
    """Positive weights and linear forms whose weighted squares add up to a polynomial; None if there are none.

    Symbols are eliminated one after the other (Lagrange): a v^2 + 2 v f + r = a (v + f/a)^2 + (r - f^2/a).
    """
    matrix: dict[tuple[int, int], fmpq] = {}
    for powers, factor in polynomial.terms():
        ends = [k for k, power in enumerate(powers) for _ in range(power)]
        ends = [-1] * (2 - len(ends)) + ends
        pair = (min(ends), max(ends))
        matrix[pair] = matrix.get(pair, fmpq(0)) + (factor if pair[0] == pair[1] else factor / 2)
    places = sorted({place for pair in matrix for place in pair})
    if len(places) > LARGEST:
        return None
    found: list[tuple[fmpq, Row]] = []
    while places:
        pivot = max(places, key=lambda k: (matrix.get((k, k), fmpq(0)), k))
        weight = matrix.get((pivot, pivot), fmpq(0))
        if weight <= 0:
            return None if any(c != 0 for c in matrix.values()) else found
        row = {
            k: c / weight for k in places if (c := matrix.get((min(k, pivot), max(k, pivot)), fmpq(0))) != 0
        }
        for a in row:
            for b in row:
                if a <= b:
                    matrix[a, b] = matrix.get((a, b), fmpq(0)) - weight * row[a] * row[b]
        found.append((weight, row))
        places.remove(pivot)
        matrix = {pair: c for pair, c in matrix.items() if pivot not in pair and c != 0}
    return found
