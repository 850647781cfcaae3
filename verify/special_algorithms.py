"""SPECIAL: what its two algorithms are, which of their printed forms agree, and what lambda does in each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from algorithms.algorithm import Algorithm, State
from algorithms.draws import enumerate_draws, expectation
from algorithms.fedavg import fedavg
from algorithms.simulate import local_path, play_round, states
from algorithms.special import special, special_from_second_task
from algorithms.special_c import special_c, special_c_global_step_inside, special_c_mean_of_all
from bounds.catalogue import statement
from bounds.special_algorithms import apart2, lam, obj_next, obj_other
from bounds.statement import Statement
from nqm.bounded import Linear
from nqm.fields import Array, broadcast_to, dot, sq, stack
from nqm.federation import task_grad, task_loss, total_loss
from nqm.noise import Rademacher, atoms
from nqm.quadratic import DiagonalQuadratic
from nqm.world import World
from verify.engine.checks.relation import agreement, bound, entailment, identity, inequality
from verify.engine.claim import Claim
from verify.engine.federated import all_draws, build, column, known_constants, origin, sizes, world_space
from verify.engine.main import main
from verify.engine.scene import Box, Scene, Shape, Values
from verify.special_drift import method, steps_space

Named = Mapping[str, Any]
LAMBDA = Box(0.01, 100, scale="log")
STEP = Box(0.01, 2, scale="log")
CURVATURE = (0.05, 4.0)


def zero_of(affine: Callable[[Array], Array], some: Array) -> Array:
    """Where an affine function that acts on each coordinate alone vanishes; `some` gives shape and kind."""
    at_0, at_1 = affine(0 * some), affine(0 * some + 1)
    return at_0 / (at_0 - at_1)


def lowest_of(parabola: Callable[[Array], Array], some: Array) -> Array:
    """Minimiser, by coordinate, of a quadratic function that is a sum over coordinates, from three values."""
    left, middle, right = parabola(0 * some - 1), parabola(0 * some), parabola(0 * some + 1)
    return (left - right) / (2 * (left - 2 * middle + right))


# ------------------------------------------------------------------------------------------------ the problem


def losses(shape: Shape, values: Named) -> Values:
    """Losses of quadratic clients at a point. The current task has index 0; ``f_double`` does not use the world."""
    world, point = DiagonalQuadratic(values["curvature"], values["centre"]), values["point"][:, None, :]
    each = values["curvature"] * (values["point"][:, None, None, :] - values["centre"]) ** 2 / 2
    return {
        "f_all": total_loss(world, point)[:, 0],
        "f_cur": task_loss(world, point, 0)[:, 0],
        "f_prev": total_loss(world, point, range(1, shape["K"]))[:, 0],
        "f_double": each.sum(axis=-1).sum(axis=-1).sum(axis=-1) / shape["M"],
        "pull2": sq(values["point"] - values["anchor"]),
    }


LOSSES = Scene(
    name="losses at a point",
    shapes=tuple({"K": K, "M": M, "d": 1} for K, M in ((1, 1), (2, 1), (1, 2), (2, 2), (3, 3))),
    space=lambda shape: {
        "curvature": Box(*CURVATURE, (shape["K"], shape["M"], shape["d"])),
        "centre": Box(-2, 2, (shape["K"], shape["M"], shape["d"])),
        "point": Box(-2, 2, (shape["d"],)),
        "anchor": Box(-2, 2, (shape["d"],)),
        "lam": LAMBDA,
    },
    compute=losses,
    covers="equal as polynomials for up to 3 tasks and 3 clients; both sides add up the same client losses, whatever these are",
)


def minima(shape: Shape, values: Named, curvature: Array) -> Values:
    """Minimisers of Eq. (1) and Eq. (3) of quadratic clients; theta_{K-1} minimises the earlier tasks' loss."""
    world, strength = DiagonalQuadratic(curvature, values["centre"]), values["lam"][:, None]
    earlier = range(1, shape["K"])
    anchor, joint = world.minimiser(earlier), world.minimiser()
    gradient = lambda x: task_grad(world, x[:, None, :], 0)[:, 0]  # noqa: E731
    back, slope = anchor - joint, gradient(joint)
    return {
        "joint_min": joint,
        "surr_min": zero_of(lambda x: gradient(x) + 2 * strength * (x - anchor), anchor),
        "h_prev": curvature[:, 1:].mean(axis=2).sum(axis=1),
        "meet2": dot(slope, back) ** 2,
        "span2": sq(slope) * sq(back),
    }


