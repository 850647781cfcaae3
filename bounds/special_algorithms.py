"""SPECIAL, Sections 2 and 3 and Appendix F.5: the problem, the two algorithms, and what lambda does in each.

A penalty lambda |theta - theta_{K-1}|^2 is printed three times, with three different weights of the rest: next to
a loss (Eq. 3 and 4), next to |u - x|^2 (Eq. 5) and next to |theta - x|^2 / 2 (F.5). So one letter stands for three
strengths. Statements ending in ``/effective`` say which strength of Eq. (3) or (4) an algorithm really applies.
"""

from __future__ import annotations

import sympy as sp

from bounds.special import DRIFT, SAMPLING
from bounds.special_drift import th, th_next, update
from bounds.special_symbols import PAPER, SPECIAL, B, E, K, L, M, N, drift2, gamma_G, gamma_L, lam, source
from bounds.statement import Paper, Source, Statement

VERSION_1 = Paper(
    key=PAPER.key,
    title="Task-Uniform Convergence and Backward Transfer in Federated Domain-Incremental Learning "
    "with Partial Participation",
    version="arXiv:2601.22274v1",
    glossary=SPECIAL,
)

_define = SPECIAL.define
e = sp.Symbol("e", integer=True)

# Losses at one point, and minimisers
f_all = _define("f_all", "loss of all tasks", "real", r"f_{1:K}(\theta)")
f_cur = _define("f_cur", "loss of the current task", "real", r"f_K(\theta)")
f_prev = _define("f_prev", "loss of the earlier tasks", "real", r"f_{1:K-1}(\theta)")
f_double = _define("f_double", "mean over clients, summed over tasks", "real", r"\frac1M\sum_i\sum_mf_{i,m}(\theta)")
pull2 = _define("pull2", "squared distance from the anchor", "nonnegative", r"\|\theta-\theta_{K-1}\|^2")
joint_min = _define("joint_min", "minimiser of the loss of all tasks, Eq. (1)", "real", r"\arg\min f_{1:K}")
surr_min = _define("surr_min", "minimiser of the surrogate, Eq. (3)", "real")
h_prev = _define("h_prev", "curvature of the earlier tasks together", "nonnegative", r"\nabla^2f_{1:K-1}")
meet2 = _define(
    "meet2", "squared inner product of grad f_K and theta_{K-1} - theta at the minimiser of Eq. (1)", "nonnegative"
)
span2 = _define("span2", "product of the squared norms of these two vectors", "nonnegative")

# The server step and the proximal map
thbar = _define("thbar", "model before the server step", "real", r"\bar\theta_i^{t+1}")
anchor = _define("anchor", "final model of the previous task", "real", r"\theta_{i-1}")
obj_next = _define("obj_next", "objective of Eq. (5) at the server's model", "nonnegative")
obj_other = _define("obj_other", "objective of Eq. (5) at any other point", "nonnegative")
apart2 = _define("apart2", "squared distance of that point from the server's model", "nonnegative")
server_min = _define("server_min", "minimiser of Eq. (5)", "real")
prox_from = _define("prox_from", "point to which the proximal map is applied", "real", "x")
prox_min = _define("prox_min", "its value", "real", r"\mathrm{prox}_\lambda(x)")

