"""Rounds of FedMeS with minibatches: noise of either sign in every local step, with all outcomes enumerated."""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np

import bounds.fedmes.personal as b
from bounds.fedmes.symbols import c, eta_1, lam
from bounds.hypotheses import Hypothesis
from bounds.relations import eq, le
from nqm.fields import sq, stack
from nqm.finite_sum import FiniteSum
from nqm.quadratic import DiagonalQuadratic
from verify.engine.model.scene import Box, Fact, Named, Proved, Scene, Shape, Values
from verify.scenes.fedmes.personal import (
    FEDMES_ROUND,
    Method,
    as_fedmes,
    began,
    distances,
    errors,
    optimum,
    play,
    regularised_optimum,
)
from verify.scenes.fedmes.personal_facts import BENT, FROM_DOWNLOAD
from verify.scenes.parameters import column

_NOISY = (*b.QUADRATICS, Hypothesis.TWO_POINT_NOISE)
PARTED = eq(b.mean_error2, b.error2 + b.spread2)
"""Noise with mean zero adds its mean square."""
SPREADS = le(b.spread2, eta_1 * b.noise2 / (c + lam))


def with_minibatches(make: Method, shape: Shape, values: Named, best: np.ndarray) -> Values:
    """A round from the model 0 in which a client draws one of two samples, with gradient errors xi and -xi.

    Returns E|w_k - w_k^*|^2 over all draws (batch, n), its part from noise, and E|noise|^2.
    """
    h, n, E = values["h"], shape["n"], shape["E"]
    apart = values["xi"] / h
    centres = stack([values["c_k"] - apart, values["c_k"] + apart], 2)
    each = [x.reshape(len(h), 1, 2 * n, shape["d"]) for x in (stack([h, h], 2), centres)]
    world = FiniteSum(DiagonalQuadratic(*(stack([x[:, 0], x[:, 0]], 1) for x in each)), n)
    draws = np.array(list(product((0, 1), repeat=E)))
    method = make(values, n)
    found = []
    for one in draws:
        state = began(method, 0 * best)
        end, _ = play(world, method, state, E, np.broadcast_to(one[None, None, :, None], (1, n, E, 1)))
        found.append(sq(end["personal"][:, 0] - regularised_optimum(values, best)))
    rate, pull = (column(values[name], 2) for name in ("eta_1", "lam"))
    kept = (1 - rate * (h + pull)) ** 2
    return {
        "mean_error2": sum(found) / len(found),
        "spread2": (sum(kept**step for step in range(E)) * (rate * values["xi"]) ** 2).sum(axis=-1),
        "noise2": sq(values["xi"]),
    }


def noisy_errors(make: Method, shape: Shape, values: Named) -> Values:
    """Errors of a round with noise, and of the same round without noise."""
    return {**errors(make, shape, values), **with_minibatches(make, shape, values, optimum(values))}


def _facts() -> tuple[Fact, ...]:
    def compute(shape: Shape, values: Named) -> Values:
        h, more, fast, E = values["h"], values["more"], values["fast"], shape["E"]
        rate, pull, least = (column(values[name], 2) for name in ("eta_1", "lam", "c"))
        left = fast ** (2 * E - 1) + sum(rate * (h + pull) * fast ** (2 * step + 1) for step in range(E - 1))
        left = left + rate * more * sum(fast ** (2 * step) for step in range(E))
        return {
            **distances(as_fedmes, shape, values, values["best"]),
            **with_minibatches(as_fedmes, shape, values, values["best"]),
            "left_fast": 1 - rate * (h + pull),
            "left_more": h - least,
            "left_less": column(values["L"], 2) - h,
            "slack": (rate * values["xi"] ** 2 * left / (least + pull)).sum(axis=-1),
        }

    each, anywhere = (lambda shape: Box(0.1, 1, (1, shape["d"]))), (lambda shape: Box(-1, 1, (1, shape["d"])))
    scene = Scene(
        name="local steps on any quadratic losses, with noise of either sign",
        shapes=tuple({"n": 1, "E": E, "d": d, "held": 0} for d, E in ((2, 1), (1, 2), (1, 1))),
        space=lambda shape: {
            **dict.fromkeys(("h", "fast", "more", "less"), each(shape)),
            **dict.fromkeys(("c_k", "own", "xi"), anywhere(shape)),
            **dict.fromkeys(("eta_1", "lam", "c"), Box(0.1, 1)),
            "best": Box(-1, 1, (shape["d"],)),
            "room": Box(0.1, 1),
            "L": Box(0.1, 1),
        },
        compute=compute,
        covers="an identity for any quadratic loss, models and optima, in 2 dimensions for 1 and in 1 for up to 2 local steps, "
        "where what short steps and the constants leave is taken as it is; both sides are sums over coordinates",
        restricts=_NOISY,
    )
    assumed = {"fast": ("left_fast", b.SHORT), "more": ("left_more", BENT[0]), "less": ("left_less", BENT[1])}
    return Fact(PARTED, scene), Fact(SPREADS, scene, "slack", assumed)


NOISY_ROUND = FEDMES_ROUND.variant(
    "distance to the personal optimum after a round of FedMeS with noise of either sign",
    shapes=tuple(shape for shape in FEDMES_ROUND.shapes if not shape["held"])[:4],
    space=lambda shape: {**FEDMES_ROUND.space(shape), "xi": Box(-2, 2, (shape["n"], shape["d"]))},
    compute=Proved(partial(noisy_errors, as_fedmes), (*FROM_DOWNLOAD, *_facts()), BENT),
    restricts=_NOISY,
)
