"""FedMeS, Eq. (1), (2) and (7), Algorithm 1, Assumption 1 and Theorem 2: the personal models and their strength of pull."""

from __future__ import annotations

import sympy as sp

from bounds.fedmes.symbols import FEDMES, L, at, c, eta_1, lam

_define = FEDMES.define

# A round of Algorithm 1 while no gradients conflict
E = _define("E", "local steps of a round", "count")
r = _define("r", "rounds of a task", "count")
sigma2 = _define("sigma2", "bound of E|grad|^2 (Assumption 1)", "nonnegative", r"\sigma^2")
gradient2 = _define(
    "gradient2", "squared norm of a client's gradient", "nonnegative", r"\|\nabla\mathcal L(w_k)\|^2"
)
wg = _define("wg", "global model", "real", r"\mathbf w")
wg_next = _define("wg_next", "global model after a round", "real", r"\mathbf w^+")
wg_mean = _define("wg_mean", "mean of the personal models", "real", r"\tfrac1n\sum_kw_k^t")
grad_mean = _define(
    "grad_mean",
    "gradient of the mean loss at the global model",
    "real",
    r"\nabla\tfrac1n\sum_kF_k(\mathbf w)",
)
off2 = _define(
    "off2",
    "squared distance of the global model to the global optimum",
    "nonnegative",
    r"\|\mathbf w^{(r)}-\mathbf w^*\|^2",
)
off2_next = _define(
    "off2_next", "the same a round later", "nonnegative", r"\|\mathbf w^{(r+1)}-\mathbf w^*\|^2"
)
personal = _define("personal", "personal model after the round", "real", r"w_k^{(r)}")
grad_k = _define(
    "grad_k",
    "gradient of the client's loss at the global model",
    "real",
    r"\nabla\mathcal L(\mathbf w;\mathcal D_k)",
)

# Distances to the personal optimum w_k^*
C = _define("C", "the constant of Theorem 2", "positive")
g_r = _define("g_r", "rate of the global model, at its smallest: E|w^(r) - w*|^2", "nonnegative", "g(r)")
error2 = _define(
    "error2",
    "squared distance of a personal model to the personal optimum",
    "nonnegative",
    r"\|w_k^{(r)}-w_k^*\|^2",
)
error = _define(
    "error", "distance of a personal model to the personal optimum", "nonnegative", r"\|w_k^{(r)}-w_k^*\|"
)
error_before = _define("error_before", "the same a round earlier", "nonnegative", r"\|w_k^{(r-1)}-w_k^*\|")
off = _define(
    "off",
    "distance of the downloaded model to the global optimum",
    "nonnegative",
    r"\|\mathbf w-\mathbf w^*\|",
)
from_centre = _define(
    "from_centre",
    "distance of the downloaded model to its regularised optimum",
    "nonnegative",
    r"\|\mathbf w-v\|",
)
end_from_centre = _define(
    "end_from_centre", "distance of the personal model to that optimum", "nonnegative", r"\|w_k^{(r)}-v\|"
)
centre_moved = _define(
    "centre_moved", "distance of that optimum to the personal optimum", "nonnegative", r"\|v-w_k^*\|"
)
apart = _define(
    "apart", "distance of the global optimum to the personal optimum", "nonnegative", r"\|\mathbf w^*-w_k^*\|"
)
optima_apart = _define("optima_apart", "distance of two clients' own optima", "nonnegative")
to_one = _define("to_one", "distance of a model to the optimum of a client's loss", "nonnegative")
to_other = _define("to_other", "distance of the same model to that of another client", "nonnegative")
norm_one = _define("norm_one", "norm of the first client's gradient at the model", "nonnegative")
norm_other = _define("norm_other", "norm of the other client's gradient there", "nonnegative")
sigma = _define("sigma", "root of sigma^2", "nonnegative", r"\sigma")
to_own2 = _define("to_own2", "squared distance of a model to the optimum of the client's loss", "nonnegative")

# The regularised objective (2)
G_at = _define("G_at", "objective (2) at a model", "real", r"G_k(w;\mathbf w^*)")
G_there = _define("G_there", "objective (2) where its gradient is zero", "real", r"G_k(w_k^*;\mathbf w^*)")
far2 = _define("far2", "squared distance between the two", "nonnegative", r"\|w-w_k^*\|^2")
beyond = _define("beyond", "curvature beyond c along the way", "nonnegative")

# The strength of the pull (7)
loss = _define(
    "loss",
    "loss of the global model on the client's task",
    "positive",
    r"\mathcal L(\mathbf w,\mathcal D_k^t)",
)
loss_larger = _define("loss_larger", "a larger loss", "positive")
strength = _define("strength", "strength (7)", "real", r"\lambda")
strength_larger = _define("strength_larger", "strength (7) at the larger loss", "real", r"\lambda'")
decayed = _define("decayed", "exp(-1/loss)", "positive", r"e^{-1/\mathcal L}")
decayed_larger = _define("decayed_larger", "the same at the larger loss", "positive")

ALONE = (sp.Eq(E, 1),)
SHORT = sp.Le(eta_1 * (L + lam), 1)
PULLED = sp.Ge(lam, 0)
KEPT = (1 - eta_1 * (c + lam)) ** E
"""What is left of a distance after E gradient steps on (2)."""
FASTEST = (1 - eta_1 * (L + lam)) ** E
DRAWN = lam / (c + lam) * off
"""How far a distance of the global model moves the regularised optimum."""

