"""Facts about numbers: powers, sums and recursions, in the symbols that are given."""

from __future__ import annotations

import sympy as sp

from verify.engine.scene import Textbook


def bernoulli(x: sp.Expr, t: sp.Expr) -> Textbook:
    """(1 + x)^t >= 1 + t x for x >= -1 and whole t >= 1."""
    given = () if x.is_nonnegative else (x >= -1,)
    relation = sp.Ge((1 + x) ** t, 1 + t * x, evaluate=False)
    return Textbook(
        "Bernoulli's inequality", relation, "Hardy, Littlewood, Polya, Inequalities, 1934, Theorem 42", given
    )


def below_three(n: sp.Expr) -> Textbook:
    """(1 + 1/n)^n < 3 for whole n >= 1."""
    relation = sp.Lt((1 + 1 / n) ** n, 3, evaluate=False)
    return Textbook("(1 + 1/n)^n < 3", relation, "Hardy, Littlewood, Polya, Inequalities, 1934, Theorem 140")


def falling_to_e(n: sp.Expr) -> Textbook:
    """(1 + 1/n)^(n + 1) falls as n grows, so that it is at most 4 for whole n > 0."""
    given = () if n.is_positive else (n > 0,)
    relation = sp.Le((1 + 1 / n) ** (n + 1), 4, evaluate=False)
    source = "Polya, Szego, Problems and Theorems in Analysis I, 1972, Part One, 168"
    return Textbook("(1 + 1/n)^(n + 1) falls", relation, source, given)


def beyond(a: sp.Expr, b: sp.Expr) -> Textbook:
    """What a has beyond b, and the smaller of both, add up to a."""
    relation = sp.Eq(sp.Max(0, a - b) + sp.Min(b, a), a)
    return Textbook("max(0, a - b) + min(a, b) = a", relation, "by the cases a <= b and a > b")


def exponential(low: sp.Expr, at_low: sp.Expr, high: sp.Expr, at_high: sp.Expr) -> Textbook:
    """exp(y) >= exp(x) (1 + y - x), where `at_low` is exp(x) and `at_high` is exp(y)."""
    source = "Rudin, Principles of Mathematical Analysis, 1976, Theorem 8.6"
    return Textbook("exp(x) >= 1 + x", sp.Le(at_low * (1 + high - low), at_high), source)


def geometric_sum(q: sp.Expr, t: sp.Expr, index: sp.Symbol) -> Textbook:
    """1 + q + .. + q^(t-1) is (1 - q^t)/(1 - q) for q < 1."""
    total = sp.Sum(q**index, (index, 0, t - 1))
    return Textbook("geometric sum", sp.Eq((1 - q) * total, 1 - q**t), "Euclid, Elements, IX.35", (q < 1,))


def geometric_recursion(
    after: sp.Expr, start: sp.Expr, q: sp.Expr, more: sp.Expr, t: sp.Expr, *step: sp.Basic
) -> Textbook:
    """x_t <= q^t x_0 + b/(1 - q) if every x_(k+1) <= q x_k + b, 0 < q < 1; `step` is what says so."""
    given = (*(() if q.is_positive else (q > 0,)), q < 1, *step)
    source = "Polyak, Introduction to Optimization, 1987, Lemma 2.2.1"
    return Textbook("geometric recursion", after <= q**t * start + more / (1 - q), source, given)


def telescoping(total: sp.Expr, first: sp.Expr, last: sp.Expr) -> Textbook:
    """What is lost in all rounds is what the first has more than the last."""
    return Textbook(
        "telescoping",
        sp.Eq(total, first - last, evaluate=False),
        "Knuth, The Art of Computer Programming 1, 1.2.3",
    )
