"""Facts about runs of C-FLAG with a memory that is kept: the rounds added up, whatever gradients they have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from bounds.catalogue import statement
from bounds.cflag.forgetting import BIAS
from bounds.cflag.symbols import L, alpha, client_sup, m
from nqm.fields import Array, dot, sq, stack
from verify.engine.scene import Box, Fact, Scene, Shape, Values
from verify.scenes.lengths import excess

Named = Mapping[str, Any]


def smallest(numbers: list[Array]) -> tuple[Array, list[Array]]:
    """The smallest of some numbers, and by how much each exceeds it."""
    over = [excess(-x, [-y for y in numbers]) for x in numbers]
    return numbers[0] - over[0], over


def rounds_at_limit(shape: Shape, values: Named) -> Values:
    """T rounds at alpha = 1/L with any gradients, biases and sums of delayed gradients (batch, T, d).

    `room_loss` is what a smooth past loss leaves below its quadratic upper bound, `room_bias` what Lemma 9 leaves.
    """
    T, beta, rate = shape["T"], values["beta"], values["alpha"]
    bound = 1 / rate
    gf, b, s = (values[name] for name in ("gf", "b", "s"))
    losses, left = [values["f_first"]], []
    for t in range(T):
        move = -rate[:, None] * (gf[:, t] + b[:, t]) - beta[:, None] * s[:, t]
        quadratic = losses[-1] + dot(gf[:, t], move) + bound / 2 * sq(move)
        losses.append(quadratic - values["room_loss"][:, t])
    squares = [sq(gf[:, t]) for t in range(T)]
    least, over = smallest(squares)
    share = 1 - values["room_m"]
    left = [values["room_loss"][:, t] + values["room_bias"][:, t] / (2 * bound) for t in range(T)]
    first = lambda of: stack([of(t) for t in range(T)], 0)  # noqa: E731
    return {
        "alpha": rate,
        "L": bound,
        "m": share,
        "least_path": least,
        "F_path": losses[0] - losses[-1],
        "s2_path": first(lambda t: sq(s[:, t])),
        "bs_path": first(lambda t: dot(b[:, t], s[:, t])),
        "left_rate": bound * rate,
        "left_m": 1 - share,
        "left_loss": values["room_loss"],
        "left_bias": stack([share * squares[t] - sq(b[:, t]) for t in range(T)], 1),
        "slack thm2": values["room_rate"] * (2 * bound * sum(left) / values["room_m"] + sum(over)) / T,
    }


_ROUNDS = Scene(
    name="rounds at alpha = 1/L with any gradients",
    shapes=tuple({"T": T, "d": 1} for T in (1, 2, 3)),
    space=lambda shape: {
        **{name: Box(-2, 2, (shape["T"], shape["d"])) for name in ("gf", "b", "s")},
        **{name: Box(0.1, 1, (shape["T"],)) for name in ("room_loss", "room_bias")},
        **{name: Box(0.1, 1) for name in ("alpha", "beta", "room_rate", "room_m")},
        "f_first": Box(-2, 2),
    },
    compute=rounds_at_limit,
    covers="an identity between arbitrary gradients of up to 3 rounds, with what smoothness and Lemma 9 leave taken as it is; a "
    "further round adds the same to both sides, in every coordinate",
)
THEOREM_2 = Fact(
    statement("cflag.thm2/fixed").compared,
    _ROUNDS,
    "slack thm2",
    {
        "room_loss": ("left_loss", sp.Le(client_sup, L)),
        "room_bias": ("left_bias", BIAS),
        "room_rate": ("left_rate", sp.Eq(alpha, 1 / L)),
        "room_m": ("left_m", sp.Lt(m, 1)),
    },
)
