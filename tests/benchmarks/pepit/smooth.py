"""Rates of gradient descent, including heavy balls."""

from __future__ import annotations

from fractions import Fraction as Q

from tests.benchmarks.pepit.rate import rate
from verify.first_order import (
    Form,
    Problem,
    Vector,
    quadratic_growth,
    smooth_convex,
    smooth_strongly_convex,
    sq,
)
from verify.first_order.problem import Member

T = (1, 2, 3)
HOME = "unconstrained_convex_minimization"
TAYLOR = "Taylor, Hendrickx and Glineur (2017), Mathematical Programming 161"
GOUJAUD = "Goujaud, Taylor and Dieuleveut (2022), arXiv:2205.15033"


def start(p: Problem, of: object) -> tuple[Member, Vector, Vector]:
    """A function, its minimiser, and a starting point."""
    f = p.function(of)  # type: ignore[arg-type]
    return f, f.minimiser(), p.point("x0")


def descent(f: Member, x: Vector, t: int, step: Q) -> Vector:
    for _ in range(t):
        x = x - step * f.gradient(x)
    return x


@rate(
    "gradient descent",
    "Drori and Teboulle (2014), Theorem 3.1",
    (f"{HOME}.gradient_descent", {"L": 1, "gamma": 1, "n": 3}),
    t=T,
    step=1,
)
def gradient_descent(p: Problem, t: int, step: Q) -> tuple[Form, Form]:
    f, s, x = start(p, smooth_convex())
    return f(descent(f, x, t, step)) - f(s), sq(x - s) / (4 * t * step + 2)


@rate(
    "gradient descent, short steps",
    "Drori and Teboulle (2014), Theorem 3.1",
    (f"{HOME}.gradient_descent", {"L": 3, "gamma": 1 / 6, "n": 3}),
    t=T,
    L=3,
    step=Q(1, 6),
)
def gradient_descent_short(p: Problem, t: int, L: Q, step: Q) -> tuple[Form, Form]:
    f, s, x = start(p, smooth_convex(L))
    return f(descent(f, x, t, step)) - f(s), L * sq(x - s) / (4 * t * L * step + 2)


@rate(
    "gradient descent, long steps 3/2",
    f"{TAYLOR}, Conjecture 3.1; Teboulle and Vaisbourd (2023)",
    (f"{HOME}.gradient_descent", {"L": 1, "gamma": 1.5, "n": 3}),
    t=T,
    step=Q(3, 2),
)
def gradient_descent_long(p: Problem, t: int, step: Q) -> tuple[Form, Form]:
    f, s, x = start(p, smooth_convex())
    return f(descent(f, x, t, step)) - f(s), max(1 / (2 * t * step + 1), (1 - step) ** (2 * t)) * sq(
        x - s
    ) / 2


@rate(
    "gradient descent, long steps 19/10",
    f"{TAYLOR}, Conjecture 3.1; Teboulle and Vaisbourd (2023)",
    (f"{HOME}.gradient_descent", {"L": 1, "gamma": 1.9, "n": 3}),
    t=T,
    step=Q(19, 10),
)
def gradient_descent_longer(p: Problem, t: int, step: Q) -> tuple[Form, Form]:
    return gradient_descent_long(p, t, step)


@rate(
    "gradient descent, gradient by gap",
    "Taylor, Hendrickx and Glineur (2017), SIAM J. Optim. 27, Table 2",
    t=T,
)
def gradient_by_gap(p: Problem, t: int) -> tuple[Form, Form]:
    f, s, x = start(p, smooth_convex())
    return sq(f.gradient(descent(f, x, t, Q(1)))), Q(2, 2 * t + 1) * (f(x) - f(s))


@rate(
    "gradient descent, gradient by distance",
    "Taylor, Hendrickx and Glineur (2017), SIAM J. Optim. 27, Table 2",
    t=T,
)
def gradient_by_distance(p: Problem, t: int) -> tuple[Form, Form]:
    f, s, x = start(p, smooth_convex())
    return sq(f.gradient(descent(f, x, t, Q(1)))), Q(1, (t + 1) ** 2) * sq(x - s)


