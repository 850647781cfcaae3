"""Rewrite goals by equations: a proof of the goal with simpler parts is carried back to the original goal."""

from __future__ import annotations

from collections.abc import Sequence

from flint import fmpq_mpoly

from verify.engine.certificates.field import Undefined
from verify.engine.certificates.formulas import Tree
from verify.engine.certificates.recheck import Rejected
from verify.engine.tactics.draft import Draft
from verify.engine.tactics.signs import Signs

OPAQUE = ("root", "max", "min", "abs", "call", "at", "dot", "each")
"""Heads of formulas that are one variable of a polynomial; an equation between their parts does not change them."""

Equation = tuple[Tree, Tree, int]
"""A part, an equal formula, and the number of the fact that states the equation."""


def rewritten(draft: Draft, goal: Tree, equations: Sequence[Equation]) -> list[Tree]:
    """The goal, and the goals after each equation was substituted, one after the other."""
    goals = [goal]
    for old, new, _ in equations:
        goals.append(_put_in(draft, goals[-1], old, new))
    return goals


def _put_in(draft: Draft, formula: Tree, old: Tree, new: Tree) -> Tree:
    """A formula in which `new` replaces every part with the value and the head of `old`, except in arguments of functions."""
    if formula == old:
        return new
    if not isinstance(formula, list):
        return formula
    if isinstance(old, list) and formula[0] == old[0] and _same(draft, formula, old):
        return new
    if formula[0] in OPAQUE or (formula[0] == "^" and not is_numeral(formula[2])):
        return formula
    return [formula[0], *(_put_in(draft, part, old, new) for part in formula[1:])]


def is_numeral(formula: Tree) -> bool:
    """Whether a formula is a whole number."""
    return isinstance(formula, str) and formula.lstrip("-").isdigit()


def _same(draft: Draft, one: Tree, other: Tree) -> bool:
    if one[0] == "call" and one[1] != other[1]:
        return False
    return draft.checked.value(one).key == draft.checked.value(other).key


def carried_back(draft: Draft, goals: Sequence[Tree], equations: Sequence[Equation]) -> bool:
    """Derive the first goal from the last one, which the last line shows; returns whether this succeeds."""
    for goal, after, (old, _, k) in reversed(list(zip(goals, goals[1:], equations, strict=False))):
        if goal == after:
            continue
        try:
            change = _change(draft, goal, old, k)
        except (Rejected, Undefined):
            return False
        shown = ["slack", len(draft.checked.facts) - 1]
        if change is None or not draft.close(goal, ["+", shown, ["*", change, ["slack", k]]]):
            return False
    return True


def carried_on(draft: Draft, k: int, equations: Sequence[Equation]) -> None:
    """Show the forms of a fact after the substitution of equations, as far as this succeeds."""
    goals = rewritten(draft, draft.checked.facts[k], equations)
    for goal, after, (old, _, equation) in zip(goals, goals[1:], equations, strict=False):
        if goal == after:
            continue
        change = _change(draft, goal, old, equation)
        if change is None or not draft.close(
            after, ["+", ["slack", k], ["*", "-1", change, ["slack", equation]]]
        ):
            return
        k = len(draft.checked.facts) - 1


def _change(draft: Draft, goal: Tree, old: Tree, k: int) -> Tree | None:
    """The factor of the slack of an equation old = new in the difference of the slacks of two goals; None if there is none.

    With h(x) for the slack as a function of the part, h(old) - h(new) = (old - new) q, where q is a polynomial in both
    over the product of the denominators, and the slack of the equation is new - old.
    """
    slack, value = draft.checked.slack(goal), draft.checked.value(old)
    places = [j for j, degree in enumerate(value.top.degrees()) if degree]
    if (
        len(value.top) != 1
        or not value.bottom.is_constant()
        or len(places) != 1
        or value.top.degrees()[places[0]] != 1
    ):
        return None
    place = places[0]
    new = draft.checked.facts[k][2]
    fresh = draft.checked.variable(("equal", str(new)), new).top
    draft.checked.formulas[draft.checked.names[("equal", str(new))]] = new
    scale = value.top.leading_coefficient() / value.bottom.leading_coefficient()
    mine, other = draft.checked.context.gen(place), fresh * (1 / scale)

    def at_new(polynomial: fmpq_mpoly) -> fmpq_mpoly:
        images = list(draft.checked.context.gens())
        images[place] = other
        return polynomial.compose(*images, ctx=draft.checked.context)

    top = slack.top * at_new(slack.bottom) - at_new(slack.top) * slack.bottom
    quotient, rest = divmod(top, (mine - other) * scale)
    if not rest.is_zero():
        return None
    signs = Signs(draft.checked, 0)
    below = ["*", signs.factored(slack.bottom), signs.factored(at_new(slack.bottom))]
    whole = signs.formula(-quotient)
    return whole if slack.bottom.is_constant() else ["/", whole, below]
