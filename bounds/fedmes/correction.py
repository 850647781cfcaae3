"""FedMeS, Assumptions 2 and 3, Theorem 1 and its proof (Appendix A.2): what repeated corrections do to the memory loss.

The proof treats the step of (6) as A_s times a batch gradient of the memory, A_s first a matrix, then a number. Its
lines from (33) on are stated for such steps, as (32) grants them; the theorem is stated for the correction itself.
"""

from __future__ import annotations

import sympy as sp

from bounds.fedmes.symbols import FEDMES, M_V, L, Mn, c, eta_2, mu, mu_G, s, source
from bounds.statement import Statement

_define = FEDMES.define

# The memory gradient on a random batch, at one model
mem_gradient2 = _define(
    "mem_gradient2",
    "squared norm of the memory gradient",
    "nonnegative",
    r"\|\nabla\mathcal L(w;\mathcal M)\|^2",
)
align = _define(
    "align",
    "inner product of the memory gradient with the mean batch gradient",
    "real",
    r"\nabla\mathcal L(w;\mathcal M)^\top\mathbb E[g(w;\zeta)]",
)
mean2 = _define(
    "mean2", "squared norm of the mean batch gradient", "nonnegative", r"\|\mathbb E[g(w;\zeta)]\|^2"
)
variance = _define(
    "variance", "variance of the batch gradient", "nonnegative", r"\mathbb V_\zeta[g(w;\zeta)]"
)
square2 = _define(
    "square2", "mean squared norm of the batch gradient", "nonnegative", r"\mathbb E\|g(w;\zeta)\|^2"
)
batch2 = _define("batch2", "squared norm of a batch gradient", "nonnegative", r"\|g(w;\zeta)\|^2")
mem_loss = _define("mem_loss", "memory loss", "nonnegative", r"\mathcal L(w;\mathcal M)")
mem_curve = _define("mem_curve", "smallest curvature of the memory loss", "positive")
bend_range = _define("bend_range", "difference of the curvatures of the samples", "nonnegative")
at_optimum = _define("at_optimum", "variance of the batch gradient at the memory's optimum", "nonnegative")

# The correction, and how the proof writes it
gt = _define("gt_s", "correction of the current gradient against the batch", "real", r"\tilde g")
gz = _define("gz", "gradient of the memory on the batch", "real", r"g(w^{(s)};\zeta)")
gt_gz = _define(
    "gt_gz", "inner product of correction and batch gradient", "real", r"\tilde g^\top g(w^{(s)};\zeta)"
)
gt2 = _define("gt2", "squared norm of the correction", "nonnegative", r"\|\tilde g\|^2")
A_s = _define(
    "A_s", "the factor in (32): a number, or the largest eigenvalue of the matrix", "nonnegative", "A_s"
)
A_best = _define(
    "A_best", "the number that brings A g(w; zeta) nearest to the correction", "real", r"\hat A_s"
)
eta_s = _define("eta_s", "rate of step s", "positive", r"\eta_s")
M_G = _define("M_G", "M_V + mu_G^2", "positive", "M_G")

# One step
now = _define("now", "memory loss before the step", "nonnegative", r"\mathcal L(w^{(s)};\mathcal M)")
after = _define("after", "memory loss after the step", "nonnegative", r"\mathcal L(w^{(s+1)};\mathcal M)")
along = _define(
    "along", "memory gradient times the step", "real", r"\nabla\mathcal L^\top(w^{(s+1)}-w^{(s)})"
)
step2 = _define("step2", "squared length of the step", "nonnegative", r"\|w^{(s+1)}-w^{(s)}\|^2")
step_bend = _define("step_bend", "curvature of the memory loss along the step", "nonnegative")
mean_bend = _define("mean_bend", "mean curvature of the memory loss along a batch gradient", "nonnegative")
gradient_gz = _define(
    "gradient_gz", "memory gradient times batch gradient", "real", r"\nabla\mathcal L^\top g(w^{(s)};\zeta)"
)
expected = _define(
    "expected", "expected memory loss after the step", "nonnegative", r"\mathbb E\mathcal L(w^{(s+1)})"
)
gap = _define(
    "gap",
    "memory loss above its least value, before the step",
    "nonnegative",
    r"\mathcal L(w^{(s)})-\mathcal L^*",
)
gap_next = _define(
    "gap_next",
    "expected memory loss above its least value, after the step",
    "nonnegative",
    r"\mathbb E[\mathcal L(w^{(s+1)})-\mathcal L^*]",
)
inner_now = _define(
    "inner_now", "inner product of current and memory gradient", "real", r"\langle g,g_{\rm mem}\rangle^{(s)}"
)
inner_next = _define(
    "inner_next", "the same after the correction", "real", r"\langle g,g_{\rm mem}\rangle^{(s+1)}"
)
excess = _define("excess", "curvature along the correction beyond c", "nonnegative")
mem_now = _define("mem_now", "memory loss at w^(s)", "real", r"\mathcal L(w^{(s)};\mathcal M)")
mem_next = _define(
    "mem_next", "memory loss after the correction", "real", r"\mathcal L(w^{(s+1)};\mathcal M)"
)

