"""Facts about expectations over memories (C-FLAG, Theorem 2): rounds with arbitrary gradients, and redrawn memories.

A round of Eq. (24) decreases a smooth past loss as Lemma 1 states, up to two slacks: that of the quadratic upper bound of the
loss, and that of Lemma 9. Expectations are means over paths, one for each outcome of the memories.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from bounds.catalogue import statement
from bounds.cflag.forgetting import BIAS
from bounds.cflag.redrawn import DESCENT_ANEW
from bounds.cflag.symbols import L, alpha, m
from bounds.relations import eq
from nqm.fields import Array, dot, sq, stack
from verify.engine.model.scene import Assumption, Box, Fact, Named, Scene, Shape, Values
from verify.scenes.cflag.memory_measures import expected
from verify.scenes.cflag.run_facts import smallest
from verify.scenes.cflag.terms import OF_CLIENTS, PAST


def descended(values: Named, gf: Array, b: Array, s: Array) -> Values:
    """Rounds at alpha = 1/(L(1+m)) on paths: gradients, biases and sums of delayed gradients are (batch, round, path, d)."""
    alpha, beta = values["alpha"], values["beta"]
    bound = 1 / (alpha * (1 + values["m"]))
    room, over = values["room_loss"], values["room_bias"]
    fd, rate, small = gf + b, alpha[:, None, None], beta[:, None, None]
    move = -rate[..., None] * fd - small[..., None] * s
    change = dot(gf, move) + bound[:, None, None] / 2 * sq(move) - room
    losses = [values["f_first"][:, None] + 0 * room[:, 0]]
    for t in range(gf.shape[1]):
        losses.append(losses[-1] + change[:, t])
    late = dot(b, s), sq(s), dot(fd, s)
    named = dict(zip(("bs", "s2", "ds"), late, strict=True))
    found = {
        **{"gf2": sq(gf), "b2": sq(b), "fb": dot(gf, b), "f": stack(losses, 1)},
        **named,
        **{f"{name}_late": value for name, value in named.items()},
    }
    left = room + bound[:, None, None] / 2 * rate**2 * over
    each = 2 / alpha[:, None] * left.sum(axis=2) / left.shape[2]
    mean = expected({**values, "L": bound}, found)
    squares = [mean["each_gf2"][:, t] for t in range(gf.shape[1])]
    least, above = smallest(squares)
    whole, rate_met = each.sum(axis=1) / each.shape[1], values["room_rate"]
    return {
        **mean,
        **{"b2": found["b2"], "gf2": found["gf2"], "L": bound},
        "least_gf2": least,
        "b_run": b.sum(axis=2) / b.shape[2],
        "over_run": mean["over_each_late"],
        **{"past_lift": bound[:, None, None] / 2 * sq(move) - room, "past_way2": sq(move)},
        "left_rate": bound * alpha * (1 + values["m"]),
        "left_loss": room,
        "left_bias": values["m"][:, None, None] * found["gf2"] - found["b2"],
        "slack eq60": rate_met[:, None] * each,
        "slack eq61": sum(above) / len(above),
        "slack eq62": rate_met * whole,
        "slack thm2": rate_met * (whole + sum(above) / len(above)),
    }


def _numbers(T: int, paths: int) -> dict[str, Box]:
    return {
        **{name: Box(0.1, 1, (T, paths)) for name in ("room_loss", "room_bias")},
        **{name: Box(0.1, 1) for name in ("alpha", "beta", "m", "room_rate")},
        "f_first": Box(-2, 2),
    }


_PATHS = Scene(
    name="rounds on any paths",
    shapes=tuple({"T": T, "paths": paths, "d": 1} for T, paths in ((1, 1), (1, 2), (2, 1), (2, 2))),
    space=lambda shape: {
        **{name: Box(-2, 2, (shape["T"], shape["paths"], shape["d"])) for name in ("gf", "b", "s")},
        **_numbers(shape["T"], shape["paths"]),
    },
    compute=lambda shape, values: descended(values, values["gf"], values["b"], values["s"]),
    covers="an identity between arbitrary gradients on up to 2 paths in up to 2 rounds, with what smoothness and Lemma 9 leave "
    "taken as it is; a further path, round or coordinate adds the same to both sides",
)


def anew(shape: Shape, values: Named) -> Values:
    """Rounds with independent draws of the memories: model and local steps do not depend on the draw of the round.

    The biases of the `draws` equally likely memories have mean zero, so the last bias is minus the sum of the others.
    """
    T, draws = shape["T"], shape["draws"]
    paths = list(product(range(draws), repeat=T))
    before = [sum(draws**k for k in range(t)) for t in range(T)]
    place = lambda path, t: before[t] + sum(c * draws**k for k, c in enumerate(path[:t]))  # noqa: E731
    at = np.array([[place(path, t) for path in paths] for t in range(T)])
    others = values["b"]
    biases = [others[:, :, k] for k in range(draws - 1)] + [-others.sum(axis=2)]
    drawn = stack([stack([biases[path[t]][:, place(path, t)] for path in paths], 1) for t in range(T)], 1)
    return descended(values, values["gf"][:, at], drawn, values["s"][:, at])


def _models(shape: Shape) -> int:
    return int(sum(shape["draws"] ** t for t in range(shape["T"])))


_ANEW = Scene(
    name="rounds with memories that are drawn anew",
    shapes=tuple({"T": T, "draws": draws, "d": 1} for T, draws in ((1, 2), (1, 3), (2, 2))),
    space=lambda shape: {
        **{name: Box(-2, 2, (_models(shape), shape["d"])) for name in ("gf", "s")},
        "b": Box(-2, 2, (_models(shape), shape["draws"] - 1, shape["d"])),
        **_numbers(shape["T"], shape["draws"] ** shape["T"]),
    },
    compute=anew,
    covers="an identity between arbitrary gradients at every model that draws lead to, with biases that vanish in the mean over the "
    "draws of a round; a further draw, round or coordinate adds the same to both sides",
)


def last_round(shape: Shape, values: Named) -> Values:
    """Expectations of the last of these rounds, with one initial model for each history of draws."""
    found = anew(shape, values)
    last = lambda name: found[name][-1, :, 0]  # noqa: E731
    return {
        "m": values["m"],
        **{name: found[name] for name in ("L", "b2", "gf2", "left_rate", "left_loss", "left_bias")},
        **{name: found[name] for name in ("past_lift", "past_way2")},
        **{"gf2_mean": found["each_gf2"][:, -1], "s2_mean": last("s2s"), "ds_mean": last("dss")},
        **{"f_mean": found["fs_mean"][-2, :, 0], "f_mean_next": last("fs_mean")},
        "slack": found["slack eq60"][:, -1],
    }


_ASSUMED: dict[str, Assumption] = {
    "room_loss": ("left_loss", OF_CLIENTS, PAST),
    "room_bias": ("left_bias", BIAS),
    "room_rate": ("left_rate", eq(alpha, 1 / (L * (m + 1)))),
}


def _with_rounds(shape: Shape) -> Shape:
    """Sizes with one earlier round, whose two draws lead to two models."""
    return {**shape, "T": shape["models"]}


def _fact(id: str, scene: Scene, slack: str = "") -> Fact:
    return Fact(statement(f"cflag.{id}").compared, scene, slack, _ASSUMED if slack else {})


ON_ANY_PATHS = (
    _fact("eq60/all-steps", _PATHS, "slack eq60"),
    _fact("eq61", _PATHS, "slack eq61"),
    _fact("eq62/all-steps", _PATHS, "slack eq62"),
)
"""Theorem 2, Eq. (60) to (62), for any way of drawing memories."""
UNBIASED = (_fact("lem8.iterates/redrawn", _ANEW), _fact("lem8.overfitting/redrawn", _ANEW))
DRAWN_ANEW = (_fact("eq64/redrawn", _ANEW, "slack eq62"), _fact("thm2/redrawn", _ANEW, "slack thm2"))
"""Theorem 2 with memories redrawn."""
LAST = _ANEW.variant(
    "the last of some rounds with memories that are drawn anew",
    shapes=tuple({"models": models, "draws": draws, "d": 1} for models, draws in ((1, 2), (1, 3), (2, 2))),
    space=lambda shape: _ANEW.space(_with_rounds(shape)),
    compute=lambda shape, values: last_round(_with_rounds(shape), values),
)
ROUND_ANEW = (Fact(DESCENT_ANEW, LAST, "slack", _ASSUMED),)
"""A round with redrawn memories, from the models of all earlier draws."""
