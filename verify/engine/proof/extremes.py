"""Certificates for maxima and minima, and for squares of lengths."""

from __future__ import annotations

from typing import Any

import sympy as sp

from verify.engine.certificates.formulas import Tree, tree
from verify.engine.certificates.recheck import Checked
from verify.engine.model.expressions import Excess, common_terms_out, spelled_out
from verify.engine.tactics.signs import Signs


def plain(expression: Any) -> sp.Expr:
    """An expression in the normal form of lengths and extremes."""
    return spelled_out(common_terms_out(sp.sympify(expression)))


def excess_tree(excess: Excess) -> Tree | None:
    """max(x_1, .., x_n) - x_1 in a form whose sign is a law of extremes, or visible if the largest is known."""
    largest = plain(sp.Max(*excess.args))
    found = list(largest.atoms(sp.Max))
    beyond = sp.expand(largest - plain(excess.args[0]))
    if not beyond.has(sp.Max):
        return tree(beyond)
    if len(found) != 1:
        return None
    wanted = sp.expand(plain(excess.args[0]) - (largest - found[0]))
    left = [(part, sp.expand(part - wanted)) for part in found[0].args]
    part, more = next((p for p in left if p[1] == 0), (None, sp.S.Zero))
    if part is None:  # x_1 is below another entry, and left out
        part, more = next((p for p in left if p[1].is_nonnegative), (None, sp.S.Zero))
    if part is None:
        return None
    over: Tree = ["-", tree(found[0]), tree(part)]
    return over if more == 0 else ["+", over, tree(more)]


def squares_of_lengths(checked: Checked, claim: Tree, shown: Tree) -> list[Tree]:
    """The difference between a claim's slack and a formula, if it is a sum of multiples of |x|^2 - x^2 (which are 0);
    otherwise None.
    """
    rest, signs, found = checked.slack(claim) - checked.value(shown), Signs(checked, 0), list[Tree]()
    left, below = rest.top, signs.formula(rest.bottom)
    for place, formula in enumerate(list(checked.formulas)):
        if not isinstance(formula, list) or formula[0] != "abs" or left.degrees()[place] < 2:
            continue
        inside = checked.value(formula[1])
        if not inside.bottom.is_constant():
            continue
        square = checked.context.gen(place) ** 2 - inside.top**2
        share = checked.context.constant(0)
        while left.degrees()[place] >= 2:
            high = {powers: c for powers, c in left.to_dict().items() if powers[place] >= 2}
            lower = {(*p[:place], p[place] - 2, *p[place + 1 :]): c for p, c in high.items()}
            step = checked.context.from_dict(lower)
            share, left = share + step, left - step * square
        law = ["-", ["^", formula, "2"], ["^", formula[1], "2"]]
        found.append(["*", ["/", signs.formula(share), below], law])
    return found if left.is_zero() else []
