"""SPECIAL, Algorithm 1, Algorithm 2 and Appendix F.5: one round, in every form in which it is printed."""

from __future__ import annotations

from functools import partial

import sympy as sp

from bounds.hypotheses import Hypothesis
from bounds.relations import eq, gt
from bounds.special.drift import th, update
from bounds.special.problem import anchor
from bounds.special.symbols import SPECIAL, E, M, N, at, gamma_G, gamma_L, lam
from bounds.special.theorems import SAMPLING

_real = SPECIAL.real
e = sp.Symbol("e", integer=True)

first_code = _real("first_code", "model after a round of the first task, Algorithm 1 as pseudo-code")
first_text = _real("first_text", "the same, as the text reads")
later_code = _real("later_code", "model after a round of a later task, Algorithm 1 as pseudo-code")
later_text = _real("later_text", "the same, as the text reads")
sent = _real("sent", "update vector of a client of Algorithm 1", r"\theta_{i,m}^{t,E}-\theta_{i,m}^{t,0}")
grad_sum = _real("grad_sum", "sum of its stochastic gradients", r"\sum_eg_{i,m}^{t,e}")
sent_c = _real("sent_c", "update vector of a client of Algorithm 2", r"\theta_{i,m}^{t,E}-\theta_{i,m}^{t,0}")
grad_sum_c = _real("grad_sum_c", "sum of its stochastic gradients", r"\sum_eg_{i,m}^{t,e}")
g_c = sp.IndexedBase("g_c")
SPECIAL.series(g_c, "stochastic gradients of a client of Algorithm 2, by local step", r"\mathbf g")
prox_from = _real("prox_from", "point to which the proximal map is applied", "x")
prox_min = _real("prox_min", "its value", r"\mathrm{prox}_\lambda(x)")
next_c = _real("next_c", "model after a round of Algorithm 2, mean of the sampled clients")
next_c_all = _real("next_c_all", "the same, the mean as line 16 prints it")
next_c_text = _real("next_c_text", "the same, gamma_G inside the proximal map as in the text")
next_fed = _real("next_fed", "model after a round of FedAvg")
next_zero = _real("next_zero", "model after a round of Algorithm 1 with lambda = 0")
next_c_zero = _real("next_c_zero", "model after a round of Algorithm 2 with lambda = 0")
next_c_all_zero = _real("next_c_all_zero", "the same, the mean as line 16 prints it")
still = _real("still", "model after a round of Algorithm 1 in which all gradients vanish")
still_c = _real("still_c", "model after a round of Algorithm 2 in which all gradients vanish")

ALL_CLIENTS = (eq(N, M),)
ONE_STEP = (eq(E, 1),)
_round = partial(at, conditions=SAMPLING)

kept = 1 / (1 + 2 * lam)
"""What one proximal map of F.5 leaves of the distance to the anchor."""
client_pull = 1 - gamma_G * (1 - (1 + 2 * lam) ** (-E))
"""What one round of Algorithm 2 leaves of it; Algorithm 1 leaves 1/(1 + lambda)."""
lam_one = 2 * lam * gamma_G / (1 + 2 * lam * (1 - gamma_G))
"""Strength with which Algorithm 1 pulls like Algorithm 2 with one local step."""
lam_many = (1 - client_pull) / client_pull
"""The same for E local steps."""


def _model_after_round(strength: sp.Expr, step: sp.Expr) -> sp.Expr:
    """Model after a round of Algorithm 1 with another lambda and another gamma_G."""
    return (th + step * update + strength * anchor) / (1 + strength)


ALGORITHM_1 = (
    _round("Algorithm 1, line 18, and Section 3, 'Federated skeleton'", "89, 94")(
        "alg1",
        "in the first task the pseudo-code (line 18 in every task) does what the text says (no blending)",
        eq(first_code, first_text),
    ),
    _round("Algorithm 1, line 18, and Section 3, 'Federated skeleton'", "89, 94")(
        "alg1.later",
        "from the second task on, the pseudo-code does what the text says",
        eq(later_code, later_text),
    ),
    _round("Algorithm 1, lines 16-18", "87-89")(
        "alg1.eq6",
        "a round is a FedAvg step of size gamma_G, blended with the anchor by Eq. (6)",
        eq(later_code, _model_after_round(lam, gamma_G)),
        uses=("eq6",),
    ),
    _round("Algorithm 1, line 12", "83")(
        "alg1.update",
        "a client's update is minus gamma_L times the sum of its gradients",
        eq(sent, -gamma_L * grad_sum),
    ),
    _round("Algorithm 1, line 18", "89")(
        "alg1.pull",
        "without gradients a round divides the distance to the anchor by 1 + lambda",
        eq(still - anchor, (th - anchor) / (1 + lam)),
    ),
    _round("Section 3, text after Eq. (6)", "104")(
        "eq6.fedavg",
        "lambda = 0 reduces SPECIAL to FedAvg, round by round from any state",
        eq(next_zero, next_fed),
    ),
)

