"""Certificates of what lengths and extremes of numbers are good for: a detour is no shorter, a largest is no smaller."""

from __future__ import annotations

from typing import Any

import sympy as sp

from verify.engine.certificates.formulas import Tree, tree
from verify.engine.certificates.recheck import Checked
from verify.engine.certificates.signs import Signs
from verify.engine.expressions import Detour, Excess, common_terms_out, spelled_out


def plain(expression: Any) -> sp.Expr:
    """An expression in the one form in which lengths and extremes are compared."""
    return spelled_out(common_terms_out(sp.sympify(expression)))


def detour_line(detour: Detour, k: int) -> dict[str, Any] | None:
    """The line of a certificate that shows |x_1 + .. + x_n| <= |x_1| + .. + |x_n| in the two cases of the left side.

    Parameters
    ----------
    k : int
        Number of facts before the line.
    """
    parts, whole = [part for part in detour.args if part != 0], sp.Add(*detour.args)
    lengths, short = [plain(sp.Abs(part)) for part in parts], plain(sp.Abs(whole))
    goal = ["<=", tree(short), tree(sp.Add(*lengths))]
    if not short.has(sp.Abs):  # a sign is known
        turn = 0 if short == 0 else sp.cancel(short / whole)
        beyond = [_beyond(part, long, turn) for part, long in zip(parts, lengths, strict=True)]
        return None if None in beyond else {"show": goal, "as": ["+", *beyond]}
    single = _single(short)
    if single is None:
        return None
    length, inside, factor = single
    turn = sp.cancel(whole / (factor * inside))  # 1 or -1
    cases = []
    for side in (1, -1):
        beyond = [_beyond(part, long, side * turn) for part, long in zip(parts, lengths, strict=True)]
        if None in beyond:
            return None
        cases.append([{"show": goal, "as": ["+", *beyond, ["*", tree(factor), ["slack", k]]]}])
    return {"show": goal, "split": tree(length), "parts": cases}


def _single(length: sp.Expr) -> tuple[sp.Expr, sp.Expr, sp.Expr] | None:
    """c |x| as |x|, x, c."""
    found = list(length.atoms(sp.Abs))
    if len(found) != 1 or found[0] in (factor := sp.cancel(length / found[0])).atoms(sp.Abs):
        return None
    return found[0], found[0].args[0], factor


def _beyond(part: sp.Expr, length: sp.Expr, turn: sp.Expr) -> Tree | None:
    """|x| - x, or |x| + x where `turn` is -1, in a form whose sign is a law of lengths."""
    single = _single(length)
    if turn == 0 or not length.has(sp.Abs):
        return tree(length - turn * part)
    if single is None:
        return None
    whole, inside, factor = single
    same = sp.cancel(turn * part / (factor * inside))
    if same not in (1, -1):
        return None
    return ["*", tree(factor), ["-" if same == 1 else "+", tree(whole), tree(inside)]]


def excess_tree(excess: Excess) -> Tree | None:
    """max(x_1, .., x_n) - x_1 in a form whose sign is a law of extremes, or visible where it is known which is largest."""
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
    if part is None:  # x_1 is below another, and left out
        part, more = next((p for p in left if p[1].is_nonnegative), (None, sp.S.Zero))
    if part is None:
        return None
    over: Tree = ["-", tree(found[0]), tree(part)]
    return over if more == 0 else ["+", over, tree(more)]


def squares_of_lengths(checked: Checked, claim: Tree, shown: Tree) -> list[Tree]:
    """What a claim's slack has more than a formula if that vanishes because |x|^2 is x^2: multiples of |x|^2 - x^2, else none."""
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
