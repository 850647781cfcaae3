"""CFL, Appendix B.5: facts about one round that hold for arbitrary gradients.

They are expansions of squares, Young's and Jensen's inequality, and the assumptions on gradients, noise and information loss.
Each is an identity between arbitrary gradients, with its slack as an explicit expression.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import sympy as sp

from bounds.catalogue import statement
from bounds.cfl.convex import P_i, bar2, c_max, cB, cB_i, g2_start, i, moved2, noisy2, over_clients, strayed_i
from bounds.cfl.correlated import lost2, p
from bounds.cfl.nonconvex import SIZE, apart2, apart2_start, downhill, e_there, start2
from bounds.cfl.symbols import R2, K, L, N, eta, eta_l, sigma2
from bounds.relations import eq, ge, le
from nqm.fields import Array, stack
from verify.engine.scene import Assumption, Box, Fact, Named, Scene, Shape, Values
from verify.scenes.cfl.drifts import signs
from verify.scenes.cfl.start_facts import START_FACTS, mean, total
from verify.scenes.cfl.terms import SMOOTH, TURNED, turns

SIZED = eq(eta, SIZE)
MOVED = le(moved2, 2 * eta**2 / (N * K) ** 2 * (N * K * bar2 + N * K * sigma2))
PULLED = le(
    bar2, 2 * K * start2 + 4 * L**2 * over_clients(strayed_i[i]) + 4 * K * R2 * over_clients(P_i[i] ** 2)
)
MOVED_AWAY = le(
    moved2,
    2
    * eta**2
    / (N * K) ** 2
    * (
        N * K**2 * start2
        + N * K * sigma2
        + 2 * N * K * (L**2 * over_clients(strayed_i[i]) + K * R2 * over_clients(P_i[i] ** 2))
    ),
)
"""Gradients at the start and noise are independent; the other parts of the update may depend on both."""
STRAYED = le(over_clients(strayed_i[i]), eta_l**2 * K**2 * (bar2 + N * sigma2))
LARGEST = le(cB, c_max)
APART = le(apart2, 2 * apart2_start + 2 * L**2 * e_there)
_weighed = over_clients(cB_i[i] * strayed_i[i])
LIGHTER = le(over_clients(strayed_i[i]), _weighed)
WEIGHED = le(
    _weighed,
    c_max
    * (eta_l * K) ** 2
    * (
        K * start2
        + N * sigma2
        + 2 * L**2 * over_clients(strayed_i[i])
        + 2 * K * R2 * over_clients(P_i[i] ** 2)
    ),
)
"""Bound of the local drifts by gradients at the start, noise and the remaining terms, each client weighted by c_pB."""
DOWNHILL = le(
    downhill,
    eta / (2 * N) * over_clients(P_i[i]) * (g2_start + R2)
    + eta * L**2 / (4 * N * K) * over_clients(strayed_i[i]),
)
"""The descent along the gradient at the start compensates the change of the gradient at local models."""
WALKED, PAST = ge(over_clients(strayed_i[i]), 0), ge(over_clients(P_i[i] ** 2), 0)
POSITIVE = ge(p, 0)
"""Weights of rounds are nonnegative."""

_LOST = le(lost2, R2)
_ASSUMED: Mapping[str, Assumption] = {
    "weight": ("past", POSITIVE),
    "room_local": ("left_local", SMOOTH, TURNED),
    "room_turn": ("left_turn", SMOOTH, TURNED),
    "room_lost": ("left_lost", _LOST),
    "room_noise": ("left_noise", le(noisy2, sigma2)),
    "room_c": ("left_c", LARGEST),
}


# ---------------------------------------------------------------------------------- a round of any gradients


@dataclass(frozen=True)
class AnyRound:
    """The gradients of an arbitrary round: arrays (1, outcome, N); the first axis is a batch of one.

    Attributes
    ----------
    slope : (1, 1, 1) array
        Global gradient at the start.
    first : array
        Weighted true gradient at the start.
    later, there : lists of arrays
        Weighted true and global gradients after each local step.
    noise : (1, outcome, N, K) array
    weight : (1, 1, N, t - 1) array
        Weights of the past rounds.
    lost : list of (1, outcome, N, t - 1) arrays
        Information losses, chosen independently at each local model: only their bound is known.
    """

    slope: Array
    first: Array
    later: list[Array]
    there: list[Array]
    noise: Array
    weight: Array
    lost: list[Array]

    def gradients(self, step: int, x: Array) -> tuple[Array, Array, Array]:
        """Global and weighted true gradient before each step and after the last, and the weighted information loss."""
        missed = (self.weight * self.lost[step]).sum(axis=-1) + 0 * self.first
        slope, first = self.slope + 0 * x, self.first
        return (self.there[step - 1], self.later[step - 1], missed) if step else (slope, first, missed)


Signs = Callable[[Shape], int]
"""Shape -> number of noise vectors with their own sign; if 0, they share the sign of the drifts."""
Quantities = Callable[[Named, AnyRound], tuple[Any, Values]]
"""(parameters, gradients) -> models, gradients and quantities of the round."""


def _space(shape: Shape, count: int) -> Mapping[str, Box]:
    N, K, past, runs = shape["N"], shape["K"], shape["t"] - 1, 2 ** (1 + count)
    vectors, room = lambda *axes: Box(-1, 1, axes), lambda *axes: Box(0.1, 1, axes)
    return {
        **dict.fromkeys(("eta_l", "eta_g", "L", "sigma2", "R2", "A2", "B2", "D2", "G2", "c_max"), room()),
        **{"slope": vectors(), "drift": vectors(N), "noise": vectors(N, K)},
        **dict.fromkeys(("later", "there"), vectors(K, runs, N)),
        **{"weight": room(N, past), "past": vectors(N, past), "lost": vectors(K + 1, runs, N, past)},
        **dict.fromkeys(("room_local", "room_turn"), room(K, runs, N)),
        **{"room_lost": room(K + 1, runs, N, past), "room_noise": room(N, K)},
        "room_c": room(N),
    }


def _met(shape: Shape, values: Named, count: int) -> AnyRound:
    """An arbitrary round with drifts and noise of either sign."""
    N, K = shape["N"], shape["K"]
    drawn = signs(1 + count, values["slope"])[None]
    each = drawn[..., 1:].reshape(1, -1, N, K) if count else drawn[..., None]
    slope = values["slope"][:, None, None]
    return AnyRound(
        slope,
        slope + drawn[..., :1] * values["drift"][:, None],
        [values["later"][:, k] for k in range(K)],
        [values["there"][:, k] for k in range(K)],
        each * values["noise"][:, None],
        values["past"][:, None],
        [values["lost"][:, k] for k in range(K + 1)],
    )


def _scene(
    name: str, sizes: tuple[tuple[int, int, int], ...], signs_of: Signs, quantities: Quantities
) -> Scene:
    def compute(shape: Shape, values: Named) -> Values:
        met = _met(shape, values, signs_of(shape))
        walked, found = quantities(values, met)
        past = values["past"].sum(axis=-1)
        square = (values["past"] ** 2).sum(axis=-1) + (1 - past) ** 2
        cB = 1 + values["B2"][:, None] + values["A2"][:, None] * square
        return {
            **found,
            **{"g2_start": values["slope"] ** 2, "P_i": past.T, "cB": cB[..., None]},
            "cG": values["G2"][:, None, None] + 0 * cB[..., None],
            **{"cB_i": cB.T, "c_pB": cB.sum(axis=-1) / shape["N"], "c_pG": values["G2"]},
            **_rooms(values, met, walked),
            "left_c": values["c_max"][:, None] - cB,
            **_slacks(shape, values, met, walked, cB),
        }

    shapes = tuple({"N": N, "K": K, "t": t} for N, K, t in sizes)
    return Scene(name, shapes, lambda shape: _space(shape, signs_of(shape)), compute, covers=_COVERS)


def _rooms(values: Named, met: AnyRound, walked: Any) -> Values:
    """The expressions that the assumptions make nonnegative: slacks of smoothness, information loss and noise variance."""
    far2 = [values["L"][0] ** 2 * (x - walked.path[0]) ** 2 for x in walked.path[1:]]
    turned = lambda after: stack([far - x**2 for far, x in zip(far2, after, strict=True)], 1)  # noqa: E731
    far = walked.path[1:]
    past = values["past"]
    return {
        "p": stack([*(past[..., n] for n in range(past.shape[-1])), 1 - past.sum(axis=-1)], -1),
        **{"lost2": stack(met.lost, 1) ** 2, "noisy2": values["noise"] ** 2},
        **turns(
            *(
                ((x - start)[..., None], (there - walked.path[0])[..., None])
                for after, start in ((met.later, met.first), (met.there, met.slope))
                for x, there in zip(after, far, strict=True)
            )
        ),
        "left_local": turned([x - met.first for x in met.later]),
        "left_turn": turned([x - met.slope for x in met.there]),
        "left_lost": values["R2"][0] - stack(met.lost, 1) ** 2,
        "left_noise": values["sigma2"][0] - values["noise"] ** 2,
    }


def _apart(vectors: list[Array]) -> Array:
    """Sum over the pairs of (x - y)^2: the slack of Jensen's inequality."""
    return sum(((x - y) ** 2 for x, y in combinations(vectors, 2)), 0 * vectors[0])


