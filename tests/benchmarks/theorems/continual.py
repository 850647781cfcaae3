"""Continual learning: projected gradients, anchors, distillation."""

from __future__ import annotations

import sympy as sp

from nqm.fields import abs_, dot, log, maximum, minimum, sq, zeros_like
from tests.benchmarks.theorems.cases import Collection
from verify import Box, Branching, Scene, facts

CONTINUAL = Collection("continual")
notes = CONTINUAL.notes
k = notes.count("k")

# Gradients of a task (g) and of the memory (m); p is the projection, z the least convex combination, u an old input
g2, p2, m2, z2, used2 = notes.nonnegative("g2 p2 m2 z2 used2")
gm, pm, pg, zg, zm, um = notes.real("gm pm pg zg zm um")
out_before, out_after, memory_before, memory_after = notes.real(
    "out_before out_after memory_before memory_after"
)
eta, h = notes.positive("eta h")


def projected(shape, v):
    g, m, w, eta, h = (v[name] for name in ("g", "m", "w", "eta", "h"))
    p = g - (dot(g, m) / sq(m))[:, None] * m
    used = g - (minimum(dot(g, m), zeros_like(h)) / sq(m))[:, None] * m
    share = minimum(maximum(dot(m - g, m) / sq(g - m), zeros_like(h)), 1 + zeros_like(h))[:, None]
    z = share * g + (1 - share) * m
    step = -eta[:, None] * p
    return {
        "g2": sq(g), "m2": sq(m), "p2": sq(p), "gm": dot(g, m), "pm": dot(p, m), "pg": dot(p, g),
        "um": dot(used, m), "used2": sq(used), "z2": sq(z), "zg": dot(z, g), "zm": dot(z, m),
        "out_before": dot(w, m), "out_after": dot(w + step, m),
        "memory_before": 0 * h, "memory_after": dot(m, step) + h / 2 * sq(step),
    }  # fmt: skip


on_projected = CONTINUAL.on(
    Scene(
        "projected gradients",
        ({"d": 1}, {"d": 2}),
        lambda s: {**{x: Box(-2, 2, (s["d"],)) for x in "gmw"}, "eta": Box(0.01, 1), "h": Box(0.1, 4)},
        Branching(projected, "any gradients, steps and curvatures"),
    )
)
AGEM = "Chaudhry, Ranzato, Rohrbach, Elhoseiny, Efficient lifelong learning with A-GEM (2019), (11)"
GEM = "Lopez-Paz, Ranzato, Gradient episodic memory for continual learning (2017), "
MGDA = "Desideri, Multiple-gradient descent algorithm (2012); Sener, Koltun (2018), (4)"
on_projected(
    "agem-orthogonal",
    AGEM,
    sp.Eq(pm, 0),
    tight=False,
    wrong=(sp.Eq(pm, gm), sp.Eq(pg, 0), pm > 0, sp.Eq(pm, g2)),
)
on_projected("agem-shorter", AGEM, p2 <= g2, wrong=(g2 <= p2, p2 <= m2))
on_projected("agem-descends", AGEM, sp.Eq(pg, p2), wrong=(sp.Eq(pg, g2), sp.Eq(pg, p2 + gm)))
on_projected(
    "agem-length", AGEM, sp.Eq(p2, g2 - gm**2 / m2), wrong=(sp.Eq(p2, g2 - gm**2), sp.Eq(p2, g2 + gm**2 / m2))
)
on_projected("agem-agrees", AGEM, um >= 0, tight=False, wrong=(um <= 0, um > 0, gm >= 0, um >= used2 / 4))
on_projected("agem-used", GEM + "(6) and (7) with one memory", used2 <= g2, wrong=(g2 <= used2, used2 <= p2))
on_projected(
    "agem-memory",
    AGEM + " with a memory loss of curvature h",
    sp.Eq(memory_after, memory_before + h * eta**2 / 2 * p2),
    wrong=(
        sp.Eq(memory_after, memory_before),
        sp.Eq(memory_after, memory_before + h * eta / 2 * p2),
        memory_after <= memory_before,
    ),
)
on_projected(
    "ogd",
    "Farajtabar, Azizan, Mott, Li, Orthogonal gradient descent for continual learning (2020), Lemma 3.1, a linear model",
    sp.Eq(out_after, out_before),
    wrong=(sp.Eq(out_after, out_before - eta * gm), sp.Eq(out_after, out_before - eta * pg)),
)
on_projected("mgda-first", MGDA, zg >= z2, wrong=(zg >= 2 * z2, zg <= z2 / 2, zg >= g2))
on_projected("mgda-second", MGDA, zm >= z2, wrong=(zm >= 2 * z2, zm >= m2, zm >= zg))
on_projected("mgda-shortest", MGDA, z2 <= m2, wrong=(m2 <= z2, z2 <= p2))

