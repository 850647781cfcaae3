"""Sums of squares by semidefinite programs: a polynomial as a sum of squares times products of known polynomials.

A program in floats finds the Gram matrices of the squares. Where a claim is tight, every Gram matrix is singular, and rounding
would make it indefinite; so the directions in which it vanishes are rounded first and left out (facial reduction). The rest
is solved in fractions. Checkers verify the result, so a wrong guess costs time only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, islice, product

import numpy as np
from flint import fmpq, fmpq_mat, fmpq_mpoly

from verify.engine.certificates.formulas import Tree, parts
from verify.engine.tactics.conic import minimised
from verify.engine.tactics.draft import Draft, over
from verify.engine.tactics.products import Few, Powers
from verify.engine.tactics.signs import Known

ENTRIES, BASIS, ROWS, BLOCKS = 600, 30, 250, 40
"""Limits on entries of all Gram matrices, rows of one, monomials, and products of facts in one program."""
VARIABLES, ORDERED = 10, 3
"""Limits on variables, and on symbols whose orders are distinguished."""
FACTORS = 2
"""Limit on factors of the products by which squares are multiplied."""
REDUCTIONS = 5
"""Limit on programs for one degree; directions are left out between them."""
ZERO, SMALL = 1e-5, (1e-4, 1e-7)
"""Largest least eigenvalue that counts as 0; and largest eigenvalues, relative to all, of a direction that is left out."""
SIMPLE, NEAR = 24, 1e-3
"""Largest denominator of a direction that is left out, and its largest distance to the float."""
DENOMINATORS = (1, 12, 720, 10**5, 10**8, 10**12)
"""Denominators of the entries of Gram matrices, tried in this order."""

Terms = dict[Powers, fmpq]


@dataclass(frozen=True)
class Block:
    """Squares of combinations of polynomials, times a polynomial that is not negative."""

    by: Known
    basis: list[fmpq_mpoly]

    def columns(self) -> Iterator[Terms]:
        """The polynomial of each entry of the Gram matrix on and above its diagonal."""
        for j, one in enumerate(self.basis):
            for i in range(j + 1):
                found = self.by.polynomial * one * self.basis[i] * (1 if i == j else 2)
                yield dict(found.terms())

    def without(self, kernel: Sequence[Sequence[fmpq]]) -> Block:
        """The same with directions left out, given as rows in reduced echelon form."""
        pivots = [next(k for k, x in enumerate(row) if x != 0) for row in kernel]
        kept = [k for k in range(len(self.basis)) if k not in pivots]
        basis = []
        for k in kept:
            whole = self.basis[k]
            for row, pivot in zip(kernel, pivots, strict=True):
                whole = whole - self.basis[pivot] * row[k]
            basis.append(whole)
        return Block(self.by, basis)


def by_sums_of_squares(draft: Draft, claim: Tree) -> bool:
    """Prove an inequality by sums of squares times products of facts."""
    if claim[0] not in ("<=", ">=", "<", ">"):
        return False
    slack, signs = draft.checked.slack(claim), draft.signs()
    below, top = draft.below(signs, slack.top, slack.bottom)
    few, margin = Few(signs, top), claim[0] in ("<", ">")
    attempts = _attempts(few, few.of(top)) if 0 < len(few.places) <= VARIABLES else ()
    for (by, target, degree), small in product(attempts, SMALL):
        found = _written(few, target, degree, small, margin=margin)
        if found is not None and draft.close(claim, over(over(found, by), below)):
            return True
    draft.tried.add("sums of squares by semidefinite programs")
    return False


def by_order_and_squares(draft: Draft, claim: Tree) -> bool:
    """The same for each order of two or three symbols that are not negative."""
    known = {name for name, domain in draft.symbols.items() if domain in ("nonnegative", "positive")}
    names = sorted({part for part in parts(claim) if isinstance(part, str)} & known)
    if claim[0] not in ("<=", ">=") or len(names) > ORDERED:
        return False
    return _ordered(draft, claim, list(combinations(names, 2)))


def _ordered(draft: Draft, claim: Tree, pairs: Sequence[tuple[str, str]]) -> bool:
    if not pairs:
        return False
    (a, b), *rest = pairs
    between, cases = ["-", a, b], []
    for case in (["<=", between, "0"], [">", between, "0"]):
        inside = draft.branch()
        inside.checked.learn(case)
        if not (by_sums_of_squares(inside, claim) or _ordered(inside, claim, rest)):
            draft.tried.add("orders of symbols")
            return False
        cases.append(inside.lines)
    draft.add_without_put({"show": claim, "split": between, "parts": cases})
    return True


def _attempts(few: Few, target: fmpq_mpoly) -> Iterator[tuple[Tree, fmpq_mpoly, int]]:
    """A positive formula, the polynomial multiplied by it, and the degree of the sum of squares."""
    degree, context = target.total_degree(), few.context
    units = [tuple(int(j == k) for j in range(len(few.places))) for k in range(len(few.places))]
    if _alike([target, *(known.polynomial for known in few.known)]):
        yield "1", target, degree
        positive = sorted(few.positive)
        if positive:
            by = sum((context.gen(k) for k in positive), context.constant(0))
            yield ["+", *(few.monomial(units[k]) for k in positive)], target * by, degree + 1
        return
    for more in (0, 2):
        yield "1", target, _even(degree) + more
    by = sum((context.gen(k) ** 2 for k in range(len(units))), context.constant(1))
    yield ["+", "1", *(["^", few.monomial(unit), "2"] for unit in units)], target * by, _even(degree) + 2


def _alike(polynomials: Sequence[fmpq_mpoly]) -> bool:
    """Whether all terms of each polynomial have the same degree."""
    return all(len({sum(powers) for powers, _ in p.terms()}) == 1 for p in polynomials)


def _even(degree: int) -> int:
    return degree + degree % 2


def _written(few: Few, target: fmpq_mpoly, degree: int, small: float, *, margin: bool) -> Tree | None:
    """A polynomial as a sum of squares times products of facts, and multiples of equations; None if none is found.

    With a `margin` a positive number is among the terms. Directions in which a Gram matrix is at most `small` are left out.
    """
    one = few.context.constant(1)
    blocks = _blocks(few, target, degree)
    if margin:
        blocks = [Block(Known(one, "1"), [one]), *blocks]
    multiples = _multiples(few, degree)
    for _ in range(REDUCTIONS):
        program = _program(blocks, multiples, dict(target.terms()))
        if program is None:
            return None
        least, grams = program
        if least < -ZERO:
            return None
        if least > ZERO:
            return _exact(few, blocks, multiples, target, grams, margin=margin)
        size = max(float(np.abs(gram).max(initial=0)) for gram in grams)
        smaller = []
        for block, gram in zip(blocks, grams, strict=True):
            kernel = (
                _kernel(gram, small * size) or []
            )  # if not rational: clearer once other blocks are smaller
            smaller.append(block.without(kernel))
        if all(len(a.basis) == len(b.basis) for a, b in zip(blocks, smaller, strict=True)):
            return None
        blocks = [block for block in smaller if block.basis]
        if not blocks or (margin and blocks[0].basis != [one]):
            return None
    return None


def _blocks(few: Few, target: fmpq_mpoly, degree: int) -> list[Block]:
    """Products of facts, each with the monomials that keep within the degrees of the claim and its facts."""
    context, variables = few.context, len(few.places)
    facts = [known for known in few.known if not known.zero]
    for k in sorted(few.nonnegative):
        unit = context.gen(k)
        if all(known.polynomial != unit for known in facts):
            facts.append(Known(unit, few.monomial(tuple(int(j == k) for j in range(variables)))))
    several = [target, *(known.polynomial for known in (*few.known, *facts))]
    alike = _alike(several)
    caps = [_even(max(p.degrees()[k] for p in several)) for k in range(variables)]
    caps = [max(cap, degree - _even(target.total_degree())) for cap in caps]
    free, half = _free_of_facts(few, facts, target)
    found, entries = list[Block](), 0
    for many in range(FACTORS + 1):
        for chosen in combinations_with_replacement(facts, many):
            by = _product(context.constant(1), chosen)
            left = degree - by.polynomial.total_degree()
            if left < 0 or len(found) >= BLOCKS:
                continue
            room = [(cap - own) // 2 for cap, own in zip(caps, by.polynomial.degrees(), strict=True)]
            fitting = (
                p
                for p in _monomials(room, left // 2)
                if (not alike or 2 * sum(p) == left) and half in (None, sum(p[k] for k in free))
            )
            basis = [context.from_dict({powers: fmpq(1)}) for powers in islice(fitting, BASIS + 1)]
            entries += len(basis) * (len(basis) + 1) // 2
            if entries > ENTRIES or len(basis) > BASIS:
                return found
            if basis:
                found.append(Block(by, basis))
    return found


def _free_of_facts(few: Few, facts: Sequence[Known], target: fmpq_mpoly) -> tuple[list[int], int | None]:
    """Variables in no fact, and half the degree of all terms of the target in them; None if these degrees differ or are odd.

    All squares then have this half degree in them: squares of other terms could not cancel.
    """
    spoken = [known.polynomial.degrees() for known in (*few.known, *facts)]
    free = [k for k in range(len(few.places)) if not any(degrees[k] for degrees in spoken)]
    found = {sum(powers[k] for k in free) for powers, _ in target.terms()}
    whole = found.pop() if len(found) == 1 else 1
    return free, whole // 2 if whole % 2 == 0 else None


def _monomials(room: Sequence[int], degree: int) -> Iterator[Powers]:
    """Exponents up to `room` that add up to at most a degree."""
    if not room:
        yield ()
        return
    for power in range(min(room[0], degree) + 1):
        yield from ((power, *rest) for rest in _monomials(room[1:], degree - power))


def _product(one: fmpq_mpoly, chosen: Sequence[Known]) -> Known:
    polynomial, formulas = one, [known.formula for known in chosen]
    for known in chosen:
        polynomial = polynomial * known.polynomial
    return Known(polynomial, "1" if not formulas else formulas[0] if len(formulas) == 1 else ["*", *formulas])


def _multiples(few: Few, degree: int) -> list[tuple[Terms, Tree]]:
    """Products of equations and monomials."""
    found = list[tuple[Terms, Tree]]()
    for known in few.known:
        left = degree - known.polynomial.total_degree()
        fitting = _monomials([left] * len(few.places), left) if known.zero else iter(())
        for powers in islice(fitting, ROWS):
            shifted = known.polynomial * few.context.from_dict({powers: fmpq(1)})
            found.append((dict(shifted.terms()), ["*", few.monomial(powers), known.formula]))
    return found


def _program(
    blocks: Sequence[Block], multiples: Sequence[tuple[Terms, Tree]], target: Terms
) -> tuple[float, list[np.ndarray]] | None:
    """The largest least eigenvalue of the Gram matrices, at most 1, and the matrices; None if there are none."""
    columns = [column for block in blocks for column in block.columns()] + [terms for terms, _ in multiples]
    rows = {powers: k for k, powers in enumerate(dict.fromkeys(p for c in (*columns, target) for p in c))}
    if len(rows) > ROWS or len(columns) > 2 * ENTRIES:
        return None
    equations, ends = np.zeros((len(rows), len(columns) + 1)), np.zeros(len(rows))
    for k, column in enumerate(columns):
        for powers, factor in column.items():
            equations[rows[powers], k] = _float(factor)
    for powers, factor in target.items():
        ends[rows[powers]] = _float(factor)
    scale = np.abs(ends).max() or 1.0
    cost, most = np.zeros(len(columns) + 1), np.zeros((1, len(columns) + 1))
    cost[-1] = most[0, -1] = -1
    matrices, k, places = [], 0, []
    for block in blocks:
        size = len(block.basis)
        entry = np.zeros((len(columns) + 1, size, size))
        pairs = [(i, j) for j in range(size) for i in range(j + 1)]
        for i, j in pairs:
            entry[k, i, j] = entry[k, j, i] = -1
            k += 1
        entry[-1] = np.eye(size)
        matrices.append((entry, np.zeros((size, size))))
        places.append((k - len(pairs), pairs))
    found = minimised(cost, [(equations, ends / scale)], [(most, np.array([-1.0]))], matrices)
    if found is None:
        return None
    grams = []
    for block, (start, pairs) in zip(blocks, places, strict=True):
        gram = np.zeros((len(block.basis),) * 2)
        for place, (i, j) in enumerate(pairs, start):
            gram[i, j] = gram[j, i] = found[place] * scale
        grams.append(gram)
    return float(found[-1]), grams


def _float(number: fmpq) -> float:
    return int(number.p) / int(number.q)


def _kernel(gram: np.ndarray, small: float) -> list[list[fmpq]] | None:
    """Directions in which a matrix vanishes, as rows in reduced echelon form; None if they are not rational."""
    values, axes = np.linalg.eigh(gram)
    rows = axes[:, values <= small].T.copy()
    done = 0
    while done < len(rows):
        i, j = np.unravel_index(np.abs(rows[done:]).argmax(), rows[done:].shape)
        rows[[done, done + i]] = rows[[done + i, done]]
        if abs(rows[done, j]) < NEAR:
            break
        rows[done] /= rows[done, j]
        for k in range(len(rows)):
            if k != done:
                rows[k] -= rows[k, j] * rows[done]
        done += 1
    exact = [[Fraction(float(x)).limit_denominator(SIMPLE) for x in row] for row in rows[:done]]
    if any(
        abs(float(f) - x) > NEAR
        for line, row in zip(exact, rows, strict=False)
        for f, x in zip(line, row, strict=True)
    ):
        return None
    if not exact:
        return []
    reduced, rank = fmpq_mat([[fmpq(x.numerator, x.denominator) for x in row] for row in exact]).rref()
    return [[reduced[i, j] for j in range(gram.shape[0])] for i in range(rank)]


def _exact(
    few: Few,
    blocks: Sequence[Block],
    multiples: Sequence[tuple[Terms, Tree]],
    target: fmpq_mpoly,
    grams: Sequence[np.ndarray],
    *,
    margin: bool,
) -> Tree | None:
    """The same in fractions: entries of Gram matrices are rounded, as far as the equations leave them free."""
    columns = [terms for terms, _ in multiples] + [column for block in blocks for column in block.columns()]
    wanted = dict(target.terms())
    rows = list(dict.fromkeys(p for c in (*columns, wanted) for p in c))
    zero = fmpq(0)
    matrix = fmpq_mat([[*(c.get(p, zero) for c in columns), wanted.get(p, zero)] for p in rows])
    reduced, rank = matrix.rref()
    pivots = [next(k for k in range(len(columns) + 1) if reduced[i, k] != 0) for i in range(rank)]
    if pivots and pivots[-1] == len(columns):
        return None
    floats = [0.0] * len(multiples)
    floats += [gram[i, j] for gram in grams for j in range(len(gram)) for i in range(j + 1)]
    for denominator in DENOMINATORS:
        values = [fmpq(round(x * denominator), denominator) for x in floats]
        for i, pivot in enumerate(pivots):
            free = (reduced[i, k] * values[k] for k in range(pivot + 1, len(columns)) if reduced[i, k] != 0)
            values[pivot] = reduced[i, len(columns)] - sum(free, zero)
        found = _formula(few, blocks, multiples, values)
        if found is not None and not (margin and values[len(multiples)] <= 0):
            return found
    return None


def _formula(
    few: Few, blocks: Sequence[Block], multiples: Sequence[tuple[Terms, Tree]], values: Sequence[fmpq]
) -> Tree | None:
    """The sum with these entries of Gram matrices; None if a matrix is not positive semidefinite."""
    terms = [["*", str(x), formula] for (_, formula), x in zip(multiples, values, strict=False) if x != 0]
    place = len(multiples)
    for block in blocks:
        size = len(block.basis)
        gram = [[fmpq(0)] * size for _ in range(size)]
        for j in range(size):
            for i in range(j + 1):
                gram[i][j] = gram[j][i] = values[place]
                place += 1
        squares = _squares(gram)
        if squares is None:
            return None
        for weight, row in squares:
            whole = few.context.constant(0)
            for factor, one in zip(row, block.basis, strict=True):
                whole = whole + one * factor
            terms.append(_term(few, weight, block.by.formula, whole))
    return None if not terms else terms[0] if len(terms) == 1 else ["+", *terms]


def _term(few: Few, weight: fmpq, by: Tree, root: fmpq_mpoly) -> Tree:
    found: list[Tree] = [] if by == "1" else [by]
    if root.is_constant():
        weight = weight * root.leading_coefficient() ** 2
    else:
        inside = [
            few.monomial(tuple(powers)) if factor == 1 else ["*", str(factor), few.monomial(tuple(powers))]
            for powers, factor in root.terms()
        ]
        found.append(["^", inside[0] if len(inside) == 1 else ["+", *inside], "2"])
    if weight != 1 or not found:
        found.insert(0, str(weight))
    return found[0] if len(found) == 1 else ["*", *found]


def _squares(gram: list[list[fmpq]]) -> list[tuple[fmpq, list[fmpq]]] | None:
    """Positive weights and rows whose weighted squares add up to a matrix; None if it is not positive semidefinite."""
    found = []
    for k in range(len(gram)):
        pivot = gram[k][k]
        if pivot < 0 or (pivot == 0 and any(x != 0 for x in gram[k])):
            return None
        if pivot > 0:
            row = [x / pivot for x in gram[k]]
            found.append((pivot, row))
            gram = [[x - pivot * row[i] * row[j] for j, x in enumerate(line)] for i, line in enumerate(gram)]
    return found
