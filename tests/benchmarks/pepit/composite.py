"""Rates for composite problems."""

from __future__ import annotations

from fractions import Fraction as Q
from math import inf

from tests.benchmarks.pepit.rate import rate
from tests.benchmarks.pepit.smooth import T, start
from verify.first_order import (
    Form,
    Problem,
    Vector,
    convex,
    dot,
    indicator,
    smooth_convex,
    smooth_strongly_convex,
    sq,
)
from verify.first_order.problem import Member

COMPOSITE, FIXED, MONOTONE = (
    "composite_convex_minimization",
    "fixed_point_problems",
    "monotone_inclusions_variational_inequalities",
)
RANDOM, POTENTIAL, FLOW = (
    "stochastic_and_randomized_convex_minimization",
    "potential_functions",
    "continuous_time_models",
)
BAUSCHKE = "Bauschke, Bolte and Teboulle (2017)"
DRAGOMIR = "Dragomir, Taylor, d'Aspremont and Bolte (2021)"


def composite(p: Problem, mu: Q = Q(0)) -> tuple[Member, Member, Vector, Vector]:
    f, h = p.function(smooth_convex() if mu == 0 else smooth_strongly_convex(1, mu)), p.function(convex())
    return f, h, p.minimiser(f, h), p.point("x0")


@rate(
    "proximal gradient, distance",
    "Taylor, Hendrickx and Glineur (2018), JOTA 178, Theorem 3.1",
    (f"{COMPOSITE}.proximal_gradient", {"L": 1, "mu": 0.1, "gamma": 1, "n": 2}),
    t=T,
    mu=Q(1, 10),
    step=1,
)
def proximal_gradient(p: Problem, t: int, mu: Q, step: Q) -> tuple[Form, Form]:
    f, h, s, x0 = composite(p, mu)
    x = x0
    for _ in range(t):
        x = h.prox(x - step * f.gradient(x), step)
    return sq(x - s), max(1 - step * mu, step - 1) ** (2 * t) * sq(x0 - s)


@rate(
    "proximal gradient, values", "Taylor, Hendrickx and Glineur (2017), SIAM J. Optim. 27, Section 4.2", t=T
)
def proximal_gradient_values(p: Problem, t: int) -> tuple[Form, Form]:
    f, h, s, x0 = composite(p)
    x = x0
    for _ in range(t):
        x = h.prox(x - f.gradient(x), Q(1))
    return f(x) + h(x) - f(s) - h(s), sq(x0 - s) / (4 * t)


@rate(
    "accelerated proximal gradient",
    "Taylor, Hendrickx and Glineur (2017), SIAM J. Optim. 27, Table 1",
    (f"{COMPOSITE}.accelerated_proximal_gradient_simplified", {"mu": 0, "L": 1, "n": 3}),
    t=T,
)
def accelerated_proximal_gradient(p: Problem, t: int) -> tuple[Form, Form]:
    f, h, s, x0 = composite(p)
    x = y = x0
    for k in range(t):
        new = h.prox(y - f.gradient(y), Q(1))
        x, y = new, new + Q(k, k + 3) * (new - x)
    return f(x) + h(x) - f(s) - h(s), Q(2, t * t + 5 * t + 2) * sq(x0 - s)


@rate("FISTA, weights (t + 1)/2", "Chambolle and Dossal (2015), Theorem 2 at a = 2", tight=False, t=T)
def fista(p: Problem, t: int) -> tuple[Form, Form]:
    f, h, s, x0 = composite(p)
    x = y = x0
    for k in range(1, t + 1):
        new = h.prox(y - f.gradient(y), Q(1))
        x, y = new, new + Q(k - 1, k + 2) * (new - x)
    return f(x) + h(x) - f(s) - h(s), 2 * sq(x0 - s) / Q(t + 1) ** 2


