"""Quadratic forms in any number of vectors of any dimension that are invariant under permutations: two small matrices
decide the sign.

With T the sum of n vectors x_i and y_i = x_i - T/n, a sum of <x_i, z_i> is <T, U>/n plus a sum of products of
deviations. So a form splits into one in sums and single vectors, and one in deviations. It is nonnegative for every n
if both are, which sums of squares show.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import sympy as sp

from verify.check_proof import Refused, check
from verify.engine.certificates.definedness import assumable
from verify.engine.certificates.field import Undefined
from verify.engine.certificates.formulas import Tree, Untranslatable, tree
from verify.engine.certificates.memory import first_offered
from verify.engine.certificates.question import Certificate, Undecided
from verify.engine.certificates.recheck import Rejected, recheck
from verify.engine.model.sums import Bounded
from verify.engine.tactics.draft import Draft
from verify.engine.tactics.squares import cauchy_schwarz_line

Matrix = dict[tuple[str, str], sp.Expr]
"""Coefficients of the inner products of a form; the two ends are ordered by name."""
Form = dict[tuple[str, str, str], sp.Expr]
NUMBER = ("number", "", "")
STEPS = 400
ROOM = 60


def form_shown(
    symbols: dict[str, str],
    claim: Tree,
    given: Sequence[tuple[Tree, str]] = (),
    bounds: Sequence[tuple[Tree, str]] = (),
) -> Certificate | Undecided:
    """A certificate of a relation between symmetric forms, for any number of vectors.

    Parameters
    ----------
    symbols : dict
        Domains; ``"family n"`` are n vectors, ``"vector"`` is one.
    given : sequence of (Tree, str)
        Relations between numbers, with their justifications.
    bounds : sequence of (Tree, str)
        Relations ``squares <= formula`` between forms; their multiplicity is read from the terms of the larger sides in
        the claim.

    Raises
    ------
    Untranslatable
        If a form is not linear in its sums with rational functions as weights, for example because of an absolute value
        or a root.
    """
    known = first_offered(symbols, claim, (*given, *bounds))
    if known is not None:
        return known
    draft = Draft(symbols, STEPS, ROOM, assumable(claim, (*given, *bounds)))
    places = list[int]()
    try:
        for relation, by in (*given, *bounds):
            draft.define(relation)
            places.append(len(draft.checked.facts))
            draft.add({"given": relation, "by": by})
        draft.define(claim)
        shown = cauchy_schwarz_line(claim, len(draft.checked.facts)) or {
            "show": claim,
            "as": _squares(draft, claim, places[len(given) :]),
        }
        draft.add(shown)
        certificate = {"symbols": symbols, "lines": draft.lines, "claim": claim}
        check(certificate)
        recheck(certificate)
    except (Refused, Rejected, Undefined) as error:
        return Undecided(f"squares of sums and of deviations: {error}")
    return certificate


def added_up(vectors: Bounded, each: Tree) -> Tree:
    """For each ``[sign, square, bound]``, a bound of the square of one vector: the bound of the sum of the squares."""
    sign, _, bound = each
    form = ["each", vectors.number] if vectors.number else ["dot"]
    first, *others = ([*form, part, part] for part in vectors.parts)
    return [
        sign,
        ["+", first, *others] if others else first,
        ["*", vectors.number, bound] if vectors.number else bound,
    ]


def _squares(draft: Draft, claim: Tree, bounds: Sequence[int]) -> Tree:
    """The slack of a claim as squares of sums and deviations plus slacks of bounds, with weights that are proved
    nonnegative.

    Raises
    ------
    Rejected
        If a weight cannot be proved nonnegative.
    """
    if claim[0] == "=":
        return "0"
    family = {
        name: domain.split(" ")[1] for name, domain in draft.symbols.items() if domain.startswith("family")
    }
    form, terms = _coefficients(draft, claim), list[Tree]()
    for k in bounds:
        of_bound = _coefficients(draft, draft.checked.facts[k])
        share = _share(draft, form, _coefficients(draft, ["<=", "0", draft.checked.facts[k][2]]))
        form = {
            key: sp.cancel(form.get(key, sp.S.Zero) - share * of_bound.get(key, sp.S.Zero))
            for key in (form | of_bound)
        }
        terms.append(["*", _nonnegative(draft, tree(sp.factor(share))), ["slack", k]])
    if (number := sp.factor(form.pop(NUMBER, sp.S.Zero))) != 0:
        terms.append(_nonnegative(draft, tree(number)))
    apart: Matrix = {(x, z): c for (kind, x, z), c in form.items() if kind == "each"}
    sums: Matrix = {(x, z): c for (kind, x, z), c in form.items() if kind == "dot"}
    for (x, z), c in apart.items():
        pair = (f"total {x}", f"total {z}")
        sums[pair] = sums.get(pair, sp.S.Zero) + c / sp.Symbol(family[x], positive=True)
    terms += [["*", weight, ["dot", v, v]] for weight, v in _diagonal(draft, sums, _sum_of)]
    for n in dict.fromkeys(family[x] for x, _ in apart):
        own = {pair: c for pair, c in apart.items() if family[pair[0]] == n}
        found = _diagonal(draft, own, partial(_deviation, n))
        terms += [["*", weight, ["each", n, v, v]] for weight, v in found]
    return ["+", *terms]


def _share(draft: Draft, form: Form, bound: Form) -> sp.Expr:
    """How often a form contains its bound; for a bound without inner products, the terms with its letters (sizes
    excluded).
    """
    key = next(iter(bound))
    held = sp.expand(form.get(key, sp.S.Zero) / bound[key])
    sizes = {sp.Symbol(name, positive=True) for name, domain in draft.symbols.items() if domain == "count"}
    letters = bound[key].free_symbols - sizes if key == NUMBER else set()
    terms = [sp.cancel(term) for term in sp.Add.make_args(held)]
    return sp.cancel(sp.Add(*(term for term in terms if not letters & sp.fraction(term)[1].free_symbols)))


def _coefficients(draft: Draft, claim: Tree) -> Form:
    """Coefficients of the slack of a claim, by kind ("each" or "dot") and ends of each inner product; `NUMBER` for the
    rest.
    """
    slack, found = draft.checked.slack(claim), dict[tuple[str, str, str], sp.Expr]()
    formulas = draft.checked.formulas
    below = _expression(draft, slack.bottom)
    for powers, factor in slack.top.terms():
        places = [k for k, power in enumerate(powers) if power]
        ends = [k for k in places if isinstance(formulas[k], list) and formulas[k][0] in ("each", "dot")]
        if len(ends) > 1 or any(powers[end] != 1 for end in ends):
            raise Rejected(f"no quadratic form: {claim}")
        rest = [sp.Symbol(_letter(formulas[k]), positive=True) ** powers[k] for k in places if k not in ends]
        key = _ends(formulas[ends[0]]) if ends else NUMBER
        weight = sp.Rational(int(factor.p), int(factor.q)) * sp.Mul(*rest) / below
        found[key] = found.get(key, sp.S.Zero) + weight
    return found


def _letter(formula: Tree) -> str:
    if not isinstance(formula, str):
        raise Untranslatable(
            "a relation of sums must be linear in them, with weights of letters by +, -, *, / and whole powers; "
            f"one has {formula[0]!r} of {formula[1:]}"
        )
    return formula


def _ends(product: Tree) -> tuple[str, str, str]:
    kind, *both = product
    x, z = (v if isinstance(v, str) else f"total {v[1]}" for v in both[-2:])
    return kind, x, z


def _expression(draft: Draft, polynomial: Any) -> sp.Expr:
    formulas = draft.checked.formulas
    return sp.Add(
        *(
            sp.Rational(int(c.p), int(c.q))
            * sp.Mul(
                *(sp.Symbol(_letter(formulas[k]), positive=True) ** p for k, p in enumerate(powers) if p)
            )
            for powers, c in polynomial.terms()
        )
    )


def _sum_of(name: str) -> Tree:
    return ["total", name.removeprefix("total ")] if name.startswith("total ") else name


def _deviation(n: str, name: str) -> Tree:
    return ["-", name, ["*", ["/", "1", n], ["total", name]]]


def _diagonal(draft: Draft, matrix: Matrix, vector: Callable[[str], Tree]) -> list[tuple[Tree, Tree]]:
    """Weights and vectors: the form is the sum of the weights times the squares of the vectors, which are eliminated
    one by one.
    """
    names = sorted({name for pair in matrix for name in pair})
    entry = {
        (x, z): sp.cancel(sp.together(matrix.get((min(x, z), max(x, z)), sp.S.Zero) / (1 if x == z else 2)))
        for x in names
        for z in names
    }
    found = []
    for k, x in enumerate(names):
        weight, rest = entry[x, x], names[k + 1 :]
        if weight == 0:
            if any(entry[x, z] != 0 for z in rest):
                raise Rejected(f"{x} has no square, but products with others")
            continue
        shares = {z: sp.cancel(entry[x, z] / weight) for z in rest}
        for y in rest:
            for z in rest:
                entry[y, z] = sp.cancel(entry[y, z] - shares[y] * shares[z] * weight)
        along = vector(x)
        for z, share in shares.items():
            if share != 0:
                along = ["+", along, ["*", tree(sp.factor(share)), vector(z)]]
        found.append((_nonnegative(draft, tree(sp.factor(weight))), along))
    return found


def _nonnegative(draft: Draft, weight: Tree) -> Tree:
    """A weight with the fact that it is nonnegative, which is proved first."""
    if isinstance(weight, str) and not weight.startswith("-"):
        return weight
    goal = ["<=", "0", weight]
    draft.define(goal)
    if not draft.show(goal):
        raise Rejected(f"the weight {weight} may be negative")
    return ["slack", len(draft.checked.facts) - 1]
