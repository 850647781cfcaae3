"""FedMeS, Eq. (1), Algorithm 1 and Theorem 2: rounds without conflict, and where they leave the personal models.

The personal optimum w_k^* minimises (2) around the global optimum w^*; v minimises it around the model w that a client
downloads.
"""

from __future__ import annotations

from bounds.fedmes.inference import held
from bounds.fedmes.symbols import FEDMES, L, at, c, eta_1, lam
from bounds.hypotheses import Hypothesis
from bounds.relations import eq, ge, gt, le

_count, _positive, _nonnegative, _real = FEDMES.count, FEDMES.positive, FEDMES.nonnegative, FEDMES.real

# A round of Algorithm 1
E = _count("E", "local steps of a round")
r = _count("r", "rounds of a task")
agree = _real(
    "agree",
    "inner product of the gradients of task and memory wherever a client steps; 0 for an empty memory",
    r"\langle g,g_{\rm mem}\rangle",
)
wg = _real("wg", "global model", r"\mathbf w")
wg_next = _real("wg_next", "global model after a round", r"\mathbf w^+")
wg_mean = _real("wg_mean", "mean of the personal models", r"\tfrac1n\sum_kw_k^t")
grad_mean = _real(
    "grad_mean", "gradient of the mean loss at the global model", r"\nabla\tfrac1n\sum_kF_k(\mathbf w)"
)
personal = _real("personal", "personal model after the round", r"w_k^{(r)}")
begins = _real("begins", "where a client of FedMeS begins its local work", r"w_k^{(r,0)}")
begins_ditto = _real("begins_ditto", "where the personal model of Ditto begins it", r"v_k^{(r,0)}")
grad_k = _real(
    "grad_k", "gradient of the client's loss at the global model", r"\nabla\mathcal L(\mathbf w;\mathcal D_k)"
)

# Distances of the global model to the global optimum
off2 = _nonnegative(
    "off2", "squared distance of the global model to the global optimum", r"\|\mathbf w-\mathbf w^*\|^2"
)
off2_next = _nonnegative("off2_next", "the same a round later", r"\|\mathbf w^+-\mathbf w^*\|^2")
off = _nonnegative(
    "off", "distance of the downloaded model to the global optimum", r"\|\mathbf w-\mathbf w^*\|"
)
off_next = _nonnegative("off_next", "the same a round later", r"\|\mathbf w^+-\mathbf w^*\|")
pace = _positive("pace", "share of that distance that each round leaves at least", r"\rho")
C = _positive("C", "the constant of Theorem 2")
g_r = _nonnegative("g_r", "rate of the global model, at its smallest: E|w^(r) - w*|^2", "g(r)")

# Distances of the personal model
left = _nonnegative("left", "share of a distance that E gradient steps on (2) leave at most", r"\kappa")
least_left = _nonnegative("least_left", "share that they leave at least", r"\kappa_L")
error2 = _nonnegative(
    "error2", "squared distance of a personal model to the personal optimum", r"\|w_k^{(r)}-w_k^*\|^2"
)
error = _nonnegative("error", "distance of a personal model to the personal optimum", r"\|w_k^{(r)}-w_k^*\|")
error_before = _nonnegative("error_before", "the same a round earlier", r"\|w_k^{(r-1)}-w_k^*\|")
error_before2 = _nonnegative("error_before2", "its square", r"\|w_k^{(r-1)}-w_k^*\|^2")
from_centre = _nonnegative("from_centre", "distance of the downloaded model to v", r"\|\mathbf w-v\|")
from_centre2 = _nonnegative("from_centre2", "its square", r"\|\mathbf w-v\|^2")
end_from_centre = _nonnegative("end_from_centre", "distance of the personal model to v", r"\|w_k^{(r)}-v\|")
end_from_centre2 = _nonnegative("end_from_centre2", "its square", r"\|w_k^{(r)}-v\|^2")
centre_moved = _nonnegative("centre_moved", "distance of v to the personal optimum", r"\|v-w_k^*\|")
centre_moved2 = _nonnegative("centre_moved2", "its square", r"\|v-w_k^*\|^2")
between = _real(
    "between", "inner product of w_k^(r) - v and v - w_k^*", r"\langle w_k^{(r)}-v,v-w_k^*\rangle"
)
error_start = _nonnegative("error_start", "that before the first round", r"\|w_k^{(0)}-w_k^*\|")
off_start = _nonnegative(
    "off_start", "distance of the global model before the first round", r"\|\mathbf w^{(0)}-\mathbf w^*\|"
)
own_left = _nonnegative("own_left", "norm of what a round leaves of the distance of the round before")
own_left2 = _nonnegative("own_left2", "its square")
drawn = _nonnegative("drawn", "norm of what the downloaded model adds")
drawn2 = _nonnegative("drawn2", "its square")
together = _real("together", "inner product of both")

