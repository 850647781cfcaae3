"""Chains: a claim that is a sum of multiples of what is given, as a + 2 b <= c + 2 d is of a <= c and b <= d.

What is given may be large and have a denominator of its own; so it is not multiplied out but taken as it is, once or
times the factor that its bare side has in the claim.
"""

from __future__ import annotations

from itertools import product

from verify.engine.certificates.draft import Draft
from verify.engine.certificates.field import Quotient
from verify.engine.certificates.formulas import Tree
from verify.engine.certificates.signs import Signs

EQUATIONS = 3
"""Most equations in a chain; each may be read in two ways."""


def by_chain(draft: Draft, claim: Tree) -> bool:
    """Try the sum of all premises, as they are or each times the factor of its bare side; whether it is the claim."""
    given = [k for k, line in enumerate(draft.lines) if line.get("by") == "premise" and k not in draft.put]
    if claim[0] not in ("<=", ">="):
        return False
    return _summed(draft, claim, given) or _scaled(draft, claim, given)


def _summed(draft: Draft, claim: Tree, given: list[int]) -> bool:
    equations = [k for k in given if draft.lines[k]["given"][0] == "="]
    if len(given) < 2 or len(equations) > EQUATIONS:
        return False
    links = [["slack", k] for k in given if k not in equations]
    for turned in product((False, True), repeat=len(equations)):
        ends = [
            ["-", ["slack", k]] if turn else ["slack", k] for k, turn in zip(equations, turned, strict=True)
        ]
        if draft.close(claim, ["+", *links, *ends]):
            return True
    draft.tried.add("the sum of all premises")
    return False


def _scaled(draft: Draft, claim: Tree, given: list[int]) -> bool:
    factors = [(k, factor) for k in given if (factor := _factor(draft, claim, k)) is not None]
    if not factors:
        return False
    parts: list[Tree] = []
    signs = Signs(draft.checked, draft.steps)
    for k, factor in factors:
        below, top = signs.formula(factor.bottom), signs.formula(factor.top)
        if not draft.show(["<", "0", below], (0, 1), ()) or not draft.show(["<=", "0", top], (0, 1), ()):
            return False
        parts.append(["*", ["/", top, below], ["slack", k]])
    draft.tried.add("premises times the factors of their sides")
    return draft.close(claim, ["+", *parts])


def _factor(draft: Draft, claim: Tree, k: int) -> Quotient | None:
    """By what a premise is to be multiplied so that its bare side, a symbol, is the same as in the claim; None if by nothing."""
    sign, left, right = draft.lines[k]["given"]
    if sign not in ("<=", ">="):
        return None
    slack, links = draft.checked.slack(claim), draft.checked.slack([sign, left, right])
    for name in (left, right):
        place = draft.checked.names.get(name) if isinstance(name, str) else None
        if place is None or slack.top.degrees()[place] != 1 or slack.bottom.degrees()[place]:
            continue
        own = links.top.derivative(place)
        return Quotient(slack.top.derivative(place) * links.bottom, slack.bottom * own)
    return None
