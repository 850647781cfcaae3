"""Relations without sums from appendices about learning, optimization, concentration and information."""

from __future__ import annotations

import sympy as sp

from bounds.relations import eq, ge, ne
from tests.benchmarks.steps.cases import Steps

APPENDICES = Steps("appendices")
step, notes = APPENDICES.add, APPENDICES.notes
a, b, c, p, q, x, y, L, mu, eta, delta, eps = notes.positive("a b c p q x y L mu eta delta eps")
u, v, z, w1, w2 = notes.real("u v z w1 w2")
T, K, N = notes.count("T K N")
R, log, exp, sqrt, Abs, Max, Min = sp.Rational, sp.log, sp.exp, sp.sqrt, sp.Abs, sp.Max, sp.Min
ceiling, factorial, binomial = sp.ceiling, sp.factorial, sp.binomial
NESTEROV = "Nesterov, Lectures on Convex Optimization (2018)"
SCAFFOLD = "Karimireddy et al., SCAFFOLD (2020)"
COVER = "Cover, Thomas, Elements of Information Theory (2006)"
GAMES = "Cesa-Bianchi, Lugosi, Prediction, Learning, and Games (2006)"
UNDERSTANDING = "Shalev-Shwartz, Ben-David, Understanding Machine Learning (2014)"