# One round
first_code = _define("first_code", "model after a round of the first task, Algorithm 1 as pseudo-code", "real")
first_text = _define("first_text", "the same, as the text reads", "real")
later_code = _define("later_code", "model after a round of a later task, Algorithm 1 as pseudo-code", "real")
later_text = _define("later_text", "the same, as the text reads", "real")
sent = _define("sent", "update vector of a client of Algorithm 1", "real", r"\theta_{i,m}^{t,E}-\theta_{i,m}^{t,0}")
grad_sum = _define("grad_sum", "sum of its stochastic gradients", "real", r"\sum_eg_{i,m}^{t,e}")
sent_c = _define("sent_c", "update vector of a client of Algorithm 2", "real", r"\theta_{i,m}^{t,E}-\theta_{i,m}^{t,0}")
grad_sum_c = _define("grad_sum_c", "sum of its stochastic gradients", "real", r"\sum_eg_{i,m}^{t,e}")
g_c = sp.IndexedBase("g_c")
"""Its stochastic gradients, by local step."""
next_c = _define("next_c", "model after a round of Algorithm 2, mean of the sampled clients", "real")
next_c_all = _define("next_c_all", "the same, the mean as line 16 prints it", "real")
next_c_text = _define("next_c_text", "the same, gamma_G inside the proximal map as in the text", "real")
next_fed = _define("next_fed", "model after a round of FedAvg", "real")
next_zero = _define("next_zero", "model after a round of Algorithm 1 with lambda = 0", "real")
next_c_zero = _define("next_c_zero", "model after a round of Algorithm 2 with lambda = 0", "real")
next_c_all_zero = _define("next_c_all_zero", "the same, the mean as line 16 prints it", "real")
still = _define("still", "model after a round of Algorithm 1 in which all gradients vanish", "real")
still_c = _define("still_c", "model after a round of Algorithm 2 in which all gradients vanish", "real")

# Where the algorithms come to rest
rest = _define("rest", "model that a round of Algorithm 1 leaves where it is", "real")
slope = _define("slope", "gradient of the current task there", "real", r"\nabla f_K")
rest_c = _define("rest_c", "model that a round of Algorithm 2 leaves where it is", "real")
slope_c = _define("slope_c", "gradient of the current task there", "real", r"\nabla f_K")
rest_m = _define("rest_m", "local model that a local step of Algorithm 2 leaves where it is", "real")
slope_m = _define("slope_m", "gradient of the client there", "real", r"\nabla f_{i,m}")

# Implications of Lemma 4.9
drift_all = _define(
    "drift_all", "expected squared distance from the task start, of every task and round", "nonnegative"
)
lam_more = _define("lam_more", "a larger proximal coefficient", "positive", r"\lambda'")
drift2_more = _define("drift2_more", "drift2 with the larger coefficient", "nonnegative")

EARLIER = (sp.Ge(K, 2),)
ALL_CLIENTS = (sp.Eq(N, M),)
ONE_STEP = (sp.Eq(E, 1),)
SMALL_STEPS = (sp.Le(gamma_G, 1), sp.Le(gamma_L, 1 / (E * L)))

kept = 1 / (1 + 2 * lam)
"""What one proximal map of F.5 leaves of the distance to the anchor."""
client_pull = 1 - gamma_G * (1 - (1 + 2 * lam) ** (-E))
"""What one round of Algorithm 2 leaves of it; Algorithm 1 leaves 1/(1 + lambda)."""
lam_one = 2 * lam * gamma_G / (1 + 2 * lam * (1 - gamma_G))
lam_many = (1 - client_pull) / client_pull


def _blended(strength: sp.Expr, step: sp.Expr) -> sp.Expr:
    """Model after a round of Algorithm 1 with another lambda and another gamma_G."""
    return (th + step * update + strength * anchor) / (1 + strength)


def _drawn_to(model: sp.Symbol, strength: sp.Expr) -> sp.Expr:
    """Minus the gradient of ``strength * |theta - anchor|^2``: what balances the loss at a stationary point."""
    return -2 * strength * (model - anchor)


