"""A round of SPECIAL whose clients send their first step of AdamW."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from nqm.fields import abs_, amax, like, norm, sq
from verify.engine.model.scene import Box, Named, Scene, Shape, Values
from verify.scenes.parameters import column
from verify.scenes.special.one_round import method, steps_space

DECAY, LEAST = Fraction(1, 100), Fraction(1, 10**8)
"""Weight decay, and the constant added to the root: the defaults of AdamW in PyTorch."""


def _server_after_step(shape: Shape, values: Named) -> Values:
    """SPECIAL's server after a round in which every client sends its first step of AdamW."""
    start, sent = values["start"], values["slope"]
    gamma = column(values["gamma_L"], 2)
    # After bias correction, the first moments are the gradient and its square for any decay rates
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
    compute=_server_after_step,
    steps=("gamma_G", "gamma_L"),
    free_step=lambda name, shape, values: 2,
)
