"""Sums with a symbolic end: closed forms, bounds by induction, sums over sequences."""

from __future__ import annotations

import sympy as sp

from tests.benchmarks.steps.cases import Steps

SUMS = Steps("sums")
step, notes = SUMS.add, SUMS.notes
a, b, c, q, beta, gamma = notes.positive("a b c q beta gamma")
T, n, m, K, N = notes.count("T n m K N")
i = sp.Symbol("i", integer=True)
k = sp.Symbol("k", integer=True, positive=True)
x, y = sp.IndexedBase("x"), sp.IndexedBase("y")
GKP = "Graham, Knuth, Patashnik, Concrete Mathematics (1994)"
ADAGRAD = "Duchi, Hazan, Singer, AdaGrad (2011), Lemma 4"
HARDY = "Hardy, Littlewood, Polya, Inequalities (1934)"
LAN = "Lan, First-order and Stochastic Optimization Methods (2020)"
FOLKLORE = "folklore"
third = sp.Rational(1, 3)
Sum = sp.Sum

step("gauss", GKP, sp.Eq(Sum(i, (i, 1, T)), T * (T + 1) / 2), sp.Eq(Sum(i, (i, 1, T)), T * (T - 1) / 2))
step(
    "squares",
    GKP,
    sp.Eq(Sum(i**2, (i, 1, n)), n * (n + 1) * (2 * n + 1) / 6),
    sp.Eq(Sum(i**2, (i, 1, n)), n * (n + 1) * (n + 2) / 6),
)
step(
    "cubes",
    GKP,
    sp.Eq(Sum(i**3, (i, 1, n)), (n * (n + 1) / 2) ** 2),
    sp.Eq(Sum(i**3, (i, 1, n)), (n * (n + 1)) ** 2 / 2),
)
step(
    "geometric",
    "Euclid, Elements, IX.35",
    sp.Eq(Sum(q**i, (i, 0, n - 1)), (1 - q**n) / (1 - q)),
    sp.Eq(Sum(q**i, (i, 0, n - 1)), (1 - q ** (n + 1)) / (1 - q)),
    q < 1,
)
step(
    "geometric-bound",
    "Euclid, Elements, IX.35",
    Sum(q**i, (i, 0, T)) <= 1 / (1 - q),
    Sum(q**i, (i, 0, T)) <= q / (1 - q),
    q < 1,
)
step("powers-of-two", GKP, sp.Eq(Sum(2**i, (i, 0, n)), 2 ** (n + 1) - 1), sp.Eq(Sum(2**i, (i, 0, n)), 2**n))
step(
    "telescope",
    GKP,
    sp.Eq(Sum(1 / (k * (k + 1)), (k, 1, n)), n / (n + 1)),
    sp.Eq(Sum(1 / (k * (k + 1)), (k, 1, n)), (n + 1) / (n + 2)),
)
step(
    "harmonic-log",
    GKP,
    Sum(1 / k, (k, 1, T)) <= 1 + sp.log(T),
    Sum(1 / k, (k, 1, T)) <= sp.Rational(1, 2) + sp.log(T),
)
step("harmonic-below", GKP, Sum(1 / k, (k, 1, T)) >= sp.log(T + 1), Sum(1 / k, (k, 1, T)) >= 1 + sp.log(T))
step(
    "inverse-roots",
    LAN,
    Sum(1 / sp.sqrt(k), (k, 1, T)) <= 2 * sp.sqrt(T),
    Sum(1 / sp.sqrt(k), (k, 1, T)) <= sp.Rational(3, 2) * sp.sqrt(T),
)
step(
    "inverse-roots-sharp",
    LAN,
    Sum(1 / sp.sqrt(k), (k, 1, T)) <= 2 * sp.sqrt(T) - 1,
    Sum(1 / sp.sqrt(k), (k, 1, T)) <= 2 * sp.sqrt(T) - sp.Rational(11, 10),
)
step(
    "inverse-roots-below",
    LAN,
    Sum(1 / sp.sqrt(k), (k, 1, T)) >= sp.sqrt(T),
    Sum(1 / sp.sqrt(k), (k, 1, T)) >= 2 * sp.sqrt(T) - 1,
)
step(
    "inverse-squares",
    "Euler (1735)",
    Sum(1 / k**2, (k, 1, T)) <= 2 - 1 / T,
    Sum(1 / k**2, (k, 1, T)) <= sp.Rational(3, 2),
)
step(
    "inverse-squares-2",
    "Euler (1735)",
    Sum(1 / k**2, (k, 1, T)) <= 2,
    Sum(1 / k**2, (k, 1, T)) <= sp.Rational(8, 5),
)
step(
    "constant",
    FOLKLORE,
    sp.Eq(Sum(q, (i, 1, T)), T * q, evaluate=False),
    sp.Eq(Sum(q, (i, 0, T)), T * q, evaluate=False),
)
step(
    "scale",
    FOLKLORE,
    sp.Eq(Sum(q * i, (i, 1, T)), q * Sum(i, (i, 1, T)), evaluate=False),
    sp.Eq(Sum(q * i, (i, 1, T)), q**2 * Sum(i, (i, 1, T)), evaluate=False),
)
step("last", FOLKLORE, Sum(q**i, (i, 0, T)) >= q**T, Sum(q**i, (i, 0, T)) >= 2 * q**T)
step("monotone", FOLKLORE, Sum(1 / (k + q), (k, 1, T)) <= T / q, Sum(1 / (k + q), (k, 1, T)) <= T / (q + 2))
step(
    "arithmetic-geometric",
    GKP,
    Sum(i * q**i, (i, 0, T)) <= q / (1 - q) ** 2,
    Sum(i * q**i, (i, 0, T)) <= q / (1 - q),
    q < 1,
)
step(
    "discounted",
    "Polyak, Introduction to Optimization (1987)",
    Sum((1 - a) ** (T - i), (i, 1, T)) <= 1 / a,
    Sum((1 - a) ** (T - i), (i, 1, T)) <= 1 / (2 * a),
    a <= 1,
)
step(
    "weighted-average",
    LAN,
    sp.Eq(Sum(2 * i / (T * (T + 1)), (i, 1, T)), 1),
    sp.Eq(Sum(2 * i / (T * (T + 1)), (i, 0, T - 1)), 1),
)
step(
    "step-sizes",
    "Robbins, Monro (1951)",
    Sum((a / k) ** 2, (k, 1, T)) <= 2 * a**2,
    Sum((a / k) ** 2, (k, 1, T)) <= a**2,
)
step(
    "cauchy-ones",
    HARDY,
    Sum(x[i], (i, 1, n)) ** 2 <= n * Sum(x[i] ** 2, (i, 1, n)),
    Sum(x[i], (i, 1, n)) ** 2 <= (n + 1) * Sum(x[i] ** 2, (i, 1, n)) / 2,
)
step(
    "cauchy",
    HARDY,
    Sum(x[i] * y[i], (i, 1, n)) ** 2 <= Sum(x[i] ** 2, (i, 1, n)) * Sum(y[i] ** 2, (i, 1, n)),
    Sum(x[i] * y[i], (i, 1, n)) ** 2 <= Sum(x[i] ** 2, (i, 1, n)) * Sum(y[i] ** 2, (i, 1, n)) / 2,
)
step(
    "adds-up",
    FOLKLORE,
    sp.Eq(Sum(x[i] + y[i], (i, 1, n)), Sum(x[i], (i, 1, n)) + Sum(y[i], (i, 1, n)), evaluate=False),
    sp.Eq(Sum(x[i] * y[i], (i, 1, n)), Sum(x[i], (i, 1, n)) * Sum(y[i], (i, 1, n)), evaluate=False),
)
step(
    "telescoping-sequence",
    FOLKLORE,
    sp.Eq(Sum(x[i] - x[i - 1], (i, 1, n)), x[n] - x[0], evaluate=False),
    sp.Eq(Sum(x[i] - x[i - 1], (i, 1, n)), x[n] - x[1], evaluate=False),
)
step(
    "squares-of-sums",
    FOLKLORE,
    Sum((x[i] + y[i]) ** 2, (i, 1, n)) <= 2 * Sum(x[i] ** 2, (i, 1, n)) + 2 * Sum(y[i] ** 2, (i, 1, n)),
    Sum((x[i] + y[i]) ** 2, (i, 1, n)) <= 2 * Sum(x[i] ** 2, (i, 1, n)) + Sum(y[i] ** 2, (i, 1, n)),
)
step(
    "inverse-products",
    GKP,
    Sum(1 / (k * (k + 1) * (k + 2)), (k, 1, n)) <= sp.Rational(1, 4),
    Sum(1 / (k * (k + 1) * (k + 2)), (k, 1, n)) <= sp.Rational(1, 5),
)
step(
    "odd-numbers", GKP, sp.Eq(Sum(2 * i - 1, (i, 1, n)), n**2), sp.Eq(Sum(2 * i - 1, (i, 1, n)), n * (n + 1))
)
step(
    "tail-of-squares",
    FOLKLORE,
    Sum(1 / k**2, (k, n + 1, 2 * n)) <= 1 / n,
    Sum(1 / k**2, (k, n + 1, 2 * n)) <= 1 / (4 * n),
)
step(
    "doubled-harmonic",
    GKP,
    Sum(1 / k, (k, n + 1, 2 * n)) <= 1,
    Sum(1 / k, (k, n + 1, 2 * n)) <= sp.Rational(3, 5),
)
