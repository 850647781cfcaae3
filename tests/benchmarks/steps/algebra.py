"""Polynomials, quotients, roots, extremes and whole numbers."""

from __future__ import annotations

import sympy as sp

from tests.benchmarks.steps.cases import Steps

ALGEBRA = Steps("algebra")
step, notes = ALGEBRA.add, ALGEBRA.notes
a, b, c, d, L, mu, eta, eps, beta, gamma = notes.positive("a b c d L mu eta eps beta gamma")
p, q, u, v, X, Y, D0, B = notes.nonnegative("p q u v X Y D0 B")
x, y, z, P, D1, D2 = notes.real("x y z P D1 D2")
n, m, T, K, N, E = notes.count("n m T K N E")
half, third = sp.Rational(1, 2), sp.Rational(1, 3)
NESTEROV = "Nesterov, Lectures on Convex Optimization (2018)"
BUBECK = "Bubeck, Convex Optimization: Algorithms and Complexity (2015)"
LI = "Li et al., On the Convergence of FedAvg on Non-IID Data (2020)"
KHALED = "Khaled, Mishchenko, Richtarik, Tighter Theory for Local SGD (2020)"
SCAFFOLD = "Karimireddy et al., SCAFFOLD (2020)"
HARDY = "Hardy, Littlewood, Polya, Inequalities (1934)"
FOLKLORE = "folklore"

