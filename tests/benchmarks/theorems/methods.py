"""Rounds of SCAFFOLD and FedProx, and the bias from unequal numbers of local steps."""

from __future__ import annotations

import sympy as sp

from nqm.fields import stack
from tests.benchmarks.theorems.cases import Collection
from verify import Box, Branching, Scene, run, worlds
from verify.quantities import (  # fmt: skip
    E,
    L,
    distance2,
    distance2_0,
    distance2_before,
    eta,
    grad2_before,
    loss,
    loss_before,
    move2,
    mu,
    t,
)

METHODS = Collection("methods")
add = METHODS.add
notes = METHODS.notes
q, MEAN = 1 - eta * mu, eta <= 2 / (L + mu)
CONTROLLED = run("scaffold", worlds.quadratics(clients=(1, 2)), local_lr="eta", global_lr=1)
CONTROLLED_LOCAL = run("scaffold", worlds.shifted(), local_steps=(1, 2), local_lr="eta", global_lr=1)
rho = notes.positive("rho")
on_prox = METHODS.on(
    run("fedprox_exact", worlds.shifted(), rounds=(1,), mu=("rho", Box(0.1, 10, scale="log")))
)

ROCKAFELLAR = "Rockafellar, Monotone operators and the proximal point algorithm (1976), "
SCAFFOLD = "Karimireddy et al., SCAFFOLD: stochastic controlled averaging for federated learning (2020), "
add(
    "scaffold-one-step",
    SCAFFOLD + "(4): control variates cancel in the mean",
    distance2 <= q ** (2 * t) * distance2_0,
    MEAN,
    scene=CONTROLLED,
    wrong=(
        distance2 <= q ** (3 * t) * distance2_0,
        distance2 <= (1 - eta * L) ** (2 * t) * distance2_0,
        (distance2 <= q ** (2 * t) * distance2_0, eta <= 2 / L),
    ),
)
add(
    "scaffold-local",
    SCAFFOLD + "Section 6, quadratics with the same Hessian",
    distance2 <= q ** (2 * E) * distance2_before,
    MEAN,
    scene=CONTROLLED_LOCAL,
    wrong=(
        distance2 <= q ** (3 * E) * distance2_before,
        distance2 <= (1 - eta * L) ** (2 * E) * distance2_before,
    ),
)
on_prox(
    "prox-contracts",
    ROCKAFELLAR + "Proposition 7",
    distance2 <= distance2_before / (1 + mu / rho) ** 2,
    wrong=(
        distance2 <= distance2_before / (1 + mu / rho) ** 3,
        distance2 <= distance2_before / (1 + L / rho) ** 2,
    ),
)
on_prox(
    "prox-moves",
    ROCKAFELLAR + "Proposition 7",
    move2 <= grad2_before / (rho + mu) ** 2,
    wrong=(move2 <= grad2_before / (rho + L) ** 2, move2 <= grad2_before / (rho + 2 * mu) ** 2),
)
on_prox(
    "prox-decreases",
    "Parikh, Boyd, Proximal algorithms (2014), Section 2.3",
    loss <= loss_before - (rho + mu / 2) * move2,
    tight=False,
    wrong=(
        loss <= loss_before - (2 * rho + mu / 2) * move2,
        loss <= loss_before - (rho + L / 2) * move2,
        loss <= loss_before - (rho + mu) * move2,
        loss >= loss_before - rho * move2,
    ),
)

# Two clients with quadratic losses, one dimension, unlike numbers of local steps
fixed, returned, plain = notes.real("fixed returned plain")


def two_clients(shape, v):
    h, c, eta = v["h"], v["c"], v["eta"][:, None]
    left = stack([(1 - eta[:, 0] * h[:, i]) ** shape[f"k{i}"] for i in range(2)], 1)
    fixed = ((1 - left) * c).sum(axis=1) / (1 - left).sum(axis=1)
    return {
        "fixed": fixed,
        "returned": (left * (fixed[:, None] - c) + c).sum(axis=1) / 2,
        "plain": (h * c).sum(axis=1) / h.sum(axis=1),
    }


UNLIKE = Scene(
    "two clients",
    ({"k0": 1, "k1": 1}, {"k0": 1, "k1": 2}, {"k0": 2, "k1": 3}),
    lambda s: {"h": Box(0.1, 1, (2,)), "c": Box(-2, 2, (2,)), "eta": Box(0.1, 1)},
    Branching(two_clients, "any losses and steps"),
)
add(
    "fixed-point",
    "Charles, Konecny, Convergence and accuracy trade-offs in federated learning (2021); "
    "Wang et al., Tackling the objective inconsistency problem (2020), quadratics",
    sp.Eq(returned, fixed),
    scene=UNLIKE,
    wrong=(sp.Eq(fixed, plain), sp.Eq(returned, plain)),
)
