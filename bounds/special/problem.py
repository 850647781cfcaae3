"""SPECIAL, Sections 2.1 and 3: the problem, its surrogate, and the server's step."""

from __future__ import annotations

import sympy as sp

from bounds.hypotheses import Hypothesis
from bounds.relations import eq, ge, gt, le
from bounds.special.symbols import PAPER, SPECIAL, K, at, lam
from bounds.statement import Paper

VERSION_1 = Paper(
    key=PAPER.key,
    title="Task-Uniform Convergence and Backward Transfer in Federated Domain-Incremental Learning "
    "with Partial Participation",
    version="arXiv:2601.22274v1",
    glossary=SPECIAL,
)

_nonnegative, _real = SPECIAL.nonnegative, SPECIAL.real

# Losses at one point, and minimisers
f_all = _real("f_all", "loss of all tasks", r"f_{1:K}(\theta)")
f_cur = _real("f_cur", "loss of the current task", r"f_K(\theta)")
f_prev = _real("f_prev", "loss of the earlier tasks", r"f_{1:K-1}(\theta)")
f_double = _real("f_double", "mean over clients, summed over tasks", r"\frac1M\sum_i\sum_mf_{i,m}(\theta)")
pull2 = _nonnegative("pull2", "squared distance from the anchor", r"\|\theta-\theta_{K-1}\|^2")
joint_min = _real("joint_min", "minimiser of the loss of all tasks, Eq. (1)", r"\arg\min f_{1:K}")
surr_min = _real("surr_min", "minimiser of the surrogate, Eq. (3)")
h_prev = _nonnegative("h_prev", "curvature of the earlier tasks together", r"\nabla^2f_{1:K-1}")
meet2 = _nonnegative(
    "meet2", "squared inner product of grad f_K and theta_{K-1} - theta at the minimiser of Eq. (1)"
)
span2 = _nonnegative("span2", "product of the squared norms of these two vectors")

# The server's step
thbar = _real("thbar", "model before the server step", r"\bar\theta_i^{t+1}")
anchor = _real("anchor", "final model of the previous task", r"\theta_{i-1}")
obj_next = _nonnegative("obj_next", "objective of Eq. (5) at the server's model")
obj_other = _nonnegative("obj_other", "objective of Eq. (5) at any other point")
apart2 = _nonnegative("apart2", "squared distance of that point from the server's model")
server_min = _real("server_min", "minimiser of Eq. (5)")

EARLIER = (ge(K, 2),)

EQ3_V1 = VERSION_1.statement(
    "eq3.v1",
    "solving Eq. (1) is equivalent to minimising the current loss plus the penalty "
    "(theta_{K-1} minimises the loss of the earlier tasks)",
    eq(joint_min, surr_min),
    "Section 2.1, text before the surrogate",
    "20",
    conditions=EARLIER,
)
STATEMENTS = (
    at("Eq. (1)", "38")(
        "eq1",
        "the loss of all tasks is the mean over clients of the summed client losses",
        eq(f_all, f_double),
    ),
    at("Eq. (2)", "42")(
        "eq2",
        "the loss of all tasks splits into the current and the earlier tasks",
        eq(f_all, f_cur + f_prev),
        conditions=EARLIER,
    ),
    at("Eq. (3)", "50")(
        "eq3",
        "what the braces call f_{1:K}, the name that Eq. (1) gives to the loss of all tasks, is the "
        "current loss plus the penalty",
        eq(f_all, f_cur + lam * pull2),
        conditions=EARLIER,
    ),
    EQ3_V1,
    EQ3_V1.variant(
        "tuned",
        eq(meet2, span2),
        changes="lambda may be chosen for the problem at hand",
        says="some lambda gives both problems the same minimiser: there, the current gradient is parallel to "
        "the way to theta_{K-1}",
    ),
    EQ3_V1.variant(
        "isotropic",
        changes="adds that the earlier loss is quadratic with Hessian 2 lambda I",
        says="the two problems have the same minimiser if the earlier tasks together have curvature 2 lambda in "
        "every direction",
        conditions=(*EARLIER, eq(h_prev, 2 * lam)),
        hypotheses=(Hypothesis.QUADRATIC, Hypothesis.ISOTROPIC),
    ),
    at("Eq. (5)", "98")(
        "eq5",
        "the server's model solves the quadratic problem",
        le(obj_next, obj_other),
        uses=("eq5.excess",),
    ),
    at("Eq. (5)", "98")(
        "eq5.excess",
        "any other point costs (1 + lambda) times its squared distance more, so the solution is unique",
        eq(obj_other, obj_next + (1 + lam) * apart2),
    ),
    at("Eq. (6)", "102")(
        "eq6",
        "the minimiser of Eq. (5) is a weighted average",
        eq(server_min, thbar / (1 + lam) + lam / (1 + lam) * anchor),
    ),
    at("Section 3, text after Eq. (6)", "104")(
        "eq6.retention",
        "a larger lambda gives the anchor more weight",
        gt(sp.diff(lam / (1 + lam), lam), 0),
        uses=("eq6",),
    ),
)
