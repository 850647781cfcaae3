"""Prove signs of polynomials under conditions, as lines of a certificate.

The general search for certificates is tried first. If it fails, the polynomial is written as a nonnegative combination of
products of the slacks of the conditions (Handelman 1988). A linear program finds the coefficients in floats; they are then
solved exactly in fractions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from math import prod
from typing import Any

import numpy as np
import sympy as sp

from verify.engine.certificates.formulas import Tree, Untranslatable, domains, relation_tree, tree
from verify.engine.certificates.question import Question, Undecided
from verify.engine.model.instance import oriented
from verify.engine.model.scene import Condition
from verify.engine.tactics.prove import prove
from verify.first_order.exact import exact_solution
from verify.first_order.forms import Form

STEPS = 200
"""Largest number of polynomials in the search for one sign."""
MORE, PRODUCTS = 3, 600
"""Largest excess of the degree of products over that of the polynomial, and largest number of products."""
DENOMINATORS = (1, 60, 10_000, 10**7)
"""Largest denominators of free coefficients, tried in this order."""
NEGATIVE = -1e-9
"""Floats below this count as negative."""

Given = Sequence[tuple[Condition, str]]


class Signs:
    """The lines of a certificate: conditions as premises, and signs of polynomials derived from them.

    Parameters
    ----------
    given : sequence of (Relational, str)
        Conditions with the names of their justifications.
    sample : mapping
        A point that meets all conditions strictly. It shows the only sign that a polynomial can have.
    others : sequence of mappings
        More points that meet the conditions. A formula that is negative at one of them is rejected without a search.

    Attributes
    ----------
    lines : list
        Lines of the certificate; the methods append to it.
    symbols : dict
        Domains of the symbols.
    """

    def __init__(
        self, given: Given, sample: Mapping[str, Fraction], others: Sequence[Mapping[str, Fraction]] = ()
    ) -> None:
        self.given, self.sample, self.others = given, sample, others
        self.symbols = domains([relation for relation, _ in given])
        self.own = {s.name: s for relation, _ in given for s in relation.free_symbols}
        self.lines: list[dict[str, Any]] = [{"given": relation_tree(r), "by": by} for r, by in given]
        self.shown: dict[tuple[sp.Expr, bool], bool] = {}
        self.atoms: list[tuple[sp.Poly, Tree]] | None = None

    def nonnegative(self, value: sp.Expr) -> Tree | None:
        """Prove that a rational function is nonnegative, or a formula with roots by the general search only.

        Returns an equal formula whose factors all have signs by lines of the certificate; None if no proof is found.
        """
        value = value.subs({s: self.own.get(s.name, s) for s in value.free_symbols})
        if not value.is_rational_function():  # roots of parameters
            return tree(value) if self._searched(value, strict=False) else None
        value = sp.factor(value)
        if value.is_Rational:
            return str(Fraction(int(value.p), int(value.q))) if value >= 0 else None
        top, bottom = sp.fraction(value)
        if (
            self._at(bottom) < 0
        ):  # make the denominator positive: the Coq translation needs signs of both parts
            top, bottom = -top, -bottom
        if self.negative(value):
            return None
        above, below = self._product(top, strict=False), self._product(bottom, strict=True)
        if above is None or below is None or self._at(value) < 0:
            return None
        return above if bottom == 1 else ["/", above, below]

    def negative(self, value: sp.Expr) -> bool:
        """Whether a rational function is negative at one of the points; points where it is undefined are skipped."""
        symbols = sorted(value.free_symbols, key=str)
        names = [s.name for s in symbols]
        at = sp.lambdify(symbols, value, "math")
        for point in self.others:
            if all(name in point for name in names):
                try:
                    if at(*(float(point[name]) for name in names)) < NEGATIVE:
                        return True
                except ZeroDivisionError:
                    continue
        return False

    def nonzero(self, value: sp.Expr) -> bool:
        """Prove that a polynomial has no zero under the conditions, from the signs of its factors; False if no proof is found."""
        value = sp.expand(value.subs({s: self.own.get(s.name, s) for s in value.free_symbols}))
        if value.is_Rational or (value, True) in self.shown:
            return True
        formula = self._product(value, strict=True)
        if formula is None:
            return False
        above = self._at(value) > 0
        self.lines.append({"show": [">" if above else "<", tree(value), "0"], "as": formula})
        self.shown[value, True] = True
        return True

    def _at(self, value: sp.Expr) -> sp.Rational:
        """Value at the sample point."""
        return sp.Rational(value.subs({s: sp.Rational(str(self.sample[s.name])) for s in value.free_symbols}))

    def _product(self, value: sp.Expr, *, strict: bool) -> Tree | None:
        """The absolute value of a polynomial as a product of factors that are proved nonnegative (positive if `strict`).

        None if the sign of a factor is not proved. Even powers need no proof unless `strict`.
        """
        constant, factors = sp.factor_list(value)
        size = abs(constant)
        parts: list[Tree] = [str(Fraction(int(size.p), int(size.q)))] if size != 1 else []
        for factor, power in factors:
            turned = sp.expand(-factor) if self._at(factor) < 0 else factor
            if (power % 2 or strict) and not self._show(turned, strict=strict):
                return None
            parts.append(tree(turned) if power == 1 else ["^", tree(turned), str(power)])
        return ["*", *parts] if len(parts) > 1 else parts[0] if parts else "1"

    def _show(self, value: sp.Expr, *, strict: bool) -> bool:
        """Prove that a polynomial is nonnegative (positive if `strict`); appends lines. Results are cached."""
        key = (value, strict)
        if key not in self.shown:
            visible = all(
                coefficient > 0 for coefficient in sp.Poly(value).coeffs()
            )  # the checkers see this, too
            self.shown[key] = (
                (visible and bool(value.is_positive if strict else value.is_nonnegative))
                or self._searched(value, strict=strict)
                or self._combined(value, strict=strict)
            )
        return self.shown[key]

    def _searched(self, value: sp.Expr, *, strict: bool) -> bool:
        """Try the general search for certificates."""
        relation = (sp.Gt if strict else sp.Ge)(value, 0, evaluate=False)
        try:
            answer = prove(Question(relation, tuple(self.given)), STEPS)
        except Untranslatable:
            return False
        if isinstance(answer, Undecided):
            return False
        self.symbols |= answer["symbols"]
        self.lines += [_renumbered(line, len(self.lines)) for line in answer["lines"]]
        return True

    def _combined(self, value: sp.Expr, *, strict: bool) -> bool:
        """Try Handelman representations of growing degree."""
        if self.atoms is None:
            self.atoms = list(self._atoms())
        symbols = sorted({s for a, _ in self.atoms for s in a.gens} | value.free_symbols, key=str)
        goal = sp.Poly(value, *symbols)
        for more in range(MORE + 1):
            found = _handelman(
                goal, [a.as_expr() for a, _ in self.atoms], goal.total_degree() + more, strict=strict
            )
            if found is not None:
                terms = [
                    ["*", str(c), *(self.atoms[k][1] for k in places)] if places else str(c)
                    for places, c in found.items()
                ]
                formula = ["+", *terms] if len(terms) > 1 else terms[0]
                self.lines.append({"show": [">" if strict else ">=", tree(value), "0"], "as": formula})
                return True
        return False

    def _atoms(self) -> Iterator[tuple[sp.Poly, Tree]]:
        """Yield polynomials that are nonnegative by the conditions or the domains of symbols, with formulas that show it."""
        for k, (relation, _) in enumerate(self.given):
            small, large = oriented(relation)
            top, bottom = sp.fraction(sp.together(large - small))
            if top.free_symbols and top.is_polynomial() and bottom.is_positive:
                fact: Tree = ["slack", k]
                if bottom != 1:
                    self.lines.append(
                        {"show": [">=", tree(sp.expand(top)), "0"], "as": ["*", tree(bottom), ["slack", k]]}
                    )
                    fact = ["slack", len(self.lines) - 1]
                yield sp.Poly(top), fact
        for symbol in self.own.values():
            if symbol.is_nonnegative:
                yield sp.Poly(symbol), symbol.name


def _handelman(
    goal: sp.Poly, atoms: Sequence[sp.Expr], degree: int, *, strict: bool
) -> dict[tuple[int, ...], Fraction] | None:
    """Write a polynomial as a nonnegative combination of products of atoms, up to a degree.

    Returns
    -------
    dict or None
        Product (places of its atoms) -> coefficient. If `strict`, the coefficient of the empty product, which is the
        constant 1, must be positive. None if there is no combination.
    """
    from scipy.optimize import linprog

    places = [p for d in range(degree + 1) for p in combinations_with_replacement(range(len(atoms)), d)]
    if len(places) > PRODUCTS:
        return None
    products = [sp.Poly(prod((atoms[k] for k in p), start=sp.Integer(1)), *goal.gens) for p in places]
    kept = [(p, q) for p, q in zip(places, products, strict=True) if q.total_degree() <= degree]
    monomials = sorted({m for _, q in kept for m in q.monoms()} | set(goal.monoms()))
    left = np.array([[float(q.coeff_monomial(m)) for _, q in kept] for m in monomials])
    right = np.array([float(goal.coeff_monomial(m)) for m in monomials])
    cost = np.array([-1.0 if not p else 1e-3 for p, _ in kept])
    found = linprog(cost, A_eq=left, b_eq=right, bounds=(0, None), method="highs")
    if found.x is None:
        return None
    active = [k for k, x in enumerate(found.x) if x > 1e-9]
    forms = [
        Form(
            {
                **{(str(k),): _exact(kept[k][1].coeff_monomial(m)) for k in active},
                (): -_exact(goal.coeff_monomial(m)),
            }
        )
        for m in monomials
    ]
    forms = [Form({key: c for key, c in f.terms.items() if c}) for f in forms]
    near: dict[tuple[str, ...], float] = {(str(k),): float(found.x[k]) for k in active}
    for largest in DENOMINATORS:
        exact = exact_solution(forms, list(near), near, largest)
        if exact is not None and all(x >= 0 for x in exact.values()):
            out = {kept[int(key[0])][0]: x for key, x in exact.items() if x}
            return out if not strict or out.get((), 0) > 0 else None
    return None


def _exact(x: sp.Rational) -> Fraction:
    return Fraction(int(x.p), int(x.q))


def _renumbered(part: Any, by: int) -> Any:
    """A line of a certificate with the numbers of the lines that it refers to increased by `by`."""
    if isinstance(part, list):
        if len(part) == 2 and part[0] == "slack":
            return ["slack", part[1] + by]
        return [_renumbered(inner, by) for inner in part]
    if isinstance(part, dict):
        moved = {key: _renumbered(value, by) for key, value in part.items()}
        if "put" in part:
            moved["put"] = [k + by for k in part["put"]]
        if "every" in part:
            moved["every"] = part["every"] + by
        return moved
    return part
