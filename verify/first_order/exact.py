"""Turn a dual solution in floats into an exact proof: multipliers and squares in fractions.

If the claim has a margin, rounding the multipliers suffices. If the claim is tight, the sum of squares vanishes at every
worst case, so its matrix Q is singular and rounding would destroy positive semidefiniteness. By complementary slackness, the
range of the primal Gram matrix lies in the kernel of Q. The reduced echelon form K of that range is rounded to fractions, and
Q K = 0 is solved exactly together with the equations for the scalars (facial reduction with a rational kernel).

Signs and positive semidefiniteness are checked in fractions at the end. The tolerances here can therefore prevent a proof, but
never produce a wrong one.
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
"""Thresholds below which a multiplier counts as 0, tried in this order."""
ACTIVE, STEPS, FAR = 1e-5, 12, 1e3
"""Smallest multiplier of an active condition; number of Newton steps; size of the error at which Newton's method has failed."""
DENOMINATORS = (1, 2, 6, 12, 60, 400, 5_000, 10**5, 10**7, 10**9)
"""Largest denominators of multipliers that the equations leave free, tried in this order."""
LADDER = ((12, 1e-6), (1_000, 1e-8), (10**6, 1e-11))
"""Pairs of a largest denominator and a tolerance: a larger denominator is accepted only if it is closer to the float."""
RANK, PIVOT = 1e-5, 1e-4
"""Thresholds above which an eigenvalue (relative to the largest) and a pivot count as nonzero."""
TIGHT = 1e-3
"""Trace of the Gram matrix below which the worst case counts as 0, so that the claim has a margin."""
SIMPLE = 10_000
"""Largest accepted denominator of a worst direction; a larger one comes from rounding errors."""
REWEIGHTED = 4
"""Number of rounds of reweighted l1 minimisation, which makes the multipliers sparse."""


@dataclass(frozen=True)
class Proof:
    """An identity that proves a claim:

        claim = sum of multiplier * condition + sum of weight * |vector|^2 + rest

    with nonnegative multipliers of inequalities, weights and rest.

    Attributes
    ----------
    multipliers : tuple of (int, Fraction)
        Place of an inequality in the program, and its multiplier.
    free : tuple of (int, Fraction)
        Place of an equation in the program, and its multiplier of any sign.
    squares : tuple of (Fraction, Vector)
        Weights and vectors of the squares.
    rest : Fraction
        The remaining constant.
    tight : int
        Dimension of the worst case whose kernel was used; 0 if the multipliers were only rounded.
    """

    multipliers: tuple[tuple[int, Fraction], ...]
    free: tuple[tuple[int, Fraction], ...]
    squares: tuple[tuple[Fraction, Vector], ...]
    rest: Fraction
    tight: int = 0

    def holds(self, program: Program) -> bool:
        """Whether the identity holds term by term and all signs are right, in exact arithmetic."""
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
    """An exact proof of the claim of a program from a solution of its dual; None if none is found."""
    for candidate in _candidates(program, solution):
        for multipliers, kernel in _roundable(program, candidate):
            for drop in DROPS:
                found = _solved(program, multipliers, drop, kernel)
                if found is not None and found.holds(program):
                    return replace(found, tight=len(kernel))
    return None


def _candidates(program: Program, solution: Solution) -> Iterator[Solution]:
    """Yield a solution with few nonzero multipliers, then the given one. Sparse multipliers are easier to round."""
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
    """Yield multipliers with a rational basis of the range of the Gram matrix if one is found, then without a basis."""
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
    """Rational vectors on which the sum of squares vanishes in every proof: a basis of the range of the worst cases.

    The list is empty if the claim has a margin or no basis with small denominators is found.
    """
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
    """Improve multipliers and the worst case by Newton's method on the optimality conditions.

    The unknowns are the factor x of the Gram matrix x x^T, the scalars and the multipliers of active conditions. The
    equations are: active conditions vanish, the slack matrix times x vanishes, and the coefficients of scalars cancel.
    A solver for semidefinite programs returns about half of the digits of a float on degenerate problems; rounding to
    fractions needs nearly all of them. Least squares replaces the linear solve because x is unique only up to rotation.
    """
    m, (n, d), f = len(program.inequalities), worst.shape, len(scalars)
    # the last scalar is the constant 1; if the worst case does not use it, the constants need not cancel
    counted = f if scalars[-1] > ACTIVE else f - 1
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
        except np.linalg.LinAlgError:  # the SVD may fail if entries have very different sizes
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
    """Reduced echelon form of the column space of a matrix, rounded to fractions; empty if an entry is near no fraction."""
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
    """The fraction with the smallest denominator of `LADDER` that is close enough to a float; None if there is none."""
    for largest, near in LADDER:
        simple = Fraction(x).limit_denominator(largest)
        if abs(float(simple) - x) < near * max(1.0, abs(x)):
            return simple
    return None


def _solved(
    program: Program, multipliers: np.ndarray, drop: float, kernel: Sequence[Sequence[Fraction]]
) -> Proof | None:
    """A proof with multipliers near the given ones that solve all equations exactly; None if there is none.

    The equations are those of the scalars and Q K = 0 for the kernel K. Gaussian elimination in fractions gives the pivot
    multipliers from the free ones, which are rounded with growing denominators.
    """
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
    """The proof with these multipliers; None if the remainder is no sum of squares plus a nonnegative constant."""
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
    """Write the quadratic part of a form as a weighted sum of squares by an LDL^T factorisation in fractions.

    Returns pairs (weight, vector); None if the quadratic part is not positive semidefinite.
    """
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
    """Fractions near the given numbers that solve linear equations exactly; None if the equations have no solution.

    Parameters
    ----------
    equations : sequence of Form
        Forms that must be 0. The key () of a form is its constant.
    names : sequence of Key
        The unknowns.
    near : mapping of Key to float
        Approximate solution.
    largest : int
        Largest denominator of unknowns that the equations leave free.
    """
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
    """The symmetric matrix of the quadratic part of a form, in fractions of FLINT."""
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
    """A fraction of FLINT."""
    from flint import fmpq

    return fmpq(int(x.numerator), int(x.denominator))
