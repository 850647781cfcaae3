"""Vectors, random vectors and local steps for the lemmas of SPECIAL's Appendix C."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import sympy as sp

from bounds.catalogue import statement
from bounds.hypotheses import Hypothesis
from bounds.special.symbols import SPECIAL
from nqm.fields import abs_, amax, norm, sq, stack
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.engine.model.sums import Sums
from verify.scenes.special.lemma_facts import LARGEST, OF_COVARIANCES, OF_LOSSES, OF_VECTORS, OF_WEIGHTS
from verify.scenes.special.local_drift import OF_CLIENTS
from verify.scenes.special.terms import CLIENTS, NOISE, TURNED, turns


def expansions(shape: Shape, values: Named) -> Values:
    """Quantities of Lemmas C.6 to C.8: vectors t (batch, M, d), Lam (batch, d), G (batch,)."""
    t, Lam, G = values["t"], values["Lam"], values["G"]
    M, N = shape["M"], shape["N"]
    total = t.sum(axis=1)
    sets = list(combinations(range(M), N))
    sampled = [sq(G[:, None] * sum(t[:, m] for m in chosen) + Lam) for chosen in sets]
    return {
        "S2": sq(t).sum(axis=1),
        "SS": sq(total),
        "P": sum(sq(t[:, m] - t[:, n]) for m, n in product(range(M), repeat=2) if m != n),
        "SL": sq(t - Lam[:, None, :]).sum(axis=1),
        "Lam2": sq(Lam),
        "full2": sq(G[:, None] * total + Lam),
        "prob2": sq(G[:, None] * total * N / M + Lam),
        "sampled2": sum(sampled) / len(sets),
        "inc1": 0 * G + sp.Integer(sum(0 in chosen for chosen in sets)).p / (0 * G + len(sets)),
        "inc2": 0 * G + sum({0, 1} <= set(chosen) for chosen in sets) / (0 * G + len(sets)),
    }


VECTORS = Scene(
    name="vectors under sampling",
    shapes=tuple({"M": M, "N": N, "d": 1} for M in range(2, 7) for N in range(1, M + 1)),
    space=lambda shape: {
        "t": Box(-2, 2, (shape["M"], shape["d"])),
        "Lam": Box(-2, 2, (shape["d"],)),
        "G": Box(-2, 2),
    },
    compute=Proved(expansions, OF_VECTORS),
)

PAIR = Scene(
    name="two vectors",
    shapes=({"d": 1}, {"d": 2}),
    space=lambda shape: {"x": Box(-2, 2, (shape["d"],)), "y": Box(-2, 2, (shape["d"],))},
    compute=lambda shape, values: {
        "x2": sq(values["x"]),
        "y2": sq(values["y"]),
        "diff2": sq(values["x"] - values["y"]),
        "inner": (values["x"] * values["y"]).sum(axis=-1),
    },
    covers="equal as polynomials; the identity is the same in every coordinate",
)


def weighted(shape: Shape, values: Named) -> Values:
    """Quantities of Lemma C.2: vectors x (batch, n, d), weights w (batch, n)."""
    x, w = values["x"], values["w"]
    scaled = w[..., None] * x
    return {
        "norm_sum": norm(scaled.sum(axis=1)),
        "sum_scaled": norm(scaled).sum(axis=1),
        "sum_norms": (w * norm(x)).sum(axis=1),
    }


WEIGHTED = Scene(
    name="weighted vectors",
    shapes=({"n": 1, "d": 1}, {"n": 2, "d": 1}, {"n": 3, "d": 1}, {"n": 2, "d": 2}, {"n": 4, "d": 3}),
    space=lambda shape: {"x": Box(-2, 2, (shape["n"], shape["d"])), "w": Box(0, 2, (shape["n"],))},
    compute=Proved(weighted, OF_WEIGHTS),
)


def random_vectors(x: Any) -> Values:
    """Quantities of Lemmas C.3 and C.4: equally likely outcomes x (batch, outcome, n, d)."""
    outcomes, n = x.shape[1], x.shape[2]
    pairs = [(i, j) for i, j in combinations(range(n), 2)]
    cross = [abs_((x[:, :, i] * x[:, :, j]).sum(axis=(1, 2)) / outcomes) for i, j in pairs]
    return {
        "E_sum2": sq(x.sum(axis=2)).sum(axis=1) / outcomes,
        "sum_E2": sq(x).sum(axis=(1, 2)) / outcomes,
        "mean2": amax(sq(x.sum(axis=1) / outcomes), axis=-1),
        "cross": amax(stack(cross, axis=-1), axis=-1) if pairs else 0 * x[:, 0, 0, 0],
        "covariances": stack(cross, axis=-1) if pairs else 0 * x[:, 0, 0, :1],
    }


JENSEN = Sums(
    statement("special.lemC.3").compared,
    {
        SPECIAL["E_sum2"].symbol: ["dot", ["total", "x"], ["total", "x"]],
        SPECIAL["sum_E2"].symbol: ["each", "n", "x", "x"],
    },
    {"n": "count", "x": "family n"},
)
"""Jensen's inequality for random vectors, as vectors whose inner product is an expectation."""
RANDOM = Scene(
    name="random vectors",
    shapes=({"n": 1, "d": 1}, {"n": 2, "d": 1}, {"n": 3, "d": 1}, {"n": 2, "d": 2}),
    space=lambda shape: {"x": Box(-2, 2, (3, shape["n"], shape["d"]))},
    compute=Proved(lambda shape, values: random_vectors(values["x"]), (JENSEN, *OF_COVARIANCES), (LARGEST,)),
)
CENTRED = Scene(
    name="zero-mean random vectors",
    shapes=RANDOM.shapes,
    space=RANDOM.space,
    compute=lambda shape, values: random_vectors(values["x"] - values["x"].sum(axis=1)[:, None] / 3),
)


