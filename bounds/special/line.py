"""SPECIAL, Lemma 4.9 in one dimension: what is true of a larger lambda. A round is an increasing map where steps are short.

With the first axis along the first update, models stay ahead of the start, and with the larger lambda they stay behind those with
the smaller one, round after round.
"""

from __future__ import annotations

import sympy as sp

from bounds.hypotheses import Hypothesis
from bounds.relations import eq, ge, gt, le
from bounds.special.lam import LEM4_9_SUPPRESS, drift2_more, lam_more
from bounds.special.symbols import SPECIAL, L, M, N, at, drift2, gamma_G, gamma_L, lam

_real = SPECIAL.real


def _quartet(name: str, meaning: str) -> tuple[sp.Symbol, ...]:
    """A quantity with lambda and with the larger one, and both one round later."""
    with_lam = (
        _real(name, f"{meaning}, with lambda"),
        _real(f"{name}_more", f"{meaning}, with the larger lambda"),
    )
    return *with_lam, *(_real(f"{x}_next", "the same one round later") for x in with_lam)


far, far_more, far_next, far_more_next = _quartet(
    "far", "how far the model is from the start, along the first update"
)
led, led_more, led_next, led_more_next = _quartet("led", "where a round leads from there without the anchor")
_stretched = (
    "by what share of their distance rounds from the model and from the start lead to different places"
)
stretch, stretch_more, stretch_next, stretch_more_next = _quartet("stretch", _stretched)
apart = _real("stretch_between", "the same of rounds from the models with both strengths")
apart_next = _real("stretch_between_next", "the same one round later")
first = SPECIAL.nonnegative("first_update", "length of the first update")

SHORT = (le(gamma_G, 1), le(gamma_L * L, 1))
PULLED = (eq((1 + lam) * far_next, led), eq((1 + lam_more) * far_more_next, led_more))
LED = (
    eq(led, first + stretch * far),
    eq(led_more, first + stretch_more * far_more),
    eq(led - led_more, apart * (far - far_more)),
)
RISING = (ge(stretch, 0), ge(stretch_more, 0), ge(apart, 0))
LATER = {
    **{far: far_next, far_more: far_more_next, led: led_next, led_more: led_more_next},
    **{stretch: stretch_next, stretch_more: stretch_more_next, apart: apart_next},
}
"""What is one round later what."""
SQUARES = (eq(drift2, far**2), eq(drift2_more, far_more**2))

_conditions = (eq(N, M), gt(lam_more, lam), *SHORT)
ON_A_LINE = (Hypothesis.ONE_DIMENSION, Hypothesis.NO_NOISE)
_line = at(
    "Implications of Lemma 4.9", "169", conditions=_conditions, assumes=("ass4.2",), hypotheses=ON_A_LINE,
    changes="not of the paper: one dimension, all clients, exact gradients",
)  # fmt: skip
AHEAD = _line("lem4.9.ahead", "no round leads back behind the start", ge(far, 0))
AHEAD_MORE = _line("lem4.9.ahead/more", "nor with the larger lambda", ge(far_more, 0))
BEHIND = _line(
    "lem4.9.behind",
    "with the larger lambda the model is never farther ahead",
    le(far_more, far),
    uses=("lem4.9.ahead/more",),
)
LINE = LEM4_9_SUPPRESS.variant(
    "line",
    conditions=_conditions,
    assumes=("ass4.2",),
    uses=("lem4.9.ahead/more", "lem4.9.behind"),
    hypotheses=ON_A_LINE,
    changes="in one dimension, with all clients and exact gradients; adds gamma_G <= 1 and gamma_L <= 1/L",
)
STATEMENTS = (AHEAD, AHEAD_MORE, BEHIND, LINE)
