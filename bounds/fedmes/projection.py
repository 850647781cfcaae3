"""FedMeS, Eq. (3) to (6) and Appendix A.1: what the conditions on the memory mean, and where the correction comes from.

`g` is the gradient of the current task's loss, `gm` that of the memory's, `gt` the corrected gradient. Vectors stand
for all their coordinates.
"""

from __future__ import annotations

from bounds.fedmes.symbols import FEDMES, L, at, eta_1, eta_2, lam
from bounds.hypotheses import Hypothesis
from bounds.relations import eq, ge, gt, le, lt

_positive, _nonnegative, _real = FEDMES.positive, FEDMES.nonnegative, FEDMES.real
_eq24 = at("Eq. (24)", "392-396")

# Gradients at a model w, and their products
g = _real("g", "gradient of the current task's loss", "g")
gm = _real("gm", "gradient of the memory's loss", r"g_{\rm mem}")
corrected = _real("gt", "corrected gradient", r"\tilde g")
g2 = _nonnegative("g2", "squared norm of the current gradient", r"\|g\|^2")
gm2 = _positive("gm2", "squared norm of the memory gradient", r"\|g_{\rm mem}\|^2")
inner = _real("inner", "inner product of both gradients", r"\langle g,g_{\rm mem}\rangle")
gt_g = _real("gt_g", "inner product of corrected and current gradient", r"\tilde g^\top g")
gt_gm = _real("gt_gm", "inner product of corrected and memory gradient", r"\tilde g^\top g_{\rm mem}")
kept2 = _nonnegative("kept2", "squared norm of what the correction keeps", r"\|\tilde g\|^2")
area2 = _nonnegative("area2", "squared area that both gradients span", r"|g\wedge g_{\rm mem}|^2")
z_area2 = _nonnegative("z_area2", "squared area that z - g and the memory gradient span")
gm_batch = _real("gm_batch", "memory gradient on a random batch of it", r"g_{\rm mem}(\zeta)")

# The projection as a problem with a multiplier
z_gm = _real("z_gm", "inner product of any vector z with the memory gradient", r"z^\top g_{\rm mem}")
nearest2 = _nonnegative("nearest2", "squared distance from g to the correction", r"\|g-\tilde g\|^2")
other2 = _nonnegative("other2", "squared distance from g to z", r"\|g-z\|^2")
primal = _real("primal", "objective of (18) at z", r"\tfrac12z^\top z-g^\top z")
primal17 = _real("primal17", "objective of (17) at z", r"\tfrac12\|g-z\|^2")
nu = _real("nu", "multiplier of the projection (lambda in A.1)", r"\lambda")
lagrangian = _real("lagrangian", "(19) at z", r"\mathcal L(z,\lambda)")
z_far2 = _nonnegative("z_far2", "squared distance from z to that minimiser", r"\|z-z^*\|^2")
dual = _real("dual", "least value of (19) over z", r"\Theta(\lambda)")
nu_star = _real("nu_star", "multiplier that maximises the dual", r"\lambda^*")
z_star = _real("z_star", "minimiser of (19) over z", "z^*")
z_dual = _real("z_dual", "minimiser of (19) at the best multiplier", r"z^*(\lambda^*)")

# Losses of the memory and of past data
mem = _real("mem", "memory loss at w", r"\mathcal L(w_k^t;\mathcal M)")
mem_before = _real(
    "mem_before", "memory loss at the previous task's model", r"\mathcal L(w_k^{t-1};\mathcal M)"
)
mem_after = _real(
    "mem_after", "memory loss after the step w - eta_1 g", r"\mathcal L(w_k^t-\eta_1g;\mathcal M)"
)
bend = _nonnegative("bend", "curvature of the memory loss along the step", r"g^\top\nabla^2\mathcal L\,g")
past = _real("past", "loss of all past data at w", r"\mathcal L(w_k^t;\mathbf D^{t-1})")
past_before = _real(
    "past_before",
    "loss of all past data at the previous task's model",
    r"\mathcal L(w_k^{t-1};\mathbf D^{t-1})",
)
one_memory = _real("one_memory", "loss of one task's memory at w", r"l(h^t;\mathcal M_1)")
one_memory_before = _real("one_memory_before", "the same before", r"l(h^{t-1};\mathcal M_1)")
other_memory = _real("other_memory", "loss of another task's memory at w", r"l(h^t;\mathcal M_2)")
other_memory_before = _real("other_memory_before", "the same before", r"l(h^{t-1};\mathcal M_2)")
one_size = _positive("one_size", "share of the first memory in their union", "m_1")

