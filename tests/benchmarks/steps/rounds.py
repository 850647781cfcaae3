"""Sums over rounds, clients and data, and recursions, from appendices about learning and optimization."""

from __future__ import annotations

import sympy as sp

from bounds.relations import eq
from tests.benchmarks.steps.cases import Steps

ROUNDS = Steps("rounds")
step, notes = ROUNDS.add, ROUNDS.notes
a, b, c, q, G = notes.positive("a b c q G")
T, K, N, t = notes.count("T K N t")
k = sp.Symbol("k", integer=True, positive=True)
i, j = sp.symbols("i j", integer=True)
r, d, s = (sp.IndexedBase(sp.Symbol(name, nonnegative=True)) for name in ["r", "d", "s"])
weight = sp.IndexedBase(sp.Symbol("weight", positive=True))
g, m, X = sp.IndexedBase("g"), sp.IndexedBase("m"), sp.IndexedBase("X")
R, Sum, log, sqrt = sp.Rational, sp.Sum, sp.log, sp.sqrt
GKP = "Graham, Knuth, Patashnik, Concrete Mathematics (1994)"
BOTTOU = "Bottou, Curtis, Nocedal, Optimization Methods for Large-Scale Machine Learning (2018)"

step(
    "gap-three",
    GKP,
    Sum(1 / (k * (k + 3)), (k, 1, T)) <= R(11, 18),
    Sum(1 / (k * (k + 3)), (k, 1, T)) <= R(1, 2),
)
step(
    "tail",
    BOTTOU,
    Sum(1 / k**2, (k, N + 1, N + T)) <= 1 / N - 1 / (N + T),
    Sum(1 / k**2, (k, N + 1, N + T)) <= 1 / (N + 1) - 1 / (N + T),
)
step(
    "root-telescope",
    GKP,
    eq(Sum(1 / (sqrt(k) + sqrt(k + 1)), (k, 1, T)), sqrt(T + 1) - 1),
    eq(Sum(1 / (sqrt(k) + sqrt(k + 1)), (k, 1, T)), sqrt(T)),
)
step(
    "quadratic-weights",
    "Stich, Local SGD Converges Fast (2019), Lemma 3.3",
    Sum((k + a) ** 2, (k, 1, T)) >= T**3 / 3,
    Sum((k + a) ** 2, (k, 1, T)) >= T**3 / 2,
)
step(
    "weighted-average-error",
    "Lacoste-Julien, Schmidt, Bach (2012)",
    Sum(k * b / (k + 1), (k, 1, T)) <= b * T,
    Sum(k * b / (k + 1), (k, 1, T)) <= b * T / 2,
)
step(
    "momentum-double",
    "Liu, Gao, Yin, Improved Analysis of SGD with Momentum (2020)",
    Sum(Sum(b ** (k - i), (i, 1, k)), (k, 1, T)) <= T / (1 - b),
    Sum(Sum(b ** (k - i), (i, 1, k)), (k, 1, T)) <= T / (2 * (1 - b)),
    b < 1,
)
step(
    "local-steps",
    "Koloskova et al., A Unified Theory of Decentralized SGD (2020)",
    Sum((k - 1) * a, (k, 1, K)) <= a * K**2 / 2,
    Sum((k - 1) * a, (k, 1, K)) <= a * K**2 / 3,
)
step(
    "log-factorial",
    "Cover, Thomas, Elements of Information Theory (2006)",
    Sum(log(k), (k, 1, T)) >= T * log(T) - T + 1,
    Sum(log(k), (k, 1, T)) >= T * log(T) - T / 2,
)
step(
    "shifted-harmonic",
    BOTTOU,
    Sum(1 / (a + k), (k, 1, T)) <= log(1 + T / a),
    Sum(1 / (a + k), (k, 1, T)) <= log(1 + T / a) / 2,
)
step(
    "titu",
    "Steele, The Cauchy-Schwarz Master Class (2004)",
    Sum(X[i], (i, 1, N)) ** 2 <= Sum(weight[i], (i, 1, N)) * Sum(X[i] ** 2 / weight[i], (i, 1, N)),
    Sum(X[i], (i, 1, N)) ** 2 <= Sum(weight[i], (i, 1, N)) * Sum(X[i] ** 2 / weight[i], (i, 1, N)) / 2,
)
step(
    "variance",
    "Karimireddy et al., SCAFFOLD (2020), Lemma 4",
    Sum((X[i] - Sum(X[j], (j, 1, N)) / N) ** 2, (i, 1, N)) <= Sum(X[i] ** 2, (i, 1, N)),
    Sum((X[i] - Sum(X[j], (j, 1, N)) / N) ** 2, (i, 1, N)) <= Sum(X[i] ** 2, (i, 1, N)) / 2,
)
step(
    "by-parts",
    "Shalev-Shwartz, Online Learning and Online Convex Optimization (2012)",
    eq(Sum(i * (X[i] - X[i - 1]), (i, 1, T)), T * X[T] - Sum(X[i], (i, 0, T - 1))),
    eq(Sum(i * (X[i] - X[i - 1]), (i, 1, T)), T * X[T] - Sum(X[i], (i, 1, T))),
)
step(
    "frank-wolfe",
    "Jaggi, Revisiting Frank-Wolfe (2013), Theorem 1",
    r[T] <= 4 * c / (T + 2),
    r[T] <= 3 * c / (T + 2),
    r[t] <= (1 - 2 / (t + 1)) * r[t - 1] + 4 * c / (t + 1) ** 2,
)
step(
    "pl-decreasing",
    "Karimi, Nutini, Schmidt, Polyak-Lojasiewicz (2016), Theorem 4",
    r[T] <= b / T,
    r[T] <= b / (T + 1),
    r[t] <= (1 - (2 * t - 1) / t**2) * r[t - 1] + b / t**2,
)
step(
    "moving-average",
    "Kingma, Ba, Adam (2015)",
    m[T] <= G * (1 - b**T),
    m[T] <= G * (1 - b**T) / 2,
    sp.Eq(m[t], b * m[t - 1] + (1 - b) * g[t]),
    g[t] <= G,
    sp.Eq(m[0], 0),
    b < 1,
)
step(
    "forgetting",
    "Evron et al., How Catastrophic Can Catastrophic Forgetting Be (2022)",
    r[T] <= q**T * r[0] + q * c / (1 - q),
    r[T] <= q**T * r[0] + q * c / (2 * (1 - q)),
    r[t] <= q * (r[t - 1] + c),
    q < 1,
)
step(
    "tracking",
    "Pu, Nedic, Distributed Stochastic Gradient Tracking (2021)",
    r[T] <= (1 - a) ** T * r[0] + T * b * (1 - a) ** (T - 1) * d[0],
    r[T] <= (1 - a) ** T * r[0] + T * b * (1 - a) ** T * d[0],
    r[t] <= (1 - a) * r[t - 1] + b * d[t - 1],
    d[t] <= (1 - a) * d[t - 1],
    a < 1,
)
step(
    "running-mean",
    "Welford (1962)",
    eq(T * X[T], Sum(g[i], (i, 1, T))),
    eq((T + 1) * X[T], Sum(g[i], (i, 1, T))),
    sp.Eq(X[t], X[t - 1] + (g[t] - X[t - 1]) / t),
)
step(
    "newton",
    "Nesterov, Lectures on Convex Optimization (2018), 1.2.4",
    a * r[T] <= 2 ** (-T - 1),
    a * r[T] <= 2 ** (-T - 2),
    r[t] <= a * r[t - 1] ** 2,
    a * r[0] <= R(1, 2),
)
step(
    "strongly-convex-sum",
    "Stich, Unified Optimal Analysis of the (Stochastic) Gradient Method (2019)",
    b * Sum(d[i], (i, 1, T)) <= r[0] + T * c,
    b * Sum(d[i], (i, 1, T)) <= r[0] / 2 + T * c,
    r[t] <= (1 - a) * r[t - 1] - b * d[t] + c,
    a <= 1,
)
step(
    "gronwall-sum",
    "Gronwall (1919), discrete form",
    r[T] <= c * (1 + a) ** T,
    r[T] <= c * (1 + a / 2) ** T,
    r[t] <= c + a * Sum(r[i], (i, 0, t - 1)),
    r[0] <= c,
)
step(
    "harmonic-step",
    "Chambolle, Pock, A First-Order Primal-Dual Algorithm (2011)",
    eq(s[T], s[0] / (1 + a * T * s[0])),
    eq(s[T], s[0] / (1 + a * (T + 1) * s[0])),
    sp.Eq(s[t], s[t - 1] / (1 + a * s[t - 1])),
)
