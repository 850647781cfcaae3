"""Certificates for the triangle inequality and for maxima and minima."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import combinations
from operator import add
from typing import Any

import sympy as sp

from verify.engine.certificates.formulas import Tree, tree
from verify.engine.certificates.recheck import Checked
from verify.engine.model.expressions import Detour, Excess, common_terms_out, spelled_out
from verify.engine.model.vectors import Inner, Vector, inner, length_of
from verify.engine.tactics.signs import Signs
from verify.engine.tactics.squares import cauchy_schwarz_line

MOST = 3
"""Limit on abstract vectors of a detour; certificates grow quickly with the number of pairs."""


def plain(expression: Any) -> sp.Expr:
    """An expression in the normal form of lengths and extremes."""
    return spelled_out(common_terms_out(sp.sympify(expression)))


def detour_lines(detour: Detour, k: int) -> list[dict[str, Any]] | None:
    """Lines of a certificate, the last of which shows |x_1 + .. + x_n| <= |x_1| + .. + |x_n|; None if none are found.

    Parameters
    ----------
    k : int
        Number of facts before the lines.
    """
    if any(isinstance(part, Vector) for part in detour.args):
        return _in_any_dimension([part for part in detour.args if isinstance(part, Vector) and part.args], k)
    line = _in_one_dimension(detour, k)
    return None if line is None else [line]


def _in_any_dimension(vectors: Sequence[Vector], k: int) -> list[dict[str, Any]] | None:
    """The same for abstract vectors: <x, y> <= |x| |y| for each pair gives (|x_1| + .. + |x_n|)^2 - |x_1 + .. + x_n|^2 >= 0.

    This is divided by the sum of all lengths; if the sum is 0, all lengths are 0.
    """
    whole = reduce(add, vectors, Vector())
    if not whole.args or len(vectors) > MOST:
        return None
    lines, pairs = list[dict[str, Any]](), list[Tree]()
    for x, y in combinations(vectors, 2):
        lines += _cauchy_schwarz(x, y, k + len(lines))
        factor = inner(x, y).as_independent(Inner)[0]
        pairs.append(["*", tree(2 * factor), ["slack", k + len(lines) - 1]])
    lengths = [tree(plain(length_of(vector))) for vector in vectors]
    short, along = tree(plain(length_of(whole))), ["+", *lengths] if len(lengths) > 1 else lengths[0]
    goal, every = ["<=", short, along], ["+", along, short]
    squares = [*map(_square_less, vectors), ["*", "-1", _square_less(whole)], *pairs]
    at = k + len(lines)
    cases = [["+", ["*", "2", along], ["slack", at]], ["/", ["+", *squares], every]]
    parts = [[{"show": goal, "as": case}] for case in cases]
    return [*lines, {"show": goal, "split": every, "parts": parts}]


def _cauchy_schwarz(x: Vector, y: Vector, k: int) -> list[dict[str, Any]]:
    """Lines that prove <x, y> <= |x| |y|: by squares if the left side is positive."""
    u, v = tree(inner(x, y).atoms(Inner).pop())[1:]
    product, ends = ["dot", u, v], [["dot", u, u], ["dot", v, v]]
    squared = cauchy_schwarz_line(["<=", ["^", product, "2"], ["*", *ends]], k)
    roots = [["root", "2", end] for end in ends]
    longest = ["*", *roots]
    laws = [["-", ["^", root, "2"], end] for root, end in zip(roots, ends, strict=True)]
    lengths = [["*", laws[0], ["^", roots[1], "2"]], ["*", ends[0], laws[1]]]
    positive = ["/", ["+", ["slack", k], *lengths], ["+", longest, product]]
    cases = [["+", longest, ["slack", k + 1]], positive]
    goal = ["<=", product, longest]
    parts = [[{"show": goal, "as": case}] for case in cases]
    return [*filter(None, [squared]), {"show": goal, "split": product, "parts": parts}]


def _square_less(vector: Vector) -> Tree:
    """|x|^2 - <x, x>, in a form that is visibly zero."""
    square = inner(vector, vector)
    factor, product = square.as_independent(Inner)[0], tree(square.atoms(Inner).pop())
    law = ["-", ["^", ["root", "2", product], "2"], product]
    return law if factor == 1 else ["*", tree(factor), law]


def _in_one_dimension(detour: Detour, k: int) -> dict[str, Any] | None:
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
    """|x| - x, or |x| + x if `turn` is -1, in a form whose sign is a law of lengths."""
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
