"""SPECIAL, whole tasks: facts about gradients of all tasks along a run, whatever they are."""

from __future__ import annotations

from bounds.relations import eq, ge, le
from bounds.special import one_round as one
from bounds.special.drift import PULLED
from bounds.special.rate import away_max, away_max2, grad1, grad1_0, min_grad2_0, reach, strayed, weighed_T
from bounds.special.rate_needed import each_grad2
from bounds.special.symbols import G0, B, E, K, L, T, gamma_G, gamma_L, lam, min_grad2, t
from nqm.fields import amax, norm, sq, stack
from verify.engine.scene import Assumption, Box, Fact, Named, Rounds, Scene, Shape, Values
from verify.scenes.lengths import detour, excess
from verify.scenes.special.drift_facts import pairs_apart, reached, reached_in_time, strayed_in_time
from verify.scenes.special.terms import OF_BENDS, OF_LENGTH, OF_SENT, turns

LOWER = ge(grad1, grad1_0 - K * L * one.away1)
UPPER = le(grad1, grad1_0 + K * L * one.away1)
LONGEST = le(grad1, K * B), le(grad1_0, K * B)
AWAY2 = le(one.away2, (T * gamma_G * gamma_L * E * B) ** 2)
NEAR2 = le(one.away2, one.FROM_START)
NEAR_FINITE2 = le(one.away2, (gamma_G * gamma_L * E * B * PULLED.subs(t, T)) ** 2)
WEIGHED = eq(weighed_T, PULLED.subs(t, T))
SQUARE = eq(one.away2, one.away1**2)
LARGEST2 = le(away_max2, one.FROM_START)
LARGEST = (
    eq(away_max2, away_max**2),
    eq(strayed, (K - 1) * L * away_max),
    eq(reach, gamma_L * E * L * B / lam),
)
BY_REACH = eq(gamma_L, reach * lam / (E * L * B))
REACHED = le(min_grad2, (G0 + strayed + B) ** 2)
BOUNDED = le(min_grad2, K**2 * B**2)
EACH = le(each_grad2, B**2)
STARTED = le(min_grad2_0, 2 * G0**2 + 2 * B**2)


def _moved(shape: Shape, values: Named) -> Values:
    """Gradients (batch, K, M, d) of all clients at the start of a task and at another model."""
    before, now, L = values["before"], values["now"], values["L"]
    M, far = shape["M"], values["away"]
    changes = (now - before).reshape(1, -1, shape["d"])
    total, first = (x.sum(axis=(1, 2)) / M for x in (now, before))
    rooms = values["room_change"].sum(axis=(1, 2)) / M
    apart = detour([changes[:, k] / M for k in range(changes.shape[1])]) + rooms
    return {
        "grad1": norm(total),
        "grad1_0": norm(first),
        "away1": norm(far),
        **turns((now - before, far[:, None, None])),
        "left_change": (L * norm(far))[:, None, None] - norm(now - before),
        "slack_lower": detour([total, first - total]) + apart,
        "slack_upper": detour([first, total - first]) + apart,
    }


