"""C-FLAG: trivial bounds, which need no theorem: smoothness at the start, Young's inequality, taking no step."""

from __future__ import annotations

from functools import partial

import sympy as sp

from bounds.cflag.adaptive_lemmas import round_w
from bounds.cflag.forgetting import forgetting
from bounds.cflag.joint import SAMPLES, gh2_least, h_above
from bounds.cflag.rate import least_gf2
from bounds.cflag.repairs import F_most, least_path
from bounds.cflag.symbols import CFLAG, L, alpha, at, beta, ds, fd2, gf2, s2
from bounds.relations import eq, le, lt

f_above = CFLAG.nonnegative("f_above", "loss of the past data, less its infimum", r"f(\mathbf x_t)-\inf f")
_free = partial(at, changes="not of the paper: what the assumptions give without the theorem")
_smooth = _free("Assumption 1, past loss bounded below", "100-105")
STATEMENTS = (
    _smooth(
        "thm5.free",
        "the gradient at the start is as small as smoothness makes it, and with it the least of the run",
        le(least_path, 2 * L * F_most),
    ),
    _smooth(
        "thm5.free.redrawn", "the same with memories redrawn in every round", le(least_gf2, 2 * L * F_most)
    ),
    _smooth(
        "lem1.free",
        "the gradient before a round is as small as smoothness makes it",
        le(gf2, 2 * L * f_above),
    ),
    _free("Assumption 1, memory and current data bounded below", "100-105")(
        "lem3.free",
        "the gradient of memory and current data at the start is as small as smoothness makes it, and with it the least of the run",
        le(gh2_least, 2 * L * h_above),
        conditions=SAMPLES,
    ),
    _free("Eq. (15), by Young's inequality", "140-145")(
        "lem4.free",
        "the forgetting term by the lengths of both of its vectors, whatever their angle",
        le(
            forgetting(sp.Rational(1, 2), s2, ds),
            L / 2 * beta**2 * s2 + beta * (1 - L * alpha) * (s2 + fd2) / 2,
        ),
        conditions=(lt(alpha, 1 / L),),
    ),
    _free("Lemma 7, without steps on the current data", "208-210")(
        "lem7.free", "a round without steps on the current data forgets nothing", eq(round_w, 0)
    ),
)