PROBLEM = (
    Statement(
        "special.eq1",
        "the loss of all tasks is the mean over clients of the summed client losses",
        sp.Eq(f_all, f_double),
        source("Eq. (1)", "38"),
    ),
    Statement(
        "special.eq2",
        "the loss of all tasks splits into the current and the earlier tasks",
        sp.Eq(f_all, f_cur + f_prev),
        source("Eq. (2)", "42"),
        conditions=EARLIER,
    ),
    Statement(
        "special.eq3",
        "the function in the braces, printed with the name f_{1:K} of Eq. (1), is the current loss plus the penalty",
        sp.Eq(f_all, f_cur + lam * pull2),
        source("Eq. (3)", "50"),
        conditions=EARLIER,
    ),
    Statement(
        "special.eq3.v1",
        "solving Eq. (1) is equivalent to minimising the current loss plus the penalty "
        "(theta_{K-1} minimises the loss of the earlier tasks)",
        sp.Eq(joint_min, surr_min),
        Source(VERSION_1, "Section 2.1, text before the surrogate", "20"),
        conditions=EARLIER,
    ),
    Statement(
        "special.eq3.v1/tuned",
        "some lambda gives both problems the same minimiser: there the current gradient points to theta_{K-1}",
        sp.Eq(meet2, span2),
        Source(VERSION_1, "Section 2.1, text before the surrogate", "20"),
        conditions=EARLIER,
        changes="lambda may be chosen for the problem at hand",
    ),
    Statement(
        "special.eq3.v1/isotropic",
        "the two problems have the same minimiser if the earlier tasks have curvature 2 lambda in every direction",
        sp.Eq(joint_min, surr_min),
        Source(VERSION_1, "Section 2.1, text before the surrogate", "20"),
        conditions=(*EARLIER, sp.Eq(h_prev, 2 * lam)),
        changes="adds that the earlier loss is quadratic with Hessian 2 lambda I",
    ),
    Statement(
        "special.eq4",
        "Algorithm 2's local rule comes to rest where the client objective is stationary, with the same lambda",
        sp.Eq(slope_m, _drawn_to(rest_m, lam)),
        source("Eq. (4) and Algorithm 2, line 10", "56, 923"),
    ),
    Statement(
        "special.eq4/effective",
        "Algorithm 2's local rule comes to rest where the client objective is stationary, with lambda / gamma_L",
        sp.Eq(slope_m, _drawn_to(rest_m, lam / gamma_L)),
        source("Eq. (4) and Algorithm 2, line 10", "56, 923"),
        changes="lambda of Eq. (4) is lambda / gamma_L of the proximal map",
    ),
)

SERVER = (
    Statement(
        "special.eq5",
        "the server's model solves the quadratic problem",
        sp.Le(obj_next, obj_other),
        source("Eq. (5)", "98"),
        uses=("special.eq5.excess",),
    ),
    Statement(
        "special.eq5.excess",
        "any other point costs (1 + lambda) times its squared distance more, so the solution is unique",
        sp.Eq(obj_other, obj_next + (1 + lam) * apart2),
        source("Eq. (5)", "98"),
    ),
    Statement(
        "special.eq6",
        "the minimiser of Eq. (5) is a weighted average",
        sp.Eq(server_min, thbar / (1 + lam) + lam / (1 + lam) * anchor),
        source("Eq. (6)", "102"),
    ),
    Statement(
        "special.eq6.fedavg",
        "lambda = 0 reduces SPECIAL to FedAvg, round by round from any state",
        sp.Eq(next_zero, next_fed),
        source("Section 3, text after Eq. (6)", "104"),
        conditions=SAMPLING,
    ),
    Statement(
        "special.eq6.retention",
        "a larger lambda gives the anchor more weight",
        sp.Gt(sp.diff(lam / (1 + lam), lam), 0, evaluate=False),
        source("Section 3, text after Eq. (6)", "104"),
        uses=("special.eq6",),
    ),
)