_MOVED = Scene(
    name="gradients of all tasks at two models",
    shapes=tuple({"K": K, "M": M, "d": 1} for K, M in ((1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (4, 1))),
    space=lambda shape: {
        **dict.fromkeys(("before", "now"), Box(-1, 1, (shape["K"], shape["M"], shape["d"]))),
        "room_change": Box(0.1, 1, (shape["K"], shape["M"])),
        "away": Box(-1, 1, (shape["d"],)),
        "L": Box(0.1, 1),
    },
    compute=_moved,
    covers="lengths of arbitrary vectors, where what smoothness leaves is taken as it is; the slack is what detours are longer than "
    "straight ways, in any dimension and for any number of tasks and clients",
)


def _long(shape: Shape, values: Named) -> Values:
    """One gradient of all tasks, of clients' gradients (batch, K, M, d); noise u of either sign is added to them."""
    tasks, u, M = values["tasks"], values["noise"], shape["M"]
    total = tasks.sum(axis=(1, 2)) / M
    drawn = stack([tasks + u, tasks - u], axis=-2)
    own = values["room_sent"].sum(axis=-1) / 2 + detour([(tasks + u) / 2, (tasks - u) / 2])
    each = tasks.reshape(1, -1, shape["d"]) / M
    return {
        **dict.fromkeys(("grad1", "grad1_0"), norm(total)),
        "sent2_each": sq(drawn),
        "left_sent": values["B"][:, None, None, None] - norm(drawn),
        "slack_long": own.sum(axis=(1, 2)) / M + detour([each[:, k] for k in range(each.shape[1])]),
    }


_LONG = Scene(
    name="a gradient of all tasks",
    shapes=_MOVED.shapes,
    space=lambda shape: {
        **dict.fromkeys(("tasks", "noise"), Box(-1, 1, (shape["K"], shape["M"], shape["d"]))),
        "room_sent": Box(0.1, 1, (shape["K"], shape["M"], 2)),
        "B": Box(0.1, 1),
    },
    compute=_long,
    covers="lengths of arbitrary vectors, where what bounded gradients leave is taken as it is; the slack is what detours are "
    "longer than straight ways, in any dimension and for any number of tasks and clients",
)


def _along(shape: Shape, values: Named) -> Values:
    """Gradients (T + 1, n, K, M, d) of a run with n equally likely paths; noise u of either sign is added to them."""
    tasks, u, T, n = values["tasks"], values["noise"], shape["T"], shape["n"]
    M, K = shape["M"], shape["K"]
    each = tasks.sum(axis=4) / M  # (1, T + 1, n, K, d)
    first = each[:, 0, 0]  # all paths start alike
    later = sq(each.sum(axis=3)).sum(axis=2) / n
    total = stack([sq(first.sum(axis=1)), *(later[:, t] for t in range(1, T + 1))], axis=1)
    drawn = stack([tasks + u, tasks - u], axis=-2)
    left = values["B"][0] ** 2 - sq(drawn)
    spread = pairs_apart([tasks[:, :, :, :, m] for m in range(M)]) / M**2
    short = values["room_sent"].sum(axis=(-1, -2)) / (2 * M) + sq(u).sum(axis=-1) / M + spread
    apart = pairs_apart([each[:, :, :, i] for i in range(K)])
    over = (K * short.sum(axis=-1) + apart).sum(axis=2) / n  # (1, T + 1)
    earlier = first[:, 1:].sum(axis=1) if K > 1 else 0 * first[:, 0]
    start = sq(first[:, 0] - earlier) + 2 * short[:, 0, 0, 0]
    single = sq(each).sum(axis=2) / n  # (1, T + 1, K)
    least = lambda x: -amax(-x, -1)  # noqa: E731
    above = lambda x, k: excess(-x[:, k], [-x[:, t] for t in range(x.shape[1])])  # noqa: E731
    return {
        "min_grad2": least(total[:, 1:]),
        "min_grad2_0": least(total[:, :T]),
        "each_grad2": least(single[:, 1:].swapaxes(1, 2)),
        "slack_each": stack(
            [short[:, T, :, i].sum(axis=1) / n + above(single[:, 1:, i], T - 1) for i in range(K)], axis=-1
        ),
        "G0": norm(earlier),
        "sent2_each": sq(drawn),
        "left_sent": left,
        "slack_bounded": over[:, T] + above(total[:, 1:], T - 1),
        "slack_started": start + above(total[:, :T], 0),
    }


_ALONG = Scene(
    name="gradients of all tasks along a run",
    shapes=tuple(
        {"T": T, "n": n, "K": K, "M": M, "d": 1}
        for T, n, K, M in ((1, 1, 1, 1), (1, 1, 2, 1), (1, 1, 2, 2), (2, 1, 2, 1), (1, 2, 2, 1), (1, 1, 3, 1))
    ),
    space=lambda shape: {
        "tasks": Box(-1, 1, (shape["T"] + 1, *(shape[name] for name in "nKMd"))),
        "noise": Box(-1, 1, (shape["T"] + 1, *(shape[name] for name in "nKMd"))),
        "room_sent": Box(0.1, 1, (shape["T"] + 1, *(shape[name] for name in "nKM"), 2)),
        "B": Box(0.1, 1),
    },
    compute=_along,
    covers="an identity between arbitrary gradients and noises of up to 3 tasks, 2 clients, 2 rounds and 2 paths, where B^2 less "
    "the square of each stochastic gradient is taken as it is; both sides are quadratic forms, the same in every coordinate, "
    "symmetric in tasks and clients, besides the least of several numbers",
)


def _within(shape: Shape, values: Named) -> Values:
    """One client's gradients at the end of n equally likely paths, with noise of either sign, in lengths."""
    K, n, L, bound = shape["K"], shape["n"], values["L"], values["B"]
    current, u, far = values["current"], values["noise"], values["far"]
    before, change = values["before"], values["change"]  # (1, K - 1, d), (1, n, K - 1, d)
    lengths = norm(far)
    away = amax(lengths, -1)
    first = before.sum(axis=1) if K > 1 else 0 * current[:, 0]
    slack, squares = 0 * bound, 0 * bound
    for k in range(n):
        changes = [change[:, k, i] for i in range(K - 1)]
        earlier = first + sum(changes)
        total = current[:, k] + earlier
        own = values["room_sent"][:, k].sum(axis=-1) / 2 + detour(
            [(current[:, k] + u[:, k]) / 2, (current[:, k] - u[:, k]) / 2]
        )
        drawn = detour([first, *changes]) + values["room_change"][:, k].sum(axis=-1)
        beyond = excess(lengths[:, k], [lengths[:, j] for j in range(n)])
        short = detour([current[:, k], earlier]) + own + drawn + (K - 1) * L * beyond
        level = (
            norm(first) + (K - 1) * L * (lengths[:, k] + beyond) + bound
        )  # the largest as what is visibly >= 0
        slack = slack + short * (level + norm(total)) / n
        squares = squares + sq(total) / n
    sent = stack([current + u, current - u], axis=2)
    return {
        "min_grad2": squares,
        "G0": norm(first),
        "away_max": away,
        "away_max2": away**2,
        "strayed": (K - 1) * L * away,
        "reach": values["gamma_L"] * shape["E"] * L * bound / values["lam"],
        "sent2_each": sq(sent),
        **turns((change, far[:, :, None])),
        "left_sent": bound[:, None, None] - norm(sent),
        "left_change": L[:, None, None] * lengths[:, :, None] - norm(change),
        "slack_reached": slack,
    }


_WITHIN = Scene(
    name="gradients within the reach of a run",
    shapes=tuple(
        {"K": K, "n": n, "E": E, "d": 1} for K, n, E in ((2, 1, 1), (2, 2, 1), (3, 1, 2), (3, 2, 2))
    ),
    space=lambda shape: {
        **dict.fromkeys(("current", "noise", "far"), Box(-1, 1, (shape["n"], shape["d"]))),
        "before": Box(-1, 1, (shape["K"] - 1, shape["d"])),
        "change": Box(-1, 1, (shape["n"], shape["K"] - 1, shape["d"])),
        "room_sent": Box(0.1, 1, (shape["n"], 2)),
        "room_change": Box(0.1, 1, (shape["n"], shape["K"] - 1)),
        **dict.fromkeys(("L", "B", "gamma_L", "lam"), Box(0.1, 1)),
    },
    compute=_within,
    covers="lengths of arbitrary vectors of 2 and 3 tasks on 1 or 2 paths, where what smoothness and bounded gradients leave is "
    "taken as it is; the least mean square over the rounds is at most the last one, and the mean over clients obeys what each does",
)


_LETTERS = Scene(
    name="a length, and what the pull of T rounds leaves",
    shapes=({"T": T},),
    space=lambda shape: {"lam": Box(0.1, 1), "far": Box(0, 1)},
    compute=lambda shape, values: {
        **{"away1": values["far"], "away2": values["far"] ** 2},
        "weighed_T": (1 - (1 + values["lam"]) ** (-shape["T"])) / values["lam"],
    },
    covers="what the letters mean",
)


def facts() -> tuple[Fact | Rounds, ...]:
    """Facts about the run of a task."""
    smooth: dict[str, Assumption] = {"room_change": ("left_change", *OF_BENDS)}
    bounded: dict[str, Assumption] = {"room_sent": ("left_sent", *OF_SENT)}
    short: dict[str, Assumption] = {"room_sent": ("left_sent", *OF_LENGTH)}
    return (
        Fact(LOWER, _MOVED, "slack_lower", smooth),
        Fact(UPPER, _MOVED, "slack_upper", smooth),
        *(Fact(relation, _LONG, "slack_long", short) for relation in LONGEST),
        Fact(SQUARE, _LETTERS),
        Fact(BOUNDED, _ALONG, "slack_bounded", bounded),
        Fact(STARTED, _ALONG, "slack_started", bounded),
        Fact(EACH, _ALONG, "slack_each", bounded),
        Fact(REACHED, _WITHIN, "slack_reached", {**short, **smooth}),
        *(Fact(meaning, _WITHIN) for meaning in (*LARGEST, BY_REACH)),
        reached(LARGEST2),
        reached(NEAR2),
        reached_in_time(NEAR_FINITE2, T),
        strayed_in_time(AWAY2, T),
        Fact(WEIGHED, _LETTERS),
    )
