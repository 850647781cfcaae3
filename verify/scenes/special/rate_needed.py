"""Whole tasks of SPECIAL in which terms of Theorem 4.10 are missed, and a first step of AdamW."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from nqm.fields import abs_, amax, like, norm, sq, stack
from verify.engine.scene import Box, Named, Scene, Shape, Values
from verify.scenes.parameters import column, through
from verify.scenes.special.one_round import method, steps_space
from verify.scenes.special.rate import BOUNDED, task_sizes

DECAY, LEAST = Fraction(1, 100), Fraction(1, 10**8)
"""Of the weights, and beside the root: what AdamW has in PyTorch."""


def _one_pulls(shape: Shape, values: Named) -> Named:
    """Earlier losses much flatter than the current one."""
    height = values["pull"]
    return {**values, "height": stack([height, height * values["share"]], axis=1)}


LONG = through(
    BOUNDED,
    "many rounds of a task of SPECIAL after one of hardly any slope",
    _one_pulls,
    lambda shape: {
        "pull": Box(0.5, 2, (shape["M"],)),
        "share": Box(0.01, 0.05, (shape["M"],)),
        "width": Box(0.5, 2, (shape["K"], shape["M"])),
        "centre": Box(-2, 2, (shape["K"], shape["M"], shape["d"])),
        "lam": Box(0.5, 4, scale="log"),
        "gamma_G": Box(0.5, 1),
        "gamma_L": Box(0.5, 1),
        "room": Box(0, 0),
    },
    shapes=(task_sizes(M=2, N=2, T=300, curved=1),),
)


def _stepped(shape: Shape, values: Named) -> Values:
    """SPECIAL's server after a round in which every client sends its first step of AdamW."""
    start, sent = values["start"], values["slope"]
    gamma = column(values["gamma_L"], 2)
    # The first means are the gradient and its square, whatever the two decay rates are
    step = sent / (abs_(sent) + like(sent, LEAST)) + like(sent, DECAY) * start[:, None]
    algorithm = method(values)
    state = {"theta": start[:, None], "anchor": start[:, None]}
    local = {"x": (start[:, None] - gamma * step)[:, None]}
    after = algorithm.aggregate(state, local, np.arange(shape["N"]))["theta"][:, 0]
    return {"drift2": sq(after - start)}


def _largest(shape: Shape, values: Named) -> Values:
    longest = amax(norm(values["slope"]), axis=1)
    return {"g_sup": longest, "B": longest * (1 + values["room"])}


ADAMW = Scene(
    name="first round of SPECIAL with AdamW at the clients",
    shapes=tuple({"M": M, "N": M, "E": 1, "t": 1, "d": d} for M, d in ((1, 1), (2, 1), (2, 2))),
    space=lambda shape: {
        "slope": Box(-2, 2, (shape["M"], shape["d"])),
        "start": Box(-2, 2, (shape["d"],)),
        **steps_space(shape),
        "room": Box(0, 0),
    },
    room="room",
    known=_largest,
    compute=_stepped,
    steps=("gamma_G", "gamma_L"),
    free_step=lambda name, shape, values: 2,
)
