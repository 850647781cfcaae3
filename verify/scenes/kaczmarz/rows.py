"""One step on a random row, and random projections P with E P >= c I in any dimension."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

import bounds.kaczmarz.theorem as b
from bounds.catalogue import statement
from bounds.relations import eq
from nqm.fields import dot as product
from nqm.fields import sq as square
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.engine.model.sums import Sums
from verify.first_order import Form, Problem, dot, every_round, sq, worst_case
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import follows
from verify.scenes.summands import definition, summed
from verify.scenes.trees import square as square_of
from verify.scenes.trees import times


def _rows(shape: Shape, values: Named) -> Values:
    """The expectation over all rows of a system."""
    error, rows = values["error"], values["rows"]
    none = 0 * square(error)
    along = [product(rows[:, k], error) for k in range(shape["N"])]
    sizes = [square(rows[:, k]) for k in range(shape["N"])]
    total = sum(sizes, none)
    after = [
        square(error - (a / size)[:, None] * rows[:, k])
        for k, (a, size) in enumerate(zip(along, sizes, strict=True))
    ]
    return {
        "before2": square(error),
        "after2": sum((size / total * one for size, one in zip(sizes, after, strict=True)), none),
        "image2": sum((a**2 for a in along), none),
        "size2": total,
    }


def projected(problem: Problem, c: Fraction) -> dict[str, Form]:
    """A step that subtracts the random projection P e of the error e; inner products are expectations."""
    error, part = problem.point("error"), problem.point("part")
    problem.assume_equal(dot(part, error), sq(part), "projection")
    problem.assume(sq(part) - c * sq(error), "least eigenvalue of the mean projection")
    return {"before2": sq(error), "after2": sq(error - part)}


def one_step(problem: Problem, c: Fraction) -> dict[str, Form]:
    """The same step, for proofs by induction over steps."""
    found = projected(problem, c)
    return {"distance2_before": found["before2"], "distance2": found["after2"]}


_all, _one, _weighed = named(
    "sum of weighed squares, squared error after a row, weighed square", nonnegative=True
)
_row2 = sp.Symbol("squared row", positive=True)
_along, _share = sp.Symbol("residual of a row", real=True), sp.Symbol("share of a row", real=True)
_STEP = Sums(
    eq(_one, b.before2 - 2 * _share * _along + _share**2 * _row2),
    {
        _one: square_of(["-", "error", times("share", "row")]),
        b.before2: square_of("error"),
        _along: ["dot", "row", "error"],
        _row2: square_of("row"),
        _share: "share",
    },
    {"error": "vector", "row": "vector", "share": "real"},
)
_OF_ROW = follows(
    eq(_weighed, _row2 * b.before2 - _along**2),
    _STEP,
    follows(eq(_share * _row2, _along), definition(eq(_share, _along / _row2))),
    definition(eq(_weighed, _row2 * _one)),
)
OF_ROWS = follows(
    statement("kaczmarz.thm2.mean").compared,
    summed(
        eq(_all, b.size2 * b.before2 - b.image2),
        {_all: _weighed, b.size2: _row2, b.image2: _along**2},
        (_weighed, _row2, _along, _share, _one),
        _OF_ROW,
    ),
    definition(eq(b.after2, _all / b.size2)),
)
"""The mean over any number of rows, each with a chance in proportion to its square."""
ROWS = Scene(
    name="a random row of a linear system",
    shapes=tuple({"N": n, "d": d} for n in (1, 2, 3) for d in (1, 2)),
    space=lambda shape: {"error": Box(-2, 2, (shape["d"],)), "rows": Box(-2, 2, (shape["N"], shape["d"]))},
    compute=Proved(_rows, (OF_ROWS,)),
)
STEP = worst_case(projected, c=Box(0, 1))
RUN = every_round(one_step, c=Box(0, 1))