# With noise
mean_error2 = _nonnegative(
    "mean_error2",
    "expected squared distance of a personal model to the personal optimum",
    r"\mathbb E\|w_k^{(r)}-w_k^*\|^2",
)
spread2 = _nonnegative("spread2", "variance of a personal model after a round", r"\mathbb V[w_k^{(r)}]")
noise2 = _nonnegative("noise2", "variance of a gradient of a local step", r"\mathbb E\|\xi\|^2")

ALONE = eq(E, 1)
EMPTY = eq(held, 0)
AGREE = ge(agree, 0)
"""The constraint (4)."""
SHORT = le(eta_1 * (L + lam), 1)
PULLED = ge(lam, 0)
DRAWN = lam / (c + lam) * off
"""How far a distance of the global model moves the regularised optimum."""
PACED = le(pace * off, off_next)
"""What the pace of the global model is: in no round does it converge faster."""
COUPLED = le((1 - left) * lam / (c + lam), C * (pace - left))
"""It converges no faster than local steps contract, and C is large enough for the difference."""

QUADRATICS = (Hypothesis.QUADRATIC, Hypothesis.COMMON_AXES)
"""What the statements below that are proved are restricted to: distances of E local steps are known exactly there."""

_theorem = at("Theorem 2", "182-186")

EQ1 = at("Eq. (1) with Algorithm 1", "50, 62-78")(
    "eq1",
    "with one local step a round of Algorithm 1 is a gradient step on (1), G being the mean",
    eq(wg_next, wg - eta_1 * grad_mean),
    conditions=(ALONE,),
)
ONE_STEP = at("Algorithm 1 with (5)", "62-78, 94-102")(
    "alg1.one-step",
    "with one local step a round pulls nobody to the global model: the pull is zero where local work starts",
    eq(personal, wg - eta_1 * grad_k),
    conditions=(ALONE, AGREE),
)
_ROUND = (
    at("Assumption 1 with Algorithm 1", "158")(
        "ass1.global",
        "a round of Algorithm 1 does not lead away from the optimum of (1), to which it is assumed to converge",
        le(off2_next, off2),
        conditions=(SHORT, PULLED, AGREE),
    ),
    EQ1,
    EQ1.variant("first", conditions=(ALONE, EMPTY), changes="in the first task, while the memory is empty"),
    EQ1.variant("agreeing", conditions=(ALONE, AGREE), changes="while (4) is met by every client"),
    at("Algorithm 1", "62-78")(
        "alg1", "the global model is the mean of the personal models", eq(wg_next, wg_mean)
    ),
    ONE_STEP,
    ONE_STEP.variant(
        "first", conditions=(ALONE, EMPTY), changes="in the first task, while the memory is empty"
    ),
    at("Theorem 2, 'can be referred to Theorem 10 in [16]'", "544-546")(
        "thm2.citation",
        "the personal models are those of the theorem that is cited as the proof: both begin a round at the same place",
        eq(begins, begins_ditto),
    ),
)

