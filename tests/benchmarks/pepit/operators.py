"""Rates for operators and fixed points."""

from __future__ import annotations

from fractions import Fraction as Q

from tests.benchmarks.pepit.rate import rate
from tests.benchmarks.pepit.smooth import T, descent
from verify.first_order import Form, Problem, Vector, cocoercive, lipschitz, monotone, nonexpansive, sq

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


@rate("Halpern iteration", "Lieder (2021), Theorem 2.1", (f"{FIXED}.halpern_iteration", {"n": 3}), t=T)
def halpern(p: Problem, t: int) -> tuple[Form, Form]:
    a = p.operator(nonexpansive())
    s, x0 = a.fixed_point(), p.point("x0")
    x = x0
    for k in range(t):
        x = Q(1, k + 2) * x0 + Q(k + 1, k + 2) * a.value(x)
    return sq(x - a.value(x)), Q(2, t + 1) ** 2 * sq(x0 - s)


@rate(
    "Krasnoselskii-Mann",
    "Lieder (2018), Theorem 4.9",
    (f"{FIXED}.krasnoselskii_mann_constant_step_sizes", {"n": 3, "gamma": 0.75}),
    t=T,
    step=Q(3, 4),
)
def krasnoselskii_mann(p: Problem, t: int, step: Q) -> tuple[Form, Form]:
    a = p.operator(nonexpansive())
    s, x0 = a.fixed_point(), p.point("x0")
    x = x0
    for _ in range(t):
        x = (1 - step) * x + step * a.value(x)
    shown = Q(1, t + 1) * Q(t, t + 1) ** t / (4 * step * (1 - step))
    return sq(x - a.value(x)) / 4, shown * sq(x0 - s)


@rate(
    "Krasnoselskii-Mann, long steps",
    "Lieder (2018), Theorem 4.9",
    (f"{FIXED}.krasnoselskii_mann_constant_step_sizes", {"n": 3, "gamma": 0.96}),
    t=T,
    step=Q(24, 25),
)
def krasnoselskii_mann_long(p: Problem, t: int, step: Q) -> tuple[Form, Form]:
    a = p.operator(nonexpansive())
    s, x0 = a.fixed_point(), p.point("x0")
    x = x0
    for _ in range(t):
        x = (1 - step) * x + step * a.value(x)
    return sq(x - a.value(x)) / 4, max(
        (2 * step - 1) ** (2 * t),
        Q(1, t + 1) * Q(t, t + 1) ** t / (4 * step * (1 - step))
        if 4 * (2 * step - 1) ** 2 * (t + 1) <= 4 * t
        else 0,
    ) * sq(x0 - s)


@rate(
    "contractive Halpern iteration",
    "Park and Ryu (2022), Corollary 3.3",
    (f"{FIXED}.optimal_contractive_halpern_iteration", {"n": 2, "gamma": 1.25}),
    t=T,
    gamma=Q(5, 4),
)
def contractive_halpern(p: Problem, t: int, gamma: Q) -> tuple[Form, Form]:
    a = p.operator(lipschitz(1 / gamma))
    s, x0 = a.fixed_point(), p.point("x0")
    x, phi = x0, Q(1)
    for k in range(t):
        phi += gamma ** (2 * (k + 1))
        x = (1 - 1 / phi) * a.value(x) + x0 / phi
    shown = (1 + 1 / gamma) ** 2 / sum((gamma**k for k in range(t + 1)), Q(0)) ** 2
    return sq(x - a.value(x)), shown * sq(x0 - s)


@rate(
    "accelerated proximal point, operators",
    "Kim (2021), Theorem 4.1",
    (f"{MONOTONE}.accelerated_proximal_point", {"alpha": 2, "n": 3}),
    t=T,
    step=2,
)
def accelerated_resolvent(p: Problem, t: int, step: Q) -> tuple[Form, Form]:
    a = p.operator(monotone())
    s, x0 = a.minimiser(), p.point("x0")
    before = x = y = last = x0
    for k in range(t):
        last = y
        new = a.resolvent(y, step)
        y, x, before = new + Q(k, k + 2) * (new - x) - Q(k, k + 2) * (x - before), new, y
    return sq(x - last), sq(x0 - s) / t**2