# Several steps
gap_1 = _define(
    "gap_1", "memory loss above its least value at w^(1)", "nonnegative", r"\mathcal L(w^{(1)})-\mathcal L^*"
)
gap_s = _define(
    "gap_s",
    "expected memory loss above its least value at w^(s)",
    "nonnegative",
    r"\mathbb E[\mathcal L(w^{(s)})-\mathcal L^*]",
)
gap_s1 = _define(
    "gap_s1", "the same at w^(s+1)", "nonnegative", r"\mathbb E[\mathcal L(w^{(s+1)})-\mathcal L^*]"
)
gap_s2 = _define(
    "gap_s2", "the same at w^(s+2)", "nonnegative", r"\mathbb E[\mathcal L(w^{(s+2)})-\mathcal L^*]"
)
shrunk = _define(
    "shrunk",
    "product of 1 - eta_i c mu A_i over the steps 1 to s - 1",
    "nonnegative",
    r"\prod_{i=1}^{s-1}(1-\eta_ic\mu A_i)",
)
shrunk_more = _define(
    "shrunk_more", "the same over the steps 1 to s", "nonnegative", r"\prod_{i=1}^{s}(1-\eta_ic\mu A_i)"
)
conflict = _define(
    "conflict", "inner product that each correction finds", "real", r"\langle g,g_{\rm mem}\rangle"
)

ASS2 = Statement(
    "fedmes.ass2",
    "the mean batch gradient points along the memory gradient",
    sp.Ge(align, mu * mem_gradient2),
    source("Assumption 2, Eq. (11)", "162-168"),
)
ASS2_LENGTH = Statement(
    "fedmes.ass2.length",
    "the mean batch gradient is not much longer than the memory gradient",
    sp.Le(mean2, mu_G**2 * mem_gradient2),
    source("Assumption 2, Eq. (11)", "162-168"),
)
ASS3 = Statement(
    "fedmes.ass3",
    "the variance of the batch gradient grows no faster than the squared memory gradient",
    sp.Le(variance, Mn + M_V * mem_gradient2),
    source("Assumption 3, Eq. (12)", "169-173"),
)
ASSUMED = ("fedmes.ass2", "fedmes.ass2.length", "fedmes.ass3")
FLOOR = L * Mn / (2 * c**2 * mu**2)
"""Right side of Theorem 1."""

SPREAD = M_V + mu_G**2
RATE = sp.Le(eta_s * A_s, mu / (L * M_G))
"""Eq. (35), in the form that A_s = 0 meets too."""
CONSTANTS = (sp.Eq(M_G, SPREAD), sp.Le(mu, mu_G), sp.Le(c, L))
LEAST = (sp.Ge(M_G, mu**2), sp.Le(c, L))
"""What (30) says of M_G, and what Assumption 1 means for its constants."""
NOISE = eta_s**2 * L * Mn * A_s**2 / 2
CONFLICTING = sp.Lt(conflict, 0)

