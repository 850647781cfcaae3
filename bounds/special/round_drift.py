"""SPECIAL, Lemma C.5 in the proof of Theorem 4.10, for any number of local steps. Not of the paper.

A client is where the gradients and the noise of the steps before have brought it. With weights 3 and 3/2 for the sums of
both, each squared sum at most as many squares, the drift at a step is bounded by the drift of all, which small steps leave
small: so all steps together drift less than a fifth of what the lemma says of each.
"""

from __future__ import annotations

from functools import partial

import sympy as sp

from bounds.relations import le
from bounds.special.local_steps import walked
from bounds.special.one_round import D2, LOCAL_DRIFT, far2, far2_e, gK2
from bounds.special.rate_round import step
from bounds.special.symbols import SPECIAL, E, M, gamma_L, sigma_G2, sigma_L2

walked_mean = SPECIAL.nonnegative("walked_mean", "local steps before, in the mean over the steps")
far2_mean = SPECIAL.nonnegative("far2_mean", "expected squared local drift, in the mean over the steps")
turned2 = SPECIAL.nonnegative("turned2", "sum over clients of the squared sum of the gradient changes so far")
strayed2 = SPECIAL.nonnegative("strayed2", "sum over clients of the expected squared sum of the noise so far")
own2 = SPECIAL.nonnegative(
    "own2", "sum over clients of the squared difference of client and task gradient at the round start"
)

_step = partial(step, lines="430-450, 646", changes="not of the paper: a step of a proof")
EACH = _step("step (c7)")(
    "c7/each",
    "how far a step is from the start of the round, by all gradient changes of the round",
    le(
        far2_e,
        9 * gamma_L**2 * walked * (D2 + E * M * (sigma_G2 + gK2))
        + sp.Rational(3, 2) * gamma_L**2 * walked * M * sigma_L2,
    ),
)
SMALL = _step("step (c7)")(
    "c7/small", "short steps leave little of gradient changes", le(64 * gamma_L**2 * E**2 * D2, far2)
)
FIFTH = _step("step (c7)")(
    "c7/fifth",
    "in the mean over the steps drift is at most a fifth of the bound of one",
    le(far2, M * E * LOCAL_DRIFT / 5),
    uses=("c7/each", "c7/small"),
)
ALL = _step("step (c7)")(
    "c7/all", "the drift of all steps", le(far2, M * E * LOCAL_DRIFT), uses=("c7/fifth",)
)
ONE = _step("step (c7)")(
    "c7/one", "the drift of each step", le(far2_e, M * LOCAL_DRIFT), uses=("c7/each", "c7/small", "c7/fifth")
)
STATEMENTS = (EACH, SMALL, FIFTH, ALL, ONE)
