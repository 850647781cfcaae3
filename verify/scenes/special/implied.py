"""Stochastic gradients of bounded norm: implications of Assumption 4.1 of SPECIAL, for arbitrary gradients."""

from __future__ import annotations

from itertools import product

import sympy as sp

from bounds.relations import eq, le
from bounds.special.assumptions import client_norm, mean_g2, one_task, other_task, rest_norm, true_g2
from bounds.special.symbols import B, M, client_sup, g_sup, noise_sup, task_sup
from nqm.fields import Array, amax, norm, sq, stack
from verify.engine.model.scene import Box, Fact, Named, Proved, Scene, Shape, Values
from verify.engine.model.sums import Sums
from verify.scenes.lengths import around, detour


def of_gradients(seen: Array) -> Values:
    """Norms and variances of equally likely stochastic gradients (batch, K, M, outcome, d) at one point."""
    clients, n_clients = seen.mean(axis=3), seen.shape[2]
    tasks = clients.mean(axis=2)
    others = (tasks[:, :, None] * n_clients - clients) / max(n_clients - 1, 1)
    return {
        "g_sup": norm(seen),
        "bias_sup": 0 * seen[:, 0, 0, 0, 0],
        "mean_g2": sq(seen).mean(axis=3),
        "true_g2": sq(clients),
        "noise_sup": sq(seen - clients[:, :, :, None]).mean(axis=3),
        "client_norm": norm(clients),
        "rest_norm": norm(others),
        "client_sup": sq(clients - tasks[:, :, None]),
        "one_task": norm(tasks)[:, :, None],
        "other_task": norm(tasks)[:, None, :],
        "task_sup": sq(tasks[:, :, None] - tasks[:, None]),
    }


def _bounded(shape: Shape, values: Named) -> Values:
    """B is the largest norm."""
    found = of_gradients(values["g"])
    return {**found, "B": amax(found["g_sup"], (1, 2, 3)) * (1 + values["room"])}


# ------------------------------------------------------------------------------------------- any gradients


def _any_gradients(shape: Shape, values: Named) -> Values:
    """Arbitrary gradients, with the slacks of the bound B on their norms and of triangle inequalities between them."""
    seen, short, M = values["g"], values["room"], shape["M"]
    K = shape["K"]
    clients = seen.mean(axis=3)
    tasks = clients.mean(axis=2)
    rest = [[m for m in range(M) if m != one] for one in range(M)]

    def mean_short(chosen: list[int]) -> Array:
        """B minus the norm of the mean over clients and outcomes."""
        if not chosen:
            return values["B"] + 0 * short[:, :, 0, 0]
        parts = [seen[:, :, m, o] for m, o in product(chosen, range(shape["outcomes"]))]
        return short[:, :, chosen].mean(axis=(2, 3)) + detour(parts) / len(parts)

    def pair(i: int, j: int) -> Array:
        return around(tasks[:, i], tasks[:, j]) if i != j else 4 * sq(tasks[:, i])

    task = mean_short(list(range(M)))
    still = 0 * clients[:, :, 0]
    others = stack([sum((clients[:, :, m] for m in one), still) / max(len(one), 1) for one in rest], axis=2)
    return {
        **of_gradients(seen),
        "B": values["B"],
        "left": values["B"] - norm(seen),
        "slack_mean_g2": (short * (values["B"] + norm(seen))).mean(axis=3),
        "slack_client": stack([mean_short([m]) for m in range(M)], axis=2),
        "slack_rest": stack([mean_short(chosen) for chosen in rest], axis=2),
        "slack_one": task[:, :, None],
        "slack_other": task[:, None, :],
        "slack_clients": sp.Rational(M - 1, M) ** 2 * around(clients, others),
        "slack_tasks": stack([stack([pair(i, j) for j in range(K)], axis=1) for i in range(K)], axis=1),
    }


_GRADIENTS = Scene(
    name="any stochastic gradients",
    shapes=tuple(
        {"K": K, "M": M, "outcomes": n, "d": 1}
        for K, M, n in (
            (1, 1, 1),
            (1, 2, 1),
            (1, 1, 2),
            (1, 3, 2),
            (1, 2, 3),
            (2, 1, 1),
            (2, 2, 2),
            (3, 1, 1),
        )
    ),
    space=lambda shape: {
        "g": Box(-2, 2, (shape["K"], shape["M"], shape["outcomes"], shape["d"])),
        "room": Box(0.1, 1, (shape["K"], shape["M"], shape["outcomes"])),
        "B": Box(0.1, 1),
    },
    compute=_any_gradients,
    covers="lengths of arbitrary vectors, where what Assumption 4.1 leaves is taken as it is; a slack is what a detour has "
    "more than the straight way, in any dimension",
)
_left = {"room": ("left", le(g_sup, B))}
_mean, _squares = ["*", ["/", "1", "n"], ["total", "g"]], ["/", ["each", "n", "g", "g"], "n"]
VARIANCE = Sums(
    eq(noise_sup, mean_g2 - true_g2),
    {
        noise_sup: ["/", ["each", "n", ["-", "g", _mean], ["-", "g", _mean]], "n"],
        mean_g2: _squares,
        true_g2: ["dot", _mean, _mean],
    },
    {"n": "count", "g": "family n"},
)
NOISE = (VARIANCE.relation, le(mean_g2, B**2))
PART_OF_MEAN = (
    le(client_sup, ((1 - 1 / M) * (client_norm + rest_norm)) ** 2),
    le(client_norm, B),
    le(rest_norm, B),
)
PAIR = (le(task_sup, (one_task + other_task) ** 2), le(one_task, B), le(other_task, B))
_SLACKS = ("mean_g2", "clients", "client", "rest", "tasks", "one", "other")
_FACTS = tuple(
    Fact(relation, _GRADIENTS, f"slack_{name}", _left)
    for name, relation in zip(_SLACKS, (NOISE[1], *PART_OF_MEAN, *PAIR), strict=True)
)

GRADIENTS = Scene(
    name="bounded stochastic gradients",
    shapes=tuple(
        {"K": K, "M": M, "outcomes": n, "d": d}
        for K, M, n, d in ((1, 1, 2, 1), (1, 2, 1, 1), (2, 1, 1, 1), (1, 5, 1, 1), (2, 2, 2, 2))
    ),
    space=lambda shape: {
        "g": Box(-2, 2, (shape["K"], shape["M"], shape["outcomes"], shape["d"])),
        "room": Box(0, 0),
    },
    room="room",
    compute=Proved(_bounded, (VARIANCE, *_FACTS)),
)
