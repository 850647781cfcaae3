"""Gradient descent and stochastic gradient descent."""

from __future__ import annotations

import sympy as sp

from tests.benchmarks.theorems.cases import Collection
from verify import facts, run, worlds
from verify.quantities import (
    L,
    distance2,
    distance2_0,
    distance2_before,
    eta,
    gap,
    gap_0,
    gap_before,
    gap_mean,
    grad2,
    grad2_0,
    grad2_before,
    grad2_mean,
    grad2_min,
    loss,
    loss_0,
    loss_before,
    move2,
    mu,
    sigma2,
    t,
)  # fmt: skip

DESCENT = Collection("descent")
add = DESCENT.add
ROUNDS = (1, 2, 3)
on_smooth, on_convex, on_strong = (
    DESCENT.on(run("fedavg", family, rounds=ROUNDS, local_lr="eta"))
    for family in (worlds.smooth(), worlds.convex(), worlds.strongly_convex())
)
on_noisy, on_noisy_convex, on_noisy_smooth = (
    DESCENT.on(run("fedavg", family, rounds=(1, 2), local_lr="eta"))
    for family in (
        worlds.strongly_convex(noisy=(0, 1)),
        worlds.convex(noisy=(0, 1)),
        worlds.smooth(noisy=(0, 1)),
    )
)
NESTEROV = "Nesterov, Lectures on Convex Optimization (2018), "
TAYLOR = (
    "Taylor, Hendrickx, Glineur, Exact worst-case convergence rates of the proximal gradient method (2018)"
)
GHADIMI = "Ghadimi, Lan, Stochastic first- and zeroth-order methods (2013), "
BOTTOU = "Bottou, Curtis, Nocedal, Optimization methods for large-scale machine learning (2018), "
SHORT, MEAN, TWICE = eta <= 1 / L, eta <= 2 / (L + mu), eta <= 2 / L
q = 1 - eta * mu

