"""The worst case as a semidefinite program over Gram matrices and scalars, solved in floats.

Primal: maximise small - large over all answers that meet the conditions, at total size 1. The size is the trace of the Gram
matrix plus the scalars with a nonnegativity condition plus 1; the bound makes the homogeneous problem finite. Dual: the
smallest s for which

    s * size + large - small = sum_k multiplier_k * condition_k + (a sum of squares).

The claim is true if s <= 0, and false if s > 0 and the class is interpolable. The solution only guides the search for an
exact proof or counterexample; no verdict rests on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from verify.first_order.forms import Form, vanishes
from verify.first_order.problem import Problem

TOLERANCE = 1e-11


@dataclass(frozen=True)
class Program:
    """A claim at given numbers: ``claim`` >= 0 whenever all ``inequalities`` are >= 0 and all ``equations`` are 0.

    Attributes
    ----------
    vectors : tuple of str
        Basis vectors, in the order of the Gram matrix.
    scalars : tuple of str
        All other unknown numbers.
    values : tuple of tuple of str
        Groups of values of one function; adding one number to a whole group changes neither claim nor conditions.
    noisy : tuple of str
        Random vectors, if every equation states that they are orthogonal to other vectors; otherwise empty.
    deviations : tuple of str
        Vectors that are orthogonal to all others except each other; their products with others occur in no form.
    """

    vectors: tuple[str, ...]
    scalars: tuple[str, ...]
    claim: Form
    inequalities: tuple[tuple[str, Form], ...]
    equations: tuple[tuple[str, Form], ...]
    values: tuple[tuple[str, ...], ...] = ()
    noisy: tuple[str, ...] = ()
    deviations: tuple[str, ...] = ()

    @property
    def orthogonal(self) -> list[Form]:
        """Inner products of deviations with other vectors, which must be 0."""
        others = [name for name in self.vectors if name not in self.deviations]
        return [Form({tuple(sorted((one, o))): Fraction(1)}) for one in self.deviations for o in others]

    @property
    def signed(self) -> tuple[str, ...]:
        """Scalars with a condition of their own that they are nonnegative."""
        alone = {next(iter(slack.terms)) for _, slack in self.inequalities if len(slack.terms) == 1}
        return tuple(name for name in self.scalars if (name,) in alone)

    def matrix(self, form: Form) -> np.ndarray:
        """Symmetric matrix of the inner products in a form."""
        place = {name: k for k, name in enumerate(self.vectors)}
        found = np.zeros((len(self.vectors),) * 2)
        for key, coefficient in form.terms.items():
            if len(key) == 2:
                i, j = place[key[0]], place[key[1]]
                found[i, j] += float(coefficient) / 2
                found[j, i] += float(coefficient) / 2
        return found

    def linear(self, form: Form) -> np.ndarray:
        """Coefficients of the scalars in a form, and its constant."""
        return np.array([float(form.terms.get(key, 0)) for key in (*((s,) for s in self.scalars), ())])


@dataclass(frozen=True)
class Solution:
    """A solution in floats.

    Attributes
    ----------
    excess : float
        The optimal s of the dual.
    multipliers, free : array
        Multipliers of inequalities and of equations.
    gram : array of shape (n, n)
        Gram matrix of the worst case.
    scalars : array
        Scalars of the worst case, and as the last entry the homogenising variable for the constant 1.
    """

    excess: float
    multipliers: np.ndarray
    free: np.ndarray
    gram: np.ndarray
    scalars: np.ndarray


def program_of(problem: Problem, claim: Form) -> Program:
    """The program of a claim about a run, without vectors and scalars that occur in no form."""
    inequalities, equations = problem.inequalities, problem.equations
    spoken = {
        name for _, said in (*inequalities, *equations, ("", claim)) for key in said.terms for name in key
    }
    return Program(
        tuple(name for name in problem.vectors if name in spoken),
        tuple(name for name in problem.scalars if name in spoken),
        claim,
        _distinct(inequalities),
        _distinct(equations),
        tuple(_shifts(problem, claim, spoken)),
        _alone(problem, spoken),
        tuple(name for name in problem.vectors if name in problem.deviations & spoken),
    )


def _alone(problem: Problem, spoken: set[str]) -> tuple[str, ...]:
    """The random vectors, if all equations state that they are orthogonal to others; otherwise empty."""
    noisy = all(
        len(key) == 2 and problem.noisy & set(key) for _, slack in problem.equations for key in slack.terms
    )
    return tuple(name for name in problem.vectors if noisy and name in problem.noisy & spoken)


def _shifts(problem: Problem, claim: Form, spoken: set[str]) -> Iterator[tuple[str, ...]]:
    """Yield groups of values of one function: adding one number to the whole group changes no assumption and not the claim."""
    beside = [claim, *(f for _, f in (*problem.nonnegative, *problem.equations))]
    beside += [part for parts in problem.least.values() for part in parts]
    for member in problem.members:
        names = dict.fromkeys(name for a in member.answers if a.f is not None for (name, *_) in a.f.terms)
        if names and all(vanishes(sum(f.terms.get((name,), 0) for name in names)) for f in beside):
            yield tuple(name for name in names if name in spoken)


def _distinct(named: Sequence[tuple[str, Form]]) -> tuple[tuple[str, Form], ...]:
    """The conditions without duplicates, with unique names."""
    seen: set[frozenset[object]] = set()
    taken: dict[str, int] = {}
    kept = []
    for name, slack in named:
        once = frozenset((key, str(coefficient)) for key, coefficient in slack.terms.items())
        if once not in seen:
            seen.add(once)
            taken[name] = taken.get(name, 0) + 1
            kept.append((name if taken[name] == 1 else f"{name} ({taken[name]})", slack))
    return tuple(kept)


def solve(program: Program, weights: np.ndarray | None = None, most: float | None = None) -> Solution | None:
    """Solve the dual program in floats; None if the solver fails.

    Parameters
    ----------
    weights : array, optional
        If given, minimise the sum of weight times multiplier instead, subject to an excess of at most `most`.
    most : float, optional
        Largest excess, for use with `weights`.
    """
    import clarabel
    from scipy import sparse

    n, m, e = len(program.vectors), len(program.inequalities), len(program.equations)
    upper = [(i, j) for j in range(n) for i in range(j + 1)]
    scale = np.array([1.0 if i == j else np.sqrt(2.0) for i, j in upper])
    rows, columns = np.array([i for i, _ in upper], int), np.array([j for _, j in upper], int)
    forms = [f for _, f in (*program.inequalities, *program.equations)]
    squares = np.array([program.matrix(f)[rows, columns] * scale for f in forms]).reshape(
        len(forms), len(upper)
    )
    linear = np.array([program.linear(f) for f in forms]).reshape(len(forms), len(program.scalars) + 1)
    size = np.concatenate([np.eye(n)[rows, columns], _counted(program)])
    goal = np.concatenate(
        [program.matrix(program.claim)[rows, columns] * scale, program.linear(program.claim)]
    )
    # one row for every entry of: s * size + claim - sum of multiplier * condition
    left = np.hstack([-np.hstack([squares, linear]).T, size[:, None]])
    free, positive = left[len(upper) : -1], np.vstack([np.eye(m, m + e + 1), left[-1:]])
    blocks = [-free, -positive, -left[: len(upper)]]
    right = [goal[len(upper) : -1], np.concatenate([np.zeros(m), goal[-1:]]), goal[: len(upper)]]
    cones = [clarabel.ZeroConeT(len(free)), clarabel.NonnegativeConeT(m + 1), clarabel.PSDTriangleConeT(n)]
    objective = np.zeros(m + e + 1)
    if weights is None:
        objective[-1] = 1
    else:
        objective[:m] = weights
        blocks.insert(2, np.eye(1, m + e + 1, m + e))
        right.insert(2, np.array([most]))
        cones.insert(2, clarabel.NonnegativeConeT(1))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = TOLERANCE
    settings.max_threads = 1
    found = clarabel.DefaultSolver(
        sparse.csc_matrix((m + e + 1,) * 2),
        objective,
        sparse.csc_matrix(np.vstack(blocks)),
        np.concatenate(right),
        cones,
        settings,
    ).solve()
    x, z = np.array(found.x), np.array(found.z)
    if not (np.all(np.isfinite(x)) and np.all(np.isfinite(z))):
        return None
    gram = np.zeros((n, n))
    gram[rows, columns] = gram[columns, rows] = z[len(z) - len(upper) :] / scale
    at = len(free)
    scalars = np.append(z[:at], z[len(z) - len(upper) - 1 - (weights is not None)])
    return Solution(float(x[-1]), x[:m], x[m:-1], gram, scalars)


def _counted(program: Program) -> np.ndarray:
    """Coefficients of the size: 1 for scalars with a nonnegativity condition and for the constant, else 0."""
    signed = set(program.signed)
    return np.array([*(1.0 if name in signed else 0.0 for name in program.scalars), 1.0])
