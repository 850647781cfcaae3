"""Multipliers as sums of few monomials of the parameters, for claims that are not tight.

A proof for all parameters needs the multipliers as functions of the parameters. For a tight claim they are unique at each
point, and a rational function can be fitted through them. For a claim with a margin, the multipliers at a point fill an
interval, and different points need not lie on one function. Here each multiplier is a sum of monomials with unknown
coefficients, and the same coefficients must prove the claim at many points at once:

1. The coefficients with the smallest sum of absolute values select the monomials (sparsity by the l1 norm).
2. With these monomials only, the slack of the claim (which must be a sum of squares) gets the largest possible margin.
3. The coefficients are rounded, and accepted if the slack is still positive semidefinite at all points.

Steps 1 and 2 are semidefinite programs in floats. Callers verify the identity and all signs symbolically afterwards, so no
tolerance here can make a false claim pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import product
from math import prod
from typing import Any

import numpy as np

from verify.engine.tactics.conic import minimised
from verify.first_order.exact import Row, exact_solution, worst_directions
from verify.first_order.forms import NOTHING as NOTHING_SAID
from verify.first_order.forms import Form
from verify.first_order.functions import RationalFunction
from verify.first_order.program import Program

EXPONENTS = ((0, 1), (0, 1, 2), (0, 1, 2, 3), (-1, 0, 1, 2), (-1, 0, 1, 2, 3))
"""Sets of exponents of each parameter in a monomial, tried in this order."""
LARGEST = 400
"""Largest number of unknown coefficients."""
DENOMINATORS = (1, 2, 4, 8, 12, 60, 1_000)
"""Largest denominators of rounded coefficients, tried in this order."""
NOTHING = (1e-2, 1e-4)
"""Thresholds below which a coefficient counts as 0, tried in this order."""
RELAXED = 1e-6
"""Relaxation of the first program, relative to the largest entry: without it a tight claim has no interior point."""
AT_FIRST, ADDED, TURNS = 20, 12, 4
"""Numbers of points at the ends of the ranges: used at first, added in each turn; and the number of turns."""
NEGATIVE = 1e-9
"""Eigenvalues in floats down to minus this, relative to the largest, count as nonnegative."""

Point = Mapping[str, Fraction]
Unknown = tuple[str, tuple[int, ...]]
Weights = dict[str, RationalFunction]


def monomial_multipliers(
    programs: Sequence[tuple[Point, Program]],
    edges: Sequence[tuple[Point, Program]],
    variables: Mapping[str, RationalFunction],
    below: RationalFunction | None = None,
) -> Iterator[tuple[Weights, Weights]]:
    """Yield candidates: multipliers of inequalities and of equations, by name, as sums of monomials of the parameters.

    Parameters
    ----------
    programs, edges : sequence of (point, Program)
        The claim at points inside the ranges of the parameters, and at their ends.
    variables : mapping of str to RationalFunction
        The parameters as rational functions.
    below : RationalFunction, optional
        Common denominator of all multipliers, such as that of the claim.
    """
    if below is not None:
        programs, edges = (
            [(p, replace(one, claim=below.at(p) * one.claim)) for p, one in part if below.at(p)]
            for part in (programs, edges)
        )
    whole = max((program.vectors for _, program in programs), key=len, default=())
    programs = [(p, program) for p, program in programs if program.vectors == whole]
    directions = [worst_directions(program) for _, program in programs]
    # directions that are the same at most points, such as adding one vector to all gradients, vanish everywhere
    most = max(directions, key=directions.count, default=[])
    alike = most if 2 * directions.count(most) > len(directions) else []
    if alike or not all(directions):
        directions = [alike for _ in programs]
    names = list(
        dict.fromkeys(name for _, program in (*programs, *edges) for name in _conditions_by_name(program))
    )
    if not names:  # a claim about squares alone has nothing to fit
        return
    signed = {name for _, program in (*programs, *edges) for name, _ in program.inequalities}
    for monomials in _families(len(variables)):
        unknown = [(name, m) for name in names for m in monomials]
        if len(unknown) > LARGEST:
            return

        def sample(p: Point, program: Program, worst: Sequence[Row] = (), unknown: Any = unknown) -> _Sample:
            return _sample(p, program, worst, unknown, signed, list(variables))

        inner = [sample(p, program, worst) for (p, program), worst in zip(programs, directions, strict=True)]
        divides = any(e < 0 for m in monomials for e in m)
        defined = [(p, one) for p, one in edges if not divides or all(p[n] for n in variables)]
        outer = [sample(p, one, alike if one.vectors == whole else []) for p, one in defined]
        everywhere = alike or not any(directions)
        used, few = _enough(inner, outer if everywhere else [])
        if few is None:
            continue
        for least in NOTHING:
            kept = [k for k in range(len(unknown)) if abs(few[k]) > least]
            near = _with_margin([one.of(kept) for one in used], few[kept])
            if near is None:  # no margin exists, so the coefficients of step 1 are rounded directly
                near = few[kept]
            for found in _rounded(programs, directions, [unknown[k] for k in kept], near, list(variables)):
                value = np.array([float(found.get(one, 0)) for one in unknown])
                if all(one.holds_in_floats(value) for one in (*inner, *outer)):
                    weights = _functions(found, variables, below)
                    yield (
                        {n: w for n, w in weights.items() if n in signed},
                        {n: w for n, w in weights.items() if n not in signed},
                    )
                    break


def _families(n: int) -> Iterator[list[tuple[int, ...]]]:
    """Yield sets of monomials of n parameters: first single monomials, then all monomials with exponents from each set."""
    yield from ([m] for m in sorted(product((0, 1), repeat=n), key=lambda m: (sum(m) != 1, sum(m))))
    yield from (list(product(exponents, repeat=n)) for exponents in EXPONENTS)


def _enough(inner: Sequence[_Sample], outer: Sequence[_Sample]) -> tuple[list[_Sample], np.ndarray | None]:
    """Solve step 1 at a growing set of points; returns the points used and the coefficients (None: infeasible).

    All ends of the ranges together make a large program. Only points where the solution fails are added, in `TURNS` turns.
    """
    used, left = [*inner, *outer[:: max(1, len(outer) // AT_FIRST)]], list(outer)
    few = None
    for _ in range(TURNS):
        few = _fewest(used)
        failing = [] if few is None else [one for one in left if not one.holds_in_floats(few, 10 * RELAXED)]
        if not failing:
            break
        used += failing[:: max(1, len(failing) // ADDED)]
    return used, few


def _conditions_by_name(program: Program) -> dict[str, Form]:
    """All conditions of a program by name."""
    return {**dict(program.inequalities), **dict(program.equations)}


def _value(monomial: tuple[int, ...], names: Sequence[str], point: Point) -> Fraction:
    """Value of a monomial at a point."""
    return prod((point[n] ** e for n, e in zip(names, monomial, strict=True)), start=Fraction(1))


@dataclass(frozen=True)
class _Sample:
    """The conditions at one point on the coefficients c for a proof of the claim. All are linear in c:

    - ``zero c = ends``: the coefficients of function values cancel, and the slack vanishes on the worst directions;
    - ``signs c >= floor``: multipliers of inequalities and the constant that remains are nonnegative;
    - ``goal - sum_k c_k squares_k`` is positive semidefinite: the slack is a sum of squares.

    The columns of ``basis`` span the orthogonal complement of the worst directions.
    """

    zero: np.ndarray
    ends: np.ndarray
    signs: np.ndarray
    floor: np.ndarray
    squares: np.ndarray
    goal: np.ndarray
    basis: np.ndarray

    def of(self, kept: Sequence[int]) -> _Sample:
        """The conditions on some coefficients only; all others are 0."""
        return _Sample(
            self.zero[:, kept],
            self.ends,
            self.signs[:, kept],
            self.floor,
            self.squares[kept],
            self.goal,
            self.basis,
        )

    @property
    def parts(self) -> tuple[np.ndarray, np.ndarray]:
        """``squares`` and ``goal`` restricted to the complement of the worst directions.

        The slack vanishes on the worst directions, so only the restricted matrix can have an interior for a solver.
        """
        turn = lambda m: np.swapaxes(self.basis, -1, -2) @ m @ self.basis  # noqa: E731
        return turn(self.squares), turn(self.goal)

    def slack_matrix(self, c: np.ndarray) -> np.ndarray:
        """The matrix of the slack, which must be positive semidefinite."""
        return np.asarray(self.goal - np.tensordot(c, self.squares, 1))

    def holds_in_floats(self, c: np.ndarray, least: float = NEGATIVE) -> bool:
        """Whether the signs and the positive semidefiniteness hold in floats, up to a relative error of `least`."""
        values = np.linalg.eigvalsh(self.slack_matrix(c)) if len(self.goal) else np.zeros(1)
        size = max(abs(values).max(), abs(self.goal).max(initial=0), 1e-300)
        return bool(values.min() >= -least * size and np.all(self.signs @ c >= self.floor - least))


def _sample(
    point: Point,
    program: Program,
    worst: Sequence[Row],
    unknown: Sequence[Unknown],
    signed: set[str],
    names: Sequence[str],
) -> _Sample:
    """The conditions of a program at a point; column k belongs to ``unknown[k]`` (condition, monomial)."""
    known = _conditions_by_name(program)
    powers = {m: float(_value(m, names, point)) for m in dict.fromkeys(m for _, m in unknown)}
    scale = np.array([powers[m] for _, m in unknown])
    every = dict.fromkeys(name for name, _ in unknown)
    place = {name: k for k, name in enumerate(every)}
    at = np.array([place[name] for name, _ in unknown])
    squares = np.array([program.matrix(known.get(name, NOTHING_SAID)) for name in every])
    linear = np.array([program.linear(known.get(name, NOTHING_SAID)) for name in every])
    columns = linear[at].T * scale
    ends = program.linear(program.claim)
    own = [np.where(at == place[one], scale, 0.0) for one in known if one in signed]
    matrices = squares[at] * scale[:, None, None]
    goal, size = program.matrix(program.claim), len(program.vectors)
    kernel = np.array(worst, dtype=float).reshape(len(worst), size)
    basis = np.linalg.svd(kernel)[2][len(worst) :].T if worst else np.eye(size)
    return _Sample(
        np.vstack([columns[:-1], np.tensordot(matrices, kernel.T, 1).reshape(len(unknown), -1).T]),
        np.concatenate([ends[:-1], (goal @ kernel.T).ravel()]),
        np.vstack([-columns[-1:], *own]),
        np.append(-ends[-1:], np.zeros(len(own))),
        matrices,
        goal,
        basis,
    )


def _fewest(samples: Sequence[_Sample]) -> np.ndarray | None:
    """Step 1: coefficients with the smallest sum of absolute values; None if there are none.

    A coefficient is written as the difference of two nonnegative variables, whose sum is its absolute value.
    """
    n = samples[0].zero.shape[1]
    both = lambda rows: np.concatenate([rows, -rows], axis=-1)  # noqa: E731
    positive = [(np.eye(2 * n), np.zeros(2 * n)), *((both(s.signs), s.floor) for s in samples)]
    found = minimised(
        np.ones(2 * n),
        [(both(s.zero), s.ends) for s in samples],
        positive,
        [
            (np.concatenate([squares, -squares]), _relaxed(goal))
            for s in samples
            for squares, goal in [s.parts]
        ],
    )
    return None if found is None else np.asarray(found[:n] - found[n:])


def _relaxed(goal: np.ndarray) -> np.ndarray:
    """The matrix plus a small multiple of the identity, so that an interior point exists for the solver."""
    return np.asarray(goal + RELAXED * abs(goal).max(initial=0) * np.eye(len(goal)))


def _with_margin(samples: Sequence[_Sample], few: np.ndarray) -> np.ndarray | None:
    """Step 2: coefficients with the largest margin; None if there is none.

    The margin is the largest t <= 1 for which the slack minus t D is positive semidefinite at every point. D is the diagonal
    of the slack for the given coefficients, which sets the scale. Coefficients are at most three times the largest given one.
    """
    n = len(few)
    more = lambda rows: np.hstack([rows, np.zeros((len(rows), 1))])  # noqa: E731
    left = [s.basis.T @ s.slack_matrix(few) @ s.basis for s in samples]
    diagonals = [np.diag(np.maximum(np.diag(matrix), 0)) for matrix in left]
    reach = 3 * abs(few).max(initial=1.0)
    inside = np.hstack([np.vstack([np.eye(n), -np.eye(n)]), np.zeros((2 * n, 1))])
    limits = [(inside, np.full(2 * n, -reach)), (-np.eye(1, n + 1, n), np.array([-1.0]))]
    found = minimised(
        -np.eye(n + 1)[n],
        [(more(s.zero), s.ends) for s in samples],
        [*limits, *((more(s.signs), s.floor) for s in samples)],
        [
            (np.concatenate([s.parts[0], d[None]]), s.parts[1])
            for s, d in zip(samples, diagonals, strict=True)
        ],
    )
    return None if found is None or found[-1] < -1e-6 else np.asarray(found[:-1])


def _rounded(
    programs: Sequence[tuple[Point, Program]],
    directions: Sequence[Sequence[Row]],
    unknown: Sequence[Unknown],
    near: np.ndarray,
    names: Sequence[str],
) -> Iterator[dict[Unknown, Fraction]]:
    """Step 3: yield fractions near the coefficients, with the smallest denominators first.

    The equations (function values cancel, the slack vanishes on the worst directions) are solved exactly in fractions.
    """
    keys = [(str(k),) for k in range(len(unknown))]
    equations = []
    for (point, program), worst in zip(programs, directions, strict=True):
        known = _conditions_by_name(program)
        powers = {monomial: _value(monomial, names, point) for _, monomial in unknown}
        for entry in _vanishing(program, worst):
            terms: dict[Any, Fraction] = {(): -entry(program.claim)}
            for key, (name, monomial) in zip(keys, unknown, strict=True):
                terms[key] = entry(known[name]) * powers[monomial] if name in known else Fraction(0)
            equations.append(Form({key: c for key, c in terms.items() if c}))
    floats: dict[tuple[str, ...], float] = {key: float(x) for key, x in zip(keys, near, strict=True)}
    for largest in DENOMINATORS:
        exact = exact_solution(equations, keys, floats, largest) if equations and keys else {}
        if exact is None:
            return
        if not equations:
            exact = {key: Fraction(x).limit_denominator(largest) for key, x in floats.items()}
        yield {unknown[int(key[0])]: value for key, value in exact.items() if value}


def _vanishing(program: Program, worst: Sequence[Row]) -> Iterator[Callable[[Form], Fraction]]:
    """Yield the linear functions of a form that must vanish: coefficients of values, and its matrix times worst directions."""
    for scalar in program.scalars:
        yield lambda form, key=(scalar,): Fraction(form.terms.get(key, 0))  # type: ignore[misc]
    for row in worst:
        along = dict(zip(program.vectors, row, strict=True))
        for name in program.vectors:
            yield partial(_along, name, along)


def _along(name: str, along: Mapping[str, Fraction], form: Form) -> Fraction:
    """Twice the entry of (matrix of the form) times (direction `along`) at the vector `name`."""
    total = Fraction(0)
    for key, c in form.terms.items():
        if len(key) == 2 and name in key:
            total += c * (
                2 * along[name] if key[0] == key[1] else along[key[0] if key[1] == name else key[1]]
            )
    return total


def _functions(
    found: Mapping[Unknown, Fraction],
    variables: Mapping[str, RationalFunction],
    below: RationalFunction | None,
) -> Weights:
    """The multipliers as rational functions from the coefficients of their monomials."""
    nothing = next(iter(variables.values())) * 0
    weights: Weights = {}
    for (name, monomial), coefficient in found.items():
        term = nothing + coefficient
        for variable, exponent in zip(variables.values(), monomial, strict=True):
            term = term * variable**exponent if exponent else term
        weights[name] = weights.get(name, nothing) + term
    return weights if below is None else {name: weight / below for name, weight in weights.items()}
