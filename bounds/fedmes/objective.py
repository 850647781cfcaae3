"""FedMeS, Assumption 1, Eq. (2) and (7): gradients of the clients, the personal objective, and its strength of pull."""

from __future__ import annotations

import sympy as sp

from bounds.fedmes.symbols import FEDMES, at, c, lam
from bounds.relations import ge, gt, le

_positive, _nonnegative, _real = FEDMES.positive, FEDMES.nonnegative, FEDMES.real

# Gradients
sigma2 = _nonnegative("sigma2", "bound of E|grad|^2 (Assumption 1)", r"\sigma^2")
gradient2 = _nonnegative("gradient2", "squared norm of a client's gradient", r"\|\nabla\mathcal L(w_k)\|^2")
optima_apart = _nonnegative("optima_apart", "distance of two clients' own optima")
to_one = _nonnegative("to_one", "distance of a model to the optimum of a client's loss")
to_other = _nonnegative("to_other", "distance of the same model to that of another client")
norm_one = _nonnegative("norm_one", "norm of the first client's gradient at the model")
norm_other = _nonnegative("norm_other", "norm of the other client's gradient there")
sigma = _nonnegative("sigma", "root of sigma^2", r"\sigma")
to_own2 = _nonnegative("to_own2", "squared distance of a model to the optimum of the client's loss")

# The regularised objective (2)
G_at = _real("G_at", "objective (2) at a model", r"G_k(w;\mathbf w^*)")
G_there = _real("G_there", "objective (2) where its gradient is zero", r"G_k(w_k^*;\mathbf w^*)")
far2 = _nonnegative("far2", "squared distance between the two", r"\|w-w_k^*\|^2")
F_at = _real("F_at", "the loss at a model", "F(w)")
F_there = _real("F_there", "the loss where the gradient of (2) is zero", "F(w_k^*)")
slope_there = _real(
    "slope_there", "the gradient of the loss there times the way", r"\nabla F(w_k^*)^\top(w-w_k^*)"
)

# The strength of the pull (7)
loss = _positive(
    "loss", "loss of the global model on the client's task", r"\mathcal L(\mathbf w,\mathcal D_k^t)"
)
loss_larger = _positive("loss_larger", "a larger loss")
strength = _real("strength", "strength (7)", r"\lambda")
strength_larger = _real("strength_larger", "strength (7) at the larger loss", r"\lambda'")
decayed = _positive("decayed", "exp(-1/loss)", r"e^{-1/\mathcal L}")
decayed_larger = _positive("decayed_larger", "the same at the larger loss")

ASS1 = at("Assumption 1", "156-158")(
    "ass1", "gradients are bounded at all clients in all iterations", le(gradient2, sigma2)
)
_ASSUMPTION = (
    ASS1,
    ASS1.variant(
        "everywhere",
        says="gradients are bounded at every model",
        changes="at every model instead of those that the algorithm visits",
    ),
    at("Assumption 1", "156-158")(
        "ass1.ball",
        "what the algorithm visits lies within sigma/c of every client's own optimum",
        le(c**2 * to_own2, sigma2),
        assumes=("ass1",),
    ),
    at("Assumption 1", "156-158")(
        "ass1.clients",
        "own optima of two clients lie within 2 sigma/c of each other",
        le(c * optima_apart, 2 * sigma),
        conditions=(le(norm_one, sigma), le(norm_other, sigma)),
    ),
)

EQ2 = at("Eq. (2) with lambda of Theorem 2", "54-60, 182-186")(
    "eq2", "for real lambda, (2) is least where its gradient is zero", le(G_there, G_at)
)
_OBJECTIVE = (
    EQ2,
    EQ2.variant(
        "convex",
        says="for lambda above -c, (2) is least where its gradient is zero",
        conditions=(gt(c + lam, 0),),
        uses=("eq2.above",),
        changes="lambda above -c in place of any real lambda",
    ),
    at("Eq. (2)", "54-60")(
        "eq2.above",
        "how far (2) is above its stationary value, at least",
        ge(G_at, G_there + (c + lam) * far2 / 2),
    ),
)

EQ7 = at("Eq. (7), 'limits lambda within [0, 2]'", "118-122")(
    "eq7", "the strength lies within [0, 2]", le(sp.Abs(strength - 1), 1)
)
_STRENGTH = (
    EQ7,
    at("Eq. (7)", "122")(
        "eq7.falls",
        "the larger the loss, the weaker the pull",
        le(strength_larger, strength),
        conditions=(le(loss, loss_larger),),
    ),
    at("Eq. (7), 'deviate from the global model by decreasing lambda'", "122")(
        "eq7.weak",
        "the pull of a client with a large loss, here at least 10, can fall to the lower half of [0, 2]",
        le(strength, 1),
        conditions=(ge(loss, 10),),
    ),
    EQ7.variant(
        "corrected",
        gt(strength, 1),
        says="the strength is above 1 for every loss, and at most 2",
        changes="(1, 2] in place of [0, 2]",
    ),
)

STATEMENTS = (*_ASSUMPTION, *_OBJECTIVE, *_STRENGTH)
