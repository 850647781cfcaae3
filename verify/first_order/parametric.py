"""Proofs for all parameters: multipliers as rational functions, interpolated through rational points, verified symbolically.

1. At one point, inequalities are removed as long as the claim can be proved without them. The multipliers of the remaining
   ones are then often unique, so they are functions of the parameters.
2. The multipliers are solved exactly at many rational points, and each is fitted by a rational function.
3. The identity is verified with rational functions as coefficients. The slack is written as a weighted sum of squares.
4. The search for certificates derives the signs of multipliers and weights from the conditions of the claim.

Steps 1 and 2 only propose multipliers. Steps 3 and 4 are exact, and both checkers must accept the certificate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from itertools import product
from typing import Any

import sympy as sp

from verify.check_proof import Refused, check
from verify.engine.certificates.formulas import Tree, domains, relation_tree, tree
from verify.engine.certificates.lighter import without_idle
from verify.engine.certificates.memory import first_offered
from verify.engine.certificates.question import Certificate
from verify.engine.certificates.recheck import Rejected, recheck
from verify.first_order.certificate import symbols_of
from verify.first_order.exact import Proof, proof
from verify.first_order.forms import Form, Vector, vanishes
from verify.first_order.functions import RationalFunction, fitted
from verify.first_order.positivity import Given, Signs
from verify.first_order.program import Program, solve

SUPPORTS = 4
"""Largest number of sets of inequalities to try."""
POINTS = 90
"""Largest number of rational points for a fit."""

Point = Mapping[str, Fraction]
Row = tuple[Point, dict[str, Fraction]]
"""A point, and the multipliers there by name."""
Programs = Callable[[Point], Program]


def multipliers_for_all(
    programs: Programs,
    points: Sequence[Point],
    corners: Sequence[Point],
    variables: Mapping[str, RationalFunction],
) -> Iterator[tuple[dict[str, RationalFunction], dict[str, RationalFunction]]]:
    """Yield candidates: multipliers of inequalities and of equations, by name, as rational functions of the parameters.

    The set of inequalities (the support) is chosen at one point. Corners of the ranges come first, because inequalities that
    suffice there often suffice everywhere. If a support fails at a point, the next support is chosen at that point.

    Parameters
    ----------
    programs : callable
        Returns the program of the claim at a point.
    points, corners : sequences of points
        Points inside the ranges for the fit, and corners of the ranges.
    variables : mapping of str to RationalFunction
        The parameters as rational functions.
    """
    bases, tried = [*corners, *points[:1]], set[frozenset[str]]()
    for _ in range(SUPPORTS):
        if not bases:
            return
        support = _support(programs(bases.pop(0)))
        if support is None or frozenset(support) in tried:
            continue
        tried.add(frozenset(support))
        rows: dict[int, list[Row]] = {}
        for point in points:
            program = programs(point)
            found = _proof_on(program, support)
            if found is None:
                bases.insert(0, point)
                break
            # Points are grouped by the dimension of their worst case. Where the claim is tight, the multipliers are unique
            # and one function fits a group; where it has a margin (group 0), they may lie anywhere in an interval.
            alike = rows.setdefault(found.tight, [])
            alike.append((point, _multipliers_by_name(program, found)))
            needed = _points_of_fit(len(variables))
            if len(alike) in (needed, POINTS) and (fit := _fit(alike, variables)) is not None:
                yield (
                    {n: f for n, f in fit.items() if n in support},
                    {n: f for n, f in fit.items() if n not in support},
                )
                break
            if len(rows.get(0, ())) == needed or len(alike) == POINTS:
                break


def _points_of_fit(n: int) -> int:
    """Number of points at which a fit with n parameters is tried first."""
    return {0: 1, 1: 12, 2: 30, 3: 60}.get(n, 80)


def _fit(
    rows: Sequence[tuple[Mapping[str, Fraction], dict[str, Fraction]]],
    variables: Mapping[str, RationalFunction],
) -> dict[str, RationalFunction] | None:
    """Fit every multiplier through the points; None if one has no fit. Multipliers that are 0 everywhere are dropped."""
    found = {}
    for name in dict.fromkeys(n for _, row in rows for n in row):
        one = fitted([point for point, _ in rows], [row.get(name, Fraction(0)) for _, row in rows], variables)
        if one is None:
            return None
        if not one.vanishes:
            found[name] = one
    return found


def _multipliers_by_name(program: Program, found: Proof) -> dict[str, Fraction]:
    """The multipliers of a proof by the names of their conditions."""
    return {
        **{program.inequalities[k][0]: x for k, x in found.multipliers},
        **{program.equations[k][0]: x for k, x in found.free},
    }


def _proof_on(program: Program, names: Sequence[str]) -> Proof | None:
    """A proof that uses only the inequalities with the given names; None if none is found."""
    kept = set(names)
    part = replace(program, inequalities=tuple(pair for pair in program.inequalities if pair[0] in kept))
    solution = solve(part)
    found = proof(part, solution) if solution is not None and solution.excess < 1e-5 else None
    if found is None:
        return None
    place = {name: k for k, (name, _) in enumerate(program.inequalities)}
    return replace(
        found, multipliers=tuple((place[part.inequalities[k][0]], x) for k, x in found.multipliers)
    )


def _support(program: Program) -> tuple[str, ...] | None:
    """Names of a minimal set of inequalities: without any one of them, no proof by the others is found.

    Inequalities are removed one at a time, those with the smallest multipliers first. None if there is no proof at all.
    """
    solution = solve(program)
    first = proof(program, solution) if solution is not None and solution.excess < 1e-5 else None
    if first is None:
        return None
    names = [program.inequalities[k][0] for k, _ in sorted(first.multipliers, key=lambda pair: pair[1])]
    for name in list(names):
        fewer = _proof_on(program, [n for n in names if n != name])
        if fewer is not None:
            used = {program.inequalities[k][0] for k, _ in fewer.multipliers}
            names = [n for n in names if n in used]
    return tuple(names)


# ------------------------------------------------------------------------------------------------ certificate


def certificate_for_all(
    symbolic: Program,
    small: Form,
    large: Form,
    inequalities: Mapping[str, RationalFunction],
    equations: Mapping[str, RationalFunction],
    signs: Signs,
) -> Certificate | None:
    """The certificate of a claim for all parameters that meet the conditions of `signs`; None if a step fails.

    Parameters
    ----------
    symbolic : Program
        The claim and its conditions with rational functions as coefficients.
    small, large : Form
        Both sides of the claim small <= large.
    inequalities, equations : mappings
        Multipliers by the names of the conditions.
    signs : Signs
        Conditions on the parameters, and the lines of the certificate so far. Lines are appended.

    Notes
    -----
    The slack is the claim minus the sum of multiplier times condition. Its scalars must cancel. Its quadratic part must be a
    sum of squares with nonnegative weights, and its constant nonnegative. All denominators must be nonzero.
    """
    left = symbolic.claim
    known = {**dict(symbolic.equations), **dict(symbolic.inequalities)}
    weights = {**inequalities, **equations}
    if not weights.keys() <= known.keys():
        return None
    for name, weight in weights.items():
        left = left - weight * known[name]
    if any(len(key) == 1 for key in left.terms):
        return None
    rest = left.terms.get((), 0)
    spoken = [small, large, *(known[name] for name in weights)]
    coefficients = [*weights.values(), *(c for form in spoken for c in form.terms.values())]
    if not all(signs.nonzero(sp.fraction(sp.factor(_expression(c)))[1]) for c in coefficients):
        return None
    parts: list[Tree] = []
    for name, weight in inequalities.items():
        sign = signs.nonnegative(_expression(weight))
        if sign is None:
            return None
        signs.lines.append({"given": [">=", _form(known[name]), "0"], "by": f"interpolation {name}"})
        parts.append(["*", sign, ["slack", len(signs.lines) - 1]])
    for name, weight in equations.items():
        signs.lines.append({"given": ["=", _form(known[name]), "0"], "by": name})
        parts.append(["*", ["-", _tree(weight)], ["slack", len(signs.lines) - 1]])
    tries = (_signed(order, left, signs) for order in _orders(symbolic.vectors))
    squares = next((found for found in tries if found is not None), None)
    if squares is None:
        return None
    parts += squares
    if not vanishes(rest):
        sign = signs.nonnegative(_expression(rest))
        if sign is None:
            return None
        parts.append(sign)
    goal = _goal(small, large)
    last = {"show": goal, "as": ["+", *parts] if len(parts) > 1 else parts[0] if parts else "0"}
    found = {
        "symbols": _domains(symbolic, small, large, signs.given),
        "lines": [*signs.lines, last],
        "claim": goal,
    }
    try:
        check(found)
        recheck(found)
    except (Refused, Rejected):
        return None
    return without_idle(found)


def offered_for_all(symbolic: Program, small: Form, large: Form, given: Given) -> Certificate | None:
    """An offered certificate of a claim for all parameters, from these conditions and those of the program only."""
    assumptions = [(relation_tree(relation), by) for relation, by in given]
    assumptions += [
        ([">=", _form(slack), "0"], f"interpolation {name}") for name, slack in symbolic.inequalities
    ]
    assumptions += [(["=", _form(slack), "0"], name) for name, slack in symbolic.equations]
    return first_offered(_domains(symbolic, small, large, given), _goal(small, large), assumptions)


def _goal(small: Form, large: Form) -> Tree:
    return ["<=", _form(small), _form(large)]


def _domains(symbolic: Program, small: Form, large: Form, given: Given) -> dict[str, str]:
    """Domains of the parameters, and of the vectors and scalars of the run."""
    return {
        **domains([relation for relation, _ in given]),
        **symbols_of(small, large),
        **dict.fromkeys(symbolic.vectors, "vector"),
        **dict.fromkeys(symbolic.scalars, "real"),
    }


def _orders(vectors: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield orders of elimination: all rotations of the vectors, forwards and backwards.

    A pivot that vanishes on an edge of the range has no inverse there. In another order it may come last, where no division
    by it is needed.
    """
    for k in range(max(len(vectors), 1)):
        turned = (*vectors[k:], *vectors[:k])
        yield turned
        yield turned[::-1]