def _independent(shape: Shape, values: Named) -> Values:
    """Each vector is plus or minus a fixed one, independently of the others."""
    signs = list(product((-1, 1), repeat=shape["n"]))
    x = values["x"]
    return random_vectors(
        stack([stack([s * x[:, i] for i, s in enumerate(row)], axis=1) for row in signs], axis=1)
    )


INDEPENDENT = Scene(
    name="independent symmetric vectors",
    shapes=RANDOM.shapes,
    space=lambda shape: {"x": Box(-2, 2, (shape["n"], shape["d"]))},
    compute=Proved(_independent, OF_COVARIANCES, (LARGEST,)),
)


def summed_smoothness(shape: Shape, values: Named) -> Values:
    """Lemma C.1 for K quadratic losses of curvature h (batch, K, d) at two points `apart` (batch, d)."""
    change = values["h"] * values["apart"][:, None, :]
    return {
        "grad_change": norm(change.sum(axis=1)),
        "task_change": norm(change),
        "dist": norm(values["apart"]),
    }


SMOOTH = Scene(
    name="sum of quadratic losses",
    restricts=(Hypothesis.QUADRATIC,),
    shapes=({"K": 1, "d": 1}, {"K": 2, "d": 1}, {"K": 3, "d": 2}),
    space=lambda shape: {
        "h": Box(-4, 4, (shape["K"], shape["d"])),
        "apart": Box(-2, 2, (shape["d"],)),
        "L": Box(0.01, 4, scale="log"),
    },
    compute=Proved(summed_smoothness, OF_LOSSES),
)


def _constants(shape: Shape, values: Named) -> Values:
    """Smallest constants of the assumptions, enlarged by `room`."""
    h, g, more = values["h"], values["g"], 1 + values["room"]
    client = amax(sq(g - g.sum(axis=1)[:, None] / shape["M"]), axis=-1)
    smooth = amax(amax(abs_(h), axis=-1), axis=-1)
    noise = amax(values["s2"], axis=-1)
    return {
        "L_sup": smooth,
        "L": smooth * more,
        "noise_sup": noise,
        "sigma_L2": noise * more,
        "client_sup": client,
        "sigma_G2": client * more,
    }