def _slacks(shape: Shape, values: Named, met: AnyRound, walked: Any, cB: Array) -> Values:
    N, K = shape["N"], shape["K"]
    g, first = met.slope, met.first
    rate = values["eta_l"] * values["eta_g"] / N
    bars, lost = walked.bar[:-1], walked.missed[:-1]
    changes = [true - first for true in walked.true[:-1]]
    both = list(zip(changes, lost, strict=True))
    noises = [met.noise[..., k] for k in range(K)]
    local = values["room_local"][:, : K - 1]
    smooth = local.sum(axis=(1, 2, 3)) / local.shape[2]
    jensen = total([below(shape, values, met, k) for k in range(K)])
    weight = values["weight"][:, None]
    young = [
        (weight * ((g[..., None] - met.lost[k]) ** 2 + values["room_lost"][:, k])).sum(axis=-1) + 0 * first
        for k in range(K)
    ]
    of_all = lambda parts: [part[..., n] for part in parts for n in range(N)]  # noqa: E731
    every, noisy, gone = of_all(bars), of_all(noises), of_all([c - m for c, m in both])
    mixed = lambda pulls, pushes: (sum(pulls) - sum(pushes)) ** 2  # noqa: E731
    quiet = 2 * values["room_noise"].sum(axis=(1, 2))
    server = mean(mixed(every, noisy)) + 2 * mean(_apart(every)) + quiet
    begun = of_all([first])
    away = mean(mixed([K * x for x in begun] + noisy, gone)) + 2 * K**2 * mean(_apart(begun)) + quiet
    rest = 2 * mean(_apart(gone)) + 2 * N * K * (total([(c + m) ** 2 for c, m in both]) + 2 * smooth)
    far2 = [mean((x - walked.path[0]) ** 2) for x in walked.path]
    near = (cB - sp.Rational(1, 2)) * values["L"][:, None] ** 2 * sum(far2[:-1])
    before = (total([(g + c) ** 2 for c in changes]) + total(young) + smooth) / 2 + near.sum(axis=-1)
    before = rate * before + rate * K * ((cB - 1).sum(axis=-1) * values["slope"] ** 2 + N * values["G2"] / 2)
    turned = [there - g for there in walked.slopes]
    room_turn, room_local = (
        [0 * first, *(values[name][:, k] for k in range(K))] for name in ("room_turn", "room_local")
    )
    return {
        "slack_walked": total([(x - walked.path[0]) ** 2 for x in walked.path[:-1]]),
        "slack_past": (values["past"].sum(axis=-1) ** 2).sum(axis=-1),
        "slack_along": rate / 2 * total(young),
        "slack_begun": rate * (total([(g + c / 2) ** 2 for c in changes]) + total(young) / 2 + smooth / 4),
        "slack_moved": rate**2 * server,
        "slack_away": rate**2 * (away + rest + 4 * N * K * jensen),
        "slack_before": before,
        "slack_after": before + rate * (values["L"][:, None] ** 2 * cB * far2[-1]).sum(axis=-1),
        "slack_apart": stack(
            [
                mean((g - first + v - first) ** 2 + 2 * more)
                for v, more in zip(walked.true, room_local, strict=True)
            ],
            -1,
        ),
        "slack_lighter": ((cB - 1) * sum(far2[:-1])).sum(axis=-1),
        "slack_weighed": (
            values["c_max"][:, None] * _walked_away(shape, values, met, walked)
            + values["room_c"] * sum(far2[:-1])
        ).sum(axis=-1),
        "slack_doubled": rate**2
        * (server + 2 * N * K * total([(v + m) ** 2 for v, m in zip(walked.true[:-1], lost, strict=True)])),
        "slack_lost": 2 * rate**2 * N * K * jensen,
        "slack_split": stack(
            [
                mean((t + there - v) ** 2)
                for t, there, v in zip(turned, walked.slopes, walked.true, strict=True)
            ],
            -1,
        ),
        "slack_turned": stack(
            [(cB - 1) * mean((g - t) ** 2 + 2 * more) for t, more in zip(turned, room_turn, strict=True)], -1
        ),
        "slack_downhill": rate
        * (total([(g / 2 + c) ** 2 + (g / 2 - m) ** 2 for c, m in both]) + smooth + jensen),
        "slack_pulled": total([(first - c + m) ** 2 + 2 * (c + m) ** 2 for c, m in both])
        + 4 * smooth
        + 4 * jensen,
        "slack_strayed": values["eta_l"] ** 2 * _walked(shape, values, bars, noises),
    }


