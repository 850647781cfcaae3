"""One round of SPECIAL from every model that a run can reach: the quantities of Eq. (39) to (60) in exact expectation."""

from __future__ import annotations

from nqm.federation import task_grad, total_grad, total_loss
from nqm.fields import Array, dot, expand, norm, sq
from nqm.world import World
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.scenes.federated import build, known_constants, origin, sizes, world_space
from verify.scenes.parameters import column
from verify.scenes.special import meanings, rate_facts, round_drift
from verify.scenes.special.one_round import Round, full_round, method, states_of_paths, steps_space
from verify.scenes.special.rate_sums import FACTS, costs_of, so_far
from verify.scenes.special.round_drift import drift_of_clients
from verify.scenes.special.terms import DEFINES, terms


def space(shape: Shape) -> dict[str, Box]:
    """Worlds and hyper-parameters; the step sizes are fractions of their limits."""
    return {**world_space(shape), **steps_space(shape)}


def scene_constants(shape: Shape, values: Named) -> Values:
    """Constants of the assumptions, and the constants of the theorem at the start of the task."""
    world, start = build(shape, values), origin(shape, values)
    return {
        **known_constants(shape, values),
        "G0": norm(total_grad(world, start, range(1, shape["K"])))[:, 0],
        "f0": total_loss(world, start)[:, 0],
    }


# ------------------------------------------------------------------------------------------- one round


def gradients(shape: Shape, values: Named, world: World, played: Round) -> tuple[Values, list[Array]]:
    """Gradients of the tasks at the start of the round, and at the start of the task; (batch, path, 1, ...)."""
    th, th0 = played.start[:, :, 0], played.task_start[:, :, 0]
    each = [task_grad(world, th, task)[:, :, None] for task in range(shape["K"])]
    gP0 = total_grad(world, th0, range(1, shape["K"]))[:, :, None]
    return {"f_now": total_loss(world, th), **compared(played, each, gP0)}, each


def compared(played: Round, each: list[Array], gP0: Array) -> Values:
    """Quantities of the proof from the tasks' gradients, and from the earlier tasks' gradient at the start of the task."""
    gK, gP = each[0], sum(each[1:])
    gA, away = gK + gP, played.task_start - played.start
    return {
        "gA2": sq(gA)[:, :, 0],
        "gK2": sq(gK)[:, :, 0],
        "gP2": sq(gP)[:, :, 0],
        "change2": sq(gP - gP0)[:, :, 0],
        "change1": norm(gP - gP0)[:, :, 0],
        "change_G0": dot(gP - gP0, gP0)[:, :, 0],
        "away2": sq(away)[:, :, 0],
        "away1": norm(away)[:, :, 0],
        "T4": dot(gP, gK)[:, :, 0],
        "inner_AK": dot(gA, gK)[:, :, 0],
        "spread2": sq(sum(gK - g for g in each))[:, :, 0],
        "away_j": away,
        "gK_j": gK,
        "gA_j": gA,
    }


def increment(shape: Shape, values: Named, world: World, played: Round) -> Values:
    """The model after the round of the algorithm, and its increment."""
    batch, paths, outcomes, sets, d = played.after.shape
    after = played.after.reshape(batch, paths * outcomes * sets, d)
    losses = total_loss(world, after).reshape(batch, paths, outcomes * sets)
    return {"f_next": losses.sum(axis=-1) / losses.shape[-1], **moments_of_movement(values, played)}


def moments_of_movement(values: Named, played: Round) -> Values:
    """The expected and the mean squared movement of the model."""
    moves, sets = played.after - played.start[:, :, :, None], len(played.sets)
    full = _with_everyone(values, played) - played.start
    return {
        "move_j": played.mean(moves.sum(axis=3) / sets)[:, :, None],
        "move_full_j": played.mean(full)[:, :, None],
        "T6": played.mean(sq(moves).sum(axis=3) / sets),
        "T6_full": played.mean(sq(full)),
    }


