"""Steps along batch gradients of the memory that a positive definite matrix A_s turns (FedMeS, Eq. 32, 34 and 36)."""

from __future__ import annotations

import sympy as sp

from bounds.catalogue import statement
from nqm.fields import Array, dot, sq
from verify.engine.scene import Box, Fact, Proved, Scene, Shape, Values
from verify.scenes.fedmes.descent import ASSUMED, of_samples
from verify.scenes.fedmes.descent_facts import WITHIN, anything, left_by
from verify.scenes.fedmes.projection import area2
from verify.scenes.fedmes.samples import SIZES, STILL, Named, batches, gradients, loss, mean
from verify.scenes.parameters import column


def turned(values: Named, v: Array) -> Array:
    """A_s v (batch, ..., d): A_s is a number and one direction that counts more."""
    way = values["way"].reshape(len(v), *(1,) * (v.ndim - 2), v.shape[-1])
    low, raised = (column(values[name], v.ndim - 1) for name in ("low", "raised"))
    return low * v + raised * way * dot(way, v)[..., None]


def with_matrix(shape: Shape, values: Named) -> Values:
    """One step x - eta_s A_s g(x; zeta) over all batches."""
    h, c, x = values["h"], values["c_sample"], values["x"]
    whole, batch = mean(gradients(h, c, x)), batches(values, x)
    after = loss(h, c, x[:, None] - column(values["eta_s"], 2) * turned(values, batch))
    return {
        **of_samples(values),
        "curvature": mean(h),
        "A_least": values["low"],
        "A_most": values["low"] + values["raised"] * sq(values["way"]),
        "align_matrix": dot(whole, turned(values, mean(batch))),
        "now": loss(h, c, x),
        "expected": mean(after),
    }


def _space(shape: Shape) -> dict[str, Box]:
    return {"low": Box(0.05, 2), "raised": Box(0, 20), "way": Box(-1, 1, (shape["d"],))}


def _fact(id: str, turns: int, assumed: dict[str, tuple[str, sp.Rel]]) -> Fact:
    """About batches that are turned, `turns` times as much: by any angle, or not at all."""

    def compute(shape: Shape, values: Named) -> Values:
        values = {**values, "turn": turns * values["turn"]}
        found = with_matrix(shape, values)
        whole = mean(gradients(values["h"], values["c_sample"], values["x"]))
        batch = batches(values, values["x"])
        way, low, raised = values["way"], values["low"], values["raised"]
        bent = mean((values["less"][:, None] * turned(values, batch) ** 2).sum(axis=-1))
        across = (2 * low * raised + raised**2 * sq(way)) * mean(area2(way[:, None] + 0 * batch, batch))
        return {
            **found,
            **left_by(values, mean(values["h"])),
            "left_align": found["align"] - values["mu"] * found["mem_gradient2"],
            "slack eq34.matrix.step": values["eta_s"] ** 2 / 2 * (bent + values["L"] * across),
            "slack eq34.matrix/unturned": values["spare"] * low
            + values["bias"] * raised * dot(way, whole) ** 2,
        }

    scene = Scene(
        name=f"a step along any batch gradient, turned by a matrix, for {id}",
        shapes=SIZES[1:],
        space=lambda shape: {
            **anything(shape),
            "raised": Box(0.1, 1),
            "low": Box(0.1, 1),
            "way": Box(-1, 1, (shape["d"],)),
            **dict.fromkeys(("mu", "spare"), Box(0.1, 1)),
        },
        compute=compute,
        covers=_COVERS,
    )
    return Fact(statement(f"fedmes.{id}").compared, scene, f"slack {id}", assumed)


_COVERS = "an identity for any quadratic losses of one and two samples in one and two dimensions and any matrix that is a number and \
one direction that counts more, where what the constants leave is taken as it is; a sum over coordinates and samples"
STEP = _fact("eq34.matrix.step", 1, {"less": ("left_less", WITHIN[0])})
UNTURNED = _fact("eq34.matrix/unturned", 0, {"spare": ("left_align", statement("fedmes.ass2").compared)})
MATRIX = ASSUMED.variant(
    "random samples of the memory, turned by a matrix",
    shapes=SIZES[1:],
    space=lambda shape: {**ASSUMED.space(shape), **_space(shape), "eta_s": Box(0.01, 1, scale="log")},
    compute=Proved(with_matrix, (STEP,), (WITHIN[0],)),
    steps=("eta_s",),
    free_step=lambda name, shape, values: 2,
)
DRAWN = MATRIX.variant(
    "random samples of the memory, drawn as they should be and turned by a matrix",
    space=lambda shape: {**MATRIX.space(shape), "turn": STILL},
    compute=Proved(with_matrix, (STEP, UNTURNED), (WITHIN[0],)),
)
