"""Chains: claims that are sums of multiples of given relations, for example a + 2 b <= c + 2 d of a <= c and b <= d.

Given relations may be large and have their own denominators. So they are not expanded. Each is used once, as it is or
multiplied by the factor of its bare side in the claim. If a given sum has more terms than the claim, or larger ones,
the terms are compared one by one.
"""

from __future__ import annotations

from itertools import product

from verify.engine.certificates.field import Quotient
from verify.engine.certificates.formulas import Tree, parts
from verify.engine.certificates.recheck import NEGATIVE
from verify.engine.tactics.draft import SHALLOW, Draft
from verify.engine.tactics.signs import Signs

EQUATIONS = 3
"""Limit on equations in a chain; each may be used in two directions."""
TERMS = 40
"""Limit on terms of a sum that are compared one by one."""


def by_chain(draft: Draft, claim: Tree) -> bool:
    """Prove a claim as the sum of all premises, each as it is or times the factor of its bare side; False if it is no
    such sum.
    """
    given = [k for k, line in enumerate(draft.lines) if line.get("by") == "premise" and k not in draft.put]
    if claim[0] not in ("<=", ">="):
        return False
    return _summed(draft, claim, given) or _scaled(draft, claim, given)


def _summed(draft: Draft, claim: Tree, given: list[int]) -> bool:
    equations = [k for k in given if draft.lines[k]["given"][0] == "="]
    if len(given) < 2 or len(equations) > EQUATIONS:
        return False
    # Each inequality contributes its slack, which is not negative. An equation may be used in both directions, so all
    # 2^n choices are tried.
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
    # With a factor top/bottom the scaled slack is nonnegative only if the factor is: both signs are shown first.
    for k, factor in factors:
        below, top = signs.formula(factor.bottom), signs.formula(factor.top)
        if not draft.show(["<", "0", below], SHALLOW, ()) or not draft.show(["<=", "0", top], SHALLOW, ()):
            return False
        parts.append(["*", ["/", top, below], ["slack", k]])
    draft.tried.add("premises times the factors of their sides")
    return draft.close(claim, ["+", *parts])


def _factor(draft: Draft, claim: Tree, k: int) -> Quotient | None:
    """The factor by which a premise is multiplied so that its bare side, a symbol, cancels in the claim; None if there
    is none.
    """
    sign, left, right = draft.lines[k]["given"]
    if sign not in ("<=", ">="):
        return None
    slack, links = draft.checked.slack(claim), draft.checked.slack([sign, left, right])
    for name in (left, right):
        place = draft.checked.names.get(name) if isinstance(name, str) else None
        if place is None or slack.top.degrees()[place] != 1 or slack.bottom.degrees()[place]:
            continue
        # The claim and the premise are linear in the bare symbol. The quotient of their coefficients makes the symbol cancel.
        own = links.top.derivative(place)
        return Quotient(slack.top.derivative(place) * links.bottom, slack.bottom * own)
    return None


def by_terms(draft: Draft, claim: Tree) -> bool:
    """Prove a <= c from b <= c and a <= b, where one is given and the other holds term by term."""
    if claim[0] not in ("<=", ">="):
        return False
    small, large = _sides(claim)
    for k, fact in enumerate(list(draft.checked.facts)):
        if fact is None or fact[0] not in ("<=", ">=", "<", ">"):
            continue
        less, more = _sides(fact)
        # Transitivity: a <= b by terms and b <= c as given, or the other way round.
        if more == large:
            beyond = _termwise(draft, small, less)
        elif less == small:
            beyond = _termwise(draft, more, large)
        else:
            continue
        draft.tried.add("sums term by term")
        if beyond is not None and draft.close(claim, ["+", ["slack", k], *beyond]):
            return True
    return False


def by_summands(draft: Draft, claim: Tree) -> bool:
    """Prove that a sum is at most another one: each term is at most a summand of the other, and the rest is
    nonnegative.

    The summands stay as they are written, so two bounds with many denominators are compared without a common
    denominator.
    """
    if claim[0] not in ("<=", ">="):
        return False
    small, large = _sides(claim)
    below, above = terms(small), summands(large)
    if not below or not len(below) < len(above) <= TERMS:
        return False
    beyond: list[Tree] = []
    for term in below:
        # Equal summands cancel first. A comparison with another summand would use that summand up.
        same = next((o for o in above if draft.checked.value(["-", term, o]).top.is_zero()), None)
        partner = same or next(
            (o for o in above if _names(term) <= _names(o) and _at_most(draft, term, o)), None
        )
        if partner is None:
            return False
        if same is None:
            beyond.append(["slack", len(draft.checked.facts) - 1])
        above.remove(partner)
    draft.tried.add("sums summand by summand")
    for rest in above:
        if not draft.show(["<=", "0", rest]):
            return False
        beyond.append(["slack", len(draft.checked.facts) - 1])
    return draft.close(claim, ["+", *beyond] if len(beyond) > 1 else beyond[0])


def _names(formula: Tree) -> set[str]:
    return {part for part in parts(formula) if isinstance(part, str) and not part.lstrip("-").isdigit()}


def summands(formula: Tree) -> list[Tree]:
    """The terms of a sum, as they are written."""
    match formula:
        case ["+", *inside]:
            return [term for part in inside for term in summands(part)]
        case ["-", a, b]:
            return [*summands(a), *(["-", term] for term in summands(b))]
        case ["-", ["+", *inside]]:
            return [["-", term] for part in inside for term in summands(part)]
    return [formula]


def _sides(relation: Tree) -> tuple[Tree, Tree]:
    """The smaller side and the larger side."""
    sign, left, right = relation
    return (left, right) if sign in ("<=", "<") else (right, left)


def _termwise(draft: Draft, small: Tree, large: Tree) -> list[Tree] | None:
    """The difference of two sums as nonnegative parts; None if comparing terms does not give it."""
    below, above = terms(small), _uncancelled(draft, terms(large))
    if max(len(below), len(above)) > TERMS:
        return None
    beyond: list[Tree] = []
    for term in below:
        partner = next((other for other in above if _at_most(draft, term, other)), None)
        if partner is None:
            return None
        above.remove(partner)
        beyond.append(["slack", len(draft.checked.facts) - 1])
    # Terms of the large sum without a partner must not be negative.
    for rest in above:
        if draft.checked.sign(rest) & NEGATIVE:
            return None
    return [*beyond, *above]


def _at_most(draft: Draft, term: Tree, other: Tree) -> bool:
    return draft.show(["<=", term, other], depths=SHALLOW, degrees=())


def _uncancelled(draft: Draft, found: list[Tree]) -> list[Tree]:
    """Terms without pairs that cancel each other."""
    left: list[Tree] = []
    for term in found:
        contrary = next(
            (k for k, o in enumerate(left) if draft.checked.value(["+", term, o]).top.is_zero()), None
        )
        if contrary is None:
            left.append(term)
        else:
            del left[contrary]
    return left


def terms(formula: Tree) -> list[Tree]:
    """The terms of a sum; factors and numerators that are sums are multiplied out, nothing else is."""
    match formula:
        case ["+", *inside]:
            return [term for part in inside for term in terms(part)]
        case ["-", a, b]:
            return [*terms(a), *terms(["-", b])]
        case ["-", a]:
            return [["-", term] for term in terms(a)]
        case ["/", above, below]:
            return [["/", term, below] for term in terms(above)]
        case ["*", *inside]:
            return [["*", *chosen] for chosen in product(*map(terms, inside))]
    return [formula]
