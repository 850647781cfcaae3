"""SPECIAL, Appendix E.1: the steps of the proof of Theorem 4.7 (backward knowledge transfer), Eq. (28)-(36).

The proof writes ``w_tau = (1+lambda)^-(tau+1)`` for the weight of round tau; Eq. (26) gives
``(1+lambda)^-(t-tau)``. Variants ``/corrected`` use the latter, and a sum over the sampled clients where the
print has one over all clients times their inclusion probability. Where a display starts with ``E_t`` and
drops it on the way, sums over gradients at random points are read as expectations (``E_X``, ``E_Y``); the
links of Eq. (32), which speak of given gradients, are read outcome by outcome (``X``, ``Y``).

Source: arXiv:2601.22274v2, lines 521-587 of the transcription. What the text says of the theorem stands in
`bkt_text`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import sympy as sp

from bounds.relations import eq, ge, le
from bounds.special.bkt_sums import (
    CORRECTED,
    PRINTED,
    SERIES,
    T1,
    W2,
    Sums,
    T1_c,
    T1_s,
    T21_o,
    V,
    X,
    Y,
    correction,
    first_factor,
    ips,
    move,
    second_factor,
    t2,
    tsum2,
    tt2,
)
from bounds.special.symbols import (
    F_0,
    G0,
    B,
    E,
    F_t,
    K,
    L,
    M,
    N,
    at,
    drift2,
    eps,
    gamma_G,
    gamma_L,
    lam,
    sigma_L2,
    source,
    t,
)
from bounds.special.theorems import BKT, NOISY
from bounds.statement import Statement

_gain = first_factor / sp.sqrt(N) * eps * G0
_smooth = (K - 1) / 2 * L
_steps2 = gamma_G**2 * gamma_L**2
_partial = (*BKT.conditions, ge(M, 2))
_pair = (N - 1) / (2 * M * N * (M - 1))
_sampling = (le(N, M), ge(M, 2))
_WEIGHTS = "the weight of round tau is (1+lambda)^-(t-tau), as Eq. (26) gives it"


_step = partial(at, conditions=BKT.conditions, assumes=NOISY)


def descent(q: Sums) -> sp.Expr:
    """Loss at the start minus the gain along the earlier tasks' gradient, as in Eq. (28) and (30)."""
    return F_0 - first_factor * q.first


_LINE_1 = F_0 + move + _smooth * drift2
_LINE_2 = F_0 - gamma_G * gamma_L * ips + _smooth * _steps2 * T1_s
_LINE_3 = descent(PRINTED) + _smooth * _steps2 * T1
_LINE_3_CORRECTED = descent(CORRECTED) + _smooth * _steps2 * T1_c

EQ28_UNROLLED = _step("Eq. (28), second inequality", "541")(
    "eq28.unrolled",
    "the displacement is replaced by the unrolled recursion",
    le(_LINE_1, _LINE_2),
    uses=("eq27",),
)
EQ28 = _step("Eq. (28)", "539-547")(
    "eq28",
    "smoothness expansion along the aggregated updates",
    le(F_t, _LINE_3),
    uses=("eq28.smooth", "eq28.unrolled", "eq28.sampled"),
)
_EXPANSION = (
    _step("Eq. (28), first inequality", "539")(
        "eq28.smooth", "the sum of the earlier losses is (K-1)L-smooth", le(F_t, _LINE_1), uses=("lemC.1",)
    ),
    EQ28_UNROLLED,
    EQ28_UNROLLED.variant(
        "corrected",
        eq(_LINE_1, _LINE_3_CORRECTED),
        changes=f"{_WEIGHTS}; it is then an equation",
        uses=("special.eq27/corrected", "special.lemC.7.inclusion"),
    ),
    _step("Eq. (28), third inequality", "543-545")(
        "eq28.sampled",
        "the sum over sampled clients is replaced by one over all clients times their inclusion probability",
        le(_LINE_2, _LINE_3),
        uses=("lemC.7.inclusion",),
    ),
    EQ28,
    EQ28.variant(
        "expectation",
        le(F_t, descent(PRINTED) + _smooth * _steps2 * T1_s),
        changes="T1 is the expected squared norm of the mean over sampled clients",
        uses=("special.eq28.smooth", "special.eq28.unrolled"),
    ),
    EQ28.variant(
        "corrected",
        le(F_t, _LINE_3_CORRECTED),
        changes=f"T1 is the expected squared norm of the mean over sampled clients, and {_WEIGHTS}",
        uses=("special.eq28.smooth", "special.eq28.unrolled/corrected"),
    ),
)

