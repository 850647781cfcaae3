"""FedMeS, Assumptions 2 and 3 and the proof of Theorem 1 (Appendix A.2): steps along batch gradients of the memory.

The lines from (33) on are stated for steps A_s times a batch gradient, as (32) grants them.
"""

from __future__ import annotations

from functools import partial

from bounds.fedmes.symbols import FEDMES, M_V, L, Mn, at, c, mu, mu_G, s
from bounds.hypotheses import Hypothesis
from bounds.relations import eq, ge, gt, le

_positive, _nonnegative, _real = FEDMES.positive, FEDMES.nonnegative, FEDMES.real
_SAMPLES = (Hypothesis.QUADRATIC, Hypothesis.COMMON_AXES)

# The memory gradient on a random batch, at one model
mem_gradient2 = _nonnegative(
    "mem_gradient2", "squared norm of the memory gradient", r"\|\nabla\mathcal L(w;\mathcal M)\|^2"
)
align = _real(
    "align",
    "inner product of the memory gradient with the mean batch gradient",
    r"\nabla\mathcal L(w;\mathcal M)^\top\mathbb E[g(w;\zeta)]",
)
mean2 = _nonnegative("mean2", "squared norm of the mean batch gradient", r"\|\mathbb E[g(w;\zeta)]\|^2")
variance = _nonnegative("variance", "variance of the batch gradient", r"\mathbb V_\zeta[g(w;\zeta)]")
square2 = _nonnegative("square2", "mean squared norm of the batch gradient", r"\mathbb E\|g(w;\zeta)\|^2")
batch2 = _nonnegative("batch2", "squared norm of a batch gradient", r"\|g(w;\zeta)\|^2")
mem_loss = _nonnegative("mem_loss", "memory loss", r"\mathcal L(w;\mathcal M)")
mem_curve = _positive("mem_curve", "smallest curvature of the memory loss")
bend_range = _nonnegative("bend_range", "difference of the curvatures of the samples")
at_optimum = _nonnegative("at_optimum", "variance of the batch gradient at the memory's optimum")
A_s = _nonnegative("A_s", "the factor in (32): a number, or the largest eigenvalue of the matrix", "A_s")
eta_s = _positive("eta_s", "rate of step s", r"\eta_s")
M_G = _positive("M_G", "M_V + mu_G^2", "M_G")

# One step
now = _nonnegative("now", "memory loss before the step", r"\mathcal L(w^{(s)};\mathcal M)")
after = _nonnegative("after", "memory loss after the step", r"\mathcal L(w^{(s+1)};\mathcal M)")
along = _real("along", "memory gradient times the step", r"\nabla\mathcal L^\top(w^{(s+1)}-w^{(s)})")
step2 = _nonnegative("step2", "squared length of the step", r"\|w^{(s+1)}-w^{(s)}\|^2")
step_bend = _nonnegative("step_bend", "curvature of the memory loss along the step")
mean_bend = _nonnegative("mean_bend", "mean curvature of the memory loss along a batch gradient")
gradient_gz = _real(
    "gradient_gz", "memory gradient times batch gradient", r"\nabla\mathcal L^\top g(w^{(s)};\zeta)"
)
expected = _nonnegative("expected", "expected memory loss after the step", r"\mathbb E\mathcal L(w^{(s+1)})")
gap = _nonnegative(
    "gap", "memory loss above its least value, before the step", r"\mathcal L(w^{(s)})-\mathcal L^*"
)
gap_next = _nonnegative(
    "gap_next",
    "expected memory loss above its least value, after the step",
    r"\mathbb E[\mathcal L(w^{(s+1)})-\mathcal L^*]",
)

# Several steps
gap_1 = _nonnegative(
    "gap_1", "memory loss above its least value at w^(1)", r"\mathcal L(w^{(1)})-\mathcal L^*"
)
gap_s = _nonnegative(
    "gap_s",
    "expected memory loss above its least value at w^(s)",
    r"\mathbb E[\mathcal L(w^{(s)})-\mathcal L^*]",
)
gap_before = _nonnegative(
    "gap_before",
    "memory loss above its least value at the model before the task, w_k^(t-1)",
    r"\mathcal L(w_k^{t-1})-\mathcal L^*",
)
gap_mean = _nonnegative(
    "gap_mean",
    "expected memory loss above its least value before the last step",
    r"\mathbb E[\mathcal L(w^{(s-1)})-\mathcal L^*]",
)
shrunk_before = _nonnegative("shrunk_before", "product of 1 - eta_i c mu A_i over the steps 1 to s - 2")
eta_next = _positive("eta_next", "rate of the step after that", r"\eta_{s+1}")
gap_s1 = _nonnegative("gap_s1", "the same at w^(s+1)", r"\mathbb E[\mathcal L(w^{(s+1)})-\mathcal L^*]")
gap_s2 = _nonnegative("gap_s2", "the same at w^(s+2)", r"\mathbb E[\mathcal L(w^{(s+2)})-\mathcal L^*]")
shrunk = _nonnegative(
    "shrunk",
    "product of 1 - eta_i c mu A_i over the steps 1 to s - 1",
    r"\prod_{i=1}^{s-1}(1-\eta_ic\mu A_i)",
)
shrunk_more = _nonnegative(
    "shrunk_more", "product of 1 - eta_i c mu A_i over the steps 1 to s", r"\prod_{i=1}^{s}(1-\eta_ic\mu A_i)"
)