ASS1 = at("Assumption 1", "156-158")(
    "ass1", "gradients are bounded at all clients in all iterations", sp.Le(gradient2, sigma2)
)
_ASSUMPTION = (
    ASS1,
    ASS1.reading(
        "everywhere",
        says="gradients are bounded at every model",
        changes="at every model instead of those that the algorithm visits",
    ),
    at("Assumption 1", "156-158")(
        "ass1.ball",
        "what the algorithm visits lies within sigma/c of every client's own optimum",
        sp.Le(c**2 * to_own2, sigma2),
        assumes=("ass1",),
    ),
    at("Assumption 1", "156-158")(
        "ass1.clients",
        "own optima of two clients lie within 2 sigma/c of each other",
        sp.Le(c * optima_apart, 2 * sigma),
        conditions=(sp.Le(norm_one, sigma), sp.Le(norm_other, sigma)),
    ),
    at("Assumption 1 with Algorithm 1", "158")(
        "ass1.global",
        "a round of Algorithm 1 does not lead away from the optimum of (1), to which it is assumed to converge",
        sp.Le(off2_next, off2),
        conditions=(SHORT, PULLED),
    ),
    at("Eq. (1) with Algorithm 1", "50, 62-78")(
        "eq1",
        "with one local step a round of Algorithm 1 is a gradient step on (1), G being the mean",
        sp.Eq(wg_next, wg - eta_1 * grad_mean),
        conditions=ALONE,
    ),
    at("Algorithm 1", "62-78")(
        "alg1", "the global model is the mean of the personal models", sp.Eq(wg_next, wg_mean)
    ),
    at("Algorithm 1 with (5)", "62-78, 94-102")(
        "alg1.one-step",
        "with one local step a round pulls nobody to the global model: the pull is zero where local work starts",
        sp.Eq(personal, wg - eta_1 * grad_k),
        conditions=ALONE,
    ),
)

EQ2 = at("Eq. (2) with lambda of Theorem 2", "54-60, 182-186")(
    "eq2", "for real lambda, (2) is least where its gradient is zero", sp.Le(G_there, G_at)
)
_OBJECTIVE = (
    EQ2,
    EQ2.reading(
        "convex",
        says="for lambda above -c, (2) is least where its gradient is zero",
        conditions=(sp.Gt(c + lam, 0),),
        uses=("eq2.square",),
        changes="lambda above -c in place of any real lambda",
    ),
    at("Eq. (2)", "54-60")(
        "eq2.square",
        "how far (2) is above its stationary value",
        sp.Eq(G_at, G_there + (c + lam) * far2 / 2 + beyond / 2),
    ),
)

THEOREM_2 = at("Theorem 2", "182-186")(
    "thm2",
    "personal models converge to the optimum of (2) at C times the rate of the global model",
    sp.Le(error2, C * g_r),
    conditions=(sp.Le(off2, g_r),),
    assumes=("ass1",),
)
_THEOREM = (
    THEOREM_2,
    THEOREM_2.reading(
        "short-steps",
        conditions=(*THEOREM_2.conditions, SHORT, sp.Gt(lam, 0)),
        changes="with steps that do not overshoot, and a pull",
    ),
    THEOREM_2.reading(
        "persistent",
        conditions=(*THEOREM_2.conditions, SHORT, sp.Gt(lam, 0)),
        changes="personal models go on where their last round ended, as in Ditto, whose theorem is cited; short steps, and a pull",
    ),
    at("Theorem 2 with Algorithm 1", "182-186")(
        "thm2.floor",
        "a personal model stays away from its optimum, however good the global model is",
        sp.Ge(end_from_centre, FASTEST * from_centre),
        conditions=(SHORT, PULLED),
    ),
    THEOREM_2.reading(
        "corrected",
        sp.Le(error, KEPT * from_centre + DRAWN),
        says="distance to the personal optimum: what E local steps leave of the distance they start from, and the global model's",
        conditions=(SHORT, PULLED),
        assumes=(),
        uses=("thm2.local", "thm2.centre"),
        changes="adds what a fixed number of local steps leaves, and asks for short steps and lambda >= 0",
    ),
    at("Theorem 2", "182-186")(
        "thm2.local",
        "local steps on (2) contract",
        sp.Le(end_from_centre, KEPT * from_centre),
        conditions=(SHORT, PULLED),
    ),
    at("Theorem 2", "182-186")(
        "thm2.centre",
        "the regularised optimum moves less than the global model",
        sp.Le(centre_moved, DRAWN),
        conditions=(PULLED,),
    ),
    THEOREM_2.reading(
        "persistent-corrected",
        sp.Le(error, KEPT * error_before + DRAWN),
        says="one round: what E local steps leave of the distance of the round before, and the global model's",
        conditions=(SHORT, PULLED),
        assumes=(),
        changes="personal models persist as in Ditto; a round's recursion, in which their own distance remains",
    ),
)

EQ7 = at("Eq. (7), 'limits lambda within [0, 2]'", "118-122")(
    "eq7", "the strength lies within [0, 2]", sp.Le(sp.Abs(strength - 1), 1)
)
_STRENGTH = (
    EQ7,
    at("Eq. (7)", "122")(
        "eq7.falls",
        "the larger the loss, the weaker the pull",
        sp.Le(strength_larger, strength),
        conditions=(sp.Le(loss, loss_larger),),
    ),
    at("Eq. (7), 'deviate from the global model by decreasing lambda'", "122")(
        "eq7.weak",
        "the pull of a client with a large loss, here at least 10, can fall to the lower half of [0, 2]",
        sp.Le(strength, 1),
        conditions=(sp.Ge(loss, 10),),
    ),
    EQ7.reading(
        "corrected",
        sp.Gt(strength, 1),
        says="the strength is above 1 for every loss, and at most 2",
        changes="(1, 2] in place of [0, 2]",
    ),
)

STATEMENTS = (*_ASSUMPTION, *_OBJECTIVE, *_THEOREM, *_STRENGTH)
