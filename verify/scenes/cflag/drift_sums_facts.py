"""Facts about sums over a round along delayed gradients, for arbitrary gradients (C-FLAG, Lemmas 15 and 16)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, pairwise

from nqm.fields import Array, norm, sq, stack
from verify.engine.model.scene import Fact, Named, Shape, Values
from verify.scenes.cflag.drift_facts import (
    FEW,
    drawn_at,
    facts_in,
    near_slacks,
    played,
    quarter,
    rooms,
    sharp_slacks,
)
from verify.scenes.cflag.local_steps import Round
from verify.scenes.lengths import detour

OverRound = Callable[[Round], Values]


def _sharp_errors(shape: Shape, values: Named, run: Round, paths: list[Array]) -> list[Array]:
    """Slacks of the bound (1 - 1/S) ((1 + beta L)^k - 1) |g| on gradient errors, E arrays (1, N).

    All samples except the last drawn one are delayed, by at most the length of the path.
    """
    N, S = shape["N"], shape["S"]
    bound, since, x = values["L"][0], drawn_at(shape), run.points
    moves = [b - a for a, b in pairwise(x)]
    zero = 0 * norm(x[0])

    def behind(k: int, i: int, j: int) -> Array:
        """Length of the path up to step k, minus the distance of the model of a gradient."""
        walked = moves[since[k, i, j] : k]
        before = sum((norm(move[:, i]) for move in moves[: since[k, i, j]]), zero[:, i])
        return detour([zero[:, i, None], *(move[:, i] for move in walked)]) + before

    found = [zero]
    for k in range(1, shape["E"]):
        stale = [run.used[k][:, :, j] - run.components[k][:, :, j] for j in range(S)]
        late = stack(
            [sum((behind(k, i, j) for j in range(S) if since[k, i, j] < k), zero[:, i]) for i in range(N)], 1
        )
        samples = values["room_samples"][:, :, k].sum(axis=-1)
        found.append((detour(stale) + samples + bound * (late + (S - 1) * paths[k])) / S)
    return found


def _slacks_over_round(shape: Shape, values: Named, run: Round) -> Values:
    """Slacks of the lines about sums over a round, (1,)."""
    N, E, steps = shape["N"], shape["E"], range(shape["E"])
    rho = [run.average(exact) for exact in run.exact]
    turns = [exact - run.exact[0] for exact in run.exact]
    mean = [run.average(turn) for turn in turns]
    g_t, p = run.global_gradient, run.p
    clients = lambda vectors: [p[:, i, None] * vectors[:, i] for i in range(N)]  # noqa: E731
    weighted = lambda name: (p[:, :, None] * values[name]).sum(axis=(1, 2))  # noqa: E731
    nothing = 0 * p[:, 0]
    beta, drifts = values["beta"], [norm(x - run.points[0]) for x in run.points]
    near, _ = near_slacks(shape, values, run, values["room_quarter"])
    _, errors = near_slacks(shape, values, run, quarter(values))
    longest = 4 * beta * norm(g_t)
    short = [left + longest * (E - k) for k, left in enumerate(near)]
    apart = lambda a, b: sq(a - b)  # noqa: E731
    mean_of_clients = lambda x: (p * x).sum(axis=1)  # noqa: E731
    drifted, paths = sharp_slacks(shape, values, run)
    apart_clients = detour([*[g_t] * E, *mean]) + sum(detour(clients(turn)) for turn in turns)
    lines = {
        "slack lem15.I/sharp": apart_clients
        + weighted("room_clients")
        + values["L"] * sum(mean_of_clients(left) for left in drifted),
        "slack eq133": detour(rho),
        "slack eq134": detour([*[g_t] * E, *mean]),
        "slack eq135.b": sum(detour(clients(turn)) for turn in turns),
        "slack eq136.c": weighted("room_clients"),
        "slack eq137.d/small-steps": sum(mean_of_clients(left) for left in short),
        "slack eq144.d/small-steps": sum(
            mean_of_clients(left * (E * longest + drift)) for left, drift in zip(short, drifts, strict=False)
        ),
        "slack eq147.cor14/small-steps": sum(mean_of_clients(left) for left in errors),
        "slack eq139": sum((apart(rho[k], rho[l]) for k, l in combinations(steps, 2)), nothing),
        "slack eq141.young": sum(apart(turn, g_t) for turn in mean),
        "slack eq142.b": sum(
            (
                p[:, i] * p[:, j] * apart(turn[:, i], turn[:, j])
                for turn in turns
                for i, j in combinations(range(N), 2)
            ),
            nothing,
        ),
        "slack eq143.c": weighted("room_clients2"),
        "slack eq147": detour([part for error in run.errors for part in clients(error)]),
    }
    of = lambda id: lines[f"slack {id}"]  # noqa: E731
    squares = of("eq141.young") + 2 * (of("eq142.b") + of("eq143.c"))
    lemmas = {
        "slack lem15.I/small-steps": apart_clients
        + weighted("room_clients")
        + values["L"] * of("eq137.d/small-steps"),
        "slack lem15.II/small-steps": of("eq139")
        + E * (squares + 2 * values["L"] ** 2 * of("eq144.d/small-steps")),
        "slack lem16/small-steps": of("eq147") + of("eq147.cor14/small-steps"),
        "slack lem16/sharp": of("eq147")
        + sum(mean_of_clients(left) for left in _sharp_errors(shape, values, run, paths)),
    }
    return {**lines, **lemmas}


def facts_over_round(quantities: OverRound) -> tuple[Fact, ...]:
    """Facts about sums over a round, given how they are computed."""

    def compute(shape: Shape, values: Named) -> Values:
        run, _ = played(shape, values)
        return {**quantities(run), **rooms(values, run), **_slacks_over_round(shape, values, run)}

    in_one = facts_in("sums over local steps along any gradients, in one", compute, "", "lem16/sharp", FEW)
    return in_one + facts_in(
        "sums over local steps along any gradients",
        compute,
        "eq140",
        "lem15.I/sharp eq133 eq134 eq135.b eq136.c eq139 eq141.young eq142.b eq143.c eq147 eq137.d/small-steps "
        "eq144.d/small-steps eq147.cor14/small-steps",
    )


def in_all(shape: Shape, values: Named) -> Values:
    """A round's sums of true gradients and of delay errors, and the slacks of Lemmas 15 and 16."""
    run, _ = played(shape, values)
    g, true, late = run.global_gradient, *(sum(map(run.average, x)) for x in (run.exact, run.errors))
    return {
        **{"gg": norm(g), "rho": norm(true), "ebar": norm(late)},
        **{"gg2": sq(g), "rho2": sq(true)},
        **rooms(values, run),
        **_slacks_over_round(shape, values, run),
    }


