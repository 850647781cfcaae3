"""C-FLAG's smoothness assumption in terms of gradients and losses at two models.

Facts about arbitrary gradients use these definitions. Scenes that use the facts test the definitions at models of their worlds.
"""

from __future__ import annotations

import sympy as sp

from bounds.cflag.drift import WEIGHTS
from bounds.cflag.joint import joint_sup
from bounds.cflag.symbols import L, client_sup, sample_sup
from bounds.relations import le
from nqm.fields import Array, concatenate, dot, norm, sq
from verify.engine.model.scene import Named, Shape, Values
from verify.scenes.cflag.local_steps import mean_of, samples_of
from verify.scenes.cflag.memories import clients_of, one_draw, together


def _lengths(of: str) -> tuple[sp.Symbol, sp.Symbol]:
    turn, way = (sp.Symbol(f"{of}_{name}", nonnegative=True) for name in ("turn", "way"))
    return turn, way


def _heights(of: str) -> tuple[sp.Symbol, sp.Symbol]:
    return sp.Symbol(f"{of}_lift", real=True), sp.Symbol(f"{of}_way2", nonnegative=True)


(client_turn, client_way), (sample_turn, sample_way), (joint_turn, joint_way) = map(
    _lengths, ("client", "sample", "joint")
)
(past_lift, past_way2), (joint_lift, joint_way2) = map(_heights, ("past", "joint"))

CLIENTS = le(client_turn, client_sup * client_way)
"""Bound on the change of a client's gradient between two models."""
SAMPLES = le(sample_turn, sample_sup * sample_way)
JOINT = le(joint_turn, joint_sup * joint_way)
PAST = le(past_lift, client_sup / 2 * past_way2)
"""Bound on the past loss minus its tangent at another model."""
BOTH = le(joint_lift, joint_sup / 2 * joint_way2)
OF_CLIENTS, OF_SAMPLES, OF_BOTH = le(client_sup, L), le(sample_sup, L), le(joint_sup, L)
DEFINES = (CLIENTS, SAMPLES, *WEIGHTS)
"""Definitions that scenes of rounds use."""


def of_samples(shape: Shape, values: Named) -> Values:
    """Changes of gradients from the origin to models around it, on finite sums."""
    losses = samples_of(values)
    start = 0 * values["slope"][..., 0, :]
    models = [start + sign * (step + start) for step in (1, 3) for sign in (1, -1)]
    if losses.centre is not None:
        models += [losses.centre[..., n, :] for n in range(shape["S"])]
    first = losses.components(start)
    each = [(losses.components(x) - first, norm(x - start)) for x in models]
    beside = lambda parts: concatenate([part[:, None] for part in parts], 1)  # noqa: E731
    return {
        "sample_turn": beside([norm(change) for change, _ in each]),
        "sample_way": beside([way[..., None] + 0 * norm(change) for change, way in each]),
        "client_turn": beside([norm(mean_of(change)) for change, _ in each]),
        "client_way": beside([way for _, way in each]),
        "p_sum": (values["raw"] / values["raw"].sum(axis=-1)[:, None]).sum(axis=-1),
    }


def of_clients(shape: Shape, values: Named) -> Values:
    """Changes of gradients, and losses above their tangents, from the first client's current centre to other models."""
    clients, kept = clients_of(shape, values), one_draw(shape)
    centres = values["now_c"].reshape(values["now_c"].shape[0], -1, shape["d"])
    models = concatenate([centres, 0 * centres, -3 * centres], 1)
    x, way = models[:, :, None, None], models - models[:, :1]
    now, past = clients.now.grad(x), clients.past.grad(x)
    change = lambda grad: norm(grad - grad[:, :1])  # noqa: E731
    far = lambda turn: norm(way).reshape(*way.shape[:2], *(1,) * (turn.ndim - 2)) + 0 * turn  # noqa: E731
    samples, client = change(now), change(concatenate([mean_of(now), mean_of(past)], 2))
    everything = change(concatenate([now, past], 3))
    found = {"sample": samples, "client": client, "joint": everything}
    turned = {f"{name}_turn": turn for name, turn in found.items()}
    walked = {f"{name}_way": far(turn) for name, turn in found.items()}
    whole = clients.of_all(clients.past.mean(3))
    memory = [together(clients, kept[n : n + 1]) for n in range(len(kept))]
    above = lambda loss: loss.loss(models) - loss.loss(models[:, :1]) - dot(loss.grad(models[:, :1]), way)  # noqa: E731
    return {
        **turned,
        **walked,
        **{"past_lift": above(whole), "past_way2": sq(way)},
        "p_sum": clients.p.sum(axis=-1),
        "joint_lift": concatenate([above(loss) for loss in memory], 1),
        "joint_way2": concatenate([sq(way)] * len(memory), 1),
    }


def turns(name: str, *pairs: tuple[Array, Array]) -> Values:
    """Lengths of changes of gradients and of differences of models, (batch, ...) each, for each pair."""
    flat = [(x.reshape(x.shape[0], -1) for x in (turn + 0 * way, way + 0 * turn)) for turn, way in pairs]
    turned, walked = (concatenate(list(parts), 1) for parts in zip(*flat, strict=True))
    return {f"{name}_turn": turned, f"{name}_way": walked}
