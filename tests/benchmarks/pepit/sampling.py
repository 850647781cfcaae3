"""Rates under sampling, noise and sequences of losses, potentials, and continuous time."""

from __future__ import annotations

from fractions import Fraction as Q

from tests.benchmarks.pepit.rate import rate
from tests.benchmarks.pepit.smooth import start
from verify.first_order import (
    Form,
    Problem,
    Vector,
    convex,
    dot,
    indicator,
    lipschitz_convex,
    mean,
    smooth_convex,
    smooth_strongly_convex,
    sq,
)

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


@rate(
    "SGD, overparametrized",
    "PESTO; Ma, Bassily and Belkin (2018)",
    (f"{RANDOM}.sgd_overparametrized", {"L": 1, "mu": 0.1, "gamma": 1, "n": 3}),
    n=(2, 3),
    mu=Q(1, 10),
    step=1,
)
def overparametrized(p: Problem, n: int, mu: Q, step: Q) -> tuple[Form, Form]:
    clients = [p.function(smooth_strongly_convex(1, mu), f"f{i}") for i in range(n)]
    x = p.point("x0")
    s = Vector({})
    for f in clients:
        f.answer(s, Vector({}))
    after = mean(sq(x - step * f.gradient(x) - s) for f in clients)
    return after, max(1 - step * mu, step - 1) ** 2 * sq(x - s)


@rate(
    "SGD, sampling",
    "PESTO",
    (f"{RANDOM}.sgd", {"L": 1, "mu": 0.1, "gamma": 1, "v": 0.6, "R": 1, "n": 2}),
    n=(2, 3),
)
def sampling(p: Problem, n: int) -> tuple[Form, Form]:
    clients = [p.function(smooth_strongly_convex(1, Q(1, 10)), f"f{i}") for i in range(n)]
    s, x = p.minimiser(*clients), p.point("x0")
    p.assume(1 - sq(x - s), "start near the minimiser")
    p.assume(Q(9, 25) - mean(sq(f.gradient(s)) for f in clients), "variance at the minimiser")
    return mean(sq(x - f.gradient(x) - s) for f in clients), Form({(): (Q(9, 20) + Q(3, 4)) ** 2})


@rate("SGD, noise", "Nemirovski, Juditsky, Lan and Shapiro (2009), tight form", mu=Q(1, 10), step=Q(1, 2))
def noise(p: Problem, mu: Q, step: Q) -> tuple[Form, Form]:
    f, s, x = start(p, smooth_strongly_convex(1, mu))
    variance, g = p.constant("sigma2"), f.gradient(x)
    e = p.noise(variance)
    return sq(x - step * (g + e) - s), (1 - step * mu) ** 2 * sq(x - s) + step**2 * variance


@rate(
    "SAGA",
    "Defazio, Bach and Lacoste-Julien (2014), Theorem 1",
    (f"{RANDOM}.saga", {"L": 1, "mu": 0.1, "n": 2}),
    tight=False,
    n=(2,),
    mu=Q(1, 10),
)
def saga(p: Problem, n: int, mu: Q) -> tuple[Form, Form]:
    step = 1 / (2 * (mu * n + 1))
    clients, h = (
        [p.function(smooth_strongly_convex(1, mu), f"f{i}") for i in range(n)],
        p.function(convex(), "h"),
    )
    s, x = Vector({}), p.point("x0")
    h.answer(s, -mean(f.gradient(s) for f in clients))
    table = [p.point(f"phi{i}") for i in range(n)]

    def lyapunov(models: list[Vector], at: Vector) -> Form:
        above = (f(y) - f(s) - dot(f.gradient(s), y - s) for f, y in zip(clients, models, strict=True))
        return mean(above) + sq(at - s) / (2 * n * step * (1 - mu * step))

    kept = mean(f.gradient(y) for f, y in zip(clients, table, strict=True))
    after = []
    for j, f in enumerate(clients):
        w = x - step * (f.gradient(x) - f.gradient(table[j]) + kept)
        after.append(lyapunov([x if i == j else y for i, y in enumerate(table)], h.prox(w, step)))
    return mean(after), (1 - step * mu) * lyapunov(table, x)


@rate(
    "Point-SAGA",
    "Defazio (2016), Theorem 5",
    (f"{RANDOM}.point_saga", {"L": 1, "mu": 1 / 3, "n": 2}),
    tight=False,
    n=(2,),
)
def point_saga(p: Problem, n: int) -> tuple[Form, Form]:
    mu, step = Q(1, 3), Q(1)  # sqrt((n - 1)^2 + 4 n L / mu) = 5 at n = 2
    clients = [p.function(smooth_strongly_convex(1, mu), f"f{i}") for i in range(n)]
    s, x = p.minimiser(*clients), p.point("x0")
    table = [p.point(f"g{i}") for i in range(n)]

    def lyapunov(grads: list[Vector], at: Vector) -> Form:
        return mean(sq(g - f.gradient(s)) for f, g in zip(clients, grads, strict=True)) / mu + sq(at - s)

    after = []
    for j, f in enumerate(clients):
        z = x + step * (table[j] - mean(table))
        new = f.prox(z, step)
        after.append(lyapunov([(z - new) / step if i == j else g for i, g in enumerate(table)], new))
    return mean(after), lyapunov(table, x) / (1 + mu * step)


