"""Minimisers of all remembered objectives without information loss, in every outcome of independent drifts."""

from __future__ import annotations

from itertools import combinations

import sympy as sp

from bounds.cfl import kept as b
from bounds.cfl.symbols import D2, G2
from bounds.hypotheses import Hypothesis
from bounds.relations import le
from nqm.drift import independent, joint_signs
from nqm.fields import Array, amax, amin, like, sq, stack
from verify.engine.model.scene import Box, Fact, Named, Proved, Scene, Shape, Values
from verify.scenes.parameters import with_sum_one


def mean_drifts(shape: Shape, values: Named, weights: Array) -> Array:
    """Weighted mean over rounds of the mean drift of their clients in every outcome, (batch, outcome, d)."""
    N, T = shape["N"], shape["T"]
    signs, _ = joint_signs([independent(T)] * (2 * N))
    drifts = [*(values["client"][:, n] for n in range(N)), *(values["time"][:, n] for n in range(N))]
    each = [
        sum(weights[:, tau, None] * like(weights, part[:, tau])[None] for tau in range(T)) for part in signs
    ]
    return sum(share[..., None] * drift[:, None] for share, drift in zip(each, drifts, strict=True)) / N


def over_outcomes(x: Array) -> Array:
    """Expectation, (batch, outcome) -> (batch,): outcomes are equally likely."""
    return x.sum(axis=1) / x.shape[1]


def excess(h: Array, there: Array) -> Array:
    """Expected excess of the quadratic loss with curvature h, (batch, d), at models around its minimiser."""
    return over_outcomes((h[:, None] * there**2).sum(axis=-1)) / 2


def equal(shape: Shape, values: Named) -> Array:
    """The same weight for every round, (batch, T)."""
    return stack([1 + 0 * values["h"][:, 0]] * shape["T"], 1) / shape["T"]


def minimised(shape: Shape, values: Named, weights: Array) -> Values:
    """The minimiser of the weighted mean of all objectives, relative to the global minimiser."""
    h, drift = values["h"], mean_drifts(shape, values, weights)
    there = -drift / h[:, None]
    return {
        "client2": sq(values["client"]),
        "time2": sq(values["time"]),
        "all_gap": excess(h, there),
        "all_grad2": over_outcomes(sq(h[:, None] * there)),
        "mean_drift2": over_outcomes(sq(drift)),
    }


def constants(shape: Shape, values: Named) -> Values:
    more = 1 + values["room"]
    return {
        "mu": amin(values["h"], -1) / more,
        "G2": amax(sq(values["client"]), 1) * more,
        "D2": amax(sq(values["time"]), 1) * more,
    }


def remembering(shape: Shape, values: Named) -> Values:
    return minimised(shape, values, equal(shape, values))


def forgetting(shape: Shape, values: Named) -> Values:
    """The minimiser of the objective of the last round."""
    all_rounds = equal(shape, values)
    last = [0 * all_rounds[:, 0]] * (shape["T"] - 1)
    return minimised(shape, values, stack([*last, 1 + 0 * all_rounds[:, 0]], 1))


def standing(shape: Shape, values: Named) -> Values:
    """A non-learning baseline: the initial model."""
    return {"all_gap": excess(values["h"], values["start"][:, None])}


def _space(shape: Shape) -> dict[str, Box]:
    N, d = shape["N"], shape["d"]
    return {
        "h": Box(0.1, 4, (d,), scale="log"),
        **dict.fromkeys(("client", "time"), Box(-2, 2, (N, d))),
        "start": Box(-2, 2, (d,)),
        "room": Box(0, 0),
    }


_OF_MINIMISERS = (
    *(Hypothesis.QUADRATIC, Hypothesis.SHARED_HESSIAN, Hypothesis.CONSTANT_DRIFT),
    *(Hypothesis.NEW_CLIENTS, Hypothesis.NO_NOISE),
)
"""Restrictions of the scene: clients have the same curvatures and independent drifts; objectives are minimised exactly."""
WITHIN = (le(sp.Symbol("client2", nonnegative=True), G2), le(sp.Symbol("time2", nonnegative=True), D2))
"""The definitions of G and D: no drift is larger."""


