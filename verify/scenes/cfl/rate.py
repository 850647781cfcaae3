"""Runs of CFL on quadratics by exact moments (Appendix B.4.4), and means over their rounds.

The N clients of a round are new, and their drifts, including past ones, are independent of the model. Assumption 3 therefore
holds with its expectations conditional on omega. Statements about returning clients are judged on runs with the same N clients.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from bounds.hypotheses import Hypothesis
from nqm.drift import Path, Rounds, Source
from nqm.fields import Array, amax, amin, like, log, sq, sqrt, stack
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.scenes.cfl.rate_facts import FACTS, NOT_FALLING


def run_space(shape: Shape) -> dict[str, Box]:
    """Curvature, start, drifts and information loss in each coordinate; fractions of the step limits."""
    d = (shape["d"],)
    return {
        "h": Box(0, 4, d),
        "start": Box(-4, 4, d),
        "client": Box(-2, 2, d),
        "time": Box(0.01, 2, d),
        "lost": Box(-2, 2, d),
        "sigma": Box(0, 2),
        "room": Box(0, 0),
        "eta_g": Box(0.01, 1, scale="log"),
        "eta_l": Box(0.01, 1, scale="log"),
    }


def scene_constants(shape: Shape, values: Named) -> Values:
    """The quantities that the assumptions bound, and their constants with slack; drifts do not grow with the gradient."""
    more = lambda x: x * (1 + values["room"]) + values["room"]  # noqa: E731
    h, none = values["h"], 0 * values["sigma"]
    bounds = {
        "curved_sup": amax(h, -1),
        "curved_inf": amin(h, -1),
        "noisy2": values["sigma"] ** 2,
        "delta2": sq(values["client"]),
        "xi2": sq(values["time"]),
        "lost2": sq(values["lost"]),
    }
    constants = {"L": "curved_sup", "sigma2": "noisy2", "G2": "delta2", "D2": "xi2", "R2": "lost2"}
    found = {name: more(bounds[of]) for name, of in constants.items()}
    found |= {"A2": more(none), "B2": more(none), "mu": bounds["curved_inf"] / (1 + values["room"])}
    return {**bounds, **found, "g2": none, "c_max": 1 + found["A2"] + found["B2"], "H": sq(values["start"])}


def best_weights(D2: Array, R2: Array, rounds: int) -> Array:
    """Weights of Lemma B.4 in rounds 1..T, (batch, T, T), one row for every round."""
    t = like(D2, np.arange(1, rounds + 1)) + 0 * D2[:, None]
    total = t * D2[:, None] + (t - 1) * R2[:, None]
    earlier, current = (
        like(D2, part) for part in (np.tri(rounds, k=-1, dtype=int), np.eye(rounds, dtype=int))
    )
    past, now = D2[:, None] / total, ((t - 1) * R2[:, None] + D2[:, None]) / total
    return past[..., None] * earlier + now[..., None] * current


def rounds_of(shape: Shape, values: Named, weights: Array) -> Rounds:
    """The run with these parameters and weights."""
    h, T = values["h"], shape["T"]
    each = values["lost"][:, None, None] + 0 * weights[..., None]
    return Rounds(
        curvature=h,
        start=values["start"],
        local_lr=values["eta_l"],
        global_lr=values["eta_g"],
        local_steps=shape["K"],
        n_clients=shape["N"],
        weights=weights,
        loss=each.reshape(-1, T, T, h.shape[-1]),
        noise=0 * h + (values["sigma"] ** 2 / shape["d"])[:, None],
    )


def sources(shape: Shape, values: Named) -> list[Source]:
    """One client drift for all rounds, and a time drift for each."""
    T = shape["T"]
    ones, unit = (like(values["h"], part) for part in (np.ones((T, T), dtype=int), np.eye(T, dtype=int)))
    return [Source(ones, values["client"] ** 2), Source(unit, values["time"] ** 2)]


def measured(shape: Shape, values: Named, weights: Array, path: Path) -> Values:
    """Quantities of Eq. (23) in every round, (batch, T)."""
    second = path.mean**2 + path.variance
    before, after = second[..., :-1, :], second[..., 1:, :]
    earlier = like(weights, np.tri(shape["T"], k=-1, dtype=int))
    return {
        "gap": (values["h"][:, None] * before).sum(axis=-1) / 2,
        "dist2_star": before.sum(axis=-1),
        "after2": after.sum(axis=-1),
        "c_pG": values["G2"][:, None] + values["D2"][:, None] * (weights**2).sum(axis=-1),
        "P_past": (weights * earlier).sum(axis=-1),
        "eta": shape["K"] * values["eta_l"] * values["eta_g"],
    }


def means(shape: Shape, values: Named, found: Named, rate: Array) -> Values:
    """Means over the rounds with the weights q_t = (1 - rate)^(1-t), and the remaining influence of the start."""
    constant = lambda name: values[name][:, None]  # noqa: E731
    noise, L, g2, P = constant("sigma2"), constant("L"), constant("eta_g") ** 2, found["P_past"]
    drift = found["c_pG"] + P**2 * constant("R2")
    c_3 = 2 * P * sqrt(constant("R2"))
    q = stack([1 / (1 - rate) ** (t - 1) for t in range(1, shape["T"] + 1)], -1)
    mean = lambda x: (q * x).sum(axis=-1) / q.sum(axis=-1)  # noqa: E731
    return {
        "gap_mean": mean(found["gap"]),
        "c1_mean": mean(2 * drift + noise / (shape["N"] * shape["K"])),
        "c2_mean": mean(L * drift / (3 * g2) + L * noise / (6 * g2 * shape["K"])),
        "c3_mean": mean(c_3),
        "bias_mean": mean(c_3 * sqrt(found["dist2_star"])),
        "forgotten": (1 - rate) * values["H"] / (found["eta"] * q.sum(axis=-1)),
    }


def new_clients(shape: Shape, values: Named) -> Values:
    """Every round has N new clients; weights of Lemma B.4."""
    weights = best_weights(values["D2"], values["R2"], shape["T"])
    path = rounds_of(shape, values, weights).of_new_clients(sources(shape, values))
    return measured(shape, values, weights, path)


def strongly_convex(shape: Shape, values: Named) -> Values:
    """The same with the means of Appendix B.4.4 for strongly convex losses."""
    found = new_clients(shape, values)
    return {**found, **means(shape, values, found, values["mu"] * found["eta"] / 2)}


def convex(shape: Shape, values: Named) -> Values:
    """The same with plain means."""
    found = new_clients(shape, values)
    return {**found, **means(shape, values, found, 0 * found["eta"])}


def same_clients(shape: Shape, values: Named) -> Values:
    """Every round has the same N clients; weights of Lemma B.4."""
    weights = best_weights(values["D2"], values["R2"], shape["T"])
    rounds, drifts = rounds_of(shape, values, weights), sources(shape, values)
    found = measured(shape, values, weights, rounds.of_returning_clients(drifts))
    return {**found, "gap_round": found["gap"] - rounds.along_returning_clients(drifts).sum(axis=-1)}


def same_clients_without_memory(shape: Shape, values: Named) -> Values:
    """FedAvg with the same N clients in every round."""
    T = shape["T"]
    current = like(values["h"], np.eye(T, dtype=int)) + 0 * values["h"][:, :1, None]
    path = rounds_of(shape, values, current).of_returning_clients(sources(shape, values))
    return measured(shape, values, current, path)


def run_sizes(**lists: int) -> Shape:
    """A shape; sizes that are not given are the smallest."""
    return {"N": 1, "K": 1, "T": 1, "d": 1, **lists}


SHORT = (
    run_sizes(),
    run_sizes(T=2),
    run_sizes(T=3, K=2),
    run_sizes(T=3, N=3),
    run_sizes(T=2, d=2),
    run_sizes(T=5),
)
LONG = (*SHORT, run_sizes(T=10), run_sizes(T=56))


_QUADRATICS = (Hypothesis.QUADRATIC, Hypothesis.SHARED_HESSIAN, Hypothesis.CONSTANT_DRIFT)
_NEW = (*_QUADRATICS, Hypothesis.NEW_CLIENTS)


def _runs(
    name: str, compute: Any, shapes: tuple[Shape, ...] = SHORT, restricts: tuple[Hypothesis, ...] = _NEW
) -> Scene:
    return Scene(
        name=name,
        restricts=restricts,
        shapes=shapes,
        space=run_space,
        room="room",
        compute=compute,
        known=scene_constants,
        steps=("eta_g", "eta_l"),
        free_step=lambda step, shape, values: 4,
    )


RUN = _runs("rounds of CFL with new clients", new_clients)
STRONG = _runs("runs of CFL with new clients", strongly_convex)
CONVEX = _runs("runs of CFL with new clients, convex", convex)
LONG_STRONG = _runs("long runs of CFL with new clients", strongly_convex, LONG)
LONG_CONVEX = _runs("long runs of CFL with new clients, convex", convex, LONG)
RETURN = _runs("rounds of CFL with the same clients", same_clients, restricts=_QUADRATICS)
FED_RETURN = _runs(
    "rounds of FedAvg with the same clients", same_clients_without_memory, restricts=_QUADRATICS
)


def averaged(shape: Shape, values: Named) -> Values:
    """Means over the rounds of the minimum value of Lemma B.4, with weights q_t and with equal weights."""
    D2, R2, T = values["D2"], values["R2"], shape["T"]
    rounds = range(1, T + 1)
    q = [1 / (1 - values["rate"]) ** (t - 1) for t in rounds]
    mean = lambda parts: sum(w * x for w, x in zip(q, parts, strict=True)) / sum(q)  # noqa: E731
    total = [t * D2 + (t - 1) * R2 for t in rounds]
    return {
        "rise": stack([b - a for a, b in pairwise(q)] or [0 * D2], 1),
        "past_mean": mean([(t - 1) * D2 / s for t, s in zip(rounds, total, strict=True)]),
        "noise_mean": mean(
            [values["G2"] + D2 * (D2 + (t - 1) * R2) / s for t, s in zip(rounds, total, strict=True)]
        ),
        "harmonic_loss": sum((R2 + D2) / s for s in total) / T,
        "harmonic_before": sum((1 / t for t in ((0 * D2 + t) for t in rounds[:-1])), 0 * D2),
        "log_T": log(0 * D2 + T),
    }


AVERAGES = Scene(
    name="means over rounds",
    shapes=tuple({"T": T} for T in (1, 2, 3, 10)),
    space=lambda shape: {"D2": Box(0.01, 4), "R2": Box(0, 4), "G2": Box(0, 4), "rate": Box(0, 0.5)},
    compute=Proved(averaged, FACTS, (NOT_FALLING,)),
)
