"""One step on a random row, and random projections P with E P >= c I in any dimension."""

from __future__ import annotations

from fractions import Fraction

from nqm.fields import dot as product
from nqm.fields import sq as square
from verify.engine.model.scene import Box, Named, Scene, Shape, Values
from verify.first_order import Form, Problem, dot, every_round, sq, worst_case


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


ROWS = Scene(
    name="a random row of a linear system",
    shapes=tuple({"N": n, "d": d} for n in (1, 2, 3) for d in (1, 2)),
    space=lambda shape: {"error": Box(-2, 2, (shape["d"],)), "rows": Box(-2, 2, (shape["N"], shape["d"]))},
    compute=_rows,
    covers="equal as rational functions at every listed number of rows; every row adds alike",
)
STEP = worst_case(projected, c=Box(0, 1))
RUN = every_round(one_step, c=Box(0, 1))