@rate(
    "coordinate descent, strongly convex",
    "Taylor and Bach (2019), Theorem 17",
    (
        f"{RANDOM}.randomized_coordinate_descent_smooth_strongly_convex",
        {"L": 1, "mu": 0.1, "gamma": 1, "d": 2},
    ),
    mu=Q(1, 10),
    step=1,
)
def coordinates(p: Problem, mu: Q, step: Q) -> tuple[Form, Form]:
    f = p.function(smooth_strongly_convex(1, mu))
    s = f.minimiser()
    blocks, grads = [p.point("x_a"), p.point("x_b")], [p.point("g_a"), p.point("g_b")]
    for u in (blocks[0], grads[0]):
        for v in (blocks[1], grads[1]):
            p.assume_equal(dot(u, v), 0, "blocks are orthogonal")
    x = blocks[0] + blocks[1]
    f.answer(x, grads[0] + grads[1])
    after = mean(sq(x - step * g - s) for g in grads)
    return after, max((step * mu - 1) ** 2 + 1, (step - 1) ** 2 + 1) / 2 * sq(x - s)


@rate(
    "online gradient descent",
    "Hazan (2016), Theorem 3.1",
    ("online_learning.online_gradient_descent", {"M": 1, "D": 1, "n": 4}),
    tight=False,
    n=(1, 4),
)
def online(p: Problem, n: int) -> tuple[Form, Form]:
    root = {1: 1, 4: 2}[n]
    body, s = p.function(indicator(1)), p.point("s")
    body.answer(s, Vector({}))
    x = p.point("x0")
    body.answer(x, Vector({}))
    regret = Form({})
    for k in range(n):
        loss = p.function(lipschitz_convex(1), f"l{k}")
        g = loss.subgradient(x)
        regret = regret + loss(x) - loss(s)
        x = body.project(x - Q(1, root) * g)
    return regret, Form({(): Q(root)})


@rate(
    "gradient descent, potential of values",
    "Bansal and Gupta (2019), Theorem 3.3",
    (f"{POTENTIAL}.gradient_descent_lyapunov_1", {"L": 1, "gamma": 1, "n": 10}),
    n=(0, 1, 10),
)
def potential_values(p: Problem, n: int) -> tuple[Form, Form]:
    f, s, x = start(p, smooth_convex())
    v = lambda k, y: k * (f(y) - f(s)) + sq(y - s) / 2  # noqa: E731
    return v(n + 1, x - f.gradient(x)), v(n, x)


@rate(
    "gradient descent, potential with gradients",
    "Taylor and Bach (2019), Theorem 3",
    (f"{POTENTIAL}.gradient_descent_lyapunov_2", {"L": 1, "gamma": 1, "n": 10}),
    n=(0, 1, 10),
)
def potential_gradients(p: Problem, n: int) -> tuple[Form, Form]:
    f, s, x = start(p, smooth_convex())
    v = lambda k, y: (2 * k + 1) * (f(y) - f(s)) + k * (k + 2) * sq(f.gradient(y)) + sq(y - s)  # noqa: E731
    return v(n + 1, x - f.gradient(x)), v(n, x)


@rate(
    "accelerated gradient, potential",
    "Bansal and Gupta (2019), Theorem 5.3",
    (f"{POTENTIAL}.accelerated_gradient_method", {"L": 1, "gamma": 1, "lam": 1.2}),
)
def potential_accelerated(p: Problem) -> tuple[Form, Form]:
    now, later = Q(6, 5), Q(9, 5)  # later = (1 + sqrt(4 now^2 + 1)) / 2
    f, s, x = start(p, smooth_convex())
    z = p.point("z0")
    y = (1 - 1 / later) * x + z / later
    z_new, x_new = z - (later**2 - now**2) * f.gradient(y), y - f.gradient(y)
    v = lambda k, a, b: k**2 * (f(a) - f(s)) + sq(b - s) / 2  # noqa: E731
    return v(later, x_new, z_new), v(now, x, z)


@rate(
    "gradient flow, convex",
    "Su, Boyd and Candes (2016), page 7",
    (f"{FLOW}.gradient_flow_convex", {"t": 3.4}),
    tight=False,
    time=Q(17, 5),
)
def flow(p: Problem, time: Q) -> tuple[Form, Form]:
    f, s, x = start(p, convex())
    g = f.gradient(x)
    return f(x) - f(s) - time * sq(g) - dot(x - s, g), Form({})


@rate(
    "gradient flow, strongly convex",
    "Scieur et al. (2017), Proposition 11",
    (f"{FLOW}.gradient_flow_strongly_convex", {"mu": 0.1}),
    mu=Q(1, 10),
)
def flow_strongly(p: Problem, mu: Q) -> tuple[Form, Form]:
    f, s, x = start(p, convex(mu))
    return 2 * mu * (f(x) - f(s)), sq(f.gradient(x))


@rate(
    "accelerated flow, convex",
    "Su, Boyd and Candes (2016), Section 2",
    (f"{FLOW}.accelerated_gradient_flow_convex", {"t": 3.4}),
    tight=False,
    time=Q(17, 5),
)
def accelerated_flow(p: Problem, time: Q) -> tuple[Form, Form]:
    f, s, x = start(p, convex())
    v, g = p.point("v"), f.gradient(x)
    momentum = x - s + time / 2 * v
    change = v + v / 2 + time / 2 * (-3 / time * v - g)
    return 2 * time * (f(x) - f(s)) + time**2 * dot(g, v) + 4 * dot(momentum, change), Form({})


@rate(
    "accelerated flow, strongly convex",
    "Wilson, Recht and Jordan (2021), Appendix B",
    (f"{FLOW}.accelerated_gradient_flow_strongly_convex", {"mu": 0.25, "psd": True}),
    tight=False,
)
def accelerated_flow_strongly(p: Problem) -> tuple[Form, Form]:
    mu, root = Q(1, 4), Q(1, 2)
    f, s, x = start(p, convex(mu))
    v, g = p.point("v"), f.gradient(x)
    w = root * (x - s) + v
    change = dot(g, v) + dot(w, root * v - 2 * root * v - g)
    return change, -root * (f(x) - f(s) + sq(w) / 2)
