"""Proofs by squaring both sides, by the cases of max, min and abs, and by the least difference of whole numbers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from verify.engine.certificates.field import Undefined
from verify.engine.certificates.formulas import Tree, parts
from verify.engine.certificates.recheck import ANY, POSITIVE, ZERO, Rejected
from verify.engine.tactics.draft import SHALLOW, Draft

CASES = 6
"""Limit on max, min and abs that are replaced by cases."""
TRIANGLES = 4
"""From this number of absolute values on, triangle inequalities are tried before cases."""
BOTH = 5
"""From this number of max, min and abs on, an equation is proved as two inequalities."""
ODD = 2
"""Limit on terms of unknown sign that are compared with the sum of all others."""
SIGNED = 3
"""Limit on numbers with squares in a claim whose signs are distinguished, one at a time."""


def by_squares(draft: Draft, claim: Tree) -> bool:
    """Show a <= b, where b or -a is not negative, by their squares."""
    if claim[0] not in ("<=", ">="):
        return False
    small, large = claim[1:] if claim[0] == "<=" else claim[:0:-1]
    return _squared(draft, claim, small, large) or _squared(draft, claim, _negated(large), _negated(small))


def by_even_terms(draft: Draft, claim: Tree) -> bool:
    """Show that terms of unknown sign are at most the sum of all others, which cannot be negative, by their squares."""
    slack = draft.checked.slack(claim)
    if claim[0] not in ("<=", ">=") or slack.top.total_degree() < 2:
        return False
    signs = draft.signs()
    alone = {str(draft.checked.context.gen(k)): k for k in range(draft.checked.context.nvars())}
    found = (alone.get(str(known.polynomial)) for known in signs.known)
    nonnegative = signs.nonnegative | {place for place in found if place is not None}
    odd = {
        powers: c
        for powers, c in slack.top.terms()
        if any(p % 2 and k not in nonnegative for k, p in enumerate(powers))
    }
    if not 0 < len(odd) <= ODD or len(odd) == len(slack.top):
        return False
    below = signs.formula(slack.bottom)
    if draft.checked.sign(below) & ~(ZERO | POSITIVE):
        return False
    rest = draft.checked.context.from_dict(odd)
    small, large = signs.formula(-rest), signs.formula(slack.top - rest)
    if slack.bottom.is_constant():
        return _squared(draft, claim, small, large, degrees=(1,))
    numerator, k = ["<=", small, large], len(draft.checked.facts)
    return _squared(draft, numerator, small, large, degrees=(1,)) and draft.close(
        claim, ["/", ["slack", k], below]
    )


def by_one_root(draft: Draft, claim: Tree) -> bool:
    """Show that the term with a root is at most the sum of all others, by their squares."""
    slack = draft.checked.slack(claim)
    if claim[0] not in ("<=", ">=") or not slack.bottom.is_constant():
        return False
    signs, context = draft.signs(), draft.checked.context
    for k in (k for k, degree in enumerate(slack.top.degrees()) if degree == 1):
        root = signs.formula(context.gen(k))
        if not isinstance(root, list) or root[0] != "root":
            continue
        term = context.from_dict({powers: c for powers, c in slack.top.terms() if powers[k]})
        if term != slack.top and _squared(
            draft, claim, signs.formula(-term), signs.formula(slack.top - term)
        ):
            return True
    return False


def _negated(formula: Tree) -> Tree:
    """A formula with the opposite sign."""
    match formula:
        case ["-", inside]:
            return inside
        case ["*", "-1", *parts]:
            return ["*", *parts]
    return ["-", formula]


def _squared(draft: Draft, claim: Tree, small: Tree, large: Tree, degrees: Sequence[int] = ()) -> bool:
    """Prove small <= large, or small^2 <= large^2 and that both add up to a positive number, by which the difference is
    divided.
    """
    beyond, k = ["-", small, large], len(draft.checked.facts)
    below, above = draft.branch(), draft.branch()
    below.checked.learn(["<=", beyond, "0"])
    above.checked.learn([">", beyond, "0"])
    both = ["+", ["slack", k], ["*", "2", large]]
    if above.show(["<=", "0", large], depths=SHALLOW, degrees=degrees) and above.show(
        ["<=", ["^", small, "2"], ["^", large, "2"]]
    ):
        by = ["/", ["slack", len(above.checked.facts) - 1], both]
        if below.close(claim, ["slack", k]) and above.close(claim, by):
            line = {"show": claim, "split": beyond, "parts": [below.lines, above.lines]}
            draft.add_without_put(line)
            return True
    draft.tried.add("squares of both sides")
    return False


def one_apart(draft: Draft) -> bool:
    """Prove a + 1 <= b for whole numbers with a < b; False if there are none."""
    strict = [(k, fact) for k, fact in enumerate(draft.checked.facts) if fact and fact[0] in ("<", ">")]
    found = [_one_apart(draft, k, fact) for k, fact in strict]
    return any(found)


def _one_apart(draft: Draft, k: int, fact: Tree) -> bool:
    """The difference is at most 0, which is excluded, or at least 1."""
    small, large = fact[1:] if fact[0] == "<" else fact[:0:-1]
    apart = large if small == "0" else ["-", large, small]
    goal = ["<=", "1", apart]
    absurd = ["*", ["slack", k], ["/", ["-", apart, "1"], apart]]
    cases = [[{"show": goal, "as": by}] for by in (absurd, ["slack", len(draft.checked.facts)])]
    line = {"show": goal, "split": apart, "whole": True, "parts": cases}
    try:
        draft.branch().add_without_put(line)
    except (Rejected, Undefined):  # not whole numbers
        return False
    draft.add_without_put(line)
    return True


def by_cases(draft: Draft, claim: Tree, everything: Sequence[Tree]) -> bool:
    """Prove a claim in each case of the values of max, min and abs in some formulas."""
    extremes: list[Tree] = []
    for formula in everything:
        for part in parts(formula):
            if isinstance(part, list) and part[0] in ("max", "min", "abs") and part not in extremes:
                extremes.append(part)
    if not extremes or len(extremes) > CASES:
        return False
    extremes.sort(key=lambda part: part[0] != "abs")  # the signs of differences decide the others
    both = (("<=", ">="),) if claim[0] == "=" else ()
    # both inequalities have fewer cases without a proof
    ways = both if len(extremes) >= BOTH and both else ((claim[0],), *both)
    if any(_shown_by_splits(draft, claim, extremes, signs) for signs in ways):
        return True
    draft.tried.add("cases of max, min, abs")
    return False


def by_triangles(draft: Draft, claim: Tree, everything: Sequence[Tree]) -> bool:
    """Prove a claim from triangle inequalities between many absolute values in some formulas, whose cases would be too many."""
    lengths = {
        str(part): part
        for f in everything
        for part in parts(f)
        if isinstance(part, list) and part[0] == "abs"
    }
    value = draft.checked.value
    before = len(draft.lines)
    for one, other in combinations(lengths.values() if len(lengths) >= TRIANGLES else (), 2):
        ends = [value([way, one[1], other[1]]) for way in "+-"]
        for long in lengths.values():
            if any(
                (end - value(long[1])).top.is_zero() or (end + value(long[1])).top.is_zero() for end in ends
            ):
                line = _split(draft.without_facts(), ["<=", long, ["+", one, other]], [one, other, long])
                if line is not None:
                    draft.add_without_put(line)
    return len(draft.lines) > before and draft.show(claim)


def _shown_by_splits(draft: Draft, claim: Tree, extremes: Sequence[Tree], signs: Sequence[str]) -> bool:
    """Prove a claim, or two inequalities with its sides from which it follows, in each case of some extremes."""
    for sign in signs:
        line = _split(draft, [sign, *claim[1:]], extremes)
        if line is None:
            return False
        draft.add_without_put(line)
    return len(signs) == 1 or draft.show(claim, depths=SHALLOW, degrees=(1,))


def _split(draft: Draft, claim: Tree, extremes: Sequence[Tree]) -> dict[str, Any] | None:
    first, rest = extremes[0], extremes[1:]
    choices = [first[1], ["-", first[1]]] if first[0] == "abs" else first[1:]
    found: list[list[Any]] = []
    for choice in choices:
        inside = draft.branch()
        inside.checked.defined(["=", first, choice])
        inside.checked.learn(["=", first, choice])
        if not (inside.show(claim) or (not rest and _alike(inside, claim) and inside.show(claim))):
            deeper = _split(inside, claim, rest) if rest else None
            if deeper is not None:
                inside.lines.append(deeper)
            elif rest or not by_contradiction(inside, claim):
                return None
        found.append(inside.lines)
    return {"show": claim, "split": first, "parts": found}


def by_contradiction(draft: Draft, claim: Tree) -> bool:
    """Prove a claim from contradictory assumptions: 1 <= 0 excludes a negative slack."""
    if claim[0] not in ("<=", ">=") or not draft.show(["<=", "1", "0"], SHALLOW, (1,)):
        return False
    absurd, case = ["slack", len(draft.checked.facts) - 1], ["slack", len(draft.checked.facts)]
    small, large = claim[1:] if claim[0] == "<=" else claim[:0:-1]
    cases = [[{"show": claim, "as": ["*", absurd, case]}], [{"show": claim, "as": case}]]
    draft.add_without_put({"show": claim, "split": ["-", large, small], "parts": cases})
    return True


def _alike(draft: Draft, claim: Tree) -> bool:
    """Prove, in one case of an equation, that numbers are equal because each is at least the other; False if that
    fails.
    """
    if claim[0] != "=":
        return False
    cases = [fact for fact in draft.checked.facts if fact and isinstance(fact[1], list) and fact[0] == "="]
    pairs = [(choice, each) for _, (head, *each), choice in cases if head in ("max", "min")]
    found = [
        draft.show(["=", other, choice], depths=SHALLOW, degrees=(1,))
        for choice, several in pairs
        for other in several
        if other != choice
    ]
    return any(found)


def by_signs(draft: Draft, claim: Tree) -> bool:
    """Prove a claim for either sign of a number of which it contains an even power."""
    powers = [part for part in parts(claim) if isinstance(part, list) and part[0] == "^"]
    even = [base for _, base, n in powers if isinstance(n, str) and n.isdecimal() and int(n) % 2 == 0]
    bases = [base for base in even if draft.checked.sign(base) == ANY]
    bases = [base for k, base in enumerate(bases) if base not in bases[:k]]
    if claim[0] == "=" or not 0 < len(bases) <= SIGNED:
        return False
    if any(_signed(draft, claim, base) for base in bases):
        return True
    draft.tried.add("signs of what is squared")
    return False


def _signed(draft: Draft, claim: Tree, base: Tree) -> bool:
    cases = []
    for case in (["<=", base, "0"], [">", base, "0"]):
        inside = draft.branch()
        inside.checked.learn(case)
        if not inside.show(claim, depths=SHALLOW):
            return False
        cases.append(inside.lines)
    draft.add_without_put({"show": claim, "split": base, "parts": cases})
    return True