def below(shape: Shape, values: Named, met: AnyRound, k: int) -> Array:
    """The slack of |sum p Delta|^2 <= P^2 R^2 at a local model."""
    past, room = range(shape["t"] - 1), values["room_lost"][:, k]
    weight, lost = values["weight"][:, None], met.lost[k]
    apart = (
        (weight[..., a] * weight[..., b]) * (lost[..., a] - lost[..., b]) ** 2
        for a, b in combinations(past, 2)
    )
    return weight.sum(axis=-1) * (room * weight).sum(axis=-1) + sum(apart, 0 * met.first)


def _walked(shape: Shape, values: Named, bars: list[Array], noises: list[Array]) -> Array:
    """The slack of the bound of the local drifts of K steps by K^2 times gradients and noise, divided by the squared step."""
    N, K = shape["N"], shape["K"]
    kept = [(K + j * (j + 1)) * bar**2 for j, bar in enumerate(bars)]
    pairs = [
        2 * _apart(bars[:k]) + (sum(bars[:k]) - sum(noises[:k])) ** 2 if k else 0 * bars[0] for k in range(K)
    ]
    spare = sum(2 * (K - 1 - j) * values["room_noise"][..., j].sum(axis=-1) for j in range(K))
    return total([*kept, *pairs]) + spare + N * K * values["sigma2"]