def _with_everyone(values: Named, played: Round) -> Array:
    """Model after the round if every client takes part, by Eq. (6) written out."""
    local, server, lam = (column(values[name], 3) for name in ("gamma_L", "gamma_G", "lam"))
    mean = sum(g + u for g, u in zip(played.grads, played.noises, strict=True)).mean(axis=3)
    return (played.start - server * local * mean + lam * played.task_start) / (1 + lam)


def splits(shape: Shape, values: Named, played: Round, found: Values, each: list[Array]) -> Values:
    """The sums into which the proof splits the round."""
    K, M, N, E = (shape[name] for name in ("K", "M", "N", "E"))
    g = column(values["gamma_G"] * values["gamma_L"], 1)
    wide, lam = expand(g, 2), column(values["lam"], 3)
    gK, gA, away = found["gK_j"], found["gA_j"], found["away_j"]
    mean = played.mean
    work, noise = sum(played.grads), sum(played.noises)  # (batch, path, outcome, M, d)
    changes = [grad - played.grads[0] for grad in played.grads]
    D = sum(changes).sum(axis=3)
    A = -wide / M * D + lam * away
    Lam = lam * K / wide * away
    t = sum(work + (E * (gi - gK))[:, :, :, None] for gi in each)
    differences = sum(gK - gi for gi in each)
    c = K / (g * E)
    T5 = dot(gA, found["move_j"] + expand(g, 2) * E * gK / (1 + lam))[:, :, 0]
    everyone = lambda x: x.sum(axis=3)  # noqa: E731
    sampled = lambda x: lambda s: x[:, :, :, s].sum(axis=3)  # noqa: E731
    inside = lambda x: lambda s: sum(x[:, :, :, m] * (1 if m in s else 0) for m in range(M))  # noqa: E731
    squared = lambda of, form: played.over_sets(lambda s: sq(form(of(s))))  # noqa: E731
    added = lambda x: -wide / N * K * x  # noqa: E731
    differing = lambda s: 0 * sampled(work)(s) + len(s) * E * differences  # noqa: E731
    pairs = [(m, n) for m in range(M) for n in range(M) if m != n]
    return {
        "along": dot(gA, found["move_j"])[:, :, 0],
        "T5": T5,
        "T51": c * mean(sq(A)),
        "T52": mean(sq(expand(c, 2) * A - gA)) / c,
        "A2": mean(sq(A)),
        "inner_A": mean(dot(gA, A)),
        "mean_D2": mean(sq(wide / M * D)),
        "inner_D": mean(dot(-wide / M * D, lam * away)),
        **drift_of_clients(played, gK),
        "noise_mean": mean(sum(sq(u).sum(axis=3) for u in played.noises)) / (M * E),
        "work_j": everyone(work),
        "E_work_j": mean(everyone(work))[:, :, None],
        "D_j": D,
        "E_D_j": mean(D)[:, :, None],
        "A_j": A,
        "Lam_j": Lam,
        "tbar_j": everyone(t) / M,
        "moved2": played.over_sets(lambda s: sq(added(sampled(work + noise)(s)) + lam * K * away)),
        "T61": squared(sampled(noise), added),
        "T61_P": mean(sq(added(everyone(noise) * N / M))),
        "T62": squared(sampled(t), lambda x: -x / N + Lam),
        "T62_S": squared(inside(t), lambda x: -x / N + Lam),
        "T63": squared(differing, lambda x: -wide / N * x),
        "T63_P": mean(sq(-wide / N * (differing(list(range(M))) * N / M))),
        "T7": mean(sq(-(everyone(t) * N / M) / N + Lam)),
        "T8": mean(sq(-everyone(t) / M + Lam)),
        "tm2": mean(sq(t).sum(axis=3)),
        "t_Lam": mean(sq(t - Lam[:, :, :, None]).sum(axis=3)),
        "t_pairs": mean(sum((sq(t[:, :, :, m] - t[:, :, :, n]) for m, n in pairs), 0 * sq(t[:, :, :, 0]))),
        "anchor2": sq(Lam)[:, :, 0],
        "tm2_D": mean(sq(sum(changes) * K).sum(axis=3)),
        "tm2_G": mean(sq(K * E * (played.grads[0] - gK[:, :, :, None])).sum(axis=3)),
        "tm2_T": M * sq(E * differences)[:, :, 0],
        "tm2_K": M * sq(K * E * gK)[:, :, 0],
    }


