"""Facts about norms in local steps along delayed gradients, for arbitrary gradients (C-FLAG, Lemmas 12 to 16).

They are triangle inequalities, Jensen's inequality and sums of smoothness bounds, each with its slack as an explicit expression.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise

import numpy as np
import sympy as sp

from bounds.catalogue import statement
from bounds.cflag.symbols import E, L, beta
from bounds.relations import le
from nqm.fields import Array, like, norm, sq, stack
from verify.engine.model.scene import Assumption, Box, Fact, Named, Scene, Shape, Values
from verify.scenes.cflag import terms as of
from verify.scenes.cflag.local_steps import Round, local_round, orders, refreshed
from verify.scenes.lengths import detour, excess, least
from verify.scenes.parameters import column

AtSteps = Callable[[Shape, Named, Round, list[Array]], Values]


SIZES = ((1, 1, 1), (1, 1, 3), (2, 1, 3), (1, 2, 4), (1, 3, 3), (2, 2, 2))
FEW = ((1, 1, 1), (1, 1, 3), (2, 1, 2), (1, 2, 3))
"""A few sizes (N, S, E) for facts with long proofs."""


def shapes(sizes: tuple[tuple[int, int, int], ...] = SIZES) -> tuple[Shape, ...]:
    """Every order of refreshing at these sizes."""
    return tuple(
        {"N": N, "S": S, "E": E, "d": 1, "order": order}
        for N, S, E in sizes
        for order in range(S ** (N * (E - 1)))
    )


def space(shape: Shape) -> Mapping[str, Box]:
    N, S, E, d = (shape[name] for name in "NSEd")
    room = lambda *axes: Box(0.1, 1, axes)  # noqa: E731
    return {
        "beta": room(),
        "L": room(),
        "grads": Box(-1, 1, (E, N, S, d)),
        "start": Box(-1, 1, (d,)),
        "raw": room(N),
        "bend": Box(-1, 1, (N, S)),
        "room_samples": room(N, E, S),
        "room_start": room(N, E, S),
        "room_clients": room(N, E),
        "room_clients2": room(N, E),
        "room_quarter": room(),
        "room_twelfth": room(),
    }


def played(shape: Shape, values: Named) -> tuple[Round, list[Array]]:
    order = like(values["raw"], orders(shape)[shape["order"]][None])
    fresh = refreshed(shape, order)
    grads = iter([values["grads"][:, step] for step in range(shape["E"])])
    start = values["start"][:, None] + 0 * values["grads"][:, 0, :, 0]
    p = values["raw"] / values["raw"].sum(axis=-1)[:, None]
    return local_round(lambda x: next(grads), start, column(values["beta"], 2), p, fresh), fresh


def rooms(values: Named, run: Round) -> Values:
    """Slacks of smoothness: of samples since their evaluation and since the start, and of clients; and of the step size limit."""
    bound, taken = values["L"][0], len(run.exact) * values["beta"] * values["L"]
    steps = list(zip(run.used, run.evaluated, run.components, run.points[:-1], run.exact, strict=True))
    origin, first = run.points[0], run.exact[0]
    left = lambda far, change: bound * norm(far) - norm(change)  # noqa: E731
    each = lambda parts: stack(parts, 2)  # noqa: E731
    behind = [(norm(g - now), norm(at - x[..., None, :])) for g, at, now, x, _ in steps]
    begun = [(norm(g - run.components[0]), norm(at - origin[..., None, :])) for g, at, *_ in steps]
    return {
        **of.turns("sample", *behind, *begun),
        **of.turns("client", *((norm(now - first), norm(x - origin)) for *_, x, now in steps)),
        "left_quarter": 1 - 4 * taken,
        "left_twelfth": 1 - 12 * taken,
        "left_samples": each([left(at - x[..., None, :], g - now) for g, at, now, x, _ in steps]),
        "left_start": each([left(at - origin[..., None, :], g - run.components[0]) for g, at, *_ in steps]),
        "left_clients": each([left(x - origin, now - first) for *_, x, now in steps]),
        "left_clients2": each([bound**2 * sq(x - origin) - sq(now - first) for *_, x, now in steps]),
    }


def drawn_at(shape: Shape) -> np.ndarray:
    """Step at which each gradient in use was evaluated: (E, N, S) ints."""
    order = orders(shape)[shape["order"]]
    found = np.zeros((shape["E"], shape["N"], shape["S"]), dtype=int)
    for step in range(1, shape["E"]):
        found[step] = np.where(order[:, step - 1, None] == np.arange(shape["S"]), step, found[step - 1])
    return found


def quarter(values: Named) -> Array:
    """1 - 4 E L beta, computed from 1 - 12 E L beta."""
    return (2 + values["room_twelfth"]) / 3


def near_slacks(shape: Shape, values: Named, run: Round, room: Array) -> tuple[list[Array], list[Array]]:
    """Slacks of the bounds 4 beta |g| k on drifts and 2 E L beta |g| on gradient errors, E arrays (1, N) each.

    Lemma 13 by induction: a step adds beta |g| and L beta times the mean drift of the models behind the gradients, which
    is at most 4 beta |g| times the mean of their steps. `room` is 1 - 4 E L beta.
    """
    N, S, E = (shape[name] for name in "NSE")
    bound, beta, since, x = values["L"][0], values["beta"][0], drawn_at(shape), run.points
    g_t = run.global_gradient[:, None] + 0 * x[0]
    lengths = [norm(b - a) for a, b in pairwise(x)]
    left, errors, walks = [0 * norm(x[0])], [], 0 * norm(x[0])
    for k in range(E):
        changed = [(run.used[k][:, :, j] - run.components[0][:, :, j]) / S for j in range(S)]
        stale = [run.used[k][:, :, j] - run.components[k][:, :, j] for j in range(S)]
        late = [[since[k, i, j] for j in range(S)] for i in range(N)]
        behind = stack([sum(left[l][:, i] for l in late[i]) / S for i in range(N)], 1)
        straight = [
            sum(
                detour([0 * x[0][:, i], *(x[m + 1][:, i] - x[m][:, i] for m in range(l, k))])
                + sum((lengths[m][:, i] for m in range(l)), 0 * beta)
                for l in late[i]
            )
            / S
            for i in range(N)
        ]
        steps = np.array([[sp.Rational(sum(row), S * E) for row in late]], dtype=object)
        used = values["room_start"][:, :, k].sum(axis=-1) / S + bound * behind
        errors.append(
            detour(stale) / S
            + values["room_samples"][:, :, k].sum(axis=-1) / S
            + bound * (stack(straight, 1) + walks)
        )
        walks = walks + detour([-beta * g_t, *(-beta * part for part in changed)]) + beta * used
        walks = walks + beta * norm(g_t) * (sp.Rational(1) - steps + steps * room)
        left.append(
            left[k]
            + detour([x[k] - x[0], -beta * g_t, *(-beta * part for part in changed)])
            + beta * used
            + beta * norm(g_t) * (sp.Integer(3) - steps + steps * room)
        )
    within = [error + bound * beta * norm(g_t) * 2 * (E - k) for k, error in enumerate(errors)]
    return left[:E], within


def sharp_slacks(shape: Shape, values: Named, run: Round) -> tuple[list[Array], list[Array]]:
    """Slacks of the bound ((1 + beta L)^k - 1)/L |g| on drifts and path lengths, E arrays (1, N) each.

    By induction: a step adds beta |g| and L beta times the mean drift of the models behind the gradients, and the bound
    grows by (1 + beta L)^l beta |g| in step l.
    """
    N, S, E = (shape[name] for name in "NSE")
    bound, beta, since, x = values["L"][0], values["beta"][0], drawn_at(shape), run.points
    g_t = run.global_gradient[:, None] + 0 * x[0]
    added = [(1 + beta * bound) ** l * beta * norm(g_t) for l in range(E)]
    drifts, paths = [0 * norm(x[0])], [0 * norm(x[0])]
    for k in range(E):
        parts = [-beta * (run.used[k][:, :, j] - run.components[0][:, :, j]) / S for j in range(S)]
        behind = stack(
            [
                sum(
                    drifts[l][:, i] + sum((more[:, i] for more in added[l:k]), 0 * beta)
                    for l in (since[k, i, j] for j in range(S))
                )
                / S
                for i in range(N)
            ],
            1,
        )
        grown = beta * (values["room_start"][:, :, k].sum(axis=-1) / S + bound * behind)
        drifts.append(drifts[k] + detour([x[k] - x[0], -beta * g_t, *parts]) + grown)
        paths.append(paths[k] + detour([-beta * g_t, *parts]) + grown)
    return drifts[:E], paths[:E]


def _slacks_at_steps(shape: Shape, values: Named, run: Round) -> Values:
    """Slacks of the lines at every step, (1, N, E)."""
    N, S, E = (shape[name] for name in "NSE")
    bound, beta = values["L"][0], values["beta"][0]
    since = drawn_at(shape)
    samples, start, clients = (values[f"room_{name}"] for name in ("samples", "start", "clients"))
    x, moves = run.points, [b - a for a, b in zip(run.points, run.points[1:], strict=False)]
    far = [point - x[0] for point in x]
    drift = [norm(each) for each in far]
    g_t = run.global_gradient[:, None] + 0 * x[0]
    turn = [exact - run.exact[0] for exact in run.exact]
    stale = [[run.used[k][:, :, j] - run.components[k][:, :, j] for j in range(S)] for k in range(E)]
    changed = [[run.used[k][:, :, j] - run.components[0][:, :, j] for j in range(S)] for k in range(E)]
    zero = 0 * drift[0]

    def of_clients(of: Callable[[int], Array]) -> Array:
        return stack([of(i) for i in range(N)], 1)

    def largest(k: int) -> Callable[[Array], Array]:
        return lambda number: excess(number, drift[: k + 1])

    def below_largest(k: int) -> Array:
        """L times the largest drift minus the mean distance of the models at which the gradients were evaluated."""
        above = largest(k)
        return of_clients(lambda i: sum(above(drift[since[k, i, j]])[:, i] for j in range(S)) * bound / S)

    def walked(k: int, i: int, j: int) -> Array:
        """Length of the path since the evaluation of a gradient, minus the distance."""
        return detour([zero[:, i, None], *(move[:, i] for move in moves[since[k, i, j] : k])])

    def earlier(k: int, i: int, j: int) -> Array:
        return sum((norm(move[:, i]) for move in moves[: since[k, i, j]]), zero[:, i])

    error = [detour(stale[k]) / S for k in range(E)]
    own = [
        error[k]
        + samples[:, :, k].sum(axis=-1) / S
        + bound * sum(detour([run.evaluated[k][:, :, j] - x[0], -far[k]]) for j in range(S)) / S
        for k in range(E)
    ]
    direct = [[*(part / S for part in changed[k])] for k in range(E)]
    bent = [start[:, :, k].sum(axis=-1) / S + below_largest(k) for k in range(E)]
    largest_of = lambda k: np.vectorize(sp.Max, otypes=[object])(*drift[: k + 1])  # noqa: E731
    halves = [largest(k)(drift[k]) for k in range(E)]
    so_far = lambda parts, k: sum(parts[:k], zero)  # noqa: E731
    short = 4 * beta * norm(g_t)
    near, _ = near_slacks(shape, values, run, values["room_quarter"])
    nearer, _ = near_slacks(shape, values, run, quarter(values))
    drifted, walked_off = sharp_slacks(shape, values, run)
    split = [detour([g_t, turn[k], run.errors[k]]) + clients[:, :, k] for k in range(E)]
    lines = {
        "eq94.a": lambda k: error[k],
        "eq94.smooth": lambda k: samples[:, :, k].sum(axis=-1) / S,
        "eq96": lambda k: of_clients(lambda i: sum(walked(k, i, j) for j in range(S)) / S),
        "eq97": lambda k: of_clients(lambda i: sum(earlier(k, i, j) for j in range(S)) / S),
        "eq97/sharp": lambda k: of_clients(
            lambda i: (
                sum((walked(k, i, j) + earlier(k, i, j) for j in range(S) if since[k, i, j] < k), zero[:, i])
                / S
            )
        ),
        "eq101.e": lambda k: so_far(split, k),
        "eq101/sharp": lambda k: (
            beta
            * sum(
                (
                    detour([g_t, *direct[l]]) + bent[l] + bound * excess(largest_of(l), drift[:k])
                    for l in range(k)
                ),
                zero,
            )
        ),
        "eq103/own": lambda k: own[k],
        "eq104.away": lambda k: below_largest(k) / bound,
        "eq105.largest": lambda k: halves[k],
        "eq106.sum": lambda k: so_far([own[l] + below_largest(l) + bound * halves[l] for l in range(E)], k),
        "eq107.sum": lambda k: so_far(halves, k),
        "eq109.sum": lambda k: sum((excess(largest_of(l), drift[:k]) for l in range(k)), zero),
        "eq119": lambda k: zero,
        "eq113": lambda k: detour([far[k], -beta * g_t, -beta * turn[k], -beta * run.errors[k]]),
        "lem13": lambda k: near[k],
        "lem13/sharp": lambda k: drifted[k],
        "eq101.path/sharp": lambda k: walked_off[k],
        "eq129.drift": lambda k: least(
            [left + short * (E - l) for l, left in enumerate(nearer[:k])] or [short * E]
        ),
        "eq114.smooth": lambda k: clients[:, :, k],
        "eq117/sharp": lambda k: (
            detour([far[k], -beta * g_t, *(-beta * part for part in direct[k])]) + beta * bent[k]
        ),
    }
    return {f"slack {id}": stack([zero + of(k) for k in range(E)], -1) for id, of in lines.items()}


COVERS = (
    "an identity between arbitrary gradients for every order of refreshing, with "
    "what smoothness leaves taken as it is; the slack is made of |x_1| + .. + |x_n| - |x_1 + .. + x_n|, of squares and of "
    "what a largest number exceeds others by, in the same way for every further step, sample, client and coordinate"
)
ASSUMED: Mapping[str, Assumption] = {
    "room_samples": ("left_samples", of.OF_SAMPLES, of.SAMPLES),
    "room_start": ("left_start", of.OF_SAMPLES, of.SAMPLES),
    "room_clients": ("left_clients", of.OF_CLIENTS, of.CLIENTS),
    "room_clients2": ("left_clients2", of.OF_CLIENTS, of.CLIENTS2),
    "room_quarter": ("left_quarter", le(beta, 1 / (4 * E * L))),
    "room_twelfth": ("left_twelfth", le(beta, 1 / (12 * E * L))),
}


def facts_in(
    name: str,
    compute: Callable[[Shape, Named], Values],
    equal: str,
    at_most: str,
    sizes: tuple[tuple[int, int, int], ...] = SIZES,
) -> tuple[Fact, ...]:
    scene = Scene(name, shapes(sizes), space, compute, covers=COVERS)
    relation = lambda id: statement(f"cflag.{id}").compared  # noqa: E731
    return (
        *(Fact(relation(id), scene) for id in equal.split()),
        *(Fact(relation(id), scene, f"slack {id}", ASSUMED) for id in at_most.split()),
    )


def facts_at_steps(quantities: AtSteps) -> tuple[Fact, ...]:
    """Facts about the local steps, given how their norms are computed."""

    def compute(shape: Shape, values: Named) -> Values:
        run, fresh = played(shape, values)
        found = quantities(shape, values, run, fresh)
        return {**found, **rooms(values, run), **_slacks_at_steps(shape, values, run)}

    return facts_in(
        "local steps along any gradients, in norms",
        compute,
        "eq99 eq100 eq120",
        "eq94.a eq94.smooth eq96 eq97 eq97/sharp eq101.e eq101/sharp eq103/own eq104.away eq105.largest eq106.sum "
        "eq107.sum eq109.sum eq113 eq119 eq114.smooth eq117/sharp lem13 lem13/sharp eq101.path/sharp eq129.drift",
    )
