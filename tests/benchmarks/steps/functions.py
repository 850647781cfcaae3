"""Exponentials, logarithms, symbolic powers."""

from __future__ import annotations

import sympy as sp

from tests.benchmarks.steps.cases import Steps

FUNCTIONS = Steps("functions")
step, notes = FUNCTIONS.add, FUNCTIONS.notes
a, b, c, q, w, mu, eta, eps, L = notes.positive("a b c q w mu eta eps L")
x, y = notes.real("x y")
T, K, N, n, m = notes.count("T K N n m")
exp, log, sqrt = sp.exp, sp.log, sp.sqrt
half = sp.Rational(1, 2)
RUDIN = "Rudin, Principles of Mathematical Analysis (1976), 8.6"
DLMF = "NIST Digital Library of Mathematical Functions, 4.5"
HARDY = "Hardy, Littlewood, Polya, Inequalities (1934)"
STICH = "Stich, Unified Optimal Analysis of the (Stochastic) Gradient Method (2019)"
BERNOULLI = "Bernoulli (1689)"
FOLKLORE = "folklore"

step("exp-tangent", DLMF, exp(x) >= 1 + x, exp(x) >= 1 + sp.Rational(11, 10) * x)
step("exp-negative", DLMF, 1 - a <= exp(-a), 1 - a / 2 <= exp(-a))
step("exp-secant", DLMF, exp(-a) <= 1 - a / 2, exp(-a) <= 1 - sp.Rational(3, 4) * a, a <= 1)
step("exp-reciprocal", DLMF, exp(a) <= 1 / (1 - a), exp(a) <= 1 + a, a < 1)
step("exp-monotone", RUDIN, exp(x) <= exp(y), exp(x) <= exp(y) / 2, x <= y)
step(
    "exp-sum",
    RUDIN,
    sp.Eq(exp(x) * exp(y), exp(x + y), evaluate=False),
    sp.Eq(exp(x) + exp(y), exp(x + y), evaluate=False),
)
step("exp-above-1", RUDIN, exp(a) >= 1, exp(a) >= 2)
step(
    "exp-positive", RUDIN, sp.Ge(exp(x) * (1 + x**2), 0, evaluate=False), sp.Ge(exp(x) * x, 0, evaluate=False)
)
step("exp-convex", HARDY, exp((x + y) / 2) <= (exp(x) + exp(y)) / 2, exp((x + y) / 2) <= exp(x) / 2)
step("cosh", HARDY, exp(x) + exp(-x) >= 2, exp(x) + exp(-x) >= sp.Rational(21, 10))
step("log-tangent", DLMF, log(a) <= a - 1, log(a) <= a - sp.Rational(11, 10))
step("log-below", DLMF, log(1 + a) >= a / (1 + a), log(1 + a) >= a)
step("log-monotone", RUDIN, log(a) <= log(b), log(a) <= log(b) - 1, a <= b)
step(
    "log-ratio",
    RUDIN,
    sp.Eq(log(a / b), log(a) - log(b), evaluate=False),
    sp.Eq(log(a / b), log(a) / log(2 * b), evaluate=False),
)
step(
    "log-power",
    RUDIN,
    sp.Eq(log(a**2), 2 * log(a), evaluate=False),
    sp.Eq(log(a**2), log(a) ** 2, evaluate=False),
)
step(
    "log-product",
    RUDIN,
    sp.Eq(log(a * b * c), log(a) + log(b) + log(c), evaluate=False),
    sp.Eq(log(a * b * c), log(a) + log(b) - log(c), evaluate=False),
)
step("log-root", DLMF, log(a) <= 2 * (sqrt(a) - 1), log(a) <= sp.Rational(3, 2) * (sqrt(a) - 1))
step(
    "log-concave", HARDY, (log(a) + log(b)) / 2 <= log((a + b) / 2), log((a + b) / 2) <= (log(a) + log(b)) / 2
)
step("log-2", RUDIN, sp.Le(log(2), w, evaluate=False), sp.Le(log(2), w / 2, evaluate=False), w >= 1)
step("log-max", STICH, log(sp.Max(2, a)) >= log(2), log(sp.Max(2, a)) >= 1)
step("exp-log-max", STICH, exp(-log(sp.Max(2, a))) <= 1 / a, exp(-log(sp.Max(2, a))) <= 1 / (2 * a))
step(
    "iterations",
    "Bubeck (2015), Theorem 3.10",
    exp(-T * mu / L) <= eps,
    exp(-T * mu / L) <= eps / 2,
    L / mu * log(1 / eps) <= T,
)
step("contraction-exp", FOLKLORE, (1 - a) ** T <= exp(-a * T), (1 - a) ** T <= exp(-2 * a * T), a <= 1)
step("growth-exp", FOLKLORE, (1 + a) ** T <= exp(a * T), (1 + a) ** T <= exp(a * T / 2))
step("compound-e", HARDY, (1 + sp.S.One / n) ** n <= sp.E, (1 + sp.S.One / n) ** n <= sp.Rational(5, 2))
step("compound-3", HARDY, (1 + sp.S.One / n) ** n <= 3, (1 + sp.S.One / n) ** n <= sp.Rational(27, 10))
step(
    "contraction-eps",
    "Bubeck (2015), Theorem 3.10",
    (1 - mu / L) ** T <= eps,
    (1 - mu / L) ** T <= eps / 2,
    L / mu * log(1 / eps) <= T,
    mu <= L,
)
step("bernoulli", BERNOULLI, (1 + x) ** T >= 1 + T * x, (1 + x) ** T >= 1 + (T + 1) * x, x >= -1)
step("bernoulli-minus", BERNOULLI, (1 - a) ** T >= 1 - a * T, (1 - a) ** T >= 1 - a * T / 2, a <= 1)
step(
    "power-discount", FOLKLORE, (1 - a) ** T <= 1 / (1 + a * T), (1 - a) ** T <= 1 / (1 + a * T) ** 2, a <= 1
)
step("power-below-1", FOLKLORE, q**T <= 1, q**T <= half, q <= 1)
step("power-monotone", FOLKLORE, (1 + q) ** T <= (1 + a) ** T, (1 + 2 * q) ** T <= (1 + a) ** T, q <= a)
step("power-exponent", FOLKLORE, (1 + q) ** T <= (1 + q) ** N, (1 + q) ** N <= (1 + q) ** T, T <= N)
step("power-shrinks", FOLKLORE, (1 - a) ** N <= (1 - a) ** T, (1 - a) ** T <= (1 - a) ** N, T <= N, a <= 1)
step(
    "power-sum",
    FOLKLORE,
    sp.Eq((1 + a) ** (T + N), (1 + a) ** T * (1 + a) ** N, evaluate=False),
    sp.Eq((1 + a) ** (T + N), (1 + a) ** T + (1 + a) ** N, evaluate=False),
)
step(
    "negative-power",
    FOLKLORE,
    sp.Eq((1 - a) ** (-T - 1) * (1 - a), (1 - a) ** (-T), evaluate=False),
    sp.Eq((1 - a) ** (-T - 1) * (1 - a) ** 2, (1 - a) ** (-T), evaluate=False),
    a < 1,
)
step(
    "negative-power-sum",
    FOLKLORE,
    q ** (-(T + 1)) / (1 - q) + q ** (-(T + 2)) <= q ** (-(T + 2)) / (1 - q),
    q ** (-(T + 1)) / (1 - q) + q ** (-(T + 2)) <= q ** (-(T + 1)) / (1 - q),
    q < 1,
)
step(
    "double",
    FOLKLORE,
    sp.Eq(2 ** (K + 1), 2 * 2**K, evaluate=False),
    sp.Eq(2 ** (K + 1), 2**K + 2, evaluate=False),
)
step(
    "power-of-power",
    FOLKLORE,
    sp.Eq(((1 + a) ** 2) ** T, (1 + a) ** (2 * T), evaluate=False),
    sp.Eq(((1 + a) ** 2) ** T, (1 + a) ** (T + 2), evaluate=False),
)
step("two-to-n", FOLKLORE, 2**n >= n + 1, 2**n >= n + 2)
step("two-to-n-squared", FOLKLORE, 2**n >= n**2, 2**n >= n**2 + 1, n >= 4)
step(
    "factor-below",
    FOLKLORE,
    (1 - sp.S.One / (n + 1)) ** n >= sp.exp(-1),
    (1 - sp.S.One / (n + 1)) ** n >= half,
)
step("restarts", STICH, 2 ** (-K) * a <= eps, 2 ** (-K) * a <= eps / 2, log(a / eps) / log(2) <= K)
step("hoeffding-exponent", "Hoeffding (1963)", exp(x) <= x + exp(x**2), exp(x) <= exp(x**2))
step(
    "exp-of-tail", "Vershynin, High-Dimensional Probability (2018)", exp(-a) <= 1 / a, exp(-a) <= 1 / (3 * a)
)
step(
    "log-of-sum",
    FOLKLORE,
    log(1 + a + b) <= log(1 + a) + log(1 + b),
    log(1 + a) + log(1 + b) <= log(1 + a + b),
)
step("entropy", FOLKLORE, a * log(a / b) >= a - b, a * log(a / b) >= a - b / 2)
step("log-sobolev", HARDY, a * b <= a * log(a) - a + exp(b), a * b <= a * log(a) - a + exp(b) / 2)
