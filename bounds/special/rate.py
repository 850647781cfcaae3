"""SPECIAL: Theorem 4.10 read otherwise, what holds without it, and Corollary 4.12.

The bounds whose names begin with ``free`` need no theorem: against them its value is measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import sympy as sp
from sympy.core.relational import Relational

from bounds.relations import eq, ge, le
from bounds.special.drift import PULLED
from bounds.special.one_round import away1
from bounds.special.rate_sum import COEFFICIENT
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
    at,
    gamma_G,
    gamma_L,
    lam,
    min_grad2,
    source,
    t,
)
from bounds.special.theorems import PARTIAL, PSI, RATE, RATE_FULL, RATE_TERMS, SAMPLING, pref, rho
from bounds.special.theorems import step as g
from bounds.statement import Scaling, Statement

_positive, _nonnegative = SPECIAL.positive, SPECIAL.nonnegative
min_grad2_0 = _nonnegative(
    "min_grad2_0",
    "smallest expected squared gradient norm of all tasks over the rounds 0 to T-1",
    r"\min_{0\le t<T}\mathbb E\|\nabla f_{1:K}(\theta_K^t)\|^2",
)
grad1 = _nonnegative(
    "grad1", "gradient norm of all tasks, at a round of a run", r"\|\nabla f_{1:K}(\theta_K^t)\|"
)
grad1_0 = _positive(
    "grad1_0", "gradient norm of all tasks at the task start", r"\|\nabla f_{1:K}(\theta_K^0)\|"
)
away_max = _nonnegative("away_max", "largest distance from the task start, over rounds and runs")
away_max2 = _nonnegative("away_max2", "its square")
strayed = _nonnegative(
    "strayed", "most that the gradients of the earlier tasks together can change on such a way"
)
reach = _nonnegative("reach", "gamma_L E L B / lambda", r"\rho")
c = _positive("c", "a positive constant")
weighed_T = _positive("weighed_T", "sum of the weights of T rounds", "S_T")

COROLLARY = {gamma_L: lam / (sp.sqrt(K * T) * E * L), gamma_G: sp.sqrt(N * E) / ((K - 1) * lam * L)}
"""Step sizes of Corollary 4.12."""
ORDER = sp.sqrt(E / (N * T))
"""The order that Corollary 4.12 claims."""
LIMITS_OF_L = (le(8 * E * L * gamma_L, 1), le(3 * E * L * g, 1 + lam))
"""The theorem's other step-size conditions, solved for the constant that the experiments do not report."""


def with_values(expression: sp.Expr, values: Mapping[sp.Symbol, sp.Expr]) -> sp.Expr:
    """An expression with all of these put in at once."""
    return expression.xreplace(dict(values))


APPLICABLE = at("Theorem 4.10; Section 5", "173, 229-237")(
    "thm4.10.applicability",
    "the paper's own experiments meet the conditions of Theorem 4.10",
    RATE.relation,
    conditions=(*PARTIAL, ge(K, 2), le(gamma_G, 1 / (K - 1)), *LIMITS_OF_L),
    terms=RATE_TERMS,
)
THEOREM = (
    RATE.variant(
        "from0",
        le(min_grad2_0, RATE.rhs),
        terms=RATE_TERMS,
        changes="the smallest value is taken over the rounds 0 to T-1 of the proof, not 1 to T",
    ),
    RATE.variant(
        "corrected",
        le(min_grad2, RATE.rhs + (K - 1) * pref * PSI["noise"]),
        conditions=(*RATE.conditions, ge(COEFFICIENT, 0)),
        uses=("special.eq60/corrected", "special.eq61/corrected"),
        terms={**RATE_TERMS, "psi_noise": K * pref * PSI["noise"]},
        changes="psi_noise has a factor K more, and the condition that step (c12) needs is added",
    ),
    APPLICABLE,
    APPLICABLE.variant(
        "c12",
        says="the paper's own experiments meet what the proof of Theorem 4.10 needs for step (c12) at least",
        source=source("Theorem 4.10, after Eq. (60); Section 5", "764, 229-237"),
        conditions=(le(sp.sqrt(60 * K) * E * L * gamma_L, 1), le(24 * rho * E * K * L * g, 1 + lam)),
        changes="two conditions that the sign of the dropped term implies, in place of the printed ones",
    ),
    at("Corollary D.3, Eq. (24)", "509")(
        "corD.3.agreement",
        "Corollary D.3 is Theorem 4.10 at N = M",
        eq(RATE_FULL.rhs, with_values(RATE.rhs, {N: M})),
    ),
)

