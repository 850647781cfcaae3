"""SPECIAL, Lemma 4.9: how far the server's model is from where the task started, for any bounded gradients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, product
from typing import Any

import numpy as np

from algorithms.special import special
from bounds.relations import le
from bounds.special.symbols import drift1, drift2
from nqm.fields import Array, norm, sq, stack
from verify.engine.scene import Box, Condition, Fact, Named, Scene, Shape, Values
from verify.scenes.lengths import detour
from verify.scenes.special.terms import OF_SENT

JENSEN = le(drift1**2, drift2)


def pairs_apart(vectors: Sequence[Array]) -> Array:
    """Sum over the pairs of |x_i - x_j|^2: what Jensen's inequality for n |x_1|^2 + .. leaves out."""
    return sum((sq(x - y) for x, y in combinations(vectors, 2)), 0 * sq(vectors[0]))


def _path(shape: Shape, values: Named) -> Values:
    """The model after t rounds with any gradients of N clients in E steps, and how far below B they are."""
    t, N, E = shape["t"], shape["N"], shape["E"]
    local, g, pull = values["gamma_L"], values["gamma_G"] * values["gamma_L"], values["lam"]
    algorithm = special(*(values[name] for name in ("gamma_L", "gamma_G", "lam")))
    start = values["start"]
    state: Mapping[str, Any] = {"theta": start, "anchor": start}
    sums = values["sent"].sum(axis=3)  # (1, t, N, d)
    for tau in range(t):
        x = state["theta"][:, None] - local * sums[:, tau]
        state = algorithm.aggregate(state, {"x": x}, np.arange(N))
    away = start - state["theta"]
    updates = [sums[:, tau].sum(axis=1) / N for tau in range(t)]
    weights = [(1 + pull) ** (tau - t) for tau in range(t)]
    total, left = sum(weights), (1 + pull) ** (-t)
    bound2 = E**2 * values["B"] ** 2
    short = [
        E * values["room"][:, tau].sum(axis=(1, 2)) / N
        + sum(pairs_apart([values["sent"][:, tau, m, e] for e in range(E)]) for m in range(N)) / N
        + pairs_apart([sums[:, tau, m] for m in range(N)]) / N**2
        for tau in range(t)
    ]
    mixed = sum(
        (weights[s] * weights[r] * sq(updates[s] - updates[r]) for s, r in combinations(range(t), 2)), 0 * g
    )
    later = sum(((1 + pull) ** (-tau - 1) for tau in range(t, shape["T"])), 0 * g)
    endless = bound2 * left * (1 + pull * total) / pull**2
    missing = total * sum(w * x for w, x in zip(weights, short, strict=True)) + mixed
    ahead = pull * shape["K"] / g
    lengths = [norm(values["sent"][:, tau]).sum(axis=(1, 2)) / N for tau in range(t)]
    pushes = [
        g[:, None] * weights[tau][:, None] / N * values["sent"][:, tau, m, e]
        for tau, m, e in product(range(t), range(N), range(E))
    ]
    return {
        "drift1": norm(away),
        "gsum": stack(lengths, axis=0),
        "slack_lengths": detour(pushes),
        **dict.fromkeys(("away2", "drift2", "drift_all", "away_max2"), sq(away)),
        "anchor2": sq(ahead[:, None] * away),
        "weighed_T": (1 - (1 + pull) ** (-shape["T"])) / pull,
        "slack": g**2 * (missing + endless),
        "slack_anchor": ahead**2 * g**2 * (missing + endless),
        "slack_finite": g**2 * missing,
        "slack_run": g**2 * (missing + bound2 * later * (later + 2 * total)),
        "sent2_each": sq(values["sent"]),
        "left": values["B"][0] ** 2 - sq(values["sent"]),
    }


_PATH = Scene(
    name="rounds of SPECIAL with any bounded gradients",
    shapes=tuple(
        {"K": K, "T": T, "t": t, "N": N, "E": E, "d": 1}
        for t, N, E in (
            (1, 1, 1),
            (1, 2, 1),
            (1, 1, 2),
            (1, 3, 2),
            (1, 2, 3),
            (2, 1, 1),
            (2, 2, 2),
            (3, 1, 1),
            (4, 1, 1),
        )
        for T in ((t, t + 1) if t < 3 and N * E == 1 else (t,))
        for K in ((2, 3) if T * N * E == 1 else (2,))
    ),
    space=lambda shape: {
        **dict.fromkeys(("gamma_G", "gamma_L", "lam", "B"), Box(0.1, 1)),
        "start": Box(-1, 1, (shape["d"],)),
        "sent": Box(-1, 1, tuple(shape[name] for name in "tNEd")),
        "room": Box(0.1, 1, tuple(shape[name] for name in "tNE")),
    },
    room="room",
    compute=_path,
    covers="an identity between arbitrary stochastic gradients of 1 to 3 clients in 1 to 3 local steps and 1 to 4 rounds, "
    "where B^2 less the square of each is taken as it is; both sides are quadratic forms, the same in every coordinate, "
    "symmetric in clients and steps, and the weights of the rounds are powers of 1/(1 + lambda) for every number of them",
)


def reached(relation: Condition, slack: str = "slack") -> Fact:
    """A bound on the distance from the start of the task as a fact of every path."""
    return Fact(relation, _PATH, slack, {"room": ("left", *OF_SENT)})


_OUTCOMES = Scene(
    name="distances in any equally likely outcomes",
    shapes=tuple({"n": n, "d": 1} for n in (1, 2, 3, 4)),
    space=lambda shape: {"far": Box(-1, 1, (shape["n"], shape["d"]))},
    compute=lambda shape, values: {
        "drift1": norm(values["far"]).sum(axis=1) / shape["n"],
        "drift2": sq(values["far"]).sum(axis=1) / shape["n"],
        "slack": pairs_apart([norm(values["far"][:, i])[:, None] for i in range(shape["n"])])
        / shape["n"] ** 2,
    },
    covers="an identity between the lengths of arbitrary vectors in 1 to 4 equally likely outcomes; n^2 times both sides is "
    "a symmetric quadratic form in the lengths with coefficients of degree 1 in n",
)
FACTS = (Fact(JENSEN, _OUTCOMES, "slack"),)
