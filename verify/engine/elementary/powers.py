"""Laws of powers with symbolic exponents: x^(2 T + N - 1) = (x^T)^2 x^N / x."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import sympy as sp

from verify.engine.certificates.formulas import Tree, relation_tree, tree
from verify.engine.elementary.law import MONOTONE_POWER, POWERS, Law
from verify.engine.elementary.products import Split, Terms, common_units, power, product, terms

Positive = Callable[[sp.Expr], bool]
Whole = Callable[[sp.Expr], bool]


def split_powers(formulas: Sequence[sp.Basic], positive: Positive, whole: Whole) -> list[Split]:
    """Write powers as products of powers with single symbols as exponents, unless the checkers split them themselves."""
    found = []
    for base, powers in _by_base(formulas).items():
        exponents = {p: terms(p.exp) for p in powers}
        units = common_units({m: c for m, c in of.items() if m != 1} for of in exponents.values())
        if all(_simple(of, whole) for of in exponents.values()):
            continue
        if not (positive(base) or _of_whole_letters(exponents.values(), whole)):
            continue
        found += [Split(p, _split(base, of, units, whole), POWERS) for p, of in exponents.items()]
    return [one for one in found if one.new != tree(one.old)]


def growing_powers(formulas: Sequence[sp.Basic], letter: sp.Symbol, positive: Positive) -> list[Split]:
    """Write q^(e(n + 1)) as q^(e(n)) q^(n + 1) for exponents that grow by a multiple of n, and as (q^(e(n)))^c for c^n."""
    found = []
    for p in (p for several in _by_base(formulas).values() for p in several):
        if letter in p.base.free_symbols or not _grows(p.exp, letter) or not positive(p.base):
            continue
        later = p.exp.subs(letter, letter + 1)
        times = sp.simplify(later / p.exp)
        times = times if times.is_Integer and times > 1 else sp.S.One
        more = sp.expand(later - times * p.exp)
        new: Tree = ["*", power(tree(p), int(times)), tree(p.base**more)]
        found.append(Split(sp.Pow(p.base, later, evaluate=False), new, POWERS, (p,)))
    return found


def falling_powers(formula: sp.Basic) -> list[sp.Pow]:
    """Powers such as 2^(-n), and 2^(-n) where 2^(-1 - n) occurs."""
    powers = {p for p in formula.atoms(sp.Pow) if p.exp.free_symbols and p.exp.could_extract_minus_sign()}
    whole = {p.base ** p.exp.as_independent(*p.exp.free_symbols, as_Add=True)[1] for p in powers}
    return sorted(powers | whole, key=sp.default_sort_key)


def _grows(exponent: sp.Expr, letter: sp.Symbol) -> bool:
    """Whether an exponent is a quadratic polynomial in a symbol, or c^n for this symbol n, times a number."""
    if exponent.is_polynomial(letter):
        return bool(sp.degree(exponent, letter) == 2)
    base, n = exponent.as_coeff_Mul()[1].as_base_exp()
    return bool(base.is_Integer and n == letter)


def split_roots(formulas: Sequence[sp.Basic], positive: Positive) -> list[Split]:
    """Write roots by one root of each factor of their bases: sqrt(N T) with N^(1/4) as (N^(1/4))^2 sqrt(T).

    Where a root other than a square root is left, its symbol is written as a power of the root, too: N as (N^(1/4))^4.
    """
    roots = {p for f in formulas for p in f.atoms(sp.Pow) if p.exp.is_Rational and not p.exp.is_Integer}
    factors = {p: rational_factors(p.base, p.exp) for p in sorted(roots, key=sp.default_sort_key)}
    units = common_units(factors.values())
    if not all(positive(base) for base in units):
        return []
    found = []
    for p, of in factors.items():
        parts = [(tree(base ** sp.Rational(1, units[base].q)), c * units[base].q) for base, c in of.items()]
        found.append(Split(p, product((base, int(exponent)) for base, exponent in parts), POWERS))
    found = [one for one in found if one.new != tree(one.old)]
    higher = [base for base, unit in units.items() if isinstance(base, sp.Symbol) and unit.q > 2]
    return [*found, *(_by_root(base, units[base].q) for base in higher)]


def _by_root(symbol: sp.Symbol, degree: int) -> Split:
    return Split(symbol, ["^", tree(symbol ** sp.Rational(1, degree)), str(degree)], POWERS)


def one_quotient(formula: sp.Expr) -> sp.Expr:
    """A sum with a quotient as one quotient, 1 + 1/n as (n + 1)/n; a sum with exponentials stays."""
    rational = isinstance(formula, sp.Add) and not formula.has(sp.exp)
    quotient = rational and any(sp.fraction(part)[1].free_symbols for part in formula.args)
    return sp.factor(formula) if quotient else formula


def rational_factors(formula: sp.Expr, exponent: sp.Rational = sp.S.One) -> Terms:
    """Factors of a power of a formula with their rational exponents; numbers are split into primes."""
    factors: Terms = {}
    for part in sp.Mul.make_args(sp.factor_terms(formula)):
        base, own = part.as_base_exp()
        if not own.is_Rational:
            base, own = part, sp.S.One
        several = (
            {sp.Integer(p): sp.Integer(e) for p, e in sp.factorrat(base).items()}
            if base.is_Rational and base.is_positive
            else {base: sp.S.One}
        )
        for factor, times in several.items():
            factors[factor] = factors.get(factor, sp.S.Zero) + times * own * exponent
    return {factor: e for factor, e in factors.items() if e != 0 and factor != 1}


def _by_base(formulas: Iterable[sp.Basic]) -> dict[sp.Expr, list[sp.Expr]]:
    found: dict[sp.Expr, list[sp.Expr]] = {}
    powers = {
        p
        for formula in formulas
        for p in formula.atoms(sp.Pow)
        if p.exp.free_symbols and not isinstance(p, sp.exp)
    }
    for p in sorted(powers, key=sp.default_sort_key):
        if p.base is not sp.E:
            found.setdefault(p.base, []).append(p)
    return found


def _simple(of: Terms, whole: Whole) -> bool:
    """Whether an exponent is a symbol plus a nonnegative number; the checkers split off the number themselves."""
    letters = [(m, c) for m, c in of.items() if m != 1]
    number = of.get(sp.S.One, sp.S.Zero)
    return (
        len(letters) == 1
        and whole(letters[0][0])
        and letters[0][1] == 1
        and bool(number.is_Integer)
        and number >= 0
    )


def _of_whole_letters(several: Iterable[Terms], whole: Whole) -> bool:
    """Whether exponents are sums of whole symbols with nonnegative integer factors; then the law holds for any base."""
    return all(c.is_Integer and c > 0 and (m == 1 or whole(m)) for of in several for m, c in of.items())


def _split(base: sp.Expr, of: Terms, units: Terms, whole: Whole) -> Tree:
    factors: list[tuple[Tree, int]] = []
    for m, c in of.items():
        if m == 1:
            factors.append((tree(base ** sp.Rational(1, c.q)), int(c.p)))
            continue
        unit = units[m]
        if whole(m) and unit > 0:
            inside: Tree = ["^", _numeric_power(base, unit), m.name]
            factors.append((inside, int(c / unit)))
        elif whole(m):
            factors.append((["^", _numeric_power(base, -unit), m.name], -int(c / unit)))
        else:
            factors.append((["^", tree(base), tree(unit * m)], int(c / unit)))
    return product(factors)


def _numeric_power(base: sp.Expr, exponent: sp.Rational) -> Tree:
    """base^exponent for a positive rational exponent, as an integer power of a root."""
    inside: Tree = tree(base) if exponent.q == 1 else ["root", str(exponent.q), tree(base)]
    return inside if exponent.p == 1 else ["^", inside, str(exponent.p)]


def squared(conditions: Iterable[sp.Basic], positive: Callable[[sp.Expr], bool]) -> Iterator[Law]:
    """The squares of conditions that bound a number by roots with exp or log in them: x >= sqrt(A) says x^2 >= A."""
    for condition in conditions:
        if isinstance(condition, sp.Le | sp.Lt | sp.Ge | sp.Gt) and _is_root(condition.lts, positive):
            small, large = (sp.expand_mul(side**2) for side in (condition.lts, condition.gts))
            yield Law(relation_tree(sp.Le(small, large, evaluate=False)), MONOTONE_POWER)


def _is_root(formula: sp.Expr, positive: Callable[[sp.Expr], bool]) -> bool:
    """Whether a formula is a sum of products of square roots with exp or log and positive factors, so that it is nonnegative."""
    terms = [sp.Mul.make_args(term) for term in sp.Add.make_args(formula)]
    roots = [
        f
        for term in terms
        for f in term
        if isinstance(f, sp.Pow) and f.exp == sp.S.Half and f.has(sp.log, sp.exp)
    ]
    return bool(roots) and all(factor in roots or positive(factor) for term in terms for factor in term)


def compares_exponents(relation: sp.Basic) -> bool:
    """Whether a relation without exp and log holds two powers of one base, whose exponents then differ by a whole number."""
    powers = {p for p in relation.atoms(sp.Pow) if p.exp.free_symbols and p.exp.is_integer}
    return len({p.base for p in powers}) < len(powers) and not relation.has(sp.exp, sp.log)