ALGORITHM_1 = (
    Statement(
        "special.alg1",
        "in the first task the pseudo-code (line 18 in every task) does what the text says (no blending)",
        sp.Eq(first_code, first_text),
        source("Algorithm 1, line 18, and Section 3, 'Federated skeleton'", "89, 94"),
        conditions=SAMPLING,
    ),
    Statement(
        "special.alg1.later",
        "from the second task on, the pseudo-code does what the text says",
        sp.Eq(later_code, later_text),
        source("Algorithm 1, line 18, and Section 3, 'Federated skeleton'", "89, 94"),
        conditions=SAMPLING,
    ),
    Statement(
        "special.alg1.eq6",
        "a round is a FedAvg step of size gamma_G, blended with the anchor by Eq. (6)",
        sp.Eq(later_code, _blended(lam, gamma_G)),
        source("Algorithm 1, lines 16-18", "87-89"),
        conditions=SAMPLING,
        uses=("special.eq6",),
    ),
    Statement(
        "special.alg1.update",
        "a client's update is minus gamma_L times the sum of its gradients",
        sp.Eq(sent, -gamma_L * grad_sum),
        source("Algorithm 1, line 12", "83"),
        conditions=SAMPLING,
    ),
    Statement(
        "special.alg1.surrogate",
        "Algorithm 1 comes to rest where the surrogate Eq. (3) is stationary, with the same lambda",
        sp.Eq(slope, _drawn_to(rest, lam)),
        source("Eq. (3) and Algorithm 1", "48-50, 71-91"),
        conditions=ALL_CLIENTS,
    ),
    Statement(
        "special.alg1.surrogate/effective",
        "with one local step, Algorithm 1 comes to rest where Eq. (3) is stationary "
        "with lambda / (2 gamma_G gamma_L)",
        sp.Eq(slope, _drawn_to(rest, lam / (2 * gamma_G * gamma_L))),
        source("Eq. (3) and Algorithm 1", "48-50, 71-91"),
        conditions=(*ALL_CLIENTS, *ONE_STEP),
        changes="lambda of Eq. (3) is lambda / (2 gamma_G gamma_L); one local step",
    ),
    Statement(
        "special.alg1.surrogate/several",
        "with E local steps, Algorithm 1 comes to rest where Eq. (3) is stationary "
        "with lambda / (2 gamma_G gamma_L E)",
        sp.Eq(slope, _drawn_to(rest, lam / (2 * gamma_G * gamma_L * E))),
        source("Eq. (3) and Algorithm 1", "48-50, 71-91"),
        conditions=ALL_CLIENTS,
        changes="lambda of Eq. (3) is lambda / (2 gamma_G gamma_L E); any number of local steps",
    ),
    Statement(
        "special.alg1.pull",
        "without gradients a round divides the distance to the anchor by 1 + lambda",
        sp.Eq(still - anchor, (th - anchor) / (1 + lam)),
        source("Algorithm 1, line 18", "89"),
        conditions=SAMPLING,
    ),
)

