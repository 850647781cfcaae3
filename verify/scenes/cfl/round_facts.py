"""CFL, Appendix B.4.2: facts about one round on convex losses that hold for arbitrary gradients.

They are expansions of squares, Young's and Jensen's inequality, and the assumptions on gradients and noise. Each is an identity
between arbitrary gradients, with its slack as an explicit expression.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations, product
from typing import Any

from bounds.catalogue import statement
from bounds.cfl.convex import (
    SIZE,
    P_i,
    R,
    along,
    bar2,
    dist,
    dist2,
    gap_round,
    lost_along,
    missed2,
    noisy2,
    over_clients,
    slope_before,
    strayed,
    true2,
)
from bounds.cfl.convex import i as client
from bounds.cfl.correlated import lost2, p
from bounds.cfl.symbols import R2, K, L, N, eta, mu, sigma2
from bounds.relations import eq, ge, le
from nqm.fields import Array, sq, stack
from verify import facts
from verify.engine.scene import Assumption, Box, Fact, Scene, Shape, Values
from verify.engine.sums import Sums
from verify.scenes.cfl import terms as of
from verify.scenes.cfl.drifts import signs
from verify.scenes.cfl.round_quantities import Met, mean, of_round
from verify.scenes.summands import meant

Named = Mapping[str, Any]

SIZED = eq(eta, SIZE)
MEAN_OF_SQUARES = le(bar2, 2 * true2 + 2 * missed2)
"""Lemma A.3 for the two parts of each gradient."""
ALONG = eq(2 * along, 2 * eta / (N * K) * (slope_before + lost_along))
FALLING = le(slope_before, -N * K * (gap_round + mu / 4 * dist2) + L * strayed)
POSITIVE = ge(p, 0)
"""Weights of rounds are nonnegative."""
LOST_ALONG = facts.along(lost_along, K * over_clients(P_i[client]) * R * dist, le(lost2, R2))

_ASSUMED: Mapping[str, Assumption] = {
    "weight": ("p", POSITIVE),
    "room_turn": ("left_turn", of.SMOOTH, of.TURNED),
    "room_gap": ("left_gap", of.SMOOTH, of.STEEP),
    "room_bend": ("left_bend", of.CURVED, of.BENT_MORE),
    "room_order": ("left_order", of.SMOOTH, of.BENT_LESS),
    "room_descent": ("left_descent", of.SMOOTH, of.BELOW_BOWL),
    "room_convex": ("left_convex", of.CURVED, of.ABOVE_BOWL),
    "room_noise": ("left_noise", le(noisy2, sigma2)),
}
_ASSUMED_NOISE: Mapping[str, Assumption] = {
    "room_noise": _ASSUMED["room_noise"],
    "room_monotone": ("left_monotone", of.CURVED, of.MONOTONE),
}


# ---------------------------------------------------------------------------------- a round of any gradients


def _space(shape: Shape) -> Mapping[str, Box]:
    """Parameters. Gradients after a local step depend on its noise; `level` is a loss minus the loss at the start."""
    N, K, t = shape["N"], shape["K"], shape["t"]
    vectors, room = lambda *axes: Box(-1, 1, axes), lambda *axes: Box(0.1, 1, axes)
    return {
        **dict.fromkeys(("eta_l", "eta_g", "mu", "L", "sigma2", "G2", "D2", "B2", "A2", "R2", "gap"), room()),
        **{"start": vectors(), "slope": vectors(), "there": vectors(K, 2, N)},
        **{"first": vectors(t, N), "later": vectors(t, K, 2, N), "level": vectors(t, K, 2, N)},
        **{
            "gain": vectors(t, N),
            "noise": vectors(K, N),
            "past": vectors(N, t - 1),
            "lost": vectors(K, N, t - 1),
        },
        **{"room_turn": room(K, 2, N), "room_descent": room(t, K, 2, N), "room_convex": room(t, K + 1, 2, N)},
        **{"room_noise": room(K, N), "weight": room(N, t), "room_gap": room(), "room_order": room()},
        **{"bend_each": room(), "room_bend": room()},
    }


def _met(shape: Shape, values: Named) -> Met:
    """A round with noise of either sign, the same for all clients and steps."""
    N, K, t = shape["N"], shape["K"], shape["t"]
    run = signs(1, values["start"])[None, None, :, :, None]  # (batch, outcome, run, N, d)
    wide = lambda x: x[:, None, None, ..., None]  # noqa: E731
    own = lambda name, *at: values[name][(slice(None), *at)][:, None, ..., None]  # noqa: E731 - (run, N) at the end
    both = 0 * run * wide(values["noise"][:, 0])
    weights = _weights(values["past"])
    each = [
        [wide(values["first"][:, tau]) + both, *(own("later", tau, k) for k in range(K))] for tau in range(t)
    ]
    slopes = [values["slope"][:, None, None, None, None] + both, *(own("there", k) for k in range(K))]
    missed = [wide((values["past"] * values["lost"][:, k]).sum(axis=-1)) + both for k in range(K)]
    true = [sum(wide(weights[..., tau]) * each[tau][k] for tau in range(t)) for k in range(K + 1)]
    bars = [x - lost for x, lost in zip(true[:-1], missed, strict=True)]
    pulls = [bar + run * wide(values["noise"][:, k]) for k, bar in enumerate(bars)]
    start = values["start"][:, None, None, None] + both[..., 0, :]
    path = [start[..., None, :] + both]
    for pull in pulls:
        path.append(path[-1] - values["eta_l"][:, None, None, None, None] * pull)
    after = start + values["eta_g"][:, None, None, None] * (path[-1] - path[0]).sum(axis=-2) / N
    gains = [values["gain"][:, None, None, tau] + both[..., 0] for tau in range(t)]
    return Met(start, after, path, weights, each, gains, slopes, missed, bars, pulls)


def _weights(past: Array) -> Array:
    return stack([*(past[..., n] for n in range(past.shape[-1])), 1 - past.sum(axis=-1)], -1)


def _any_round(shape: Shape, values: Named) -> Values:
    met = _met(shape, values)
    return {
        **_constants(shape, values, met),
        **of_round(met),
        **_rooms(shape, values, met),
        **_slacks(shape, values, met),
    }


def _constants(shape: Shape, values: Named, met: Met) -> Values:
    each = lambda name: values[name][:, None]  # noqa: E731
    square, past = (met.p**2).sum(axis=-1), values["past"].sum(axis=-1) + 0 * met.p[..., 0]
    cB, cG = 1 + each("B2") + each("A2") * square, each("G2") + each("D2") * square
    found = {"p": met.p, "cB": cB[..., None], "cG": cG[..., None], "cB_i": cB.T, "cG_i": cG.T, "P_i": past.T}
    found |= {"c_pB": cB.sum(axis=-1) / shape["N"], "c_pG": cG.sum(axis=-1) / shape["N"]}
    return found | {"eta": values["eta_l"] * values["eta_g"] * shape["K"], "gap": values["gap"]}


def _far(met: Met) -> list[Array]:
    return [x - met.path[0] for x in met.path]


def _rooms(shape: Shape, values: Named, met: Met) -> Values:
    """The expressions that the assumptions make nonnegative: slacks of smoothness, convexity and noise variance.

    A convex loss exceeds its tangent by at least mu/2 times the squared distance, a smooth one by at most L/2 times.
    """
    steps, rounds = range(shape["K"] + 1), range(shape["t"])
    small, large = values["mu"][0], values["L"][0]
    flat = lambda x: x[:, 0, ..., 0]  # noqa: E731 - (batch, run, N)
    levels = [
        [0 * met.path[0], *(values["level"][:, tau, k][:, None, ..., None] for k in steps[:-1])]
        for tau in rounds
    ]

    def convex(tau: int, k: int) -> tuple[Array, Array]:
        """The minimum minus the tangent at a local model, and the squared distance."""
        x, grad = met.path[k], met.each[tau][k]
        return flat(met.gains[tau][..., None] - levels[tau][k] + grad * x), flat(x**2)

    def descent(tau: int, k: int) -> tuple[Array, Array]:
        """The loss at the start minus the tangent at a local model, and the squared distance."""
        back = met.path[0] - met.path[k]
        return flat(-levels[tau][k] - met.each[tau][k] * back), flat(back**2)

    to_rest = [[convex(tau, k) for k in steps] for tau in rounds]
    to_start = [[descent(tau, k) for k in steps[1:]] for tau in rounds]
    each_step = lambda parts: stack([stack(of_round, 1) for of_round in parts], 1)  # noqa: E731

    turned = [slope - met.slopes[0] for slope in met.slopes]
    return {
        **of.turns(*zip(turned, _far(met), strict=True)),
        **of.lifts(*(pair for parts in (*to_rest, *to_start) for pair in parts)),
        **{"steep2_each": values["slope"] ** 2, "gap_each": values["gap"], "noisy2": values["noise"] ** 2},
        "left_bend": values["bend_each"] - values["mu"],
        "left_turn": stack([flat(large**2 * _far(met)[k] ** 2 - turned[k] ** 2) for k in steps[1:]], 1),
        "left_gap": 2 * values["L"] * values["gap"] - values["slope"] ** 2,
        "left_order": values["L"] - values["mu"],
        "left_convex": each_step([[lift - small / 2 * way2 for lift, way2 in part] for part in to_rest]),
        "left_descent": each_step([[large / 2 * way2 - lift for lift, way2 in part] for part in to_start]),
        "left_noise": values["sigma2"][0] - values["noise"] ** 2,
    }


def _slacks(shape: Shape, values: Named, met: Met) -> Values:
    N, K = shape["N"], shape["K"]
    eta_ = values["eta_l"] * values["eta_g"] * K
    start, far = met.path[0], _far(met)
    cB = 1 + values["B2"][:, None] + values["A2"][:, None] * (met.p**2).sum(axis=-1)
    turned = [slope - met.slopes[0] for slope in met.slopes[:-1]]
    room_turn = values["room_turn"][:, : K - 1]
    walked = sum(mean(sq(x)) for x in far[:-1]) * values["L"][:, None] ** 2
    over_runs = room_turn.sum(axis=(1, 2)) / 2

    def perturbed(tau: int, k: int) -> Array:
        """The slack of Lemma A.5 at a local model of a client."""
        room = values["room_convex"][:, tau, k] + (values["room_descent"][:, tau, k - 1] if k else 0)
        curved = values["mu"][0] / 4 * (start + 2 * far[k]) ** 2 + values["room_order"][0] / 2 * far[k] ** 2
        return room[:, None] + curved[..., 0]

    left = [[perturbed(tau, k) for k in range(K)] for tau in range(shape["t"])]
    weight = lambda tau: values["weight"][:, None, None, :, tau]  # noqa: E731
    weighed = sum(mean(weight(tau) * x).sum(axis=-1) for tau, of_round in enumerate(left) for x in of_round)
    return {
        "slack_squares": sum(
            mean(sq(v + w)).sum(axis=-1) for v, w in zip(met.true[:-1], met.missed, strict=True)
        ),
        "slack_perturbed": stack([stack(of_round, 1) for of_round in left], 1),
        "slack_falling": weighed,
        "slack_compared": 2
        * eta_**2
        / (N * K)
        * (cB * sum(mean(sq(met.slopes[0] - x)) for x in turned)).sum(axis=-1),
        "slack_smooth": 4 * eta_**2 / (N * K) * (cB * (walked + over_runs)).sum(axis=-1)
        + 4 * eta_**2 * cB.sum(axis=-1) / N * (2 * values["L"] * values["gap"] + values["room_gap"]),
    }


# ---------------------------------------------------------------------------------- noise and later gradients


def _two_steps(shape: Shape, values: Named) -> Values:
    """Independent noise of each client and step; gradients of the second step depend on the noise of the client's first step.

    The gradient of a convex loss is monotone, so noise and the gradient after it are not positively correlated.
    """
    N, K, step = shape["N"], shape["K"], values["eta_l"]
    drawn = signs(N * K, values["start"]).reshape(1, 1, -1, N, K, 1)
    wide = lambda x: x[:, None, None, ..., None]  # noqa: E731
    up, down = (values["second"][:, n] for n in (0, 1))
    sign = drawn[..., 0, :]
    true = [wide(values["first"]) + 0 * sign, (wide(up) * (1 + sign) + wide(down) * (1 - sign)) / 2][:K]
    missed, none = wide(values["lost"]) + 0 * sign, 0 * sign
    bars = [x - missed for x in true]
    noises = [drawn[..., k, :] * wide(values["noise"][:, k]) for k in range(K)]
    pulls = [bar + noise for bar, noise in zip(bars, noises, strict=True)]
    path = [values["start"][:, None, None, None, None] + none]
    for pull in pulls:
        path.append(path[-1] - step[:, None, None, None, None] * pull)
    after = path[0][..., 0, :] + values["eta_g"][:, None, None, None] * (path[-1] - path[0]).sum(axis=-2) / N
    ones, still = 1 + 0 * values["first"][..., None], [none] * (K + 1)
    gone, start = [missed] * (K + 1), path[0][..., 0, :]
    met = Met(start, after, path, ones, [[*true, none]], [none[..., 0]], still, gone, bars, pulls)
    rate = step * values["eta_g"] / N
    follows = values["room_monotone"] / (2 * step[:, None]) if K > 1 else 0 * values["room_monotone"]
    quiet = values["room_noise"]
    every = [bar[..., n, :] for bar in bars for n in range(N)]
    upto = [
        quiet[:, 0],
        *(mean(sq(bars[0] - bars[1])) + quiet[:, 0] + quiet[:, 1] + follows for _ in range(K - 1)),
    ]
    return {
        **of_round(met),
        "eta": step * values["eta_g"] * K,
        "left_noise": values["sigma2"][0] - values["noise"] ** 2,
        "noisy2": values["noise"] ** 2,
        **of.turns(((down - up)[..., None], (2 * step[:, None] * values["noise"][:, 0])[..., None])),
        "left_monotone": 2 * step[:, None] * values["noise"][:, 0] * (down - up),
        "slack_server": rate**2 * (mean(_apart(every)) + quiet.sum(axis=(1, 2)) + follows.sum(axis=-1)),
        "slack_local": step[:, None, None] ** 2 * stack(upto, -1),
    }


def _apart(vectors: list[Array]) -> Array:
    """Sum over the pairs of |x - y|^2: the slack of Jensen's inequality."""
    return sum((sq(x - y) for x, y in combinations(vectors, 2)), 0 * sq(vectors[0]))


