"""SPECIAL: what follows from Theorem 4.10 and what the text says about it.

Corollary 4.12, Remarks 4.11 and 4.13, the implications below the theorem, the text after Assumption 4.6, and
bounds that need no theorem, against which its value is measured.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import sympy as sp

from bounds.special.rate_sampling import COEFFICIENT
from bounds.special.symbols import (
    G0,
    SPECIAL,
    B,
    E,
    K,
    L,
    M,
    N,
    T,
    f0,
    fstar,
    gamma_G,
    gamma_L,
    lam,
    min_grad2,
    sigma_G2,
    sigma_L2,
    sigma_T2,
    source,
)
from bounds.special.theorems import (
    ALL,
    DRIFT,
    LEAD,
    PARTIAL,
    PSI,
    RATE,
    RATE_FULL,
    RATE_TERMS,
    SAMPLING,
    pref,
    rho,
)
from bounds.special.theorems import step as g
from bounds.statement import Scaling, Statement

_define = SPECIAL.define
min_grad2_0 = _define(
    "min_grad2_0",
    "smallest expected squared gradient norm of all tasks over the rounds 0 to T-1",
    "nonnegative",
    r"\min_{0\le t<T}\mathbb E\|\nabla f_{1:K}(\theta_K^t)\|^2",
)
grad1 = _define(
    "grad1",
    "gradient norm of all tasks, at a round of a run",
    "nonnegative",
    r"\|\nabla f_{1:K}(\theta_K^t)\|",
)
grad1_0 = _define(
    "grad1_0", "gradient norm of all tasks at the task start", "positive", r"\|\nabla f_{1:K}(\theta_K^0)\|"
)
away_max = _define("away_max", "largest distance from the task start, over rounds and runs", "nonnegative")
reach = _define("reach", "gamma_L E L B / lambda", "nonnegative")
c = _define("c", "a positive constant", "positive")

LINES = "187-191"
_start = (sp.Ge(f0, fstar),)
_started = (sp.Gt(f0, fstar),)
_psi = {name: pref * term for name, term in PSI.items()}
_sampled = {name: term for name, term in PSI.items() if "samp" in name}
_stochastic = {name: term for name, term in _psi.items() if term.has(sigma_L2) or term.has(sigma_G2)}
LARGEST = {gamma_L: 1 / (8 * E * L), gamma_G: 1 / (K - 1)}
"""Step sizes at the two separate limits of the theorem."""
COROLLARY = {gamma_L: lam / (sp.sqrt(K * T) * E * L), gamma_G: sp.sqrt(N * E) / ((K - 1) * lam * L)}
"""Step sizes of Corollary 4.12."""
ORDER = sp.sqrt(E / (N * T))
"""The order that Corollary 4.12 claims."""
LIMITS_OF_L = (sp.Le(8 * E * L * gamma_L, 1), sp.Le(3 * E * L * g, 1 + lam))
"""The theorem's other step-size conditions, solved for the constant that the experiments do not report."""
_rounds = E / (N * c**2)
"""Rounds after which the claimed order is c."""
_reached = pref * (G0**2 + K * B**2 + (gamma_L * E * L * B / lam) ** 2)
_FREE = "not of the paper: what bounded gradients and smoothness give without the theorem"
_HELD = "the step sizes are held to the theorem's limits, not kept fixed"


def says(id: str, text: str, relation: Any, place: str, lines: str, **more: Any) -> Statement:
    return Statement(f"special.{id}", text, relation, source(place, lines), **more)


def implied(word: str, text: str, relation: Any, **more: Any) -> Statement:
    """A sentence of the implications below Theorem 4.10."""
    return says(f"thm4.10.{word}", text, relation, "after Theorem 4.10", LINES, **more)


def on_the_lead(word: str, text: str, claimed: Callable[[sp.Expr], Any]) -> tuple[Statement, Statement]:
    """A sentence on the vanishing term of the theorem: at fixed step sizes, and at the largest it allows."""
    conditions = (sp.Ge(K, 2), *_started)
    return (
        implied(word, text, claimed(LEAD), conditions=conditions),
        implied(f"{word}/held", text, claimed(_lead_largest), conditions=conditions, changes=_HELD),
    )


def at(expression: sp.Expr, values: Mapping[sp.Symbol, sp.Expr]) -> sp.Expr:
    return expression.subs(values, simultaneous=True)


