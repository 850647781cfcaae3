"""The fixed corpus: true textbook statements, and statements that are false, vacuous, lack a condition or contradict another.

Whether a statement is true is known from its source, or because it is made false here: a statement that is attained
claims too much with a factor of 1.01, a condition that is needed is left out with a point that shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

import sympy as sp

from verify.engine.checks.relation import agreement, entailment, inequality
from verify.engine.model.claim import Claim
from verify.engine.model.scene import Condition
from verify.notes import Notes

Truth = Literal["true", "false", "vacuous", "missing a condition", "inconsistent"]
TRUTHS: tuple[Truth, ...] = ("true", "false", "vacuous", "missing a condition", "inconsistent")
HARDY = "Hardy, Littlewood, Polya, Inequalities, 1934"
BOYD = "Boyd, Vandenberghe, Convex Optimization, 2004"
NESTEROV = "Nesterov, Lectures on Convex Optimization, 2018"
POLYAK = "Polyak, Introduction to Optimization, 1987"
KNUTH = "Knuth, The Art of Computer Programming 1, 1968"
HANDBOOK = "Garrigos, Gower, Handbook of convergence theorems, 2023"
COCHRAN = "Cochran, Sampling Techniques, 1977"

notes = Notes("calibration")
x, y, z, u, v, w = notes.real("x y z u v w")
a, b, c, d = notes.positive("a b c d")
p, q, r, s = notes.nonnegative("p q r s")
n, m, t = notes.count("n m t")
L, mu, eta = notes.positive("L mu eta")
e0, e1, g2, i0, D0, D1, N2 = notes.nonnegative("e0 e1 g2 i0 D0 D1 N2")


@dataclass(frozen=True)
class Known:
    """A statement with what is known of it.

    `moments` makes the relation of a mean of squares and a square of the mean, where it speaks of them.
    """

    claim: Claim
    truth: Truth
    source: str
    moments: Callable[[sp.Expr, sp.Expr], Condition] | None = None


def le(left: sp.Expr, right: sp.Expr) -> Condition:
    return sp.Le(left, right, evaluate=False)


def eq(left: sp.Expr, right: sp.Expr) -> Condition:
    return sp.Eq(left, right, evaluate=False)


SQUARES, SQUARE = (x**2 + y**2) / 2, ((x + y) / 2) ** 2
"""Mean of the squares, and square of the mean."""
APART = sp.Rational(1, 100)

ATTAINED: tuple[tuple[str, str, Condition, tuple[Condition, ...]], ...] = (
    ("am-gm", HARDY, le(2 * a * b, a**2 + b**2), ()),
    ("am-gm-root", HARDY, le(sp.sqrt(a * b), (a + b) / 2), ()),
    ("harmonic-mean", HARDY, le(2 * a * b / (a + b), (a + b) / 2), ()),
    ("cubes", HARDY, le(3 * a * b * c, a**3 + b**3 + c**3), ()),
    ("cauchy-two", HARDY, le((x * u + y * v) ** 2, (x**2 + y**2) * (u**2 + v**2)), ()),
    ("cauchy-three", HARDY, le((a + b + c) ** 2, 3 * (a**2 + b**2 + c**2)), ()),
    ("minkowski-one", HARDY, le(sp.Abs(x + y), sp.Abs(x) + sp.Abs(y)), ()),
    ("reverse-triangle", HARDY, le(sp.Abs(sp.Abs(x) - sp.Abs(y)), sp.Abs(x - y)), ()),
    ("young", HARDY, le(x * y, c * x**2 / 2 + y**2 / (2 * c)), ()),
    ("relaxed-square", HARDY, le((x + y) ** 2, (1 + c) * x**2 + (1 + 1 / c) * y**2), ()),
    ("twice", HARDY, le((x + y) ** 2, 2 * x**2 + 2 * y**2), ()),
    ("largest", HARDY, le(sp.Max(p, q), p + q), ()),
    ("root-of-sum", HARDY, le(sp.sqrt(p + q), sp.sqrt(p) + sp.sqrt(q)), ()),
    ("rearrangement", HARDY, le(a * d + b * c, a * c + b * d), (a <= b, c <= d)),
    ("chebyshev", HARDY, le((a + b) * (c + d), 2 * (a * c + b * d)), (a <= b, c <= d)),
    ("nesbitt", HARDY, le(sp.Rational(3, 2), a / (b + c) + b / (a + c) + c / (a + b)), ()),
    ("sum-and-inverse", HARDY, le(2, a + 1 / a), ()),
    ("square-below-line", HARDY, le(p**2, p), (p <= 1,)),
    ("order-of-squares", HARDY, le(p**2, q**2), (p <= q,)),
    ("order-of-inverses", HARDY, le(1 / b, 1 / a), (a <= b,)),
    ("transitive", HARDY, le(x, z), (x <= y, y <= z)),
    ("products", HARDY, le(p * r, q * s), (p <= q, r <= s)),
    ("bernoulli-two", HARDY, le(1 + 2 * p, (1 + p) ** 2), ()),
    ("parabola", BOYD, le(x - x**2 / 4, 1), ()),
    ("tuning", BOYD, le(2 * sp.sqrt(a * b), a * c + b / c), ()),
    ("completed-square", BOYD, le(-(b**2) / (4 * a), a * x**2 + b * x), ()),
    ("perspective", BOYD, le((x + y) ** 2 / (a + b), x**2 / a + y**2 / b), ()),
    ("convex-square", BOYD, le((c * x + (1 - c) * y) ** 2, c * x**2 + (1 - c) * y**2), (c <= 1,)),
    ("gradient-step", NESTEROV, le(e1, e0 - eta * g2 / 2), (le(e1, e0 - eta * g2 + L * eta**2 * g2 / 2), eta <= 1 / L)),
    ("linear-rate", NESTEROV, le(e1, (1 - eta * mu) * e0), (le(e1, e0 - eta * g2 / 2), g2 >= 2 * mu * e0)),
    ("nearer", NESTEROV, le(D1, D0), (le(D1, D0 - 2 * eta * i0 + eta**2 * g2), i0 >= g2 / L, eta <= 2 / L)),
    ("noisy-step", HANDBOOK, le(D1, (1 - eta * mu) * D0 + eta**2 * N2), (le(D1, D0 - 2 * eta * i0 + eta**2 * (g2 + N2)), le(mu * D0 + g2 / L, 2 * i0), eta <= 1 / L)),
    ("fixed-point", POLYAK, le(e1, b / a), (le(e1, (1 - a) * e0 + b), e0 <= b / a, a <= 1)),
    ("two-steps", POLYAK, le(D1, c**2 * e0 + (1 + c) * p), (le(D1, c * e1 + p), le(e1, c * e0 + p))),
    ("sampled-variance", COCHRAN, le((n - m) / (n - 1) * p / m, p / m), (n >= 2, m <= n)),
    ("larger-samples", COCHRAN, le(p / n, p / m), (m <= n,)),
    ("counts", KNUTH, le(n, n**2), ()),
    ("mean-of-two", KNUTH, le(sp.Min(x, y), (x + y) / 2), ()),
    ("clipped", BOYD, le(sp.Abs(sp.Max(x, 0) - sp.Max(y, 0)), sp.Abs(x - y)), ()),
    ("power-growth", KNUTH, le((1 + p) ** t, (1 + p) ** (t + 1)), ()),
)  # fmt: skip
MOMENTS: tuple[tuple[str, str, Callable[[sp.Expr, sp.Expr], Condition]], ...] = (
    ("jensen", HARDY, lambda squares, square: le(square, squares)),
    ("jensen-scaled", HARDY, lambda squares, square: le(c * square, c * squares)),
    ("jensen-shifted", HARDY, lambda squares, square: le(square + p, squares + p)),
    ("variance", HANDBOOK, lambda squares, square: eq(squares - square, (x - y) ** 2 / 4)),
    ("second-moment", HANDBOOK, lambda squares, square: le((x - y) ** 2 / 4, squares)),
)
EQUATIONS: tuple[tuple[str, str, Condition, tuple[Condition, ...]], ...] = (
    ("square-of-sum", KNUTH, eq((x + y) ** 2, x**2 + 2 * x * y + y**2), ()),
    ("parallelogram", KNUTH, eq((x + y) ** 2 + (x - y) ** 2, 2 * x**2 + 2 * y**2), ()),
    ("polarisation", KNUTH, eq(x * y, ((x + y) ** 2 - (x - y) ** 2) / 4), ()),
    ("difference-of-cubes", KNUTH, eq(x**3 - y**3, (x - y) * (x**2 + x * y + y**2)), ()),
    ("partial-fractions", KNUTH, eq(1 / (a * (a + 1)), 1 / a - 1 / (a + 1)), ()),
    ("three-points", NESTEROV, eq(2 * (x - y) * (z - y), (x - y) ** 2 + (z - y) ** 2 - (x - z) ** 2), ()),
    ("resolvent", BOYD, eq(1 / (1 + a * b), 1 - a * b / (1 + a * b)), ()),
    ("lagrange", HARDY, eq((x**2 + y**2) * (u**2 + v**2) - (x * u + y * v) ** 2, (x * v - y * u) ** 2), ()),
)
VACUOUS: tuple[tuple[str, tuple[Condition, ...]], ...] = (
    ("less-than-itself", (sp.Lt(x, y), sp.Gt(x, y))),
    ("beyond-both", (a + 1 <= b, b + 1 <= a)),
    ("squares-below-zero", (le(x**2 + y**2, -1),)),
    ("no-such-step", (eta >= 2 / L, eta * L <= 1)),
    ("a-sum-below-its-parts", (le(p + q + 1, p),)),
    ("larger-than-all", (sp.Gt(a * b, a**2 + b**2),)),
    ("too-short-and-too-long", (n >= 5, n <= 3)),
    ("two-values", (sp.Eq(x, 1), sp.Eq(x, 2))),
    ("means-apart", (sp.Lt((a + b) / 2, a), sp.Lt((a + b) / 2, b))),
    ("a-root-below-zero", (le(sp.sqrt(a) + b, -1),)),
)
MISSING: tuple[tuple[str, str, Condition, tuple[Condition, ...]], ...] = (
    ("order-of-squares", HARDY, le(x**2, y**2), (x <= y,)),
    ("order-of-inverses", HARDY, le(1 / y, 1 / x), (x <= y, x**2 >= APART, y**2 >= APART)),
    ("products", HARDY, le(x * u, y * v), (x <= y, u <= v)),
    ("square-below-line", HARDY, le(p**2, p), ()),
    ("convex-square", BOYD, le((c * x + (1 - c) * y) ** 2, c * x**2 + (1 - c) * y**2), ()),
    ("rearrangement", HARDY, le(a * d + b * c, a * c + b * d), (a <= b,)),
    ("gradient-step", NESTEROV, le(e1, e0 - eta * g2 / 2), (le(e1, e0 - eta * g2 + L * eta**2 * g2 / 2),)),
    ("linear-rate", NESTEROV, le(e1, (1 - eta * mu) * e0), (le(e1, e0 - eta * g2 / 2),)),
    ("nearer", NESTEROV, le(D1, D0), (le(D1, D0 - 2 * eta * i0 + eta**2 * g2), i0 >= g2 / L)),
    ("fixed-point", POLYAK, le(e1, b / a), (le(e1, (1 - a) * e0 + b), e0 <= b / a)),
    ("larger-samples", COCHRAN, le(p / n, p / m), ()),
    ("share-of-all", COCHRAN, le(p * m / n, p), ()),
    ("bernoulli-two", HARDY, le(1 + 3 * x, (1 + x) ** 3), ()),
    ("roots-of-order", HARDY, le(sp.Abs(x), y), (x <= y,)),
    ("sum-and-inverse", HARDY, le(2, x + 1 / x), (x**2 >= APART,)),
)
INCONSISTENT: tuple[tuple[str, Condition], ...] = (
    ("square-of-sum", eq((x + y) ** 2, x**2 + y**2)),
    ("variance", eq((x**2 + y**2) / 2, ((x + y) / 2) ** 2)),
    ("half-a-step", eq(1 - eta * mu, (1 - eta * mu / 2) ** 2)),
    ("samples", eq((n - m) / n, (n - m) / (n + 1))),
    ("inverse-of-sum", eq(1 / (a + b), 1 / a + 1 / b)),
    ("root-of-sum", eq(sp.sqrt(a + b), sp.sqrt(a) + sp.sqrt(b))),
    ("length", eq(sp.Abs(x + y), sp.Abs(x) + sp.Abs(y))),
    ("largest", eq(sp.Max(p, q), p + q)),
    ("sum-of-cubes", eq(x**3 + y**3, (x + y) ** 3)),
    ("weights", eq(c * x + (1 - c) * y, (x + y) / 2)),
)


@cache
def corpus() -> tuple[Known, ...]:
    """All statements."""
    notes.claims.clear()
    return tuple(_statements())


def _statements() -> Iterator[Known]:
    near = sp.Rational(101, 100)
    for id, source, relation, conditions in ATTAINED:
        claim = notes.claim(f"true.{id}", relation, *conditions)
        yield Known(claim, "true", source)
    for id, source, relation, conditions in EQUATIONS:
        yield Known(notes.claim(f"true.{id}", relation, *conditions), "true", source)
        yield Known(
            notes.claim(f"false.{id}", eq(near * relation.lhs, relation.rhs), *conditions),
            "false",
            "made false",
        )
    for id, source, make in MOMENTS:
        yield Known(notes.claim(f"true.{id}", make(SQUARES, SQUARE)), "true", source, moments=make)
    for id, _, relation, conditions in ATTAINED:
        yield Known(notes.claim(f"false.{id}", _beyond(relation), *conditions), "false", "made false")
    for id, conditions in VACUOUS:
        claim = notes.claim(f"vacuous.{id}", le(x, y - 1), *conditions, checks=(inequality,))
        yield Known(claim, "vacuous", "contradictory conditions")
    for id, source, relation, conditions in MISSING:
        claim = notes.claim(f"missing.{id}", relation, *conditions, checks=(entailment,))
        yield Known(claim, "missing a condition", source)
    for id, relation in INCONSISTENT:
        claim = notes.claim(f"inconsistent.{id}", relation, checks=(agreement,))
        yield Known(claim, "inconsistent", "two formulas that differ")


def _beyond(relation: Condition) -> Condition:
    """An attained inequality whose small side is a hundredth of its size larger."""
    left, right = relation.args
    more = sp.Rational(101, 100) * left if left.is_nonnegative else left + sp.Abs(left) / 100
    return le(more, right)
