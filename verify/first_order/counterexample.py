"""Turn a worst case in floats into a counterexample in fractions: coordinates of all vectors, and values of all scalars.

A worst case lies on the boundary of its conditions, so rounding would violate them. It is therefore moved to a point that
breaks the claim by less but meets every condition with a margin, in as few dimensions as possible. The numbers of this point
are rounded to fractions with the smallest denominators for which all conditions still hold; exact arithmetic checks this.

Where equations must hold between inner products, rounded coordinates cannot meet them. Then the Gram matrix Q is rounded
instead. Its factorisation Q = C diag(w) C^T gives rational coordinates C along orthogonal axes of squared lengths w, and
needs no square roots.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain

import numpy as np

from verify.first_order.exact import exact_solution, sum_of_squares
from verify.first_order.forms import Form
from verify.first_order.program import Program, Solution

DENOMINATORS = (1, 2, 4, 10, 20, 100, 1_000, 10**4, 10**6, 10**8)
"""Denominators of rounded numbers, tried in this order."""
ROUNDS, LEAST = 40, 1e-9
"""Largest number of linear programs of one search, and the smallest margin that counts as a success."""
FLAT = (1, 2, 3)
"""Dimensions in which a counterexample is searched first."""
STARTS = 3
"""Number of starting points in each dimension."""


@dataclass(frozen=True)
class Example:
    """Exact values of all vectors and scalars.

    Vectors are given by coordinates along orthogonal axes, whose squared lengths are ``weights``.
    """

    weights: tuple[Fraction, ...]
    vectors: Mapping[str, tuple[Fraction, ...]]
    scalars: Mapping[str, Fraction]

    def value(self, form: Form) -> Fraction:
        """Value of a form at these vectors and scalars."""
        total = Fraction(0)
        for key, coefficient in form.terms.items():
            if len(key) == 2:
                u, v = self.vectors[key[0]], self.vectors[key[1]]
                total += coefficient * sum(w * x * y for w, x, y in zip(self.weights, u, v, strict=True))
            else:
                total += coefficient * (self.scalars[key[0]] if key else 1)
        return total

    def breaks(self, program: Program) -> bool:
        """Whether all conditions of a program hold exactly and its claim is violated."""
        return (
            self.value(program.claim) < 0
            and all(self.value(f) >= 0 for _, f in program.inequalities)
            and all(self.value(f) == 0 for _, f in program.equations)
            and all(self.value(f) == 0 for f in program.orthogonal)
        )


def example(program: Program, solution: Solution) -> Example | None:
    """A counterexample to the claim of a program, derived from its worst case; None if none passes the exact check."""
    flat = iter(()) if program.equations and not program.noisy else _by_coordinates(program, solution)
    tries = chain(flat, _by_gram(program))
    return next((found for found in tries if found is not None and found.breaks(program)), None)


# ------------------------------------------------------------------------------------------------ coordinates


def _by_coordinates(program: Program, solution: Solution) -> Iterator[Example | None]:
    """Yield examples with rounded coordinates, in the smallest dimension first.

    The vectors of the worst case are projected to d dimensions: first to the d largest principal axes, then to random ones.
    Random vectors must be orthogonal to all others. Each keeps an axis of its own, and so do the deviations of clients.
    """
    values, axes = np.linalg.eigh(solution.gram)
    order = np.argsort(values)[::-1]
    whole = axes[:, order] * np.sqrt(np.maximum(values[order], 0))
    system = _System(program)
    scalars = solution.scalars[:-1]
    place = {name: k for k, name in enumerate(program.vectors)}
    groups = [[place[name]] for name in program.noisy]  # each random vector has an axis of its own
    groups += [[place[name] for name in program.deviations]] if program.deviations else []
    alone, own = np.zeros((len(whole), 0)), np.zeros((len(whole), 0))
    for group in groups:
        left, sizes, _ = np.linalg.svd(whole[group])
        axes = np.zeros((2, len(whole), len(group)))
        axes[0, group], axes[1, group] = left * np.resize(sizes, len(group)), 1
        alone, own = np.hstack([alone, axes[0]]), np.hstack([own, axes[1]])
        whole[group] = 0
    free = 1.0 - own.max(axis=1, initial=0.0)[:, None]
    for d in dict.fromkeys((*(d for d in FLAT if d <= len(whole)), len(whole))):
        rng = np.random.default_rng(d)
        for start in range(STARTS):
            at = whole[:, :d] if start == 0 else whole @ np.linalg.qr(rng.normal(size=(len(whole), d)))[0]
            moves = np.hstack([np.repeat(free, d, axis=1), own])
            found = system.interior(np.hstack([at, alone]), scalars, moves)
            if found is not None:
                yield from _rounded(program, *found)
                break


class _System:
    """The conditions and the negated claim as quadratic functions of the coordinates; all must become positive."""

    def __init__(self, program: Program) -> None:
        forms = [*(f for _, f in program.inequalities), -program.claim]
        self.squares = np.array([program.matrix(f) for f in forms])
        linear = np.array([program.linear(f) for f in forms])
        self.linear, self.constant = linear[:, :-1], linear[:, -1]
        self.single = np.array([len(f.terms) == 1 for f in forms])

    def values(self, x: np.ndarray, f: np.ndarray) -> np.ndarray:
        """Values of all functions at coordinates `x` (vectors by axes) and scalars `f`."""
        found: np.ndarray = np.einsum("kij,id,jd->k", self.squares, x, x) + self.linear @ f + self.constant
        return found

    def interior(
        self, x: np.ndarray, f: np.ndarray, moves: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """A point near the given one at which all values are positive; None if none is found.

        Each step linearises the functions and maximises their smallest value by a linear program in a trust region. The
        region grows after a success and shrinks after a failure. Coordinates where `moves` is 0 stay fixed: random vectors
        and deviations must stay on their own axes.
        """
        from scipy.optimize import linprog

        n, d, m = *x.shape, len(f)
        size = max(float(abs(x).max(initial=0)), 1e-3)
        radius, best = size, float(self.values(x, f).min())
        for _ in range(ROUNDS):
            slopes = 2 * np.einsum("kij,jd->kid", self.squares, x).reshape(-1, n * d)
            left = np.hstack([-slopes, -self.linear, np.ones((len(slopes), 1))])
            bounds = (
                [(-radius * move, radius * move) for move in moves.ravel()]
                + [(None, None)] * m
                + [(None, size**2)]
            )
            goal = np.zeros(n * d + m + 1)
            goal[-1] = -1
            step = linprog(goal, A_ub=left, b_ub=self.values(x, f), bounds=bounds, method="highs")
            if step.x is None:
                return None
            tried = x + step.x[: n * d].reshape(n, d), f + step.x[n * d : -1]
            least = float(self.values(*tried).min())
            if least > best + 1e-12:
                if best > LEAST and least < best * 1.1:
                    return tried
                (x, f), best = tried, least
                radius *= 1.5
            else:
                radius /= 4
                if radius < 1e-7 * size:
                    break
        return (x, f) if best > LEAST else None


def _rounded(program: Program, x: np.ndarray, f: np.ndarray) -> Iterator[Example]:
    """Yield the point with its numbers rounded to fractions, with the smallest denominators first.

    If all conditions are homogeneous, the point is scaled so that its largest coordinate is 1; then small denominators
    suffice more often.
    """
    homogeneous = all(() not in form.terms for _, form in (*program.inequalities, ("", program.claim)))
    scale = float(abs(x).max(initial=0)) if homogeneous and abs(x).max(initial=0) > 0 else 1.0
    x, f = x / scale, f / scale**2
    for names in (
        program.values
    ):  # only differences of the values of one function matter, so its first value is set to 0
        places = [program.scalars.index(name) for name in names]
        f[places] -= f[places[0]] if places else 0
    for largest in DENOMINATORS:
        near = lambda v, n=largest: Fraction(round(float(v) * n), n)  # noqa: E731
        yield Example(
            (Fraction(1),) * x.shape[1],
            {name: tuple(map(near, row)) for name, row in zip(program.vectors, x, strict=True)},
            {name: near(v) for name, v in zip(program.scalars, f, strict=True)},
        )


# ------------------------------------------------------------------------------------------------ Gram matrices


def _by_gram(program: Program) -> Iterator[Example | None]:
    """Yield examples from a rounded Gram matrix that solves all equations exactly and meets all inequalities with a margin."""
    inside = _inside(program)
    if inside is None:
        return
    keys = [(a, b) for k, a in enumerate(program.vectors) for b in program.vectors[: k + 1]]
    keys = [(a, b) if a <= b else (b, a) for a, b in keys]
    names = [*keys, *((s,) for s in program.scalars)]
    for largest in DENOMINATORS[3:]:
        values = exact_solution(
            [*(f for _, f in program.equations), *program.orthogonal], names, inside, largest
        )
        if values is None:
            return
        gram = Form({key: values[key] * (1 if key[0] == key[1] else 2) for key in keys})
        squares = sum_of_squares(program.vectors, gram)
        if squares is not None:
            rows = {
                name: tuple(v.parts.get(name, Fraction(0)) for _, v in squares) for name in program.vectors
            }
            yield Example(tuple(w for w, _ in squares), rows, {s: values[s,] for s in program.scalars})


def _inside(program: Program) -> Mapping[tuple[str, ...], float] | None:
    """Inner products and scalars that meet the equations, and all inequalities with the largest margin, in floats.

    The last variable is the margin t. Every inequality must be at least t, and the Gram matrix minus t/n times the identity
    must be positive semidefinite. Homogeneous conditions allow any multiple of a solution, so the trace is at most 1; for
    conditions with constants, t is at most 1 instead. Returns None if the margin is below `LEAST`.
    """
    import clarabel
    from scipy import sparse

    n, m = len(program.vectors), len(program.scalars)
    upper = [(i, j) for j in range(n) for i in range(j + 1)]
    twice = np.array([1.0 if i == j else 2.0 for i, j in upper])
    at = tuple(np.array(upper).T)

    def row(f: Form) -> np.ndarray:
        return np.concatenate([program.matrix(f)[at] * twice, program.linear(f)[:-1]])

    def constant(f: Form) -> float:
        return float(program.linear(f)[-1])

    forms = [*(f for _, f in program.inequalities), -program.claim]
    equations = [*(f for _, f in program.equations), *program.orthogonal]
    size = np.concatenate([[1.0 if i == j else 0.0 for i, j in upper], np.zeros(m + 1)])
    variables = len(upper) + m + 1
    zero = np.array([[*row(f), 0.0] for f in equations]).reshape(len(equations), variables)
    positive = np.array([[*-row(f), 1.0] for f in forms])
    half = np.array([1.0 if i == j else np.sqrt(2.0) for i, j in upper])
    cone = np.hstack([-np.diag(half), np.zeros((len(upper), m)), np.eye(n)[at][:, None] / n])
    bounded = any(constant(f) for f in (*forms, *equations))
    blocks = [zero, positive, size[None] if not bounded else np.eye(1, variables, variables - 1), cone]
    right = [
        np.array([-constant(f) for f in equations]),
        np.array([constant(f) for f in forms]),
        np.array([1.0]),
        np.zeros(len(upper)),
    ]
    cones = [
        clarabel.ZeroConeT(len(equations)),
        clarabel.NonnegativeConeT(len(forms) + 1),
        clarabel.PSDTriangleConeT(n),
    ]
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.max_threads = False, 1
    goal = np.zeros(variables)
    goal[-1] = -1
    found = clarabel.DefaultSolver(
        sparse.csc_matrix((variables,) * 2),
        goal,
        sparse.csc_matrix(np.vstack(blocks)),
        np.concatenate(right),
        cones,
        settings,
    ).solve()
    x = np.array(found.x)
    if not np.all(np.isfinite(x)) or x[-1] < LEAST:
        return None
    names = [tuple(sorted((program.vectors[i], program.vectors[j]))) for i, j in upper]
    return dict(zip([*names, *((s,) for s in program.scalars)], x[:-1].tolist(), strict=True))