_lead_largest = at(LEAD, LARGEST)
_bound_corollary = at(RATE.rhs, COROLLARY)
_stationary = at(sum(_psi.values()), {sigma_T2: sp.S.Zero, gamma_L: sp.S.Zero})
_samp_N = N * sum(_sampled.values())
_used = {
    word: at(share, COROLLARY)
    for word, share in (
        ("gamma_G", gamma_G * (K - 1)),
        ("gamma_L", gamma_L * 8 * E * L),
        ("product", g * 3 * E * L / (1 + lam)),
    )
}
"""How much of each limit of the theorem the corollary's step sizes use."""

THEOREM = (
    says(
        "thm4.10/from0",
        RATE.says,
        sp.Le(min_grad2_0, RATE.rhs),
        "Theorem 4.10, Eq. (9)",
        "173, 181-185",
        conditions=RATE.conditions,
        assumes=ALL,
        uses=RATE.uses,
        changes="the smallest value is taken over the rounds 0 to T-1 of the proof, not 1 to T",
    ),
    says(
        "thm4.10/corrected",
        RATE.says,
        sp.Le(min_grad2, RATE.rhs + (K - 1) * _psi["noise"]),
        "Theorem 4.10, Eq. (9)",
        "173, 181-185",
        conditions=(*RATE.conditions, sp.Ge(COEFFICIENT, 0)),
        assumes=ALL,
        uses=("special.eq60/corrected", "special.eq61/corrected"),
        changes="psi_noise has a factor K more, and the condition that step (c12) needs is added",
    ),
    says(
        "thm4.10/free.start",
        "at the task start the squared gradient is at most twice those of the earlier tasks and of the current one",
        sp.Le(min_grad2_0, 2 * G0**2 + 2 * B**2),
        "Assumption 4.1",
        "112",
        conditions=SAMPLING,
        assumes=("special.ass4.1",),
        changes=_FREE,
    ),
    says(
        "thm4.10/free.reach",
        "within the drift of Lemma 4.9 the earlier tasks' gradient cannot change much",
        sp.Le(min_grad2, (G0 + B + reach) ** 2),
        "Assumptions 4.1 and 4.2, Lemma 4.9",
        "163",
        conditions=(*SAMPLING, sp.Ge(K, 2), sp.Le(gamma_G, 1 / (K - 1))),
        assumes=("special.ass4.1", "special.ass4.2"),
        uses=("special.lem4.9",),
        changes=_FREE,
    ),
    says(
        "thm4.10/free.drift",
        "the gradient never exceeds three of the ten terms of Psi, in no round and whatever the clients send",
        sp.Le(min_grad2, _reached),
        "Assumptions 4.1 and 4.2, Lemma 4.9",
        "163",
        conditions=(*SAMPLING, sp.Ge(K, 2), sp.Le(gamma_G, 1 / (K - 1))),
        assumes=("special.ass4.1", "special.ass4.2"),
        uses=("special.thm4.10/free.reach",),
        changes=_FREE,
    ),
    says(
        "thm4.10/free.B",
        "each of the K task gradients has norm at most B",
        sp.Le(min_grad2, K**2 * B**2),
        "Assumption 4.1",
        "112",
        conditions=SAMPLING,
        assumes=("special.ass4.1",),
        changes=_FREE,
    ),
    says(
        "thm4.10.applicability",
        "the paper's own experiments meet the conditions of Theorem 4.10",
        RATE.relation,
        "Theorem 4.10; Section 5",
        "173, 229-237",
        conditions=(*PARTIAL, sp.Ge(K, 2), sp.Le(gamma_G, 1 / (K - 1)), *LIMITS_OF_L),
    ),
    says(
        "thm4.10.applicability/c12",
        "the paper's own experiments meet what the proof of Theorem 4.10 needs for step (c12) at least",
        RATE.relation,
        "Theorem 4.10, after Eq. (60); Section 5",
        "764, 229-237",
        conditions=(
            sp.Le(sp.sqrt(60 * K) * E * L * gamma_L, 1),
            sp.Le(24 * rho * E * K * L * g, 1 + lam),
        ),
        changes="two conditions that the sign of the dropped term implies, in place of the printed ones",
    ),
    says(
        "corD.3.agreement",
        "Corollary D.3 is Theorem 4.10 at N = M",
        sp.Eq(RATE_FULL.rhs, RATE.rhs.subs(N, M), evaluate=False),
        "Corollary D.3, Eq. (24)",
        "509",
    ),
)