@rate("projected gradient", "Beck (2017), Theorem 10.21", tight=False, t=T)
def projected_gradient(p: Problem, t: int) -> tuple[Form, Form]:
    f, h = p.function(smooth_convex()), p.function(indicator())
    s, x0 = p.minimiser(f, h), p.point("x0")
    x = x0
    for _ in range(t):
        x = h.project(x - f.gradient(x))
    return f(x) - f(s), sq(x0 - s) / (2 * t)


@rate(
    "Frank-Wolfe",
    "Jaggi (2013), Theorem 1",
    (f"{COMPOSITE}.frank_wolfe", {"L": 1, "D": 1, "R": inf, "center": None, "n": 3}),
    tight=False,
    t=T,
)
def frank_wolfe(p: Problem, t: int) -> tuple[Form, Form]:
    f, h = p.function(smooth_convex()), p.function(indicator(1))
    s, x = p.minimiser(f, h), p.point("x0")
    h.answer(x, Vector({}))
    for k in range(t):
        x = Q(k, k + 2) * x + Q(2, k + 2) * h.linear_minimiser(f.gradient(x))
    return f(x) - f(s), Form({(): Q(2, t + 2)})


@rate(
    "Douglas-Rachford, contraction",
    "Giselsson and Boyd (2017), Theorem 2",
    (
        f"{COMPOSITE}.douglas_rachford_splitting_contraction",
        {"mu": 0.1, "L": 1, "alpha": 3, "theta": 1, "n": 1},
    ),
    t=(1, 2),
    step=3,
    mu=Q(1, 10),
)
def douglas_rachford(p: Problem, t: int, step: Q, mu: Q) -> tuple[Form, Form]:
    f, h = p.function(smooth_strongly_convex(1, mu)), p.function(convex())
    first, second = p.point("w0"), p.point("v0")

    def run(w: Vector) -> Vector:
        for _ in range(t):
            x = h.prox(w, step)
            w = w + f.prox(2 * x - w, step) - x
        return w

    return sq(run(first) - run(second)), max(1 / (1 + mu * step), step / (1 + step)) ** (2 * t) * sq(
        first - second
    )


@rate(
    "partially inexact Douglas-Rachford",
    "Svaiter (2019); Taylor et al., Theorem 5.1",
    (
        "inexact_proximal_methods.partially_inexact_douglas_rachford_splitting",
        {"mu": 0.1, "L": 5, "n": 1, "gamma": 1.4, "sigma": 0.2},
    ),
    t=(1,),
    mu=Q(1, 10),
    L=5,
    step=Q(7, 5),
    error=Q(1, 5),
)
def inexact_douglas_rachford(p: Problem, t: int, mu: Q, L: Q, step: Q, error: Q) -> tuple[Form, Form]:
    f, h = p.function(smooth_strongly_convex(L, mu)), p.function(convex())
    s = p.minimiser(f, h)
    z0 = z = p.point("z0")
    zs = s + step * f.gradient(s)
    for _ in range(t):
        e, g = p.point("e"), p.point("g")
        x = f.answer(z - step * (g - e), g).x
        y = h.prox(x - step * g, step)
        p.assume(error**2 / step**2 * sq(y - z + step * g) - sq(e), "relative error")
        z = z + y - x
    rho = max(
        (1 - error + step * mu * error) / (1 - error + step * mu),
        (error + (1 - error) * step * L) / (1 + (1 - error) * step * L),
    )
    return sq(z - zs), rho ** (2 * t) * sq(z0 - zs)


@rate(
    "relatively inexact proximal point, one step",
    "Taylor et al. (2020), Section 3.5.1",
    (
        "inexact_proximal_methods.relatively_inexact_proximal_point_algorithm",
        {"n": 1, "gamma": 1, "sigma": 0.6},
    ),
    tight=False,
    step=1,
    error=Q(3, 5),
)
def inexact_proximal(p: Problem, step: Q, error: Q) -> tuple[Form, Form]:
    f, s, x0 = start(p, convex())
    g, e = p.point("g"), p.point("e")
    x = f.answer(x0 - step * g + e, g).x
    p.assume(error**2 * sq(x - x0) - sq(e), "relative error")
    return f(x) - f(s), (1 + error) / (4 * step) * sq(x0 - s)