OVER_ROUND = facts_in(
    "a round along any gradients, in all",
    in_all,
    "",
    "lem15.I/small-steps lem15.II/small-steps lem16/small-steps",
    FEW,
)
"""Facts for Lemmas 15 and 16 with small steps, for all scenes with such a round."""


def longest(shape: Shape, values: Named) -> Values:
    """The sum of the delayed gradients of a round, compared with (((1 + beta L)^E - 1)/(beta L)) times the initial gradient.

    A gradient in use was evaluated at an earlier model, with a drift of at most that of the last model.
    """
    run, _ = played(shape, values)
    N, S, E = (shape[name] for name in "NSE")
    g, total = run.global_gradient, sum(map(run.average, run.delayed))
    bound, z, since = values["L"], values["beta"] * values["L"], drawn_at(shape)
    drifts, _ = sharp_slacks(shape, values, run)
    changes = [
        run.p[:, i, None] * (run.used[k][:, i, j] - run.components[0][:, i, j]) / S
        for k in range(E)
        for i in range(N)
        for j in range(S)
    ]
    left = detour([*[g] * E, *changes])
    for k in range(E):
        for i in range(N):
            for j in range(S):
                then = since[k, i, j]
                older = norm(g) * z * sum(((1 + z) ** l for l in range(then, k)), 0 * z)
                behind = bound * drifts[then][:, i] + values["room_start"][:, i, k, j]
                left = left + run.p[:, i] / S * (behind + older)
    most = sum((1 + z) ** k for k in range(E))
    return {
        **{"g2_most": sq(g), "s2_most": sq(total)},
        **rooms(values, run),
        "slack thm5.longest/fixed": left * (most * norm(g) + norm(total)),
    }


(LONGEST,) = facts_in(
    "delayed gradients of a round along any gradients, in all", longest, "", "thm5.longest/fixed", FEW
)
"""Fact about one round; the longest sum over several rounds is the sum of one of them."""
