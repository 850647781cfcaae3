"""Facts about runs of C-FLAG with a fixed memory: sums over the rounds, for arbitrary gradients."""

from __future__ import annotations

from functools import partial

import sympy as sp

from bounds.catalogue import statement
from bounds.cflag.forgetting import BIAS
from bounds.cflag.rate import F_path
from bounds.cflag.repairs import F_most
from bounds.cflag.symbols import L, alpha, m
from bounds.relations import eq, le, lt
from nqm.fields import Array, dot, sq, stack
from verify.engine.model.scene import Assumption, Box, Fact, Named, Scene, Shape, Values
from verify.scenes.cflag.terms import OF_CLIENTS, PAST
from verify.scenes.lengths import excess


def smallest(numbers: list[Array]) -> tuple[Array, list[Array]]:
    """The smallest of some numbers, and the differences of all numbers to it."""
    over = [excess(-x, [-y for y in numbers]) for x in numbers]
    return numbers[0] - over[0], over


def _terms(values: Named, bound: Array, moves: list[Array]) -> Values:
    """The quantities of smoothness and of Lemma 9 in every round: past loss minus its tangent, bias and gradient."""
    far2 = stack([sq(move) for move in moves], 1)
    lift = bound[:, None] / 2 * far2 - values["room_loss"]
    return {"past_lift": lift, "past_way2": far2, "b2": sq(values["b"]), "gf2": sq(values["gf"])}


def rounds_at_limit(shape: Shape, values: Named) -> Values:
    """T rounds at alpha = 1/L with any gradients, biases and sums of delayed gradients (batch, T, d).

    `room_loss` is the slack of the quadratic upper bound of a smooth past loss, `room_bias` the slack of Lemma 9.
    """
    T, beta, rate = shape["T"], values["beta"], values["alpha"]
    bound = 1 / rate
    gf, b, s = (values[name] for name in ("gf", "b", "s"))
    losses, moves = [values["f_first"]], list[Array]()
    for t in range(T):
        move = -rate[:, None] * (gf[:, t] + b[:, t]) - beta[:, None] * s[:, t]
        quadratic = losses[-1] + dot(gf[:, t], move) + bound / 2 * sq(move)
        losses.append(quadratic - values["room_loss"][:, t])
        moves.append(move)
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
        **_terms(values, bound, moves),
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
        "room_loss": ("left_loss", OF_CLIENTS, PAST),
        "room_bias": ("left_bias", BIAS),
        "room_rate": ("left_rate", eq(alpha, 1 / L)),
        "room_m": ("left_m", lt(m, 1)),
    },
)


# ------------------------------------------------------------------------------- constants that take up the bias


PRINTED = eq(alpha, 1 / (L * (1 + m)))


def along_bias(at: sp.Eq, shape: Shape, values: Named) -> Values:
    """T rounds with arbitrary gradients at the rate alpha of an equation, `PRINTED` or 1/L.

    `room_below` is 1 - m, or 1 minus the root of m.
    """
    printed = at == PRINTED
    T, beta, rate, short = shape["T"], values["beta"], values["alpha"], values["room_below"]
    gf, b, s = (values[name] for name in ("gf", "b", "s"))
    root = values["m_root" if printed else "m"]
    m = root**2 if printed else root
    bound = 1 / (rate * (1 + m)) if printed else 1 / rate
    losses, squares, sums, left = [values["f_first"]], [], [], []
    moves: list[Array] = []
    for t in range(T):
        fd = gf[:, t] + b[:, t]
        move = -rate[:, None] * fd - beta[:, None] * s[:, t]
        quadratic = losses[-1] + dot(gf[:, t], move) + bound / 2 * sq(move)
        losses.append(quadratic - values["room_loss"][:, t])
        moves.append(move)
        squares.append(sq(gf[:, t]))
        sums.append(sq(s[:, t]))
        over = values["room_bias"][:, t]
        kept = values["room_loss"][:, t] + bound * rate**2 / 2 * over
        if printed:
            turned = (sq(root[:, None] * gf[:, t] + b[:, t]) + over) / (2 * root)
            left.append(kept + rate * m / (1 + m) * turned)
        else:
            apart = b[:, t] - (2 * bound * m * beta / short)[:, None] * s[:, t]
            left.append(kept + short / (4 * bound * m) * (sq(apart) + over))
    least, above = smallest(squares)
    longest, under = smallest([-x for x in sums])
    fall = losses[0] - losses[-1]
    # 1 - 2 m^(3/2)/(1+m), as a product of positive factors
    spare = short * (1 + root + 2 * m) / (1 + m)
    factor = 2 * bound * (1 + m) / spare if printed else 4 * bound / short
    heavy = 2 * bound**2 * (1 + m) * beta**2 / short**2
    met = values["room_rate"]
    first = lambda of: stack([of(t) for t in range(T)], 0)  # noqa: E731
    return {
        **{"alpha": rate, "L": bound, "m": m},
        **{"least_path": least, "F_path": fall, "F_most": fall + values["room_inf"], "s2_most": -longest},
        "s2_path": first(lambda t: sq(s[:, t])),
        "bs_path": first(lambda t: dot(b[:, t], s[:, t])),
        "ds_path": first(lambda t: dot(gf[:, t] + b[:, t], s[:, t])),
        "left_rate": bound * rate * (1 + m if printed else 1),
        "left_below": 1 - root,
        "left_inf": values["room_inf"],
        **_terms(values, bound, moves),
        "left_loss": values["room_loss"],
        "left_bias": stack([m * squares[t] - sq(b[:, t]) for t in range(T)], 1),
        "slack thm2": met * (factor * sum(left) + sum(above)) / T,
        "slack thm5": met
        * ((factor * (sum(left) + values["room_inf"]) + sum(above)) / T + heavy * sum(under) / T),
    }


def _below_one_at(at: sp.Eq) -> Scene:
    return Scene(
        name=f"rounds with m below 1 at {at.lhs} = {at.rhs}, any gradients",
        shapes=_ROUNDS.shapes,
        space=lambda shape: {
            **_ROUNDS.space(shape),
            **{name: Box(0.1, 1) for name in ("m_root" if at == PRINTED else "m", "room_below", "room_inf")},
        },
        compute=partial(along_bias, at),
        covers="an identity between arbitrary gradients of up to 3 rounds, with what smoothness and Lemma 9 leave taken as it is, "
        "and what m or its root is short of 1; a further round adds the same to both sides, in every coordinate",
    )


def _fact(id: str, at: sp.Eq, slack: str) -> Fact:
    """A statement about runs at one rate."""
    assumed: dict[str, Assumption] = {
        "room_loss": ("left_loss", OF_CLIENTS, PAST),
        "room_bias": ("left_bias", BIAS),
        "room_rate": ("left_rate", at),
        "room_below": ("left_below", lt(m, 1)),
        "room_inf": ("left_inf", INFIMUM),
    }
    return Fact(statement(f"cflag.{id}").compared, _below_one_at(at), slack, assumed)


INFIMUM = le(F_path, F_most)
"""The definition of an infimum: no value is smaller."""
AT_PRINTED_RATE = _fact("thm2/fixed-rate", PRINTED, "slack thm2")
PAST_5 = _fact("thm5.past/fixed", eq(alpha, 1 / L), "slack thm5")