ALGORITHM_2 = (
    Statement(
        "special.alg2.prox",
        "the proximal map is a weighted average, in which the anchor weighs 2 lambda",
        sp.Eq(prox_min, (prox_from + 2 * lam * anchor) / (1 + 2 * lam)),
        source("F.5, definition of the proximal map", "903-907"),
    ),
    Statement(
        "special.alg2.weight",
        "the same lambda gives the anchor the same weight in the proximal map as in Eq. (5)",
        sp.Eq(2 * lam / (1 + 2 * lam), lam / (1 + lam)),
        source("F.5, definition of the proximal map, and Eq. (5)", "903-907, 98"),
        uses=("special.alg2.prox", "special.eq6"),
    ),
    Statement(
        "special.alg2.update",
        "the two forms of a client's update are the same",
        sp.Eq(sent_c, -gamma_L * grad_sum_c),
        source("Algorithm 2, line 12", "925"),
        conditions=SAMPLING,
    ),
    Statement(
        "special.alg2.update/corrected",
        "a client's update is its way towards the anchor plus discounted gradients",
        sp.Eq(
            sent_c,
            (kept**E - 1) * (th - anchor) - gamma_L * sp.Sum((1 + 2 * lam) ** (e - E) * g_c[e], (e, 0, E - 1)),
        ),
        source("Algorithm 2, line 12", "925"),
        conditions=SAMPLING,
        changes="adds the pull of the E proximal maps, and their discount of earlier gradients",
    ),
    Statement(
        "special.alg2.mean",
        "dividing by the number of all clients is averaging the vectors received (who is not sampled sends nothing)",
        sp.Eq(next_c_all, next_c),
        source("Algorithm 2, line 16, and F.5, text before it", "929, 907"),
        conditions=SAMPLING,
    ),
    Statement(
        "special.alg2.mean/full",
        "dividing by the number of all clients is averaging the vectors received, if every client is sampled",
        sp.Eq(next_c_all, next_c),
        source("Algorithm 2, line 16, and F.5, text before it", "929, 907"),
        conditions=ALL_CLIENTS,
        changes="full participation",
    ),
    Statement(
        "special.alg2.step",
        "the local rule of the pseudo-code (step gamma_L) is that of the text (step gamma_G)",
        sp.Eq(next_c, next_c_text),
        source("Algorithm 2, line 10, and F.5, local update rule", "923, 905"),
        conditions=SAMPLING,
    ),
    Statement(
        "special.alg2.fedavg",
        "lambda = 0 reduces Algorithm 2 to FedAvg, the mean as line 16 prints it",
        sp.Eq(next_c_all_zero, next_fed),
        source("Algorithm 2, lines 10 and 16", "923, 929"),
        conditions=SAMPLING,
        uses=("special.alg2.mean",),
    ),
    Statement(
        "special.alg2.fedavg/sampled",
        "lambda = 0 reduces Algorithm 2 to FedAvg, if the server averages the vectors received",
        sp.Eq(next_c_zero, next_fed),
        source("Algorithm 2, lines 10 and 16", "923, 929"),
        conditions=SAMPLING,
        changes="the mean is over the sampled clients",
    ),
    Statement(
        "special.alg2.surrogate",
        "Algorithm 2 comes to rest where the surrogate Eq. (3) is stationary, with the same lambda",
        sp.Eq(slope_c, _drawn_to(rest_c, lam)),
        source("Eq. (3) and Algorithm 2", "50, 913-933"),
        conditions=ALL_CLIENTS,
    ),
    Statement(
        "special.alg2.surrogate/effective",
        "with one local step, Algorithm 2 comes to rest where Eq. (3) is stationary with lambda / gamma_L",
        sp.Eq(slope_c, _drawn_to(rest_c, lam / gamma_L)),
        source("Eq. (3) and Algorithm 2", "50, 913-933"),
        conditions=(*ALL_CLIENTS, *ONE_STEP),
        changes="lambda of Eq. (3) is lambda / gamma_L; one local step",
    ),
    Statement(
        "special.alg2.surrogate/alone",
        "with one client, Algorithm 2 comes to rest where Eq. (3) is stationary with lambda / gamma_L, for every E",
        sp.Eq(slope_c, _drawn_to(rest_c, lam / gamma_L)),
        source("Eq. (3) and Algorithm 2", "50, 913-933"),
        conditions=(*ALL_CLIENTS, sp.Eq(M, 1)),
        changes="lambda of Eq. (3) is lambda / gamma_L; one client",
    ),
    Statement(
        "special.alg2.surrogate/several",
        "Algorithm 2 comes to rest where Eq. (3) is stationary with lambda / gamma_L, for all clients and every E",
        sp.Eq(slope_c, _drawn_to(rest_c, lam / gamma_L)),
        source("Eq. (3) and Algorithm 2", "50, 913-933"),
        conditions=ALL_CLIENTS,
        changes="lambda of Eq. (3) is lambda / gamma_L",
    ),
)

