"""Proofs at the sizes of a scene: its quantities from arbitrary numbers, one certificate for each shape.

Such a proof says nothing of other sizes. A scene may say in words why it extends to them; that is an argument.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sympy as sp

from verify.engine.arithmetic import side_by_side
from verify.engine.certificates.formulas import (
    Tree,
    Untranslatable,
    digest,
    domains,
    relation_tree,
    size,
    tree,
)
from verify.engine.certificates.prove import checked, proved
from verify.engine.certificates.question import Certificate, Undecided
from verify.engine.expressions import Detour, Excess, common_terms_out, vanishes
from verify.engine.extent import told
from verify.engine.scene import Condition, Shape, Values
from verify.engine.triangles import detour_line, excess_tree, plain, squares_of_lengths

KEPT = 20_000
"""Bytes of certificates that a record holds; larger ones are made anew from the scene, and known by their digest."""


def identity_at(relation: Condition, values: Values) -> list[Certificate | None] | None:
    """Certificates that both sides of an equation are the same at symbolic values, entry by entry.

    None if they are not the same; None in place of a certificate where SymPy sees that they are, and the search not.
    """
    left, right = (part.ravel() for part in side_by_side(relation.args, values, "symbolic", 1))
    found: list[Certificate | None] = []
    for pair in zip(left, right, strict=True):
        equation = sp.Eq(*(plain(side) for side in pair), evaluate=False)
        try:
            certificate = _certified(relation_tree(equation), domains([equation]))
        except Untranslatable:
            certificate = None
        if certificate is None and not vanishes(equation.lhs - equation.rhs):
            return None
        found.append(certificate)
    return found


def _certified(claim: Tree, symbols: dict[str, str]) -> Certificate | None:
    """Certificate of an equation: at once where its sides are the same and nothing that may be zero divides; else by search."""
    found = checked({"symbols": symbols, "lines": [{"show": claim, "as": "0"}], "claim": claim})
    if found is not None:
        return found
    try:
        answer = proved(symbols, claim, ())
    except Untranslatable:
        return None
    return None if isinstance(answer, Undecided) else answer


def slack_at(
    small: Any, large: Any, slack: Any, meant: Mapping[sp.Symbol, tuple[sp.Expr, str]]
) -> Certificate | None:
    """Certificate of small <= large from a slack that is visibly nonnegative.

    Parameters
    ----------
    slack : expression
        What the large side has more; it may hold symbols of `meant`.
    meant : mapping
        Symbol -> the formula that it stands for, and the condition that makes this nonnegative.
    """
    small, large = plain(small), plain(large)
    slack = whole = sp.sympify(slack)
    replaced = {
        part: sp.Symbol(f"{part.func.__name__} {k}", nonnegative=True) for k, part in enumerate(_of(slack))
    }
    slack = common_terms_out(slack.xreplace(replaced))
    used = [s for s in meant if s in slack.free_symbols]
    inside = [sp.Ge(plain(meant[s][0]), 0, evaluate=False) for s in used]
    goal = sp.Le(small, large, evaluate=False)
    places: dict[str, Tree] = {s.name: ["slack", k] for k, s in enumerate(used)}
    try:
        lines: list[dict[str, Any]] = [
            {"given": relation_tree(r), "by": f"condition {meant[s][1]}"}
            for s, r in zip(used, inside, strict=True)
        ]
        for part, symbol in replaced.items():
            line = detour_line(part, len(lines)) if isinstance(part, Detour) else None
            places[symbol.name] = excess_tree(part) if isinstance(part, Excess) else ["slack", len(lines)]
            if places[symbol.name] is None or (isinstance(part, Detour) and line is None):
                return None
            lines += [] if line is None else [line]
        everything = [
            goal,
            *inside,
            sp.Ge(slack, 0, evaluate=False),
            *(sp.Ge(plain(p), 0, evaluate=False) for p in replaced),
        ]
        symbols = domains(everything)
        symbols = {name: domain for name, domain in symbols.items() if name not in places}
        claim = relation_tree(goal)
        formula = put(tree(slack), places)
        found = checked(
            {"symbols": symbols, "lines": [*lines, {"show": claim, "as": formula}], "claim": claim}
        )
        if found is not None:
            return found
        spelled = plain(whole.xreplace({s: formula for s, (formula, _) in meant.items()}))
        more = {"show": claim, "as": ["+", formula, *squares_of_lengths(large - small - spelled)]}
        return checked({"symbols": symbols, "lines": [*lines, more], "claim": claim})
    except Untranslatable:
        return None


def _of(slack: sp.Expr) -> list[sp.Expr]:
    """Detours and excesses in a slack, in a fixed order."""
    return sorted(slack.atoms(Detour, Excess), key=str)


def put(formula: Tree, places: Mapping[str, Tree]) -> Tree:
    """A formula with others in place of some letters."""
    if isinstance(formula, list):
        return [formula[0], *(put(part, places) for part in formula[1:])]
    return places.get(formula, formula)


def sizes_of(shapes: Iterable[Shape]) -> dict[str, list[int]]:
    """Least and largest value of every size that is a number; a letter stands for any."""
    shapes = list(shapes)
    letters = {name for shape in shapes for name, size in shape.items() if isinstance(size, sp.Symbol)}
    names = [n for n in dict.fromkeys(name for shape in shapes for name in shape) if n not in letters]
    return {name: [min(s[name] for s in shapes), max(s[name] for s in shapes)] for name in names}


def said(proof: Mapping[str, Any]) -> str:
    """Sizes and what lacks, in words that stand before the argument of a scene."""
    lacks = ", without a certificate at some" if proof["uncertified"] else ""
    return f"at {told(proof['sizes']) or 'all sizes'}{lacks}"


def proof_at(shapes: Sequence[Shape], certificates: Sequence[Sequence[Certificate | None]]) -> dict[str, Any]:
    """What a record says of a proof at sizes: the certificates that are short, the digest of all, how many lack."""
    lacking = sum(certificate is None for found in certificates for certificate in found)
    everything = [certificate for found in certificates for certificate in found if certificate is not None]
    rests_on = sorted({line["by"] for c in everything for line in c["lines"] if "given" in line})
    kept, room = [], KEPT
    for certificate in everything:
        if (needed := size(certificate)) <= room:
            kept.append(certificate)
            room -= needed
    return {
        "certificates": kept,
        "count": len(everything),
        "uncertified": lacking,
        "digest": digest(everything),
        "rests_on": rests_on,
        "sizes": sizes_of(shapes),
    }


__all__ = ["identity_at", "plain", "proof_at", "put", "said", "sizes_of", "slack_at"]
