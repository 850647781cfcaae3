"""Means, variances and samples of vectors; projections of gradients; quadratic anchors; federated rounds."""

from __future__ import annotations

from itertools import combinations

import sympy as sp

from nqm.fields import dot, norm, sq, stack
from tests.benchmarks.theorems.cases import Collection
from verify import Box, Scene, run, worlds
from verify.quantities import (
    E,
    L,
    M,
    N,
    distance2,
    distance2_before,
    drift2,
    eta,
    grad2_before,
    move2,
    mu,
    sigma2,
    zeta2,
)

VECTORS = Collection("vectors")
add = VECTORS.add
notes = VECTORS.notes
a2, b2, sum2, gap2, mean2, squares, spread, total2, without, replaced = notes.nonnegative(
    "a2 b2 sum2 gap2 mean2 squares spread total2 without replaced"
)
a1, b1, sum1, gap1, mean1, lengths = notes.nonnegative("a1 b1 sum1 gap1 mean1 lengths")
ab = notes.real("ab")
c, h, lam = notes.positive("c h lam")
n, k = notes.count("n k")
g2, p2, m2 = notes.positive("g2 p2 m2")
gm, pm, pg = notes.real("gm pm pg")
moved, apart, loss_at, loss_anchor, both_apart = notes.nonnegative(
    "moved apart loss_at loss_anchor both_apart"
)


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
MANY = Scene(
    "vectors",
    SIZES,
    lambda s: {"x": Box(-2, 2, (s["n"], s["d"])), "c": Box(0.1, 10, scale="log")},
    of_vectors,
)
TEXT = "standard, e.g. Garrigos, Gower, Handbook of convergence theorems (2023), "

add("jensen", "Jensen (1906)", mean2 <= squares, scene=MANY, wrong=(squares <= mean2, mean2 <= spread))
add(
    "variance",
    TEXT + "Lemma 2.19",
    sp.Eq(squares, mean2 + spread),
    scene=MANY,
    wrong=(sp.Eq(squares, mean2 - spread), sp.Eq(squares, mean2 + 2 * spread)),
)
add(
    "sum",
    TEXT + "Jensen",
    total2 <= n**2 * squares,
    scene=MANY,
    wrong=(total2 <= n * squares, total2 <= n**2 * spread),
)
add(
    "young",
    "Young (1912)",
    sum2 <= (1 + c) * a2 + (1 + 1 / c) * b2,
    scene=MANY,
    wrong=(sum2 <= (1 + c) * a2 + b2, sum2 <= (1 + c) * a2 + (1 + c) * b2),
)
add(
    "twice",
    "parallelogram law",
    sum2 <= 2 * a2 + 2 * b2,
    scene=MANY,
    wrong=(sum2 <= a2 + b2, sum2 <= 2 * a2 + b2),
)
add(
    "parallelogram",
    "Jordan, von Neumann (1935)",
    sp.Eq(sum2 + gap2, 2 * a2 + 2 * b2),
    scene=MANY,
    wrong=(sp.Eq(sum2 + gap2, a2 + b2), sp.Eq(sum2 - gap2, 2 * a2 + 2 * b2)),
)
add(
    "polar",
    "Jordan, von Neumann (1935)",
    sp.Eq(ab, (sum2 - gap2) / 4),
    scene=MANY,
    wrong=(sp.Eq(ab, (sum2 - gap2) / 2), sp.Eq(ab, (sum2 + gap2) / 4)),
)
add("cauchy", "Cauchy (1821), Schwarz (1888)", ab**2 <= a2 * b2, scene=MANY, wrong=(ab**2 <= a2, ab >= 0))
add("triangle", "Minkowski (1896)", sum1 <= a1 + b1, scene=MANY, wrong=(sum1 <= a1, sum1 <= gap1 + b1))
add(
    "reverse",
    "Minkowski (1896)",
    (a1 - b1) ** 2 <= gap2,
    scene=MANY,
    wrong=((a1 + b1) ** 2 <= gap2, (a1 - b1) ** 2 <= sum2 / 2),
)
add(
    "mean-length",
    "Minkowski (1896)",
    mean1 <= lengths,
    scene=MANY,
    wrong=(lengths <= mean1, mean1**2 <= spread),
)
add("inner", "(a - b)^2 >= 0", 2 * ab <= a2 + b2, scene=MANY, wrong=(2 * ab <= a2, ab <= a2 / 4 + b2 / 4))
add(
    "without",
    "Cochran, Sampling Techniques (1977), Theorem 2.2",
    sp.Eq(without, (n - k) / (k * (n - 1)) * spread),
    scene=MANY,
    wrong=(
        sp.Eq(without, (n - k) / (k * n) * spread),
        sp.Eq(without, spread / k),
        sp.Eq(without, (n - k) / (n - 1) * spread),
    ),
)
add(
    "less-than-replaced",
    "Cochran, Sampling Techniques (1977)",
    without <= replaced,
    scene=MANY,
    wrong=(without <= replaced / n, replaced <= without),
)


