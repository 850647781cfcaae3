"""Proofs about whole numbers: by the two sides of a gap between whole numbers, and by induction over an exponent."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from math import floor, gcd
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mpoly

from verify.engine.certificates.field import WHOLE, Undefined
from verify.engine.certificates.formulas import Tree, parts
from verify.engine.certificates.recheck import Rejected, replaced
from verify.engine.tactics.cases import by_contradiction, by_squares
from verify.engine.tactics.draft import DEGREES, DEPTHS, SHALLOW, Draft
from verify.engine.tactics.signs import FEW, Signs

GAPS = 4
"""Limit on gaps at which cases are distinguished."""
BOUNDS = 3
"""Small numbers that are tried as bounds of a whole number."""
LETTERS = 6
"""Limit on the letters of a question in which whole numbers are bounded: each attempt searches among all known
relations.
"""
SPLIT = 2
"""Limit on whole numbers in a claim whose least values are distinguished."""
FAR = 10**6
"""Largest number beside which a gap is searched."""


def by_gaps(draft: Draft, claim: Tree) -> bool:
    """Prove that a product is nonnegative because no whole number lies between its roots."""
    gaps = _gaps(draft, claim) if claim[0] != "=" else []
    if not gaps:
        return False
    line = _beside(draft, claim, gaps[:GAPS])
    if line is None:
        draft.tried.add("gaps between whole numbers")
        return False
    draft.add_without_put(line)
    return True


def by_order_of_whole(draft: Draft, claim: Tree) -> bool:
    """Prove that two sums of whole numbers are equal because each is at least the other."""
    slack = draft.checked.slack(claim)
    if claim[0] != "=" or not slack.bottom.is_constant() or slack.top.total_degree() != 1:
        return False
    both = [[sign, *claim[1:]] for sign in (">=", "<=")]
    ways = (_by_order_of_roundings, Draft.show, by_gaps)
    if not all(_gaps(draft, goal) and any(way(draft, goal) for way in ways) for goal in both):
        return False
    return draft.close(claim, ["slack", len(draft.checked.facts) - 1])


def _by_order_of_roundings(draft: Draft, claim: Tree) -> bool:
    """Prove a bound of whole numbers in each order of two floors or ceilings whose arguments differ by a number."""
    rounded = [
        (fact[1][2], fact[2])
        for fact in draft.checked.facts
        if fact and fact[0] == "=" and fact[1][:2] in (["call", "floor"], ["call", "ceiling"])
    ]
    for (x, small), (y, large) in permutations(rounded, 2):
        if (draft.checked.value(["-", y, x]).constant or 0) > 0:
            line = _beside(draft, claim, [["-", large, small], *_gaps(draft, claim)], (0,), (1,))
            if line is not None:
                draft.add_without_put(line)
            return line is not None
    return False


def _beside(
    draft: Draft,
    claim: Tree,
    gaps: Sequence[Tree],
    depths: Sequence[int] = DEPTHS,
    degrees: Sequence[int] = DEGREES,
) -> dict[str, Any] | None:
    """The case that a whole number is at most 0, and the case that it is at least 1."""
    first, rest = gaps[0], gaps[1:]
    found: list[list[Any]] = []
    for case in (["<=", first, "0"], [">=", first, "1"]):
        inside = draft.branch()
        inside.checked.learn(case)
        if not inside.show(claim, depths, degrees) and not by_contradiction(inside, claim):
            deeper = _beside(inside, claim, rest, depths, degrees) if rest else None
            if deeper is None:
                return None
            inside.lines.append(deeper)
        found.append(inside.lines)
    return {"show": claim, "split": first, "whole": True, "parts": found}


def by_least_values(draft: Draft, claim: Tree) -> bool:
    """Show a claim for the least value of a whole number, and for all larger values, on each whole number in the claim."""
    names = [
        name for name in dict.fromkeys(filter(_is_name, parts(claim))) if draft.symbols.get(name) in WHOLE
    ]
    if claim[0] == "=" or not 0 < len(names) <= SPLIT:
        return False
    for name in names:
        line = _beside(draft, claim, [["-", name, str(WHOLE[draft.symbols[name]])]])
        if line is not None:
            draft.add_without_put(line)
            return True
    draft.tried.add("least values of whole numbers")
    return False


def bounded_whole(draft: Draft, claim: Tree) -> bool:
    """Prove small upper bounds of whole numbers in a claim from strict bounds; False if there are none."""
    if len(draft.symbols) > LETTERS:
        return False
    strict = [fact for fact in draft.checked.facts if fact and fact[0] in ("<", ">")]
    inside = {part for fact in strict for part in parts(fact) if isinstance(part, str)}
    spoken = sorted(n for n in inside & {*filter(_is_name, parts(claim))} if draft.symbols.get(n) in WHOLE)
    found = [_bounded(draft, name) for name in spoken]
    return any(found)


def _is_name(formula: Tree) -> bool:
    return isinstance(formula, str)


def _bounded(draft: Draft, name: str) -> bool:
    low = WHOLE[draft.symbols[name]]
    return any(by_gaps(draft, ["<=", name, str(k)]) for k in range(low, low + BOUNDS))


def _gaps(draft: Draft, claim: Tree) -> list[Tree]:
    """Whole numbers beyond which a factor of a claim's slack changes its sign, in increasing order."""
    top = draft.checked.slack(claim).top
    if top.is_constant() or len(top) > FEW:
        return []
    found: dict[str, tuple[int, Tree]] = {}
    for factor, _ in top.factor()[1]:
        places = [k for k, degree in enumerate(factor.degrees()) if degree]
        names = [draft.checked.formulas[k] for k in places]
        if not all(isinstance(name, str) and draft.symbols.get(name) in WHOLE for name in names):
            continue
        number, ends = _linear(draft, factor) if factor.total_degree() == 1 else ("", [])
        if top.total_degree() == 1:  # equality is allowed: the gap may lie on either side of it
            ends = [ends[0] - 1, *ends]
        if len(names) == 1 and not number:
            number, ends = names[0], _roots(factor, places[0])
        for end in ends:
            found[str([number, end])] = (end, ["-", number, str(end)])
    return [gap for _, gap in sorted(found.values(), key=lambda entry: (entry[0], str(entry[1])))]


