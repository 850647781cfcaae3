"""One round of SPECIAL and the minimiser of its surrogate, which is the origin: the parts of the proof, and facts about them.

The facts need no more than the gradients that the clients meet, whatever they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
import sympy as sp

from bounds.special import surrogate_proof as proof
from bounds.special import surrogate_strong as strong
from nqm.fields import Array, dot, sq, stack
from verify.engine.scene import Assumption, Box, Fact, Named, Scene, Shape, Values
from verify.engine.sums import Sums
from verify.scenes.parameters import column
from verify.scenes.special import terms as of
from verify.scenes.special.drift_facts import pairs_apart
from verify.scenes.special.one_round import Round
from verify.scenes.special.rate_facts import played_round


@dataclass(frozen=True)
class Parts:
    """P, Q and W of a round, (batch, path, outcome, d) each, the last two by the set of sampled clients.

    `bend` is by how much the gradient differs from that at the minimiser.
    """

    pull: Array
    bend: Array
    wind: Callable[[list[int]], Array]
    work: Callable[[list[int]], Array]


def parts_of(shape: Shape, values: Named, played: Round, at_rest: Array) -> Parts:
    """Where a gradient step leads, and what noise, sampling and local drift add; `at_rest` is the gradient at the origin."""
    E, N = shape["E"], shape["N"]
    g = column(values["gamma_G"] * values["gamma_L"], 3)
    first = played.grads[0]
    mean, noise = first.sum(axis=3) / shape["M"], sum(played.noises)
    changes = sum(grad - first for grad in played.grads)
    over = lambda x, s: x[:, :, :, s].sum(axis=3) / N  # noqa: E731
    return Parts(
        pull=played.start - g * E * (mean - at_rest),
        bend=mean - at_rest,
        wind=lambda s: over(E * first + noise, s) - E * mean,
        work=lambda s: over(changes, s),
    )


def parts_squared(shape: Shape, values: Named, played: Round, parts: Parts) -> Values:
    """Mean squares over the outcomes of a round, on every path (batch, path)."""
    g = column(values["gamma_G"] * values["gamma_L"], 3)
    blown = lambda s: parts.pull - g * parts.wind(s)  # noqa: E731
    return {
        "miss2": sq(played.start)[:, :, 0],
        "miss_next2": played.mean(sq(played.after).sum(axis=3)) / len(played.sets),
        "pulled2": played.mean(sq(parts.pull)),
        "bent2": played.mean(sq(parts.bend)),
        "bent_along": played.mean(dot(parts.bend, played.start + 0 * parts.bend)),
        "blown2": played.over_sets(lambda s: sq(blown(s))),
        "wind2": played.over_sets(lambda s: sq(parts.wind(s))),
        "worked2": played.over_sets(lambda s: sq(parts.work(s))),
        "crossed": played.over_sets(lambda s: dot(blown(s), parts.work(s))),
    }


# ------------------------------------------------------------------------------------------------- the facts


def _space(shape: Shape) -> Mapping[str, Box]:
    M, E, d = (shape[name] for name in "MEd")
    vectors = lambda *axes: Box(-1, 1, (*axes, d))  # noqa: E731
    room = lambda *axes: Box(0.1, 1, axes)  # noqa: E731
    return {
        **dict.fromkeys(("gamma_G", "gamma_L", "lam", "L", "B", "sigma_L2", "sigma_G2"), room()),
        **{"start": vectors(), "rest": vectors(M), "first": vectors(M), "noise": vectors(E, M)},
        **{"later": vectors(E - 1, 2, M), "room_local": room(E - 1, 2, M), "room_sent": room(E, 2, M)},
        **{"room_noise": room(E, M), "room_clients": room(M), "room_smooth": room(M)},
    }


def _any_round(shape: Shape, values: Named) -> Values:
    """Two outcomes: noise of either sign, and gradients after the first local step that depend on it."""
    E = shape["E"]
    first = values["first"][:, None, None] + 0 * values["noise"][:, :1, None] * np.ones((1, 1, 2, 1, 1), int)
    grads = [first, *(values["later"][:, e][:, None] for e in range(E - 1))]
    noises = [stack([u, -u], axis=1)[:, None] for u in (values["noise"][:, e] for e in range(E))]
    rest = values["rest"].sum(axis=1) / shape["M"]
    pulled = {**values, "task_start": values["gamma_G"] * values["gamma_L"] * E / values["lam"] * rest}
    played = played_round(shape, pulled, grads, noises)
    parts = parts_of(shape, values, played, rest[:, None, None])
    found = parts_squared(shape, values, played, parts)
    return {**found, **_rooms(values, played), **_slacks(shape, values, played)}


def _rooms(values: Named, played: Round) -> Values:
    """What smoothness and bounded gradients leave."""
    first, L = played.grads[0], values["L"][0]
    far = [x - played.points[0] for x in played.points[:-1]]
    sent = [g + u for g, u in zip(played.grads, played.noises, strict=True)]
    local = [L**2 * sq(x) - sq(g - first) for x, g in zip(far, played.grads, strict=True)][1:]
    change = values["first"] - values["rest"]
    return {
        "sent2_each": stack([sq(x)[:, 0] for x in sent], axis=1),
        **of.turns(
            (change, values["start"][:, None]), *zip((g - first for g in played.grads), far, strict=True)
        ),
        "left_local": stack([x[:, 0] for x in local], axis=1) if local else values["room_local"],
        "left_sent": stack([values["B"][0] ** 2 - sq(x)[:, 0] for x in sent], axis=1),
        "left_smooth": L**2 * sq(values["start"])[:, None] - sq(change),
    }


def _slacks(shape: Shape, values: Named, played: Round) -> Values:
    """Slacks of the inequalities, (batch, path) each."""
    E, M, N = (shape[name] for name in "EMN")
    step, L = values["gamma_L"][0], values["L"][0]
    total = sp.Rational(E * (E - 1), 2)
    first = played.grads[0]
    changes = [grad - first for grad in played.grads]
    sent = [g + u for g, u in zip(played.grads, played.noises, strict=True)]
    rooms = lambda name, e: values[f"room_{name}"][:, e][:, None]  # noqa: E731

    def walked(e: int) -> Array:
        """What e local steps fall short of gamma_L B e, squared."""
        return step**2 * (e * sum(rooms("sent", k) for k in range(e)) + pairs_apart(sent[:e]))

    apart = [
        (a * b) * sq(changes[a] / sp.Integer(a) - changes[b] / sp.Integer(b))
        for a, b in combinations(range(1, E), 2)
    ]
    each = sum(
        (total / e * (rooms("local", e - 1) + L**2 * walked(e)) for e in range(1, E)),
        sum(apart, 0 * sq(first)),
    )
    work = sum(changes)
    pairs = lambda s: pairs_apart([work[:, :, :, m] for m in s]) / N**2  # noqa: E731
    g, change = values["gamma_G"] * values["gamma_L"], values["first"] - values["rest"]
    mean = change.sum(axis=1) / M
    less = values["room_smooth"].sum(axis=1) / M + pairs_apart([change[:, m] for m in range(M)]) / M**2
    grown = sq(L * values["start"] + mean) + less
    return {
        "slack_drift": played.over_sets(lambda s: each[:, :, :, s].sum(axis=3) / N + pairs(s)),
        "slack_grows": (g * E / L * grown + (g * E) ** 2 * less)[:, None],
    }


_SHAPES = tuple(
    {"M": M, "N": N, "E": E, "d": 1}
    for M, N, E in ((2, 1, 1), (2, 2, 1), (2, 1, 2), (2, 2, 2), (3, 2, 2), (2, 1, 3), (2, 2, 3), (3, 3, 1))
)
_ROUND = Scene(
    name="a round with any gradients, and the minimiser of its surrogate",
    shapes=_SHAPES,
    space=_space,
    compute=_any_round,
    covers="an identity between arbitrary gradients, models and noises for 2 and 3 clients and up to 3 local steps, where what "
    "the assumptions bound is taken as it is; both sides are means of quadratic forms, the same in every coordinate, on "
    "every path and in every outcome, and symmetric in clients",
)


_ONE_STEP = _ROUND.variant(
    "a round of one step with any gradients, and the minimiser of its surrogate",
    shapes=tuple(shape for shape in _SHAPES if shape["E"] == 1),
)


def _any_noise(shape: Shape, values: Named) -> Values:
    """Noise of either sign for each client and step; gradients do not matter to what is asked after the first."""
    E, M, N = (shape[name] for name in "EMN")
    signs = np.array(list(product((-1, 1), repeat=E * M))).reshape(1, 1, -1, E, M, 1)
    noises = [signs[:, :, :, e] * values["noise"][:, None, None, e] for e in range(E)]
    grads = [values["first"][:, None, None] + 0 * u for u in noises]
    rest = values["rest"].sum(axis=1) / M
    played = played_round(shape, {**values, "task_start": 0 * rest}, grads, noises)
    found = parts_squared(shape, values, played, parts_of(shape, values, played, rest[:, None, None]))
    mean = values["first"].sum(axis=1) / M
    rho = sp.Rational(M - N, N * (M - 1))
    slack = (
        values["room_noise"].sum(axis=(1, 2)) / (N * M) + E**2 * rho * values["room_clients"].sum(axis=1) / M
    )
    return {
        **found,
        "noise2_each": sq(values["noise"]),
        "client2_each": sq(values["first"] - mean[:, None]),
        "left_noise": values["sigma_L2"][0] - sq(values["noise"]),
        "left_clients": values["sigma_G2"][0] - sq(values["first"] - mean[:, None]),
        "slack_variance": slack[:, None],
    }


_NOISE = _ROUND.variant(
    "a round with any uncorrelated noise, and the minimiser of its surrogate",
    shapes=tuple(
        {"M": M, "N": N, "E": E, "d": 1}
        for M, N, E in (
            (2, 1, 1),
            (2, 2, 1),
            (3, 1, 1),
            (3, 2, 1),
            (3, 3, 1),
            (4, 2, 1),
            (2, 1, 2),
            (2, 2, 2),
        )
    ),
    compute=_any_noise,
    covers="an identity for every N of 2 and 3 clients, 2 of 4, and 1 or 2 local steps, with noise of either sign, drawn for "
    "each client and step; both sides depend on the noise through its second moments alone, which all uncorrelated noise "
    "shares, and are the same in every coordinate and on every path",
)


CAUCHY = Sums(
    proof.CAUCHY.compared,
    {
        symbol: ["/", ["each", "n", u, v], "n"]
        for symbol, u, v in ((proof.blown2, "u", "u"), (proof.worked2, "v", "v"), (proof.crossed, "u", "v"))
    },
    {"n": "count", "u": "family n", "v": "family n"},
)
"""Means over n equally likely outcomes."""
_BOUNDED: Mapping[str, Assumption] = {
    "room_local": ("left_local", *of.OF_TURNS),
    "room_smooth": ("left_smooth", *of.OF_TURNS),
    "room_sent": ("left_sent", *of.OF_SENT),
}
_SPREAD: Mapping[str, Assumption] = {
    "room_noise": ("left_noise", *of.OF_NOISE),
    "room_clients": ("left_clients", *of.OF_CLIENTS),
}


def facts() -> tuple[Fact | Sums, ...]:
    """Facts about one round, or the mean over all paths to it, with any number of local steps."""
    return (
        *without_drift(),
        Fact(proof.SPLIT.compared, _ROUND),
        CAUCHY,
        Fact(proof.DRIFT.compared, _ROUND, "slack_drift", _BOUNDED),
        Fact(proof.GROWS.compared, _ROUND, "slack_grows", _BOUNDED),
    )


def without_drift() -> tuple[Fact, ...]:
    """Facts about the gradient step with noise and sampling."""
    return (
        Fact(proof.PULLED.compared, _ROUND),
        Fact(proof.UNBIASED.compared, _NOISE),
        Fact(proof.VARIANCE.compared, _NOISE, "slack_variance", _SPREAD),
    )


def one_step() -> tuple[Fact, ...]:
    """Facts about rounds of one local step."""
    return (*without_drift(), Fact(strong.SPLIT.compared, _ONE_STEP))