RATE_ORDER = (
    says(
        "cor4.12",
        "with two step sizes the smallest expected squared gradient norm falls like sqrt(E/(NT))",
        Scaling(RATE_TERMS, {**COROLLARY, M: c * N}, ORDER, (T, E, N)),
        "Corollary 4.12",
        "197",
        uses=("special.thm4.10", "special.cor4.12.conditions"),
    ),
    says(
        "cor4.12/floor",
        "the anchor holds the gradient of all tasks near its value at the task start, in every round of every run",
        sp.Ge(grad1, grad1_0 - K * L * g * E * B / lam),
        "Assumption 4.2, Lemma 4.9",
        "163",
        conditions=SAMPLING,
        assumes=("special.ass4.1", "special.ass4.2"),
        uses=("special.lem4.9", "special.lemC.1"),
        changes="not of the paper: what SPECIAL cannot do",
    ),
    says(
        "cor4.12.conditions",
        "the step sizes of the corollary meet the conditions of Theorem 4.10",
        sp.Le(sp.Max(*_used.values()), 1),
        "Corollary 4.12",
        "197",
        conditions=(*PARTIAL, sp.Ge(K, 2)),
    ),
    *(
        says(
            f"cor4.12.conditions.{word}",
            f"the step sizes of the corollary meet the condition of Theorem 4.10 on {text}",
            sp.Le(_used[word], 1),
            "Corollary 4.12",
            "197",
            conditions=(*PARTIAL, sp.Ge(K, 2)),
        )
        for word, text in (("gamma_G", "gamma_G"), ("gamma_L", "gamma_L"), ("product", "their product"))
    ),
)

REMARKS = (
    says(
        "rem4.11.shift",
        "the task terms show how domain shift scales with K: they grow with it",
        sp.Ge(sp.diff(_psi["task"] + _psi["samp_task"], K), 0, evaluate=False),
        "Remark 4.11",
        "193",
        conditions=RATE.conditions,
    ),
    says(
        "rem4.11.anchor",
        "a stronger anchor controls the deviation within the task: the bound of Lemma 4.9 falls with lambda",
        sp.Le(sp.diff(DRIFT.rhs, lam), 0, evaluate=False),
        "Remark 4.11",
        "193",
    ),
    says(
        "rem4.13.rounds",
        "the rate improves with more rounds",
        sp.Le(sp.diff(ORDER, T), 0, evaluate=False),
        "Remark 4.13",
        "202",
    ),
    says(
        "rem4.13.clients",
        "the rate improves with more sampled clients",
        sp.Le(sp.diff(ORDER, N), 0, evaluate=False),
        "Remark 4.13",
        "202",
    ),
    says(
        "rem4.13.clients/theorem",
        "the bound of Theorem 4.10 at the corollary's step sizes falls with more sampled clients",
        sp.Le(_bound_corollary.subs(N, N + 1), _bound_corollary),
        "Remark 4.13",
        "202",
        conditions=(
            *PARTIAL,
            sp.Ge(K, 2),
            sp.Le(N + 1, M),
            *_start,
            *(sp.Le(at(r.lhs, COROLLARY).subs(N, N + 1), at(r.rhs, COROLLARY)) for r in RATE.conditions[3:]),
        ),
        changes="the theorem's whole bound in place of the claimed order",
    ),
    says(
        "rem4.13.drift",
        "the more local steps, the farther the model may drift",
        sp.Ge(sp.diff(DRIFT.rhs, E), 0, evaluate=False),
        "Remark 4.13",
        "202",
    ),
    says(
        "rem4.13.few",
        "fewer local steps take more rounds to the same stationarity, by the claimed order",
        sp.Ge(_rounds, _rounds.subs(E, E + 1)),
        "Remark 4.13 with Corollary 4.12",
        "197, 202",
    ),
    says(
        "rem4.13.few/theorem",
        "fewer local steps take more rounds to the same stationarity, by the vanishing term at fixed step sizes",
        sp.Ge(LEAD * T, (LEAD * T).subs(E, E + 1)),
        "Remark 4.13 with Theorem 4.10",
        "173, 202",
        conditions=(*RATE.conditions, *_start),
        changes="the vanishing term of Theorem 4.10 in place of the corollary's order",
    ),
)

