"""A minimax lower bound for any method, in worlds with two-valued drifts: no model is better than the posterior mean.

The objective of a client in a round is mu w^2/2 - e D w, with e = 1 with probability p and e = -1 otherwise. The global loss is
mu w^2/2 - (2 p - 1) D w, and drifts have the variance 4 p (1 - p) D^2 <= D^2. A method maps each sequence of N T signs e to a
model. If p has the Beta(s/2, s/2) distribution (Hodges and Lehmann, Some problems in minimax point estimation, 1950), the
posterior mean of 2 p - 1 is the sum of the signs divided by N T + s.
"""

from __future__ import annotations

from itertools import product
from math import isqrt, prod

from nqm.fields import Array
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.scenes.cfl.kept_facts import OF_METHODS


def chance(prior: Array, ups: int, downs: int) -> Array:
    """Probability of a sequence with `ups` positive and `downs` negative signs: E p^ups (1 - p)^downs."""
    one, both = prior / 2, prior

    def rising(start: Array, steps: int) -> Array:
        return prod((start + n for n in range(steps)), start=1 + 0 * start)

    return rising(one, ups) * rising(one, downs) / rising(both, ups + downs)


def excess_of_answers(shape: Shape, values: Named) -> Values:
    """Expected excess loss of arbitrary answers over the worlds, from the moments of p."""
    mu, drift, prior, answers = (values[name] for name in ("mu", "drift", "prior", "answers"))
    seen = shape["N"] * shape["T"]
    gap = 0 * mu
    for n, signs in enumerate(product((1, -1), repeat=seen)):
        ups, answer = signs.count(1), answers[:, n]
        here = chance(prior, ups, seen - ups)
        up, down = chance(prior, ups + 1, seen - ups), chance(prior, ups, seen - ups + 1)
        further = chance(prior, ups + 2, seen - ups) + chance(prior, ups, seen - ups + 2)
        mean, square = up - down, further - 2 * chance(prior, ups + 1, seen - ups + 1)
        gap = gap + mu / 2 * (here * answer**2 - 2 * mean * answer * drift / mu + square * drift**2 / mu**2)
    return {"D2": drift**2, "any_gap": gap}


def _space(shape: Shape) -> dict[str, Box]:
    return {
        **dict.fromkeys(("mu", "prior"), Box(0.1, 4, scale="log")),
        "drift": Box(-2, 2),
        "answers": Box(-2, 2, (2 ** (shape["N"] * shape["T"]),)),
    }


_SIZES = tuple({"N": N, "T": T} for N, T in ((1, 1), (1, 2), (2, 1), (1, 3)))
ANY_METHOD = Scene(
    name="any method where drifts take two values",
    shapes=_SIZES,
    space=_space,
    compute=Proved(excess_of_answers, (OF_METHODS,)),
)
MINIMAX = ANY_METHOD.variant(
    f"{ANY_METHOD.name}, at the prior that is worst for it",
    shapes=({"N": 1, "T": 1}, {"N": 2, "T": 2}),
    space=lambda shape: {name: box for name, box in _space(shape).items() if name != "prior"},
    known=lambda shape, values: {"prior": 0 * values["mu"] + isqrt(shape["N"] * shape["T"])},
)
"""The scene at sizes with integer square roots."""