_BATCHES = (
    ASS2,
    ASS2_LENGTH,
    ASS3,
    Statement(
        "fedmes.ass2.constants",
        "Assumption 2 leaves no choice but mu <= mu_G",
        sp.Le(mu, mu_G),
        source("Assumption 2", "162-168"),
        conditions=(sp.Gt(mem_gradient2, 0),),
        assumes=("fedmes.ass2", "fedmes.ass2.length"),
    ),
    Statement(
        "fedmes.ass3.samples",
        "batches of one sample meet Assumption 3 with M twice the variance at the optimum",
        sp.Le(variance, 2 * at_optimum + 2 * bend_range**2 / mem_curve**2 * mem_gradient2),
        source("Assumption 3", "169-173"),
    ),
    Statement(
        "fedmes.eq29",
        "variance as mean square less squared mean",
        sp.Eq(variance, square2 - mean2),
        source("Eq. (29)", "428-431"),
    ),
    Statement(
        "fedmes.eq30",
        "mean square, with a minus sign before the squared mean",
        sp.Eq(square2, variance - mean2),
        source("Eq. (30), first line", "433-436"),
    ),
    Statement(
        "fedmes.eq30/corrected",
        "mean square as variance plus squared mean",
        sp.Eq(square2, variance + mean2),
        source("Eq. (30), first line", "433-436"),
        uses=("fedmes.eq29",),
        changes="plus in place of minus before the squared mean",
    ),
    Statement(
        "fedmes.eq30.second",
        "Assumptions 2 and 3 put in",
        sp.Le(square2, Mn + M_V * mem_gradient2 + mu_G**2 * mem_gradient2),
        source("Eq. (30), second line", "436-438"),
        assumes=ASSUMED,
        uses=("fedmes.eq30/corrected",),
    ),
    Statement(
        "fedmes.eq30.third",
        "mean square against the squared memory loss",
        sp.Le(square2, Mn + SPREAD * mem_loss**2),
        source("Eq. (30), third line", "438-440"),
        assumes=ASSUMED,
        uses=("fedmes.eq30.second",),
    ),
    Statement(
        "fedmes.eq30.third/corrected",
        "mean square against the squared memory gradient",
        sp.Le(square2, Mn + SPREAD * mem_gradient2),
        source("Eq. (30), third line", "438-440"),
        assumes=ASSUMED,
        uses=("fedmes.eq30.second",),
        changes="the gradient of the memory loss in place of the loss",
    ),
    Statement(
        "fedmes.eq30.constant",
        "M_G is at least mu^2",
        sp.Ge(SPREAD, mu**2),
        source("Eq. (30)", "440-441"),
        conditions=(sp.Le(mu, mu_G),),
    ),
)

_FACTOR = (
    Statement(
        "fedmes.eq31",
        "the correction does not conflict with the batch gradient of the memory",
        sp.Ge(gt_gz, 0),
        source("Eq. (31)", "442-445"),
        uses=("fedmes.eq31.zero",),
    ),
    Statement(
        "fedmes.eq31.zero",
        "more than that: both are orthogonal",
        sp.Eq(gt_gz, 0),
        source("Eq. (31) with (24)", "442-445"),
    ),
    Statement(
        "fedmes.eq32",
        "the correction is A_s g with a positive semidefinite A_s, so |A_s g|^2 is at most the largest eigenvalue times g'A_s g",
        sp.Le(gt2, A_s * gt_gz),
        source("Eq. (32)", "446-448"),
        conditions=(sp.Lt(inner_now, 0), sp.Gt(batch2, 0)),
        uses=("fedmes.eq31",),
    ),
    Statement(
        "fedmes.eq32/number",
        "the correction is a number times the batch gradient",
        sp.Eq(gt, A_best * gz),
        source("Eq. (32), as used from (33) on", "446-456"),
        conditions=(sp.Lt(inner_now, 0), sp.Gt(batch2, 0)),
        changes="A_s is a number, as in the lines that follow",
    ),
    Statement(
        "fedmes.eq32.still",
        "a correction that is A_s g with a positive semidefinite A_s is zero: the model stands still",
        sp.Eq(gt2, 0),
        source("Eq. (31) and (32)", "442-448"),
        conditions=(sp.Le(gt2, A_s * gt_gz), sp.Eq(gt_gz, 0)),
        uses=("fedmes.eq31.zero",),
    ),
)