def projected(shape, v):
    g, m = v["g"], v["m"]
    p = g - (dot(g, m) / sq(m))[:, None] * m
    return {"g2": sq(g), "m2": sq(m), "p2": sq(p), "gm": dot(g, m), "pm": dot(p, m), "pg": dot(p, g)}


PROJECTED = Scene(
    "projected gradients", ({"d": 1}, {"d": 2}), lambda s: {x: Box(-2, 2, (s["d"],)) for x in "gm"}, projected
)
AGEM = "Chaudhry, Ranzato, Rohrbach, Elhoseiny, A-GEM (2019), (11)"
add(
    "agem-orthogonal",
    AGEM,
    sp.Eq(pm, 0),
    m2 > 0,
    scene=PROJECTED,
    tight=False,
    wrong=(sp.Eq(pm, gm), sp.Eq(pg, 0), pm > 0, sp.Eq(pm, g2)),
)
add("agem-shorter", AGEM, p2 <= g2, m2 > 0, scene=PROJECTED, wrong=(g2 <= p2, p2 <= m2))
add("agem-descends", AGEM, sp.Eq(pg, p2), m2 > 0, scene=PROJECTED, wrong=(sp.Eq(pg, g2), sp.Eq(pg, p2 + gm)))
add(
    "agem-length",
    AGEM,
    sp.Eq(p2, g2 - gm**2 / m2),
    m2 > 0,
    scene=PROJECTED,
    wrong=(sp.Eq(p2, g2 - gm**2), sp.Eq(p2, g2 + gm**2 / m2)),
)


def anchored(shape, v):
    h, lam, c, a, other = (v[x] for x in ("h", "lam", "centre", "anchor", "other"))
    solve = lambda start: (h * c + lam * start) / (h + lam)  # noqa: E731
    w = solve(a)
    return {"moved": abs(w - a), "apart": abs(c - a), "loss_at": h / 2 * (w - c) ** 2, "loss_anchor": h / 2 * (a - c) ** 2,
            "both_apart": abs(w - solve(other)), "gap1": abs(a - other)}  # fmt: skip


ANCHORED = Scene(
    "quadratic anchor",
    ({},),
    lambda s: {
        **{x: Box(-2, 2) for x in ("centre", "anchor", "other")},
        "h": Box(0.1, 4),
        "lam": Box(0.1, 4),
    },
    anchored,
)
EWC = "Kirkpatrick et al., Overcoming catastrophic forgetting (2017), quadratic penalty"
add(
    "anchor-moves",
    EWC,
    sp.Eq(moved, h / (h + lam) * apart),
    scene=ANCHORED,
    wrong=(sp.Eq(moved, lam / (h + lam) * apart), sp.Eq(moved, h / lam * apart)),
)
add(
    "anchor-learns",
    EWC,
    loss_at <= (lam / (h + lam)) ** 2 * loss_anchor,
    scene=ANCHORED,
    wrong=(loss_at <= (h / (h + lam)) ** 2 * loss_anchor, loss_anchor <= loss_at),
)
add(
    "anchor-nonexpansive",
    "Moreau (1965)",
    both_apart <= lam / (h + lam) * gap1,
    scene=ANCHORED,
    wrong=(both_apart <= h / (h + lam) * gap1, gap1 <= both_apart),
)