ASS2 = at("Assumption 2, Eq. (11)", "162-168")(
    "ass2", "the mean batch gradient points along the memory gradient", ge(align, mu * mem_gradient2)
)
ASS2_LENGTH = at("Assumption 2, Eq. (11)", "162-168")(
    "ass2.length",
    "the mean batch gradient is not much longer than the memory gradient",
    le(mean2, mu_G**2 * mem_gradient2),
)
ASS3 = at("Assumption 3, Eq. (12)", "169-173")(
    "ass3",
    "the variance of the batch gradient grows no faster than the squared memory gradient",
    le(variance, Mn + M_V * mem_gradient2),
)
ASSUMED = ("ass2", "ass2.length", "ass3")
_assumed = partial(at, assumes=ASSUMED)
FLOOR = L * Mn / (2 * c**2 * mu**2)
"""Right side of Theorem 1."""

SPREAD = M_V + mu_G**2
RATE = le(eta_s * A_s, mu / (L * M_G))
"""Eq. (35), in the form that A_s = 0 meets too."""
CONSTANTS = (eq(M_G, SPREAD), le(mu, mu_G), le(c, L))
LEAST = (ge(M_G, mu**2), le(c, L))
"""What (30) says of M_G, and what Assumption 1 means for its constants."""
NOISE = eta_s**2 * L * Mn * A_s**2 / 2

RESTORED = at("Discussions of Theorem 1, 'would eventually be less than'", "180, 542")(
    "thm1.restored",
    "a memory loss within the floor of Theorem 1 is no larger than that before the task: 'satisfying the constraint (3) again'",
    le(gap_s, gap_before),
    conditions=(le(gap_s, FLOOR), gt(gap_before, 0)),
    uses=("thm1",),
)
EQ30 = at("Eq. (30), first line", "433-436")(
    "eq30", "mean square, with a minus sign before the squared mean", eq(square2, variance - mean2)
)
EQ30_THIRD = _assumed("Eq. (30), third line", "438-440")(
    "eq30.third",
    "mean square against the squared memory loss",
    le(square2, Mn + SPREAD * mem_loss**2),
    uses=("eq30.second",),
)
_BATCHES = (
    ASS2,
    ASS2_LENGTH,
    ASS3,
    at("Assumption 2", "162-168")(
        "ass2.constants",
        "Assumption 2 leaves no choice but mu <= mu_G",
        le(mu, mu_G),
        conditions=(gt(mem_gradient2, 0),),
        assumes=("ass2", "ass2.length"),
    ),
    at("Assumption 3", "169-173")(
        "ass3.samples",
        "batches of one sample meet Assumption 3 with M twice the variance at the optimum",
        le(variance, 2 * at_optimum + 2 * bend_range**2 / mem_curve**2 * mem_gradient2),
        hypotheses=_SAMPLES,
    ),
    at("Eq. (29)", "428-431")(
        "eq29", "variance as mean square less squared mean", eq(variance, square2 - mean2)
    ),
    EQ30,
    EQ30.variant(
        "corrected",
        eq(square2, variance + mean2),
        says="mean square as variance plus squared mean",
        uses=("eq29",),
        changes="plus in place of minus before the squared mean",
    ),
    _assumed("Eq. (30), second line", "436-438")(
        "eq30.second",
        "Assumptions 2 and 3 put in",
        le(square2, Mn + M_V * mem_gradient2 + mu_G**2 * mem_gradient2),
        uses=("eq30/corrected",),
    ),
    EQ30_THIRD,
    EQ30_THIRD.variant(
        "corrected",
        le(square2, Mn + SPREAD * mem_gradient2),
        says="mean square against the squared memory gradient",
        changes="the gradient of the memory loss in place of the loss",
    ),
    at("Eq. (30)", "440-441")(
        "eq30.constant", "M_G is at least mu^2", ge(SPREAD, mu**2), conditions=(le(mu, mu_G),)
    ),
)

