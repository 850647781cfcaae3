"""Nonnegative combinations by a linear program: a polynomial as a sum of products of known polynomials and monomials.

The program is solved in floats. Its solution selects products, and their weights are solved again in fractions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from operator import add

import numpy as np
from flint import Ordering, fmpq, fmpq_mat, fmpq_mpoly, fmpq_mpoly_ctx

from verify.engine.certificates.formulas import Tree
from verify.engine.tactics.signs import Known, Signs
from verify.engine.work.processes import undisturbed

COLUMNS = 2500
"""Limit on products in one program."""
ROWS = 1500
"""Limit on monomials in these products."""
EXACT_ROWS = 3000
"""Limit on monomials for which weights are solved in fractions."""
TERMS = 250
"""Limit on terms of a polynomial that is tried."""
LONGEST = 60
"""Limit on terms of a product of known polynomials."""
MULTIPLIERS = 8
"""Limit on monomials by which a polynomial is multiplied at once."""

Powers = tuple[int, ...]
WEIGHED: Powers = (-1,)
"""The row without a monomial: weights of the multipliers of a polynomial add up to 1."""


@dataclass(frozen=True)
class Column:
    """A product that is nonnegative, or zero.

    `floats` are the coefficients over the largest one: facts with constants such as 1000 would otherwise be lost in the
    tolerance of the solver. Columns with the same `key` are the same.
    """

    terms: dict[Powers, fmpq]
    formula: Tree
    zero: bool
    floats: Sequence[float]
    key: tuple[object, ...] = ()


# A field is built for the largest question, and its monomials have a place for each of its variables. Here
# exponent vectors are the rows of a linear program, so only the variables that occur are kept.
class Few:
    """Known polynomials in the few variables that occur in them and in a target; a field has many more variables."""

    def __init__(self, signs: Signs, polynomial: fmpq_mpoly) -> None:
        several = [polynomial, *(known.polynomial for known in signs.known)]
        self.places = sorted({k for p in several for k, degree in enumerate(p.degrees()) if degree})
        self.signs, self.variables = signs, signs.checked.context.nvars()
        self.context = fmpq_mpoly_ctx.get([f"w{k}" for k in range(len(self.places))], Ordering.degrevlex)
        self.known = [Known(self.of(known.polynomial), known.formula, known.zero) for known in signs.known]
        self.nonnegative, self.positive = (
            {k for k, place in enumerate(self.places) if place in found}
            for found in (signs.nonnegative, signs.positive)
        )
        self.monomials: dict[Powers, Tree] = {}

    def of(self, polynomial: fmpq_mpoly) -> fmpq_mpoly:
        """A polynomial in these variables."""
        return self.context.from_dict({tuple(p[k] for k in self.places): c for p, c in polynomial.terms()})

    def monomial(self, powers: Powers) -> Tree:
        """A monomial as a formula."""
        if powers not in self.monomials:
            whole = [0] * self.variables
            for place, power in zip(self.places, powers, strict=True):
                whole[place] = power
            self.monomials[powers] = self.signs.monomial(whole)
        return self.monomials[powers]


def combination(signs: Signs, polynomial: fmpq_mpoly, degree: int) -> Tree | None:
    """A polynomial as a combination of products of up to `degree` known polynomials and a monomial; None if not found."""
    if len(polynomial) > TERMS or signs.negative_somewhere(polynomial):
        return None
    few = Few(signs, polynomial)
    target = dict(few.of(polynomial).terms())
    found = _combined(few, target, degree)
    if found is None and degree == 1 and polynomial.total_degree() == 1:
        return _linear_combination(few, target)
    return found


def _linear_combination(signs: Few, target: dict[Powers, fmpq]) -> Tree | None:
    """A linear target as a combination of all known linear polynomials; chains of equations join it to some of them."""
    linear = [known for known in signs.known if known.polynomial.total_degree() == 1]
    own = [dict(known.polynomial.terms()) for known in linear]
    columns = [
        Column(terms, known.formula, known.zero, _scaled(list(terms.values())), (k,))
        for k, (known, terms) in enumerate(zip(linear, own, strict=True))
    ]
    rows = {*target, *(row for terms in own for row in terms)}
    columns += [
        Column({row: fmpq(1)}, signs.monomial(row), zero=False, floats=(1.0,), key=(row,))
        for row in sorted(rows)
        if _even(signs, row)
    ]
    weights = _weights(columns, target)
    return None if weights is None else _sum(weights)


def _combined(signs: Few, target: dict[Powers, fmpq], degree: int) -> Tree | None:
    # top = sum of weight * column, where every column is nonnegative wherever the facts hold. Such sums are
    # certificates of Handelman's kind for polynomials that are positive on a set.
    columns = _columns(signs, set(target), degree)
    weights = _weights(columns, target)
    if weights is None:
        return None
    return _sum(weights)


def quotient(signs: Signs, polynomial: fmpq_mpoly, degree: int) -> Tree | None:
    """A polynomial as such a combination divided by a sum of positive monomials, whose weights are unknowns of the
    program, too.
    """
    if len(polynomial) > TERMS or signs.negative_somewhere(polynomial):
        return None
    few = Few(signs, polynomial)
    return _over_monomials(few, dict(few.of(polynomial).terms()), degree)


def _over_monomials(signs: Few, target: dict[Powers, fmpq], degree: int) -> Tree | None:
    multipliers = _multipliers(signs, target)
    if not multipliers:
        return None
    # Some nonnegative polynomials are sums of such products only after multiplication by a positive polynomial, as in
    # Polya's theorem. Its coefficients are unknown as well, so they are columns with the opposite sign; the row WEIGHED
    # normalises them and excludes the solution 0.
    floats = _scaled([*(-c for c in target.values()), fmpq(1)])
    multiples = [
        Column(
            {**{_product(by, p): -c for p, c in target.items()}, WEIGHED: fmpq(1)},
            signs.monomial(by),
            zero=False,
            floats=floats,
        )
        for by in multipliers
    ]
    rows = {p for column in multiples for p in column.terms if p != WEIGHED}
    weights = _weights([*multiples, *_columns(signs, rows, degree)], {WEIGHED: fmpq(1)})
    if weights is None:
        return None
    below = [entry for entry in weights if WEIGHED in entry[1].terms]
    above = [entry for entry in weights if WEIGHED not in entry[1].terms]
    return ["/", _sum(above), _sum(below)] if above else None


def _multipliers(signs: Few, target: dict[Powers, fmpq]) -> list[Powers]:
    """Positive monomials that turn a term of the target into a multiple of a term of a known polynomial, most frequent
    first.
    """
    found = Counter(
        tuple(max(p - q, 0) for p, q in zip(own, row, strict=True))
        for known in signs.known
        for own in dict(known.polynomial.terms())
        for row in target
    )
    positive = [by for by in found if any(by) and all(k in signs.positive for k, p in enumerate(by) if p)]
    return sorted(positive, key=lambda by: (sum(by), -found[by], by))[:MULTIPLIERS]


def _product(a: Powers, b: Powers) -> Powers:
    return tuple(map(add, a, b))


def _sum(weights: Sequence[tuple[fmpq, Column]]) -> Tree:
    terms = [_times(weight, column) for weight, column in weights]
    return terms[0] if len(terms) == 1 else ["+", *terms]


def _times(weight: fmpq, column: Column) -> Tree:
    if weight == 1:
        return column.formula
    if isinstance(column.formula, list) and column.formula[0] == "*":
        return ["*", str(weight), *column.formula[1:]]
    return ["*", str(weight), column.formula]


def _columns(signs: Few, rows: set[Powers], degree: int) -> list[Column]:
    """Products whose monomials can cancel monomials of a target, nearest first."""
    factors = [(known, set[Powers]()) for known in _factors(signs, degree)]
    rows, found = set(rows), dict[tuple[object, ...], Column]()
    # A column brings monomials of its own, which other columns must cancel. Each further
    # round multiplies the columns, so there are two.
    for _ in range(2):
        with_fresh = set(rows)
        for column in _fitting(signs, factors, rows):
            if column.key not in found:
                found[column.key] = column
                with_fresh |= column.terms.keys()
            if len(found) >= COLUMNS or len(with_fresh) > ROWS:
                return list(found.values())
        if len(with_fresh) == len(rows):
            break
        rows = with_fresh
    return list(found.values())


def _factors(signs: Few, degree: int) -> list[Known]:
    """Products of up to `degree` known polynomials; zero polynomials need no partner."""
    found = list(signs.known)
    plain = [known for known in signs.known if not known.zero]
    for size in range(2, degree + 1):
        for chosen in combinations_with_replacement(plain, size):
            whole = chosen[0].polynomial
            for known in chosen[1:]:
                whole = whole * known.polynomial
            if len(whole) <= LONGEST:
                found.append(Known(whole, ["*", *(known.formula for known in chosen)]))
    return found


def _fitting(signs: Few, factors: Sequence[tuple[Known, set[Powers]]], rows: set[Powers]) -> Iterator[Column]:
    """Columns with a monomial among the rows. Each factor comes with the monomials by which it was multiplied before; they
    are left out, and new ones are added.
    """
    for row in sorted(rows):
        # A monomial by itself is nonnegative if its powers are even or of nonnegative symbols.
        if _even(signs, row):
            yield Column({row: fmpq(1)}, signs.monomial(row), zero=False, floats=(1.0,), key=(row,))
    yield from _squares(signs, rows)
    ordered = sorted(rows)
    table = np.array(ordered, dtype=np.int64).reshape(len(ordered), -1)
    signed = [k for k in range(table.shape[1]) if k not in signs.nonnegative]
    for number, (known, before) in enumerate(factors):
        own = dict(known.polynomial.terms())
        floats = _scaled(list(own.values()))
        # All quotients of a row by a term at once: most of them are no monomials
        by_all = table[:, None, :] - np.array(list(own), dtype=np.int64).reshape(1, len(own), -1)
        allowed = (by_all >= 0).all(axis=2)
        if not known.zero:
            allowed &= (by_all[:, :, signed] % 2 == 0).all(axis=2)
        for by in map(tuple, by_all[allowed].tolist()):
            if by in before:
                continue
            before.add(by)
            shifted = {_product(by, p): c for p, c in own.items()}
            formula = known.formula if not any(by) else ["*", signs.monomial(by), known.formula]
            yield Column(shifted, formula, known.zero, floats, (number, by))


def _even(signs: Few, powers: Powers) -> bool:
    """Whether a monomial is never negative."""
    return all(p % 2 == 0 or k in signs.nonnegative for k, p in enumerate(powers))


def _squares(signs: Few, rows: set[Powers]) -> Iterator[Column]:
    """c (a - b)^2 and c (a + b)^2 for monomials c a^2 and c b^2 that both occur, where c cannot be negative."""
    halves: dict[Powers, list[Powers]] = {}
    for row in sorted(rows):
        halves.setdefault(tuple(p % 2 for p in row), []).append(tuple(p // 2 for p in row))
    for by, roots in halves.items():
        if not _even(signs, by):
            continue
        for k, a in enumerate(roots):
            for b in roots[:k]:
                middle = _product(by, _product(a, b))
                if middle not in rows:
                    continue
                for sign in (-1, 1):
                    ends = (_product(by, _product(end, end)) for end in (a, b))
                    terms = {**dict.fromkeys(ends, fmpq(1)), middle: fmpq(2 * sign)}
                    both = ["-" if sign < 0 else "+", signs.monomial(a), signs.monomial(b)]
                    square: Tree = ["^", both, "2"]
                    yield Column(
                        terms,
                        ["*", signs.monomial(by), square] if any(by) else square,
                        zero=False,
                        floats=(0.5, 0.5, float(sign)),
                        key=(sign, by, a, b),
                    )


def _weights(columns: Sequence[Column], target: dict[Powers, fmpq]) -> list[tuple[fmpq, Column]] | None:
    if not columns:
        return None
    alone = _multiple(columns, target)
    if alone is not None:
        return [alone]
    from scipy.optimize import linprog  # which takes as long to load as hundreds of small proofs
    from scipy.sparse import csc_matrix

    rows = {powers: k for k, powers in enumerate(dict.fromkeys(p for c in columns for p in c.terms))}
    if not target.keys() <= rows.keys():
        return None
    i = [rows[p] for column in columns for p in column.terms]
    v = [value for column in columns for value in column.floats]
    ends = np.cumsum([0, *(len(column.terms) for column in columns)])
    matrix = csc_matrix((v, i, ends), shape=(len(rows), len(columns)))
    wanted = np.zeros(len(rows))
    for powers, factor in target.items():
        wanted[rows[powers]] = _float(factor)
    size = np.abs(wanted).max() or 1.0
    # An equation may be used with either sign, an inequality only with a nonnegative weight.
    bounds = [(None, None) if column.zero else (0, None) for column in columns]
    # The sum of the weights as the objective prefers few columns. The dual simplex method ends at a vertex, which has at
    # most as many nonzero weights as rows; an interior point would have all of them.
    cost = [0.0 if column.zero else 1.0 for column in columns]
    with undisturbed():
        solved = linprog(
            cost,
            A_eq=matrix,
            b_eq=wanted / size,
            bounds=bounds,
            method="highs-ds",
            options={"maxiter": 20_000},
        )
    if solved.x is None:
        return None
    # The floats only choose the columns. Their weights are solved again in fractions, so no rounding enters a certificate.
    used = [k for k, x in enumerate(solved.x) if abs(x) > 1e-10]
    return _exact([columns[k] for k in used], target)


def _multiple(columns: Sequence[Column], target: dict[Powers, fmpq]) -> tuple[fmpq, Column] | None:
    """The first column of which the target is an allowed multiple, with the weight; None if there is none."""
    for column in columns:
        if column.terms.keys() == target.keys():
            powers = next(iter(target))
            weight = target[powers] / column.terms[powers]
            allowed = weight > 0 or (column.zero and weight != 0)
            if allowed and all(value == weight * column.terms[p] for p, value in target.items()):
                return weight, column
    return None


def _exact(columns: Sequence[Column], target: dict[Powers, fmpq]) -> list[tuple[fmpq, Column]] | None:
    """Weights in fractions; None if the selected products do not suffice."""
    rows = list(dict.fromkeys([*target, *(p for c in columns for p in c.terms)]))
    if not columns or len(rows) > EXACT_ROWS:
        return None
    matrix = fmpq_mat([[*(c.terms.get(p, fmpq(0)) for c in columns), target.get(p, fmpq(0))] for p in rows])
    reduced, rank = matrix.rref()
    found = []
    for row in range(rank):
        pivot = next(k for k in range(len(columns) + 1) if reduced[row, k] != 0)
        # the right side is independent of the columns; only rounding made the program feasible
        if pivot == len(columns):
            return None
        weight, column = reduced[row, len(columns)], columns[pivot]
        if weight < 0 and not column.zero:
            return None
        if weight != 0:
            found.append((weight, column))
    return found


def _scaled(coefficients: Sequence[fmpq]) -> list[float]:
    """Coefficients as floats, over the largest one."""
    floats = list(map(_float, coefficients))
    largest = max(map(abs, floats))
    return [value / largest for value in floats]


def _float(number: fmpq) -> float:
    return int(number.p) / int(number.q)
