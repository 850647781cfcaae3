"""Rounds of FedAvg: sampling, noise, local steps, bounded gradients."""

from __future__ import annotations

import sympy as sp

from tests.benchmarks.theorems.cases import Collection
from verify import Box, facts, run, worlds
from verify.first_order import losses, smooth_strongly_convex
from verify.quantities import (
    G2,
    E,
    L,
    M,
    N,
    distance2,
    distance2_0,
    distance2_before,
    drift2,
    eta,
    eta_g,
    gap_before,
    gap_mean,
    grad2_before,
    loss,
    loss_before,
    move2,
    mu,
    sigma2,
    t,
    zeta2,
)  # fmt: skip

FEDERATED = Collection("federated")
add = FEDERATED.add
q = 1 - eta * mu
SHORT, MID, MEAN = eta <= 1 / L, eta <= 1 / (2 * L), eta <= 2 / (L + mu)
MCMAHAN = "McMahan et al., Communication-efficient learning of deep networks from decentralized data (2017), "
GOWER = (
    "Gower, Loizou, Qian, Sailanbayev, Shulgin, Richtarik, SGD: general analysis and improved rates (2019), "
)
HANDBOOK = "Garrigos, Gower, Handbook of convergence theorems for (stochastic) gradient methods (2023), "
WOODWORTH = (
    "Woodworth, Patel, Stich et al., Is local SGD better than minibatch SGD? (2020), Section 3, quadratics"
)
YU = "Yu, Yang, Zhu, Parallel restarted SGD with faster convergence and less communication (2019), Lemma 1"
LI = "Li, Huang, Yang, Wang, Zhang, On the convergence of FedAvg on non-IID data (2020), "
REDDI = "Reddi et al., Adaptive federated optimization (2021), Algorithm 1"
DEKEL = "Dekel, Gilad-Bachrach, Shamir, Xiao, Optimal distributed online prediction using mini-batches (2012)"

on_full = FEDERATED.on(run("fedavg", worlds.quadratics(clients=(1, 2)), rounds=(1,), local_lr="eta"))
on_noisy = FEDERATED.on(
    run("fedavg", worlds.quadratics(clients=(1, 2), dim=(1,), noisy=(0, 1)), rounds=(1,), local_lr="eta")
)
SMOOTH = run("fedavg", worlds.smooth(clients=(1, 2), dim=(1,), noisy=(0, 1)), rounds=(1,), local_lr="eta")
on_server = FEDERATED.on(
    run("fedavg", worlds.quadratics(clients=(1, 2)), rounds=(1,), local_lr="eta", global_lr="eta_g")
)
SAMPLED = run(
    "fedavg", worlds.quadratics(clients=(2, 3, 4), dim=(1,)), rounds=(1,), sampled=(1, 2, 3), local_lr="eta"
)
ROUNDS = run(
    "fedavg", worlds.quadratics(clients=(2, 3), dim=(1,)), rounds=(1, 2), sampled=(1, 2), local_lr="eta"
)
on_convex = FEDERATED.on(
    run("fedavg", worlds.convex(clients=(2, 3), dim=(1,)), rounds=(1, 2), sampled=(1, 2), local_lr="eta")
)
on_shifted = FEDERATED.on(
    run(
        "fedavg",
        worlds.shifted(clients=(2, 3), dim=(1,), noisy=(0, 1)),
        rounds=(1,),
        sampled=(1, 2),
        local_lr="eta",
    )
)
on_local = FEDERATED.on(
    run(
        "fedavg",
        losses(smooth_strongly_convex, clients="any", L=Box(1, 4), mu=Box(0.1, 0.9)),
        rounds=(1,),
        local_steps=(1, 2),
        local_lr="eta",
        measured=("drift2", "distance2", "distance2_before", "grad2_before"),
    )
)
LOCAL_SHIFTED, LOCAL_NOISY = (
    run("fedavg", family, rounds=(1,), local_steps=steps, local_lr="eta")
    for family, steps in ((worlds.shifted(), (1, 2, 3)), (worlds.shifted(dim=(1,), noisy=(0, 1)), (1, 2)))
)
on_bounded = FEDERATED.on(
    run(
        "fedavg",
        worlds.bounded_gradients(clients=(1, 2), dim=(1,)),
        rounds=(1,),
        local_steps=(2, 3, 4),
        local_lr="eta",
    )
)
on_subgradient = FEDERATED.on(
    run(
        "fedavg",
        worlds.bounded_gradients(clients=(1, 2, 3), dim=(1,)),
        rounds=(1, 2),
        sampled=(1, 2),
        local_lr="eta",
    )
)
rare = (M - N) / (N * (M - 1)) * zeta2