# Steps
w = _real("w", "a client's model", "w_k")
w_next = _real("w_next", "the client's model after one local step of the algorithm", "w_k^+")
pull = _real("pull", "client's model minus global model", r"w_k-\mathbf w")
pull_norm = _nonnegative("pull_norm", "its norm", r"\|w_k-\mathbf w\|")
pull_g = _real("pull_g", "inner product of the corrected gradient with it")
pull_gm = _real("pull_gm", "inner product of the memory gradient with it")
grad_G = _real("grad_G", "gradient of the regularised objective (2)", r"\nabla G_k")
towards_now = _nonnegative("towards_now", "distance to the global model before the step")
towards_next = _nonnegative("towards_next", "distance to the global model after the printed step (5)")
gradient_next = _nonnegative("gradient_next", "the same after a step along the gradient of (2)")
optimum = _real("optimum", "minimiser of (2)", "w_k^*")
grad_there = _real("grad_there", "current gradient at the minimiser of (2)")
pull_there = _real("pull_there", "minimiser of (2) minus global model", r"w_k^*-\mathbf w")
pull_norm_there = _nonnegative("pull_norm_there", "its norm", r"\|w_k^*-\mathbf w\|")

CONFLICT = lt(inner, 0)
NO_CONFLICT = ge(inner, 0)
NOT_FORGOTTEN = le(mem, mem_before)
CORRECTED = g - inner / gm2 * gm
REGULARISED = g + lam * pull
UNION = one_size * one_memory + (1 - one_size) * other_memory
UNION_BEFORE = one_size * one_memory_before + (1 - one_size) * other_memory_before
SHORT = le(L * eta_1 * g2, 2 * inner)

EQ16 = at("Eq. (16), 'would decrease the loss on previous memories'", "358-360")(
    "eq16",
    "without conflict a step along the current gradient does not raise the memory loss",
    le(mem_after, mem),
    conditions=(NO_CONFLICT,),
)
_CONDITIONS = (
    at("Eq. (3) in place of the constraint of (2)", "84-88")(
        "eq3",
        "a memory loss that has not grown means that the loss of all past data has not grown",
        le(past, past_before),
        conditions=(NOT_FORGOTTEN,),
    ),
    at("Eq. (4), 'equivalent to the condition in (3)'", "94-98")(
        "eq4.sufficient",
        "gradients that do not conflict at the present model mean that the memory loss has not grown, (4) => (3)",
        NOT_FORGOTTEN,
        conditions=(NO_CONFLICT,),
    ),
    at("Eq. (4), 'equivalent to the condition in (3)'", "94-98")(
        "eq4.necessary",
        "a memory loss that has not grown means that gradients do not conflict at the present model, (3) => (4)",
        NO_CONFLICT,
        conditions=(NOT_FORGOTTEN,),
    ),
    EQ16,
    EQ16.variant(
        "small-steps",
        says="a step along the current gradient does not raise the memory loss if it is short against the inner product",
        conditions=(SHORT,),
        changes="the inner product must be at least eta_1 L |g|^2 / 2, not only nonnegative",
    ),
    at("Eq. (16)", "358-360")(
        "eq16.expansion",
        "the memory loss after the step, for quadratic losses",
        eq(mem_after, mem - eta_1 * inner + eta_1**2 * bend / 2),
        hypotheses=(Hypothesis.QUADRATIC, Hypothesis.COMMON_AXES),
    ),
    at("Eq. (26)", "403-407")(
        "eq26",
        "the same of the step that the client takes: without conflict 'the update would not make for forgetting'",
        le(mem_after, mem),
        conditions=(NO_CONFLICT,),
        uses=("eq16",),
    ),
    at("Eq. (26) to (5)", "407")(
        "eq26.regularised",
        "'the regularization term could be added': the regularised step does not conflict with the memory either",
        ge(inner + lam * pull_gm, 0),
        conditions=(NO_CONFLICT, ge(lam, 0)),
    ),
    at("Eq. (14)", "344-348")(
        "eq14",
        "if no single memory's loss has grown, nor has that of their union, as (14) asks",
        le(UNION, UNION_BEFORE),
        conditions=(
            le(one_memory, one_memory_before),
            le(other_memory, other_memory_before),
            lt(one_size, 1),
        ),
    ),
    at("Eq. (14), 'the loss of current model on previous tasks should not increase'", "342-348")(
        "eq14.each",
        "if the loss of the union has not grown, no single memory's has",
        le(one_memory, one_memory_before),
        conditions=(le(UNION, UNION_BEFORE), lt(one_size, 1)),
    ),
)