IMPLICATIONS = (
    implied(
        "lead",
        "the vanishing term is (f0 - f*) / (c (1-1/K) E T) with a c that does not depend on K, E or T",
        sp.Eq(LEAD * (1 - 1 / K) * E * T, (f0 - fstar) * 2 * (1 + lam) / g),
    ),
    implied(
        "lead/held",
        "under the step-size conditions the vanishing term is at least 6 L (f0 - f*) / ((1-1/K) T), whatever E",
        sp.Ge(LEAD, 6 * L * (f0 - fstar) / ((1 - 1 / K) * T)),
        conditions=(*RATE.conditions, *_start),
        changes=_HELD,
    ),
    implied(
        "rounds",
        "the vanishing term falls with more rounds",
        sp.Lt(LEAD.subs(T, T + 1), LEAD),
        conditions=(sp.Ge(K, 2), *_started),
    ),
    *on_the_lead(
        "local_work",
        "the vanishing term falls with more local work",
        lambda lead: sp.Lt(lead.subs(E, E + 1), lead, evaluate=False),
    ),
    *on_the_lead(
        "tasks",
        "the vanishing term grows with the number of tasks",
        lambda lead: sp.Gt(lead.subs(K, K + 1), lead),
    ),
    implied("prefactor", "the factor of Psi approaches 2", sp.Eq(pref, 2 + 2 / (K - 1))),
    implied(
        "drift",
        "the term of the drift within the task (Lemma 4.9) grows linearly with K",
        sp.Eq(PSI["drift_B"].subs(K, 2 * K), 2 * PSI["drift_B"], evaluate=False),
        conditions=(sp.Ge(K, 2),),
    ),
    implied(
        "drift/anchor",
        "the term K B^2, the other one that rests on Lemma 4.9, grows linearly with K",
        sp.Eq(PSI["K_B"].subs(K, 2 * K), 2 * PSI["K_B"], evaluate=False),
        conditions=(sp.Ge(K, 2),),
        changes="psi_K_B, which comes from the pull of the anchor, in place of psi_drift_B",
    ),
    implied(
        "sampling",
        "the terms of partial participation vanish as N approaches M: N times their sum is proportional to M - N",
        sp.Eq(_samp_N, (M - N) * _samp_N.subs(N, M - 1), evaluate=False),
    ),
    implied(
        "local_step",
        "with a local step of order 1/(sqrt(K) E) the terms of stochasticity stay bounded in K and E",
        Scaling(
            {n: t for n, t in _stochastic.items() if n not in _sampled},
            {gamma_L: c / (sp.sqrt(K) * E)},
            sp.S.One,
            (K, E),
        ),
    ),
    implied(
        "local_step/sampling",
        "with a local step of order 1/(sqrt(K) E) the terms of stochasticity stay bounded in K and E",
        Scaling(_stochastic, {gamma_L: c / (sp.sqrt(K) * E)}, sp.S.One, (K, E)),
        changes="the terms of partial participation are counted too",
    ),
    implied(
        "task_penalty",
        "the penalty of task differences is amplified by (K-1)^2/K",
        Scaling({name: PSI[name] for name in ("task", "samp_task")}, {}, (K - 1) ** 2 / K, (K,)),
    ),
    implied(
        "global_step",
        "a global step of order 1/(K-1) keeps the penalty of task differences bounded in K",
        Scaling({name: _psi[name] for name in ("task", "samp_task")}, {gamma_G: c / (K - 1)}, sp.S.One, (K,)),
    ),
    implied(
        "initial",
        "the bound is tighter where the earlier tasks are fitted better",
        sp.Ge(sp.diff(RATE.rhs, G0), 0, evaluate=False),
        conditions=RATE.conditions,
    ),
    says(
        "thm4.10.pool",
        "the result is independent of the number of all clients",
        sp.Eq(RATE.rhs, RATE.rhs.subs(M, M + 1)),
        "Section 4.3",
        "159",
        conditions=(*RATE.conditions, *_start),
    ),
    says(
        "thm4.10.pool/order",
        "the bound stays bounded as the number of all clients grows",
        Scaling(RATE_TERMS, {}, sp.S.One, (M,)),
        "Section 4.3",
        "159",
        changes="bounded in the number of all clients, not independent of it",
    ),
    says(
        "ass4.6.stationary",
        "without task drift Psi is that of one stationary task: it vanishes with the local step",
        sp.Eq(_stationary, 0, evaluate=False),
        "after Assumption 4.6",
        "136",
        conditions=(*PARTIAL, sp.Ge(K, 2)),
    ),
    says(
        "ass4.6.stationary/terms",
        "without task drift the two task terms vanish",
        sp.Eq(at(_psi["task"] + _psi["samp_task"], {sigma_T2: sp.S.Zero}), 0, evaluate=False),
        "after Assumption 4.6",
        "136",
        changes="only the terms with sigma_T are asked to vanish",
    ),
)

STATEMENTS = (*THEOREM, *RATE_ORDER, *REMARKS, *IMPLICATIONS)