THEOREM_2 = _theorem(
    "thm2",
    "personal models converge to the optimum of (2) at C times the rate of the global model",
    le(error2, C * g_r),
    terms={"global model": C * g_r},
    conditions=(AGREE, le(off2, g_r)),
    assumes=("ass1",),
)
PERSISTENT = "personal models go on where their last round ended, as in Ditto, whose theorem is cited"
_THEOREM = (
    THEOREM_2,
    THEOREM_2.variant(
        "short-steps",
        conditions=(*THEOREM_2.conditions, SHORT, gt(lam, 0)),
        changes="with steps that do not overshoot, and a pull",
    ),
    THEOREM_2.variant(
        "persistent",
        conditions=(*THEOREM_2.conditions, SHORT, gt(lam, 0)),
        changes=f"{PERSISTENT}; short steps, and a pull",
    ),
    at("Theorem 2 with Algorithm 1", "182-186")(
        "thm2.floor",
        "a personal model stays away from its optimum, however good the global model is",
        ge(end_from_centre, least_left * from_centre),
        conditions=(SHORT, PULLED, AGREE),
        uses=("thm2.least-left",),
        hypotheses=QUADRATICS,
    ),
    THEOREM_2.variant(
        "corrected",
        le(error, left * from_centre + DRAWN),
        terms={"start": left * from_centre, "global model": DRAWN},
        says="distance to the personal optimum: what E local steps leave of the distance they start from, and the global model's",
        conditions=(SHORT, PULLED, AGREE),
        assumes=(),
        hypotheses=QUADRATICS,
        uses=("thm2.left", "thm2.local", "thm2.centre", "thm2.triangle"),
        changes="adds what a fixed number of local steps leaves, and asks for short steps and lambda >= 0",
    ),
    THEOREM_2.variant(
        "noisy",
        le(mean_error2, (left * from_centre + DRAWN) ** 2 + eta_1 * noise2 / (c + lam)),
        terms={
            "start and global model": (left * from_centre + DRAWN) ** 2,
            "noise": eta_1 * noise2 / (c + lam),
        },
        says="expected squared distance to the personal optimum, with noise of either sign in local steps: what they leave, the "
        "global model's distance, and what the noise adds",
        conditions=(SHORT, PULLED, AGREE),
        assumes=(),
        hypotheses=(*QUADRATICS, Hypothesis.TWO_POINT_NOISE),
        uses=("thm2/corrected",),
        changes="adds what a fixed number of local steps leaves and what noise adds, and asks for short steps and lambda >= 0",
    ),
    THEOREM_2.variant(
        "persistent-corrected",
        le(error, left * error_before + (1 - left) * DRAWN),
        terms={"start": left * error_before, "global model": (1 - left) * DRAWN},
        says="one round: what E local steps leave of the distance of the round before, and the global model's",
        conditions=(SHORT, PULLED),
        assumes=(),
        hypotheses=QUADRATICS,
        uses=("thm2.left", "thm2.persistent.triangle", "thm2.persistent.own", "thm2.persistent.drawn"),
        changes=f"{PERSISTENT}; a round's recursion, in which their own distance remains",
    ),
    THEOREM_2.variant(
        "persistent-step",
        le(error, C * off_next),
        says="a round keeps the error within C times the distance of the global model, if that shrinks more slowly than local "
        "steps contract",
        conditions=(SHORT, PULLED, le(error_before, C * off), COUPLED),
        assumes=(),
        hypotheses=QUADRATICS,
        uses=("thm2/persistent-corrected",),
        changes=f"{PERSISTENT}; steps, strength and rate of the global model fit together",
    ),
    THEOREM_2.variant(
        "persistent-invariant",
        le(error_before, C * off),
        says="before every round personal models are within C times the distance of the global model from their optimum",
        conditions=(SHORT, PULLED, le(error_start, C * off_start), COUPLED),
        assumes=(),
        hypotheses=QUADRATICS,
        uses=("thm2/persistent-corrected",),
        changes=f"{PERSISTENT}; steps, strength and rate of the global model fit together",
    ),
    THEOREM_2.variant(
        "repaired",
        le(error2, C**2 * off2_next),
        terms={"global model": C**2 * off2_next},
        says="after every round personal models are within C times the distance of the global model from their optimum",
        conditions=(SHORT, PULLED, le(error_start, C * off_start), COUPLED),
        assumes=(),
        hypotheses=QUADRATICS,
        uses=("thm2/persistent-invariant", "thm2/persistent-corrected"),
        changes=f"{PERSISTENT}; the constant is C^2 in every round, if steps, strength and rate of the global model fit together",
    ),
)
_LOCAL = (
    _theorem("thm2.left", "what E local steps leave at most", eq(left, (1 - eta_1 * (c + lam)) ** E)),
    _theorem("thm2.least-left", "and at least", eq(least_left, (1 - eta_1 * (L + lam)) ** E)),
    _theorem(
        "thm2.local",
        "local steps on (2) contract",
        le(end_from_centre, left * from_centre),
        conditions=(SHORT, PULLED, AGREE),
        hypotheses=QUADRATICS,
    ),
    _theorem(
        "thm2.centre",
        "the regularised optimum moves less than the global model",
        le(centre_moved, DRAWN),
        conditions=(PULLED,),
        hypotheses=QUADRATICS,
    ),
    _theorem(
        "thm2.between",
        "Cauchy-Schwarz between the two ways",
        le(between, end_from_centre * centre_moved),
        conditions=(PULLED,),
    ),
    _theorem(
        "thm2.triangle",
        "the way to the personal optimum leads by the regularised one",
        le(error, end_from_centre + centre_moved),
        conditions=(PULLED,),
        uses=("thm2.between",),
    ),
    _theorem(
        "thm2.persistent.own",
        "what a round of Ditto leaves of the distance of the round before",
        le(own_left, left * error_before),
        conditions=(SHORT, PULLED),
        hypotheses=QUADRATICS,
    ),
    _theorem(
        "thm2.persistent.drawn",
        "what the downloaded model adds",
        le(drawn, (1 - left) * DRAWN),
        conditions=(SHORT, PULLED),
        hypotheses=QUADRATICS,
    ),
    _theorem(
        "thm2.persistent.together",
        "Cauchy-Schwarz between both",
        le(together, own_left * drawn),
        conditions=(PULLED,),
        hypotheses=QUADRATICS,
    ),
    _theorem(
        "thm2.persistent.triangle",
        "both together",
        le(error, own_left + drawn),
        conditions=(PULLED,),
        hypotheses=QUADRATICS,
    ),
)

STATEMENTS = (*_ROUND, *_THEOREM, *_LOCAL)