def one_round(shape: Shape, values: Named) -> Values:
    """Every quantity of the proof in one round, on every path that leads to it: (batch, path, ...)."""
    world, algorithm = build(shape, values), method(values)
    path = states_of_paths(shape, values, world, algorithm)
    played = full_round(shape, world, algorithm, path[-1], path[-1]["anchor"])
    found, each = gradients(shape, values, world, played)
    found |= increment(shape, values, world, played)
    return {
        **found,
        **splits(shape, values, played, found, each),
        **so_far(world, path, found),
        "costs": costs_of(shape, values),
    }


def round_sizes(**lists: int) -> Shape:
    """Sizes of a round after some rounds before it; two clients at least, because the proof divides by M - 1."""
    found = {**sizes(), "M": 2, "before": 1, **lists}
    return {name: value for name, value in found.items() if name != "t"}


ROUND = Scene(
    name="one round of SPECIAL",
    told=meanings.BOUNDED,
    shapes=(
        round_sizes(N=2, before=0),
        round_sizes(before=0),
        round_sizes(),
        round_sizes(N=2, noisy=1),
        round_sizes(K=4, before=0, noisy=1),
        round_sizes(M=3, N=2),
        round_sizes(N=2, before=0, E=2, curved=1),
        round_sizes(E=2, curved=1),
        round_sizes(E=2, curved=1, noisy=1),
        round_sizes(M=3, N=2, E=2, curved=1),
        round_sizes(K=3, E=3, before=2, d=2, curved=1),
        round_sizes(E=2, curved=2),
        round_sizes(E=2, d=2, curved=2),
        round_sizes(E=2, curved=3),
        round_sizes(N=2, d=2, curved=3),
    ),
    space=space,
    room="room",
    known=scene_constants,
    compute=Proved(
        one_round, (*rate_facts.FACTS, *round_drift.FACTS, *FACTS), (*DEFINES, *round_drift.DEFINES), terms
    ),
    steps=("gamma_G", "gamma_L"),
    free_step=lambda name, shape, values: 2,
)
STEEP = ROUND.variant(
    "one round of SPECIAL on losses with L of at least 1",
    shapes=tuple(shape for shape in ROUND.shapes if shape["curved"] == 1),
    space=lambda shape: {
        **space(shape),
        "height": Box(0.5, 2, (shape["K"], shape["M"])),
        "width": Box(0.05, 0.5, (shape["K"], shape["M"]), scale="log"),
    },
)
"""The scene with L >= 1: for L < 1 a statement about L - 1 would fail for a trivial reason."""
TASK_BY_ROUNDS = ROUND.variant(
    "a task of SPECIAL, round by round",
    shapes=tuple(
        {**round_sizes(before=T - 1, **more), "T": T}
        for T, more in (
            (1, {"N": 2}),
            (1, {}),
            (2, {"noisy": 1}),
            (1, {"curved": 1}),
            (1, {"K": 4, "curved": 1}),
            (3, {"E": 2, "curved": 1}),
            (4, {"N": 2, "E": 2, "curved": 1}),
            (2, {"K": 3, "d": 2, "curved": 1}),
            (3, {"N": 2, "E": 2, "curved": 2}),
            (2, {"d": 2, "curved": 3}),
            (8, {"N": 2}),
        )
    ),
)