on_smooth(
    "decrease",
    NESTEROV + "(1.2.19)",
    loss <= loss_before - eta * (1 - L * eta / 2) * grad2_before,
    SHORT,
    tight=False,
    wrong=(
        loss <= loss_before - eta * grad2_before,
        loss <= loss_before - 3 * eta / 4 * grad2_before,
        (loss <= loss_before, eta <= 3 / L),
        loss >= loss_before - eta / 4 * grad2_before,
    ),
)
on_smooth(
    "stationary",
    NESTEROV + "(1.2.22)",
    grad2_min <= 2 * (loss_0 - loss) / (eta * t),
    SHORT,
    wrong=(
        grad2_min <= (loss_0 - loss) / (eta * t),
        grad2_min <= 2 * (loss_0 - loss) / (eta * t**2),
        (grad2_min <= 2 * (loss_0 - loss) / (eta * t), TWICE),
    ),
)
on_convex(
    "drori",
    "Drori, Teboulle, Performance of first-order methods (2014), Theorem 2",
    gap <= distance2_0 / (eta * (4 * t + 2)),
    SHORT,
    wrong=(
        gap <= distance2_0 / (eta * (5 * t + 2)),
        gap <= distance2_0 / (4 * eta * t**2 + 4 * eta),
        (gap <= distance2_0 / (eta * (4 * t + 2)), TWICE),
    ),
)
on_convex(
    "nearer",
    NESTEROV + "Theorem 2.1.14",
    distance2 <= distance2_before,
    TWICE,
    tight=False,
    wrong=(
        (distance2 <= distance2_before, eta <= 3 / L),
        distance2 <= distance2_before - eta**2 * grad2_before,
        distance2 <= (1 - eta * L / 4) * distance2_before,
        distance2 >= distance2_before,
    ),
)
on_convex(
    "nearer-by",
    NESTEROV + "Theorem 2.1.14",
    distance2 <= distance2_before - eta * (2 / L - eta) * grad2_before,
    TWICE,
    tight=False,
    wrong=(
        distance2 <= distance2_before - eta * (3 / L - eta) * grad2_before,
        distance2 <= distance2_before - 2 * eta / L * grad2_before,
        distance2 <= distance2_before - 2 * eta * gap_before,
        distance2 <= distance2_before - 3 * eta * gap_before,
    ),
)
on_strong(
    "linear",
    NESTEROV + "Theorem 2.1.15",
    distance2 <= q ** (2 * t) * distance2_0,
    MEAN,
    wrong=(
        distance2 <= q ** (3 * t) * distance2_0,
        distance2 <= (1 - eta * L) ** (2 * t) * distance2_0,
        (distance2 <= q ** (2 * t) * distance2_0, TWICE),
    ),
)
on_strong(
    "linear-gap",
    TAYLOR,
    gap <= q ** (2 * t) * gap_0,
    MEAN,
    wrong=(
        gap <= q ** (3 * t) * gap_0,
        (gap <= q ** (2 * t) * gap_0, TWICE),
        gap <= (1 - eta * L) ** (2 * t) * gap_0,
    ),
)
on_strong(
    "linear-gradient",
    TAYLOR,
    grad2 <= q ** (2 * t) * grad2_0,
    MEAN,
    wrong=(grad2 <= q ** (3 * t) * grad2_0, (grad2 <= q ** (2 * t) * grad2_0, TWICE)),
)
on_convex(
    "gradient-falls",
    NESTEROV + "(2.1.11)",
    grad2 <= grad2_before,
    TWICE,
    wrong=((grad2 <= grad2_before, eta <= 3 / L), grad2 >= grad2_before),
)
on_convex(
    "regret",
    "Zinkevich, Online convex programming (2003), Theorem 1",
    gap_mean <= distance2_0 / (2 * eta * t) + eta / 2 * grad2_mean,
    tight=False,
    wrong=(
        gap_mean <= distance2_0 / (2 * eta * t),
        gap_mean <= distance2_0 / (4 * eta * t) + eta / 4 * grad2_mean,
        gap_mean <= eta / 2 * grad2_mean,
        gap_mean <= distance2_0 / (2 * eta * t**2) + eta / 4 * grad2_mean,
    ),
)
on_strong(
    "not-faster",
    "the gradient of an L-smooth function is L-Lipschitz: " + NESTEROV + "(1.2.8)",
    distance2 >= (1 - eta * L) ** 2 * distance2_before,
    SHORT,
    wrong=(distance2 >= q**2 * distance2_before, distance2 >= (1 - eta * L) * distance2_before),
)
on_convex(
    "step",
    "Cauchy, Methode generale pour la resolution des systemes d'equations simultanees (1847)",
    sp.Eq(move2, eta**2 * grad2_before),
    wrong=(sp.Eq(move2, eta * grad2_before),),
)
on_noisy(
    "sgd-step",
    BOTTOU + "(4.9)",
    distance2 <= q**2 * distance2_before + eta**2 * sigma2,
    MEAN,
    wrong=(
        distance2 <= q**2 * distance2_before,
        distance2 <= q**4 * distance2_before + eta**2 * sigma2,
        distance2 <= q**2 * distance2_before + eta**3 * L * sigma2 / 2,
    ),
)
on_noisy(
    "sgd-floor",
    BOTTOU + "Theorem 4.6",
    distance2 <= q**t * distance2_0 + eta * sigma2 / mu,
    SHORT,
    wrong=(
        distance2 <= q**t * distance2_0 + eta * sigma2 / L / 2,
        distance2 <= q**t * distance2_0,
        distance2 <= eta * sigma2 / mu,
    ),
)
on_noisy(
    "sgd-below",
    BOTTOU + "(4.8)",
    distance2 >= eta**2 * sigma2,
    facts=facts.exact_steps("strong"),
    wrong=(distance2 >= 2 * eta**2 * sigma2, distance2 >= eta * sigma2 / mu),
)
on_noisy_smooth(
    "sgd-decrease",
    GHADIMI + "(2.7)",
    loss <= loss_before - eta / 2 * grad2_before + L * eta**2 / 2 * sigma2,
    SHORT,
    tight=False,
    wrong=(
        loss <= loss_before - eta / 2 * grad2_before,
        loss <= loss_before - eta * grad2_before + L * eta**2 / 2 * sigma2,
        loss <= loss_before - eta / 2 * grad2_before + L * eta**2 / 4 * sigma2,
        loss <= loss_before,
    ),
)
on_noisy_smooth(
    "sgd-stationary",
    GHADIMI + "Corollary 2.2",
    grad2_mean <= 2 * (loss_0 - loss) / (eta * t) + L * eta * sigma2,
    SHORT,
    wrong=(
        grad2_mean <= 2 * (loss_0 - loss) / (eta * t),
        grad2_mean <= (loss_0 - loss) / (eta * t) + L * eta * sigma2,
    ),
)
on_noisy_convex(
    "sgd-convex",
    "Moulines, Bach (2011); Garrigos, Gower, Handbook of convergence theorems (2023), Theorem 5.5",
    gap_mean <= distance2_0 / (2 * eta * t * (1 - eta * L)) + eta * sigma2 / (2 * (1 - eta * L)),
    eta <= 1 / (2 * L),
    tight=False,
    wrong=(
        gap_mean <= eta * sigma2 / (2 * (1 - eta * L)),
        gap_mean <= distance2_0 / (8 * eta * t) + eta * sigma2 / 8,
        gap_mean <= distance2_0 / (eta * (4 * t**2 + 4)) + eta * sigma2 / 4,
        gap <= gap_0,
    ),
)
add(
    "sgd-move",
    BOTTOU + "(4.8)",
    sp.Eq(move2, eta**2 * (grad2_before + sigma2)),
    scene=run("fedavg", worlds.convex(noisy=(0, 1)), rounds=(1, 2), local_lr="eta"),
    wrong=(sp.Eq(move2, eta**2 * grad2_before), sp.Eq(move2, eta * (grad2_before + sigma2))),
)