EQ34_THIRD = at("Eq. (34), third line", "464-466")(
    "eq34.third",
    "terms collected, with a minus sign before the second",
    eq(
        -eta_s * mu * A_s * mem_gradient2 + eta_s**2 * L * A_s**2 * (Mn + M_G * mem_gradient2) / 2,
        (-mu - eta_s * L * M_G * A_s / 2) * eta_s * A_s * mem_gradient2 + NOISE,
    ),
)
EQ36 = _assumed("Eq. (36), first line", "474-476")(
    "eq36",
    "one step with the rate (35), without a minus sign",
    le(expected - now, eta_s * mu * A_s * mem_gradient2 / 2 + NOISE),
    conditions=(RATE, *CONSTANTS),
    uses=("eq34", "eq34.second", "eq34.third", "eq35"),
)
EQ36_SECOND = at("Eq. (36), second line", "476-477")(
    "eq36.second",
    "strong convexity in the term without a minus sign",
    le(eta_s * mu * A_s * mem_gradient2 / 2 + NOISE, -eta_s * c * mu * A_s * gap + NOISE),
    conditions=(RATE, *CONSTANTS),
)
_DESCENT = (
    at("Eq. (33), equality", "454-456")(
        "eq33",
        "smoothness, with the step written as A_s times a batch gradient",
        eq(along + L * step2 / 2, -eta_s * A_s * gradient_gz + L * eta_s**2 * A_s**2 * batch2 / 2),
        uses=("eq32",),
    ),
    at("Eq. (33), inequality", "452-454")(
        "eq33.smooth", "smoothness of the memory loss along the step", le(after - now, along + L * step2 / 2)
    ),
    at("Eq. (33)", "452-454")(
        "eq33.expansion",
        "the memory loss after the step, for quadratic losses",
        eq(after - now, along + step_bend / 2),
        hypotheses=_SAMPLES,
    ),
    at("Eq. (34), first line", "458-462")(
        "eq34",
        "expectation of (33) over the batch",
        le(expected - now, -eta_s * A_s * align + eta_s**2 * L * A_s**2 * square2 / 2),
        uses=("eq33", "eq33.smooth"),
    ),
    at("Eq. (34), first line", "458-462")(
        "eq34.expansion",
        "the expected memory loss after the step, for quadratic losses",
        eq(expected - now, -eta_s * A_s * align + eta_s**2 * A_s**2 * mean_bend / 2),
        hypotheses=_SAMPLES,
    ),
    _assumed("Eq. (34), second line", "462-464")(
        "eq34.second",
        "Assumption 2 and (30) put in",
        le(
            -eta_s * A_s * align + eta_s**2 * L * A_s**2 * square2 / 2,
            -eta_s * mu * A_s * mem_gradient2 + eta_s**2 * L * A_s**2 * (Mn + M_G * mem_gradient2) / 2,
        ),
        conditions=(eq(M_G, SPREAD),),
        uses=("eq30.third",),
    ),
    EQ34_THIRD,
    EQ34_THIRD.variant(
        "corrected",
        eq(
            -eta_s * mu * A_s * mem_gradient2 + eta_s**2 * L * A_s**2 * (Mn + M_G * mem_gradient2) / 2,
            (-mu + eta_s * L * M_G * A_s / 2) * eta_s * A_s * mem_gradient2 + NOISE,
        ),
        says="terms collected",
        changes="plus in place of minus before the second term",
    ),
    at("Eq. (35)", "468-470")(
        "eq35",
        "the rate leaves at least half of the descent",
        le(-mu + eta_s * L * M_G * A_s / 2, -mu / 2),
        conditions=(RATE,),
    ),
    EQ36,
    EQ36.variant(
        "corrected",
        le(expected - now, -eta_s * mu * A_s * mem_gradient2 / 2 + NOISE),
        says="one step with the rate (35)",
        uses=("eq34", "eq34.second", "eq34.third/corrected", "eq35"),
        changes="minus before the first term",
    ),
    EQ36_SECOND,
    EQ36_SECOND.variant(
        "corrected",
        le(-eta_s * mu * A_s * mem_gradient2 / 2 + NOISE, -eta_s * c * mu * A_s * gap + NOISE),
        says="strong convexity in the term with a minus sign",
        uses=("eq36.convex",),
        changes="minus before the first term",
    ),
    at("Eq. (36), 'with Assumption 1'", "472")(
        "eq36.convex",
        "the gradient of a strongly convex loss is large where the loss is",
        le(2 * c * gap, mem_gradient2),
    ),
    _assumed("Eq. (37)", "479-486")(
        "eq37",
        "one step: the expected gap shrinks to a floor",
        le(gap_next, (1 - eta_s * c * mu * A_s) * gap + NOISE),
        conditions=(RATE, *CONSTANTS),
        uses=("eq36", "eq36.second"),
    ),
)

