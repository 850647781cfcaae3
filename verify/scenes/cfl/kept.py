"""Minimisers of all remembered objectives without information loss, in every outcome of independent drifts."""

from __future__ import annotations

from itertools import combinations

from bounds.hypotheses import Hypothesis
from nqm.drift import independent, joint_signs
from nqm.fields import Array, amax, amin, dot, like, sq, stack
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.scenes.cfl.kept_facts import OF_MINIMISERS, OF_WEIGHTS, WITHIN
from verify.scenes.cfl.uncorrelated_sums import UNCORRELATED
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


def crossings(shape: Shape, values: Named) -> Values:
    """Expected inner products of any two drifts."""
    signs, _ = joint_signs([independent(shape["T"])] * (2 * shape["N"]))
    sizes = [values[name][:, n] for name in ("client", "time") for n in range(shape["N"])]
    drifts = [
        like(size, sign[:, tau])[None, :, None] * size[:, None]
        for sign, size in zip(signs, sizes, strict=True)
        for tau in range(shape["T"])
    ]
    return {"crossed_each": stack([over_outcomes(dot(x, y)) for x, y in combinations(drifts, 2)], -1)}


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
_SIZES = tuple({"N": N, "T": T, "d": 1} for N, T in ((1, 1), (1, 2), (2, 1), (1, 3)))
KEPT = Scene(
    name="minimisers of all that is remembered",
    shapes=(*_SIZES, {"N": 1, "T": 2, "d": 2}, {"N": 2, "T": 2, "d": 1}),
    space=_space,
    room="room",
    known=constants,
    compute=Proved(remembering, OF_MINIMISERS, (*WITHIN, UNCORRELATED), crossings),
    restricts=_OF_MINIMISERS,
)
PLACEBOS = tuple(
    KEPT.variant(f"{KEPT.name}, by a method that {words}", compute=compute)
    for compute, words in ((forgetting, "remembers the last round alone"), (standing, "stands still"))
)


def any_weights(shape: Shape, values: Named) -> Values:
    """Arbitrary weights of the rounds, in one dimension, with curvature mu of every loss and time drifts of size D."""
    alike = _alike(shape, values)
    return {
        "D2": values["drift"] ** 2,
        "weighted_gap": minimised(shape, alike, with_sum_one(values["raw"]))["all_gap"],
    }


def _alike(shape: Shape, values: Named) -> Values:
    """Losses with the same curvature, no client drift, and time drifts of the same size."""
    time = values["drift"]
    return {
        "h": values["mu"][:, None],
        "time": stack([time[:, None]] * shape["N"], 1),
        "client": stack([0 * time[:, None]] * shape["N"], 1),
    }


ANY = Scene(
    name="any weights of all that is remembered",
    shapes=_SIZES,
    space=lambda shape: {"mu": Box(0.1, 4), "drift": Box(-2, 2), "raw": Box(-1, 2, (shape["T"],))},
    compute=Proved(
        any_weights,
        (OF_WEIGHTS,),
        (UNCORRELATED,),
        lambda shape, values: crossings(shape, _alike(shape, values)),
    ),
)