_EXPANDED = t2 / M - _pair * tt2
_INSERTED = t2 / M - _pair * (2 * M * t2 - 2 * tsum2)
_COLLECTED = (1 / M - (N - 1) / (N * (M - 1))) * t2 + (N - 1) / (M * N * (M - 1)) * tsum2
_MERGED = ((M - N) / (M * N * (M - 1)) + (N - 1) / (N * (M - 1))) * t2
EQ29 = _step("Eq. (29), first lines", "551")(
    "eq29",
    "the squared norm in terms of the client vectors",
    eq(T1, _EXPANDED),
    uses=("lemC.7",),
    conditions=_partial,
)
_of_29 = partial(at, lines="551", conditions=_sampling)
_VARIANCE = (
    EQ29,
    EQ29.variant(
        "expectation",
        eq(T1_s, _EXPANDED),
        changes="T1 is the expected squared norm of the mean over the sampled clients of every round",
        uses=("special.lemC.7.expectation",),
    ),
    EQ29.variant(
        "one-round",
        eq(T1_s, _EXPANDED),
        changes="T1 is the expected squared norm of the mean over sampled clients, and there is one round",
        conditions=(*_partial, eq(t, 1)),
        uses=("special.lemC.7.expectation",),
    ),
    EQ29.variant(
        "corrected",
        le(T1_c, E * t / M * CORRECTED.g2),
        changes=f"bounds the mean over sampled clients at once, without Lemma C.7, and {_WEIGHTS}",
        says="the squared norm is at most the number of summands times the sum of squares",
        source=source("Eq. (29)", "551"),
        conditions=BKT.conditions,
        uses=("special.lemC.3", "special.lemC.7.inclusion"),
    ),
    _of_29("Eq. (29), step (a1)")(
        "a1", "pairwise differences are replaced by Lemma C.8", eq(_EXPANDED, _INSERTED), uses=("lemC.8",)
    ),
    _of_29("Eq. (29), line after step (a1)")(
        "a1.collected", "the terms of (a1) are collected", eq(_INSERTED, _COLLECTED)
    ),
    _of_29("Eq. (29), step (a2)")(
        "a2",
        "the squared norm of the sum is at most M times the sum of squares",
        le(_COLLECTED, _MERGED),
        uses=("lemC.3",),
    ),
    _of_29("Eq. (29), last line")("a2.collected", "the coefficients add up to 1/M", eq(_MERGED, t2 / M)),
)


def _aligned(q: Sums) -> sp.Expr:
    """Right side after step (a3)."""
    return F_0 - first_factor * eps * G0 * q.Y + q.T2


def _second_order(q: Sums, variant: str, changes: str) -> Iterator[Statement]:
    """Eq. (30), (31), whole Eq. (32), (34) and (35), which read alike with either weights."""
    step = partial(_step, changes=changes)
    before = f"eq28{variant}", f"eq29{variant}"
    yield step("Eq. (30), first inequality", "555")(
        f"eq30{variant}",
        "the second-order term is at most T2",
        le(F_t, descent(q) + q.T2),
        uses=(*before, "eq30.T1") if not variant else before,
    )
    yield step("Eq. (30), step (a3)", "555")(
        f"a3{variant}",
        "alignment bounds the first-order term by the norms of the gradients",
        le(descent(q) + q.T2, _aligned(q)),
    )
    yield step("Eq. (31)", "561")(
        f"eq31{variant}", "the stochastic gradient splits into gradient and noise", le(q.T2, q.T21 + q.T22)
    )
    links = ("eq32.1", "eq32.2", "a4", "eq32.root", "eq32.norms", "eq32.last") if not variant else ()
    yield step("Eq. (32), first and last line", "565")(
        f"eq32{variant}",
        "the gradient part of T2 is at most the gain from alignment",
        le(q.T21, first_factor * eps * G0 * q.Y),
        uses=links,
    )
    yield step("Eq. (34), step (a5)", "573-577")(
        f"a5{variant}",
        "the variance of every stochastic gradient is at most sigma_L^2",
        le(q.T22, second_factor * W2 * M * E * sigma_L2),
    )
    yield step("Eq. (34)", "573-577")(
        f"eq34{variant}",
        "the noise part of T2 is at most the correction",
        le(q.T22, correction),
        uses=(f"a5{variant}", "a6", "a7"),
    )
    yield step("Eq. (35)", "583")(
        f"eq35{variant}",
        "T2 is at most the gain from alignment plus the correction",
        le(q.T2, first_factor * eps * G0 * q.Y + correction),
        uses=(f"eq31{variant}", f"eq32{variant}", f"eq34{variant}"),
    )


