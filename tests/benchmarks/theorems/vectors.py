"""Means, variances and samples of vectors."""

from __future__ import annotations

from itertools import combinations

import sympy as sp

from nqm.fields import dot, norm, sq, stack
from tests.benchmarks.theorems.cases import Collection
from verify import Box, Scene, facts

VECTORS = Collection("vectors")
notes = VECTORS.notes
a2, b2, sum2, gap2, mean2, squares, spread, total2, without, replaced = notes.nonnegative(
    "a2 b2 sum2 gap2 mean2 squares spread total2 without replaced"
)
a1, b1, sum1, gap1, mean1, lengths = notes.nonnegative("a1 b1 sum1 gap1 mean1 lengths")
ab = notes.real("ab")
c = notes.positive("c")
n, k = notes.count("n k")


def of_vectors(shape, v):
    x = v["x"]
    a, b, mean, count = x[:, 0], x[:, 1], x.sum(axis=1) / shape["n"], shape["n"]
    parts = stack([x[:, list(s)].sum(axis=1) / shape["k"] for s in combinations(range(count), shape["k"])], 1)
    spread = sq(x - mean[:, None]).sum(axis=1) / count
    return {
        "a2": sq(a), "b2": sq(b), "sum2": sq(a + b), "gap2": sq(a - b), "ab": dot(a, b), "a1": norm(a), "b1": norm(b),
        "sum1": norm(a + b), "gap1": norm(a - b), "mean1": norm(mean), "lengths": norm(x).sum(axis=1) / count,
        "mean2": sq(mean), "squares": sq(x).sum(axis=1) / count, "spread": spread, "total2": sq(x.sum(axis=1)),
        "without": sq(parts - mean[:, None]).sum(axis=1) / parts.shape[1], "replaced": spread / shape["k"],
    }  # fmt: skip


SIZES = tuple({"n": n, "k": k, "d": d} for n, k, d in ((2, 1, 1), (3, 1, 1), (3, 2, 1), (3, 2, 2), (4, 3, 1)))
SAMPLED = facts.sampling_without_replacement(without, spread, n, k)
DRAWN = facts.sampling_with_replacement(replaced, spread, k)
FACTS = (
    facts.length(a1, a2),
    facts.length(b1, b2),
    facts.length(gap1, gap2),
    facts.squared_sum(sum2, a2, b2, ab),
    facts.squared_difference(gap2, a2, b2, ab),
    facts.cauchy_schwarz(ab, a2, b2),
    facts.young(ab, a2, b2, c),
    facts.triangle(sum1, a1, b1),
    facts.triangle(a1, gap1, b1),
    facts.triangle(b1, gap1, a1),
    facts.length_of_mean(mean1, lengths),
    facts.jensen(mean2, squares),
    facts.variance(squares, mean2, spread),
    SAMPLED,
    DRAWN,
)
on_many = VECTORS.on(
    Scene(
        "vectors",
        SIZES,
        lambda s: {"x": Box(-2, 2, (s["n"], s["d"])), "c": Box(0.1, 10, scale="log")},
        of_vectors,
        textbook=FACTS,
    ).of_class("vectors and their lengths", facts.total(total2, mean2, n))
)
TEXT = "standard, e.g. Garrigos, Gower, Handbook of convergence theorems (2023), "

on_many("jensen", "Jensen (1906)", mean2 <= squares, wrong=(squares <= mean2, mean2 <= spread))
on_many(
    "variance",
    TEXT + "Lemma 2.19",
    sp.Eq(squares, mean2 + spread),
    wrong=(sp.Eq(squares, mean2 - spread), sp.Eq(squares, mean2 + 2 * spread)),
)
on_many(
    "sum",
    TEXT + "Jensen",
    total2 <= n**2 * squares,
    facts=(facts.total(total2, mean2, n), facts.jensen(mean2, squares)),
    wrong=(total2 <= n * squares, total2 <= n**2 * spread),
)
on_many(
    "young",
    "Young (1912)",
    sum2 <= (1 + c) * a2 + (1 + 1 / c) * b2,
    wrong=(sum2 <= (1 + c) * a2 + b2, sum2 <= (1 + c) * a2 + (1 + c) * b2),
)
on_many(
    "twice",
    "Jordan, von Neumann (1935)",
    sum2 <= 2 * a2 + 2 * b2,
    wrong=(sum2 <= a2 + b2, sum2 <= 2 * a2 + b2),
)
on_many(
    "parallelogram",
    "Jordan, von Neumann (1935)",
    sp.Eq(sum2 + gap2, 2 * a2 + 2 * b2),
    wrong=(sp.Eq(sum2 + gap2, a2 + b2), sp.Eq(sum2 - gap2, 2 * a2 + 2 * b2)),
)
on_many(
    "polar",
    "Jordan, von Neumann (1935)",
    sp.Eq(ab, (sum2 - gap2) / 4),
    wrong=(sp.Eq(ab, (sum2 - gap2) / 2), sp.Eq(ab, (sum2 + gap2) / 4)),
)
on_many("cauchy", "Cauchy (1821), Schwarz (1888)", ab**2 <= a2 * b2, wrong=(ab**2 <= a2, ab >= 0))
on_many("triangle", "Minkowski (1896)", sum1 <= a1 + b1, wrong=(sum1 <= a1, sum1 <= gap1 + b1))
on_many(
    "reverse",
    "Minkowski (1896)",
    (a1 - b1) ** 2 <= gap2,
    wrong=((a1 + b1) ** 2 <= gap2, (a1 - b1) ** 2 <= sum2 / 2),
)
on_many("mean-length", "Minkowski (1896)", mean1 <= lengths, wrong=(lengths <= mean1, mean1**2 <= spread))
on_many(
    "inner",
    "Hardy, Littlewood, Polya, Inequalities (1934)",
    2 * ab <= a2 + b2,
    wrong=(2 * ab <= a2, ab <= a2 / 4 + b2 / 4),
)
on_many(
    "without",
    "Cochran, Sampling Techniques (1977), Theorem 2.2",
    sp.Eq(without, (n - k) / (k * (n - 1)) * spread),
    n >= 2,
    wrong=(
        sp.Eq(without, (n - k) / (k * n) * spread),
        sp.Eq(without, spread / k),
        sp.Eq(without, (n - k) / (n - 1) * spread),
    ),
)
on_many(
    "less-than-replaced",
    "Cochran, Sampling Techniques (1977)",
    without <= replaced,
    n >= 2,
    k <= n,
    facts=(SAMPLED, DRAWN),
    wrong=(without <= replaced / n, replaced <= without),
)
