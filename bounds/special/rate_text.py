"""SPECIAL: what the text says about Theorem 4.10: Remarks 4.11 and 4.13, its implications, what follows 4.6, the sketch of its proof."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import sympy as sp

from bounds.relations import eq, ge, gt, le, lt
from bounds.special.one_round import T4, T5, T6, T6_full, f_now, gK2, move_full_j, move_j, q
from bounds.special.rate import COROLLARY, ORDER, c, with_values
from bounds.special.rate_round import EQ39_RIGHT
from bounds.special.symbols import (
    G0,
    E,
    K,
    L,
    M,
    N,
    T,
    at,
    f0,
    fstar,
    gamma_G,
    gamma_L,
    lam,
    sigma_G2,
    sigma_L2,
    sigma_T2,
    source,
)
from bounds.special.theorems import DRIFT, LEAD, PARTIAL, PSI, RATE, RATE_TERMS, SAMPLING, pref
from bounds.special.theorems import step as g
from bounds.statement import Scaling, Statement

_start = (ge(f0, fstar),)
_started = (gt(f0, fstar),)
_psi = {name: pref * term for name, term in PSI.items()}
_sampled = {name: term for name, term in PSI.items() if "samp" in name}
_stochastic = {name: term for name, term in _psi.items() if term.has(sigma_L2) or term.has(sigma_G2)}
LARGEST = {gamma_L: 1 / (8 * E * L), gamma_G: 1 / (K - 1)}
"""Step sizes at the two separate limits of the theorem."""
_rounds = E / (N * c**2)
"""Rounds after which the claimed order is c."""
_HELD = "the step sizes are held to the theorem's limits, not kept fixed"


implied = at("after Theorem 4.10", "187-191")


def on_the_lead(word: str, sentence: str, claimed: Callable[[sp.Expr], Any]) -> tuple[Statement, Statement]:
    """A sentence on the vanishing term of the theorem: at fixed step sizes, and at the largest it allows."""
    fixed = implied(f"thm4.10.{word}", sentence, claimed(LEAD), conditions=(ge(K, 2), *_started))
    return fixed, fixed.variant("held", claimed(_lead_largest), changes=_HELD)


_lead_largest = with_values(LEAD, LARGEST)
_bound_corollary = with_values(RATE.rhs, COROLLARY)
_stationary = with_values(sum(_psi.values()), {sigma_T2: sp.S.Zero, gamma_L: sp.S.Zero})
_samp_N = N * sum(_sampled.values())
_remark = at("Remark 4.13", "202")

REM4_13_CLIENTS = _remark(
    "rem4.13.clients", "the rate improves with more sampled clients", le(sp.diff(ORDER, N), 0)
)
REM4_13_FEW = at("Remark 4.13 with Corollary 4.12", "197, 202")(
    "rem4.13.few",
    "fewer local steps take more rounds to the same stationarity, by the claimed order",
    ge(_rounds, _rounds.subs(E, E + 1)),
)
REMARKS = (
    at("Remark 4.11", "193")(
        "rem4.11.shift",
        "the task terms show how domain shift scales with K: they grow with it",
        ge(sp.diff(_psi["task"] + _psi["samp_task"], K), 0),
        conditions=RATE.conditions,
    ),
    at("Remark 4.11", "193")(
        "rem4.11.anchor",
        "a stronger anchor controls the deviation within the task: the bound of Lemma 4.9 falls with lambda",
        le(sp.diff(DRIFT.rhs, lam), 0),
    ),
    _remark("rem4.13.rounds", "the rate improves with more rounds", le(sp.diff(ORDER, T), 0)),
    REM4_13_CLIENTS,
    REM4_13_CLIENTS.variant(
        "theorem",
        le(_bound_corollary.subs(N, N + 1), _bound_corollary),
        changes="the theorem's whole bound in place of the claimed order",
        says="the bound of Theorem 4.10 at the corollary's step sizes falls with more sampled clients",
        conditions=(
            *PARTIAL,
            ge(K, 2),
            le(N + 1, M),
            *_start,
            *(
                le(with_values(r.lhs, COROLLARY).subs(N, N + 1), with_values(r.rhs, COROLLARY))
                for r in RATE.conditions[3:]
            ),
        ),
    ),
    _remark(
        "rem4.13.drift", "the more local steps, the farther the model may drift", ge(sp.diff(DRIFT.rhs, E), 0)
    ),
    REM4_13_FEW,
    REM4_13_FEW.variant(
        "theorem",
        ge(LEAD * T, (LEAD * T).subs(E, E + 1)),
        changes="the vanishing term of Theorem 4.10 in place of the corollary's order",
        says="fewer local steps take more rounds to the same stationarity, by the vanishing term at fixed step sizes",
        source=source("Remark 4.13 with Theorem 4.10", "173, 202"),
        conditions=(*RATE.conditions, *_start),
    ),
)

THM4_10_POOL = at("Section 4.3", "159")(
    "thm4.10.pool",
    "the result is independent of the number of all clients",
    eq(RATE.rhs, RATE.rhs.subs(M, M + 1)),
    conditions=(*RATE.conditions, *_start),
)
ASS4_6_STATIONARY = at("after Assumption 4.6", "136")(
    "ass4.6.stationary",
    "without task drift Psi is that of one stationary task: it vanishes with the local step",
    eq(_stationary, 0),
    conditions=(*PARTIAL, ge(K, 2)),
)
LEADING = implied(
    "thm4.10.lead",
    "the vanishing term is (f0 - f*) / (c (1-1/K) E T) with a c that does not depend on K, E or T",
    eq(LEAD * (1 - 1 / K) * E * T, (f0 - fstar) * 2 * (1 + lam) / g),
)
DRIFTING = implied(
    "thm4.10.drift",
    "the term of the drift within the task (Lemma 4.9) grows linearly with K",
    eq(PSI["drift_B"].subs(K, 2 * K), 2 * PSI["drift_B"]),
    conditions=(ge(K, 2),),
)
SMALL_LOCAL = implied(
    "thm4.10.local_step",
    "with a local step of order 1/(sqrt(K) E) the terms of stochasticity stay bounded in K and E",
    Scaling(
        {n: t for n, t in _stochastic.items() if n not in _sampled},
        {gamma_L: c / (sp.sqrt(K) * E)},
        sp.S.One,
        (K, E),
    ),
)
IMPLICATIONS = (
    LEADING,
    LEADING.variant(
        "held",
        ge(LEAD, 6 * L * (f0 - fstar) / ((1 - 1 / K) * T)),
        says="under the step-size conditions the vanishing term is at least 6 L (f0 - f*) / ((1-1/K) T), whatever E",
        conditions=(*RATE.conditions, *_start),
        changes=_HELD,
    ),
    implied(
        "thm4.10.rounds",
        "the vanishing term falls with more rounds",
        lt(LEAD.subs(T, T + 1), LEAD),
        conditions=(ge(K, 2), *_started),
    ),
    *on_the_lead(
        "local_work",
        "the vanishing term falls with more local work",
        lambda lead: lt(lead.subs(E, E + 1), lead),
    ),
    *on_the_lead(
        "tasks",
        "the vanishing term grows with the number of tasks, where f^0 - f^* stays as it is",
        lambda lead: gt(lead.subs(K, K + 1), lead),
    ),
    implied("thm4.10.prefactor", "the factor of Psi approaches 2", eq(pref, 2 + 2 / (K - 1))),
    DRIFTING,
    DRIFTING.variant(
        "anchor",
        eq(PSI["K_B"].subs(K, 2 * K), 2 * PSI["K_B"]),
        says="the term K B^2, the other one that rests on Lemma 4.9, grows linearly with K",
        conditions=(ge(K, 2),),
        changes="psi_K_B, which comes from the pull of the anchor, in place of psi_drift_B",
    ),
    implied(
        "thm4.10.sampling",
        "the terms of partial participation vanish as N approaches M: N times their sum is proportional to M - N",
        eq(_samp_N, (M - N) * _samp_N.subs(N, M - 1)),
    ),
    SMALL_LOCAL,
    SMALL_LOCAL.variant(
        "sampling",
        Scaling(_stochastic, {gamma_L: c / (sp.sqrt(K) * E)}, sp.S.One, (K, E)),
        changes="the terms of partial participation are counted too",
    ),
    implied(
        "thm4.10.task_penalty",
        "the penalty of task differences is amplified by (K-1)^2/K",
        Scaling({name: PSI[name] for name in ("task", "samp_task")}, {}, (K - 1) ** 2 / K, (K,)),
    ),
    implied(
        "thm4.10.global_step",
        "a global step of order 1/(K-1) keeps the penalty of task differences bounded in K",
        Scaling({name: _psi[name] for name in ("task", "samp_task")}, {gamma_G: c / (K - 1)}, sp.S.One, (K,)),
    ),
    implied(
        "thm4.10.initial",
        "the bound is tighter where the earlier tasks are fitted better",
        ge(sp.diff(RATE.rhs, G0), 0),
        conditions=RATE.conditions,
    ),
    THM4_10_POOL,
    THM4_10_POOL.variant(
        "order",
        Scaling(RATE_TERMS, {}, sp.S.One, (M,)),
        changes="bounded in the number of all clients, not independent of it",
        says="the bound stays bounded as the number of all clients grows",
        conditions=(),
    ),
    ASS4_6_STATIONARY,
    ASS4_6_STATIONARY.variant(
        "terms",
        eq(with_values(_psi["task"] + _psi["samp_task"], {sigma_T2: sp.S.Zero}), 0),
        changes="only the terms with sigma_T are asked to vanish",
        says="without task drift the two task terms vanish",
        conditions=(),
    ),
)

_sketch = partial(at, "Section 4.4", conditions=SAMPLING)
SKETCH = (
    at("Section 4.4", "206-210")(
        "sec4.4",
        "the expansion in the proof sketch (B1 to B4) is that of the proof",
        eq(f_now - q * gK2 - q * T4 + T5 + K * L / 2 * T6, EQ39_RIGHT),
    ),
    _sketch("212")(
        "sec4.4.B3", "in expectation the increment is that of full participation", eq(move_j, move_full_j)
    ),
    _sketch("212")(
        "sec4.4.B4", "inside the squared norm partial participation can only add", le(T6_full, T6)
    ),
)

STATEMENTS = (*REMARKS, *IMPLICATIONS, *SKETCH)
