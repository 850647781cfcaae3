"""SPECIAL, Eq. (39) to (60): facts about one round that need no more than its gradients, whatever they are.

Expansions of squares, Young's and Jensen's inequality, and what the assumptions say of sums: each is an identity
between arbitrary gradients, noises and models, with its slack written out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import combinations, product

import numpy as np

from bounds.catalogue import statement
from bounds.relations import eq, le
from bounds.special import one_round as one
from bounds.special.one_round import t_Lam, t_pairs, tm2
from bounds.special.rate_sampling import eq53, eq54
from bounds.special.round_drift import own2
from bounds.special.symbols import G0, B, E, K, L, M, N, gamma_G, gamma_L, lam, sigma_L2, sigma_T2
from nqm.fields import Array, norm, sq, stack
from verify.engine.scene import Assumption, Box, Condition, Fact, Named, Rounds, Scene, Shape, Values
from verify.engine.sums import Sums
from verify.scenes.lengths import detour
from verify.scenes.parameters import column
from verify.scenes.special import terms as of
from verify.scenes.special.drift_facts import pairs_apart, reached
from verify.scenes.special.one_round import Round, method
from verify.scenes.special.round_sums import CHANGES, of_any_clients

Quantities = Callable[[Shape, Named, Round, list[Array], Array], Values]
"""Quantities of a round with these gradients of the tasks, current first, and that of the earlier ones at the start."""

_g = gamma_G * gamma_L


# ---------------------------------------------------------------------------------- a round of any gradients


def _sizes(K: int, M: int, N: int, E: int) -> Shape:
    return {"K": K, "M": M, "N": N, "E": E, "d": 1}


def _space(shape: Shape) -> Mapping[str, Box]:
    """Two outcomes: noise of either sign, and gradients after the first local step that depend on it."""
    K, M, E, d = (shape[name] for name in "KMEd")
    vectors = lambda *axes: Box(-1, 1, (*axes, d))  # noqa: E731
    room = lambda *axes: Box(0.1, 1, axes)  # noqa: E731
    return {
        **dict.fromkeys(("gamma_G", "gamma_L", "lam", "L", "sigma_L2", "sigma_G2", "sigma_T2", "B"), room()),
        **{"start": vectors(), "task_start": vectors(), "first": vectors(M), "noise": vectors(E, M)},
        **{"later": vectors(E - 1, 2, M), "earlier": vectors(K - 1), "before": vectors(K - 1)},
        **{
            "room_change": room(K - 1),
            "room_reach": room(K - 1),
            "room_noise": room(E, M),
            "room_sent": room(E, 2, M, 2),
        },
        "room_tasks": room(K - 1),
    }


def played_round(shape: Shape, values: Named, grads: list[Array], noises: list[Array]) -> Round:
    """The round in which the clients meet these gradients and noises, (1, 1, outcome, M, d) each."""
    start, task_start = (values[name][:, None, None] for name in ("start", "task_start"))
    step = column(values["gamma_L"], 4)
    points = [start[:, :, :, None] + 0 * grads[0]]
    for grad, noise in zip(grads, noises, strict=True):
        points.append(points[-1] - step * (grad + noise))
    algorithm = method(values)
    state = {"theta": start[:, 0] + 0 * points[0][:, 0, :, 0], "anchor": task_start[:, 0]}
    sets = tuple(combinations(range(shape["M"]), shape["N"]))
    after = [
        algorithm.aggregate(state, {"x": points[-1][:, 0][..., list(s), :]}, np.array([s]))["theta"]
        for s in sets
    ]
    return Round(start, task_start, points, grads, noises, stack(after, axis=2)[:, None], sets)


def _any_round(quantities: Quantities) -> Callable[[Shape, Named], Values]:
    def compute(shape: Shape, values: Named) -> Values:
        E, K, M = (shape[name] for name in "EKM")
        first = values["first"][:, None, None]
        grads = [first + 0 * values["noise"][:, :1, None] * np.ones((1, 1, 2, 1, 1), dtype=int)]
        grads += [values["later"][:, e][:, None] for e in range(E - 1)]
        noises = [stack([u, -u], axis=1)[:, None] for u in (values["noise"][:, e] for e in range(E))]
        played = played_round(shape, values, grads, noises)
        current = values["first"].sum(axis=1) / M
        each = [current, *(values["earlier"][:, i] for i in range(K - 1))]
        found = quantities(
            shape,
            values,
            played,
            [g[:, None, None] for g in each],
            values["before"].sum(axis=1)[:, None, None],
        )
        found["G0"] = norm(values["before"].sum(axis=1))
        return {**found, **_slacks(shape, values, played, each), **_rooms(shape, values, played, each)}

    return compute


def _rooms(shape: Shape, values: Named, played: Round, each: list[Array]) -> Values:
    """What the assumptions make nonnegative: smoothness, variance of the noise, drifts of clients and of tasks."""
    K = shape["K"]
    smooth = lambda x, y: values["L"][0] ** 2 * sq(x) - sq(y)  # noqa: E731
    far = [x - played.points[0] for x in played.points[:-1]]
    changes = [grad - played.grads[0] for grad in played.grads]
    away = values["task_start"] - values["start"]
    current = each[0]
    sent = [
        stack([grad[:, 0] + sign * values["noise"][:, e, None] for sign in (1, -1)], axis=-2)
        for e, grad in enumerate(played.grads)
    ]
    turned = [(grad[:, 0], x[:, 0]) for grad, x in zip(changes, far, strict=True)]
    return {
        "sent2_each": sq(stack(sent, axis=1)),
        "noise2_each": sq(values["noise"]),
        "task2_each": stack([sq(current - g) for g in each[1:K]], axis=1),
        **of.turns(*turned, (values["earlier"] - values["before"], away[:, None])),
        "left_change": smooth(away[:, None], values["earlier"] - values["before"]),
        "left_reach": values["L"][0] * norm(away)[:, None] - norm(values["earlier"] - values["before"]),
        "left_noise": values["sigma_L2"][0] - sq(values["noise"]),
        "left_sent": values["B"][0] ** 2 - sq(stack(sent, axis=1)),
        "left_tasks": values["sigma_T2"][0] - stack([sq(current - g) for g in each[1:K]], axis=1),
    }


def _slacks(shape: Shape, values: Named, played: Round, each: list[Array]) -> Values:
    """Slacks of the inequalities, (1, 1) each."""
    E, K, M, N = (shape[name] for name in "EKMN")
    mean, one_path = played.mean, lambda x: x[:, None]
    g = values["gamma_G"] * values["gamma_L"]
    wide, pull = column(g, 3), column(values["lam"], 3)
    current, everything = each[0][:, None, None], stack(each, axis=0).sum(axis=0)[:, None, None]
    away = played.task_start - played.start
    work, noise = (stack(each_step, axis=0).sum(axis=0) for each_step in (played.grads, played.noises))
    anchor = pull * K / wide * away
    differences = K * current - everything
    t = K * work - E * differences[..., None, :]
    earlier_change = values["earlier"] - values["before"]
    apart_tasks = [current[:, 0, 0] - x for x in each[1:]]
    apart_sets = played.after - played.after.mean(axis=3)[:, :, :, None]

    def three(chosen: list[int]) -> Array:
        inside = lambda x: x[:, :, :, chosen].sum(axis=3)  # noqa: E731
        parts = (-wide / N * K * inside(noise), wide * (-inside(t) / N + anchor), -wide * E * differences)
        return pairs_apart([part + 0 * inside(noise) for part in parts])

    rooms = lambda name: values[f"room_{name}"]  # noqa: E731
    tasks = (K - 1) * rooms("tasks").sum(axis=1) + pairs_apart(apart_tasks)
    sent, loud = rooms("sent"), sq(values["noise"])  # (1, step, outcome, M, sign), (1, step, M)
    each_sent = sent.sum(axis=(1, 2, 3, 4)) / 4 + loud.sum(axis=(1, 2))
    start_sent = sent[:, 0, 0].sum(axis=(1, 2)) / 2 + loud[:, 0].sum(axis=1)
    apart_clients = pairs_apart([values["first"][:, m] for m in range(M)])
    leftover = sum(values["earlier"][:, i] - 2 * values["before"][:, i] for i in range(K - 1))
    return {
        "slack_change_G0": one_path(sq(leftover) / 2),
        "slack_T7": played.over_sets(lambda s: sq(t[..., s, :].sum(axis=-2) / N - t.sum(axis=-2) / M)),
        "slack_T6_full": played.mean(sq(apart_sets).sum(axis=3) / len(played.sets)),
        "slack_change1": one_path(
            rooms("reach").sum(axis=1) + detour([earlier_change[:, i] for i in range(K - 1)])
        ),
        "slack_moved2": played.over_sets(three),
        "slack_change2": one_path(
            (K - 1) * rooms("change").sum(axis=1) + pairs_apart([earlier_change[:, i] for i in range(K - 1)])
        ),
        "slack_noise_mean": one_path(rooms("noise").sum(axis=(1, 2)) / (M * E)),
        "slack_noise_B": (
            one_path(sent.sum(axis=(1, 2, 3, 4)) / 4) + mean(sum(sq(x).sum(axis=3) for x in played.grads))
        )
        / (M * E),
        "slack_gK2": one_path(start_sent / M + apart_clients / M**2),
        "slack_pairs_B": 2
        * K**2
        * (
            mean(sq(work.sum(axis=3)))
            + M * (one_path(E * each_sent) + mean(pairs_apart(played.grads).sum(axis=3)))
        ),
        "slack_spread2": one_path(tasks),
        "slack_tm2_T": one_path(M * E**2 * tasks),
    }


_ROUND = Scene(
    name="a round with any gradients",
    shapes=tuple(_sizes(K, M, 1, E) for K, M, E in product((2, 3, 4), (2, 3, 4), (1, 2, 3))),
    space=_space,
    covers="an identity between arbitrary gradients, models and noises of mean zero for every choice of 2 to 4 tasks, 2 to "
    "4 clients and 1 to 3 local steps, where what the assumptions bound is taken as it is; both sides are quadratic "
    "forms, the same in every coordinate and symmetric in clients, steps and earlier tasks, with coefficients of degree "
    "at most 2 in each number once denominators are cleared",
)
_SAMPLED = _ROUND.variant(
    "a round of sampled clients with any gradients",
    shapes=(
        *(_sizes(2, M, N, 1) for M in (2, 3, 4, 5) for N in range(1, M + 1)),
        *(_sizes(2, 2, 1, 2), _sizes(2, 3, 2, 2), _sizes(3, 2, 1, 1)),
    ),
    covers="an identity between arbitrary vectors for every N of 2 to 5 clients; both sides are quadratic forms, the same "
    "in every coordinate and symmetric in clients, with coefficients of degree at most 2 in M and in N once M (M-1) N^2 "
    "is cleared, and tasks and local steps only scale the vectors",
)
_NOISE = _ROUND.variant(
    "a round with any uncorrelated noise",
    shapes=_SAMPLED.shapes,
    space=lambda shape: {
        **dict.fromkeys(("gamma_G", "gamma_L", "lam"), Box(0.1, 1)),
        **dict.fromkeys(("start", "task_start"), Box(-1, 1, (shape["d"],))),
        "noise": Box(-1, 1, (shape["E"], shape["M"], shape["d"])),
    },
    covers="an identity for every N of 2 to 5 clients and for 1 or 2 local steps, with noise of either sign, drawn for "
    "each client and step; both sides depend on the noise through its second moments alone, which all uncorrelated noise "
    "shares, and the same for every client and step",
)


def _any_noise(quantities: Quantities) -> Callable[[Shape, Named], Values]:
    def compute(shape: Shape, values: Named) -> Values:
        E, M = shape["E"], shape["M"]
        signs = np.array(list(product((-1, 1), repeat=E * M))).reshape(1, 1, -1, E, M, 1)
        noises = [signs[:, :, :, e] * values["noise"][:, None, None, e] for e in range(E)]
        none = [0 * u for u in noises]
        played = played_round(shape, values, none, noises)
        still = 0 * values["start"][:, None, None]
        return quantities(shape, values, played, [still] * shape["K"], still)

    return compute


# ------------------------------------------------------------------------------------------------- the facts

_part = K / (_g * E)
SAMPLED: Mapping[str, Condition] = {
    "T62": eq(one.T62, eq53),
    "T63": eq(one.T63, _g**2 * E**2 * one.spread2),
    "T62 by indicators": statement("special.eq49/expectation").relation,
    "T7 by T8": eq(one.T7, one.T8),
    "T63 by chances": statement("special.eq50.probability").relation,
    "move of all": statement("special.sec4.4.B3").relation,
    "move": eq(one.move_j, (-_g / M * one.E_work_j + lam * one.away_j) / (1 + lam)),
}
EQUAL: Mapping[str, Condition] = {
    "T5": eq(one.T5, one.along + one.q * one.inner_AK),
    "T5 by A": eq(one.T5, one.inner_A / (1 + lam)),
    "T5 by A and T8": eq(
        one.T5, (one.gA2 / _part + _part * one.A2 - _g / (E * K) * one.T8) / (2 * (1 + lam))
    ),
    "T51": eq(one.T51, _part * one.A2),
    "T52": eq(one.T52, _part * one.A2 - 2 * one.inner_A + one.gA2 / _part),
    "T8": eq(one.T8, (K / _g) ** 2 * one.A2 - 2 * K * E / _g * one.inner_A + E**2 * one.gA2),
    "T8 by pairs": eq(one.T8, eq54),
    "t_pairs": eq(t_pairs, 2 * M * t_Lam - 2 * M**2 * one.T8),
    "tm2_K": eq(one.tm2_K, M * E**2 * K**2 * one.gK2),
    "inner_AK": eq(one.inner_AK, one.gK2 + one.T4),
    "gA2": eq(one.gA2, one.gP2 + 2 * one.T4 + one.gK2),
    "A2": eq(one.A2, one.mean_D2 + 2 * one.inner_D + lam**2 * one.away2),
    "E_D": eq(one.E_D_j, one.E_work_j - M * E * one.gK_j),
    "D": eq(one.D_j, one.work_j - M * E * one.gK_j),
    "tbar": eq(one.tbar_j, K * one.work_j / M - K * E * one.gK_j + E * one.gA_j),
    "A": eq(one.A_j, -_g / M * one.D_j + lam * one.away_j),
    "Lam": eq(one.Lam_j, lam * K / _g * one.away_j),
}
FORMS: Mapping[str, Condition] = {
    "inner_D": le(one.inner_D, (one.mean_D2 + lam**2 * one.away2) / 2),
    "inner_D_less": le(one.inner_D, lam**2 * one.away2 / 8 + 2 * one.mean_D2),
    "t_Lam": le(t_Lam, 2 * tm2 + 2 * M * one.anchor2),
    "tm2": le(tm2, 4 * (one.tm2_D + one.tm2_G + one.tm2_T + one.tm2_K)),
    "tm2_G": eq(one.tm2_G, K**2 * E**2 * own2),
    "pairs_D": le(t_pairs, 4 * M * (one.tm2_D + one.tm2_G)),
}
OF_CHANGES = dict(zip(("mean_D2", "tm2_D"), (fact.relation for fact in CHANGES), strict=True))
AT_MOST: Mapping[str, Condition] = {
    "change_G0": le(one.change_G0, (one.change2 + G0**2) / 2),
    "tm2_T": le(one.tm2_T, M * E**2 * (K - 1) ** 2 * sigma_T2),
    "change2": le(one.change2, (K - 1) ** 2 * L**2 * one.away2),
    "noise_mean": le(one.noise_mean, sigma_L2),
    "noise_B": le(one.noise_mean, B**2),
    "gK2": le(one.gK2, B**2),
    "pairs_B": le(t_pairs, 2 * M**2 * K**2 * E**2 * B**2),
    "spread2": le(one.spread2, (K - 1) ** 2 * sigma_T2),
}
FROM_START = eq(one.gP2, one.change2 + 2 * one.change_G0 + G0**2)
EXPANDED = statement("special.eq46.expanded").relation
SMOOTHER = statement("special.c3.reason/corrected").compared
FEWER: Mapping[str, Condition] = {
    "T6_full": statement("special.sec4.4.B4").relation,
    "T7": le(one.T7, one.T62),
}
MOVED = le(one.moved2, 3 * (one.T61 + _g**2 * one.T62 + one.T63))
T61 = eq(one.T61, K**2 * _g**2 * E / N * one.noise_mean)
DRIFT = le(one.away2, one.FROM_START)
ANCHOR = le(one.anchor2, K**2 * E**2 * B**2)


def given(names: str) -> tuple[Condition, ...]:
    """Relations of the facts with these names."""
    relations = {**SAMPLED, **EQUAL, **FORMS, **OF_CHANGES, **AT_MOST, **FEWER}
    return tuple(relations[name] for name in names.split(", "))


def any_round_of(quantities: Quantities) -> Scene:
    """A round with any gradients, given how its quantities are computed."""
    return replace(_ROUND, compute=_any_round(quantities))


def facts(quantities: Quantities) -> tuple[Fact | Sums | Rounds, ...]:
    """Facts about one round, given how its quantities are computed."""
    any_round = any_round_of(quantities)
    sampled = replace(_SAMPLED, compute=any_round.compute)
    few_sampled = replace(sampled, shapes=tuple(shape for shape in sampled.shapes if shape["M"] < 4))
    any_noise = replace(_NOISE, compute=_any_noise(quantities))
    assumed: Mapping[str, Assumption] = {
        "room_change": ("left_change", *of.OF_TURNS),
        "room_reach": ("left_reach", *of.OF_BENDS),
        "room_noise": ("left_noise", *of.OF_NOISE),
        "room_sent": ("left_sent", *of.OF_SENT),
        "room_tasks": ("left_tasks", *of.OF_TASKS),
    }
    return (
        *(of_any_clients(relation) for relation in (*EQUAL.values(), *SAMPLED.values(), *FORMS.values())),
        *CHANGES,
        *(Fact(relation, any_round, f"slack_{name}", assumed) for name, relation in AT_MOST.items()),
        Fact(FROM_START, any_round),
        Fact(EXPANDED, sampled),
        Fact(MOVED, sampled, "slack_moved2"),
        *(Fact(relation, few_sampled, f"slack_{name}") for name, relation in FEWER.items()),
        Fact(SMOOTHER, any_round, "slack_change1", assumed),
        Fact(T61, any_noise),
        reached(DRIFT),
        reached(ANCHOR, lam * K / _g),
    )
