"""SPECIAL: what holds without Theorem 4.7, against which its value is measured, and Corollary D.2 beside it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import sympy as sp

from bounds.relations import eq, ge, le
from bounds.special.bkt_limits import gained, weighed
from bounds.special.bkt_sums import CORRECTED, W2, move
from bounds.special.drift import PULLED
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
)
from bounds.special.theorems import ALIGNED, ALL, BKT, BKT_FULL, NOISY
from bounds.statement import Statement

DRIFT_BOUND = gamma_G * gamma_L * E * B / lam
_free = at("Lemma C.1 and Lemma 4.9", "406, 163")
FREE = _free(
    "thm4.7/free",
    "smoothness and Lemma 4.9 alone, without alignment, bound how much the earlier loss can grow",
    le(F_t, F_0 + G0 * DRIFT_BOUND + (K - 1) * L / 2 * DRIFT_BOUND**2),
    conditions=(le(N, M), ge(K, 2), le(sigma_L2, B**2), le(G0, (K - 1) * B)),
    assumes=("ass4.1", "ass4.2"),
    uses=("thm4.7/free.smooth", "thm4.7/free.move", "lem4.9"),
    changes="bounds the growth by what holds without alignment and without limits on the step sizes",
)
FREE_SMOOTH = _free(
    "thm4.7/free.smooth",
    "the sum of the earlier losses is (K-1)L-smooth, whatever the steps",
    le(F_t, F_0 + move + (K - 1) / 2 * L * drift2),
    conditions=(le(N, M), ge(K, 2)),
    assumes=("ass4.2",),
    uses=("lemC.1",),
    changes="for steps of any size",
)
FREE_MOVE = _free(
    "thm4.7/free.move",
    "along the earlier tasks' gradient the model moves no farther than Lemma 4.9 lets it go",
    le(move, G0 * DRIFT_BOUND),
    conditions=FREE.conditions,
    assumes=("ass4.1",),
    uses=("lem4.9",),
    changes="not of the paper: a step of the bound that costs nothing",
)
# At the largest steps that Theorem 4.7 allows, its correction is sigma_L^2 t / (B^2 (1 + 2/lambda)) times what
# FREE_ALIGNED allows the loss to grow: from some round on the latter says more
FREE_ALIGNED = _free(
    "thm4.7/aligned-drift",
    "alignment drops the first-order term, and Lemma 4.9 bounds the rest",
    le(F_t, F_0 + (K - 1) * L / 2 * DRIFT_BOUND**2),
    conditions=(*FREE.conditions, *ALIGNED),
    assumes=ALL[:3],
    uses=("thm4.7/free.smooth", "thm4.7/aligned.move", "lem4.9"),
    changes="bounds the growth by what alignment and Lemma 4.9 give, for steps of any size",
)

_limited = BKT.conditions[:-2]  # without the limits on the step sizes
_aligned = partial(
    _free,
    conditions=FREE_ALIGNED.conditions,
    assumes=ALL[:3],
    changes="not of the paper: a step of a proof without roots",
)
_repaired = at("Theorem 4.7", "142", assumes=NOISY)
_step = partial(_repaired, changes="not of the paper: a step of the proof")
_steps2 = gamma_G**2 * gamma_L**2
_product = le(gamma_G * gamma_L, 2 * eps * G0 / ((K - 1) * L * E * B * PULLED))
_half = le(gamma_G * gamma_L, eps * lam * G0 / ((K - 1) * L * E * B))


def _away(variant: str, limit: sp.Rel, times: int, noise: sp.Expr) -> Iterator[Statement]:
    """Steps of a proof in which the squared way is `times` what the gradients' lengths and the noise make."""
    step = partial(_step, conditions=(*_limited, limit))
    lengths = weighed * E * B * CORRECTED.Y
    grown = times * (K - 1) * L / 2 * _steps2 * noise

    def own(words: str) -> tuple[str, ...]:
        return tuple(f"thm4.7/{variant}.{word}" for word in words.split())

    yield step(
        *own("way"),
        "its squared way is bounded by the lengths of the gradients and by the noise",
        le(M * drift2, times * _steps2 * (lengths + M * noise)),
    )
    yield step(
        *own("limit"),
        "the limit on the product of the steps, with a letter for the weights",
        le(times * (K - 1) * L * E * B * weighed * gamma_G * gamma_L, 2 * eps * G0),
    )
    yield step(
        *own("cancelled"),
        "so what the gradients add at second order is no more than what alignment gains",
        le(times * (K - 1) * L / 2 * _steps2 * lengths, gamma_G * gamma_L * eps * G0 * CORRECTED.Y),
        uses=own("limit"),
    )
    yield step(
        *own("bent"),
        "so the second-order term is at most that gain and what noise makes",
        le((K - 1) / 2 * L * drift2, gained + grown),
        uses=own("way cancelled"),
    )
    yield step(
        *own("weighed"),
        "so the noise alone lets the loss grow",
        le(F_t, F_0 + grown),
        uses=("thm4.7/free.smooth", "thm4.7/repaired.gain", *own("bent")),
    )


STEPS = (
    _aligned(
        "thm4.7/aligned.move",
        "alignment lets the model move down the earlier tasks' gradient only",
        le(move, 0),
    ),
    _step(
        "thm4.7/repaired.gain",
        "it moves down by alignment times the lengths of the gradients",
        le(move, -gained),
        conditions=_limited,
    ),
    *_away("repaired", _product, 1, weighed**2 * E**2 * sigma_L2),
    *_away("clients", _half, 2, W2 * E * sigma_L2 / N),
)
REPAIRED = (
    _repaired(
        "thm4.7/repaired",
        "with constant steps, after any number of rounds the loss of the earlier tasks has grown by noise alone",
        le(F_t, F_0 + (K - 1) * L / 2 * _steps2 * E**2 * sigma_L2 * PULLED**2),
        conditions=(*_limited, _product),
        uses=("thm4.7/repaired.weighed",),
        terms={"start": F_0, "noise": (K - 1) * L / 2 * _steps2 * E**2 * sigma_L2 * PULLED**2},
        changes="one limit on the product of the steps, and the noise of every round with its own weight",
    ),
    _repaired(
        "thm4.7/clients",
        "with smaller steps the noise is that of the mean over N clients, for all rounds at once",
        le(F_t, F_0 + (K - 1) * L * _steps2 * E * sigma_L2 / (N * (lam**2 + 2 * lam))),
        conditions=(*_limited, _half),
        uses=("thm4.7/clients.weighed", "eq33"),
        terms={"start": F_0, "noise": (K - 1) * L * _steps2 * E * sigma_L2 / (N * (lam**2 + 2 * lam))},
        changes="half of that limit without its dependence on t, and the factor 1/N of uncorrelated noise",
    ),
)

_recovered = partial(at, "Corollary D.2 against Theorem 4.7", conditions=(ge(K, 2),))
_RECOVERED = (
    _recovered("151, 501")(
        "corD.2.agreement",
        "the bound of Corollary D.2 is that of Theorem 4.7 at N = M",
        eq(BKT.rhs.subs(N, M), BKT_FULL.rhs),
    ),
    _recovered("142, 501")(
        "corD.2.steps",
        "the limit on gamma_G of Corollary D.2 is that of Theorem 4.7 at N = M",
        eq(1 / (sp.sqrt(M) * (K - 1)), 1 / (M * (K - 1))),
    ),
)

STATEMENTS = (FREE, FREE_SMOOTH, FREE_MOVE, FREE_ALIGNED, *STEPS, *REPAIRED, *_RECOVERED)