on_full(
    "fedsgd",
    MCMAHAN + "FedSGD is gradient descent",
    distance2 <= q**2 * distance2_before,
    SHORT,
    wrong=(distance2 <= q**3 * distance2_before, distance2 <= (1 - eta * L) ** 2 * distance2_before),
)
on_full(
    "fedsgd-move",
    MCMAHAN + "FedSGD is gradient descent",
    sp.Eq(move2, eta**2 * grad2_before),
    wrong=(sp.Eq(move2, eta**2 * (grad2_before + zeta2)), sp.Eq(move2, eta * grad2_before)),
)
on_noisy(
    "noise-averages",
    DEKEL,
    sp.Eq(move2, eta**2 * (grad2_before + sigma2 / M)),
    wrong=(sp.Eq(move2, eta**2 * (grad2_before + sigma2)), sp.Eq(move2, eta**2 * grad2_before)),
)
on_noisy(
    "speedup",
    DEKEL,
    distance2 <= q**2 * distance2_before + eta**2 * sigma2 / M,
    MEAN,
    wrong=(
        distance2 <= q**2 * distance2_before,
        distance2 <= q**2 * distance2_before + eta**2 * sigma2 / M**2,
        distance2 <= q**3 * distance2_before + eta**2 * sigma2 / M,
    ),
)
on_noisy(
    "noise-stays",
    DEKEL,
    distance2 >= eta**2 * sigma2 / M,
    facts=facts.exact_steps("strong", sigma2 / M),
    wrong=(distance2 >= eta**2 * sigma2, distance2 >= eta * sigma2 / (L * M)),
)
add(
    "decrease",
    "Wang et al., A field guide to federated optimization (2021), minibatch SGD",
    loss <= loss_before - eta / 2 * grad2_before + L * eta**2 * sigma2 / (2 * M),
    SHORT,
    scene=SMOOTH,
    tight=False,
    wrong=(
        loss <= loss_before - eta / 2 * grad2_before,
        loss <= loss_before - eta * grad2_before + L * eta**2 * sigma2 / (2 * M),
        loss <= loss_before - eta / 2 * grad2_before + L * eta**2 * sigma2 / (4 * M),
    ),
)
on_server(
    "server-step",
    REDDI,
    distance2 <= (1 - eta * eta_g * mu) ** 2 * distance2_before,
    eta * eta_g <= 2 / (L + mu),
    wrong=(
        distance2 <= (1 - eta_g * mu) ** 2 * distance2_before,
        distance2 <= q**2 * distance2_before,
        (distance2 <= (1 - eta * eta_g * mu) ** 2 * distance2_before, MEAN),
    ),
)
on_server(
    "server-move",
    REDDI,
    sp.Eq(move2, eta**2 * eta_g**2 * grad2_before),
    wrong=(sp.Eq(move2, eta**2 * eta_g * grad2_before), sp.Eq(move2, eta**2 * grad2_before)),
)
add(
    "sampling",
    GOWER + "Theorem 3.1",
    distance2 <= q * distance2_before + 2 * eta**2 * rare,
    MID,
    scene=SAMPLED,
    tight=False,
    wrong=(
        distance2 <= q * distance2_before,
        distance2 <= q * distance2_before + eta**2 * rare / 2,
        distance2 <= q**4 * distance2_before + 2 * eta**2 * rare,
        distance2 <= eta**2 * zeta2,
    ),
)
add(
    "sampling-rounds",
    GOWER + "Theorem 3.1",
    distance2 <= q**t * distance2_0 + 2 * eta * rare / mu,
    MID,
    scene=ROUNDS,
    tight=False,
    wrong=(
        distance2 <= q**t * distance2_0,
        distance2 <= q ** (4 * t) * distance2_0 + 2 * eta * rare / mu,
        distance2 <= q**t * distance2_0 + eta**2 * rare / 4,
    ),
)
on_convex(
    "sampling-convex",
    HANDBOOK + "SGD on sums of convex smooth functions",
    gap_mean <= distance2_0 / (2 * eta * t * (1 - 2 * eta * L)) + eta * rare / (1 - 2 * eta * L),
    eta <= 1 / (4 * L),
    tight=False,
    wrong=(
        gap_mean <= eta * rare,
        gap_mean <= distance2_0 / (10 * eta * t) + eta * rare,
        gap_mean <= distance2_0 / (eta * (4 * t**2 + 4)) + eta * rare,
    ),
)
on_convex(
    "expected-smoothness",
    GOWER + "Definition 2.1 and Proposition 3.10",
    move2 <= eta**2 * (4 * L * gap_before + 2 * rare),
    tight=False,
    wrong=(
        move2 <= eta**2 * 4 * L * gap_before,
        move2 <= eta**2 * (L * gap_before + 2 * rare),
        move2 <= eta**2 * 2 * rare,
        move2 <= eta**2 * (2 * L * gap_before + rare / 2),
    ),
)
on_shifted(
    "sampling-variance",
    "Fraboni, Vidal, Kameni, Lorenzi, A general theory for client sampling in federated learning (2022)",
    sp.Eq(move2, eta**2 * (grad2_before + sigma2 / N + rare)),
    wrong=(
        sp.Eq(move2, eta**2 * (grad2_before + sigma2 / N + zeta2 / N)),
        sp.Eq(move2, eta**2 * (grad2_before + sigma2 / M + rare)),
        sp.Eq(move2, eta**2 * (grad2_before + sigma2 / N)),
    ),
)
on_shifted(
    "sampling-decrease",
    "Bottou, Curtis, Nocedal, Optimization methods for large-scale machine learning (2018), Lemma 4.2",
    loss <= loss_before - eta / 2 * grad2_before + L * eta**2 / 2 * (sigma2 / N + rare),
    SHORT,
    tight=False,
    wrong=(
        loss <= loss_before - eta / 2 * grad2_before,
        loss <= loss_before - 2 * eta * grad2_before + L * eta**2 / 2 * (sigma2 / N + rare),
        loss <= loss_before - eta / 2 * grad2_before + L * eta**2 / 2 * sigma2 / N,
        loss <= loss_before - eta / 2 * grad2_before + L * eta**2 / 8 * (sigma2 / N + rare),
    ),
)
add(
    "local-steps-agree",
    WOODWORTH,
    distance2 <= q ** (2 * E) * distance2_before,
    MEAN,
    scene=LOCAL_SHIFTED,
    wrong=(
        distance2 <= q ** (2 * E + 1) * distance2_before,
        distance2 <= q ** (3 * E) * distance2_before,
        distance2 <= (1 - eta * L) ** (2 * E) * distance2_before,
    ),
)
add(
    "local-noise",
    WOODWORTH,
    distance2 <= q ** (2 * E) * distance2_before + eta**2 * sigma2 * E / M,
    SHORT,
    scene=LOCAL_NOISY,
    wrong=(
        distance2 <= q ** (2 * E) * distance2_before,
        distance2 <= q ** (2 * E) * distance2_before + eta**2 * sigma2 / (2 * M),
        distance2 <= q ** (2 * E) * distance2_before + eta**2 * sigma2 * E / M**2,
    ),
)
on_local(
    "local-bias",
    "Charles, Konecny, On the outsized importance of learning rates in local update methods (2020)",
    distance2 <= q * distance2_before + eta**3 * L**2 * zeta2 / mu,
    MID,
    tight=False,
    wrong=(
        distance2 <= q * distance2_before,
        distance2 <= q**5 * distance2_before,
        distance2 <= q**2 * distance2_before,
        distance2 <= q**E * distance2_before,
    ),
)
on_local(
    "local-drift",
    "Khaled, Mishchenko, Richtarik, Tighter theory for local SGD on identical and heterogeneous data (2020), Lemma 4",
    drift2 <= eta**2 * E**2 / 3 * 2 * (L**2 * distance2_before + zeta2),
    SHORT,
    tight=False,
    wrong=(
        drift2 <= eta**2 * zeta2,
        drift2 <= eta**2 * L**2 * distance2_before,
        drift2 <= eta**2 * E**2 * grad2_before / 16,
        drift2 <= eta**2 * (L**2 * distance2_before + zeta2) / 8,
    ),
)
on_bounded(
    "drift-bounded",
    YU,
    drift2 <= 4 * eta**2 * E**2 * G2,
    tight=False,
    wrong=(
        drift2 <= eta**2 * G2 / 4,
        drift2 <= eta**2 * E * G2 / 8,
        drift2 <= eta**2 * E**2 * G2 / 16,
        drift2 <= eta**2 * (E - 1) * G2 / 3,
    ),
)
on_bounded(
    "drift-bounded-last",
    LI + "Lemma 3",
    drift2 <= 4 * eta**2 * (E - 1) ** 2 * G2,
    tight=False,
    wrong=(
        drift2 <= 4 * eta**2 * (E - 2) ** 2 * G2,
        drift2 <= eta**2 * (E - 1) ** 2 * grad2_before / 4,
        drift2 <= eta**2 * (E - 1) ** 2 * G2 / 5,
    ),
)
on_bounded(
    "moves-bounded",
    "Stich, Local SGD converges fast and communicates little (2019), Lemma 3.3",
    move2 <= eta**2 * E**2 * G2,
    wrong=(move2 <= eta**2 * E * G2, move2 <= eta**2 * G2, move2 <= eta**2 * (E - 1) ** 2 * G2),
)
on_subgradient(
    "subgradient",
    "Nedic, Bertsekas, Incremental subgradient methods (2001), Lemma 2.1 and Section 3",
    distance2 <= distance2_before - 2 * eta * gap_before + eta**2 * G2,
    tight=False,
    wrong=(
        distance2 <= distance2_before - 2 * eta * gap_before,
        distance2 <= distance2_before - 4 * eta * gap_before + eta**2 * G2,
        distance2 <= distance2_before - 2 * eta * gap_before + eta**2 * G2 / 4,
        distance2 <= distance2_before + eta**2 * G2 / 4,
    ),
)
on_subgradient(
    "subgradient-mean",
    "Zinkevich, Online convex programming (2003), Theorem 1",
    gap_mean <= distance2_0 / (2 * eta * t) + eta * G2 / 2,
    tight=False,
    wrong=(
        gap_mean <= distance2_0 / (2 * eta * t),
        gap_mean <= eta * G2 / 2,
        gap_mean <= distance2_0 / (8 * eta * t) + eta * G2 / 8,
    ),
)
