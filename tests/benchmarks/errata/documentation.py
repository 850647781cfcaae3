"""False formulas of PEPit's documentation: operators and smooth losses."""

from __future__ import annotations

from fractions import Fraction as Q

import sympy as sp

from tests.benchmarks.errata.cases import Errata
from verify import Box, Branching, Scene, worst_case
from verify.first_order import Problem, nonexpansive, smooth, smooth_convex, smooth_strongly_convex
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

# ------------------------------------------- optimized gradient method: which of its two points is meant
ogm_first, ogm_last, eighth = notes.real("ogm_first ogm_last eighth")
w = notes.positive("w")


def optimized_gradient(problem: Problem):
    f, x0 = problem.function(smooth_convex(1)), problem.point("x0")
    least = f.minimiser()
    first = x0 - f.gradient(x0)
    last = first + Q(1, 2) * (first - x0)
    return {
        "ogm_first": f(first) - f(least),
        "ogm_last": f(last) - f(least),
        "eighth": square(x0 - least) / 8,
    }


add(
    "optimized-gradient",
    "PEPit 0.5.1, documentation of optimized_gradient; its code evaluates y_n",
    "f(x_n) - f* <= L/(2 theta_n^2) |x_0 - x*|^2, with x_n = y_{n-1} - f'(y_{n-1})/L",
    "f(y_n) - f* is bounded so; the bound of f(x_1) - f* is L/6, not L/8",
    encoding(
        "optimized-gradient.class",
        "worst case over the class, one step",
        ogm_first <= eighth,
        ogm_last <= eighth,
        scene=worst_case(optimized_gradient),
    ),
    encoding(
        "optimized-gradient.huber",
        "free numbers: a Huber loss of width w from 1",
        w * (1 - w) - w**2 / 2 <= sp.Rational(1, 8),
        w * (1 - 3 * w / 2) - w**2 / 2 <= sp.Rational(1, 8),
        w <= sp.Rational(2, 5),
    ),
)

# ------------------------------------------- gradient descent on smooth losses with short steps
least_slope, slope_documented, slope_corrected = notes.real("least_slope slope_documented slope_corrected")
gamma, slope2 = notes.positive("gamma slope2")


def short_steps(problem: Problem):
    step, f, x0 = Q(1, 2), problem.function(smooth(1)), problem.point("x0")
    x1 = x0 - step * f.gradient(x0)
    fall = f(x0) - f(x1)
    return {
        "least_slope": problem.smallest(square(f.gradient(x0)), square(f.gradient(x1))),
        "slope_documented": Q(4, 3) * fall,
        "slope_corrected": 4 / (4 * step - step**2) * fall,
    }


add(
    "short-steps",
    "PEPit 0.5.1, documentation and code of nonconvex_optimization.gradient_descent",
    "for steps of at most 1/L, min |f'(x_t)|^2 <= 4 L/(3 n) (f(x_0) - f(x_n))",
    "the bound is 4/(n (4 gamma - L gamma^2)) (f(x_0) - f(x_n)); the printed one is that of gamma = 1/L",
    encoding(
        "short-steps.class",
        "worst case over smooth functions, one step of 1/2",
        least_slope <= slope_documented,
        least_slope <= slope_corrected,
        scene=worst_case(short_steps),
    ),
    encoding(
        "short-steps.linear",
        "free numbers: a linear function, L = 1, any number of steps",
        slope2 <= sp.Rational(4, 3) * gamma * slope2,
        slope2 * (4 * gamma - gamma**2) <= 4 * gamma * slope2,
        gamma <= 1,
    ),
)
