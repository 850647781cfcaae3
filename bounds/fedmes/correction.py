"""FedMeS, Theorem 1, Remark 1 and Eq. (31), (32): what the corrections (6) do to the memory loss and to the conflict.

The theorem is stated for the correction itself. Its proof writes that as A_s times a batch gradient of the memory, A_s
first a matrix, then a number; what follows for such steps stands in `descent`.
"""

from __future__ import annotations

import sympy as sp

from bounds.fedmes.descent import (
    ASSUMED,
    CONSTANTS,
    FLOOR,
    M_G,
    A_s,
    batch2,
    eta_s,
    expected,
    gap_s,
    mem_gradient2,
    now,
    square2,
    step_bend,
)
from bounds.fedmes.symbols import FEDMES, L, Mn, at, c, eta_2, mu, mu_G, s
from bounds.hypotheses import Hypothesis
from bounds.relations import eq, ge, gt, le, lt

_positive, _nonnegative, _real = FEDMES.positive, FEDMES.nonnegative, FEDMES.real

# The correction, and how the proof writes it
corrected = _real("gt_s", "correction of the current gradient against the batch", r"\tilde g")
gz = _real("gz", "gradient of the memory on the batch", r"g(w^{(s)};\zeta)")
gt_gz = _real("gt_gz", "inner product of correction and batch gradient", r"\tilde g^\top g(w^{(s)};\zeta)")
gt2 = _nonnegative("gt2", "squared norm of the correction", r"\|\tilde g\|^2")
A_best = _real("A_best", "the number that brings A g(w; zeta) nearest to the correction", r"\hat A_s")
inner_now = _real(
    "inner_now", "inner product of current and memory gradient", r"\langle g,g_{\rm mem}\rangle^{(s)}"
)
inner_next = _real("inner_next", "the same after the correction", r"\langle g,g_{\rm mem}\rangle^{(s+1)}")
excess = _nonnegative("excess", "curvature along the correction beyond c")
mem_now = _real("mem_now", "memory loss at w^(s)", r"\mathcal L(w^{(s)};\mathcal M)")
mem_next = _real("mem_next", "memory loss after the correction", r"\mathcal L(w^{(s+1)};\mathcal M)")
conflict = _real("conflict", "inner product that each correction finds", r"\langle g,g_{\rm mem}\rangle")
fallen = _nonnegative(
    "fallen", "share of the sequences of batches after which the memory loss has fallen", r"P_{\rm fallen}"
)
curve_now = _positive("curve_now", "curvature of the current loss, the same in every direction", "h")
curve_mem = _positive("curve_mem", "curvature of the memory loss, the same in every direction", "k")
align_matrix = _real(
    "align_matrix",
    "memory gradient times the matrix A_s times the mean batch gradient",
    r"\nabla\mathcal L^\top A_s\mathbb E[g(w;\zeta)]",
)
A_least = _positive("A_least", "least eigenvalue of the matrix A_s", r"\lambda_{\min}(A_s)")
A_most = _positive("A_most", "largest eigenvalue of the matrix A_s", r"\lambda_{\max}(A_s)")
MATRIX_RATE = le(eta_s * L * M_G * A_most**2, mu * A_least)
"""The rate (35) where A_s is a matrix."""
CONFLICTING = lt(conflict, 0)
_ALIKE = (Hypothesis.QUADRATIC, Hypothesis.ISOTROPIC)
gm_gt = _real(
    "gm_gt", "inner product of memory gradient and correction", r"\langle g_{\rm mem},\tilde g\rangle"
)
BENT_LITTLE = le(mem_next, mem_now - eta_2 * gm_gt + L * eta_2**2 * gt2 / 2)
"""The definition of L along a correction."""
BENT_MUCH = ge(mem_next, mem_now - eta_2 * gm_gt + c * eta_2**2 * gt2 / 2)
"""The definition of c along it."""

EQ32 = at("Eq. (32)", "446-448")(
    "eq32",
    "the correction is A_s g with a positive semidefinite A_s, so |A_s g|^2 is at most the largest eigenvalue times g'A_s g",
    le(gt2, A_s * gt_gz),
    conditions=(lt(inner_now, 0), gt(batch2, 0)),
    uses=("eq31",),
)
EQ34_MATRIX = at("Eq. (34), second line, with the matrix A_s of (32)", "446-448, 462-464")(
    "eq34.matrix",
    "Assumption 2 bounds the descent also where A_s is a matrix: by mu times its least eigenvalue",
    ge(align_matrix, mu * A_least * mem_gradient2),
    assumes=("ass2", "ass2.length"),
)
_FACTOR = (
    at("Eq. (31)", "442-445")(
        "eq31",
        "the correction does not conflict with the batch gradient of the memory",
        ge(gt_gz, 0),
        uses=("eq31.zero",),
    ),
    at("Eq. (31) with (24)", "442-445")("eq31.zero", "more than that: both are orthogonal", eq(gt_gz, 0)),
    EQ32,
    EQ32.variant(
        "number",
        eq(corrected, A_best * gz),
        says="the correction is a number times the batch gradient",
        uses=(),
        changes="A_s is a number, as in the lines that follow",
    ),
    EQ32.variant(
        "orthogonal",
        eq(gt_gz, 0),
        says="the correction is orthogonal to the batch gradient of the memory, also where the correction is not zero",
        uses=("eq31.zero",),
        changes="no A_s at all: a positive semidefinite A_s has A_s g = 0 where g'A_s g = 0, so it gives no correction",
    ),
    EQ34_MATRIX,
    EQ34_MATRIX.variant(
        "unturned",
        EQ34_MATRIX.relation,
        assumes=("ass2",),
        hypotheses=(Hypothesis.UNTURNED,),
        changes="the mean batch gradient points along the memory gradient, as where batches are drawn as they should be",
    ),
    at("Eq. (34), first line, with the matrix A_s of (32)", "446-448, 460-462")(
        "eq34.matrix.step",
        "the memory loss after a step along a batch gradient that a positive definite matrix turns",
        le(expected - now, -eta_s * align_matrix + L * eta_s**2 * A_most**2 * square2 / 2),
    ),
    at("Eq. (36), with the matrix A_s of (32)", "446-448, 474-477")(
        "eq36.matrix",
        "one step with a positive definite matrix A_s, with the rate (35) by its eigenvalues",
        le(expected - now, -eta_s * mu * A_least * mem_gradient2 / 2 + L * Mn * (eta_s * A_most) ** 2 / 2),
        conditions=(MATRIX_RATE, *CONSTANTS),
        assumes=("ass2", "ass2.length", "ass3"),
        uses=("eq34.matrix.step", "eq34.matrix/unturned", "eq30/corrected"),
        hypotheses=(Hypothesis.UNTURNED,),
        changes="A_s is a matrix, and the mean batch gradient points along the memory gradient",
    ),
    at("Eq. (31) and (32)", "442-448")(
        "eq32.still",
        "a correction that is A_s g with a positive semidefinite A_s is zero: the model stands still",
        le(gt2, 0),
        conditions=(le(gt2, A_s * gt_gz), eq(gt_gz, 0)),
        uses=("eq31.zero",),
    ),
)

