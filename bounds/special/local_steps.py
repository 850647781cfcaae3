"""SPECIAL, Lemma C.5 for any number of local steps: the recursion of Eq. (15) by induction. Not of the paper.

With r = 1/(2 E - 1) + 3/(32 E) a step makes D at most (1 + r) D + bracket, whatever E counts, so that after e steps
D (1 + r)^-e is at most e brackets; and before step E (1 + r)^-e is more than 2/5.
"""

from __future__ import annotations

from functools import partial

import sympy as sp

from bounds.relations import eq, ge, le
from bounds.special.lemmas import DRIFT_STEP, D_before, D_now, bracket, gi2
from bounds.special.symbols import SPECIAL, E, at, gamma_L, sigma_G2, sigma_L2

growth = SPECIAL.positive(
    "growth", "by what share squared drift grows in a local step, noise and gradients apart"
)
walked = SPECIAL.nonnegative("walked", "local steps before")
walked_next = SPECIAL.nonnegative("walked_next", "the same one step later")
grew = SPECIAL.nonnegative("grew", "growth times the local steps before")
grew_next = SPECIAL.nonnegative("grew_next", "the same one step later")
fade = SPECIAL.positive("fade", "(1 + growth) to the power of minus the local steps before")
fade_next = SPECIAL.positive("fade_next", "the same one step later")

GROWTH = eq(growth, 1 / (2 * E - 1) + 3 / (32 * E))
BRACKET = eq(bracket, gamma_L**2 * (sigma_L2 + 6 * E * sigma_G2 + 6 * E * gi2))
WALKED = eq(walked_next, walked + 1)
FADES = eq((1 + growth) * fade_next, fade)
GREW, GROWS = eq(grew, walked * growth), eq(grew_next, grew + growth)
WITHIN = le(walked + 1, E)
"""That the step looked at is one of E."""

_drifts = partial(
    at("Lemma C.5", "425-450"),
    conditions=(DRIFT_STEP,),
    assumes=("ass4.2", "ass4.4", "ass4.5"),
    changes="not of the paper: a step of a proof for any number of local steps",
)
_numbers = partial(_drifts, conditions=(), assumes=())
STEP = _drifts(
    "lemC.5/step",
    "a local step, with its factor by name",
    le(D_now, (1 + growth) * D_before + bracket),
    uses=("eq15",),
)
FADING = _numbers("lemC.5/fades", "no power of the factor is below 1", le(fade, 1))
FADING_NEXT = _numbers(
    "lemC.5/fades.next", "the same one step later", le(fade_next, 1), uses=("lemC.5/fades",)
)
KEPT = _numbers(
    "lemC.5/kept",
    "what is left of 1, and the growth of all steps",
    ge(fade + grew, 1),
    uses=("lemC.5/fades.next",),
)
CARRIED = _drifts(
    "lemC.5/carried",
    "each step adds a bracket at most, the growth apart",
    le(D_before * fade, walked * bracket),
    uses=("lemC.5/step", "lemC.5/fades.next"),
)
HALF = _numbers(
    "lemC.5/half",
    "the growth of fewer than E steps leaves more than 2/5",
    ge(fade, sp.Rational(2, 5)),
    uses=("lemC.5/kept",),
)
EACH = _drifts(
    "lemC.5/each",
    "the lemma for each client",
    le(D_before, 5 * E * bracket),
    uses=("lemC.5/carried", "lemC.5/half"),
)
STATEMENTS = (STEP, FADING, FADING_NEXT, KEPT, CARRIED, HALF, EACH)
