"""SPECIAL, Appendix C and Corollary D.1: the auxiliary lemmas, each with the steps of its proof."""

from __future__ import annotations

import sympy as sp

from bounds.catalogue import statement
from bounds.relations import le
from bounds.special.lemmas import D_before, D_mean, D_now
from bounds.special.local_steps import (
    BRACKET,
    FADES,
    GREW,
    GROWS,
    GROWTH,
    WALKED,
    WITHIN,
    fade,
    fade_next,
    grew,
    grew_next,
    walked,
    walked_next,
)
from bounds.special.symbols import E, L, gamma_L
from verify.commands.main import main
from verify.engine.certificates.question import Induction
from verify.engine.checks.relation import identity, inequality
from verify.engine.model.claim import claims_about, for_each
from verify.facts import falling_to_e
from verify.scenes.special import lemmas as scenes
from verify.scenes.special.local_drift import INSERTED
from verify.scenes.special.step_by_step import STEP_BY_STEP, SUMMED, WITHIN_ROUND

_claim = claims_about("special", inequality)
_claims = for_each(_claim)
EQ15 = statement("special.eq15")
_LOCALLY = le(6 * gamma_L**2 * E * L**2 * D_before, 3 / (32 * E) * D_before)
_LATER = {fade: (fade_next, 1), walked: (walked_next, 0), grew: (grew_next, 0), D_before: (D_now, 0)}
"""Quantity -> its name one local step later, and its initial value."""


def _induction(*changing: sp.Symbol) -> Induction:
    """Induction over local steps for these quantities."""
    return Induction(
        "e",
        later={name: _LATER[name][0] for name in changing},
        first={name: sp.Integer(_LATER[name][1]) for name in changing},
    )


CLAIMS = (
    _claim("lemC.1", scenes.SMOOTH),
    _claim("lemC.2", scenes.WEIGHTED),
    _claim("lemC.2.equality", scenes.WEIGHTED, identity),
    _claim("lemC.3", scenes.RANDOM),
    _claim("lemC.4", scenes.CENTRED),
    *_claims("lemC.4/above lemC.4/below", scenes.RANDOM),
    _claim("lemC.4/uncorrelated", scenes.INDEPENDENT, identity, "lemC.4/above", "lemC.4/below"),
    _claim(
        "lemC.5/step",
        STEP_BY_STEP,
        inequality,
        *(EQ15.compared, *INSERTED, GROWTH, BRACKET),
        through=(statement("special.l1").compared, _LOCALLY),
    ),
    _claim("lemC.5/fades", STEP_BY_STEP, inequality, FADES, induction=_induction(fade)),
    _claim("lemC.5/fades.next", STEP_BY_STEP, inequality, "lemC.5/fades", FADES),
    _claim(
        "lemC.5/kept",
        STEP_BY_STEP,
        inequality,
        *("lemC.5/fades.next", FADES, GROWS),
        induction=_induction(fade, grew),
    ),
    _claim(
        "lemC.5/carried",
        STEP_BY_STEP,
        inequality,
        *("lemC.5/step", "lemC.5/fades.next", FADES, WALKED),
        induction=_induction(fade, walked, D_before),
    ),
    _claim("lemC.5/half", WITHIN_ROUND, inequality, "lemC.5/kept", GREW, WITHIN, GROWTH),
    _claim("lemC.5/each", WITHIN_ROUND, inequality, "lemC.5/carried", "lemC.5/half", WITHIN),
    _claim("lemC.5", WITHIN_ROUND, inequality, "lemC.5/each", BRACKET, means={D_before: D_mean}),
    _claim("eq15", scenes.LOCAL),
    _claim("l1", scenes.LOCAL, inequality, "eq15", *INSERTED),
    _claim("l2", None, identity),
    _claim("eq15.last"),
    _claim("eq16", WITHIN_ROUND, inequality, SUMMED.relation, means={D_before: D_mean}),
    _claim("l3", scenes.INTEGERS, facts=(falling_to_e(E - 1),)),
    _claim("lemC.6", scenes.VECTORS, identity),
    *_claims("l4 l4/corrected", scenes.PAIR, identity),
    *_claims("lemC.7 lemC.7.expectation lemC.7.inclusion lemC.7.pairs", scenes.VECTORS, identity),
    *_claims("l5 l5/corrected", scenes.PAIR, identity),
    _claim("lemC.8", scenes.VECTORS, identity),
    _claim("corD.1"),
    _claim("corD.1.square", None, identity),
    _claim("corD.1.max"),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="special_lemmas"))