PLACES = (
    Statement(
        "special.alg2.onestep",
        "with one local step the place of the anchor does not matter: Algorithm 2 is Algorithm 1 with another lambda "
        "and another gamma_G",
        sp.Eq(next_c, _blended(lam_one, lam_one / (2 * lam))),
        source("Section 2.2 and F.5", "54-65, 903-907"),
        conditions=(*SAMPLING, *ONE_STEP, sp.Gt(1 + 2 * lam * (1 - gamma_G), 0)),
    ),
    Statement(
        "special.alg2.esteps",
        "with E local steps, too, Algorithm 2 is Algorithm 1 with another lambda and another gamma_G",
        sp.Eq(next_c, _blended(lam_many, lam_many / (2 * lam * E))),
        source("Section 2.2 and F.5", "54-65, 903-907"),
        conditions=(*SAMPLING, sp.Gt(client_pull, 0)),
    ),
    Statement(
        "special.alg2.esteps/constant",
        "with E local steps along constant gradients Algorithm 2 is Algorithm 1 with another lambda and another gamma_G",
        sp.Eq(next_c, _blended(lam_many, lam_many / (2 * lam * E))),
        source("Section 2.2 and F.5", "54-65, 903-907"),
        conditions=(*SAMPLING, sp.Gt(client_pull, 0)),
        changes="linear losses without noise",
    ),
    Statement(
        "special.alg2.pull",
        "without gradients a round leaves this share of the distance to the anchor",
        sp.Eq(still_c - anchor, client_pull * (th - anchor)),
        source("Algorithm 2, lines 10 and 17", "923, 930"),
        conditions=SAMPLING,
        uses=("special.alg2.prox",),
    ),
    Statement(
        "special.alg2.retention",
        "a larger lambda preserves previous knowledge more aggressively: Algorithm 2, too, keeps less distance",
        sp.Lt(sp.diff(client_pull, lam), 0, evaluate=False),
        source("F.5, text before Table 13", "907"),
        uses=("special.alg2.pull",),
    ),
    Statement(
        "special.alg2.stronger",
        "pulling in each local epoch holds the model at least as close to the anchor as pulling at aggregation",
        sp.Le(client_pull, 1 / (1 + lam)),
        source("Section 2.2, text after Eq. (4)", "58-63"),
        conditions=(sp.Le(gamma_G, 1),),
        uses=("special.alg2.pull", "special.alg1.pull"),
    ),
    Statement(
        "special.alg2.stronger/unit",
        "the same with plain averaging, gamma_G = 1",
        sp.Le((1 + 2 * lam) ** (-E), 1 / (1 + lam)),
        source("Section 2.2, text after Eq. (4)", "58-63"),
        uses=("special.alg2.pull", "special.alg1.pull"),
        changes="gamma_G = 1",
    ),
)

IMPLICATIONS = (
    Statement(
        "special.lem4.9.anchor",
        "a larger lambda tightens the bound of Lemma 4.9",
        sp.Lt(sp.diff(DRIFT.rhs, lam), 0, evaluate=False),
        source("Implications of Lemma 4.9", "169"),
        uses=("special.lem4.9",),
    ),
    Statement(
        "special.lem4.9.suppress",
        "a larger lambda suppresses the drift",
        sp.Le(drift2_more, drift2),
        source("Implications of Lemma 4.9", "169"),
        conditions=(*SAMPLING, sp.Gt(lam_more, lam)),
        assumes=("special.ass4.1", "special.ass4.2"),
    ),
    Statement(
        "special.lem4.9.suppress/small",
        "a larger lambda suppresses the drift, with small steps",
        sp.Le(drift2_more, drift2),
        source("Implications of Lemma 4.9", "169"),
        conditions=(*SAMPLING, sp.Gt(lam_more, lam), *SMALL_STEPS),
        assumes=("special.ass4.1", "special.ass4.2"),
        changes="adds gamma_G <= 1 and gamma_L <= 1/(E L)",
    ),
    Statement(
        "special.lem4.9.uniform",
        "one cap, which contains neither the round nor the task, holds in all rounds of all tasks",
        sp.Le(drift_all, (gamma_G * gamma_L * E * B / lam) ** 2),
        source("Implications of Lemma 4.9", "169"),
        conditions=SAMPLING,
        assumes=("special.ass4.1",),
        uses=("special.lem4.9",),
    ),
    Statement(
        "special.lem4.9.uniform/text",
        "the cap holds in all rounds of all tasks, the first task without anchor",
        sp.Le(drift_all, (gamma_G * gamma_L * E * B / lam) ** 2),
        source("Implications of Lemma 4.9, and Section 3, 'Federated skeleton'", "169, 94"),
        conditions=SAMPLING,
        assumes=("special.ass4.1",),
        changes="the first task is plain FedAvg, as the text reads",
    ),
)

STATEMENTS = (*PROBLEM, *SERVER, *ALGORITHM_1, *ALGORITHM_2, *PLACES, *IMPLICATIONS)
