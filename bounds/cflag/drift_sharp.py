"""C-FLAG, Appendix 1.2 again: drift, error and sums with the constants that they need, the same for every step size."""

from __future__ import annotations

from bounds.cflag.drift_lemmas import (
    STEPS,
    drift,
    drift_before,
    drift_max,
    drift_next,
    e,
    eq97,
    eq101,
    eq117,
    eq126,
    lem12,
    lem13,
    path,
    smooth,
    stale,
)
from bounds.cflag.drift_sums import cor14, ebar, lem15_I, lem16, rho
from bounds.cflag.symbols import CFLAG, E, L, S, beta, gg, k
from bounds.relations import le

growth = CFLAG.positive("growth", "growth of the drift over k steps", r"(1+\beta_tL)^k")
_OLD = 1 - 1 / S
"""Share of the samples that were not drawn last."""
_grown = (growth - 1) / L * gg
_summed = ((1 + beta * L) ** E - 1) / (beta * L)
_direct = "the delayed gradient is compared with that at the server's model, without a detour over the error"
_growth = "growth (1 + beta L)^k in place of 4 beta L k"
_always = "no condition on the step size"

STATEMENTS = (
    eq97.variant(
        "sharp",
        le(stale, _OLD * path),
        says="the sample drawn last is not behind",
        changes="without the sample that was drawn at this step",
    ),
    eq101.variant(
        "sharp",
        le(path, beta * k * (gg + L * drift_before)),
        says="each direction is the global gradient and the mean change of the samples' gradients",
        conditions=STEPS,
        uses=(),
        changes=_direct,
    ),
    lem12.variant(
        "sharp",
        le(e, _OLD * beta * L * k * (gg + L * drift_before)),
        uses=("eq94", "eq97/sharp", "eq101/sharp"),
        changes="k for E, 1 for 3, and a factor 1 - 1/|C|",
    ),
    eq117.variant(
        "sharp",
        le(drift_next, drift + beta * gg + beta * L * drift_max),
        says="the drift after a step by those before it",
        conditions=(),
        uses=(),
        changes=_direct,
    ),
    eq126.variant(
        "sharp",
        le(drift_next, ((1 + beta * L) * growth - 1) / L * gg),
        says="induction: a factor 1 + beta L a step",
        conditions=(
            le(drift_next, drift + beta * gg + beta * L * drift_max),
            le(drift, _grown),
            le(drift_max, _grown),
        ),
        uses=("eq117/sharp",),
        changes=_growth,
    ),
    lem13.variant(
        "sharp",
        le(drift, _grown),
        says="the drift grows no faster than by a factor 1 + beta L a step; one concave quadratic attains it",
        conditions=(),
        uses=("eq117/sharp", "eq126/sharp"),
        changes=f"{_growth}, and {_always}",
    ),
    smooth("Lemma 13, Eq. (110)", "727-771")(
        "eq101.path/sharp",
        "so does the path",
        le(path, _grown),
        uses=("lem13/sharp",),
        changes=f"{_growth}, and {_always}",
    ),
    cor14.variant(
        "sharp",
        le(e, _OLD * (growth - 1) * gg),
        says="the gradient error grows no faster than the gradient itself may",
        conditions=(),
        uses=("eq94", "eq97/sharp", "eq101.path/sharp"),
        changes=f"growth (1 + beta L)^k, a factor 1 - 1/|C|, and {_always}",
    ),
    lem15_I.variant(
        "sharp",
        le(rho, _summed * gg),
        says="the summed mean gradients grow by a factor 1 + beta L a step; one concave quadratic attains it",
        uses=("lem13/sharp",),
        changes=f"{_growth}, and {_always}",
    ),
    lem16.variant(
        "sharp",
        le(ebar, _OLD * (_summed - E) * gg),
        says="the summed mean errors",
        uses=("cor14/sharp",),
        changes=f"growth (1 + beta L)^k, a factor 1 - 1/|C|, and {_always}",
    ),
)