EQ23_MULTIPLIER = at("Eq. (23)", "388-392")(
    "eq23.multiplier", "the multiplier of an inequality that this gives is nonnegative", ge(-inner / gm2, 0)
)
_PROJECTION = (
    at("Eq. (15)", "350-354")(
        "eq15",
        "the correction is no direction of ascent of the objective of (15), the current loss",
        ge(gt_g, 0),
        uses=("eq24.area",),
    ),
    at("Eq. (17)", "360-364")(
        "eq17",
        "where gradients conflict, no vector without conflict is nearer to g than the correction",
        le(nearest2, other2),
        conditions=(CONFLICT, ge(z_gm, 0)),
        uses=("eq24", "eq24.length", "eq17.area"),
    ),
    at("Eq. (17)", "360-364")(
        "eq17.area",
        "Lagrange's identity for z - g and the memory gradient",
        eq(other2 * gm2, (z_gm - inner) ** 2 + z_area2),
    ),
    at("Eq. (18)", "364-368")(
        "eq18", "(18) is (17) without the constant |g|^2/2", eq(primal, primal17 - g2 / 2)
    ),
    at("Eq. (19)", "368-372")(
        "eq19",
        "the Lagrangian: the multiplier rewards what the constraint allows",
        eq(lagrangian, primal - nu * z_gm),
    ),
    at("Eq. (19)", "368-372")(
        "eq19.below",
        "the Lagrangian is no larger than the objective where the constraint is met",
        le(lagrangian, primal),
        conditions=(ge(z_gm, 0), ge(nu, 0)),
        uses=("eq19",),
    ),
    at("Eq. (20)", "372-376")(
        "eq20", "the dual is the least value of the Lagrangian", le(dual, lagrangian), uses=("eq20.square",)
    ),
    at("Eq. (20)", "372-376")(
        "eq20.square", "how far the Lagrangian is above the dual", eq(lagrangian, dual + z_far2 / 2)
    ),
    at("Eq. (21)", "376-380")("eq21", "where the Lagrangian is least", eq(z_star, g + nu * gm)),
    at("Eq. (22)", "380-388")(
        "eq22", "the dual in closed form", eq(dual, -g2 / 2 - nu**2 * gm2 / 2 - nu * inner), uses=("eq21",)
    ),
    at("Eq. (23)", "388-392")("eq23", "where the dual is largest", eq(nu_star, -inner / gm2), uses=("eq22",)),
    EQ23_MULTIPLIER,
    EQ23_MULTIPLIER.variant(
        "conflict",
        says="the multiplier of an inequality that this gives is nonnegative where gradients conflict",
        conditions=(CONFLICT,),
        uses=("eq23",),
        changes="only where gradients conflict, which is where the correction is used",
    ),
    _eq24("eq24", "the solution of the projection", eq(z_dual, CORRECTED), uses=("eq21", "eq23")),
    _eq24(
        "eq24.orthogonal",
        "the correction is orthogonal to the memory gradient: neither for nor against the memory, to first order",
        eq(gt_gm, 0),
    ),
    _eq24(
        "eq24.area", "what the correction leaves of the descent of the current loss", eq(gt_g * gm2, area2)
    ),
    _eq24("eq24.length", "what the correction takes away", eq(nearest2 * gm2, inner**2)),
    at("Eq. (25) against the text under (16)", "358-400")(
        "eq25",
        "g_mem is the gradient of a random batch of the memory (A.1) and of the whole memory (25)",
        eq(gm_batch, gm),
    ),
    at("Eq. (27)", "411")(
        "eq27",
        "the correction is shorter than the gradient",
        le(kept2, g2),
        conditions=(CONFLICT,),
        uses=("eq27.right-angle",),
    ),
    at("Eq. (27)", "411")(
        "eq27.right-angle",
        "the correction and what it takes away are the sides of a right angle",
        eq(kept2 + nearest2, g2),
    ),
)