FULL = run("fedavg", worlds.quadratics(clients=(1, 2)), rounds=(1,), local_lr="eta")
NOISY = run("fedavg", worlds.quadratics(clients=(1, 2), dim=(1,), noisy=(0, 1)), rounds=(1,), local_lr="eta")
SAMPLED = run(
    "fedavg", worlds.quadratics(clients=(2, 3, 4), dim=(1,)), rounds=(1,), sampled=(1, 2, 3), local_lr="eta"
)
LOCAL = run(
    "fedavg", worlds.quadratics(clients=(1, 2), dim=(1,)), rounds=(1,), local_steps=(1, 2), local_lr="eta"
)
q, MID = 1 - eta * mu, eta <= 1 / (2 * L)
add(
    "full",
    "McMahan et al. (2017): FedSGD is gradient descent",
    distance2 <= q**2 * distance2_before,
    eta <= 1 / L,
    scene=FULL,
    wrong=(distance2 <= q**3 * distance2_before, distance2 <= (1 - eta * L) ** 2 * distance2_before),
)
add(
    "full-move",
    "McMahan et al. (2017)",
    sp.Eq(move2, eta**2 * grad2_before),
    scene=FULL,
    wrong=(sp.Eq(move2, eta**2 * (grad2_before + zeta2)), sp.Eq(move2, eta * grad2_before)),
)
add(
    "noise-averages",
    "Stich, Local SGD converges fast (2019)",
    sp.Eq(move2, eta**2 * (grad2_before + sigma2 / M)),
    scene=NOISY,
    wrong=(sp.Eq(move2, eta**2 * (grad2_before + sigma2)), sp.Eq(move2, eta**2 * grad2_before)),
)
add(
    "sampling",
    "Karimireddy et al., SCAFFOLD (2020), sampling of clients",
    distance2 <= q * distance2_before + 2 * eta**2 * (M - N) / (N * (M - 1)) * zeta2,
    MID,
    scene=SAMPLED,
    tight=False,
    wrong=(
        distance2 <= q * distance2_before,
        distance2 <= q * distance2_before + eta**2 * (M - N) / (2 * N * (M - 1)) * zeta2,
        distance2 <= q**4 * distance2_before + 2 * eta**2 * (M - N) / (N * (M - 1)) * zeta2,
        distance2 <= eta**2 * zeta2,
    ),
)
add(
    "local-bias",
    "Charles, Konecny, On the outsized importance of learning rates in local update methods (2020)",
    distance2 <= q * distance2_before + eta**3 * L**2 * zeta2 / mu,
    MID,
    scene=LOCAL,
    tight=False,
    wrong=(
        distance2 <= q * distance2_before,
        distance2 <= q**5 * distance2_before,
        distance2 <= q**2 * distance2_before,
        distance2 <= q**E * distance2_before,
    ),
)
add(
    "local-drift",
    "Khaled, Mishchenko, Richtarik, Tighter theory for local SGD (2020), Lemma 4",
    drift2 <= eta**2 * E**2 / 3 * 2 * (L**2 * distance2_before + zeta2),
    eta <= 1 / L,
    scene=LOCAL,
    tight=False,
    wrong=(
        drift2 <= eta**2 * zeta2,
        drift2 <= eta**2 * L**2 * distance2_before,
        drift2 <= eta**2 * E**2 * grad2_before / 16,
        drift2 <= eta**2 * (L**2 * distance2_before + zeta2) / 8,
    ),
)
