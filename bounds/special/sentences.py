"""SPECIAL: sentences of its text that compare or explain, each as a relation that can be computed."""

from __future__ import annotations

import sympy as sp

from bounds.hypotheses import Hypothesis
from bounds.relations import eq, ge, le
from bounds.special.bkt_sums import correction
from bounds.special.bkt_text import BEFORE_A7
from bounds.special.symbols import F_0, SPECIAL, E, K, L, N, T, at, gamma_L, t
from bounds.statement import Scaling

local_updates = SPECIAL.positive(
    "local_updates", "local updates of all participating clients, N T E of them", "U"
)
F_least = SPECIAL.nonnegative(
    "F_least", "least value of the summed loss of the earlier tasks", r"\inf f_{1:K-1}"
)
numbers = SPECIAL.count("numbers", "parameters of the model")
exchanged = SPECIAL.nonnegative(
    "exchanged", "numbers that a participating client receives and sends in a round of SPECIAL"
)
exchanged_fedavg = SPECIAL.nonnegative(
    "exchanged_fedavg", "the same in a round of FedAvg", r"\mathrm{exchanged}_{FedAvg}"
)
rest_off2 = SPECIAL.nonnegative(
    "rest_off2",
    "squared distance between the rest point of SPECIAL and the minimiser of the last task",
    r"\|\theta_E-\theta_K^*\|^2",
)
rest_off2_more = SPECIAL.nonnegative(
    "rest_off2_more", "the same with one local step more", r"\|\theta_{E+1}-\theta_K^*\|^2"
)

_rate = sp.sqrt(E / (N * T))
FEDAVG = at("Introduction, second contribution", "28")(
    "rate.fedavg",
    "expressed per local update of the participating clients, the rate sqrt(E/(NT)) is that of FedAvg on one task, 1/sqrt(NTE)",
    Scaling({"rate": _rate}, {T: local_updates / (N * E)}, 1 / sp.sqrt(local_updates), (local_updates, E)),
    uses=("cor4.12",),
)
SUBOPTIMAL = at("Theorem 4.7, implications", "151")(
    "thm4.7.initial",
    "the first term of the bound, f_{1:K-1} at the task start, is 'the initial sub-optimality on the earlier tasks'",
    eq(F_0, F_0 - F_least),
    conditions=(ge(F_0, F_least),),
)
SHARED = at("Theorem 4.7, implications, 'the 1/N factor'", "151")(
    "thm4.7.clients.half",
    "with twice as many participating clients the correction is halved",
    eq(correction.subs(N, 2 * N), correction / 2),
    conditions=(ge(K, 2),),
    uses=("thm4.7",),
)
STATEMENTS = (
    at("Introduction; Section 3", "24, 69")(
        "sent.unchanged",
        "the server-side anchor leaves the communication cost unchanged",
        eq(exchanged, exchanged_fedavg),
    ),
    FEDAVG,
    FEDAVG.variant(
        "partial",
        Scaling({"rate": _rate}, {}, sp.sqrt(E / (N * T)), (T, N, E)),
        says="the rate is that of FedAvg with partial participation, sqrt(E/(NT)) (Yang, Fang, Liu 2021, Corollary 2)",
        changes="compares rounds, not local updates",
    ),
    SUBOPTIMAL,
    SHARED,
    SHARED.variant(
        "fixed-steps",
        le(BEFORE_A7.subs(N, 2 * N), BEFORE_A7 / 2),
        says="with twice as many participating clients the correction is at most half as large",
        changes="keeps the step sizes as they are, as a run does, and takes the bound before step (a7), in which N does not occur",
    ),
    at("Remark 4.13", "204")(
        "rem4.13.too-large",
        "with more local steps SPECIAL comes to rest nearer to the minimiser of the last task",
        le(rest_off2_more, rest_off2),
        conditions=(le(gamma_L, 1 / (8 * E * L)),),
        hypotheses=(Hypothesis.QUADRATIC, Hypothesis.ONE_CLIENT, Hypothesis.NO_NOISE),
    ),
    at("Appendix F.4, Figure 4, 'matches the trade-off predicted by Theorem 4.7'", "886")(
        "fig4.predicted",
        "Theorem 4.7 predicts that more rounds first hurt the earlier tasks: its correction grows from one round to two",
        ge(correction.subs(t, 2), correction.subs(t, 1)),
        conditions=(ge(K, 2),),
        uses=("thm4.7",),
    ),
)