def _walked_away(shape: Shape, values: Named, met: AnyRound, walked: Any) -> Array:
    """The slack, for each client, of the bound of local drifts by gradients at the start, noise and the remaining terms."""
    K, first, lost = shape["K"], met.first, walked.missed[:-1]
    squares = sum(k**2 for k in range(K))
    changes = [true - first for true in walked.true[:-1]]
    gone = [c - m for c, m in zip(changes, lost, strict=True)]
    noises = [met.noise[..., k] for k in range(K)]
    room = [0 * first, *(values["room_local"][:, k] for k in range(K - 1))]
    rest = [
        mean((c + m) ** 2 + 2 * room[k] + 2 * below(shape, values, met, k))
        for k, (c, m) in enumerate(zip(changes, lost, strict=True))
    ]
    past2 = values["past"].sum(axis=-1) ** 2 * values["R2"][:, None]
    far2 = [values["L"][:, None] ** 2 * mean((x - walked.path[0]) ** 2) for x in walked.path[:-1]]
    spare = sum(2 * (K - 1 - j) * values["room_noise"][..., j] for j in range(K))
    steps = sum(
        (
            mean((k * first + sum(noises[:k]) - sum(gone[:k])) ** 2)
            + 2 * mean(_apart(gone[:k]))
            + 2 * k * sum(rest[:k])
            for k in range(1, K)
        ),
        0 * past2,
    )
    return values["eta_l"][:, None] ** 2 * (
        (K**3 - 2 * squares) * mean(first**2)
        + K * values["sigma2"][:, None]
        + sum((2 * K + 2 * j * (j + 1)) * far for j, far in enumerate(far2))
        + (2 * K**3 - 4 * squares) * past2
        + spare
        + steps
    )


_SIZES = tuple((N, K, t) for N, K, t in product((1, 2), repeat=3))
_COVERS = (
    "an identity between arbitrary gradients, noises of either sign and information losses, where what the assumptions bound "
    "is taken as it is; clients, steps and rounds add alike, in every coordinate"
)
_LINES: Mapping[str, str] = {
    "eq26/before": "slack_along",
    "eq27.drop.rest": "slack_lost",
    "eq28.split": "slack_split",
    "eq28.last": "slack_turned",
    "eq29": "slack_after",
    "eq29/before": "slack_before",
    "nc.downhill/repaired": "slack_downhill",
}


def facts(quantities: Quantities) -> tuple[Fact, ...]:
    """Facts about one round, given how its quantities are computed."""
    tied = _scene("a round with any gradients", (*_SIZES, (1, 1, 3)), lambda shape: 0, quantities)
    apart = _scene("a round with any noise", _SIZES, lambda shape: shape["N"] * shape["K"], quantities)
    line = lambda id: statement(f"cfl.{id}").compared  # noqa: E731
    return (
        Fact(SIZED, tied),
        Fact(line("eq26.first/before"), tied),
        *(Fact(line(id), tied, slack, _ASSUMED) for id, slack in _LINES.items()),
        Fact(DOWNHILL, tied, "slack_begun", _ASSUMED),
        Fact(PULLED, tied, "slack_pulled", _ASSUMED),
        Fact(APART, tied, "slack_apart", _ASSUMED),
        Fact(LIGHTER, tied, "slack_lighter"),
        Fact(WALKED, tied, "slack_walked"),
        Fact(PAST, tied, "slack_past"),
        Fact(line("eq27/doubled"), apart, "slack_doubled", _ASSUMED),
        Fact(MOVED, apart, "slack_moved", _ASSUMED),
        Fact(MOVED_AWAY, apart, "slack_away", _ASSUMED),
        Fact(WEIGHED, apart, "slack_weighed", _ASSUMED),
        Fact(STRAYED, apart, "slack_strayed", _ASSUMED),
        *START_FACTS,
    )
