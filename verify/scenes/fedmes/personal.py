"""Rounds of FedMeS and of Ditto against the optimum of (2), gradients and objectives at any model, and the strength (7)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from algorithms.algorithm import Algorithm, State
from algorithms.ditto import ditto
from algorithms.fedmes import fedmes, fixed_strength
from algorithms.memory import first_in_first_out
from algorithms.simulate import local_path
from nqm.fields import Array, amax, amin, broadcast_to, exp, norm, sq, stack
from nqm.finite_sum import FiniteSum
from nqm.quadratic import DiagonalQuadratic
from verify.engine.scene import Box, Scene, Shape, Values
from verify.scenes.parameters import column

Named = Mapping[str, Any]
Method = Callable[[Named, int], Algorithm]
"""(step sizes, number of clients) -> the algorithm."""
CURVATURE = (0.05, 4.0)


def world_of(values: Named) -> FiniteSum:
    """Clients with one quadratic sample each, h and c (batch, n, d)."""
    return FiniteSum(DiagonalQuadratic(values["h"][:, None], values["c_k"][:, None]), values["h"].shape[1])


def memoryless(values: Named, n_clients: int) -> Algorithm:
    """FedMeS with an empty memory, at the step sizes of a batch of instances."""
    eta_1, lam = (column(values[name], 1) for name in ("eta_1", "lam"))
    return fedmes(eta_1, eta_1, n_clients, 0, first_in_first_out(1), fixed_strength(lam))


def as_ditto(values: Named, n_clients: int) -> Algorithm:
    """Ditto with the same step for both models."""
    eta_1, lam = (column(values[name], 1) for name in ("eta_1", "lam"))
    return ditto(eta_1, eta_1, lam, n_clients)


def play(world: FiniteSum, method: Algorithm, state: State, E: int) -> tuple[State, Array]:
    """State after a round of all clients, and the models at which they took gradients, (batch, E, n, d)."""
    everyone = np.arange(world.n_clients)[None]
    u = np.zeros((1, world.n_clients, E, 1), dtype=int)
    path = list(local_path(world, method, state, 0, everyone, u))
    start = state["theta"][:, :, None] + 0 * path[0]["x"]
    visited = stack([start, *(local["x"] for local in path[:-1])], axis=2)[:, 0]
    return method.aggregate(state, path[-1], everyone), visited


def began(method: Algorithm, start: Array) -> State:
    """State at the start of the task, from models (batch, d)."""
    return method.begin_task(method.init(start[:, None]), 0)


def optimum(values: Named) -> Array:
    """Minimiser of the mean loss, (batch, d)."""
    return (values["h"] * values["c_k"]).sum(axis=1) / values["h"].sum(axis=1)


def regularised_optimum(values: Named, centre: Array) -> Array:
    """Minimisers of (2) around `centre` (batch, d), for all clients: (batch, n, d)."""
    lam = column(values["lam"], 2)
    return (values["h"] * values["c_k"] + lam * centre[:, None]) / (values["h"] + lam)


def smoothness(shape: Shape, values: Named) -> Values:
    """Smallest and largest curvature of all clients."""
    more = 1 + values["room"]
    return {"L": amax(values["h"], (1, 2)) * more, "c": amin(values["h"], (1, 2)) / more}


def _space(shape: Shape) -> dict[str, Box]:
    n, d = shape["n"], shape["d"]
    return {
        "h": Box(*CURVATURE, (n, d), scale="log"),
        "c_k": Box(-2, 2, (n, d)),
        "start": Box(-2, 2, (d,)),
        "lam": Box(0, 2),
        "eta_1": Box(0.02, 0.95, scale="log"),
        "room": Box(0, 0),
    }


def _contracting(name: str, shape: Shape, values: Named) -> Array:
    """The largest step at which no step on (2) overshoots."""
    return 1 / (values["L"] + values["lam"])


# ------------------------------------------------------------------------------------------------- one round


def one_round(shape: Shape, values: Named) -> Values:
    """A round of Algorithm 1 from any model."""
    world = world_of(values)
    method = memoryless(values, shape["n"])
    state, _ = play(world, method, began(method, values["start"]), shape["E"])
    gradient = values["h"] * (values["start"][:, None] - values["c_k"])
    return {
        "wg": values["start"],
        "wg_next": state["theta"][:, 0],
        "wg_mean": state["personal"][:, 0].sum(axis=1) / shape["n"],
        "grad_mean": gradient.sum(axis=1) / shape["n"],
    }


def _sizes(*sizes: tuple[int, int, int]) -> tuple[Shape, ...]:
    return tuple({"n": n, "E": E, "d": d} for n, E, d in sizes)


ROUND = Scene(
    name="a round of Algorithm 1",
    shapes=_sizes((1, 1, 1), (2, 1, 1), (2, 1, 2), (1, 2, 1), (2, 2, 1)),
    space=_space,
    room="room",
    compute=one_round,
    covers="equal as polynomials for one and two clients and local steps; every coordinate and every client is alike",
)


def each_client(shape: Shape, values: Named) -> Values:
    """The same round, client by client."""
    method = memoryless(values, shape["n"])
    state, _ = play(world_of(values), method, began(method, values["start"]), shape["E"])
    return {
        "wg": broadcast_to(values["start"][:, None], values["h"].shape),
        "personal": state["personal"][:, 0],
        "grad_k": values["h"] * (values["start"][:, None] - values["c_k"]),
    }


EACH = Scene(
    name="personal models of a round of Algorithm 1",
    shapes=ROUND.shapes[:3],
    space=_space,
    room="room",
    compute=each_client,
    covers=ROUND.covers,
)


def from_optimum(shape: Shape, values: Named) -> Values:
    """A round that starts at the optimum of the mean loss."""
    best, method = optimum(values), memoryless(values, shape["n"])
    state, _ = play(world_of(values), method, began(method, best), shape["E"])
    return {"off2": sq(best - best), "off2_next": sq(state["theta"][:, 0] - best)}


AT_OPTIMUM = Scene(
    name="a round of Algorithm 1 from the global optimum",
    shapes=_sizes((1, 1, 1), (2, 1, 1), (2, 2, 1), (2, 2, 2)),
    space=_space,
    room="room",
    known=smoothness,
    compute=from_optimum,
    steps=("eta_1",),
)


def errors(make: Method, shape: Shape, values: Named) -> Values:
    """A round from the global model 0, which may stand anywhere, and any personal models `own` (batch, n, d)."""
    world, best, start = world_of(values), optimum(values), 0 * values["own"][:, 0]
    personal_best, centre = regularised_optimum(values, best), regularised_optimum(values, start)
    method = make(values, shape["n"])
    state = {**began(method, start), "personal": values["own"][:, None]}
    end, visited = play(world, method, state, shape["E"])
    found = end["personal"][:, 0]
    gradient = values["h"][:, None] * (visited - values["c_k"][:, None])
    gradient2 = sq(gradient)
    return {
        "gradient2": gradient2,
        "sigma2": amax(gradient2, (1, 2)) * (1 + values["room"]),
        "to_own2": sq(visited - values["c_k"][:, None]),
        "error": norm(found - personal_best),
        "error_before": norm(values["own"] - personal_best),
        "from_centre": norm(start[:, None] - centre),
        "end_from_centre": norm(found - centre),
        "centre_moved": norm(centre - personal_best),
        "off": column(norm(start - best), 1),
    }


def _errors_of(method: Method, name: str) -> Scene:
    return Scene(
        name=name,
        shapes=_sizes((1, 1, 1), (2, 1, 1), (2, 2, 1), (2, 3, 1), (2, 2, 2)),
        space=lambda shape: {**_space(shape), "own": Box(-2, 2, (shape["n"], shape["d"]))},
        room="room",
        known=smoothness,
        compute=partial(errors, method),
        steps=("eta_1",),
        free_step=_contracting,
    )


FEDMES_ROUND = _errors_of(memoryless, "distance to the personal optimum after a round of FedMeS")
DITTO_ROUND = _errors_of(as_ditto, "distance to the personal optimum after a round of Ditto")


# --------------------------------------------------------------------------------------- rounds at the optimum


def mirrored(make: Method, shape: Shape, values: Named) -> Values:
    """r rounds of two clients whose optima are opposite, from the global optimum, which the global model never leaves."""
    h = stack([values["h_both"]] * 2, axis=1)
    centres = {"h": h, "c_k": stack([values["aside"], -values["aside"]], axis=1)}
    here = {**values, **centres}
    best = 0 * values["aside"]
    method = make(here, 2)
    state, gradients, distances = began(method, best), [], []
    for _ in range(shape["r"]):
        state, visited = play(world_of(here), method, state, shape["E"])
        gradients.append(amax(sq(h[:, None] * (visited - centres["c_k"][:, None])), (1, 2)))
        distances.append(sq(state["theta"][:, 0] - best))
    most = amax(stack(gradients, axis=1), 1)
    off2 = amax(stack(distances, axis=1), 1)
    return {
        "gradient2": most,
        "sigma2": most * (1 + values["room"]),
        "off2": off2,
        "g_r": off2,
        "error2": sq(state["personal"][:, 0] - regularised_optimum(here, best)),
    }


def _mirrored_of(method: Method, name: str) -> Scene:
    return Scene(
        name=name,
        shapes=tuple({"r": r, "E": E, "d": 1} for r, E in ((1, 1), (1, 2), (2, 1), (3, 2))),
        space=lambda shape: {
            "h_both": Box(*CURVATURE, (shape["d"],), scale="log"),
            "aside": Box(-2, 2, (shape["d"],)),
            "lam": Box(0, 2),
            "eta_1": Box(0.02, 0.95, scale="log"),
            "C": Box(0.01, 1000, scale="log"),
            "room": Box(0, 0),
        },
        room="room",
        known=lambda shape, values: {
            "L": amax(values["h_both"], -1) * (1 + values["room"]),
            "c": amin(values["h_both"], -1) / (1 + values["room"]),
        },
        compute=partial(mirrored, method),
        steps=("eta_1",),
        free_step=_contracting,
    )


MIRRORED = _mirrored_of(memoryless, "FedMeS from a global optimum between two opposite clients")
MIRRORED_DITTO = _mirrored_of(as_ditto, "Ditto from a global optimum between two opposite clients")


# ------------------------------------------------------------------------------------------- gradients, objectives


def anywhere(shape: Shape, values: Named) -> Values:
    """Two clients' gradients at any model."""
    gradient = values["h"] * (values["start"][:, None] - values["c_k"])
    apart, norms = norm(values["start"][:, None] - values["c_k"]), norm(gradient)
    return {
        **smoothness(shape, values),
        "gradient2": sq(gradient),
        "norm_one": norms[:, 0],
        "norm_other": norms[:, 1],
        "sigma": amax(norms, 1) * (1 + values["room"]),
        "to_one": apart[:, 0],
        "to_other": apart[:, 1],
        "optima_apart": norm(values["c_k"][:, 0] - values["c_k"][:, 1]),
    }