def _same_curvature(shape: Shape, values: Named) -> Values:
    """Earlier tasks whose curvatures add up to 2 lambda in every direction."""
    each = (2 * values["lam"] / (shape["K"] - 1))[:, None, None, None] + 0 * values["centre"][:, 1:]
    curvature = stack([values["curvature"], *(each[:, i] for i in range(shape["K"] - 1))], axis=1)
    return minima(shape, values, curvature)


MINIMA = Scene(
    name="minimisers of the problem and of its surrogate",
    shapes=tuple({"K": K, "M": M, "d": d} for K, M, d in ((2, 1, 1), (2, 2, 1), (3, 1, 1), (2, 1, 2), (3, 2, 2))),
    space=lambda shape: {
        "curvature": Box(*CURVATURE, (shape["K"], shape["M"], shape["d"])),
        "centre": Box(-2, 2, (shape["K"], shape["M"], shape["d"])),
        "lam": LAMBDA,
    },
    compute=lambda shape, values: minima(shape, values, values["curvature"]),
)
ISOTROPIC = replace(
    MINIMA,
    name="minimisers where the earlier tasks are isotropic",
    space=lambda shape: {
        "curvature": Box(*CURVATURE, (shape["M"], shape["d"])),
        "centre": Box(-2, 2, (shape["K"], shape["M"], shape["d"])),
        "lam": LAMBDA,
    },
    compute=_same_curvature,
    covers="equal as rational functions for 1 and 2 earlier tasks; these add up to lambda |theta - theta_{K-1}|^2 and a "
    "constant, so both problems are the same, whatever the current loss is",
)

# ------------------------------------------------------------------------- server step and proximal map


def server_step(shape: Shape, values: Named) -> Values:
    """Eq. (5) and the proximal map, minimised from values of their objectives alone; the server's code beside it."""
    thbar, anchor, other, strength = (values[name] for name in ("thbar", "anchor", "other", "lam"))
    strength = strength[:, None]
    server = special(1, 1, column(values["lam"], 1))
    state = {"theta": 0 * thbar[:, None], "anchor": anchor[:, None]}
    model = server.aggregate(state, {"x": thbar[:, None, None]}, np.zeros((1, 1), dtype=int))["theta"][:, 0]
    objective = lambda u: (u - thbar) ** 2 + strength * (u - anchor) ** 2  # noqa: E731
    proximal = lambda v: (v - thbar) ** 2 / 2 + strength * (v - anchor) ** 2  # noqa: E731
    return {
        "obj_next": objective(model).sum(axis=-1),
        "obj_other": objective(other).sum(axis=-1),
        "apart2": sq(other - model),
        "server_min": lowest_of(objective, anchor),
        "prox_from": thbar,
        "prox_min": lowest_of(proximal, anchor),
    }


STEP_OF_SERVER = Scene(
    name="one step of the server",
    shapes=({"d": 1}, {"d": 2}),
    space=lambda shape: {**{n: Box(-2, 2, (shape["d"],)) for n in ("thbar", "anchor", "other")}, "lam": LAMBDA},
    compute=server_step,
    covers="equal as rational functions; the same in every coordinate",
)

# -------------------------------------------------------------------------------------------------- one round


def played(world: World, algorithm: Algorithm, model: Array, anchor: Array, task: int, noise: Array) -> Array:
    """Model (batch, d) after one round from `model` in which the first clients take part.

    `noise` (batch, 1, N, E, d) says how many. The algorithm believes to be in `task`; the world has only one.
    """
    state = {"theta": model[:, None], "anchor": anchor[:, None], "task": task}
    return play_round(world, algorithm, state, 0, _first_clients(noise), noise)["theta"][:, 0]


def sent_by_first(world: World, algorithm: Algorithm, state: State, noise: Array) -> tuple[Array, list[Array]]:
    """Way (batch, d) of the first client in a round, and its stochastic gradients by local step."""
    clients = _first_clients(noise)
    oracle, start = world.at(0, clients), algorithm.begin_round(state, clients)["x"]
    after = [local["x"] for local in local_path(world, algorithm, state, 0, clients, noise)]
    points = [start, *after[:-1]]
    gradients = [oracle.stochastic_grad(x, noise[..., step, :])[:, 0, 0] for step, x in enumerate(points)]
    return (after[-1] - start)[:, 0, 0], gradients


