"""CFL, Appendix B.5: the terms of Eq. (32) without gradient, at the weights of Lemma B.4 and at others."""

from __future__ import annotations

from nqm.fields import Array, amin, sq
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.scenes.cfl.weight_sums import FALLING_SQUARES
from verify.scenes.cfl.weights import centred, printed_weights


def constant_terms(shape: Shape, values: Named) -> Values:
    """The terms of Eq. (32) without gradient, over eta, and of c_pB, at the weights of Lemma B.4 and at others."""
    t = shape["t"]
    best = printed_weights(t, values["D2"], values["R2"])
    other = best + centred(values["change"])
    later = printed_weights(t + 1, values["D2"], values["R2"])

    def level(p: Array) -> Array:
        past, c_pG = 1 - p[:, -1], values["G2"] + values["D2"] * sq(p)
        local = values["L"] ** 2 / 2 * (c_pG + past**2 * values["R2"])
        return (c_pG + past * values["R2"]) / 2 + values["L"] * values["eta"] * past**2 * values["R2"] + local

    return {
        "constant_printed": level(best),
        "constant_other": level(other),
        "least_other": amin(other, -1),
        "square_t": sq(best),
        "square_later": sq(later),
    }


TERMS = Scene(
    name="terms of Eq. (32) without gradient",
    shapes=tuple({"t": t} for t in (2, 3, 5)),
    space=lambda shape: {
        "change": Box(-1, 1, (shape["t"],)),
        **{name: Box(0, 4) for name in ("G2", "A2", "B2")},
        **{name: Box(0.01, 4) for name in ("D2", "R2")},
        "L": Box(0.1, 4, scale="log"),
        "eta": Box(0.01, 1, scale="log"),
    },
    compute=Proved(constant_terms, (FALLING_SQUARES,)),
)
