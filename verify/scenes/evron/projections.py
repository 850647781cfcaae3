"""Projections of errors on null spaces, in any dimension, and two lines in the plane.

A point p is the projection of v on a subspace if v - p is orthogonal to p and to all other points of the subspace that the
statement speaks of. Conversely these points span a subspace for which this is true, so nothing is lost.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

import bounds.evron.two_tasks as b
from bounds.catalogue import statement
from bounds.evron.symbols import F
from bounds.relations import eq
from nqm.fields import Array, stack
from nqm.fields import dot as product
from nqm.fields import sq as square
from verify.engine.model.scene import Box, Named, Proved, Rounds, Scene, Shape, Values
from verify.first_order import Form, Problem, Vector, dot, lipschitz, sq, worst_case
from verify.first_order.points import COUNTS, NONNEGATIVE
from verify.scenes.norms_of_sums import follows
from verify.scenes.summands import before, definition


def shrunk(problem: Problem) -> dict[str, Form]:
    """The loss of a task of norm at most 1, at an error that projections have shrunk."""
    origin, first, error, image = (problem.point(name) for name in ("x", "y", "e", "image"))
    for longer, shorter in ((origin, first), (first, error)):
        problem.assume(sq(longer) - sq(shorter), "projections shrink the error")
    problem.assume(sq(error) - sq(image), "matrices of norm at most 1")
    return {"F": sq(image), "origin": sq(origin), "first": sq(first)}


def _project(problem: Problem, point: Vector, name: str, *inside: Vector) -> Vector:
    """The projection of a point on a subspace that contains the points `inside`."""
    projected = problem.point(name)
    for other in (projected, *inside):
        problem.assume_equal(dot(point - projected, other), 0, f"{name} is a projection")
    return projected


def earlier_task(problem: Problem) -> dict[str, Form]:
    """Loss of an earlier task at an error, where the matrix of the task is 1-Lipschitz and vanishes on its null space."""
    task, error = problem.operator(lipschitz(1)), problem.point("error")
    inside = _project(problem, error, "inside")
    task.answer(inside, 0 * inside)
    return {
        "loss": sq(task.value(error)),
        "missing": sq(error - inside),
        "now": sq(error),
        "later": sq(inside),
    }


def three_in_a_row(problem: Problem, a: Fraction) -> dict[str, Form]:
    """Errors of three steps in turn: the first and the last lie in the null space of one task."""
    earlier = problem.point("before")
    now = _project(problem, earlier, "here")
    later = _project(problem, now, "after", earlier)
    return {"earlier": sq(earlier), "now": sq(now), "later": sq(later)}


def one_more(problem: Problem, j: Fraction) -> dict[str, Form]:
    """One more projection in a cycle."""
    begin, here = problem.point("begin"), problem.point("here")
    after = _project(problem, here, "after")
    return {"far": sq(here - begin), "far_next": sq(after - begin), "kept": sq(here), "kept_next": sq(after)}


def first_one(problem: Problem) -> dict[str, Form]:
    """The first projection in a cycle."""
    begin = problem.point("begin")
    after = _project(problem, begin, "after")
    return {"far_next": sq(after - begin), "kept": sq(begin), "kept_next": sq(after)}


def whole_cycle(problem: Problem, tasks: int) -> dict[str, Form]:
    """A cycle of projections on any subspaces."""
    begin = error = problem.point("begin")
    for number in range(1, tasks + 1):
        error = _project(problem, error, f"step{number}")
    problem.assume(sq(begin) - sq(error), "projections shrink")  # follows from the equations
    return {"turned": sq(begin - error), "start": sq(begin), "end": sq(error)}


def two_errors(problem: Problem) -> dict[str, Form]:
    """Two errors and their projections on one subspace."""
    one, other = problem.point("one"), problem.point("other")
    inside = _project(problem, one, "one_inside")
    other_inside = _project(problem, other, "other_inside", inside)
    problem.assume_equal(dot(one - inside, other_inside), 0, "both lie in the subspace")
    return {"turned": sq(one - other), "turned_next": sq(inside - other_inside)}


def two_cycles(problem: Problem, b: Fraction) -> dict[str, Form]:
    """Errors at both ends of a cycle, of which the second is no longer than the first."""
    begin, end = problem.point("first"), problem.point("second")
    problem.assume(sq(begin) - sq(end), "projections shrink")
    return {"start": sq(begin), "end": sq(end), "turned": sq(begin - end)}


def next_solution(problem: Problem) -> dict[str, Form]:
    """An error, its projection on the null space of a task, and another point of the null space."""
    error, solution = problem.point("error"), problem.point("solution")
    inside = _project(problem, error, "inside", solution)
    return {"missing": sq(error - inside), "far": sq(error - solution)}


def _two_lines(shape: Shape, values: Named) -> Values:
    """Forgetting after cycles of both tasks, on two lines in the plane, from a point of the first line."""
    p, q, length = values["p"], values["q"], values["length"]
    lines = (stack([p * 0 + 1, q * 0], -1), stack([p, q], -1))

    def on(line: int, error: Array) -> Array:
        along = lines[line]
        return (product(error, along) / square(along))[:, None] * along

    error = length[:, None] * lines[0]
    for step in range(1, 2 * shape["rounds"]):
        error = on(step % 2, error)
    return {"c": p**2 / (p**2 + q**2), "first": length**2, "F": (square(error) - square(on(0, error))) / 2}


EARLIER = worst_case(earlier_task)
TURN = worst_case(three_in_a_row, a=NONNEGATIVE)
WAY = worst_case(one_more, j=COUNTS)
FIRST = worst_case(first_one)
CYCLE = worst_case(whole_cycle, tasks=(1, 2, 3))
CONTRACTION = worst_case(two_errors)
FALL = worst_case(two_cycles, b=NONNEGATIVE)
NEAREST = worst_case(next_solution)
_steps, _error2 = (
    sp.Symbol("steps", integer=True, nonnegative=True),
    sp.Symbol("squared error", nonnegative=True),
)
_POWER = sp.Symbol("power", positive=True)
_KEPT = Rounds(
    eq(_error2, b.c**_steps * b.first),
    _steps,
    {_POWER: b.c**_steps},
    {_POWER: b.c * _POWER},
    {_error2: (before(_error2), b.first)},
    (definition(eq(_error2, b.c * before(_error2))),),
)
"""Squared error after projections on two lines in turn, each of which leaves the share c."""
IN_TURN = follows(
    statement("evron.thm10.lines").compared,
    (_KEPT, {_steps: 2 * b.rounds - 1}),
    definition(eq(F, (_error2 - b.c * _error2) / 2)),
)
LINES = Scene(
    name="projections on two lines in turn",
    shapes=tuple({"rounds": n} for n in (1, 2, 3, 4)),
    space=lambda shape: {"p": Box(0.1, 2), "q": Box(0.1, 2), "length": Box(0.1, 1)},
    compute=Proved(_two_lines, (IN_TURN,)),
)
SHRUNK = worst_case(shrunk)