def _first_clients(noise: Array) -> np.ndarray:
    return np.arange(noise.shape[-3])[None]


def readings(values: Named, n_clients: int) -> dict[str, Algorithm]:
    """Every printed form of both algorithms, and those with lambda = 0, at the step sizes of a batch."""
    local, server, strength = (column(values[name], 1) for name in ("gamma_L", "gamma_G", "lam"))
    return {
        "code": special(local, server, strength),
        "text": special_from_second_task(local, server, strength),
        "zero": special(local, server, 0),
        "fed": fedavg(local, server),
        "unit": fedavg(local, 1),
        "c": special_c(local, server, strength),
        "c_all": special_c_mean_of_all(local, server, strength, n_clients),
        "c_text": special_c_global_step_inside(local, server, strength),
        "c_zero": special_c(local, server, 0),
        "c_all_zero": special_c_mean_of_all(local, server, 0, n_clients),
    }


def one_round(shape: Shape, values: Named, world: World, noise: Array) -> Values:
    """One round of every reading from an arbitrary model and anchor, as in a later task; ``first_*`` in the first."""
    model, anchor = values["th"], values["anchor"]
    method = readings(values, shape["M"])
    after = lambda name, task=1: played(world, method[name], model, anchor, task, noise)  # noqa: E731
    flat = Linear(0 * model[:, None, None] + 0 * column(values["lam"], 3))
    quiet = lambda name: played(flat, method[name], model, anchor, 1, 0 * noise[:, :, :1])  # noqa: E731
    state = {"theta": model[:, None], "anchor": anchor[:, None], "task": 1}
    sent, gradients = sent_by_first(world, method["code"], state, noise)
    sent_c, gradients_c = sent_by_first(world, method["c"], state, noise)
    return {
        "first_code": after("code", 0),
        "first_text": after("text", 0),
        "later_code": after("code"),
        "later_text": after("text"),
        "update": after("unit") - model,
        "sent": sent,
        "grad_sum": sum(gradients),
        "sent_c": sent_c,
        "grad_sum_c": sum(gradients_c),
        "g_c": stack(gradients_c, axis=0),
        "next_zero": after("zero"),
        "next_fed": after("fed"),
        "next_c": after("c"),
        "next_c_all": after("c_all"),
        "next_c_text": after("c_text"),
        "next_c_zero": after("c_zero"),
        "next_c_all_zero": after("c_all_zero"),
        "still": quiet("code"),
        "still_c": quiet("c"),
    }


def _quadratic_round(shape: Shape, values: Named) -> Values:
    world = DiagonalQuadratic(values["curvature"][:, None], values["centre"][:, None], Rademacher(1))
    return one_round(shape, values, world, values["u"][:, None])


def _constant_round(shape: Shape, values: Named) -> Values:
    size = (*values["th"].shape[:1], 1, shape["N"], shape["E"], shape["d"])
    none = broadcast_to(0 * values["th"][:, None, None, None], size)
    return one_round(shape, values, Linear(values["slope_of"][:, None]), none)


def _round_space(shape: Shape) -> dict[str, Box]:
    models = {name: Box(-2, 2, (shape["d"],)) for name in ("th", "anchor")}
    return {**models, "lam": LAMBDA, "gamma_G": STEP, "gamma_L": STEP}


ROUND = Scene(
    name="one round of both algorithms",
    shapes=tuple(
        {"M": M, "N": N, "E": E, "d": 1}
        for M, N, E in ((1, 1, 1), (2, 1, 1), (2, 2, 1), (1, 1, 2), (2, 1, 2), (3, 2, 2), (1, 1, 3))
    ),
    space=lambda shape: {
        **_round_space(shape),
        "curvature": Box(*CURVATURE, (shape["M"], shape["d"])),
        "centre": Box(-2, 2, (shape["M"], shape["d"])),
        "u": Box(-1, 1, (shape["N"], shape["E"], shape["d"])),
    },
    compute=_quadratic_round,
    covers="equal as rational functions for arbitrary model, anchor and noise, hence for arbitrary stochastic gradients; "
    "a further client, local step or coordinate repeats what is shown for up to 3",
)
CONSTANT = replace(
    ROUND,
    name="one round of both algorithms along constant gradients",
    space=lambda shape: {**_round_space(shape), "slope_of": Box(-2, 2, (shape["M"], shape["d"]))},
    compute=_constant_round,
    covers="equal as rational functions for arbitrary model, anchor and slopes; a further client, local step or "
    "coordinate repeats what is shown for up to 3",
)

