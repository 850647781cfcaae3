"""Convergence on memory and current data together (C-FLAG, Lemma 3): Algorithm 1, and the rules of the lemma's proof."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bounds.cflag.drift import WEIGHTS
from nqm.fields import Array, amin, concatenate, dot, sq, stack, where
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.scenes.cflag.joint_facts import CURRENT, ON_BOTH, SO_FAR
from verify.scenes.cflag.memories import (
    TOLD,
    Clients,
    clients_of,
    fixed_memory,
    one_draw,
    sizes,
    smoothness,
    smoothness_of_samples,
    together,
    world_space,
)
from verify.scenes.cflag.memory_rounds import SERVER, joint_run, play, run, run_space, start
from verify.scenes.cflag.so_far import sum_and_minimum
from verify.scenes.cflag.terms import BOTH, JOINT, of_clients
from verify.scenes.shapes import shapes_of


def _space(shape: Shape) -> dict[str, Box]:
    """Parameters of worlds with past samples of either curvature, and of runs. L is given; instances where it is too small are excluded."""
    N, S, J, d = (shape[name] for name in ("N", "S", "J", "d"))
    worlds = {name: box for name, box in world_space(shape).items() if name not in ("m_i_more", "m_more")}
    return {
        **worlds,
        "past_h": Box(-2, 2, (N, S, d)),
        "now_h": Box(-1, 1, (N, J, d)),
        "unit": Box(1, 1),
        "L_given": Box(0.5, 2),
        **run_space(shape, shape["m0"] + J),
    }


def _given_smoothness(least: Callable[[Clients], Array]) -> Callable[[Shape, Named], Values]:
    """L as given, where it is at least `least`, else 0."""

    def scene_constants(shape: Shape, values: Named) -> Values:
        needed = least(clients_of(shape, values))
        return {"L": where(needed <= values["L_given"], values["L_given"], 0 * values["L_given"])}

    return scene_constants


def losses(clients: Clients, kept: Any, path: list[Array]) -> Values:
    """Loss of memory and current data along a path of models (batch, path, d), and the gradients on it."""
    joint = together(clients, kept)
    along = [joint.loss(x) for x in path]
    squares = stack([sq(joint.grad(x)) for x in path[:-1]], axis=1)
    return {
        **{"h_now": along[0], "h_next": along[1], "h2_now": along[0] ** 2, "gh2": squares[:, 0]},
        **{"gh2_least": amin(squares, 1), "Dht": along[0] - along[-1]},
    }


def by_proof(shape: Shape, values: Named) -> Values:
    """T rounds of Eq. (67) and (68)."""
    clients, kept = clients_of(shape, values), one_draw(shape)
    path = joint_run(shape, values, clients, kept)
    return {**losses(clients, kept, path), "joint_sup": smoothness_of_samples(clients)[:, None]}


def smooth_rounds(shape: Shape, values: Named) -> Values:
    """r + 1 rounds, with the delayed gradients of the last one, computed from its step."""
    r, clients, kept = shape["r"], clients_of(shape, values), one_draw(shape)
    path, joint = joint_run({**shape, "T": r + 1}, values, clients, kept), together(clients, kept)
    gradients = [joint.grad(x) for x in path[:-1]]
    squares = [sq(gradient) for gradient in gradients]
    first, now, after = (joint.loss(path[n]) for n in (0, r, r + 1))
    delayed = (path[r] - path[r + 1]) / values["beta"][:, None, None] - gradients[r]
    return {
        **{"h_first": first, "h_now": now, "h_next": after, "h2_now": now**2, "Dht": first - now},
        **{"gh2": squares[r], "js": dot(gradients[r], delayed), "js2": sq(delayed)},
        "gh2_next": sq(joint.grad(path[r + 1])),
        **sum_and_minimum("gh2", squares, r),
        "joint_sup": smoothness_of_samples(clients)[:, None],
    }


def by_algorithm(shape: Shape, values: Named) -> Values:
    """T rounds of Algorithm 1 with the server rule of Eq. (24)."""
    clients, kept = clients_of(shape, values), fixed_memory(shape)
    rounds, after = run(shape, values, clients, kept)
    return losses(clients, kept[:, 0], [*(now.x for now in rounds), after])


def reduced(shape: Shape, values: Named) -> Values:
    """The first local step and the whole round by Eq. (4) and (24), and by Eq. (67) and (68), at equal rates."""
    clients, kept = clients_of(shape, values), one_draw(shape)
    given = {**values, "alpha": values["beta"]}
    x = start(given, len(kept))
    now = play(shape, given, clients, kept, x)
    beta = given["beta"][:, None, None]
    joint = together(clients, kept).grad(x)
    return {
        "local_eq4": x - beta * now.gg,
        "local_eq67": x - beta * joint,
        "server_eq24": SERVER["eq24"](now, beta, beta),
        "server_eq68": joint_run(shape, given, clients, kept)[1],
    }


PROOF = Scene(
    name="rounds on memory and current data as one data set",
    shapes=shapes_of(
        sizes,
        "smallest, S=2, S=2 centres=2, S=2 E=2 J=2, N=2 S=2 E=2 centres=2, S=2 E=3 T=2",
        "S=2 E=2 T=4 d=2, N=2 S=2 E=2 T=3 d=2 centres=2 turned=1",
    ),
    space=_space,
    room="room",
    told=TOLD,
    known=_given_smoothness(smoothness),
    compute=by_proof,
    steps=("alpha", "beta"),
    free_step=lambda name, shape, values: 1 / values["L"],
)
SMOOTH = PROOF.variant(
    "the same with smooth samples",
    shapes=tuple({**shape, "r": shape["T"]} for shape in (*PROOF.shapes, sizes(S=2, T=3, centres=2))),
    known=_given_smoothness(smoothness_of_samples),
    compute=Proved(smooth_rounds, (*ON_BOTH, *SO_FAR), (JOINT, BOTH, *WEIGHTS), of_clients),
    space=lambda shape: {**_space(shape), "past_h": Box(-1, 1, (shape["N"], shape["S"], shape["d"]))},
)


def rough(values: Named) -> Values:
    """Two past samples for each client with very different curvatures, whose mean is `past_h` (batch, N, 1, d)."""
    mean, apart = values["past_h"], values["apart"]
    return {**values, "past_h": concatenate([mean + apart, mean - apart], 2)}


ROUGH = PROOF.variant(
    "the same with past samples whose curvatures are far apart",
    shapes=(sizes(S=2), sizes(S=2, T=2)),
    space=lambda shape: {
        **_space(shape),
        "past_h": Box(-1, 1, (shape["N"], 1, shape["d"])),
        "apart": Box(1, 200, (shape["N"], 1, shape["d"]), scale="log"),
    },
    known=lambda shape, values: PROOF.known(shape, rough(values)),
    compute=lambda shape, values: by_proof(shape, rough(values)),
)
ALGORITHM = PROOF.variant(
    "Algorithm 1 on memory and current data",
    shapes=(sizes(E=2, T=3), sizes(E=2, J=2, T=3), sizes(S=2, E=2, J=2, T=3), sizes(E=2, T=4)),
    space=lambda shape: {**_space(shape), **run_space(shape, shape["J"])},
    compute=by_algorithm,
)
REDUCED = PROOF.variant(
    "one round by both rules", shapes=(sizes(), sizes(E=2)), space=ALGORITHM.space, compute=reduced
)


def above_least(shape: Shape, values: Named) -> Values:
    """A run on parabolas; the joint loss at the start minus its minimum is the squared gradient divided by twice the curvature."""
    found, clients = smooth_rounds(shape, values), clients_of(shape, values)
    kept = one_draw(shape)
    joint, x = together(clients, kept), start(values, len(kept))
    gradient = joint.grad(x)
    return {**found, "h_above": sq(gradient) / 2 / (joint.grad(x + 1) - gradient)[..., 0]}


BOWLS = SMOOTH.variant(
    "the same with smooth samples whose losses are parabolas, up to so many rounds that less is left than smoothness allows",
    shapes=tuple({**sizes(T=T), "r": T} for T in (1, 3, 48)),
    space=lambda shape: {
        **_space(shape),
        "past_h": Box(0.1, 1, (shape["N"], shape["S"], shape["d"])),
        "now_h": Box(0.1, 1, (shape["N"], shape["J"], shape["d"])),
        "bent": Box(1, 1, (shape["N"],)),
    },
    compute=above_least,
)
IDLE = SMOOTH.variant(
    "standing still", compute=lambda shape, values: by_proof(shape, {**values, "beta": 0 * values["beta"]})
)
UPHILL = SMOOTH.variant(
    "steps up the loss", compute=lambda shape, values: by_proof(shape, {**values, "beta": -values["beta"]})
)


def balanced(shape: Shape, values: Named) -> Values:
    """One client with opposite gradients of memory and current data: at the origin, grad h~ = 0."""
    given = {**values, "past_h": values["now_h"], "centre": -values["now_c"], "bent": 1 + 0 * values["raw"]}
    clients, kept = clients_of(shape, given), one_draw(shape)
    x = start({"x": 0 * values["now_c"][:, 0, 0]}, len(kept))
    return {
        "gh2": sq(together(clients, kept).grad(x)),
        "gg2": sq(clients.of_all(clients.now.mean(3)).grad(x)),
    }


BALANCED = Scene(
    name="memory and current data in balance",
    shapes=(sizes(centres=1),),
    space=lambda shape: {
        "raw": Box(1, 1, (1,)),
        "unit": Box(1, 1),
        "now_h": Box(0.1, 2, (1, 1, 1)),
        "now_c": Box(-2, 2, (1, 1, 1)),
    },
    compute=balanced,
)


def gradients_of_sets(shape: Shape, values: Named) -> Values:
    """Squared gradients of memory, of current data and of both together at one model."""
    clients, kept = clients_of(shape, values), one_draw(shape)
    x = start(values, len(kept))
    return {
        "gh2": sq(together(clients, kept).grad(x)),
        "gg2": sq(clients.of_all(clients.now.mean(3)).grad(x)),
        "fd2": sq(clients.of_all(clients.remembered(kept).mean(3)).grad(x)),
        "kept_share": shape["m0"] / shape["J"] + 0 * values["x"][:, :1],
    }


SETS = PROOF.variant(
    "memory, current data and both at one model", compute=Proved(gradients_of_sets, (CURRENT,)), steps=()
)