step(
    "local-model-lower",
    "Koloskova et al., A Unified Theory of Decentralized SGD (2020)",
    (u - z) ** 2 >= (u - v) ** 2 / 2 - (v - z) ** 2,
    (u - z) ** 2 >= R(3, 4) * (u - v) ** 2 - (v - z) ** 2,
)
step(
    "biased-gradient",
    "Ajalloeian, Stich, On the Convergence of SGD with Biased Gradients (2020), Lemma 2",
    -eta * u * (u + v) + L * eta**2 / 2 * (u + v) ** 2 <= -eta / 2 * u**2 + eta / 2 * v**2,
    -eta * u * (u + v) + L * eta**2 / 2 * (u + v) ** 2 <= -eta / 2 * u**2 + eta / 3 * v**2,
    eta <= 1 / L,
)
step(
    "best-descent",
    f"{NESTEROV}, 1.2.3",
    -eta * x**2 + L * eta**2 * x**2 / 2 >= -(x**2) / (2 * L),
    -eta * x**2 + L * eta**2 * x**2 / 2 >= -(x**2) / (3 * L),
)
step(
    "two-quadratics",
    "Kirkpatrick et al., Overcoming Catastrophic Forgetting (2017)",
    a * (z - u) ** 2 + c * (z - v) ** 2 >= a * c / (a + c) * (u - v) ** 2,
    a * (z - u) ** 2 + c * (z - v) ** 2 >= R(3, 2) * a * c / (a + c) * (u - v) ** 2,
)
step(
    "ridge-bias",
    "Hastie et al., Surprises in High-Dimensional Ridgeless Least Squares (2022)",
    (a / (a + x)) ** 2 <= a / (4 * x),
    (a / (a + x)) ** 2 <= a / (5 * x),
)
step(
    "fedopt-drift",
    "Reddi et al., Adaptive Federated Optimization (2021), Lemma 3",
    1 + 1 / (2 * K - 1) + 6 * K * eta**2 * L**2 <= 1 + 1 / (K - 1),
    1 + 1 / (2 * K - 1) + 6 * K * eta**2 * L**2 <= 1 + 2 / (3 * K),
    eta <= 1 / (8 * L * K),
    K >= 2,
)
step(
    "weights-three",
    "Li et al., Federated Optimization in Heterogeneous Networks (2020)",
    p**2 + q**2 + (1 - p - q) ** 2 >= R(1, 3),
    p**2 + q**2 + (1 - p - q) ** 2 >= R(2, 5),
    p + q <= 1,
)
step(
    "frank-wolfe-next",
    "Jaggi, Revisiting Frank-Wolfe (2013), Theorem 1",
    (1 - 2 / (T + 2)) * (4 * c / (T + 2)) + 4 * c / (T + 2) ** 2 <= 4 * c / (T + 3),
    (1 - 2 / (T + 2)) * (4 * c / (T + 2)) + 4 * c / (T + 2) ** 2 <= 4 * c / (T + 4),
)
step(
    "svrg-half",
    "Johnson, Zhang, SVRG (2013), Theorem 1",
    1 / (mu * eta * (1 - 2 * L * eta) * N) + 2 * L * eta / (1 - 2 * L * eta) <= R(1, 2),
    1 / (mu * eta * (1 - 2 * L * eta) * N) + 2 * L * eta / (1 - 2 * L * eta) <= R(2, 5),
    sp.Eq(eta, 1 / (10 * L)),
    ge(N, 50 * L / mu),
)
step(
    "heavy-ball-factor",
    "Polyak, Introduction to Optimization (1987), 3.2",
    eq(1 - 2 * sqrt(mu) / (sqrt(L) + sqrt(mu)), (sqrt(L) - sqrt(mu)) / (sqrt(L) + sqrt(mu))),
    eq(1 - 2 * sqrt(mu) / (sqrt(L) + sqrt(mu)), (sqrt(L) - sqrt(mu)) / (sqrt(L) + 2 * sqrt(mu))),
    mu <= L,
)
step(
    "accelerated-factor",
    f"{NESTEROV}, 2.2",
    (sqrt(L) - sqrt(mu)) / (sqrt(L) + sqrt(mu)) <= 1 - sqrt(mu / L),
    (sqrt(L) - sqrt(mu)) / (sqrt(L) + sqrt(mu)) <= 1 - 2 * sqrt(mu / L),
    mu <= L,
)
step(
    "ef21-ratio",
    "Richtarik, Sokolov, Fatkhullin, EF21 (2021), Lemma 3",
    sqrt(1 - a) / (1 - sqrt(1 - a)) <= 2 / a - 1,
    sqrt(1 - a) / (1 - sqrt(1 - a)) <= 2 / a - 2,
    a < 1,
)
step(
    "error-feedback",
    "Karimireddy et al., Error Feedback Fixes SignSGD (2019), Lemma 3",
    (1 - a) * ((1 + a / 2) * x**2 + (1 + 2 / a) * y**2) <= (1 - a / 2) * x**2 + 2 / a * y**2,
    (1 - a) * ((1 + a / 2) * x**2 + (1 + 2 / a) * y**2) <= (1 - a / 2) * x**2 + (2 / a - 2) * y**2,
    a <= 1,
)
step(
    "adam-update",
    "Kingma, Ba, Adam (2015), 2.1",
    u / sqrt(b * c + (1 - b) * u**2) <= 1 / sqrt(1 - b),
    u / sqrt(b * c + (1 - b) * u**2) <= 1,
    b < 1,
)
step(
    "normalized",
    "Zhang et al., Why Gradient Clipping Accelerates Training (2020)",
    x**2 / (c + x) >= x - c,
    x**2 / (c + x) >= x - c / 2,
)
step(
    "normalized-momentum",
    "Cutkosky, Mehta, Momentum Improves Normalized SGD (2020), Lemma 2",
    -u * v / Abs(v) <= -Abs(u) + 2 * Abs(u - v),
    -u * v / Abs(v) <= -Abs(u) + Abs(u - v),
    ne(v, 0),
)
step(
    "self-bounding-sharp",
    "Orabona, A Modern Introduction to Online Learning (2019)",
    x <= a + b**2 + b * sqrt(a),
    x <= a + b**2 / 2 + b * sqrt(a),
    x <= a + b * sqrt(x),
)
step(
    "gem-projection",
    "Chaudhry et al., A-GEM (2019)",
    (u - (u * w1 + v * w2) * w1 / (w1**2 + w2**2)) ** 2 + (v - (u * w1 + v * w2) * w2 / (w1**2 + w2**2)) ** 2
    <= u**2 + v**2,
    (u - (u * w1 + v * w2) * w1 / (w1**2 + w2**2)) ** 2 + (v - (u * w1 + v * w2) * w2 / (w1**2 + w2**2)) ** 2
    <= (u**2 + v**2) / 2,
    w1**2 + w2**2 > 0,
)
step(
    "fedavg-descent",
    SCAFFOLD,
    -K * eta * x**2 / 2 + L * K**2 * eta**2 * x**2 <= -K * eta * x**2 / 4,
    -K * eta * x**2 / 2 + L * K**2 * eta**2 * x**2 <= -K * eta * x**2 / 3,
    eta <= 1 / (4 * L * K),
)
step(
    "variance-of-two",
    f"{SCAFFOLD}, (G, B)-dissimilarity",
    (u**2 + v**2) / 2 - ((u + v) / 2) ** 2 <= (u - z) ** 2 / 2 + (v - z) ** 2 / 2,
    (u**2 + v**2) / 2 - ((u + v) / 2) ** 2 <= (u - z) ** 2 / 2 + (v - z) ** 2 / 3,
)
step("large-enough", f"{UNDERSTANDING}, Lemma A.1", x >= a * log(x), x >= 2 * a * log(x), x >= 2 * a * log(a))
step(
    "exp-negative-quadratic", f"{GAMES}, A.1", exp(-x) <= 1 - x + x**2 / 2, exp(-x) <= 1 - x + R(2, 5) * x**2
)
step(
    "hedge-convex",
    f"{GAMES}, 2.2",
    exp(-eta * x) <= 1 - (1 - exp(-eta)) * x,
    exp(-eta * x) <= 1 - R(3, 2) * (1 - exp(-eta)) * x,
    x <= 1,
)
step(
    "prod",
    "Cesa-Bianchi, Mansour, Stoltz (2007), Lemma 1",
    log(1 - x) >= -x - x**2,
    log(1 - x) >= -x - x**2 / 2,
    x <= R(1, 2),
)
step(
    "bennett",
    "Boucheron, Lugosi, Massart, Concentration Inequalities (2013), 2.7",
    (1 + x) * log(1 + x) - x >= x**2 / (2 + 2 * x / 3),
    (1 + x) * log(1 + x) - x >= x**2 / 2,
)
step("entropy-root", COVER, -x * log(x) <= sqrt(x), -x * log(x) <= sqrt(x) / 2, x < 1)
step(
    "hellinger",
    "Tsybakov, Introduction to Nonparametric Estimation (2009), Lemma 2.4",
    (sqrt(x) - 1) ** 2 <= x * log(x) - x + 1,
    R(3, 2) * (sqrt(x) - 1) ** 2 <= x * log(x) - x + 1,
)
step(
    "logistic-majorant",
    "Jaakkola, Jordan, Bayesian Parameter Estimation via Variational Methods (2000)",
    log(1 + exp(u)) <= log(2) + u / 2 + u**2 / 8,
    log(1 + exp(u)) <= log(2) + u / 2 + u**2 / 10,
)
step(
    "bernoulli-fraction",
    "Hardy, Littlewood, Polya, Inequalities (1934), 2.15",
    (1 + a) ** p <= 1 + p * a,
    (1 + a) ** p <= 1 + p * a / 2,
    p <= 1,
)
step(
    "log-step",
    "Khaled, Mishchenko, Richtarik, Tighter Theory for Local SGD (2020)",
    (1 - log(T) / T) ** T <= 1 / T,
    (1 - log(T) / T) ** T <= 1 / (2 * T),
)
step(
    "hoeffding-samples",
    f"{UNDERSTANDING}, Corollary 4.6",
    2 * exp(-2 * N * eps**2) <= delta,
    2 * exp(-2 * N * eps**2) <= delta / 2,
    ge(N, log(2 / delta) / (2 * eps**2)),
)
step(
    "laplace",
    "Dwork, Roth, Algorithmic Foundations of Differential Privacy (2014), Theorem 3.6",
    exp(-Abs(u) / b) <= exp(c / b) * exp(-Abs(v) / b),
    exp(-Abs(u) / b) <= exp(c / (2 * b)) * exp(-Abs(v) / b),
    Abs(u - v) <= c,
)
step(
    "rounding-up",
    "Bubeck, Convex Optimization: Algorithms and Complexity (2015)",
    ceiling(a) <= 2 * a,
    ceiling(a) <= 3 * a / 2,
    a >= 1,
)
step(
    "binomial-below",
    "Graham, Knuth, Patashnik, Concrete Mathematics (1994)",
    ge(binomial(N, K), (N / K) ** K),
    ge(binomial(N, K), ((N + 1) / K) ** K),
    K <= N,
)
step(
    "log-below-roots",
    "NIST Digital Library of Mathematical Functions, 4.5",
    log(a) <= sqrt(a) - 1 / sqrt(a),
    log(a) <= 2 * (a - 1) / (a + 1),
    a >= 1,
)
step(
    "clip-nonexpansive",
    "Abadi et al., Deep Learning with Differential Privacy (2016)",
    Abs(Min(Max(u, -c), c) - Min(Max(v, -c), c)) <= Abs(u - v),
    Abs(Min(Max(u, -c), c) - Min(Max(v, -c), c)) <= Abs(u - v) / 2,
)
step("stirling-below", f"{COVER}, 11.1", ge(factorial(N), (N / sp.E) ** N), ge(factorial(N), (N / 2) ** N))
