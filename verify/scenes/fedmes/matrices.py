"""Steps along batch gradients of the memory multiplied by a positive definite matrix A_s (FedMeS, Eq. 32, 34 and 36)."""

from __future__ import annotations

import sympy as sp

import bounds.fedmes.correction as b
from bounds.catalogue import statement
from bounds.hypotheses import Hypothesis
from bounds.relations import le
from nqm.fields import Array, dot, sq, stack
from verify.engine.model.scene import Box, Fact, Proved, Shape, Values
from verify.scenes.fedmes.descent import ASSUMED, of_samples
from verify.scenes.fedmes.samples import SIZES, STILL, Named, batches, gradients, loss, mean
from verify.scenes.fedmes.smooth_losses import ANY, OF_BATCHES, SMOOTH, any_step
from verify.scenes.fedmes.smooth_losses import space as any_space
from verify.scenes.parameters import column


def turned(values: Named, v: Array) -> Array:
    """A_s v (batch, ..., d), where A_s is a multiple of the identity plus a rank-one term."""
    way = values["way"].reshape(len(v), *(1,) * (v.ndim - 2), v.shape[-1])
    low, raised = (column(values[name], v.ndim - 1) for name in ("low", "raised"))
    return low * v + raised * way * dot(way, v)[..., None]


def with_matrix(shape: Shape, values: Named) -> Values:
    """One step x - eta_s A_s g(x; zeta) over all batches."""
    h, c, x = values["h"], values["c_sample"], values["x"]
    whole, batch = mean(gradients(h, c, x)), batches(values, x)
    move = -column(values["eta_s"], 2) * turned(values, batch)
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
        "align_matrix": dot(whole, turned(values, mean(batch))),
        "now": loss(h, c, x),
        "expected": mean(after),
    }


def _space(shape: Shape) -> dict[str, Box]:
    return {"low": Box(0.05, 2), "raised": Box(0, 20), "way": Box(-1, 1, (shape["d"],))}


# ------------------------------------------------- any loss, and any matrix: along its axes it is a number each


def _any_matrix(shape: Shape, values: Named) -> Values:
    """A step along arbitrary batch gradients multiplied by an arbitrary positive definite matrix."""
    axes, batch, eta = values["eigenvalue"], values["batch"], values["eta_s"]
    found = any_step(shape, {**values, "A_s": 1 + 0 * eta, "batch": axes[:, None] * batch})
    longest = values["most"] * (values["A_most"][:, None] + axes)
    shorter = mean((longest[:, None] * batch**2).sum(axis=-1))
    return {
        **found,
        "square2": mean(sq(batch)),
        "align": dot(values["whole"], mean(batch)),
        "align_matrix": dot(values["whole"], axes * mean(batch)),
        "left_most": values["A_most"][:, None] - axes,
        "left_least": axes - values["A_least"][:, None],
        "slack": mean(values["smooth"]) + values["L"] * eta**2 / 2 * shorter,
    }


def _unturned(shape: Shape, values: Named) -> Values:
    """A step whose mean batch gradient is a multiple of the memory gradient."""
    alike = values["bias"][:, None, None] * values["whole"][:, None] + 0 * values["batch"]
    found = _any_matrix(shape, {**values, "batch": alike})
    beyond = (values["least_of_all"] * values["whole"] ** 2).sum(axis=-1)
    return {
        **found,
        "left_align": found["align"] - values["mu"] * found["mem_gradient2"],
        "slack": values["spare"] * values["A_least"] + values["bias"] * beyond,
    }


_eigenvalue = sp.Symbol("eigenvalue", positive=True)
EIGENVALUES = (le(b.A_least, _eigenvalue), le(_eigenvalue, b.A_most))
"""The definitions of the smallest and the largest eigenvalue."""
_ANY_MATRIX = ANY.variant(
    "a step along any batch gradients, turned by any positive definite matrix",
    shapes=SIZES[1:],
    space=lambda shape: {
        **any_space(shape),
        **dict.fromkeys(("eigenvalue", "most", "least_of_all"), Box(0.1, 1, (shape["d"],))),
        **dict.fromkeys(("A_least", "A_most", "mu", "spare", "bias"), Box(0.1, 1)),
    },
    compute=_any_matrix,
)
_LEFT = {
    "smooth": ("left_smooth", SMOOTH),
    "most": ("left_most", EIGENVALUES[1]),
    "least_of_all": ("left_least", EIGENVALUES[0]),
    "spare": ("left_align", statement("fedmes.ass2").compared),
}
STEP = Fact(
    statement("fedmes.eq34.matrix.step").compared,
    _ANY_MATRIX,
    "slack",
    {name: _LEFT[name] for name in ("smooth", "most")},
)
UNTURNED = Fact(
    statement("fedmes.eq34.matrix/unturned").compared,
    _ANY_MATRIX.variant(
        f"{_ANY_MATRIX.name}, along the memory gradient on average",
        compute=_unturned,
        restricts=(Hypothesis.UNTURNED,),
    ),
    "slack",
    {name: _LEFT[name] for name in ("least_of_all", "spare")},
)
MATRIX = ASSUMED.variant(
    "random samples of the memory, turned by a matrix",
    shapes=SIZES[1:],
    space=lambda shape: {**ASSUMED.space(shape), **_space(shape), "eta_s": Box(0.01, 1, scale="log")},
    compute=Proved(with_matrix, (STEP, *OF_BATCHES), (SMOOTH, *EIGENVALUES)),
    steps=("eta_s",),
    free_step=lambda name, shape, values: 2,
)
DRAWN = MATRIX.variant(
    "random samples of the memory, drawn as they should be and turned by a matrix",
    space=lambda shape: {**MATRIX.space(shape), "turn": STILL},
    compute=Proved(with_matrix, (STEP, UNTURNED, *OF_BATCHES), (SMOOTH, *EIGENVALUES)),
    restricts=(*MATRIX.restricts, Hypothesis.UNTURNED),
)
