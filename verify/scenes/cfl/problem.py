"""Scenes of CFL, Section 3: losses of clients and rounds, the choice of clients, steps of the server, drifts at a model."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from nqm.fields import Array, abs_, amax, dot, sq, stack
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.scenes.cfl.drifts import signs
from verify.scenes.cfl.problem_facts import (
    BENT,
    EQUAL_LOSSES,
    OF_ALGORITHMS,
    OF_LOSSES,
    OF_RANDOM_CLIENTS,
    OF_RETURNING,
    OF_SERVER,
)
from verify.scenes.cfl.uncorrelated_sums import UNCORRELATED


def clients_of_rounds(shape: Shape) -> list[list[int]]:
    """Clients of every round: S neighbours, which move on by `shift` clients from round to round."""
    return [[(r * shape["shift"] + j) % shape["N"] for j in range(shape["S"])] for r in range(shape["T"])]


def loss_of_eq2(weights: Array, losses: Array, sets: Sequence[Sequence[int]]) -> Array:
    """sum_t sum_(i in S_t) p_ti f_ti of (batch, T, N) weights and losses."""
    return sum(weights[:, r, i] * losses[:, r, i] for r, clients in enumerate(sets) for i in clients)


def objectives(shape: Shape, values: Named) -> Values:
    """Eq. (1) to (3) at a point: losses f and weights p, (batch, T, N)."""
    p, f, sets = values["weights"], values["losses"], clients_of_rounds(shape)
    return {
        "eq2_loss": loss_of_eq2(p, f, sets),
        "eq3_loss": loss_of_eq2(p, f, [sets[-1]] * shape["T"]),
        "eq2_whole": loss_of_eq2(p[:, :1], f[:, :1], [range(shape["N"])]),
        "eq1_loss": dot(p[:, 0], f[:, 0]),
        "sets_differ": 0 * p[:, 0, 0] + int(any(set(s) != set(sets[-1]) for s in sets)),
        "mean_loss": f.sum(axis=(1, 2)) / (shape["T"] * shape["N"]),
    }


def _losses(shape: Shape) -> dict[str, Box]:
    return {name: Box(low, 4, (shape["T"], shape["N"])) for name, low in (("losses", -4), ("weights", 0))}


OBJECTIVES = Scene(
    name="losses of Section 3",
    shapes=tuple(
        {"T": T, "N": N, "S": S, "shift": shift}
        for T, N, S, shift in (
            (1, 1, 1, 0),
            (1, 2, 2, 0),
            (2, 2, 1, 0),
            (2, 2, 1, 1),
            (3, 3, 2, 0),
            (3, 3, 2, 1),
        )
    ),
    space=_losses,
    compute=Proved(objectives, OF_LOSSES),
)
SAME_CLIENTS = OBJECTIVES.variant(
    "losses of Section 3, the same clients in every round",
    shapes=tuple(shape for shape in OBJECTIVES.shapes if not shape["shift"]),
)
UNWEIGHTED = Scene(
    name="losses of Section 3 with the weights 1",
    shapes=tuple({"T": T, "N": N, "S": N, "shift": 0} for T, N in ((1, 1), (2, 1), (1, 2), (3, 2))),
    space=lambda shape: {"losses": _losses(shape)["losses"]},
    compute=Proved(
        lambda shape, values: objectives(shape, {**values, "weights": 1 + 0 * values["losses"]}),
        (EQUAL_LOSSES,),
    ),
)


def sampled(shape: Shape, values: Named) -> Values:
    """S of N clients at random: gradients (batch, N), weights of Eq. (1) that sum to one."""
    gradients, N = values["gradients"], shape["N"]
    share = 0 * gradients + (0 * gradients[:, :1] + 1) / N
    if not shape["uniform"]:
        share = (1 + values["raw"]) / (1 + values["raw"]).sum(axis=1)[:, None]
    sets = list(combinations(range(N), shape["S"]))
    whole = dot(share, gradients)
    return {
        "client_share": share,
        "mean_pull": sum(sum(gradients[:, i] for i in s) for s in sets) / (len(sets) * shape["S"]),
        "whole_pull": whole,
        "mean_drift": (whole[:, None] - gradients).sum(axis=1) / N,
    }


SAMPLED = Scene(
    name="clients at random",
    shapes=tuple(
        {"N": N, "S": S, "uniform": uniform}
        for uniform in (0, 1)
        for N, S in ((1, 1), (2, 1), (3, 2), (4, 2))
    ),
    space=lambda shape: {"gradients": Box(-2, 2, (shape["N"],)), "raw": Box(0, 3, (shape["N"],))},
    compute=Proved(sampled, OF_RANDOM_CLIENTS),
)
UNIFORM = SAMPLED.variant(
    "clients at random with equal weights",
    shapes=tuple(shape for shape in SAMPLED.shapes if shape["uniform"]),
)


def server_steps(shape: Shape, values: Named) -> Values:
    """One exact round of one client on a quadratic with minimiser 0, with either sign of the server step."""
    model, h = values["model"], values["h"]
    update = values["eta_g"] * ((1 - values["eta_l"] * h) ** shape["K"] - 1) * model
    loss = lambda x: h * x**2 / 2  # noqa: E731
    return {
        "L": h * (1 + values["room"]),
        "step_minus": model - update,
        "step_plus": model + update,
        "loss_before": loss(model),
        "loss_minus": loss(model - update),
        "loss_plus": loss(model + update),
    }


SERVER = Scene(
    name="a round of one client",
    shapes=tuple({"K": K} for K in range(1, 6)),
    space=lambda shape: {
        "model": Box(-2, 2),
        "h": Box(0.1, 4, scale="log"),
        "room": Box(0, 0),
        "eta_g": Box(0.01, 1, scale="log"),
        "eta_l": Box(0.01, 1, scale="log"),
    },
    room="room",
    known=lambda shape, values: {"L": values["h"] * (1 + values["room"])},
    compute=Proved(server_steps, (OF_SERVER,), (BENT,)),
    steps=("eta_g", "eta_l"),
)


def of_algorithms(shape: Shape, values: Named) -> Values:
    """Eq. (3) with quadratic losses (batch, S, t), those of past rounds approximated by other quadratics."""
    x, p = values["model"], values["weights"]
    loss = lambda kind, y: values[f"h_{kind}"] / 2 * (y[:, None, None] - values[f"c_{kind}"]) ** 2  # noqa: E731
    slope = lambda kind: values[f"h_{kind}"] * (x[:, None, None] - values[f"c_{kind}"])  # noqa: E731
    mixed = lambda true, near: p[..., -1] * true[..., -1] + (p * near)[..., :-1].sum(axis=-1)  # noqa: E731
    part = lambda y: mixed(loss("true", y), loss("near", y))  # noqa: E731 - Eq. (3), one client
    slope3 = (part(x + 1) - part(x - 1)) / 2  # exact for a quadratic
    line6 = mixed(slope("true"), slope("near"))
    after = x[:, None] - values["eta_l"][:, None] * line6
    lost = slope("true") - slope("near")
    recursive = [p[..., 0] * slope("true")[..., 0]]
    for r in range(1, shape["t"]):
        recursive.append(p[..., r] * slope("true")[..., r] + sum(p[..., q] * recursive[q] for q in range(r)))
    return {
        "line6": line6,
        "slope3": slope3,
        "slope3_all": slope3.sum(axis=1),
        "moved_alg1": values["eta_g"] / shape["S"] * (after - x[:, None]).sum(axis=1),
        "bar_approx": line6,
        "bar_recursive": recursive[-1],
        "kept_gap": (p * slope("true")).sum(axis=-1) - line6,
        "lost_sum": (p * lost)[..., :-1].sum(axis=-1) + 0 * x[:, None],
        "lost2": lost**2,
        "R2": amax(lost**2, (1, 2)) * (1 + values["room"]),
        "lost_mean": abs_(lost).sum(axis=(1, 2)) / (shape["t"] * shape["S"]),
    }


ALGORITHMS = Scene(
    name="one local step of Algorithm 1",
    shapes=tuple({"K": 1, "S": S, "t": t} for S, t in ((1, 1), (1, 2), (2, 2), (2, 3))),
    space=lambda shape: {
        "model": Box(-2, 2),
        **{
            name: Box(low, 2, (shape["S"], shape["t"]))
            for name, low in (("weights", 0), ("h_true", 0), ("h_near", 0), ("c_true", -2), ("c_near", -2))
        },
        "eta_l": Box(0.01, 1),
        "eta_g": Box(0.01, 1),
        "room": Box(0, 0),
    },
    room="room",
    compute=Proved(of_algorithms, OF_ALGORITHMS),
)


def at_a_model(shape: Shape, values: Named) -> Values:
    """One dimension: the global loss h (x - c)^2 / 2, drifts that do not depend on x, noise."""
    away, drift = values["model"] - values["centre"], values["client"] + values["time"]
    true = values["h"] * away
    local = true - drift
    return {
        "value_f": values["h"] * away**2 / 2,
        "value_grad": true,
        "value_drifted": local + drift,
        "drift_eq5": true - local,
        "drift_proof": local - true,
        "noise_sgd": -values["noise"],
        "noise_ass": values["noise"],
        "optimum_gap": abs_(drift) / values["h"],
        "g2": true**2,
        "delta2": values["client"] ** 2,
        "xi2": values["time"] ** 2,
    }


MODEL = Scene(
    name="a model in one dimension",
    shapes=({},),
    space=lambda shape: {
        **{name: Box(-2, 2) for name in ("model", "centre", "client", "time", "noise")},
        "h": Box(0.1, 4, scale="log"),
        **{name: Box(0, 4) for name in ("G2", "D2", "A2", "B2")},
    },
    compute=at_a_model,
    covers="equal as polynomials; every coordinate is alike",
)


def returning(shape: Shape, values: Named) -> Values:
    """A client of curvature h takes one step in two rounds; its client drift is the same, its time drift is new."""
    outcomes = signs(3, values["h"])
    client, first, second = (outcomes[None, :, n, None] for n in range(3))
    each = lambda name: values[name][:, None]  # noqa: E731
    h = values["h"][:, None, None]
    delta, step = client * each("client"), values["eta"][:, None, None]
    model = each("start") - step * (h * each("start") + delta + first * each("time"))
    gradient = h * model
    mean = lambda x: x.sum(axis=1) / len(outcomes)  # noqa: E731
    square = mean(sq(gradient))
    more = 1 + values["room"]
    return {
        "stale": mean(dot(gradient, delta)),
        "again2": mean(sq(gradient + delta + second * each("time"))),
        "g2_again": square,
        "g2": square,
        "delta2": sq(values["client"]),
        "xi2": sq(values["time"]),
        "G2": sq(values["client"]) * more + values["room"],
        "D2": sq(values["time"]) * more + values["room"],
        "A2": values["room"],
        "B2": values["room"],
        "curvature": values["h"],
    }


def _crossings(shape: Shape, values: Named) -> Values:
    """Expected inner products of the start, the client drift, and both time drifts."""
    outcomes = signs(3, values["h"])[None, :, :, None]
    drawn = [outcomes[:, :, k] * values[name][:, None] for k, name in enumerate(("client", "time", "time"))]
    drawn.append(values["start"][:, None] + 0 * drawn[0])
    products = [dot(x, y).sum(axis=1) / outcomes.shape[1] for x, y in combinations(drawn, 2)]
    return {"crossed_each": stack(products, -1)}


RETURNING = Scene(
    name="a client that comes again",
    shapes=({"d": 1}, {"d": 2}),
    space=lambda shape: {
        **{name: Box(-2, 2, (shape["d"],)) for name in ("start", "client", "time")},
        "h": Box(-2, 2),
        "eta": Box(0.01, 1, scale="log"),
        "room": Box(0, 0),
    },
    room="room",
    compute=Proved(returning, (OF_RETURNING,), (UNCORRELATED,), _crossings),
)
STEP = Scene(
    name="step size of Theorem 4.1",
    shapes=({"K": 1}, {"K": 3}),
    space=lambda shape: {
        "share": Box(0, 1),
        "c_theorem": Box(1, 100, scale="log"),
        "L": Box(0.01, 100, scale="log"),
        "eta_l": Box(0.01, 1, scale="log"),
    },
    known=lambda shape, values: {"c_client": 1 + values["share"] * (values["c_theorem"] - 1)},
    steps=("eta_l",),
)