_DESCENT = (
    Statement(
        "fedmes.eq33",
        "smoothness, with the step written as A_s times a batch gradient",
        sp.Eq(along + L * step2 / 2, -eta_s * A_s * gradient_gz + L * eta_s**2 * A_s**2 * batch2 / 2),
        source("Eq. (33), equality", "454-456"),
        uses=("fedmes.eq32",),
    ),
    Statement(
        "fedmes.eq33.smooth",
        "smoothness of the memory loss along the step",
        sp.Le(after - now, along + L * step2 / 2),
        source("Eq. (33), inequality", "452-454"),
        uses=("fedmes.eq33.expansion",),
    ),
    Statement(
        "fedmes.eq33.expansion",
        "the memory loss after the step, for quadratic losses",
        sp.Eq(after - now, along + step_bend / 2),
        source("Eq. (33)", "452-454"),
    ),
    Statement(
        "fedmes.eq34",
        "expectation of (33) over the batch",
        sp.Le(expected - now, -eta_s * A_s * align + eta_s**2 * L * A_s**2 * square2 / 2),
        source("Eq. (34), first line", "458-462"),
        uses=("fedmes.eq33", "fedmes.eq33.smooth", "fedmes.eq34.expansion"),
    ),
    Statement(
        "fedmes.eq34.expansion",
        "the expected memory loss after the step, for quadratic losses",
        sp.Eq(expected - now, -eta_s * A_s * align + eta_s**2 * A_s**2 * mean_bend / 2),
        source("Eq. (34), first line", "458-462"),
    ),
    Statement(
        "fedmes.eq34.second",
        "Assumption 2 and (30) put in",
        sp.Le(
            -eta_s * A_s * align + eta_s**2 * L * A_s**2 * square2 / 2,
            -eta_s * mu * A_s * mem_gradient2 + eta_s**2 * L * A_s**2 * (Mn + M_G * mem_gradient2) / 2,
        ),
        source("Eq. (34), second line", "462-464"),
        conditions=(sp.Eq(M_G, SPREAD),),
        assumes=ASSUMED,
        uses=("fedmes.eq30.third",),
    ),
    Statement(
        "fedmes.eq34.third",
        "terms collected, with a minus sign before the second",
        sp.Eq(
            -eta_s * mu * A_s * mem_gradient2 + eta_s**2 * L * A_s**2 * (Mn + M_G * mem_gradient2) / 2,
            (-mu - eta_s * L * M_G * A_s / 2) * eta_s * A_s * mem_gradient2 + NOISE,
        ),
        source("Eq. (34), third line", "464-466"),
    ),
    Statement(
        "fedmes.eq34.third/corrected",
        "terms collected",
        sp.Eq(
            -eta_s * mu * A_s * mem_gradient2 + eta_s**2 * L * A_s**2 * (Mn + M_G * mem_gradient2) / 2,
            (-mu + eta_s * L * M_G * A_s / 2) * eta_s * A_s * mem_gradient2 + NOISE,
        ),
        source("Eq. (34), third line", "464-466"),
        changes="plus in place of minus before the second term",
    ),
    Statement(
        "fedmes.eq35",
        "the rate leaves at least half of the descent",
        sp.Le(-mu + eta_s * L * M_G * A_s / 2, -mu / 2),
        source("Eq. (35)", "468-470"),
        conditions=(RATE,),
    ),
    Statement(
        "fedmes.eq36",
        "one step with the rate (35), without a minus sign",
        sp.Le(expected - now, eta_s * mu * A_s * mem_gradient2 / 2 + NOISE),
        source("Eq. (36), first line", "474-476"),
        conditions=(RATE, *CONSTANTS),
        assumes=ASSUMED,
        uses=("fedmes.eq34", "fedmes.eq34.second", "fedmes.eq34.third", "fedmes.eq35"),
    ),
    Statement(
        "fedmes.eq36/corrected",
        "one step with the rate (35)",
        sp.Le(expected - now, -eta_s * mu * A_s * mem_gradient2 / 2 + NOISE),
        source("Eq. (36), first line", "474-476"),
        conditions=(RATE, *CONSTANTS),
        assumes=ASSUMED,
        uses=("fedmes.eq34", "fedmes.eq34.second", "fedmes.eq34.third/corrected", "fedmes.eq35"),
        changes="minus before the first term",
    ),
    Statement(
        "fedmes.eq36.second",
        "strong convexity in the term without a minus sign",
        sp.Le(eta_s * mu * A_s * mem_gradient2 / 2 + NOISE, -eta_s * c * mu * A_s * gap + NOISE),
        source("Eq. (36), second line", "476-477"),
        conditions=(RATE, *CONSTANTS),
    ),
    Statement(
        "fedmes.eq36.second/corrected",
        "strong convexity in the term with a minus sign",
        sp.Le(-eta_s * mu * A_s * mem_gradient2 / 2 + NOISE, -eta_s * c * mu * A_s * gap + NOISE),
        source("Eq. (36), second line", "476-477"),
        conditions=(RATE, *CONSTANTS),
        uses=("fedmes.eq36.convex",),
        changes="minus before the first term",
    ),
    Statement(
        "fedmes.eq36.convex",
        "the gradient of a strongly convex loss is large where the loss is",
        sp.Le(2 * c * gap, mem_gradient2),
        source("Eq. (36), 'with Assumption 1'", "472"),
    ),
    Statement(
        "fedmes.eq37",
        "one step: the expected gap shrinks to a floor",
        sp.Le(gap_next, (1 - eta_s * c * mu * A_s) * gap + NOISE),
        source("Eq. (37)", "479-486"),
        conditions=(RATE, *CONSTANTS),
        assumes=ASSUMED,
        uses=("fedmes.eq36", "fedmes.eq36.second"),
    ),
)

