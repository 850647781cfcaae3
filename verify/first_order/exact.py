"""From the floats of a dual solution to an exact proof: multipliers and squares in fractions, or None.

Where the claim has a margin, rounded multipliers do. Where it is tight, the sum of squares vanishes at every worst case, so
its matrix Q has a kernel: the range of the primal Gram matrix. The echelon form of that range is rounded to fractions, and
Q K = 0 is solved exactly together with the equations of the scalars. Signs and positive semidefiniteness are checked in
fractions, so nothing depends on the tolerances here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from verify.first_order.forms import Form, Key, Vector, sq
from verify.first_order.program import Program, Solution, solve

DROPS = (1e-3, 1e-5, 1e-7)
"""Multipliers below these count as 0, one after the other."""
ACTIVE, STEPS, FAR = 1e-5, 12, 1e3
"""Multipliers of active conditions, how often a solution is polished, and errors at which that has failed."""
DENOMINATORS = (1, 2, 6, 12, 60, 400, 5_000, 10**5, 10**7, 10**9)
"""Largest denominators of multipliers that equations leave free."""
LADDER = ((12, 1e-6), (1_000, 1e-8), (10**6, 1e-11))
"""Largest denominators of entries of the kernel, and how near a fraction must be."""
RANK, PIVOT = 1e-5, 1e-4
"""Relative size of an eigenvalue, and size of a pivot, that is not 0."""
TIGHT = 1e-3
"""Trace of the Gram matrix below which the worst case is that nothing happens: the claim is not tight."""
SIMPLE = 10_000
"""Largest denominator of a worst direction; beyond it, floats were not exact enough."""
REWEIGHTED = 4
"""How often multipliers are weighed again by their inverses, so that few remain."""


@dataclass(frozen=True)
class Proof:
    """claim = sum of multipliers * conditions + rest + sum of weights * |vector|^2, with nonnegative multipliers, weights and rest.

    Attributes
    ----------
    multipliers : tuple of (int, Fraction)
        Of inequalities, by their place.
    free : tuple of (int, Fraction)
        Of equations, of any sign.
    squares : tuple of (Fraction, Vector)
    rest : Fraction
        A constant that is left.
    tight : int
        Dimension of the worst case with which the multipliers were solved exactly; 0 where they were rounded with a margin.
    """

    multipliers: tuple[tuple[int, Fraction], ...]
    free: tuple[tuple[int, Fraction], ...]
    squares: tuple[tuple[Fraction, Vector], ...]
    rest: Fraction
    tight: int = 0

    def holds(self, program: Program) -> bool:
        """Whether it proves the claim: the identity, term by term, and all signs."""
        total = Form({(): self.rest} if self.rest else {})
        for k, multiplier in self.multipliers:
            total = total + multiplier * program.inequalities[k][1]
        for k, multiplier in self.free:
            total = total + multiplier * program.equations[k][1]
        for weight, vector in self.squares:
            total = total + weight * sq(vector)
        signs = [self.rest, *(x for _, x in self.multipliers), *(x for x, _ in self.squares)]
        return not (program.claim - total).terms and all(x >= 0 for x in signs)


def proof(program: Program, solution: Solution) -> Proof | None:
    """An exact proof of the claim of a program, from the solution of its dual."""
    for candidate in _candidates(program, solution):
        for multipliers, kernel in _roundable(program, candidate):
            for drop in DROPS:
                found = _solved(program, multipliers, drop, kernel)
                if found is not None and found.holds(program):
                    return replace(found, tight=len(kernel))
    return None


def _candidates(program: Program, solution: Solution) -> Iterator[Solution]:
    """Solutions with few multipliers that are not 0, then the given one."""
    weights, sparse = np.ones(len(program.inequalities)), None
    for _ in range(REWEIGHTED):
        found = solve(program, weights, max(solution.excess, 0.0) * 2 + 1e-9)
        if found is None:
            break
        sparse = found
        weights = 1 / (np.maximum(sparse.multipliers, 0) + 1e-3)
    if sparse is not None:
        yield replace(solution, multipliers=sparse.multipliers, free=sparse.free)
    yield solution


Row = list[Fraction]


def _roundable(program: Program, solution: Solution) -> Iterator[tuple[np.ndarray, list[Row]]]:
    """Multipliers with a rational basis of the range of the Gram matrix, where there is one; then without."""
    given = np.concatenate([solution.multipliers, solution.free])
    values, axes = np.linalg.eigh(solution.gram)
    large = values > RANK * max(values[-1], 0.0) if len(values) else np.zeros(0, bool)
    if large.any() and values[-1] > 0:
        worst = axes[:, large] * np.sqrt(values[large])
        for multipliers, point in ((given, worst), _polished(program, given, worst, solution.scalars)):
            kernel = _kernel(point)
            if kernel:
                yield multipliers, kernel
    yield given, []


def worst_directions(program: Program) -> list[Row]:
    """Rational vectors on which what is left as a sum of squares vanishes in every proof: the range of the worst cases."""
    solution = solve(program)
    if solution is None or np.trace(solution.gram) < TIGHT:
        return []
    found = [kernel for _, kernel in _roundable(program, solution) if kernel]
    height = lambda kernel: max(x.denominator for row in kernel for x in row)  # noqa: E731
    best = min(found, key=height, default=[])
    return best if best and height(best) <= SIMPLE else []


def _polished(
    program: Program, multipliers: np.ndarray, worst: np.ndarray, scalars: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Multipliers and the worst case by Newton's steps on the conditions of optimality, active conditions being equations.

    A solver stops at half of the digits of a float where a problem is degenerate; fractions need nearly all of them.
    """
    m, (n, d), f = len(program.inequalities), worst.shape, len(scalars)
    counted = (
        f if scalars[-1] > ACTIVE else f - 1
    )  # a constant may be left over where the worst case has none
    active = np.array([k for k in range(len(multipliers)) if k >= m or multipliers[k] > ACTIVE], int)
    forms = [(program.inequalities[k] if k < m else program.equations[k - m])[1] for k in active]
    squares = np.array([program.matrix(form) for form in forms]).reshape(len(forms), n, n)
    linear = np.array([program.linear(form) for form in forms]).reshape(len(forms), f)
    goal, ends = program.matrix(program.claim), program.linear(program.claim)
    x, s, weights = worst, scalars, multipliers[active]
    best, kept = np.inf, (x, weights)
    for _ in range(STEPS):
        slack = goal - np.tensordot(weights, squares, 1)
        errors = np.concatenate(
            [
                np.einsum("kij,id,jd->k", squares, x, x) + linear @ s,
                (slack @ x).ravel(),
                (ends - weights @ linear)[:counted],
            ]
        )
        size = float(abs(errors).max(initial=0))
        if size < best:
            best, kept = size, (x, weights)
        if not 1e-15 <= size < FAR:
            break
        by_x = np.vstack(
            [
                2 * np.einsum("kij,jd->kid", squares, x).reshape(len(forms), n * d),
                np.kron(slack, np.eye(d)),
                np.zeros((counted, n * d)),
            ]
        )
        by_s = np.vstack([linear, np.zeros((n * d + counted, f))])
        by_weight = np.vstack(
            [
                np.zeros((len(forms), len(forms))),
                -np.einsum("kij,jd->idk", squares, x).reshape(n * d, len(forms)),
                -linear.T[:counted],
            ]
        )
        try:
            step = np.linalg.lstsq(np.hstack([by_x, by_s, by_weight]), -errors, rcond=1e-9)[0]
        except np.linalg.LinAlgError:  # entries of very different sizes
            break
        x, s, weights = (
            x + step[: n * d].reshape(n, d),
            s + step[n * d : n * d + f],
            weights + step[n * d + f :],
        )
    found = multipliers.copy()
    found[active] = kept[1]
    found[[k for k in range(m) if k not in set(active.tolist())]] = 0
    return found, kept[0]


