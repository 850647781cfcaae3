"""Rates of other methods for unconstrained minimisation."""

from __future__ import annotations

from fractions import Fraction as Q

from tests.benchmarks.pepit.rate import rate
from tests.benchmarks.pepit.smooth import GOUJAUD, HOME, TAYLOR, T, descent, start
from verify.first_order import (
    Form,
    Problem,
    Vector,
    convex,
    dot,
    lipschitz_convex,
    quadratic_growth,
    restricted_secant,
    smooth,
    smooth_convex,
    smooth_strongly_convex,
    sq,
)
from verify.first_order.problem import Member


def conjugate(f: Member, x0: Vector, t: int) -> Vector:
    x, seen = x0, list[Vector]()
    for _ in range(t):
        seen.append(f.answers[-1].g if seen else f.gradient(x))
        x = f.line_search(x, *seen, *([x - x0] if x is not x0 else []))
    return x


@rate(
    "conjugate gradient, quadratic growth",
    f"{GOUJAUD}, Theorem 2.3",
    (f"{HOME}.conjugate_gradient_qg_convex", {"L": 1, "n": 2}),
    t=(1, 2),
)
def conjugate_growth(p: Problem, t: int) -> tuple[Form, Form]:
    f, s, x = start(p, quadratic_growth())
    return f(conjugate(f, x, t)) - f(s), sq(x - s) / (2 * (t + 1))


@rate(
    "conjugate gradient, one step",
    "Drori and Taylor (2020), Mathematical Programming 184",
    (f"{HOME}.conjugate_gradient", {"L": 1, "n": 1}),
    t=(1,),
)
def conjugate_gradient(p: Problem, t: int) -> tuple[Form, Form]:
    f, s, x = start(p, smooth_convex())
    return f(conjugate(f, x, t)) - f(s), sq(x - s) / 8


@rate(
    "heavy ball, strongly convex",
    "Ghadimi, Feyzmahdavian and Johansson (2015), Theorem 4",
    (f"{HOME}.heavy_ball_momentum", {"mu": 7 / 12, "L": 1, "alpha": 0.75, "beta": 0.375, "n": 2}),
    tight=False,
    t=T,
)
def heavy_ball(p: Problem, t: int) -> tuple[Form, Form]:
    mu, step = Q(7, 12), Q(3, 4)  # then beta = sqrt((1 - step mu)(1 - step)) = 3/8
    f, s, x0 = start(p, smooth_strongly_convex(1, mu))
    before = x = x0
    for _ in range(t):
        before, x = x, x - step * f.gradient(x) + Q(3, 8) * (x - before)
    return f(x) - f(s), (1 - step * mu) ** t * (f(x0) - f(s))


@rate(
    "exact line search",
    "De Klerk, Glineur and Taylor (2017), Theorem 1.2",
    (f"{HOME}.gradient_exact_line_search", {"L": 1, "mu": 0.1, "n": 2}),
    t=T,
    mu=Q(1, 10),
)
def line_search(p: Problem, t: int, mu: Q) -> tuple[Form, Form]:
    f, s, x = start(p, smooth_strongly_convex(1, mu))
    gap = f(x) - f(s)
    for _ in range(t):
        x = f.line_search(x, f.gradient(x))
    return f(x) - f(s), ((1 - mu) / (1 + mu)) ** (2 * t) * gap


def inexact(p: Problem, f: Member, x: Vector, error: Q) -> Vector:
    g, d = f.gradient(x), p.point("d")
    p.assume(error**2 * sq(g) - sq(d - g), "inexact gradient")
    return d