def local_drift(shape: Shape, values: Named) -> Values:
    """Lemma C.5: local steps of M clients with quadratic losses of curvature h and start gradient g (batch, M, d).

    Mean and variance of each client's displacement follow closed recursions, so expectations are exact.
    """
    M, E = shape["M"], shape["E"]
    g = values["g"]
    drift, lip = walk(shape, values, E)
    task = g.sum(axis=1) / M
    each = lambda x: stack([x] * (E - 1), axis=-1)  # noqa: E731 - the same at every step
    found = {"D_mean": stack(drift, axis=-1).sum(axis=1) / M, "gi2": sq(task)}
    if E > 1:
        found |= {
            "D_now": stack(drift[1:], axis=-1),
            "D_before": stack(drift[:-1], axis=-1),
            "lip2": stack(lip[:-1], axis=-1),
            "noise2": each(values["s2"]),
            "het2": each(sq(g - task[:, None])),
        }
    return {**found, "bracket": bracket_of(shape, values, found["gi2"])}


def walk(shape: Shape, values: Named, steps: int) -> tuple[list[Any], list[Any]]:
    """Squared drift of each client before each step, and its squared gradient change, (batch, M) each."""
    h, g = values["h"], values["g"]
    gamma = values["gamma_L"].reshape(-1, 1, 1)
    noise = values["s2"][..., None] / shape["d"]
    mean, spread = 0 * g, 0 * g
    drift, lip = [], []
    for _ in range(steps):
        drift.append((mean**2 + spread).sum(axis=-1))
        lip.append((h**2 * (mean**2 + spread)).sum(axis=-1))
        mean, spread = mean - gamma * (g + h * mean), (1 - gamma * h) ** 2 * spread + gamma**2 * noise
    return drift, lip


def bracket_of(shape: Shape, values: Named, task2: Any) -> Any:
    """The bracket of Eq. (16), for the task's squared gradient."""
    return values["gamma_L"] ** 2 * (
        values["sigma_L2"] + 6 * shape["E"] * values["sigma_G2"] + 6 * shape["E"] * task2
    )


def _terms(shape: Shape, values: Named) -> Values:
    """Quantities of the clients' gradients at the start, and of their changes from there to another model."""
    g = values["g"]
    return {
        "noise2_each": values["s2"],
        "client2_each": sq(g - g.sum(axis=1)[:, None] / shape["M"]),
        **turns((values["h"] * g, g)),
    }


LOCAL = Scene(
    name="local steps on quadratics",
    restricts=(Hypothesis.QUADRATIC,),
    shapes=tuple(
        {"M": M, "E": E, "d": d}
        for M, E, d in ((1, 1, 1), (1, 2, 1), (2, 2, 1), (2, 3, 1), (2, 5, 2), (3, 8, 1))
    ),
    space=lambda shape: {
        "h": Box(-4, 4, (shape["M"], shape["d"])),
        "g": Box(-2, 2, (shape["M"], shape["d"])),
        "s2": Box(0, 2, (shape["M"],)),
        "room": Box(0, 0),
        "gamma_L": Box(0.01, 1, scale="log"),
    },
    room="room",
    known=_constants,
    compute=Proved(local_drift, OF_CLIENTS, (NOISE, CLIENTS, TURNED), _terms),
    steps=("gamma_L",),
    free_step=lambda name, shape, values: 4,
)
INTEGERS = Scene(
    name="whole numbers of local steps",
    shapes=tuple({"E": E} for E in (*range(1, 65), 128, 1024)),
    space=lambda shape: {"nothing": Box(0, 0)},
)
