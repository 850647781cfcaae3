"""Weights of past rounds that are not negative: which rounds are kept."""

from __future__ import annotations

from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.scenes.cfl.decay_sums import KEPT_EXPANSION, SEMIDEFINITE
from verify.scenes.cfl.left_out_facts import REFUSED, SLOPES
from verify.scenes.cfl.weighting import ROUNDS, gradual_space, with_prefix
from verify.scenes.cfl.weights import keeping_oldest, matrix_of, pair_sum, sums

EXPANSION = KEPT_EXPANSION.relation
"""The objective at any weights, around the kept ones."""


def not_negative(shape: Shape, values: Named) -> Values:
    """The weights >= 0 that keep the oldest rounds, and any others >= 0."""
    weight = values["alpha"]
    form = matrix_of(weight, values["D2"], values["R2"], shape["t"])
    best, refused = keeping_oldest(form)
    other = values["raw"] / values["raw"].sum(axis=1)[:, None]
    weights = best + values["mix"][:, None] * (other - best)
    found, change = sums(best, weight), weights - best
    return {
        "q": weights,
        **with_prefix("q", sums(weights, weight)),
        "kept": values["G2"] + values["R2"] * (1 - found["now"]) ** 2 + values["D2"] * found["decay"],
        "tilt": (change[:, :, None] * form * best[:, None, :]).sum(axis=2).sum(axis=1),
        "zQz": pair_sum(change, form),
        "refused": refused,
    }


NOT_NEGATIVE = Scene(
    name="weights that are not negative",
    shapes=ROUNDS,
    space=lambda shape: {
        **{name: gradual_space(shape)[name] for name in ("alpha", "D2", "R2", "G2")},
        "raw": Box(0, 1, (shape["t"],)),
        "mix": Box(0, 1),
    },
    compute=Proved(not_negative, (KEPT_EXPANSION, SEMIDEFINITE, SLOPES), (REFUSED,)),
)