# ------------------------------------------------------------------------------------- where rounds come to rest


def resting(shape: Shape, values: Named) -> Values:
    """Models that a noiseless round of all quadratic clients leaves where they are, and the gradients there."""
    world, anchor = DiagonalQuadratic(values["curvature"][:, None], values["centre"][:, None]), values["anchor"]
    method = readings(values, shape["M"])
    local = special_c(column(values["gamma_L"], 1), 1, column(values["lam"], 1))
    still = 0 * anchor[:, None, None, None]
    noise = broadcast_to(still, (*anchor.shape[:1], 1, shape["M"], shape["E"], shape["d"]))
    at_rest = lambda algorithm, u: zero_of(lambda x: played(world, algorithm, x, anchor, 1, u) - x, anchor)  # noqa: E731
    slope = lambda x: task_grad(world, x[:, None], 0)[:, 0]  # noqa: E731
    rest, rest_c, rest_m = at_rest(method["code"], noise), at_rest(method["c"], noise), at_rest(local, still)
    return {
        "rest": rest,
        "slope": slope(rest),
        "rest_c": rest_c,
        "slope_c": slope(rest_c),
        "rest_m": rest_m,
        "slope_m": world.grad(rest_m[:, None, None], 0, np.array([[0]]))[:, 0, 0],
    }


REST = Scene(
    name="rest points of both algorithms",
    shapes=tuple(
        {"M": M, "N": M, "E": E, "d": 1} for M, E in ((1, 1), (2, 1), (3, 1), (1, 2), (2, 2), (1, 3), (3, 2))
    ),
    space=lambda shape: {
        "curvature": Box(*CURVATURE, (shape["M"], shape["d"])),
        "centre": Box(-2, 2, (shape["M"], shape["d"])),
        "anchor": Box(-2, 2, (shape["d"],)),
        "lam": LAMBDA,
        "gamma_G": STEP,
        "gamma_L": STEP,
    },
    compute=resting,
    covers="equal as rational functions for quadratic clients; a local step uses nothing of a loss but its gradient, so the "
    "rest point of one step is the same equation for every loss, and a rest point of one step is one of E steps",
)

# ------------------------------------------------------------------------------------- implications of Lemma 4.9


def several_tasks(shape: Shape, values: Named, algorithm: Algorithm) -> Values:
    """Drift from the start of its task of every model, over all paths through all tasks."""
    world = build(shape, values)
    outcomes = atoms("rademacher", shape["d"]) if shape["noisy"] else (None, None)
    counts = (shape["M"], shape["N"], shape["E"], shape["d"])
    draws = enumerate_draws(*counts, *outcomes, rounds=shape["t"], tasks=shape["K"], limit=20_000)
    drifts, start = [], origin(shape, values)
    for _, round_, state in states(world, algorithm, draws, start, shape["t"], shape["K"]):
        start = start if round_ else state["theta"]
        drifts += [expectation(draws, sq(state["theta"] - start), axis=-1)] if round_ else []
    return {"drift_all": stack(drifts, axis=-1)}


def _as_text(values: Named) -> Algorithm:
    return special_from_second_task(*(column(values[name], 1) for name in ("gamma_L", "gamma_G", "lam")))


TASKS = Scene(
    name="drift of SPECIAL over several tasks",
    shapes=(
        sizes(),
        sizes(t=2),
        sizes(K=3, t=2),
        sizes(M=2),
        sizes(M=2, t=2),
        sizes(t=2, noisy=1),
        sizes(t=2, curved=1),
        sizes(E=2, t=3, curved=1),
        sizes(M=2, t=2, curved=1),
        sizes(t=2, d=2, curved=1),
    ),
    space=lambda shape: {**world_space(shape), **steps_space(shape)},
    known=known_constants,
    compute=lambda shape, values: several_tasks(shape, values, method(values)),
    steps=("gamma_G", "gamma_L"),
    free_step=lambda name, shape, values: 2,
)
TASKS_AS_TEXT = replace(
    TASKS,
    name="drift of SPECIAL over several tasks, the first without anchor",
    compute=lambda shape, values: several_tasks(shape, values, _as_text(values)),
)