ALG2_UPDATE = _round("Algorithm 2, line 12", "925")(
    "alg2.update", "the two forms of a client's update are the same", eq(sent_c, -gamma_L * grad_sum_c)
)
ALG2_MEAN = _round("Algorithm 2, line 16, and F.5, text before it", "929, 907")(
    "alg2.mean",
    "dividing by the number of all clients is averaging the vectors received (clients that are not "
    "sampled send nothing)",
    eq(next_c_all, next_c),
)
ALG2_FEDAVG = _round("Algorithm 2, lines 10 and 16", "923, 929")(
    "alg2.fedavg",
    "lambda = 0 reduces Algorithm 2 to FedAvg, the mean as line 16 prints it",
    eq(next_c_all_zero, next_fed),
    uses=("alg2.mean",),
)
ALGORITHM_2 = (
    at("F.5, definition of the proximal map", "903-907")(
        "alg2.prox",
        "the proximal map is a weighted average, in which the anchor weighs 2 lambda",
        eq(prox_min, (prox_from + 2 * lam * anchor) / (1 + 2 * lam)),
    ),
    ALG2_UPDATE,
    ALG2_UPDATE.variant(
        "corrected",
        eq(
            sent_c,
            (kept**E - 1) * (th - anchor)
            - gamma_L * sp.Sum((1 + 2 * lam) ** (e - E) * g_c[e], (e, 0, E - 1)),
        ),
        changes="adds the pull of the E proximal maps, and their discount of earlier gradients",
        says="a client's update is its way towards the anchor plus discounted gradients",
    ),
    ALG2_MEAN,
    ALG2_MEAN.variant(
        "full",
        changes="full participation",
        says="dividing by the number of all clients is averaging the vectors received, if every client is sampled",
        conditions=ALL_CLIENTS,
    ),
    _round("Algorithm 2, line 10, and F.5, local update rule", "923, 905")(
        "alg2.step",
        "the local rule of the pseudo-code (step gamma_L) is that of the text (step gamma_G)",
        eq(next_c, next_c_text),
    ),
    ALG2_FEDAVG,
    ALG2_FEDAVG.variant(
        "sampled",
        eq(next_c_zero, next_fed),
        changes="the mean is over the sampled clients",
        says="lambda = 0 reduces Algorithm 2 to FedAvg, if the server averages the vectors received",
        uses=(),
    ),
    _round("Algorithm 2, lines 10 and 17", "923, 930")(
        "alg2.pull",
        "without gradients a round leaves this share of the distance to the anchor",
        eq(still_c - anchor, client_pull * (th - anchor)),
        uses=("alg2.prox",),
    ),
)

ALG2_ESTEPS = at("Section 2.2 and F.5", "54-65, 903-907")(
    "alg2.esteps",
    "with E local steps, too, Algorithm 2 is Algorithm 1 with another lambda and another gamma_G (no "
    "others than these can match it along constant gradients)",
    eq(next_c, _model_after_round(lam_many, lam_many / (2 * lam * E))),
    conditions=(*SAMPLING, gt(client_pull, 0)),
    changes="our own question: what the place of the anchor does, which the text asks by experiment",
)
PLACE_OF_THE_ANCHOR = (
    at("Section 2.2 and F.5", "54-65, 903-907")(
        "alg2.onestep",
        "with one local step the place of the anchor does not matter: Algorithm 2 is Algorithm 1 with "
        "another lambda and another gamma_G",
        eq(next_c, _model_after_round(lam_one, lam_one / (2 * lam))),
        conditions=(*SAMPLING, *ONE_STEP, gt(1 + 2 * lam * (1 - gamma_G), 0)),
    ),
    ALG2_ESTEPS,
    ALG2_ESTEPS.variant(
        "constant",
        changes="linear losses without noise",
        hypotheses=(Hypothesis.LINEAR, Hypothesis.NO_NOISE),
        says="with E local steps along constant gradients, Algorithm 2 is Algorithm 1 with another lambda and "
        "another gamma_G",
    ),
)

STATEMENTS = (*ALGORITHM_1, *ALGORITHM_2, *PLACE_OF_THE_ANCHOR)