EQ5 = at("Eq. (5) against (2)", "100-102")(
    "eq5",
    "the regularised step, as printed with a norm, is a gradient step on (2)",
    eq(g + lam * pull_norm, grad_G),
)
EQ5_PULL = at("Eq. (5), 'interpolate the global model and the local model'", "100-102")(
    "eq5.pull",
    "where the current gradient is zero, (5) does not lead away from the global model",
    le(towards_next, towards_now),
    conditions=(gt(lam, 0), le(eta_1 * lam, 1)),
)
EQ5_FIXED = at("Eq. (5)", "100-102")(
    "eq5.fixed",
    "(5) stands still at the minimiser of (2)",
    eq(grad_there + lam * pull_norm_there, 0),
    conditions=(gt(lam, 0),),
)
_STEPS = (
    EQ5,
    EQ5.variant(
        "gradient",
        eq(REGULARISED, grad_G),
        says="the regularised step with the vector is a gradient step on (2)",
        changes="w_k - w in place of its norm",
    ),
    EQ5_PULL,
    EQ5_PULL.variant(
        "gradient",
        le(gradient_next, towards_now),
        says="where the current gradient is zero, a gradient step on (2) does not lead away from the global model",
        changes="w_k - w in place of its norm",
    ),
    EQ5_FIXED,
    EQ5_FIXED.variant(
        "gradient",
        eq(grad_there + lam * pull_there, 0),
        says="a gradient step on (2) stands still at its minimiser",
        changes="w_k - w in place of its norm",
    ),
    at("Eq. (6) against (2)", "104-109")(
        "eq6",
        "the correction, which leaves the global model out, does not ascend the objective (2) to first order",
        ge(gt_g + lam * pull_g, 0),
        conditions=(CONFLICT, ge(lam, 0)),
    ),
    at("Eq. (28)", "417")(
        "eq28",
        "the algorithm's local step where gradients conflict is (6)",
        eq(w_next, w - eta_2 * CORRECTED),
        conditions=(CONFLICT,),
    ),
    at("Remark 1", "114-116")(
        "remark1.rest",
        "where corrections come to rest in a conflict, both gradients are exactly opposite: no conflict is worse",
        eq(inner**2, g2 * gm2),
        conditions=(CONFLICT, eq(kept2, 0)),
        uses=("eq24.length", "eq27.right-angle"),
    ),
    at("Remark 1", "114-116")(
        "remark1.one-of-two",
        "the algorithm's local step where gradients do not conflict is (5), with the vector",
        eq(w_next, w - eta_1 * REGULARISED),
        conditions=(NO_CONFLICT,),
    ),
)

STATEMENTS = (*_CONDITIONS, *_PROJECTION, *_STEPS)
