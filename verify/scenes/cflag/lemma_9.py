"""Scenes for Lemma 9 of C-FLAG at a point: clients with strongly convex past losses, and touching discs."""

from __future__ import annotations

from bounds.cflag.drift import WEIGHTS
from nqm.fields import amax, sq, stack
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.scenes.cflag.convex_facts import CURVED, OF_STRONGLY_CONVEX
from verify.scenes.cflag.memories import TOLD


def touching(shape: Shape, values: Named) -> Values:
    """Two clients with the losses |distance from a disc of radius 1|^2/2, for discs that touch at the origin.

    The losses are convex and 1-smooth, and the origin is the only common minimiser. The samples of a client are its loss times
    1 + delta and 1 - delta. The model lies above the origin, at the distance sqrt(1 + x^2) - 1 from both discs.
    """
    tilt, delta = values["tilt"], values["delta"]
    height, away = 2 * tilt / (1 - tilt**2), (1 + tilt**2) / (1 - tilt**2)
    share = (away - 1) / away
    one = 1 + 0 * share
    gradients = stack([stack([-side * share, height * share], -1) for side in (one, -one)], 1)
    signs = stack([one, -one], -1)[:, :, None] * delta[:, None, None]
    # Four draws: each client stores its first or its second sample
    drawn = stack([signs[:, [i, j]] for i in (0, 1) for j in (0, 1)], 1)
    b_i = drawn * gradients[:, None]
    whole = gradients.sum(axis=1) / 2
    return {
        "b2_i": sq(b_i),
        "gf2_i": sq(gradients[:, None] + 0 * b_i),
        "m_i": (delta**2)[:, None, None],
        "b2": sq(b_i.sum(axis=2) / 2),
        "gf2": sq(whole)[:, None],
    }


TOUCHING = Scene(
    name="two clients whose past losses are least on discs that touch, for any m",
    shapes=({"N": 2, "d": 2},),
    space=lambda shape: {
        "tilt": Box(1e-4, 0.5, scale="log"),
        "delta": Box(0.1, 0.9),
        "m": Box(0.01, 1000, scale="log"),
    },
    compute=touching,
    told={
        "tilt": "the model is 2 tilt/(1 - tilt^2) above the point where the discs touch",
        "delta": "the two samples of a client have its loss times 1 + delta and times 1 - delta",
    },
)


def strongly_convex(shape: Shape, values: Named) -> Values:
    """Past losses with Hessians of any axes, eigenvalues of at least mu, and one minimiser; biases that Assumption 2 allows.

    A memory's gradient is an arbitrary vector; only the bound on its bias is used.
    """
    p = values["raw"] / values["raw"].sum(axis=1)[:, None]
    x, mu, turn = values["x"][:, None], values["mu"], values["axis"]
    cos, sin = (1 - turn**2) / (1 + turn**2), 2 * turn / (1 + turn**2)
    along, across = cos * x[..., 0] + sin * x[..., 1], cos * x[..., 1] - sin * x[..., 0]
    curvature = mu[:, None, None] + values["more"]
    first, second = curvature[..., 0] * along, curvature[..., 1] * across
    gf_i = stack([cos * first - sin * second, sin * first + cos * second], -1)
    b_i = values["size"][..., None] * stack(
        [
            (1 - values["way"] ** 2) * gf_i[..., 0] - 2 * values["way"] * gf_i[..., 1],
            (1 - values["way"] ** 2) * gf_i[..., 1] + 2 * values["way"] * gf_i[..., 0],
        ],
        -1,
    )
    b_i = b_i / (1 + values["way"] ** 2)[..., None]
    mean = lambda v: (p[..., None] * v).sum(axis=1)  # noqa: E731
    return {
        "b2_i": sq(b_i),
        "gf2_i": sq(gf_i),
        "m_i": values["size"] ** 2,
        "m_mean": (p * values["size"] ** 2).sum(axis=1),
        "b2": sq(mean(b_i)),
        "b2_mean": (p * sq(b_i)).sum(axis=1),
        "p_sum": p.sum(axis=1),
        "gf2": sq(mean(gf_i)),
        "far2": sq(values["x"]),
        "L": amax(curvature, (1, 2)),
        "curvature": curvature,
    }


def _strongly_convex_space(shape: Shape) -> dict[str, Box]:
    N = shape["N"]
    return {
        "raw": Box(0.1, 1, (N,)),
        "x": Box(-2, 2, (2,)),
        "mu": Box(0.05, 1, scale="log"),
        "more": Box(0, 2, (N, 2)),
        "axis": Box(-1, 1, (N,)),
        "size": Box(0, 0.99, (N,)),
        "way": Box(-2, 2, (N,)),
    }


STRONGLY_CONVEX = Scene(
    name="clients with strongly convex past losses, one minimiser and any memories at a point",
    shapes=tuple({"N": N, "d": 2} for N in (1, 2, 3)),
    space=_strongly_convex_space,
    compute=Proved(strongly_convex, OF_STRONGLY_CONVEX, (CURVED, *WEIGHTS)),
    told={**TOLD, "axis": "tangent of half the angle by which the axes of a client's Hessian are turned"},
)