EQ40 = at("Eq. (40), equality", "500-502")(
    "eq40",
    "the rate (35) put in",
    le(eta_s * c * mu * A_s, c * mu**2 / (L * M_G**2)),
    conditions=(RATE,),
    uses=("eq35",),
)
EQ40_SECOND = at("Eq. (40), second step", "502")(
    "eq40.second",
    "M_G^2 replaced by mu^2",
    le(c * mu**2 / (L * M_G**2), c * mu**2 / (L * mu**2)),
    conditions=LEAST,
    uses=("eq30.constant",),
)
SHARE = eta_s * c * mu * A_s
"""The share of the gap that a step takes away."""
SHRINKS = eq(shrunk, (1 - SHARE) * shrunk_before)
_INDUCTION = (
    _assumed("Eq. (37), in expectation over the batches before", "479-492")(
        "eq37.mean",
        "a step of several, in expectation over all batches: the gap shrinks to a floor",
        le(gap_s, (1 - eta_s * c * mu * A_s) * gap_mean + NOISE),
        conditions=CONSTANTS,
        uses=("eq37",),
    ),
    at("Eq. (41), for every one of several steps", "504-506")(
        "eq41.several", "no step takes away more than the gap", le(SHARE, 1), conditions=CONSTANTS
    ),
    _assumed("Eq. (38), for any number of steps", "488-531")(
        "eq38.before",
        "after the steps before the last, also if there are none",
        le(gap_mean, shrunk_before * gap_1 + FLOOR),
        conditions=CONSTANTS,
        uses=("eq37.mean", "eq41.several"),
    ),
    _assumed("Eq. (38)", "488-492")(
        "eq38",
        "after s - 1 steps",
        le(gap_s, shrunk * gap_1 + FLOOR),
        conditions=(ge(s, 2), *CONSTANTS),
        uses=("eq38.before", "eq37.mean", "eq41.several"),
    ),
    _assumed("Eq. (39)", "494-498")(
        "eq39",
        "the first step",
        le(gap_s, shrunk * gap_1 + NOISE),
        conditions=(eq(s, 2), *CONSTANTS),
        uses=("eq37",),
    ),
    EQ40,
    EQ40.variant(
        "corrected", le(eta_s * c * mu * A_s, c * mu**2 / (L * M_G)), changes="M_G in place of its square"
    ),
    EQ40_SECOND,
    EQ40_SECOND.variant(
        "corrected",
        le(c * mu**2 / (L * M_G), c * mu**2 / (L * mu**2)),
        says="M_G replaced by mu^2",
        changes="M_G in place of its square",
    ),
    at("Eq. (40), last step", "502")(
        "eq40.third",
        "the convexity constant is at most the smoothness constant",
        le(c / L, 1),
        conditions=LEAST,
    ),
    at("Eq. (41)", "504-506")(
        "eq41",
        "the rate in another form",
        le(eta_s * A_s, 1 / (c * mu)),
        conditions=(RATE, *LEAST),
        uses=("eq40",),
    ),
    at("Eq. (42)", "508-513")(
        "eq42",
        "the noise of the first step against the floor",
        le(NOISE, FLOOR),
        conditions=(RATE, *LEAST),
        uses=("eq41",),
    ),
    at("Eq. (43)", "515-531")(
        "eq43",
        "the induction closes",
        le(gap_s2, (1 - eta_s * c * mu * A_s) * shrunk * gap_1 + FLOOR),
        conditions=(
            le(gap_s1, shrunk * gap_1 + FLOOR),
            le(gap_s2, (1 - eta_s * c * mu * A_s) * gap_s1 + NOISE),
            le(eta_s * c * mu * A_s, 1),
        ),
        uses=("eq37", "eq41"),
    ),
    _assumed("Eq. (43), first line", "517-520")(
        "eq43.first",
        "the first line, in which the noise is printed with a factor u, read as mu",
        le(gap_next, (1 - eta_s * c * mu * A_s) * gap + mu * NOISE),
        conditions=(RATE, *CONSTANTS),
        uses=("eq37",),
    ),
    unrolled := _assumed("Eq. (44)", "533-538")(
        "eq44",
        "the unrolled bound for w^(s), with one factor for each of the steps 1 to s",
        le(gap_s, shrunk_more * gap_1 + FLOOR),
        conditions=(ge(s, 2), *CONSTANTS),
        uses=("eq38",),
    ),
    unrolled.variant("corrected", le(gap_s, shrunk * gap_1 + FLOOR), changes="only the steps 1 to s - 1"),
)

_RESTORED = (
    RESTORED,
    RESTORED.variant(
        "above-floor",
        conditions=(*RESTORED.conditions, le(FLOOR, gap_before)),
        changes="the memory loss before the task lies above the floor, where the text asks that it lies above the least value",
    ),
)
STATEMENTS = (*_BATCHES, *_DESCENT, *_INDUCTION, *_RESTORED)