@rate(
    "inexact gradient descent",
    "De Klerk, Glineur and Taylor (2020), Theorem 5.3",
    (f"{HOME}.inexact_gradient_descent", {"L": 1, "mu": 0.1, "epsilon": 0.1, "n": 2}),
    t=(1, 2),
    mu=Q(1, 10),
    error=Q(1, 10),
)
def inexact_descent(p: Problem, t: int, mu: Q, error: Q) -> tuple[Form, Form]:
    f, s, x0 = start(p, smooth_strongly_convex(1, mu))
    high, low, x = 1 + error, (1 - error) * mu, x0
    for _ in range(t):
        x = x - 2 / (high + low) * inexact(p, f, x, error)
    return f(x) - f(s), ((high - low) / (high + low)) ** (2 * t) * (f(x0) - f(s))


@rate(
    "inexact gradient, exact line search",
    "De Klerk, Glineur and Taylor (2017), Theorem 5.1",
    (f"{HOME}.inexact_gradient_exact_line_search", {"L": 1, "mu": 0.1, "epsilon": 0.1, "n": 2}),
    t=(1, 2),
    mu=Q(1, 10),
    error=Q(1, 10),
)
def inexact_line_search(p: Problem, t: int, mu: Q, error: Q) -> tuple[Form, Form]:
    f, s, x0 = start(p, smooth_strongly_convex(1, mu))
    high, low, x = 1 + error, (1 - error) * mu, x0
    for _ in range(t):
        x = f.line_search(x, inexact(p, f, x, error))
    return f(x) - f(s), ((high - low) / (high + low)) ** (2 * t) * (f(x0) - f(s))


@rate(
    "accelerated gradient, (t - 1)/(t + 2)",
    f"{TAYLOR}, Table 1",
    (f"{HOME}.accelerated_gradient_convex_simplified", {"mu": 0, "L": 1, "n": 3}),
    t=T,
)
def accelerated(p: Problem, t: int) -> tuple[Form, Form]:
    f, s, x0 = start(p, smooth_convex())
    x = y = x0
    for k in range(t):
        new = y - f.gradient(y)
        x, y = new, new + Q(k, k + 3) * (new - x)
    return f(y) - f(s), Q(2, t * t + 5 * t + 6) * sq(x0 - s)


@rate(
    "accelerated gradient, weights (t + 1)/2",
    "Chambolle and Dossal (2015), Theorem 2 at a = 2",
    tight=False,
    t=T,
)
def accelerated_weights(p: Problem, t: int) -> tuple[Form, Form]:
    f, s, x0 = start(p, smooth_convex())
    x = y = x0
    for k in range(1, t + 1):
        new = y - f.gradient(y)
        x, y = new, new + Q(k - 1, k + 2) * (new - x)
    return f(x) - f(s), 2 * sq(x0 - s) / Q(t + 1) ** 2


@rate(
    "accelerated gradient, strongly convex",
    "d'Aspremont, Scieur and Taylor (2021), Corollary 4.15",
    (f"{HOME}.accelerated_gradient_strongly_convex", {"mu": 0.25, "L": 1, "n": 2}),
    tight=False,
    t=T,
)
def accelerated_strongly(p: Problem, t: int) -> tuple[Form, Form]:
    mu, root = Q(1, 4), Q(1, 2)
    f, s, x0 = start(p, smooth_strongly_convex(1, mu))
    before = x = x0
    for _ in range(t):
        y = x + (1 - root) / (1 + root) * (x - before)
        before, x = x, y - f.gradient(y)
    return f(x) - f(s), (1 - root) ** t * (f(x0) - f(s) + mu / 2 * sq(x0 - s))


@rate(
    "triple momentum",
    "Van Scoy, Freeman and Lynch (2018), Theorem 1",
    (f"{HOME}.triple_momentum", {"mu": 0.25, "L": 1, "n": 2}),
    tight=False,
    t=T,
)
def triple_momentum(p: Problem, t: int) -> tuple[Form, Form]:
    mu, r = Q(1, 4), Q(1, 2)
    f, s, x0 = start(p, smooth_strongly_convex(1, mu))
    before = now = y = x = x0
    for _ in range(t):
        before, now = now, now + r**2 / (2 - r) * (now - before) - (1 + r) * f.gradient(y)
        y = now + r**2 / ((1 + r) * (2 - r)) * (now - before)
        x = now + r**2 / (1 - r**2) * (now - before)
    return f(x) - f(s), r ** (2 * t) / mu / 2 * sq(x0 - s)