def _spread() -> Fact:
    """The fact that mean squares of independent drifts add up."""

    def compute(shape: Shape, values: Named) -> Values:
        left = {
            "left_client": values["G2"][:, None] - sq(values["client"]),
            "left_time": values["D2"][:, None] - sq(values["time"]),
        }
        spare = (values["room_client"] + values["room_time"]).sum(axis=-1)
        slack = spare / (shape["N"] ** 2 * shape["T"])
        return {**remembering(shape, values), **left, "slack": slack}

    scene = Scene(
        name="means of any independent drifts",
        restricts=(Hypothesis.NEW_CLIENTS,),
        shapes=_SIZES,
        space=lambda shape: {
            **{name: box for name, box in _space(shape).items() if name != "room"},
            **dict.fromkeys(("room_client", "room_time"), Box(0.1, 1, (shape["N"],))),
            **dict.fromkeys(("G2", "D2"), Box(0.1, 1)),
        },
        compute=compute,
        covers="an identity for any drifts of up to 2 clients and 3 rounds; every drift adds its square, alike in every coordinate",
    )
    assumed = {"room_client": ("left_client", WITHIN[0]), "room_time": ("left_time", WITHIN[1])}
    return Fact(b.SPREAD.compared, scene, "slack", assumed)


_SIZES = tuple({"N": N, "T": T, "d": 1} for N, T in ((1, 1), (1, 2), (2, 1), (1, 3)))
_PLAIN = Scene(
    name="minimisers of all that is remembered, as they are defined",
    shapes=_SIZES,
    space=_space,
    compute=remembering,
    covers="a definition",
)
KEPT = Scene(
    name="minimisers of all that is remembered",
    shapes=(*_SIZES, {"N": 1, "T": 2, "d": 2}, {"N": 2, "T": 2, "d": 1}),
    space=_space,
    room="room",
    known=constants,
    compute=Proved(remembering, (Fact(b.GRADIENT.compared, _PLAIN), _spread()), WITHIN),
    restricts=_OF_MINIMISERS,
)
PLACEBOS = tuple(
    KEPT.variant(f"{KEPT.name}, by a method that {words}", compute=compute)
    for compute, words in ((forgetting, "remembers the last round alone"), (standing, "stands still"))
)


def any_weights(shape: Shape, values: Named) -> Values:
    """Arbitrary weights of the rounds, in one dimension, with curvature mu of every loss and time drifts of size D."""
    weights = with_sum_one(values["raw"])
    mu, time = values["mu"], values["drift"]
    alike = {
        "h": mu[:, None],
        "time": stack([time[:, None]] * shape["N"], 1),
        "client": stack([0 * time[:, None]] * shape["N"], 1),
    }
    pairs = combinations(range(shape["T"]), 2)
    apart = sum(((weights[:, a] - weights[:, c]) ** 2 for a, c in pairs), 0 * mu)
    return {
        "D2": time**2,
        "weighted_gap": minimised(shape, alike, weights)["all_gap"],
        "slack": time**2 * apart / (2 * mu * shape["N"] * shape["T"]),
    }


_ANY = Scene(
    name="any weights of independent drifts",
    shapes=_SIZES,
    space=lambda shape: {"mu": Box(0.1, 4), "drift": Box(-2, 2), "raw": Box(-1, 2, (shape["T"],))},
    compute=any_weights,
    covers="an identity for any weights of up to 3 rounds and 2 clients; every pair of rounds adds alike",
)
ANY = _ANY.variant(
    "any weights of all that is remembered",
    compute=Proved(any_weights, (Fact(b.FLOOR.compared, _ANY, "slack"),)),
    covers="",
)