def _kernel(worst: np.ndarray) -> list[Row]:
    """Rational echelon form of the columns of a matrix; empty if it has none."""
    rows = worst.T.copy()
    done = 0
    for column in range(rows.shape[1]):
        if done == len(rows):
            break
        best = done + int(np.argmax(abs(rows[done:, column])))
        if abs(rows[best, column]) <= PIVOT * max(abs(rows[done:]).max(), RANK):
            continue
        rows[[done, best]] = rows[[best, done]]
        rows[done] /= rows[done, column]
        for other in range(len(rows)):
            if other != done:
                rows[other] -= rows[other, column] * rows[done]
        done += 1
    found = [[_near(x) for x in row] for row in rows[:done]]
    return (
        []
        if any(x is None for row in found for x in row)
        else [[x for x in row if x is not None] for row in found]
    )


def _near(x: float) -> Fraction | None:
    """The simplest fraction near a number, if one is near enough."""
    for largest, near in LADDER:
        simple = Fraction(x).limit_denominator(largest)
        if abs(float(simple) - x) < near * max(1.0, abs(x)):
            return simple
    return None


def _solved(
    program: Program, multipliers: np.ndarray, drop: float, kernel: Sequence[Sequence[Fraction]]
) -> Proof | None:
    """Multipliers near the given ones that solve all equations exactly and are nonnegative, with squares of what is left."""
    from flint import fmpq_mat

    m = len(program.inequalities)
    active = [k for k in range(len(multipliers)) if k >= m or multipliers[k] > drop]
    forms = [(program.inequalities[k] if k < m else program.equations[k - m])[1] for k in active]
    rows = [[_rational(f.terms.get((name,), 0)) for f in (*forms, program.claim)] for name in program.scalars]
    if kernel:
        matrices = [_matrix(program, f) for f in (*forms, program.claim)]
        transposed = fmpq_mat([[_rational(x) for x in row] for row in kernel]).transpose()
        images = [(matrix * transposed).entries() for matrix in matrices]
        rows += [list(entry) for entry in zip(*images, strict=True)]
    if not active:
        return _rest(program, active, []) if all(row[-1] == 0 for row in rows) else None
    reduced, rank = fmpq_mat(rows or [[0] * (len(active) + 1)]).rref()
    pivots = [next(j for j in range(len(active) + 1) if reduced[i, j] != 0) for i in range(rank)]
    if len(active) in pivots:
        return None
    free = [j for j in range(len(active)) if j not in set(pivots)]
    before: list[Fraction] = []
    for largest in DENOMINATORS:
        exact = [Fraction(float(multipliers[k])).limit_denominator(largest) for k in active]
        chosen = [exact[j] for j in free]
        if before == chosen and (free or largest > 1):
            continue
        before = chosen
        for i, j in enumerate(pivots):
            total = reduced[i, len(active)] - sum(
                (reduced[i, c] * _rational(exact[c]) for c in free), start=_rational(0)
            )
            exact[j] = Fraction(int(total.p), int(total.q))
        if any(x < 0 for k, x in zip(active, exact, strict=True) if k < m):
            continue
        found = _rest(program, active, exact)
        if found is not None:
            return found
    return None