# Two tasks with quadratic losses in one dimension, h/2 (w - centre)^2, and an anchor of strength lam
lam, h1, h2, L = notes.positive("lam h1 h2 L")
moved, apart, loss_at, loss_anchor, both_apart, anchors_apart, left = notes.nonnegative(
    "moved apart loss_at loss_anchor both_apart anchors_apart left"
)
joint_at, joint_other, forgotten, between2, other2, posterior, constant = notes.nonnegative(
    "joint_at joint_other forgotten between2 other2 posterior constant"
)
middle, first, second, importance, drop, grown, far2 = notes.nonnegative(
    "middle first second importance drop grown far2"
)


def anchored(shape, v):
    h, lam, c, a, other = (v[x] for x in ("h", "lam", "centre", "anchor", "other"))
    h1, h2, c1, c2, eta = (v[x] for x in ("h1", "h2", "c1", "c2", "eta"))

    def solve(start):
        return (h * c + lam * start) / (h + lam)

    again = a
    for _ in range(shape["k"]):
        again = solve(again)
    w = solve(a)
    joint = (h1 * c1 + h2 * c2) / (h1 + h2)
    weighted = (lam * h1 * c1 + h2 * c2) / (lam * h1 + h2)
    both = lambda w: h1 / 2 * (w - c1) ** 2 + h2 / 2 * (w - c2) ** 2  # noqa: E731
    one = lambda w: h / 2 * (w - c) ** 2  # noqa: E731
    return {
        "moved": abs_(w - a), "apart": abs_(c - a), "loss_at": one(w), "loss_anchor": one(a),
        "both_apart": abs_(w - solve(other)), "anchors_apart": abs_(a - other), "left": abs_(again - c),
        "joint_at": both(joint), "joint_other": both(other), "other2": (other - joint) ** 2,
        "forgotten": h1 / 2 * (weighted - c1) ** 2, "between2": (c1 - c2) ** 2,
        "posterior": h1 * (other - c1) ** 2 + h2 * (other - c2) ** 2 - (h1 + h2) * (other - joint) ** 2,
        "middle": one((a + other) / 2), "first": one(a), "second": one(other),
        "importance": eta * (h * (a - c)) ** 2, "drop": one(a) - one(a - eta * h * (a - c)),
        "grown": h1 / 2 * (v["w"][:, 0] ** 2) + h2 / 2 * v["w"][:, 1] ** 2, "far2": sq(v["w"]),
        "L": maximum(h1, h2),
    }  # fmt: skip


