"""Floors and ceilings, factorials and binomials, products over an index, numbers that differ."""

from __future__ import annotations

import sympy as sp

from bounds.relations import eq, le, lt, ne
from tests.benchmarks.steps.cases import Steps

COUNTING = Steps("counting")
step, notes = COUNTING.add, COUNTING.notes
a, b, eps = notes.positive("a b eps")
x, y = notes.real("x y")
n, k, m = notes.count("n k m")
j = sp.Symbol("j", integer=True, positive=True)
GKP = "Graham, Knuth, Patashnik, Concrete Mathematics (1994)"
FOLKLORE = "folklore"
half = sp.Rational(1, 2)
floor, ceiling, factorial, binomial, Product = sp.floor, sp.ceiling, sp.factorial, sp.binomial, sp.Product

step("floor", GKP, lt(x, floor(x) + 1), lt(x, floor(x) + sp.Rational(9, 10)))
step("rounds", FOLKLORE, le(1 / ceiling(1 / eps), eps), le(1 / (ceiling(1 / eps) - half), eps))
step("rounds-above", FOLKLORE, le(ceiling(a), a + 1), le(ceiling(a), a + half))
step("halves", GKP, eq(floor(n / 2) + ceiling(n / 2), n), eq(2 * floor(n / 2), n))
step("third", GKP, le((n - 2) / sp.Integer(3), floor(n / 3)), le((n - 1) / sp.Integer(3), floor(n / 3)))
step("largest", GKP, le(n, floor(a)), lt(n, floor(a)), n <= a)
step("superadditive", GKP, le(floor(x) + floor(y), floor(x + y)), le(floor(x + y), floor(x) + floor(y)))
step("factorial", FOLKLORE, le(2**n, factorial(n)), le(2**n + n**2, factorial(n)), n >= 4)
step(
    "factorial-next",
    GKP,
    eq(factorial(n), n * factorial(n - 1)),
    eq(factorial(n), (n + 1) * factorial(n - 1)),
)
step("factorial-power", GKP, le(factorial(n), n**n), le(factorial(n), n ** (n - 1) / 2))
step("pairs", GKP, eq(binomial(n, 2), n * (n - 1) / 2), eq(binomial(n, 2), n * (n + 1) / 2))
step(
    "pascal",
    GKP,
    eq(binomial(n + 1, k + 1), binomial(n, k) + binomial(n, k + 1)),
    eq(binomial(n + 1, k + 1), binomial(n, k) + binomial(n, k + 2)),
)
step(
    "symmetric",
    GKP,
    eq(binomial(n, k), binomial(n, n - k)),
    eq(binomial(n, k), binomial(n, n - k + 1)),
    k <= n,
)
step(
    "absorption",
    GKP,
    eq(k * binomial(n, k), n * binomial(n - 1, k - 1)),
    eq(k * binomial(n, k), n * binomial(n - 1, k)),
)
step("row", GKP, le(binomial(n, k), 2**n), le(2 * binomial(n, k), 2 ** (n - 1)))
step(
    "binomial-power",
    GKP,
    le(binomial(n, k), n**k / factorial(k)),
    le(binomial(n, k), (n - 1) ** k / factorial(k)),
)
step("central", GKP, le(binomial(2 * n, n), 4**n), le(2 * binomial(2 * n, n), 4**n - 1))
step(
    "central-below",
    GKP,
    le(4**n / (2 * n + 1), binomial(2 * n, n)),
    le(4**n / (2 * n), binomial(2 * n, n) - 1),
)
step(
    "bernoulli",
    FOLKLORE,
    le(1 + n * a, Product(1 + a, (j, 1, n))),
    le(1 + n * a + a**2, Product(1 + a, (j, 1, n))),
)
step("telescope", GKP, eq(Product(1 + 1 / j, (j, 1, n)), n + 1), eq(Product(1 + 1 / j, (j, 1, n)), n))
step(
    "product-of-numbers",
    GKP,
    eq(Product(j, (j, 1, n)), factorial(n)),
    eq(Product(j, (j, 1, n)), factorial(n + 1)),
)
step("shrinks", FOLKLORE, le(Product(j / (j + a), (j, 1, n)), 1), le(Product(j / (j + a), (j, 1, n)), half))
step("squares-differ", FOLKLORE, ne(a**2, b**2), ne(a**2, 4 * b**2), ne(a, b))
step("no-root", FOLKLORE, ne(n**2, 2), ne(n**2, 9))