def _signed(order: Sequence[str], form: Form, signs: Signs) -> list[Tree] | None:
    """The quadratic part of a form as terms weight times square, with proofs that the weights are nonnegative.

    None if the elimination fails in this order or a weight is not shown to be nonnegative.
    """
    squares = _squares(order, form)
    if squares is None or any(signs.negative(_expression(weight)) for weight, _ in squares):
        return None
    parts: list[Tree] = []
    for weight, vector in squares:
        sign = signs.nonnegative(_expression(weight))
        if sign is None:
            return None
        parts.append(["*", sign, ["dot", _vector(vector), _vector(vector)]])
    return parts


def _squares(vectors: Sequence[str], form: Form) -> list[tuple[Any, Vector]] | None:
    """LDL^T factorisation of the quadratic part of a form with rational functions; None if it fails in this order.

    The vectors are scaled so that their coefficients are polynomials without a common factor.
    """
    half = Fraction(1, 2)
    rest = {key: c if key[0] == key[1] else c * half for key, c in form.terms.items() if len(key) == 2}
    found = []
    for name in vectors:
        entries = {o: rest.get((name, o) if name <= o else (o, name), 0) for o in vectors}
        column = {o: x for o, x in entries.items() if not vanishes(x)}
        pivot = column.get(name, 0)
        if vanishes(pivot):
            if column:
                return None
            continue
        scaled, scale = _primitive({o: x / pivot for o, x in column.items()})
        found.append((pivot / scale**2, Vector(scaled)))
        for a, b in product(column, column):
            if a <= b:
                rest[a, b] = rest.get((a, b), 0) - column[a] * column[b] / pivot
    return found