_CAUCHY = _step("Eq. (30), first inequality, substitution of Eq. (29)", "555")(
    "eq30.T1",
    "the squared norm of every client vector is at most E t times its sum of squares",
    le(t2 / M, E * t / M * PRINTED.g2),
    uses=("eq29", "a1", "a2", "lemC.3"),
)

_FIRST = (K - 1) * gamma_G * gamma_L * L * E * t / 2 * X
_LIMITED = _gain * X / (B * sp.sqrt(M * E * SERIES))
_of_32 = partial(_step, lines="565")

EQ32_1 = _of_32("Eq. (32), first line")(
    "eq32.1", "T21 with its factors rearranged", eq(T21_o, first_factor / sp.sqrt(N) * _FIRST)
)
EQ32_2 = _of_32("Eq. (32), second line")(
    "eq32.2",
    "the bounds on the step sizes are inserted",
    le(first_factor / sp.sqrt(N) * _FIRST, _LIMITED),
    uses=("thm4.7.limit", "thm4.7.limit.server"),
)
_LINKS = (
    EQ32_1,
    EQ32_1.variant(
        "corrected",
        eq(T21_o, first_factor * _FIRST),
        changes="no factor 1/sqrt(N), which enters with the bound on gamma_G on the next line",
    ),
    EQ32_2,
    EQ32_2.variant(
        "corrected",
        le(first_factor * _FIRST, _LIMITED),
        changes="starts from the first line without its factor 1/sqrt(N)",
    ),
    _of_32("Eq. (32), step (a4)")(
        "a4",
        "the gradient bound times the series is at least the weighted sum of squares",
        le(_LIMITED, _gain * X / sp.sqrt(V)),
        uses=("eq33", "a4.root"),
    ),
    _of_32("Eq. (32), fourth and fifth line")(
        "eq32.root", "a number over its root is its root", le(_gain * X / sp.sqrt(V), _gain * sp.sqrt(X))
    ),
    _of_32("Eq. (32), sixth line")(
        "eq32.norms", "the root of a sum of squares is at most the sum", le(_gain * sp.sqrt(X), _gain * Y)
    ),
    _of_32("Eq. (32), last line")(
        "eq32.last", "1/sqrt(N) is at most 1", le(_gain * Y, first_factor * eps * G0 * Y)
    ),
)

_noise_part = (K - 1) / 2 * L * _steps2 * E**2 * sigma_L2 * t
_SERIES = (
    at("Eq. (33)", "569")(
        "eq33", "the sum of squared weights is at most 1/(lambda^2 + 2 lambda)", ge(SERIES, W2)
    ),
    at("Eq. (33), first equation", "569")(
        "eq33.series",
        "the infinite geometric series",
        eq(SERIES, 1 / (1 + lam) ** 2 / (1 - 1 / (1 + lam) ** 2)),
    ),
    _step("Eq. (34), step (a6)", "573-577")(
        "a6",
        "the sum of squared weights is replaced by the series",
        le(_noise_part * W2, _noise_part * SERIES),
        uses=("eq33",),
    ),
    at("Eq. (34), step (a7)", "573-577")(
        "a7",
        "the bounds on the step sizes are inserted",
        le(_noise_part * SERIES, correction),
        conditions=BKT.conditions,
    ),
)

_FINAL_CORRECTION = 2 * eps**2 * sigma_L2 * G0**2 / ((K - 1) * t * E * M * N * L * B**2)
_CONCLUSION = (
    _step("Eq. (36)", "587")(
        "eq36", "Eq. (35) in Eq. (30)", le(F_t, F_0 + _FINAL_CORRECTION), uses=("eq30", "a3", "eq35")
    ),
    at("Eq. (36) against Eq. (7)", "587, 146-147")(
        "eq36.agreement", "Eq. (36) is Eq. (7)", eq(F_0 + _FINAL_CORRECTION, BKT.rhs)
    ),
)

STATEMENTS = (
    *_EXPANSION,
    *_VARIANCE,
    _CAUCHY,
    *_second_order(PRINTED, "", ""),
    *_LINKS,
    *_SERIES,
    *_CONCLUSION,
    *_second_order(CORRECTED, "/corrected", _WEIGHTS),
)