@rate(
    "proximal point, operators",
    "Gu and Yang (2020), Section 4",
    (f"{MONOTONE}.proximal_point", {"alpha": 2, "n": 3}),
    t=T,
    step=2,
)
def resolvent(p: Problem, t: int, step: Q) -> tuple[Form, Form]:
    a = p.operator(monotone())
    s, x0 = a.minimiser(), p.point("x0")
    x = last = x0
    for _ in range(t):
        last, x = x, a.resolvent(x, step)
    return sq(x - last), (1 - Q(1, t)) ** (t - 1) / t * sq(x0 - s)


@rate(
    "proximal point, strongly monotone",
    "Rockafellar (1976), SIAM J. Control Optim. 14, Theorem 1",
    t=T,
    step=2,
    mu=Q(1, 2),
)
def resolvent_contraction(p: Problem, t: int, step: Q, mu: Q) -> tuple[Form, Form]:
    a = p.operator(monotone(mu))
    s, x0 = a.minimiser(), p.point("x0")
    x = x0
    for _ in range(t):
        x = a.resolvent(x, step)
    return sq(x - s), sq(x0 - s) / (1 + step * mu) ** (2 * t)


@rate(
    "optimal strongly monotone proximal point",
    "Park and Ryu (2022), Theorem 3.2",
    (f"{MONOTONE}.optimal_strongly_monotone_proximal_point", {"n": 3, "mu": 0.5}),
    t=T,
    mu=Q(1, 2),
)
def optimal_resolvent(p: Problem, t: int, mu: Q) -> tuple[Form, Form]:
    a = p.operator(monotone(mu))
    s, x0 = a.minimiser(), p.point("x0")
    phi = lambda k: sum(((1 + 2 * mu) ** (2 * i) for i in range(k + 1)), Q(0))  # noqa: E731
    x = y = before = last = x0
    for k in range(t):
        new, last = a.resolvent(y, Q(1)), y
        step = new + (phi(k) - 1) / phi(k + 1) * (new - x) - 2 * mu * phi(k) / phi(k + 1) * (y - new)
        y, before, x = step + (1 + 2 * mu) * phi(k - 1) / phi(k + 1) * (before - x), y, new
    return sq(last - x), sq(x0 - s) / sum(((1 + 2 * mu) ** k for k in range(t)), Q(0)) ** 2


@rate("forward steps, cocoercive", "Bauschke and Combettes (2017), Proposition 4.39", t=T, step=Q(3, 2))
def forward(p: Problem, t: int, step: Q) -> tuple[Form, Form]:
    a = p.operator(cocoercive(1))
    s, x0 = a.minimiser(), p.point("x0")
    return sq(descent(a, x0, t, step) - s), sq(x0 - s)


@rate("forward-backward, cocoercive", "Bauschke and Combettes (2017), Theorem 26.14", t=T, step=Q(3, 2))
def forward_backward(p: Problem, t: int, step: Q) -> tuple[Form, Form]:
    a, b = p.operator(cocoercive(1)), p.operator(monotone())
    s, x0 = p.minimiser(a, b), p.point("x0")
    x = x0
    for _ in range(t):
        x = b.resolvent(x - step * a.value(x), step)
    return sq(x - s), sq(x0 - s)


@rate("Douglas-Rachford is firmly nonexpansive", "Lions and Mercier (1979), Proposition 2", step=2)
def lions_mercier(p: Problem, step: Q) -> tuple[Form, Form]:
    a, b = p.operator(monotone()), p.operator(monotone())
    u, v = p.point("u"), p.point("v")

    def moved(w: Vector) -> Vector:
        x = b.resolvent(w, step)
        return w + a.resolvent(2 * x - w, step) - x

    apart = moved(u) - moved(v)
    return sq(apart) + sq(u - v - apart), sq(u - v)
