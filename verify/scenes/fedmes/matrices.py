"""Steps along batch gradients of the memory multiplied by a positive definite matrix A_s (FedMeS, Eq. 32, 34 and 36)."""

from __future__ import annotations

from bounds.hypotheses import Hypothesis
from nqm.fields import Array, dot, sq, stack
from verify.engine.model.scene import Box, Proved, Shape, Values
from verify.scenes.fedmes.descent import ASSUMED, of_samples
from verify.scenes.fedmes.samples import SIZES, STILL, Named, batches, gradients, loss, mean
from verify.scenes.fedmes.smooth_losses import OF_BATCHES, SMOOTH
from verify.scenes.fedmes.step_facts import EIGENVALUES, UNTURNED, WITH_MATRIX
from verify.scenes.parameters import column


def product_with_matrix(values: Named, v: Array) -> Array:
    """A_s v (batch, ..., d), where A_s is a multiple of the identity plus a rank-one term."""
    way = values["way"].reshape(len(v), *(1,) * (v.ndim - 2), v.shape[-1])
    low, raised = (column(values[name], v.ndim - 1) for name in ("low", "raised"))
    return low * v + raised * way * dot(way, v)[..., None]


def with_matrix(shape: Shape, values: Named) -> Values:
    """One step x - eta_s A_s g(x; zeta) over all batches."""
    h, c, x = values["h"], values["c_sample"], values["x"]
    whole, batch = mean(gradients(h, c, x)), batches(values, x)
    move = -column(values["eta_s"], 2) * product_with_matrix(values, batch)
    after = loss(h, c, x[:, None] + move)
    low, most = values["low"], values["low"] + values["raised"] * sq(values["way"])
    return {
        **of_samples(values),
        "A_least": low,
        "A_most": most,
        "eigenvalue": stack([low, most], 1)[:, 2 - min(shape["d"], 2) :],
        "along": dot(whole[:, None], move),
        "step2": sq(move),
        "after": after,
        "align_matrix": dot(whole, product_with_matrix(values, mean(batch))),
        "now": loss(h, c, x),
        "expected": mean(after),
    }


def _space(shape: Shape) -> dict[str, Box]:
    return {"low": Box(0.05, 2), "raised": Box(0, 20), "way": Box(-1, 1, (shape["d"],))}


MATRIX = ASSUMED.variant(
    "random samples of the memory, turned by a matrix",
    shapes=SIZES[1:],
    space=lambda shape: {**ASSUMED.space(shape), **_space(shape), "eta_s": Box(0.01, 1, scale="log")},
    compute=Proved(with_matrix, (WITH_MATRIX, *OF_BATCHES), (SMOOTH, *EIGENVALUES)),
    steps=("eta_s",),
    free_step=lambda name, shape, values: 2,
)
DRAWN = MATRIX.variant(
    "random samples of the memory, drawn as they should be and turned by a matrix",
    space=lambda shape: {**MATRIX.space(shape), "turn": STILL},
    compute=Proved(with_matrix, (WITH_MATRIX, UNTURNED, *OF_BATCHES), (SMOOTH, *EIGENVALUES)),
    restricts=(*MATRIX.restricts, Hypothesis.UNTURNED),
)