THEOREM_1 = at("Theorem 1, Eq. (13)", "174-180")(
    "thm1",
    "from the first correction on the memory loss is near its least value",
    le(gap_s, FLOOR),
    terms={"floor": FLOOR},
    conditions=(ge(s, 2), CONFLICTING, ge(mu_G, mu), le(c, L)),
    assumes=ASSUMED,
    uses=("eq30", "eq32", "eq33", "eq34.third", "eq36", "eq37", "eq38", "eq40", "eq44"),
)

_THEOREM = (
    THEOREM_1,
    THEOREM_1.variant(
        "batch-descent",
        says="from the first step on the memory loss is near its least value",
        conditions=(ge(s, 2), *CONSTANTS),
        uses=("eq38", "eq44"),
        changes="steps descend the memory's own batch gradients, as (32) would have it, at rates within (35)",
    ),
    at("Discussion of Theorem 1", "180, 542")(
        "thm1.text",
        "the loss on the memory gets smaller with every correction",
        le(mem_next, mem_now),
        conditions=(lt(inner_now, 0),),
        uses=("thm1",),
    ),
    at("Eq. (6), against the discussion of Theorem 1", "104-109, 542")(
        "thm1.rises",
        "no correction lowers the memory loss: it rises by at least c/2 times the squared step",
        ge(mem_next, mem_now + c * eta_2**2 * gt2 / 2),
        conditions=(lt(inner_now, 0),),
    ),
    at("Assumption 1", "156-158")(
        "thm1.curved",
        "a strongly convex quadratic loss is curved by at least c along any step",
        eq(step_bend, c * gt2 + excess),
        hypotheses=(Hypothesis.QUADRATIC,),
    ),
    at("Eq. (6)", "104-109")(
        "thm1.rises-little",
        "a correction raises the memory loss by at most L/2 times the squared step",
        le(mem_next, mem_now + L * eta_2**2 * gt2 / 2),
        conditions=(lt(inner_now, 0),),
    ),
    at("Eq. (6)", "104-109")(
        "thm1.expansion",
        "the memory loss after a correction, for quadratic losses: nothing changes to first order",
        eq(mem_next, mem_now + eta_2**2 * step_bend / 2),
        hypotheses=(Hypothesis.QUADRATIC,),
    ),
    at("Remark 1", "114-116")(
        "remark1",
        "a correction brings the inner product nearer to zero",
        gt(inner_next, inner_now),
        conditions=(lt(inner_now, 0),),
        uses=("thm1",),
    ),
    at("Remark 1", "114-116")(
        "remark1.moving",
        "a correction that moves the model brings the inner product nearer to zero",
        gt(inner_next, inner_now),
        conditions=(lt(inner_now, 0), gt(gt2, 0)),
        uses=("thm1",),
    ),
    at("Remark 1", "114-116")(
        "remark1.stuck",
        "in one dimension corrections stand still, so conflicting gradients conflict for ever",
        eq(inner_next, inner_now),
        hypotheses=(Hypothesis.ONE_DIMENSION,),
    ),
    at("Discussion of Theorem 1, 'with high possibility'", "180")(
        "thm1.possibility",
        "in more than half of the sequences of batches the memory loss has fallen after the corrections",
        gt(fallen, sp.Rational(1, 2)),
        conditions=(CONFLICTING, ge(s, 2)),
        uses=("thm1",),
    ),
    at("Remark 1, 'to approach and eventually exceed zero'", "114-116")(
        "remark1.never",
        "where no direction is special, no correction with eta_2 h <= 1 eases the conflict, however often it is repeated",
        le(inner_next, inner_now),
        conditions=(le(eta_2 * curve_now, 1),),
        uses=("remark1.change",),
        hypotheses=_ALIKE,
    ),
    at("Remark 1", "114-116")(
        "remark1.change",
        "what a correction changes there: it turns the model towards the current task's optimum and away from the memory's",
        eq(inner_next, inner_now - eta_2 * curve_mem * (1 - eta_2 * curve_now) * gt2),
        hypotheses=_ALIKE,
    ),
)

STATEMENTS = (*_FACTOR, *_THEOREM)