@rate(
    "optimized gradient, one step",
    "Kim and Fessler (2016), Theorem 2",
    (f"{HOME}.optimized_gradient", {"L": 1, "n": 1}),
    t=(1,),
)
def optimized(p: Problem, t: int) -> tuple[Form, Form]:
    f, s, x0 = start(p, smooth_convex())
    y = x0 - Q(3, 2) * f.gradient(x0)
    return f(y) - f(s), sq(x0 - s) / 8


@rate(
    "optimized gradient for gradient, one step",
    "Kim and Fessler (2021), Theorem 6.1",
    (f"{HOME}.optimized_gradient_for_gradient", {"L": 1, "n": 1}),
    t=(1,),
)
def optimized_for_gradient(p: Problem, t: int) -> tuple[Form, Form]:
    f, s, x0 = start(p, smooth_convex())
    return sq(f.gradient(x0 - Q(3, 2) * f.gradient(x0))), (f(x0) - f(s)) / 2


@rate(
    "proximal point",
    f"{TAYLOR}; Taylor, Hendrickx and Glineur (2017), SIAM J. Optim. 27, Theorem 4.1",
    (f"{HOME}.proximal_point", {"gamma": 3, "n": 3}),
    t=T,
    step=3,
)
def proximal_point(p: Problem, t: int, step: Q) -> tuple[Form, Form]:
    f, s, x0 = start(p, convex())
    x = x0
    for _ in range(t):
        x = f.prox(x, step)
    return f(x) - f(s), sq(x0 - s) / (4 * step * t)


@rate(
    "proximal point, strongly convex",
    "Rockafellar (1976), SIAM J. Control Optim. 14, Theorem 1",
    t=T,
    step=2,
    mu=Q(1, 2),
)
def proximal_contraction(p: Problem, t: int, step: Q, mu: Q) -> tuple[Form, Form]:
    f, s, x0 = start(p, convex(mu))
    x = x0
    for _ in range(t):
        x = f.prox(x, step)
    return sq(x - s), sq(x0 - s) / (1 + step * mu) ** (2 * t)


@rate(
    "accelerated proximal point, one step",
    "Güler (1992), Theorem 2.3",
    (f"{HOME}.accelerated_proximal_point", {"A0": 0.5, "gammas": [1], "n": 1}),
    tight=False,
    t=(1,),
)
def accelerated_proximal(p: Problem, t: int) -> tuple[Form, Form]:
    f, s, x0 = start(p, convex())
    x = f.prox(x0, Q(1))
    return f(x) - f(s), 8 * (f(x0) - f(s) + sq(x0 - s) / 4)


@rate(
    "subgradient method",
    "Nesterov (2004), Section 3.2.3",
    (f"{HOME}.subgradient_method", {"M": 1, "n": 3, "gamma": 0.5}),
    t=(3,),
)
def subgradient(p: Problem, t: int) -> tuple[Form, Form]:
    f, s, x0 = start(p, lipschitz_convex(1))
    p.assume(1 - sq(x0 - s), "start near the minimiser")
    x, gaps = x0, [f(x0) - f(s)]
    for _ in range(t):
        x = x - Q(1, 2) * f.subgradient(x)
        gaps.append(f(x) - f(s))
    return p.smallest(*gaps), Form({(): Q(1, 2)})