step("young", HARDY, x * y <= c * x**2 / 2 + y**2 / (2 * c), x * y <= c * x**2 / 3 + y**2 / (2 * c))
step(
    "square-of-sum",
    SCAFFOLD,
    (x + y) ** 2 <= (1 + a) * x**2 + (1 + 1 / a) * y**2,
    (x + y) ** 2 <= (1 + a) * x**2 + y**2 / a,
)
step(
    "three-squares",
    HARDY,
    (x + y + z) ** 2 <= 3 * (x**2 + y**2 + z**2),
    (x + y + z) ** 2 <= sp.Rational(29, 10) * (x**2 + y**2 + z**2),
)
step(
    "descent-step",
    NESTEROV,
    -eta * (1 - L * eta / 2) * x**2 <= -eta / 2 * x**2,
    -eta * (1 - L * eta / 2) * x**2 <= -sp.Rational(3, 5) * eta * x**2,
    eta <= 1 / L,
)
step(
    "contraction",
    NESTEROV,
    (1 - eta * mu) ** 2 <= 1 - eta * mu,
    (1 - eta * mu) ** 2 <= 1 - 2 * eta * mu,
    eta <= 1 / L,
    mu <= L,
)
step(
    "best-step",
    NESTEROV,
    sp.Max((1 - 2 * mu / (mu + L)) ** 2, (1 - 2 * L / (mu + L)) ** 2) <= ((L - mu) / (L + mu)) ** 2,
    sp.Max((1 - 2 * mu / (mu + L)) ** 2, (1 - 2 * L / (mu + L)) ** 2) <= ((L - mu) / L) ** 2 / 4,
    mu <= L,
)
step(
    "cross-term",
    HARDY,
    2 * P * x * y <= X * y**2 + Y * x**2,
    2 * P * x * y <= X * y**2 + Y * x**2 / 2,
    P**2 <= X * Y,
)
step(
    "cauchy-next",
    HARDY,
    (P + x * y) ** 2 <= (X + x**2) * (Y + y**2),
    (P + x * y) ** 2 <= (X + x**2) * (Y + y**2 / 2),
    P**2 <= X * Y,
)
step("am-gm-3", HARDY, a**3 + b**3 + c**3 >= 3 * a * b * c, a**3 + b**3 + c**3 >= 4 * a * b * c - c**3)
step(
    "am-gm-4",
    HARDY,
    a**4 + b**4 + c**4 + d**4 >= 4 * a * b * c * d,
    a**4 + b**4 + c**4 + d**4 >= sp.Rational(41, 10) * a * b * c * d,
)
step("am-hm", HARDY, 4 / (a + b) <= 1 / a + 1 / b, 5 / (a + b) <= 1 / a + 1 / b)
step(
    "nesbitt",
    "Nesbitt (1903)",
    a / (b + c) + b / (c + a) + c / (a + b) >= sp.Rational(3, 2),
    a / (b + c) + b / (c + a) + c / (a + b) >= sp.Rational(8, 5),
)
step(
    "root-of-sum",
    FOLKLORE,
    sp.sqrt(a + b) <= sp.sqrt(a) + sp.sqrt(b),
    sp.sqrt(a) + sp.sqrt(b) <= sp.sqrt(a + b),
)
step(
    "root-of-sum-2",
    FOLKLORE,
    sp.sqrt(a) + sp.sqrt(b) <= sp.sqrt(2 * (a + b)),
    sp.sqrt(a) + sp.sqrt(b) <= sp.sqrt(sp.Rational(3, 2) * (a + b)),
)
step(
    "root-difference",
    FOLKLORE,
    1 / sp.sqrt(T + 1) <= 2 * (sp.sqrt(T + 1) - sp.sqrt(T)),
    1 / sp.sqrt(T + 1) <= sp.Rational(19, 10) * (sp.sqrt(T + 1) - sp.sqrt(T)),
)
step(
    "root-slope",
    "Duchi, Hazan, Singer, AdaGrad (2011), Lemma 4",
    a / sp.sqrt(b + a) <= 2 * (sp.sqrt(b + a) - sp.sqrt(b)),
    a / sp.sqrt(b + a) <= sp.sqrt(b + a) - sp.sqrt(b),
)
step(
    "tuned-step",
    KHALED,
    D0 / (eta * T) + eta * B <= 2 * sp.sqrt(D0 * B / T),
    D0 / (eta * T) + eta * B <= sp.Rational(19, 10) * sp.sqrt(D0 * B / T),
    sp.Eq(eta, sp.sqrt(D0 / (B * T))),
    D0 > 0,
    B > 0,
)
step("min-of-steps", SCAFFOLD, 1 / sp.Min(a, b) <= 1 / a + 1 / b, 1 / sp.Min(a, b) <= 1 / a + 1 / (2 * b))
step(
    "min-of-three",
    SCAFFOLD,
    1 / sp.Min(a, b, c) <= 1 / a + 1 / b + 1 / c,
    1 / sp.Min(a, b, c) <= 1 / a + 1 / b,
)
step("max-by-sum", FOLKLORE, sp.Max(x, y) <= sp.Abs(x) + sp.Abs(y), sp.Max(x, y) <= sp.Abs(x + y))
step("max-average", FOLKLORE, sp.Max(x, y) >= (x + y) / 2, sp.Max(x, y) >= (x + y) * sp.Rational(3, 5))
step("difference-of-squares", FOLKLORE, x**2 - y**2 <= 2 * x * (x - y), x**2 - y**2 <= 2 * y * (x - y))
step(
    "fading-steps",
    LI,
    beta / (gamma + T) <= 2 * beta / (gamma + T + E),
    beta / (gamma + T) <= beta / (gamma + T + E),
    gamma >= E,
)
step(
    "induction-1-over-t",
    LI,
    (1 - beta * mu / (T + gamma)) * (v / (T + gamma)) + beta**2 * B / (T + gamma) ** 2 <= v / (T + gamma + 1),
    (1 - beta * mu / (T + gamma)) * (v / (T + gamma)) + beta**2 * B / (T + gamma) ** 2 <= v / (T + gamma + 2),
    v >= beta**2 * B / (beta * mu - 1),
    beta * mu > 1,
    beta * mu <= gamma,
)
step(
    "two-rounds",
    LI,
    v / (gamma + 2) >= D2,
    v / (gamma + 3) >= D2,
    (1 - beta * mu / gamma) * D0 + (beta / gamma) ** 2 * B >= D1,
    (1 - beta * mu / (1 + gamma)) * D1 + (beta / (1 + gamma)) ** 2 * B >= D2,
    v >= beta**2 * B / (beta * mu - 1),
    beta * mu > 1,
    beta * mu <= gamma,
    v >= gamma * D0,
)
step(
    "sampling",
    LI,
    (N - K) / (K * (N - 1)) <= 1 / K * (1 - (K - 1) / N),
    (N - K) / (K * (N - 1)) <= 1 / K * (1 - K / N),
    N >= 2,
    K <= N,
)
step(
    "local-drift", SCAFFOLD, (1 + 1 / (K - 1)) * (K - 1) <= K, K - half >= (1 + 1 / (K - 1)) * (K - 1), K >= 2
)
step("whole", FOLKLORE, N <= 2, N <= 1, N < 3)
step("whole-below", FOLKLORE, sp.Le(N, T), sp.Le(N, T - 1), N < T + 1)
step("ceiling", FOLKLORE, 2 * a >= N, sp.Rational(3, 2) * a >= N, a + 1 > N, a >= half)
step("fourth-root", KHALED, sp.sqrt(T) >= E**2, sp.sqrt(T) / 2 >= E**2, T ** sp.Rational(1, 4) >= E)
step(
    "local-steps",
    "Yu, Yang, Zhu, Parallel Restarted SGD (2019)",
    1 / sp.sqrt(N * T) >= E**2 * N / T,
    1 / (2 * sp.sqrt(N * T)) >= E**2 * N / T,
    T ** sp.Rational(1, 4) / N ** sp.Rational(3, 4) >= E,
)
step("whole-gap", FOLKLORE, (n - 3) * (n - 4) >= 0, (n - 3) * (n - 5) >= 0)
step(
    "telescoping-quotients",
    FOLKLORE,
    sp.Eq(1 / n - 1 / (n + 1), 1 / (n * (n + 1))),
    sp.Eq(1 / n - 1 / (n + 1), 1 / (n + 1) ** 2),
)
step(
    "convex-weights",
    HARDY,
    (p * x + (1 - p) * y) ** 2 <= p * x**2 + (1 - p) * y**2,
    (p * x + (1 - p) * y) ** 2 <= p * x**2 + (1 - p) * y**2 / 2,
    p <= 1,
)
step(
    "momentum-weights",
    "Polyak, Introduction to Optimization (1987)",
    beta**2 / (1 - beta) ** 2 + 1 / (1 - beta) <= 1 / (1 - beta) ** 2,
    beta**2 / (1 - beta) ** 2 + 1 / (1 - beta) <= beta / (1 - beta) ** 2,
    beta < 1,
)
step("half-power", NESTEROV, (n + 2) ** 2 <= 2 * (n + 1) ** 2 + 2, (n + 2) ** 2 <= 2 * (n + 1) ** 2)
step(
    "nesterov-weights",
    NESTEROV,
    (1 + sp.sqrt(1 + 4 * a**2)) / 2 >= a + half,
    (1 + sp.sqrt(1 + 4 * a**2)) / 2 >= a + sp.Rational(3, 5),
)
step(
    "nesterov-equation",
    NESTEROV,
    sp.Eq(b**2 - b, a**2),
    sp.Eq(b**2 - b, a**2 + b),
    sp.Eq(b, (1 + sp.sqrt(1 + 4 * a**2)) / 2),
)
step("quadratic-formula", FOLKLORE, x <= a + sp.sqrt(b), x <= a + sp.sqrt(b) / 2, x**2 <= a * x + b)
step(
    "self-bounding",
    "Levy, Yurtsever, Cevher (2018)",
    a <= 2 * b + 2 * c**2,
    a <= b + c**2 / 2,
    a <= b + c * sp.sqrt(a),
)
step("abs-product", FOLKLORE, sp.Abs(x * y) <= (x**2 + y**2) / 2, sp.Abs(x * y) <= (x**2 + y**2) / 3)
step(
    "triangle",
    FOLKLORE,
    sp.Abs(x - z) <= sp.Abs(x - y) + sp.Abs(y - z),
    sp.Abs(x - z) <= sp.Abs(x - y) + sp.Abs(y - z) / 2,
)
step(
    "reverse-triangle",
    FOLKLORE,
    sp.Abs(sp.Abs(x) - sp.Abs(y)) <= sp.Abs(x - y),
    sp.Abs(x) + sp.Abs(y) <= sp.Abs(x - y),
)
step(
    "clip",
    "Zhang et al., Why Gradient Clipping Accelerates Training (2020)",
    sp.Min(1, c / a) * a <= c,
    sp.Min(1, c / a) * a <= c / 2,
)
step("ratio-monotone", FOLKLORE, a / (a + c) <= b / (b + c), a / (a + c) <= b / (b + 2 * c), a <= b)
step(
    "mediant", FOLKLORE, (a + c) / (b + d) <= sp.Max(a / b, c / d), (a + c) / (b + d) <= sp.Min(a / b, c / d)
)
step(
    "chebyshev-2",
    HARDY,
    (a + b) * (c + d) <= 2 * (a * c + b * d),
    (a + b) * (c + d) <= 2 * (a * d + b * c),
    a <= b,
    c <= d,
)
step(
    "condition-number",
    NESTEROV,
    (1 - mu / L) ** 2 <= 1 - mu / L,
    (1 - mu / L) ** 2 <= 1 - 2 * mu / L,
    mu <= L,
)
step(
    "strongly-convex-rate",
    BUBECK,
    ((L - mu) / (L + mu)) ** 2 <= 1 - mu / L,
    ((L - mu) / (L + mu)) ** 2 <= 1 - 4 * mu / L + mu**2 / L**2,
    mu <= L,
)