_reached = pref * (G0**2 + K * B**2 + (gamma_L * E * L * B / lam) ** 2)
_free = partial(
    at, changes="not of the paper: what bounded gradients and smoothness give without the theorem"
)
_by_size = _free("Assumption 4.1", "112", conditions=SAMPLING, assumes=("ass4.1",))
_by_drift = _free(
    "Assumptions 4.1 and 4.2, Lemma 4.9",
    "163",
    conditions=(*SAMPLING, ge(K, 2), le(gamma_G, 1 / (K - 1))),
    assumes=("ass4.1", "ass4.2"),
)
FREE = (
    _by_size(
        "thm4.10/free.start",
        "at the task start the squared gradient is at most twice those of the earlier tasks and of the current one",
        le(min_grad2_0, 2 * G0**2 + 2 * B**2),
    ),
    _by_drift(
        "thm4.10/free.far",
        "no run leads so far that the earlier tasks' gradients change by more than gamma_L E L B / lambda together",
        le(strayed, reach),
        uses=("lem4.9/path",),
    ),
    _by_drift(
        "thm4.10/free.reach",
        "within the drift of Lemma 4.9 the earlier tasks' gradient cannot change much",
        le(min_grad2, (G0 + B + reach) ** 2),
        uses=("lem4.9",),
    ),
    _by_drift(
        "thm4.10/free.drift",
        "the gradient never exceeds three of the ten terms of Psi, in no round and whatever the clients send",
        le(min_grad2, _reached),
        uses=("thm4.10/free.reach",),
    ),
    _by_size("thm4.10/free.B", "each of the K task gradients has norm at most B", le(min_grad2, K**2 * B**2)),
    _by_size("cor4.12/free.length", "a gradient has no negative length", ge(grad1, 0)),
    _by_size(
        "cor4.12/free.B",
        "gradients of K tasks have a length between 0 and K B, so that two of them differ in it by no more",
        le(sp.Abs(grad1 - grad1_0), K * B),
    ),
    _by_size(
        "cor4.12/free.path",
        "without the anchor T rounds lead at most T gamma_G gamma_L E B away, on every path",
        le(away1, T * g * E * B),
        changes="not of the paper: what bounded gradients alone give, for plain averaging",
    ),
)

_used = {
    word: with_values(share, COROLLARY)
    for word, share in (
        ("gamma_G", gamma_G * (K - 1)),
        ("gamma_L", gamma_L * 8 * E * L),
        ("product", g * 3 * E * L / (1 + lam)),
    )
}
"""How much of each limit of the theorem the corollary's step sizes use."""
_corollary = at("Corollary 4.12", "197")
_admissible = partial(_corollary, conditions=(*PARTIAL, ge(K, 2)))


_least = {
    "gamma_G": ge(L * lam, sp.sqrt(E * N)),
    "gamma_L": ge(T, 64 * lam**2 / K),
    "product": ge(sp.sqrt(K * T) * L * (K - 1) * (1 + lam), 3 * sp.sqrt(E * N)),
}
"""What each limit of the theorem asks of the corollary's step sizes."""


def _where_admissible(printed: Statement, *least: Relational) -> tuple[Statement, Statement]:
    """A statement on the corollary's step sizes, and its variant with the hypotheses that make it true."""
    more = printed.variant(
        "where",
        conditions=(*printed.conditions, *least),
        uses=tuple(f"{used}/where" for used in printed.uses),
        changes=f"under the {'hypothesis' if len(least) == 1 else 'hypotheses'} that the conditions ask for",
    )
    return printed, more


RATE_ORDER = (
    _corollary(
        "cor4.12",
        "with two step sizes the smallest expected squared gradient norm falls like sqrt(E/(NT))",
        Scaling(RATE_TERMS, {**COROLLARY, M: c * N}, ORDER, (T, E, N)),
        uses=("thm4.10", "cor4.12.conditions"),
    ),
    at("Lemma 4.9, Eq. (8)", "163")(
        "lem4.9/path",
        "not only in the mean: on every path the model stays within gamma_G gamma_L E B / lambda of the task start",
        le(away1, g * E * B / lam),
        conditions=SAMPLING,
        assumes=("ass4.1",),
        changes="on every path, without expectations",
    ),
    at("Assumption 4.2, Lemma 4.9", "163")(
        "cor4.12/floor",
        "the anchor holds the gradient of all tasks near its value at the task start, in every round of every run",
        ge(grad1, grad1_0 - K * L * g * E * B / lam),
        terms={"start": grad1_0, "drift": -K * L * g * E * B / lam},
        conditions=SAMPLING,
        assumes=("ass4.1", "ass4.2"),
        uses=("lem4.9/path", "lemC.1"),
        changes="not of the paper: what SPECIAL cannot do",
    ),
    at("Lemma 4.9, Eq. (8)", "163")(
        "cor4.12/sandwich.path",
        "on every path the model stays within gamma_G gamma_L E B (1 - (1 + lambda)^-T) / lambda of the task start",
        le(away1, g * E * B * weighed_T),
        conditions=SAMPLING,
        assumes=("ass4.1",),
        changes="not of the paper: for T rounds, on every path",
    ),
    at("Assumption 4.2, Lemma 4.9", "163")(
        "cor4.12/sandwich",
        "the anchor keeps the gradient of all tasks as long as at the task start, up to what T rounds can do",
        le(sp.Abs(grad1 - grad1_0), K * L * g * E * B * PULLED.subs(t, T)),
        terms={"drift": K * L * g * E * B * PULLED.subs(t, T)},
        conditions=SAMPLING,
        assumes=("ass4.1", "ass4.2"),
        uses=("cor4.12/sandwich.path", "lemC.1"),
        changes="not of the paper: what takes the place of Theorem 4.10 for the gradient of all tasks",
    ),
    *_where_admissible(
        _admissible(
            "cor4.12.conditions",
            "the step sizes of the corollary meet the conditions of Theorem 4.10",
            le(sp.Max(*_used.values(), evaluate=False), 1),
            uses=tuple(f"cor4.12.conditions.{word}" for word in _used),
        ),
        *_least.values(),
    ),
    *(
        one
        for word, limited in (("gamma_G", "gamma_G"), ("gamma_L", "gamma_L"), ("product", "their product"))
        for one in _where_admissible(
            _admissible(
                f"cor4.12.conditions.{word}",
                f"the step sizes of the corollary meet the condition of Theorem 4.10 on {limited}",
                le(_used[word], 1),
            ),
            _least[word],
        )
    ),
)

STATEMENTS = (*THEOREM, *FREE, *RATE_ORDER)