on_anchored = CONTINUAL.on(
    Scene(
        "quadratic tasks",
        tuple({"k": k} for k in (1, 2, 3)),
        lambda s: {
            **{x: Box(-2, 2) for x in ("centre", "anchor", "other", "c1", "c2")},
            **{x: Box(0.1, 4) for x in ("h", "h1", "h2", "lam")},
            "eta": Box(0.01, 0.25),
            "w": Box(-2, 2, (2,)),
        },
        Branching(anchored, "any quadratic tasks, models and steps"),
    )
)
EWC = (
    "Kirkpatrick et al., Overcoming catastrophic forgetting in neural networks (2017), (3), quadratic losses"
)
HUSZAR = "Huszar, Note on the quadratic penalties in elastic weight consolidation (2018)"
on_anchored(
    "anchor-moves",
    EWC,
    sp.Eq(moved, h / (h + lam) * apart),
    wrong=(sp.Eq(moved, lam / (h + lam) * apart), sp.Eq(moved, h / lam * apart)),
)
on_anchored(
    "anchor-learns",
    EWC,
    loss_at <= (lam / (h + lam)) ** 2 * loss_anchor,
    wrong=(loss_at <= (h / (h + lam)) ** 2 * loss_anchor, loss_anchor <= loss_at),
)
on_anchored(
    "anchor-nonexpansive",
    "Moreau, Proximite et dualite dans un espace hilbertien (1965)",
    both_apart <= lam / (h + lam) * anchors_apart,
    wrong=(both_apart <= h / (h + lam) * anchors_apart, anchors_apart <= both_apart),
)
on_anchored(
    "anchor-again",
    "Rockafellar, Monotone operators and the proximal point algorithm (1976), Theorem 2",
    sp.Eq(left, (lam / (h + lam)) ** k * apart),
    wrong=(sp.Eq(left, lam / (h + lam) * apart), sp.Eq(left, (lam / (h + lam)) ** (2 * k) * apart)),
)
on_anchored(
    "ewc-joint", HUSZAR, joint_at <= joint_other, wrong=(joint_other <= joint_at, joint_other <= 2 * joint_at)
)
on_anchored(
    "ewc-excess",
    HUSZAR,
    sp.Eq(joint_other, joint_at + (h1 + h2) / 2 * other2),
    wrong=(
        sp.Eq(joint_other, joint_at + (h1 + h2) * other2),
        sp.Eq(joint_other, joint_at + h1 * h2 / (h1 + h2) * other2),
    ),
)
on_anchored(
    "ewc-forgets",
    EWC,
    sp.Eq(forgotten, h1 / 2 * (h2 / (lam * h1 + h2)) ** 2 * between2),
    wrong=(
        sp.Eq(forgotten, h1 / 2 * (h1 / (lam * h1 + h2)) ** 2 * between2),
        sp.Eq(forgotten, h1 / 2 * (h2 / (h1 + h2)) ** 2 * between2),
        forgotten <= h2 / 2 * (h2 / (lam * h1 + h2)) ** 2 * between2,
    ),
)
on_anchored(
    "posterior",
    "Nguyen, Li, Bui, Turner, Variational continual learning (2018), Gaussian posteriors",
    sp.Eq(posterior, h1 * h2 / (h1 + h2) * between2),
    wrong=(sp.Eq(posterior, (h1 + h2) * between2), sp.Eq(posterior, h1 * h2 * between2), posterior <= 0),
)
on_anchored(
    "average",
    "Mirzadeh et al., Linear mode connectivity in multitask and continual learning (2021), convex losses",
    middle <= first / 2 + second / 2,
    wrong=(middle <= first, middle <= first / 4 + second / 4, first <= middle),
)
on_anchored(
    "average-exactly",
    "Nesterov, Lectures on Convex Optimization (2018), Definition 2.1.3, a quadratic",
    sp.Eq(middle, first / 2 + second / 2 - h / 8 * anchors_apart**2),
    wrong=(
        sp.Eq(middle, first / 2 + second / 2),
        sp.Eq(middle, first / 2 + second / 2 - h / 4 * anchors_apart**2),
    ),
)
on_anchored(
    "importance",
    "Zenke, Poole, Ganguli, Continual learning through synaptic intelligence (2017), Section 3",
    sp.Eq(drop, importance * (1 - h * eta / 2)),
    wrong=(sp.Eq(drop, importance), sp.Eq(drop, importance * (1 + h * eta / 2)), importance <= drop),
)
on_anchored(
    "forgetting-curvature",
    "Mirzadeh, Farajtabar, Pascanu, Ghasemzadeh, Understanding the role of training regimes (2020), (4)",
    grown <= L / 2 * far2,
    wrong=(grown <= h1 / 2 * far2, grown <= L / 4 * far2, grown >= L / 2 * far2),
)

# Two classes with probabilities p and q
kl, apart_p2, entropy, cross, chi = notes.nonnegative("kl apart_p2 entropy cross chi")
p, q = notes.positive("p q")


def distilled(shape, v):
    p, q = v["p"], v["q"]
    one = 1 + 0 * p
    return {
        "kl": p * log(p / q) + (1 - p) * log((one - p) / (one - q)),
        "apart_p2": (p - q) ** 2,
        "chi": (p - q) ** 2 / (q * (1 - q)),
        "entropy": -p * log(p) - (1 - p) * log(one - p),
        "cross": -p * log(q) - (1 - p) * log(one - q),
    }


on_distilled = CONTINUAL.on(
    Scene(
        "two classes",
        ({},),
        lambda s: {x: Box(0.05, 0.95) for x in "pq"},
        Branching(distilled, "any probabilities of two classes"),
    )
)
HINTON = "Hinton, Vinyals, Dean, Distilling the knowledge in a neural network (2015); Li, Hoiem, Learning without forgetting (2016)"
CHANCES = (p < 1, q < 1)
on_distilled(
    "pinsker",
    "Pinsker (1964); Csiszar (1967)",
    kl >= 2 * apart_p2,
    wrong=(kl >= 4 * apart_p2, kl <= 2 * apart_p2),
)
on_distilled(
    "kl-chi",
    "Gibbs, Su, On choosing and bounding probability metrics (2002), Theorem 5",
    kl <= chi,
    *CHANCES,
    facts=(facts.logarithm(p / q), facts.logarithm((1 - p) / (1 - q))),
    tight=False,
    wrong=(chi <= kl, kl <= chi / 2, kl <= chi / 4, kl <= apart_p2),
)
on_distilled(
    "cross-entropy",
    HINTON,
    cross >= entropy,
    *CHANCES,
    facts=(facts.tangent(p, q), facts.tangent(1 - p, 1 - q)),
    tight=False,
    wrong=(
        entropy >= cross,
        cross >= entropy + 3 * apart_p2,
        cross >= entropy + chi,
        cross <= entropy + apart_p2,
    ),
)
