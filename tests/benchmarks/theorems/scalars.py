"""Inequalities between numbers that proofs of rates use."""

from __future__ import annotations

import sympy as sp

from tests.benchmarks.theorems.cases import Collection
from verify import facts

SCALARS = Collection("scalars")
add = SCALARS.add
x, y, a, b, r0, s = SCALARS.notes.positive("x y a b r0 s")
z, r1 = SCALARS.notes.nonnegative("z r1")
t = SCALARS.notes.count("t")
i, j = sp.Symbol("i", integer=True, nonnegative=True), sp.Symbol("j", integer=True, positive=True)
HARDY = "Hardy, Littlewood, Polya, Inequalities (1934)"

add("am-gm", HARDY, x * y <= x**2 / 2 + y**2 / 2, wrong=(x * y <= x**2 / 2, x * y <= x**2 + y**2 / 5))
add(
    "bernoulli",
    "Bernoulli (1689)",
    (1 + x) ** t >= 1 + t * x,
    facts=(facts.bernoulli(x, t),),
    wrong=((1 + x) ** t >= 1 + t * x**2, (1 + x) ** t >= 1 + (t + 1) * x),
)
add(
    "power-below",
    "Bernoulli (1689)",
    (1 - z) ** t <= 1 / (1 + t * z),
    z <= 1,
    facts=(facts.shrinking(z, t),),
    wrong=((1 - z) ** t <= 1 / (1 + t * z) ** 2, (1 - z) ** t <= 1 - t * z),
)
add(
    "exponential",
    HARDY,
    sp.exp(x) >= 1 + x,
    facts=(facts.exponential(sp.S.Zero, sp.S.One, x, sp.exp(x)),),
    wrong=(sp.exp(x) >= 1 + 2 * x, sp.exp(x) >= 1 + x + x**2),
)
add(
    "logarithm",
    HARDY,
    sp.log(x) <= x - 1,
    tight=False,
    facts=(facts.exponential(sp.S.Zero, sp.S.One, sp.log(x), x),),
    wrong=(sp.log(x) <= x - 2, sp.log(x) >= x - 1, sp.log(x) <= x / 3, sp.log(x) <= 1 - 1 / x),
)
add(
    "log-below",
    HARDY,
    sp.log(1 + x) >= x / (1 + x),
    facts=(facts.exponential(sp.S.Zero, sp.S.One, -sp.log(1 + x), 1 / (1 + x)),),
    wrong=(sp.log(1 + x) >= x, sp.log(1 + x) >= x / (1 + x / 3)),
)
add(
    "geometric",
    "Euclid, Elements (300 BC), IX.35",
    sp.Sum(z**i, (i, 0, t - 1)) <= 1 / (1 - z),
    z < 1,
    facts=(facts.geometric_sum(z, t, i),),
    wrong=(sp.Sum(z**i, (i, 0, t)) <= 1 + z, sp.Sum(z**i, (i, 0, t - 1)) <= 1 / (1 - z**2)),
)
add(
    "harmonic",
    "Oresme (1350); Hardy, Littlewood, Polya (1934)",
    sp.Sum(1 / i, (i, 1, t)) <= 1 + sp.log(t),
    facts=(facts.harmonic_sum(sp.Sum(1 / i, (i, 1, t)), sp.log(t)),),
    wrong=(sp.Sum(1 / i, (i, 1, t)) <= sp.log(t), sp.Sum(1 / i, (i, 1, t)) <= sp.Rational(1, 2) + sp.log(t)),
)
add(
    "roots",
    "Zinkevich, Online convex programming (2003), proof of Theorem 1",
    sp.Sum(1 / sp.sqrt(j), (j, 1, t)) <= 2 * sp.sqrt(t),
    tight=False,
    facts=(facts.root_sum(t, j),),
    wrong=(
        sp.Sum(1 / sp.sqrt(j), (j, 1, t)) <= sp.sqrt(t),
        sp.Sum(1 / sp.sqrt(j), (j, 1, t)) <= 3 * sp.sqrt(t) / 2,
        sp.Sum(1 / sp.sqrt(j), (j, 1, t)) <= 1 + sp.log(t),
        sp.Sum(1 / sp.sqrt(j), (j, 1, t)) <= 2 * sp.sqrt(t) - sp.Rational(3, 2),
    ),
)
add(
    "tuning",
    "Stich, Unified optimal analysis of SGD (2019), tuning of the step",
    a / x + b * x >= 2 * sp.sqrt(a * b),
    wrong=(a / x + b * x >= 3 * sp.sqrt(a * b), a / x + b * x >= a + b),
)
add(
    "recursion",
    "Polyak, Introduction to Optimization (1987), Lemma 2.2.1",
    r1 <= b / a,
    r1 <= (1 - a) * r0 + b,
    r0 <= b / a,
    a <= 1,
    wrong=(
        (r1 <= b / a, r1 <= (1 - a) * r0 + b, a <= 1),
        (r1 <= b, r1 <= (1 - a) * r0 + b, r0 <= b / a, a <= 1),
    ),
)
add(
    "quadratic",
    "al-Khwarizmi, Algebra (830), completing the square",
    x <= a + sp.sqrt(b),
    x**2 <= a * x + b,
    wrong=((x <= sp.sqrt(b), x**2 <= a * x + b), (x <= a, x**2 <= a * x + b)),
)
add(
    "root-sum",
    HARDY,
    sp.sqrt(x + y) <= sp.sqrt(x) + sp.sqrt(y),
    wrong=(sp.sqrt(x + y) <= sp.sqrt(x), sp.sqrt(x) + sp.sqrt(y) <= sp.sqrt(x + y)),
)
add(
    "squares",
    HARDY,
    (x + y) ** 2 <= 2 * x**2 + 2 * y**2,
    wrong=((x + y) ** 2 <= x**2 + y**2, (x + y) ** 2 <= 2 * x**2 + y**2),
)