@rate("subgradient method, any distance", "Nesterov (2004), Section 3.2.3", tight=False, t=T, step=Q(1, 3))
def subgradient_any(p: Problem, t: int, step: Q) -> tuple[Form, Form]:
    f, s, x0 = start(p, lipschitz_convex(1))
    x, gaps = x0, [f(x0) - f(s)]
    for _ in range(t):
        x = x - step * f.subgradient(x)
        gaps.append(f(x) - f(s))
    return p.smallest(*gaps), (sq(x0 - s) + (t + 1) * step**2) / (2 * (t + 1) * step)


@rate(
    "gradient descent, restricted secant",
    "Guille-Escuret et al. (2021), Proposition 1",
    (f"{HOME}.subgradient_method_rsi_eb", {"mu": 0.5, "L": 1, "gamma": 0.5, "n": 2}),
    t=T,
    mu=Q(1, 2),
    step=Q(1, 2),
)
def secant(p: Problem, t: int, mu: Q, step: Q) -> tuple[Form, Form]:
    f, s, x = start(p, restricted_secant(1, mu))
    return sq(descent(f, x, t, step) - s), (1 - 2 * step * mu + step**2) ** t * sq(x - s)


@rate(
    "Polyak steps, distance",
    "Barré, Taylor and d'Aspremont (2020), Proposition 1",
    ("adaptive_methods.polyak_steps_in_distance_to_optimum", {"L": 1, "mu": 0.1, "gamma": 2 / 1.1}),
    mu=Q(1, 10),
    step=Q(20, 11),
)
def polyak_distance(p: Problem, mu: Q, step: Q) -> tuple[Form, Form]:
    f, s, x = start(p, smooth_strongly_convex(1, mu))
    g = f.gradient(x)
    p.assume_equal(step * sq(g), 2 * (f(x) - f(s)), "Polyak's step")
    return sq(x - step * g - s), (step - 1) * (1 - step * mu) / (step * (1 + mu) - 1) * sq(x - s)


@rate(
    "Polyak steps, values",
    "Barré, Taylor and d'Aspremont (2020), Proposition 2",
    ("adaptive_methods.polyak_steps_in_function_value", {"L": 1, "mu": 0.1, "gamma": 2 / 1.1}),
    mu=Q(1, 10),
    step=Q(20, 11),
)
def polyak_values(p: Problem, mu: Q, step: Q) -> tuple[Form, Form]:
    f, s, x = start(p, smooth_strongly_convex(1, mu))
    g = f.gradient(x)
    p.assume_equal(sq(g), 2 * (2 - step) * (f(x) - f(s)), "Polyak's step")
    return f(x - step * g) - f(s), (step - 1) * (step * (3 - step * (1 + mu)) - 1) * (f(x) - f(s))


@rate(
    "gradient descent, smooth functions",
    f"{TAYLOR}, page 190",
    ("nonconvex_optimization.gradient_descent", {"L": 1, "gamma": 1, "n": 3}),
    t=T,
)
def nonconvex(p: Problem, t: int) -> tuple[Form, Form]:
    f, x0 = p.function(smooth(1)), p.point("x0")
    x, grads = x0, [sq(f.gradient(x0))]
    for _ in range(t):
        x = x - f.gradient(x)
        grads.append(sq(f.gradient(x)))
    return p.smallest(*grads), Q(4, 3 * t) * (f(x0) - f(x))


@rate("averaged iterate of gradient descent", "Bubeck (2015), Theorem 3.3", tight=False, t=T)
def averaged(p: Problem, t: int) -> tuple[Form, Form]:
    f, s, x0 = start(p, smooth_convex())
    path = [descent(f, x0, k, Q(1)) for k in range(1, t + 1)]
    middle = sum(path[1:], path[0]) / t
    return f(middle) - f(s), sq(x0 - s) / (2 * t)


@rate("dissipativity of gradients", "Baillon and Haddad (1977)")
def baillon_haddad(p: Problem) -> tuple[Form, Form]:
    f, x, y = p.function(smooth_convex(2)), p.point("x"), p.point("y")
    g = f.gradient(x) - f.gradient(y)
    return sq(g), 2 * dot(g, x - y)
