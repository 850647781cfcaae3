"""CFL: one round with one local step, as a global gradient step plus drifts, noise and information losses."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations, product
from typing import Any

from bounds.cfl.convex import (
    LOST,
    SIZE,
    P_i,
    R,
    after2,
    c_pB,
    c_pG,
    dist,
    dist2,
    drift_mean2,
    g2_start,
    gap,
    left,
    left2,
    lost_left,
    noisy2,
    over_clients,
)
from bounds.cfl.convex import i as client
from bounds.cfl.correlated import delta2, lost2, p, xi2
from bounds.cfl.symbols import A2, B2, D2, G2, R2, L, N, eta, g2, mu, sigma2
from bounds.hypotheses import Hypothesis
from bounds.relations import eq, ge, le
from nqm.fields import Array, norm, sq, stack
from verify import facts
from verify.engine.scene import Box, Fact, Scene, Shape, Values
from verify.facts import at_optimum
from verify.scenes.cfl.drifts import signs
from verify.scenes.cfl.round_quantities import Met, mean, of_first_step
from verify.scenes.cfl.start_facts import GROWN
from verify.scenes.cfl.terms import ABOVE_BOWL, COERCIVE, CURVED, SMOOTH, lifts, turns

Named = Mapping[str, Any]

PUT_TOGETHER = le(
    after2, left2 + 2 * eta * lost_left + 2 * eta**2 * (LOST + drift_mean2) + eta**2 * sigma2 / N
)
AVERAGED = le(drift_mean2, (c_pG + (c_pB - 1) * g2_start) / N)
FALLING = le(left2, (1 - mu * eta) * dist2 - 2 * eta * gap + eta**2 * g2_start)
NEARER = le(left2, dist2 - eta * (2 / L - eta) * g2_start)
PASTS = ge(over_clients(P_i[client]), 0)
LENGTHS = (eq(dist2, dist**2), eq(left2, left**2))
BELOW = at_optimum(dist2, gap, g2_start, None, None)[1]
"""|grad f|^2 <= 2 L (f - f*)."""
LOST_LEFT = facts.along(lost_left, over_clients(P_i[client]) * R * left / N, le(lost2, R2))
SINGLE_STEP = (
    le(2 * L * SIZE * (1 + 2 * (c_pB - 1) / N), 1),
    le(2 * L * SIZE, 1),
    le(left2, dist2),
    le(left, dist),
    le(over_clients(P_i[client]) * R * left, over_clients(P_i[client]) * R * dist),
    le(SIZE * (1 + 2 * (c_pB - 1) / N) * g2_start, gap),
)

_ASSUMED = {
    "weight": ("past", ge(p, 0)),
    "room_lost": ("left_lost", le(lost2, R2)),
    "room_noise": ("left_noise", le(noisy2, sigma2)),
}
_DRIFTS = {
    "room_client": ("left_client", le(delta2, G2 + B2 * g2)),
    "room_time": ("left_time", le(xi2, D2 + A2 * g2)),
}
_LOSS = {"room_convex": ("left_convex", CURVED, ABOVE_BOWL), "room_turn": ("left_turn", SMOOTH, COERCIVE)}


def _start(met: Array, true: Array, missed: Array, slope: Array) -> Met:
    """The start of a round from a model, (1, 1, run, N, 1) each."""
    ones, none = 1 + 0 * met[:, 0, 0], 0 * met
    return Met(
        met[..., 0, :], met[..., 0, :], [met], ones, [[true]], [none[..., 0]], [slope], [missed], [], []
    )


# ---------------------------------------------------------------------------------- drifts, losses and noise


def _stepped(shape: Shape, values: Named) -> Values:
    """Drifts of either sign, information losses that depend on this sign, and independent noise of each client."""
    N, past = shape["N"], shape["t"] - 1
    drawn = signs(1 + N, values["start"])[None, None]  # (1, 1, run, 1 + N)
    sign, each = drawn[..., :1], drawn[..., 1:]
    wide = lambda x: x[:, None, None]  # noqa: E731
    none = 0 * sign * wide(values["drift"])
    start, slope = (wide(values[name])[..., None] + none for name in ("start", "slope"))
    true = slope + sign * wide(values["drift"])
    first, second = ((wide(values["past"] * values["lost"][:, n])).sum(axis=-1) for n in (0, 1))
    missed = (first * (1 + sign) + second * (1 - sign)) / 2 + none
    size = values["eta"][:, None, None, None]
    after = start[..., 0] - size[..., 0] * (true - missed + each * wide(values["noise"])).sum(axis=-1) / N
    weight, room = values["weight"], values["room_lost"].sum(axis=1) / 2
    left_each = (weight.sum(axis=-1) * (weight * room).sum(axis=-1)).sum(axis=-1)
    lost = [wide(values["lost"][:, n]) for n in (0, 1)]
    for a, b in combinations(range(past), 2):
        apart = sum((x[..., a] - x[..., b]) ** 2 for x in lost)[:, 0, 0] / 2
        left_each = left_each + (weight[..., a] * weight[..., b] * apart).sum(axis=-1)
    pairs = sum(
        (mean((missed[..., a] - missed[..., b]) ** 2) for a, b in combinations(range(N), 2)),
        0 * values["eta"],
    )
    drift = (true - slope).sum(axis=-1) / N
    together = mean((missed.sum(axis=-1) / N + drift) ** 2)
    eta_ = values["eta"]
    return {
        "after2": mean(after**2),
        "P_i": values["past"].sum(axis=-1).T,
        "p": stack([*(values["past"][..., n] for n in range(past)), 1 - values["past"].sum(axis=-1)], -1),
        **{"lost2": values["lost"] ** 2, "noisy2": values["noise"] ** 2},
        **of_first_step(_start(*(x[..., None] for x in (start, true, missed, slope))), eta_),
        "left_lost": values["R2"][0] - values["lost"] ** 2,
        "left_noise": values["sigma2"][0] - values["noise"] ** 2,
        "slack_together": eta_**2
        * (together + 2 * (left_each / N + pairs / N**2) + values["room_noise"].sum(axis=-1) / N**2),
        "slack_past": weight.sum(axis=(1, 2)),
    }


_STEPPED = Scene(
    name="one local step with any gradients",
    shapes=tuple({"N": N, "t": t} for N, t in (*product((1, 2), repeat=2), (1, 3))),
    space=lambda shape: {
        **dict.fromkeys(("eta", "sigma2", "R2"), Box(0.1, 1)),
        **dict.fromkeys(("start", "slope"), Box(-1, 1)),
        **dict.fromkeys(("drift", "noise"), Box(-1, 1, (shape["N"],))),
        "room_noise": Box(0.1, 1, (shape["N"],)),
        "past": Box(-1, 1, (shape["N"], shape["t"] - 1)),
        "weight": Box(0.1, 1, (shape["N"], shape["t"] - 1)),
        "lost": Box(-1, 1, (2, shape["N"], shape["t"] - 1)),
        "room_lost": Box(0.1, 1, (2, shape["N"], shape["t"] - 1)),
    },
    compute=_stepped,
    covers="an identity between arbitrary gradients, drifts of either sign, information losses that depend on them, and noises of either sign "
    "of each client; clients and past rounds add alike, in every coordinate",
)


# ---------------------------------------------------------------------------------- drifts of the clients


def _drifting(shape: Shape, values: Named) -> Values:
    """Client and time drifts of either sign, independently."""
    N, t = shape["N"], shape["t"]
    drawn = signs(N * (1 + t), values["slope"]).reshape(1, 1, -1, N, 1 + t)
    weights = stack([*(values["past"][..., n] for n in range(t - 1)), 1 - values["past"].sum(axis=-1)], -1)
    sizes = stack([values["client"], *((weights * values["time"])[..., n] for n in range(t))], -1)
    slope = values["slope"][:, None, None, None] + 0 * drawn[..., 0] * sizes[:, None, None, ..., 0]
    true = slope + (drawn * sizes[:, None, None]).sum(axis=-1)
    square, g2_ = (weights**2).sum(axis=-1), values["slope"] ** 2
    over = lambda level, growth: level + growth * square.sum(axis=-1) / N  # noqa: E731
    room = values["room_client"] + (weights**2 * values["room_time"]).sum(axis=-1)
    met = _start(*(x[..., None] for x in (0 * slope, true, 0 * slope, slope)))
    return {
        **of_first_step(met, values["slope"]),
        **dict.fromkeys(("g2", "g2_start"), g2_),
        **{"delta2": values["client"] ** 2, "xi2": values["time"] ** 2},
        "c_pB": over(1 + values["B2"], values["A2"]),
        "c_pG": over(values["G2"], values["D2"]),
        "left_client": (values["G2"] + values["B2"] * g2_)[:, None] - values["client"] ** 2,
        "left_time": (values["D2"] + values["A2"] * g2_)[:, None, None] - values["time"] ** 2,
        "slack_averaged": room.sum(axis=-1) / N**2,
        "slack_grown": over(values["B2"], values["A2"]),
    }


_DRIFTING = Scene(
    name="the start of a round with any independent drifts",
    restricts=(Hypothesis.NEW_CLIENTS,),
    shapes=tuple({"N": N, "t": t} for N, t in product((1, 2), repeat=2)),
    space=lambda shape: {
        **dict.fromkeys(("A2", "B2", "D2", "G2"), Box(0.1, 1)),
        **{"slope": Box(-1, 1), "client": Box(-1, 1, (shape["N"],))},
        "time": Box(-1, 1, (shape["N"], shape["t"])),
        "past": Box(-1, 1, (shape["N"], shape["t"] - 1)),
        "room_client": Box(0.1, 1, (shape["N"],)),
        "room_time": Box(0.1, 1, (shape["N"], shape["t"])),
    },
    compute=_drifting,
    covers="an identity between arbitrary drifts of 1 and 2 clients and rounds, each of either sign by itself, under weights that sum to one; "
    "clients and rounds add alike, in every coordinate",
)


# ---------------------------------------------------------------------------------- the global loss


def _descended(shape: Shape, values: Named) -> Values:
    """A model and the gradient of a convex loss at it; the minimiser is the origin."""
    x, slope, size = values["start"], values["slope"], values["eta"]
    away = x - size[:, None] * slope
    inner, square = (x * slope).sum(axis=-1), sq(slope)
    return {
        "left2": sq(away),
        "left": norm(away),
        "dist2_star": sq(x),
        "dist_star": norm(x),
        "g2_start": square,
        **turns((slope, x)),
        **lifts((inner - values["gap"], sq(x))),
        "left_convex": inner - values["gap"] - values["mu"] / 2 * sq(x),
        "left_turn": inner - square / values["L"],
        "slack_falling": 2 * size * values["room_convex"],
        "slack_nearer": 2 * size * values["room_turn"],
    }


_DESCENDED = Scene(
    name="a step against any gradient",
    shapes=({"d": 1}, {"d": 2}),
    space=lambda shape: {
        **dict.fromkeys(("start", "slope"), Box(-1, 1, (shape["d"],))),
        **dict.fromkeys(("eta", "mu", "L", "gap", "room_convex", "room_turn"), Box(0.1, 1)),
    },
    compute=_descended,
    covers="an identity between an arbitrary model and an arbitrary gradient, where what convexity and smoothness bound is taken as it is; every "
    "coordinate adds alike",
)
FIRST_STEP = (
    Fact(PUT_TOGETHER, _STEPPED, "slack_together", _ASSUMED),
    Fact(PASTS, _STEPPED, "slack_past", _ASSUMED),
    Fact(AVERAGED, _DRIFTING, "slack_averaged", _DRIFTS),
    Fact(GROWN, _DRIFTING, "slack_grown"),
    Fact(FALLING, _DESCENDED, "slack_falling", _LOSS),
    Fact(NEARER, _DESCENDED, "slack_nearer", _LOSS),
    *(Fact(relation, _DESCENDED) for relation in LENGTHS),
)