def _rest(program: Program, active: Sequence[int], exact: Sequence[Fraction]) -> Proof | None:
    """The proof with these multipliers, if what is left is a sum of squares and a nonnegative constant."""
    m = len(program.inequalities)
    left = program.claim
    for k, multiplier in zip(active, exact, strict=True):
        left = left - multiplier * (program.inequalities[k] if k < m else program.equations[k - m])[1]
    rest = left.terms.get((), Fraction(0))
    squares = sum_of_squares(program.vectors, left)
    if squares is None or rest < 0:
        return None
    pairs = [(k, x) for k, x in zip(active, exact, strict=True) if x]
    return Proof(
        tuple((k, x) for k, x in pairs if k < m), tuple((k - m, x) for k, x in pairs if k >= m), squares, rest
    )


def sum_of_squares(vectors: Sequence[str], form: Form) -> tuple[tuple[Fraction, Vector], ...] | None:
    """The inner products of a form as a weighted sum of squares of vectors (LDL^T); None if they are none."""
    half = Fraction(1, 2)
    rest = {
        (a, b): coefficient * (1 if a == b else half)
        for (a, b), coefficient in ((key, c) for key, c in form.terms.items() if len(key) == 2)
    }
    entry = lambda a, b: rest.get((a, b) if a <= b else (b, a), Fraction(0))  # noqa: E731
    squares = []
    for name in vectors:
        pivot = entry(name, name)
        column = {other: x for other in vectors if (x := entry(name, other))}
        if pivot < 0 or (pivot == 0 and column):
            return None
        if pivot == 0:
            continue
        squares.append((pivot, Vector({other: x / pivot for other, x in column.items()})))
        for a, x in column.items():
            for b, y in column.items():
                if a <= b:
                    rest[a, b] = rest.get((a, b), Fraction(0)) - x * y / pivot
    return tuple(squares)


def exact_solution(
    equations: Sequence[Form], names: Sequence[Key], near: Mapping[Key, float], largest: int
) -> Mapping[Key, Fraction] | None:
    """Fractions near the given numbers that solve linear equations exactly; None if nothing does."""
    from flint import fmpq_mat

    rows = [
        [_rational(f.terms.get(name, 0)) for name in names] + [_rational(-f.terms.get((), 0))]
        for f in equations
    ]
    reduced, rank = fmpq_mat(rows).rref()
    values = [Fraction(near[name]).limit_denominator(largest) for name in names]
    pivots = [next(j for j in range(len(names) + 1) if reduced[i, j] != 0) for i in range(rank)]
    if len(names) in pivots:
        return None
    free = [j for j in range(len(names)) if j not in set(pivots)]
    for i, j in enumerate(pivots):
        terms = (reduced[i, c] * _rational(values[c]) for c in free if reduced[i, c] != 0)
        total = reduced[i, len(names)] - sum(terms, start=_rational(0))
        values[j] = Fraction(int(total.p), int(total.q))
    return dict(zip(names, values, strict=True))


def _matrix(program: Program, form: Form) -> Any:
    from flint import fmpq, fmpq_mat

    place = {name: k for k, name in enumerate(program.vectors)}
    n = len(place)
    entries = [[fmpq(0)] * n for _ in range(n)]
    for key, coefficient in form.terms.items():
        if len(key) == 2:
            i, j = place[key[0]], place[key[1]]
            half = _rational(coefficient) / 2
            entries[i][j] += half
            entries[j][i] += half
    return fmpq_mat(entries)


def _rational(x: Fraction | int) -> Any:
    from flint import fmpq

    return fmpq(int(x.numerator), int(x.denominator))