class Relative:
    """h with h - f / L convex: both are sums of convex functions; f is L-smooth relative to h with L = 1."""

    def __init__(self, p: Problem) -> None:
        self.problem, self.f, self.rest = p, p.function(convex(), "f"), p.function(convex(), "r")

    def slope(self, x: Vector) -> Vector:
        return self.f.gradient(x) + self.rest.gradient(x)

    def kernel(self, x: Vector) -> Form:
        return self.f(x) + self.rest(x)

    def answered(self, h: Vector) -> tuple[Vector, Vector]:
        """A point with a prescribed gradient of h, and the gradient of f there."""
        x, g = self.problem.point("x"), self.problem.point("g")
        self.f.answer(x, g)
        self.rest.answer(x, h - g)
        return x, g


@rate(
    "NoLips, values",
    f"{BAUSCHKE}, Theorem 1",
    (f"{COMPOSITE}.no_lips_in_function_value", {"L": 1, "gamma": 1, "n": 2}),
    t=T,
)
def no_lips(p: Problem, t: int) -> tuple[Form, Form]:
    both, h = Relative(p), p.function(convex(), "h")
    s = p.minimiser(both.f, h)
    x, g = p.point("x0"), p.point("f0")
    slope = p.point("h0")
    both.f.answer(x, g)
    both.rest.answer(x, slope - g)
    bregman = both.kernel(s) - both.kernel(x) - dot(slope, s - x)
    for _ in range(t):
        n = p.point("n")
        x, g_new = both.answered(slope - g - n)
        slope, g = slope - g - n, g_new
        h.answer(x, n)
    return both.f(x) + h(x) - both.f(s) - h(s), bregman / t


@rate(
    "NoLips, smooth functions",
    f"{DRAGOMIR}, Proposition 4.1",
    ("nonconvex_optimization.no_lips_1", {"L": 1, "gamma": 0.5, "n": 2}),
    t=T,
)
def no_lips_nonconvex(p: Problem, t: int) -> tuple[Form, Form]:
    up, down = p.function(convex(), "u"), p.function(convex(), "v")  # h + f and h - f are convex, L = 1

    def at(slope: Vector) -> tuple[Vector, Vector]:
        x, g = p.point("x"), p.point("g")
        up.answer(x, slope + g)
        down.answer(x, slope - g)
        return x, g

    h = lambda x: (up(x) + down(x)) / 2  # noqa: E731
    f = lambda x: (up(x) - down(x)) / 2  # noqa: E731
    slope, step = p.point("h0"), Q(1, 2)
    x, g = at(slope)
    first, moves = x, []
    for _ in range(t):
        new, g_new = at(slope - step * g)
        moves.append(h(new) - h(x) - dot(slope, new - x))
        x, slope, g = new, slope - step * g, g_new
    return p.smallest(*moves), step / (t * (1 - step)) * (f(first) - f(x))


@rate(
    "Bregman proximal point",
    "guessed by PEPit",
    (f"{COMPOSITE}.bregman_proximal_point", {"gamma": 3, "n": 3}),
    t=T,
    step=3,
)
def bregman_proximal(p: Problem, t: int, step: Q) -> tuple[Form, Form]:
    f, h = p.function(convex()), p.function(convex(), "h")
    s = f.minimiser()
    h.gradient(s)
    x0, slope = p.point("x0"), p.point("h0")
    h.answer(x0, slope)
    bregman, x = h(s) - h(x0) - dot(slope, s - x0), x0
    for _ in range(t):
        x, g = p.point("x"), p.point("g")
        f.answer(x, g)
        slope = slope - step * g
        h.answer(x, slope)
    return f(x) - f(s), bregman / (step * t)