_TWO_STEPS = Scene(
    name="up to two local steps with any gradients and noise",
    shapes=tuple({"N": N, "K": K} for N, K in ((1, 1), (2, 1), (1, 2), (2, 2))),
    space=lambda shape: {
        **dict.fromkeys(("eta_l", "eta_g", "sigma2", "mu"), Box(0.1, 1)),
        **dict.fromkeys(("first", "lost"), Box(-1, 1, (shape["N"],))),
        **{"start": Box(-1, 1), "second": Box(-1, 1, (2, shape["N"]))},
        "noise": Box(-1, 1, (shape["K"], shape["N"])),
        "room_noise": Box(0.1, 1, (shape["K"], shape["N"])),
        "room_monotone": Box(0.1, 1, (shape["N"],)),
    },
    compute=_two_steps,
    covers="an identity between arbitrary gradients and noises of either sign of 1 and 2 clients and steps, where a gradient after a step "
    "depends on the noise of that step, and convexity is taken as monotonicity of the gradients; what is lost is the same at all "
    "models; every coordinate adds alike",
)
_COVERS = (
    "an identity between arbitrary gradients, losses, information losses at each model and noise of either sign, where what the assumptions bound is "
    "taken as it is; clients, steps and rounds add alike, in every coordinate"
)
_ANY = Scene(
    name="a round of convex losses with any gradients",
    shapes=tuple({"N": N, "K": K, "t": t} for N, K, t in product((1, 2), repeat=3)),
    space=_space,
    compute=_any_round,
    covers=_COVERS,
)
_LINES = {"eq12/corrected": "slack_perturbed", "eq15.mid2": "slack_compared", "eq15.last": "slack_smooth"}
_IDENTITIES = ("eq8", "eq9/expected", "eq10/corrected", "eq16")


def _line(id: str) -> Any:
    return statement(f"cfl.{id}").compared


FACTS: tuple[Fact | Sums, ...] = (
    meant(SIZED),
    *(Fact(_line(id), _ANY) for id in _IDENTITIES),
    Fact(ALONG, _ANY),
    *(Fact(_line(id), _ANY, slack, _ASSUMED) for id, slack in _LINES.items()),
    Fact(FALLING, _ANY, "slack_falling", _ASSUMED),
    Fact(MEAN_OF_SQUARES, _ANY, "slack_squares"),
    Fact(_line("eq14.noise"), _TWO_STEPS, "slack_server", _ASSUMED_NOISE),
    Fact(_line("eq17"), _TWO_STEPS, "slack_local", _ASSUMED_NOISE),
)
