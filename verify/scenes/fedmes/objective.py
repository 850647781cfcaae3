"""Gradients of clients and the objective (2) at any model, gradients along a round, and the strength (7)."""

from __future__ import annotations

import bounds.fedmes.objective as b
from bounds.catalogue import statement
from bounds.fedmes.symbols import c, lam
from bounds.hypotheses import Hypothesis
from bounds.relations import eq, ge
from nqm.fields import amax, dot, exp, norm, sq
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.engine.model.sums import Sums
from verify.scenes.fedmes.personal import FEDMES_ROUND, smoothness, space_of_clients
from verify.scenes.norms_of_sums import follows
from verify.scenes.summands import definition
from verify.scenes.trees import Tree, square

VISITED = FEDMES_ROUND.variant(
    "gradients that a round of FedMeS visits, and any bound",
    space=lambda shape: {**FEDMES_ROUND.space(shape), "any_sigma2": Box(0.1, 10, scale="log")},
    compute=lambda shape, values: {**FEDMES_ROUND.compute(shape, values), "sigma2": values["any_sigma2"]},
)


def anywhere(shape: Shape, values: Named) -> Values:
    """Two clients' gradients at any model."""
    gradient = values["h"] * (values["start"][:, None] - values["c_k"])
    apart, norms = norm(values["start"][:, None] - values["c_k"]), norm(gradient)
    return {
        **smoothness(shape, values),
        "gradient2": sq(gradient),
        "norm_one": norms[:, 0],
        "norm_other": norms[:, 1],
        "sigma": amax(norms, 1) * (1 + values["room"]),
        "to_one": apart[:, 0],
        "to_other": apart[:, 1],
        "optima_apart": norm(values["c_k"][:, 0] - values["c_k"][:, 1]),
    }


ANYWHERE = Scene(
    name="gradients of two clients",
    shapes=({"n": 2, "d": 1}, {"n": 2, "d": 2}),
    space=lambda shape: {**space_of_clients(shape), "sigma2": Box(0.1, 10, scale="log")},
    room="room",
    compute=anywhere,
)


def objective(shape: Shape, values: Named) -> Values:
    """(2) at any model and at its stationary point; curvature `convex` plus `more`, any real lambda."""
    curve = values["convex"][:, None] + values["more"]
    lam, centre, x = values["lam"][:, None], values["centre"], values["x"]
    there = (curve * values["c_k"] + lam * centre) / (curve + lam)
    loss = lambda at: (curve * (at - values["c_k"]) ** 2).sum(axis=-1) / 2  # noqa: E731
    pull = lambda at: values["lam"] * sq(at - centre) / 2  # noqa: E731
    return {
        "c": values["convex"],
        "G_at": loss(x) + pull(x),
        "G_there": loss(there) + pull(there),
        "far2": sq(x - there),
        "F_at": loss(x),
        "F_there": loss(there),
        "slope_there": dot(curve * (there - values["c_k"]), x - there),
    }


STRONG = ge(b.F_at, b.F_there + b.slope_there + c * b.far2 / 2)
"""The definition of c between the two models."""


_AWAY: Tree = ["-", "x", "there"]
_PULLED: Tree = ["-", "there", "centre"]
_BY_PULL = Sums(
    eq(b.G_at - b.F_at, b.G_there - b.F_there - b.slope_there + lam * b.far2 / 2),
    {
        b.G_at: ["+", "F_at", ["*", ["/", "lam", "2"], square(["-", "x", "centre"])]],
        b.G_there: ["+", "F_there", ["*", ["/", "lam", "2"], square(_PULLED)]],
        b.slope_there: ["-", "0", ["*", "lam", ["dot", _PULLED, _AWAY]]],
        b.far2: square(_AWAY),
    },
    {
        **dict.fromkeys(("x", "there", "centre"), "vector"),
        **dict.fromkeys(("lam", "F_at", "F_there"), "real"),
    },
)
_ABOVE = follows(statement("fedmes.eq2.above").compared, _BY_PULL, given=(STRONG,))
"""Objective (2) with any strongly convex loss: at its stationary point, the gradient of the loss balances the pull."""


OBJECTIVE = Scene(
    name="objective (2) of a client",
    shapes=({"d": 1}, {"d": 2}),
    space=lambda shape: {
        "convex": Box(0.05, 2, scale="log"),
        "more": Box(0, 1.5, (shape["d"],)),
        **{name: Box(-2, 2, (shape["d"],)) for name in ("c_k", "centre", "x")},
        "lam": Box(-4, 4),
    },
    compute=Proved(objective, (_ABOVE,), (STRONG,)),
    restricts=(Hypothesis.QUADRATIC,),
)


SIGMOID = eq(b.strength, 2 / (1 + b.decayed))
SIGMOID_LARGER = eq(b.strength_larger, 2 / (1 + b.decayed_larger))


def strengths(shape: Shape, values: Named) -> Values:
    """(7) at a loss and at a larger one."""
    larger = values["loss"] * (1 + values["excess"])
    decayed, decayed_larger = (exp(-1 / x) for x in (values["loss"], larger))
    return {
        "loss_larger": larger,
        "decayed": decayed,
        "decayed_larger": decayed_larger,
        "strength": 2 / (1 + decayed),
        "strength_larger": 2 / (1 + decayed_larger),
    }


STRENGTH = Scene(
    name="strength of the pull",
    shapes=({},),
    space=lambda shape: {"loss": Box(0.05, 1000, scale="log"), "excess": Box(0, 10)},
    compute=Proved(strengths, (definition(SIGMOID), definition(SIGMOID_LARGER))),
)
