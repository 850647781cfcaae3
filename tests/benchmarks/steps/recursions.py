"""Recursions: relations that hold in every round, and their consequences for all rounds."""

from __future__ import annotations

import sympy as sp

from tests.benchmarks.steps.cases import Steps

RECURSIONS = Steps("recursions")
step, notes = RECURSIONS.add, RECURSIONS.notes
a, b, c, D, M, beta, gamma, eta = notes.positive("a b c D M beta gamma eta")
t, T = notes.count("t T")
i = sp.Symbol("i", integer=True)
half = sp.Rational(1, 2)
r, d, e, s, g = (sp.IndexedBase(sp.Symbol(name, nonnegative=True)) for name in ["r", "d", "e", "s", "g"])
x, f = sp.IndexedBase("x"), sp.IndexedBase("f")
POLYAK = "Polyak, Introduction to Optimization (1987), 2.2"
LI = "Li et al., On the Convergence of FedAvg on Non-IID Data (2020), Theorem 1"
ROBBINS = "Robbins, Siegmund (1971), without expectations"
NESTEROV = "Nesterov, Lectures on Convex Optimization (2018), 2.1"
BUBECK = "Bubeck, Convex Optimization: Algorithms and Complexity (2015), 3.2"
GRONWALL = "Gronwall (1919), discrete form"
ADAGRAD = "Streeter, McMahan (2010); Duchi, Hazan, Singer (2011), Lemma 4"
FOLKLORE = "folklore"
LINEAR = (r[t] <= (1 - a) * r[t - 1] + b, a <= 1)

step(
    "linear", POLYAK, r[T] <= (1 - a) ** T * r[0] + b / a, r[T] <= (1 - a) ** T * r[0] + b / (2 * a), *LINEAR
)
step(
    "linear-no-noise",
    POLYAK,
    r[T] <= (1 - a) ** T * r[0],
    r[T] <= (1 - 2 * a) ** T * r[0],
    r[t] <= (1 - a) * r[t - 1],
    a <= 1,
)
step(
    "linear-exp",
    POLYAK,
    r[T] <= sp.exp(-a * T) * r[0],
    r[T] <= sp.exp(-2 * a * T) * r[0],
    r[t] <= (1 - a) * r[t - 1],
    a <= 1,
)
step("floor", POLYAK, r[T] <= sp.Max(r[0], b / a), r[T] <= sp.Max(r[0], b / (2 * a)), *LINEAR)
step("additive", FOLKLORE, r[T] <= r[0] + T * b, r[T] <= r[0] + (T - 1) * b, r[t] <= r[t - 1] + b)
step("monotone", FOLKLORE, x[T] <= x[0], x[T] <= x[0] - 1, x[t] <= x[t - 1])
step(
    "robbins-siegmund",
    ROBBINS,
    r[T] + sp.Sum(d[i], (i, 1, T)) <= r[0] + sp.Sum(e[i], (i, 1, T)),
    r[T] + sp.Sum(d[i], (i, 1, T)) <= r[0] + sp.Sum(e[i], (i, 1, T)) / 2,
    r[t] <= r[t - 1] - d[t] + e[t],
)
step(
    "telescoped-descent",
    NESTEROV,
    sp.Sum(g[i], (i, 1, T)) <= 2 * (f[0] - f[T]) / eta,
    sp.Sum(g[i], (i, 1, T)) <= (f[0] - f[T]) / eta,
    f[t] <= f[t - 1] - eta / 2 * g[t],
)
step(
    "one-over-t",
    LI,
    r[T] <= M / (T + gamma),
    r[T] <= M / (T + gamma + 2),
    r[t] <= (1 - 2 / (t + gamma)) * r[t - 1] + b / (t + gamma) ** 2,
    gamma >= 2,
    b <= M,
    r[0] * gamma <= M,
    gamma * r[0] <= M,
)
step(
    "sublinear",
    NESTEROV,
    r[T] <= r[0] / (1 + T * r[0] / 4),
    r[T] <= r[0] / (1 + T * r[0]),
    r[t] <= r[t - 1] - r[t - 1] ** 2 / 2,
    r[0] <= 1,
)
step(
    "geometric-growth",
    GRONWALL,
    r[T] <= (1 + a) ** T * (r[0] + b / a),
    r[T] <= (1 + a) ** T * (r[0] + b),
    r[t] <= (1 + a) * r[t - 1] + b,
)
step(
    "gronwall-exp",
    GRONWALL,
    r[T] <= sp.exp(a * T) * r[0],
    r[T] <= sp.exp(a * T / 2) * r[0],
    r[t] <= (1 + a) * r[t - 1],
)
step(
    "products",
    FOLKLORE,
    sp.Eq(r[T], 2**T * r[0]),
    sp.Eq(r[T], 2 ** (T - 1) * r[0]),
    sp.Eq(r[t], 2 * r[t - 1]),
)
step(
    "squares",
    FOLKLORE,
    sp.Eq(x[T], T**2),
    sp.Eq(x[T], T**2 + T - 1),
    sp.Eq(x[t], x[t - 1] + 2 * t - 1),
    sp.Eq(x[0], 0),
)
step(
    "adagrad",
    ADAGRAD,
    sp.Sum(g[i] / s[i], (i, 1, T)) <= 2 * s[T],
    sp.Sum(g[i] / s[i], (i, 1, T)) <= s[T],
    sp.Eq(s[t] ** 2, s[t - 1] ** 2 + g[t]),
    s[t] >= D,
)
step(
    "bounded-sum",
    FOLKLORE,
    sp.Sum(r[i], (i, 1, T)) <= b * T,
    sp.Sum(r[i], (i, 1, T)) <= b * (T - 1) + b / 2,
    r[t] <= b,
)
step("average", BUBECK, sp.Sum(r[i], (i, 1, T)) / T <= b, sp.Sum(r[i], (i, 1, T)) / T <= b / 2, r[t] <= b)
step(
    "estimate-sequence",
    NESTEROV,
    g[T] <= g[0] * (1 - a) ** T,
    g[T] <= g[0] * (1 - a) ** (2 * T),
    sp.Eq(g[t], (1 - a) * g[t - 1]),
    a <= 1,
)
step(
    "two-sequences",
    FOLKLORE,
    r[T] + d[T] <= (1 - a) ** T * (r[0] + d[0]),
    r[T] + d[T] <= (1 - a) ** T * r[0],
    r[t] + d[t] <= (1 - a) * (r[t - 1] + d[t - 1]),
    a <= 1,
)
step(
    "momentum-decay",
    POLYAK,
    x[T] ** 2 <= b**2,
    x[T] ** 2 <= b**2 / 2,
    x[t] ** 2 <= x[t - 1] ** 2,
    x[0] ** 2 <= b**2,
)
step(
    "drift",
    "Karimireddy et al., SCAFFOLD (2020), Lemma 8",
    r[T] <= T * (1 + a) ** T * b,
    r[T] <= T * b,
    r[t] <= (1 + a) * r[t - 1] + b,
    sp.Eq(r[0], 0),
)