_INDUCTION = (
    Statement(
        "fedmes.eq38",
        "after s - 1 steps",
        sp.Le(gap_s, shrunk * gap_1 + FLOOR),
        source("Eq. (38)", "488-492"),
        conditions=(sp.Ge(s, 2), *CONSTANTS),
        assumes=ASSUMED,
        uses=("fedmes.eq42", "fedmes.eq43"),
    ),
    Statement(
        "fedmes.eq39",
        "the first step",
        sp.Le(gap_s, shrunk * gap_1 + NOISE),
        source("Eq. (39)", "494-498"),
        conditions=(sp.Eq(s, 2), *CONSTANTS),
        assumes=ASSUMED,
        uses=("fedmes.eq37",),
    ),
    Statement(
        "fedmes.eq40",
        "the rate (35) put in",
        sp.Le(eta_s * c * mu * A_s, c * mu**2 / (L * M_G**2)),
        source("Eq. (40), equality", "500-502"),
        conditions=(RATE,),
        uses=("fedmes.eq35",),
    ),
    Statement(
        "fedmes.eq40/corrected",
        "the rate (35) put in",
        sp.Le(eta_s * c * mu * A_s, c * mu**2 / (L * M_G)),
        source("Eq. (40), equality", "500-502"),
        conditions=(RATE,),
        uses=("fedmes.eq35",),
        changes="M_G in place of its square",
    ),
    Statement(
        "fedmes.eq40.second",
        "M_G^2 replaced by mu^2",
        sp.Le(c * mu**2 / (L * M_G**2), c * mu**2 / (L * mu**2)),
        source("Eq. (40), second step", "502"),
        conditions=LEAST,
        uses=("fedmes.eq30.constant",),
    ),
    Statement(
        "fedmes.eq40.second/corrected",
        "M_G replaced by mu^2",
        sp.Le(c * mu**2 / (L * M_G), c * mu**2 / (L * mu**2)),
        source("Eq. (40), second step", "502"),
        conditions=LEAST,
        uses=("fedmes.eq30.constant",),
        changes="M_G in place of its square",
    ),
    Statement(
        "fedmes.eq40.third",
        "the convexity constant is at most the smoothness constant",
        sp.Le(c / L, 1),
        source("Eq. (40), last step", "502"),
        conditions=LEAST,
    ),
    Statement(
        "fedmes.eq41",
        "the rate in another form",
        sp.Le(eta_s * A_s, 1 / (c * mu)),
        source("Eq. (41)", "504-506"),
        conditions=(RATE, *LEAST),
        uses=("fedmes.eq40",),
    ),
    Statement(
        "fedmes.eq42",
        "the noise of the first step against the floor",
        sp.Le(NOISE, FLOOR),
        source("Eq. (42)", "508-513"),
        conditions=(RATE, *LEAST),
        uses=("fedmes.eq41",),
    ),
    Statement(
        "fedmes.eq43",
        "the induction closes",
        sp.Le(gap_s2, (1 - eta_s * c * mu * A_s) * shrunk * gap_1 + FLOOR),
        source("Eq. (43)", "515-531"),
        conditions=(
            sp.Le(gap_s1, shrunk * gap_1 + FLOOR),
            sp.Le(gap_s2, (1 - eta_s * c * mu * A_s) * gap_s1 + NOISE),
            sp.Le(eta_s * c * mu * A_s, 1),
        ),
        uses=("fedmes.eq37", "fedmes.eq41"),
    ),
    Statement(
        "fedmes.eq43.first",
        "the first line, in which the noise is printed with a factor u, read as mu",
        sp.Le(gap_next, (1 - eta_s * c * mu * A_s) * gap + mu * NOISE),
        source("Eq. (43), first line", "517-520"),
        conditions=(RATE, *CONSTANTS),
        assumes=ASSUMED,
        uses=("fedmes.eq37",),
    ),
    Statement(
        "fedmes.eq44",
        "the unrolled bound for w^(s), with one factor for each of the steps 1 to s",
        sp.Le(gap_s, shrunk_more * gap_1 + FLOOR),
        source("Eq. (44)", "533-538"),
        conditions=(sp.Ge(s, 2), *CONSTANTS),
        assumes=ASSUMED,
        uses=("fedmes.eq38",),
    ),
)

