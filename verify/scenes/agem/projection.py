"""The gradient of the current task, that of the memory, and a step along the projected gradient, in any dimension."""

from __future__ import annotations

from fractions import Fraction

from nqm.fields import dot
from verify.engine.model.scene import Box, Named, Scene, Shape, Values
from verify.first_order import Form, Problem, smooth, sq, worst_case
from verify.first_order import dot as product
from verify.first_order.points import NONNEGATIVE


def _formula(shape: Shape, values: Named) -> Values:
    """The inner product of g_ref and of the direction of Eq. (11)."""
    g, ref = values["g"], values["ref"]
    projected = g - (dot(g, ref) / dot(ref, ref))[:, None] * ref
    return {"with_ref": dot(projected, ref)}


FORMULA = Scene(
    name="the projected gradient of A-GEM",
    shapes=({"d": 1}, {"d": 2}, {"d": 3}),
    space=lambda shape: dict.fromkeys(("g", "ref"), Box(-2, 2, (shape["d"],))),
    compute=_formula,
    covers="equal as rational functions in 1 to 3 dimensions; two vectors lie in two dimensions",
)


def projection(problem: Problem) -> dict[str, Form]:
    """Eq. (11): g is the projected gradient minus a multiple of g_ref, which is orthogonal to it.

    The multiple is nonnegative, as <g, g_ref> is negative. It takes the place of g_ref, since lengths of g_ref do not matter.
    """
    projected, multiple, z = problem.point("projected"), problem.point("multiple"), problem.point("z")
    problem.assume_equal(product(projected, multiple), 0, "Eq. (11)")
    problem.assume(product(z, multiple), "z is admissible")
    g = projected - multiple
    return {
        "near2": sq(g - projected),
        "other2": sq(g - z),
        "with_own": product(projected, g),
        "kept2": sq(projected),
        "own2": sq(g),
    }


def step(problem: Problem, L: Fraction, eta: Fraction) -> dict[str, Form]:
    """A step along a direction that is orthogonal to the gradient of the memory's loss."""
    f, theta, projected = problem.function(smooth(L)), problem.point("theta"), problem.point("projected")
    problem.assume_equal(product(projected, f.gradient(theta)), 0, "Eq. (11)")
    return {"before": f(theta), "after": f(theta - eta * projected), "kept2": sq(projected)}


PROJECTION = worst_case(projection)
STEP = worst_case(step, L=NONNEGATIVE, eta=NONNEGATIVE)