ANYWHERE = Scene(
    name="gradients of two clients",
    shapes=({"n": 2, "d": 1}, {"n": 2, "d": 2}),
    space=lambda shape: {**_space(shape), "sigma2": Box(0.1, 10, scale="log")},
    room="room",
    compute=anywhere,
)


def objective(shape: Shape, values: Named) -> Values:
    """(2) at any model, and where its gradient is zero; curvature `convex` plus `more`, any real lambda."""
    curve = values["convex"][:, None] + values["more"]
    lam, centre, x = values["lam"][:, None], values["centre"], values["x"]
    there = (curve * values["c_k"] + lam * centre) / (curve + lam)
    height = lambda at: (curve * (at - values["c_k"]) ** 2 + lam * (at - centre) ** 2).sum(axis=-1) / 2  # noqa: E731
    way = (x - there) ** 2
    return {
        "c": values["convex"],
        "G_at": height(x),
        "G_there": height(there),
        "far2": way.sum(axis=-1),
        "beyond": (values["more"] * way).sum(axis=-1),
    }


OBJECTIVE = Scene(
    name="objective (2) of a client",
    shapes=({"d": 1}, {"d": 2}),
    space=lambda shape: {
        "convex": Box(0.05, 2, scale="log"),
        "more": Box(0, 1.5, (shape["d"],)),
        **{name: Box(-2, 2, (shape["d"],)) for name in ("c_k", "centre", "x")},
        "lam": Box(-4, 4),
    },
    compute=objective,
    covers="equal as rational functions; every coordinate is alike",
)


def strengths(shape: Shape, values: Named) -> Values:
    """(7) at a loss and at a larger one."""
    larger = values["loss"] * (1 + values["excess"])
    decayed, decayed_larger = (exp(-1 / x) for x in (values["loss"], larger))
    return {
        "loss_larger": larger,
        "decayed": decayed,
        "decayed_larger": decayed_larger,
        "strength": 2 / (1 + decayed),
        "strength_larger": 2 / (1 + decayed_larger),
    }


STRENGTH = Scene(
    name="strength of the pull",
    shapes=({"d": 1},),
    space=lambda shape: {"loss": Box(0.05, 1000, scale="log"), "excess": Box(0, 10)},
    compute=strengths,
)
