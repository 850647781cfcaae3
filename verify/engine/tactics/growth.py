"""Orders as inequalities: a term is at most an explicit constant times the claim, from explicit sizes on.

With s for the root of each variable, their quotient is N/D for polynomials in s. Let m be the largest monomial, with a
coefficient d > 0 in D, and let t be the absolute values of D's negative coefficients. Then D >= d m/2 wherever s >= 1 +
2 sum(t)/d, so N <= C D with C = 2 sum(N's coefficients)/d. If D has no negative coefficients, C without the factor 2
suffices for s >= 1, and m needs to be the largest monomial of N only.

A root of a sum, such as sqrt(a T + b), is one more letter s. Like the roots of variables it exceeds every number for large
variables, because the sum has a largest monomial with a positive coefficient.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce

import sympy as sp

from verify.check_proof import Refused, check
from verify.engine.certificates.formulas import Tree
from verify.engine.certificates.question import Certificate
from verify.engine.certificates.recheck import Rejected, recheck

Powers = tuple[int, ...]


@dataclass(frozen=True)
class Order:
    """An order with its proof: a certificate of N <= C D, the values of its letters, and the condition for d > 0, if any."""

    certificate: Certificate
    letters: Mapping[str, str]
    where: str


def order_proof(term: sp.Expr, claimed: sp.Expr, variables: Sequence[sp.Symbol]) -> Order | None:
    """The proof that a term is at most C times `claimed` for large variables; None if signs do not show it."""
    sums = _sums_under_roots((term, claimed), variables)
    if not all(_grows(base, variables) for base in sums):
        return None
    roots = {base: sp.Symbol(f"root of sum {k}", positive=True) for k, base in enumerate(sums)}
    whole = {base: root ** sums[base] for base, root in roots.items()}
    term, claimed = (_with_letters(formula, whole) for formula in (term, claimed))
    bases = {v: sp.Symbol(f"root of {v.name}", positive=True) for v in variables}
    powers = {v: bases[v] ** _root_of((term, claimed), v) for v in variables}
    letters = [*bases.values(), *roots.values()]
    quotient = sp.powdenest((term / claimed).subs(powers), force=True)
    try:
        above, below = (sp.Poly(part, *letters) for part in sp.fraction(sp.together(quotient)))
    except sp.PolynomialError:  # there are logarithms
        return None
    top = _largest(above, below)
    if top is None:
        return None
    lead = below.coeff_monomial(top)
    if lead.is_negative:
        above, below, lead = -above, -below, -lead
    writer = _Writer([letter.name for letter in letters], top)
    for base, root in roots.items():
        writer.letter(root.name, "positive", base ** sp.Rational(1, sums[base]))
    writer.letter("d", "positive", lead)
    for powers_of, c in above.terms():
        writer.above(powers_of, c)
    for powers_of, c in below.terms():
        if powers_of != top:
            writer.below(powers_of, c)
    certificate = writer.certificate()
    try:
        check(dict(certificate))
        recheck(certificate)
    except (Refused, Rejected):
        return None
    return Order(certificate, writer.letters, "" if lead.is_positive else f"{sp.factor(lead)} > 0")


def _largest(above: sp.Poly, below: sp.Poly) -> Powers | None:
    """A monomial of the denominator that is a multiple of all monomials of the numerator, preferably also of its own;
    None if there is none.
    """
    fits = [top for top in below.monoms() if all(map(partial(_divides, top), above.monoms()))]
    return max(fits, key=lambda top: sum(map(partial(_divides, top), below.monoms())), default=None)


def _divides(large: Powers, small: Powers) -> bool:
    return all(a <= b for a, b in zip(small, large, strict=True))


def _sums_under_roots(formulas: Sequence[sp.Expr], variables: Sequence[sp.Symbol]) -> dict[sp.Expr, int]:
    """Sums with a variable under roots, each with the least degree for which all its powers are powers of the root."""
    powers = set().union(*(formula.atoms(sp.Pow) for formula in formulas))
    degrees: dict[sp.Expr, int] = {}
    for base, exponent in (power.as_base_exp() for power in powers):
        if base.is_Add and exponent.is_Rational and not exponent.is_Integer and base.has(*variables):
            degrees[base] = int(sp.ilcm(degrees.get(base, 1), exponent.q))
    return degrees


def _grows(base: sp.Expr, variables: Sequence[sp.Symbol]) -> bool:
    """Whether a polynomial exceeds every number for large variables: its largest monomial has a positive coefficient."""
    if not base.is_polynomial(*variables):
        return False
    found = sp.Poly(base, *variables)
    top = _largest(found, found)
    return top is not None and any(top) and bool(found.coeff_monomial(top).is_positive)


def _with_letters(formula: sp.Expr, sums: Mapping[sp.Expr, sp.Expr]) -> sp.Expr:
    """A formula with powers of letters for sums under roots; whole powers of the same sums stay as they are."""
    return formula.replace(
        lambda part: part.is_Pow and part.base in sums and not part.exp.is_Integer,
        lambda part: sp.powdenest(sums[part.base] ** part.exp, force=True),
    )


def _root_of(formulas: Sequence[sp.Expr], v: sp.Symbol) -> int:
    """The least k for which all powers of v in some formulas are whole powers of its k-th root."""
    found = [part.exp for formula in formulas for part in formula.atoms(sp.Pow) if v in part.free_symbols]
    return int(reduce(sp.ilcm, [sp.Rational(e).q for e in found if e.is_Rational], 1))


@dataclass
class _Writer:
    """A certificate in letters: coefficients of N and D, and their monomials."""

    bases: list[str]
    top: Powers
    symbols: dict[str, str] = field(default_factory=dict)
    letters: dict[str, str] = field(default_factory=dict)
    sizes: list[tuple[Tree, Tree, Powers]] = field(
        default_factory=list
    )  # of N: coefficient, absolute value, monomial
    more: list[tuple[Tree, Powers]] = field(default_factory=list)  # positive terms of D
    less: list[tuple[Tree, Powers]] = field(default_factory=list)  # negative terms of D

    def letter(self, name: str, domain: str, value: sp.Expr) -> str:
        self.symbols[name] = domain
        self.letters[name] = str(value)
        return name

    def above(self, powers: Powers, c: sp.Expr) -> None:
        name = f"a{len(self.sizes)}"
        if c.is_nonnegative:
            self.letter(name, "nonnegative", c)
            self.sizes.append((name, name, powers))
        else:
            self.letter(name, "real", c)
            self.sizes.append((name, ["abs", name], powers))

    def below(self, powers: Powers, c: sp.Expr) -> None:
        name = f"b{len(self.letters)}"
        if c.is_nonnegative:
            self.more.append((self.letter(name, "nonnegative", c), powers))
        elif c.is_nonpositive:
            self.less.append((self.letter(name, "nonnegative", -c), powers))
        else:  # of unknown sign: plus its absolute value, minus the difference
            self.letter(name, "real", c)
            self.more.append((["+", ["abs", name], name], powers))
            self.less.append((["abs", name], powers))

    def certificate(self) -> Certificate:
        over: Tree = ["/", ["*", "2", ["+", *(t for t, _ in self.less)]], "d"]
        least = ["+", "1", over] if self.less else "1"
        given = [{"given": ["<=", least, s], "by": "large enough"} for s in self.bases]
        beyond = [["+", ["slack", k], over] if self.less else ["slack", k] for k in range(len(self.bases))]
        numerator = ["+", *(["*", a, self.monomial(m)] for a, _, m in self.sizes)]
        added = [["*", b, self.monomial(m)] for b, m in self.more]
        lead = ["*", "d", self.monomial(self.top)]
        denominator = ["+", lead, *added, *(["*", "-1", t, self.monomial(m)] for t, m in self.less)]
        constant = ["/", ["*", "2" if self.less else "1", ["+", *(size for _, size, _ in self.sizes)]], "d"]
        half = self.half(beyond) if self.less else None
        rest = ["+", *added, *([["*", "1/2", half]] if half else [])]
        positive = ["+", ["*", "1/2", lead] if half else lead, rest]
        slack = ["+", ["*", constant, rest]]
        slack += [["*", size, self.exceeds(self.top, m, beyond)] for _, size, m in self.sizes]
        slack += [["*", ["-", size, a], self.monomial(m)] for a, size, m in self.sizes if size != a]
        claim = ["<=", numerator, ["*", constant, denominator]]
        lines = [*given, {"show": ["<", "0", denominator], "as": positive}, {"show": claim, "as": slack}]
        return {
            "symbols": {**dict.fromkeys(self.bases, "positive"), **self.symbols},
            "lines": lines,
            "claim": claim,
        }

    def monomial(self, powers: Powers) -> Tree:
        return ["*", "1", *(["^", s, str(p)] for s, p in zip(self.bases, powers, strict=True) if p)]

    def half(self, beyond: Sequence[Tree]) -> Tree:
        """A factor of d m that exceeds twice the sum of D's negative terms: s is large in a variable of which each of
        these terms has a lower power.
        """
        common = [k for k in range(len(self.bases)) if all(m[k] < self.top[k] for _, m in self.less)]
        if not common:
            return "-1"
        v = common[0]
        near = tuple(p - (k == v) for k, p in enumerate(self.top))
        kept = ["*", "d", self.monomial(near), ["+", "1", ["slack", v]]]
        return ["+", kept, *(["*", "2", t, self.exceeds(near, m, beyond)] for t, m in self.less)]

    def exceeds(self, large: Powers, small: Powers, beyond: Sequence[Tree]) -> Tree:
        """The difference of two monomials, the first a multiple of the second, where numbers are 1 and `beyond`."""
        terms: list[Tree] = []
        reached = small
        for k in range(len(self.bases)):
            for _ in range(max(large[k] - small[k], 0)):
                terms.append(["*", self.monomial(reached), beyond[k]])
                reached = tuple(p + (j == k) for j, p in enumerate(reached))
        return ["+", *terms]