@rate(
    "gradient descent, distance",
    "Polyak (1987), Section 1.4, Theorem 3",
    ("composite_convex_minimization.proximal_gradient", {"L": 1, "mu": 0.1, "gamma": 1, "n": 2}),
    t=T,
    mu=Q(1, 10),
    step=1,
)
def distance(p: Problem, t: int, mu: Q, step: Q) -> tuple[Form, Form]:
    f, s, x = start(p, smooth_strongly_convex(1, mu))
    return sq(descent(f, x, t, step) - s), max(1 - step * mu, step - 1) ** (2 * t) * sq(x - s)


@rate(
    "gradient descent, distance, long steps",
    "Polyak (1987), Section 1.4, Theorem 3",
    t=T,
    mu=Q(1, 10),
    step=Q(19, 10),
)
def distance_long(p: Problem, t: int, mu: Q, step: Q) -> tuple[Form, Form]:
    return distance(p, t, mu, step)


@rate(
    "gradient descent, values",
    "Taylor, Hendrickx and Glineur (2018), JOTA 178, Theorem 3.3",
    t=T,
    mu=Q(1, 10),
    step=1,
)
def values(p: Problem, t: int, mu: Q, step: Q) -> tuple[Form, Form]:
    f, s, x = start(p, smooth_strongly_convex(1, mu))
    return f(descent(f, x, t, step)) - f(s), max(1 - step * mu, step - 1) ** (2 * t) * (f(x) - f(s))


@rate(
    "gradient descent, gradient",
    "Taylor, Hendrickx and Glineur (2018), JOTA 178, Theorem 3.2",
    t=T,
    mu=Q(1, 5),
    step=Q(3, 2),
)
def gradient(p: Problem, t: int, mu: Q, step: Q) -> tuple[Form, Form]:
    f, _, x = start(p, smooth_strongly_convex(1, mu))
    last = f.gradient(descent(f, x, t, step))
    return sq(last), max(1 - step * mu, step - 1) ** (2 * t) * sq(f.gradient(x))


@rate(
    "gradient descent, two runs",
    "folklore",
    ("tutorials.gradient_descent_contraction", {"L": 1, "mu": 0.1, "gamma": 1, "n": 1}),
    t=(1, 2),
    mu=Q(1, 10),
    step=1,
)
def two_runs(p: Problem, t: int, mu: Q, step: Q) -> tuple[Form, Form]:
    f, x, y = p.function(smooth_strongly_convex(1, mu)), p.point("x0"), p.point("y0")
    apart = descent(f, x, t, step) - descent(f, y, t, step)
    return sq(apart), max(1 - step * mu, step - 1) ** (2 * t) * sq(x - y)


@rate(
    "gradient descent, quadratic growth",
    f"{GOUJAUD}, Theorem 2.2",
    (f"{HOME}.gradient_descent_qg_convex", {"L": 1, "gamma": 0.2, "n": 2}),
    t=T,
    step=Q(1, 5),
)
def growth(p: Problem, t: int, step: Q) -> tuple[Form, Form]:
    f, s, x = start(p, quadratic_growth())
    return f(descent(f, x, t, step)) - f(s), max(1 / (2 * t * step + 1), step) * sq(x - s) / 2


@rate(
    "heavy ball, quadratic growth",
    f"{GOUJAUD}, Theorem 2.3",
    (f"{HOME}.heavy_ball_momentum_qg_convex", {"L": 1, "n": 3}),
    t=T,
)
def heavy_ball_growth(p: Problem, t: int) -> tuple[Form, Form]:
    f, s, x0 = start(p, quadratic_growth())
    before = x = x0
    for k in range(t):
        before, x = x, x - Q(1, k + 2) * f.gradient(x) + Q(k, k + 2) * (x - before)
    return f(x) - f(s), sq(x0 - s) / (2 * (t + 1))