THEOREM_1 = Statement(
    "fedmes.thm1",
    "from the first correction on the memory loss is near its least value",
    sp.Le(gap_s, FLOOR),
    source("Theorem 1, Eq. (13)", "174-180"),
    conditions=(sp.Ge(s, 2), CONFLICTING, sp.Ge(mu_G, mu), sp.Le(c, L)),
    assumes=ASSUMED,
    uses=(
        "fedmes.eq30",
        "fedmes.eq32",
        "fedmes.eq33",
        "fedmes.eq34.third",
        "fedmes.eq36",
        "fedmes.eq37",
        "fedmes.eq38",
        "fedmes.eq40",
        "fedmes.eq44",
    ),
)

_THEOREM = (
    THEOREM_1,
    Statement(
        "fedmes.thm1/batch-descent",
        "from the first step on the memory loss is near its least value",
        sp.Le(gap_s, FLOOR),
        source("Theorem 1, Eq. (13)", "174-180"),
        conditions=(sp.Ge(s, 2), *CONSTANTS),
        assumes=ASSUMED,
        uses=("fedmes.eq38", "fedmes.eq44"),
        changes="steps descend the memory's own batch gradients, as (32) would have it, at rates within (35)",
    ),
    Statement(
        "fedmes.thm1.text",
        "the loss on the memory gets smaller with every correction",
        sp.Le(mem_next, mem_now),
        source("Discussion of Theorem 1", "180, 542"),
        conditions=(sp.Lt(inner_now, 0),),
        uses=("fedmes.thm1",),
    ),
    Statement(
        "fedmes.thm1.rises",
        "no correction lowers the memory loss: it rises by at least c/2 times the squared step",
        sp.Ge(mem_next, mem_now + c * eta_2**2 * gt2 / 2),
        source("Eq. (6), against the discussion of Theorem 1", "104-109, 542"),
        conditions=(sp.Lt(inner_now, 0),),
        uses=("fedmes.thm1.expansion", "fedmes.thm1.curved"),
    ),
    Statement(
        "fedmes.thm1.curved",
        "a strongly convex loss is curved by at least c along any step",
        sp.Eq(step_bend, c * gt2 + excess),
        source("Assumption 1", "156-158"),
    ),
    Statement(
        "fedmes.thm1.rises-little",
        "a correction raises the memory loss by at most L/2 times the squared step",
        sp.Le(mem_next, mem_now + L * eta_2**2 * gt2 / 2),
        source("Eq. (6)", "104-109"),
        conditions=(sp.Lt(inner_now, 0),),
        uses=("fedmes.thm1.expansion",),
    ),
    Statement(
        "fedmes.thm1.expansion",
        "the memory loss after a correction, for quadratic losses: nothing changes to first order",
        sp.Eq(mem_next, mem_now + eta_2**2 * step_bend / 2),
        source("Eq. (6)", "104-109"),
    ),
    Statement(
        "fedmes.remark1",
        "a correction brings the inner product nearer to zero",
        sp.Gt(inner_next, inner_now),
        source("Remark 1", "114-116"),
        conditions=(sp.Lt(inner_now, 0),),
        uses=("fedmes.thm1",),
    ),
    Statement(
        "fedmes.remark1.moving",
        "a correction that moves the model brings the inner product nearer to zero",
        sp.Gt(inner_next, inner_now),
        source("Remark 1", "114-116"),
        conditions=(sp.Lt(inner_now, 0), sp.Gt(gt2, 0)),
        uses=("fedmes.thm1",),
    ),
    Statement(
        "fedmes.remark1.stuck",
        "in one dimension corrections stand still, so conflicting gradients conflict for ever",
        sp.Eq(inner_next, inner_now),
        source("Remark 1", "114-116"),
    ),
)

STATEMENTS = (*_BATCHES, *_FACTOR, *_DESCENT, *_INDUCTION, *_THEOREM)