def _linear(draft: Draft, factor: fmpq_mpoly) -> tuple[Tree, list[int]]:
    """A sum of whole numbers to which a factor is proportional, and the last value before the factor vanishes."""
    rest = next((c for powers, c in factor.terms() if not any(powers)), fmpq(0))
    whole = factor - rest
    if any(c.q != 1 for _, c in whole.terms()):
        return "", []
    common = fmpq(gcd(*(int(c.p) for _, c in whole.terms())))
    last = -rest / common
    return Signs(draft.checked, 0).formula(whole * (1 / common)), [int(last.p) // int(last.q)]


def _roots(factor: fmpq_mpoly, place: int) -> list[int]:
    """The largest whole numbers below the real parts of a polynomial's roots."""
    terms = {powers[place]: int(c.p) / int(c.q) for powers, c in factor.terms()}
    roots = np.roots([terms.get(k, 0.0) for k in range(max(terms), -1, -1)])
    return sorted({floor(x) for x in roots.real if abs(x) < FAR})


def by_exponents(draft: Draft, claim: Tree) -> bool:
    """Prove a claim by induction over a whole number in an exponent."""
    powers = [part for part in parts(claim) if isinstance(part, list) and part[0] == "^"]
    counted = [name for _, _, exponent in powers for name in parts(exponent) if isinstance(name, str)]
    found = [name for name in dict.fromkeys(counted) if draft.symbols.get(name) in WHOLE]
    if _powers_of_one(draft, powers) and draft.show(claim, depths=SHALLOW, degrees=(1,)):
        return True
    if any(_over(draft, claim, name) for name in found):
        return True
    if found:
        draft.tried.add("induction over exponents")
    return False


def _powers_of_one(draft: Draft, powers: Sequence[Tree]) -> bool:
    """Show 1^n = 1 for the exponents n of powers whose base is another formula of the number 1, such as K/K."""
    exponents = [
        exponent
        for _, base, exponent in powers
        if isinstance(exponent, str) and base != "1" and draft.checked.value(base).constant == 1
    ]
    names = [name for name in dict.fromkeys(exponents) if draft.symbols.get(name) in WHOLE]
    found = [_over(draft, ["=", ["^", "1", name], "1"], name) for name in names]
    return any(found)


def _over(draft: Draft, claim: Tree, name: str) -> bool:
    """Induction from the least value on, each value from the previous one, without assumptions about a single value."""
    least = str(WHOLE[draft.symbols[name]])
    if f"family {name}" in draft.symbols.values() or any(
        name in list(parts(draft.checked.facts[k])) for k in draft.put
    ):
        return False
    base, step = draft.branch(name), draft.branch(name)
    first, after = replaced(claim, name, least), replaced(claim, name, ["+", name, "1"])
    try:
        base.checked.defined(first)
        step.checked.defined(claim)
        step.checked.learn(claim)
        step.checked.defined(after)
        if not all(
            each.show(goal) or by_squares(each, goal) for each, goal in ((base, first), (step, after))
        ):
            return False
        draft.add_without_put({"show": claim, "induct": name, "base": base.lines, "step": step.lines})
    except (Rejected, Undefined):
        return False
    return True