def common_denominator(form: Form) -> RationalFunction | None:
    """The least common multiple of the denominators of a form's coefficients; None if all coefficients are numbers."""
    functions = [c for c in form.terms.values() if isinstance(c, RationalFunction)]
    if not functions:
        return None
    home = functions[0].value.field
    bottom = reduce(lambda a, b: a.lcm(b), (c.value.denom for c in functions), home.ring.one)
    return RationalFunction(home.new(bottom, home.ring.one))


def _primitive(column: Mapping[str, Any]) -> tuple[dict[str, Any], Any]:
    """Scale coefficients to polynomials without a common factor; returns them and the scale."""
    functions = [x for x in column.values() if isinstance(x, RationalFunction)]
    if not functions:
        return dict(column), Fraction(1)
    home = functions[0]
    whole = [x if isinstance(x, RationalFunction) else home * 0 + x for x in column.values()]
    ring = home.value.field.ring
    bottom = reduce(lambda a, b: a.lcm(b), (x.value.denom for x in whole), ring.one)
    tops = [(x * RationalFunction(home.value.field.new(bottom, ring.one))).value.numer for x in whole]
    common = reduce(lambda a, b: a.gcd(b), tops)
    scale = RationalFunction(home.value.field.new(bottom, ring.one) / home.value.field.new(common, ring.one))
    return {name: x * scale for name, x in zip(column, whole, strict=True)}, scale


def _expression(weight: Any) -> sp.Expr:
    """A coefficient for SymPy."""
    return weight.expression if isinstance(weight, RationalFunction) else sp.Rational(str(weight))


def _tree(weight: Any) -> Tree:
    """A coefficient as a formula of certificates."""
    return tree(weight.expression) if isinstance(weight, RationalFunction) else str(weight)


def _form(form: Form) -> Tree:
    terms = [
        ["*", _tree(c), ["dot", *key] if len(key) == 2 else key[0]] if key else _tree(c)
        for key, c in form.terms.items()
    ]
    return ["+", *terms] if len(terms) > 1 else terms[0] if terms else "0"


def _vector(vector: Vector) -> Tree:
    terms = [["*", _tree(c), name] for name, c in vector.parts.items()]
    return reduce(lambda a, b: ["+", a, b], terms)


__all__ = ["certificate_for_all", "multipliers_for_all", "offered_for_all"]
