"""Two formulas of PEPit's documentation that differ from its code."""

from __future__ import annotations

from fractions import Fraction as Q

import sympy as sp

from tests.benchmarks.errata.cases import Errata
from verify import Box, Branching, Scene, worst_case
from verify.first_order import Problem, nonexpansive, smooth_strongly_convex
from verify.first_order import sq as square

DOCUMENTATION = Errata("documentation")
add, encoding, notes = DOCUMENTATION.add, DOCUMENTATION.encoding, DOCUMENTATION.notes

residual, documented, coded = notes.real("residual documented coded")


def krasnoselskii(problem: Problem, t: int):
    step = Q(24, 25)
    operator = problem.operator(nonexpansive())
    fixed, x0 = operator.fixed_point(), problem.point("x0")
    x = x0
    for _ in range(t):
        x = (1 - step) * x + step * operator.value(x)
    far = square(x0 - fixed)
    return {
        "residual": square(x - operator.value(x)) / 4,
        "documented": (step - 1) ** (2 * t) * far,
        "coded": (2 * step - 1) ** (2 * t) * far,
    }


scale, turn = notes.real("scale turn")
add(
    "krasnoselskii-mann",
    "PEPit 0.5.1, documentation of krasnoselskii_mann_constant_step_sizes; its code differs",
    "|x_n - A x_n|^2/4 <= (g - 1)^(2n) |x_0 - x*|^2 for long steps",
    "(2 g - 1)^(2n), as in the code and in Lieder 2018, Theorem 4.9",
    encoding(
        "krasnoselskii-mann.class",
        "worst case over nonexpansive operators, g = 24/25",
        residual <= documented,
        residual <= coded,
        scene=worst_case(krasnoselskii, t=(1, 2)),
    ),
    encoding(
        "krasnoselskii-mann.numbers",
        "multiplication by a number, one step",
        ((1 - scale) * (1 - turn + turn * scale)) ** 2 / 4 <= (turn - 1) ** 2,
        ((1 - scale) * (1 - turn + turn * scale)) ** 2 / 4 <= (2 * turn - 1) ** 2,
        scale**2 <= 1,
        turn >= sp.Rational(9, 10),
        turn <= 1,
    ),
)
gap, tmm_documented, tmm_coded = notes.real("gap tmm_documented tmm_coded")


def triple_momentum(problem: Problem, t: int):
    mu, r = Q(1, 4), Q(1, 2)
    f, x0 = problem.function(smooth_strongly_convex(1, mu)), problem.point("x0")
    least = f.minimiser()
    old = now = y = x = x0
    for _ in range(t):
        old, now = now, now + r**2 / (2 - r) * (now - old) - (1 + r) * f.gradient(y)
        y = now + r**2 / ((1 + r) * (2 - r)) * (now - old)
        x = now + r**2 / (1 - r**2) * (now - old)
    far = square(x0 - least)
    return {
        "gap": f(x) - f(least),
        "tmm_documented": r ** (2 * t + 2) / mu / 2 * far,
        "tmm_coded": r ** (2 * t) / mu / 2 * far,
    }


tmm_gap, tmm_far = notes.real("tmm_gap tmm_far")


def triple_quadratic(shape, values):
    """The same method on h x^2/2 with 1/4 <= h <= 1."""
    h, x0 = values["h"], values["x"]
    old = now = y = x = x0
    for _ in range(shape["t"]):
        old, now = now, now + (now - old) / 6 - 3 * h * y / 2
        y = now + (now - old) / 9
        x = now + (now - old) / 3
    far = x0**2 / 4 ** shape["t"] * 2
    return {"tmm_gap": h * x**2 / 2, "tmm_far": far}


TRIPLE = Scene(
    "triple momentum on quadratics",
    tuple({"t": t} for t in (1, 2, 3)),
    lambda s: {"h": Box(0.25, 1), "x": Box(-2, 2)},
    Branching(triple_quadratic, "up to three steps"),
)
add(
    "triple-momentum",
    "PEPit 0.5.1, documentation of triple_momentum; its code differs",
    "f(x_n) - f* <= rho^(2(n+1)) L kappa/2 |x_0 - x*|^2",
    "rho^(2n), as in the code and in Van Scoy, Freeman, Lynch 2018",
    encoding(
        "triple-momentum.class",
        "worst case over the class, kappa = 4",
        gap <= tmm_documented,
        gap <= tmm_coded,
        scene=worst_case(triple_momentum, t=(1, 2)),
    ),
    encoding(
        "triple-momentum.quadratics",
        "quadratics, kappa = 4",
        tmm_gap <= tmm_far / 4,
        tmm_gap <= tmm_far,
        scene=TRIPLE,
    ),
)