def two_strengths(shape: Shape, values: Named) -> Values:
    """Expected squared drift after t rounds with lambda and with a larger lambda, in the same world."""
    world, draws, start = build(shape, values), all_draws(shape, shape["t"]), origin(shape, values)

    def drift(strength: Array) -> Array:
        *_, (_, _, state) = states(world, method({**values, "lam": strength}), draws, start, shape["t"])
        return expectation(draws, sq(state["theta"] - start), axis=-1)

    more = values["lam"] * (1 + values["further"])
    return {"lam_more": more, "drift2": drift(values["lam"]), "drift2_more": drift(more)}


STRENGTHS = Scene(
    name="drift of SPECIAL with two strengths",
    shapes=(
        sizes(K=1),
        sizes(K=1, t=2),
        sizes(K=1, M=2, t=2),
        sizes(K=1, t=2, noisy=1),
        sizes(K=1, t=2, curved=1),
        sizes(K=1, t=3, curved=1),
        sizes(K=1, E=2, t=2, curved=1),
        sizes(K=1, M=2, t=3, curved=1),
        sizes(K=1, t=2, d=2, curved=1),
        sizes(K=1, M=2, N=2, t=3, d=2, curved=1),
        sizes(K=1, M=2, E=2, t=3, d=2, curved=1),
    ),
    space=lambda shape: {**world_space(shape), **steps_space(shape), "further": Box(0.01, 10, scale="log")},
    known=known_constants,
    compute=two_strengths,
    steps=("gamma_G", "gamma_L"),
    free_step=lambda name, shape, values: 2,
)

_excess: Statement = statement("special.eq5.excess")


def _claim(id: str, check: Any, scene: Scene | None = None, premises: tuple = ()) -> Claim:
    return Claim(statement(id), (check,), scene, premises)


CLAIMS = (
    _claim("special.eq1", identity, LOSSES),
    _claim("special.eq2", identity, LOSSES),
    _claim("special.eq3", agreement, LOSSES),
    _claim("special.eq3.v1", identity, MINIMA),
    _claim("special.eq3.v1/tuned", identity, MINIMA),
    _claim("special.eq3.v1/isotropic", identity, ISOTROPIC),
    _claim("special.eq4", agreement, REST),
    _claim("special.eq4/effective", identity, REST),
    _claim("special.eq5", inequality, STEP_OF_SERVER, (_excess.relation,)),
    _claim("special.eq5.excess", identity, STEP_OF_SERVER),
    _claim("special.eq6", identity, STEP_OF_SERVER),
    _claim("special.eq6.fedavg", identity, ROUND),
    _claim("special.eq6.retention", inequality),
    _claim("special.alg1", agreement, ROUND),
    _claim("special.alg1.later", agreement, ROUND),
    _claim("special.alg1.eq6", identity, ROUND),
    _claim("special.alg1.update", identity, ROUND),
    _claim("special.alg1.surrogate", agreement, REST),
    _claim("special.alg1.surrogate/effective", identity, REST),
    _claim("special.alg1.surrogate/several", identity, REST),
    _claim("special.alg1.pull", identity, ROUND),
    _claim("special.alg2.prox", identity, STEP_OF_SERVER),
    _claim("special.alg2.weight", agreement),
    _claim("special.alg2.update", agreement, ROUND),
    _claim("special.alg2.update/corrected", identity, ROUND),
    _claim("special.alg2.mean", agreement, ROUND),
    _claim("special.alg2.mean/full", agreement, ROUND),
    _claim("special.alg2.step", agreement, ROUND),
    _claim("special.alg2.fedavg", identity, ROUND),
    _claim("special.alg2.fedavg/sampled", identity, ROUND),
    _claim("special.alg2.surrogate", agreement, REST),
    _claim("special.alg2.surrogate/effective", identity, REST),
    _claim("special.alg2.surrogate/alone", identity, REST),
    _claim("special.alg2.surrogate/several", identity, REST),
    _claim("special.alg2.onestep", identity, ROUND),
    _claim("special.alg2.esteps", identity, ROUND),
    _claim("special.alg2.esteps/constant", identity, CONSTANT),
    _claim("special.alg2.pull", identity, ROUND),
    _claim("special.alg2.retention", inequality),
    _claim("special.alg2.stronger", inequality),
    _claim("special.alg2.stronger/unit", inequality),
    _claim("special.lem4.9.anchor", inequality),
    _claim("special.lem4.9.suppress", bound, STRENGTHS),
    _claim("special.lem4.9.suppress/small", bound, STRENGTHS),
    _claim("special.lem4.9.uniform", bound, TASKS),
    _claim("special.lem4.9.uniform/text", bound, TASKS_AS_TEXT),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="special_algorithms"))
