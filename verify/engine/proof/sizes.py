"""Proofs at the sizes of a scene: quantities computed from arbitrary numbers, one certificate for each shape.

Such a proof does not cover other sizes. A scene may state in words why it extends to them; this is an argument, not a
certificate.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp

from bounds.evaluate import evaluate
from verify.engine.certificates.definedness import assumable
from verify.engine.certificates.field import Undefined
from verify.engine.certificates.formulas import (
    Tree,
    Untranslatable,
    domains,
    parts,
    relation_tree,
    size,
    tree,
)
from verify.engine.certificates.lighter import checked, lemmas_first, lightened, trimmed
from verify.engine.certificates.memory import may_search, offered_at_sizes
from verify.engine.certificates.question import Certificate, Undecided
from verify.engine.certificates.recheck import Rejected
from verify.engine.model.arithmetic import side_by_side
from verify.engine.model.expressions import Excess, Least, common_terms_out
from verify.engine.model.extent import least
from verify.engine.model.meanings import Meant, Right, justification, sign_of
from verify.engine.model.scene import Condition, Shape, Values
from verify.engine.model.vectors import Inner, coordinate
from verify.engine.proof.extremes import excess_tree, plain, squares_of_lengths
from verify.engine.records.pool import digest
from verify.engine.tactics.draft import Draft
from verify.engine.tactics.prove import proved
from verify.engine.verdict import Reason, because

STEPS, ROOM = 200, 60
"""Limits of a search that shows that a formula is defined: polynomials, and variables that are not symbols."""
POINTS, FAR = 3, 1e-6
"""Points at which sides are compared first, and the relative difference that exceeds rounding."""
KEPT = 20_000
"""Limit on bytes of certificates at sizes in a record; the others are stored beside it, under their digests."""


def identity_at(relation: Condition, values: Values, meant: Meant | None = None) -> list[Certificate] | None:
    """Certificates that both sides of an equation are equal at symbolic values, entry by entry; None if one is missing."""
    left, right = (
        map(coordinate, part.ravel()) for part in side_by_side(relation.args, values, "symbolic", 1)
    )
    given = {symbol: _consequence(symbol, *what) for symbol, what in (meant or {}).items()}
    found: list[Certificate] = []
    for pair in zip(left, right, strict=True):
        equation = sp.Eq(*(plain(side) for side in pair), evaluate=False)
        try:
            certificate = _certified(equation, given)
        except Untranslatable:
            certificate = None
        if certificate is None:
            return None
        found.append(certificate)
    return found


@np.errstate(all="ignore")
def _differ(equation: sp.Eq) -> bool:
    """Whether the sides of an equation differ at one of a few points in floats; then no search is needed."""
    sides = [side.xreplace({p: p.in_one_dimension for p in side.atoms(Inner)}) for side in equation.args]
    names = sorted({symbol.name for side in sides for symbol in side.free_symbols})
    for point in np.random.default_rng(0).uniform(0.5, 2, (POINTS, len(names))).tolist():
        try:
            left, right = (float(evaluate(side, dict(zip(names, point, strict=True)))) for side in sides)
            if abs(left - right) > FAR * (1 + abs(left) + abs(right)):
                return True
        except (ArithmeticError, LookupError, TypeError, ValueError):  # undefined there, or not a float
            continue
    return False


def _consequence(symbol: sp.Symbol, formula: sp.Expr, right: Right) -> tuple[Condition, str]:
    """The consequence of a condition for the formula of a symbol, and its justification."""
    return sign_of(symbol, formula, right[0]), justification(right)


def _certified(equation: sp.Eq, said: Mapping[sp.Symbol, tuple[Condition, str]]) -> Certificate | None:
    """Certificate of an equation: directly if its sides are identical and no divisor may be zero; otherwise by search."""
    spoken = equation.free_symbols
    used = {s: what for s, what in said.items() if s in spoken or what[0].free_symbols <= spoken}
    claim = relation_tree(equation)
    given = [(relation_tree(relation), by) for relation, by in used.values()]
    known = domains([equation, *(relation for relation, _ in used.values())])
    symbols = _used_domains(known, list(said), [claim, *(relation for relation, _ in given)])
    known_before = offered_at_sizes(symbols, claim, given)
    if known_before is not None or not may_search() or _differ(equation):
        return known_before
    lines = [{"given": relation, "by": by} for relation, by in given]
    found = _alike(symbols, claim, []) or _alike(symbols, claim, lines)
    for line in lines:  # only relations that exclude zero are needed
        if found is not None and line in found["lines"]:
            found = _alike(symbols, claim, [other for other in found["lines"][:-1] if other != line]) or found
    if found is not None:
        return found
    answer = proved(symbols, claim, given)
    return None if isinstance(answer, Undecided) else answer


def _alike(symbols: dict[str, str], claim: Tree, known: list[Any]) -> dict[str, Any] | None:
    """Certificate of an equation with identical sides, if the given relations imply that they are defined."""
    return checked(
        trimmed({"symbols": symbols, "lines": [*known, {"show": claim, "as": "0"}], "claim": claim})
    )


def slack_at(
    small: Any, large: Any, slack: Any, meant: Meant, kind: type[Condition] = sp.Le
) -> Certificate | None:
    """Certificate of small <= large, or small < large, from a slack that is visibly nonnegative, or positive.

    Parameters
    ----------
    slack : expression
        The larger side minus the smaller one; it may contain symbols of `meant`. Conditions on other symbols of `meant` are
        used only for divisors.
    kind : type
        The relation: ``sp.Le`` or ``sp.Lt``.
    """
    small, large = plain(small), plain(large)
    goal = kind(small, large, evaluate=False)
    known = _offered(goal, meant)
    if known is not None or not may_search():
        return known
    whole = sp.sympify(slack)
    replaced = {
        part: sp.Symbol(f"{part.func.__name__} {k}", nonnegative=True) for k, part in enumerate(_of(whole))
    }
    slack = common_terms_out(whole.xreplace(replaced))
    used = [s for s in meant if s in slack.free_symbols]
    said = [_consequence(s, *meant[s]) for s in used]
    inside = [relation for relation, _ in said]
    seen = [sp.Ge(part, 0, evaluate=False) for part in (slack, *map(plain, replaced))]
    try:
        claim, *given = map(relation_tree, (goal, *inside))
        symbols = _used_domains(
            domains([goal, *inside, *seen]), [*meant, *replaced.values()], [claim, *given]
        )
        assumed = [(relation, by) for relation, (_, by) in zip(given, said, strict=True)]
        draft = Draft(symbols, STEPS, ROOM, assumable(claim, assumed))
        places: dict[str, Tree] = {}
        for symbol, relation, (_, by) in zip(used, given, said, strict=True):
            draft.define(relation)
            places[symbol.name] = ["slack", len(draft.lines)]
            draft.add({"given": relation, "by": by})
        for symbol, (formula, right) in meant.items():
            if symbol == formula and symbol not in used and _divides(claim, symbol.name):
                relation, by = _consequence(symbol, formula, right)
                draft.add({"given": relation_tree(relation), "by": by})
        draft.define(claim)
        for part, symbol in replaced.items():
            places[symbol.name] = excess_tree(part)
            if places[symbol.name] is None:
                return None
        formula = formula_at(tree(slack), places)
        whole = {"symbols": symbols, "lines": [*draft.lines, {"show": claim, "as": formula}], "claim": claim}
        found = lightened(whole, dict, lemmas_first)
        if found is not None:
            return found
        alike = formula_at(tree(plain(slack)), places)
        more = {"show": claim, "as": ["+", alike, *squares_of_lengths(draft.checked, claim, alike)]}
        found = checked({"symbols": symbols, "lines": [*draft.lines, more], "claim": claim})
        if found is None and isinstance(slack, Least):
            ways = [formula_at(tree(plain(part)), places) for part in slack.args]
            found = _below_the_largest(draft, claim, ways)
        return found
    except (Rejected, Undefined, Untranslatable):
        return None


def _offered(goal: Condition, meant: Meant) -> Certificate | None:
    """A certificate on offer of a relation between quantities, from what the conditions say of the symbols in `meant`."""
    said = [_consequence(symbol, *what) for symbol, what in meant.items()]
    relations = [goal, *(relation for relation, _ in said)]
    try:
        claim, *given = map(relation_tree, relations)
    except Untranslatable:
        return None
    assumed = [(relation, by) for relation, (_, by) in zip(given, said, strict=True)]
    return offered_at_sizes(domains(relations), claim, assumed)


def _divides(formula: Tree, name: str) -> bool:
    """Whether a divisor contains a symbol."""
    below = [part[2] for part in parts(formula) if isinstance(part, list) and part[0] == "/"]
    return any(name in map(str, parts(part)) for part in below)


def _below_the_largest(draft: Draft, claim: Tree, ways: Sequence[Tree]) -> dict[str, Any] | None:
    """Certificate of max(x_1, .., x_n) <= y in the cases of the largest, each by the slack of one of the x_i."""
    extremes = [part for part in parts(claim) if isinstance(part, list) and part[0] == "max"]
    whole: dict[str, Any] = {"symbols": draft.symbols, "lines": draft.lines, "claim": claim}
    if not extremes:
        return checked(whole) if any(draft.close(claim, way) for way in ways) else None
    if len(extremes) > 1:
        return None
    cases, k = [], len(draft.lines)
    for choice in extremes[0][1:]:
        case = draft.branch()
        case.checked.learn(["=", extremes[0], choice])
        if not any(case.close(claim, ["+", way, ["slack", k]]) for way in ways):
            return None
        cases.append(case.lines)
    whole["lines"] = [*draft.lines, {"show": claim, "split": extremes[0], "parts": cases}]
    return checked(whole)


def _used_domains(
    symbols: Mapping[str, str], stand_ins: Sequence[sp.Symbol], said: Sequence[Tree]
) -> dict[str, str]:
    """Domains of the symbols of a certificate; for symbols that stand for a formula only the conditions count."""
    names = {s.name for s in stand_ins}
    spoken = {part for formula in said for part in parts(formula) if isinstance(part, str)}
    return {
        name: "real" if name in names else domain
        for name, domain in symbols.items()
        if name not in names or name in spoken
    }


def _of(slack: sp.Expr) -> list[sp.Expr]:
    """Excesses in a slack, in a fixed order."""
    return sorted(slack.atoms(Excess), key=str)


def formula_at(formula: Tree, places: Mapping[str, Tree]) -> Tree:
    """A formula with some symbols formula_at."""
    if isinstance(formula, list):
        return [formula[0], *(formula_at(part, places) for part in formula[1:])]
    return places.get(formula, formula)


def sizes_of(shapes: Iterable[Shape]) -> list[dict[str, int]] | None:
    """The sizes in shapes that are numbers (a symbol stands for any number); None if there are none."""
    return least({name: n for name, n in shape.items() if not isinstance(n, sp.Symbol)} for shape in shapes)


def at_sizes(proof: Mapping[str, Any], code: str = "at-sizes", **fields: Any) -> Reason:
    """The sizes of a proof, whether formulas are assumed to be defined, and further fields, as a reason."""
    return because(code, sizes=proof["sizes"], defined="defined" in proof["rests_on"], **fields)


def proof_at(shapes: Sequence[Shape], certificates: Sequence[Sequence[Certificate | None]]) -> dict[str, Any]:
    """The entries of a proof at sizes (empty for any size): its certificates, their common digest, and the number of missing
    ones.
    """
    lacking = sum(certificate is None for found in certificates for certificate in found)
    everything = [certificate for found in certificates for certificate in found if certificate is not None]
    rests_on = sorted({line["by"] for c in everything for line in c["lines"] if "given" in line})
    return {
        "certificates": everything,
        "count": len(everything),
        "uncertified": lacking,
        "digest": digest(everything),
        "rests_on": rests_on,
        "sizes": sizes_of(shapes),
    }


def with_certificates(proof: Mapping[str, Any], certificates: Sequence[Certificate]) -> dict[str, Any]:
    """A proof with other certificates of the same formulas."""
    everything = list(certificates)
    common = {"digest": digest(everything)} if "digest" in proof else {}
    return {**proof, "certificates": everything, **common}


def short(proof: Mapping[str, Any]) -> dict[str, Any]:
    """A proof in the form of a record, with as many certificates at sizes as fit."""
    kept, room = [], KEPT
    for certificate in proof.get("certificates", ()):
        if (needed := size(certificate)) <= room:
            kept.append(certificate)
            room -= needed
    return {**proof, "certificates": kept} if "certificates" in proof else dict(proof)


__all__ = [
    "at_sizes",
    "formula_at",
    "identity_at",
    "plain",
    "proof_at",
    "short",
    "sizes_of",
    "slack_at",
    "with_certificates",
]
