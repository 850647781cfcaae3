"""Certificates of what lengths and extremes of numbers are good for: a detour is no shorter, a largest is no smaller."""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.polys.polyerrors import ComputationFailed

from verify.engine.certificates.formulas import Tree, tree
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
    """max(x_1, .., x_n) - x_1 in a form whose sign is a law of extremes."""
    largest = plain(sp.Max(*excess.args))
    found = list(largest.atoms(sp.Max))
    if len(found) != 1:
        return None
    wanted = sp.expand(plain(excess.args[0]) - (largest - found[0]))
    chosen = next((part for part in found[0].args if sp.expand(part - wanted) == 0), None)
    return None if chosen is None else ["-", tree(found[0]), tree(chosen)]


def squares_of_lengths(rest: sp.Expr) -> list[Tree]:
    """An expression that vanishes because |x|^2 is x^2, as a sum of multiples of |x|^2 - x^2; empty if it is none."""
    lengths = {part: sp.Dummy(real=True) for part in sorted(rest.atoms(sp.Abs), key=str)}
    named = {name: length for length, name in lengths.items()}
    squares = {length: name**2 - length.args[0].xreplace(lengths) ** 2 for length, name in lengths.items()}
    top, bottom = sp.fraction(sp.together(rest.xreplace(lengths)))
    if not squares or top == 0:
        return []
    letters = set().union(*(part.free_symbols for part in (top, *squares.values()))) - set(named)
    try:
        shares, left = sp.reduced(top, list(squares.values()), *named, *sorted(letters, key=str))
    except (sp.PolynomialError, ComputationFailed):
        return []
    if left != 0 or not shares:  # it does not vanish, or does so anyway
        return []
    return [
        [
            "*",
            tree((share / bottom).xreplace(named)),
            ["-", ["^", tree(length), "2"], ["^", tree(length.args[0]), "2"]],
        ]
        for share, length in zip(shares, squares, strict=True)
        if share != 0
    ]
