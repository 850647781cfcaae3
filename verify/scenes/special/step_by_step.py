"""SPECIAL, Lemma C.5: one local step after e others, for any e; definitions of its symbols and bounds of the assumptions."""

from __future__ import annotations

import sympy as sp

from bounds.relations import gt, le
from bounds.special.lemmas import DRIFT_STEP, D_before, D_now, bracket, het2, lip2, noise2
from bounds.special.local_steps import BRACKET, FADES, GREW, GROWS, GROWTH, WALKED, WITHIN
from bounds.special.symbols import E, L, L_sup, client_sup, gamma_L, noise_sup, sigma_G2, sigma_L2
from nqm.fields import Array, sq
from verify.engine.model.scene import Follows, Named, Proved, Rounds, Shape, Values
from verify.engine.model.sums import Sums
from verify.scenes.norms_of_sums import follows, renamed
from verify.scenes.special.lemmas import LOCAL, bracket_of, walk
from verify.scenes.special.local_drift import INSERTED, ONE_STEP
from verify.scenes.summands import SUMMANDS, by_definition, changing, definition


def one_step(shape: Shape, values: Named) -> Values:
    """Quantities of the step after ``shape["e"]`` others, of every client (batch, M); E occurs only in constants."""
    M, e, g = shape["M"], shape["e"], values["g"]
    drift, lip = walk(shape, values, e + 2)
    task = g.sum(axis=1) / M
    one = 1 + 0 * values["gamma_L"]
    growth = growth_of(shape, one)
    return {
        **{"D_before": drift[e], "D_now": drift[e + 1], "D_mean": drift[e].sum(axis=1) / M},
        **{"lip2": lip[e], "noise2": values["s2"], "het2": sq(g - task[:, None]), "gi2": sq(task)},
        "bracket": bracket_of(shape, values, sq(task)),
        "growth": growth,
        **_faded(growth, 1 / (1 + growth) ** e, e * one),
    }


def growth_of(shape: Shape, one: Array) -> Array:
    """The growth factor of squared drift, in the arithmetic of `one`."""
    return one / (2 * shape["E"] - 1) + 3 * one / (32 * shape["E"])


def _faded(growth: Array, fade: Array, walked: Array) -> Values:
    """The remaining contribution of earlier steps, now and one step later."""
    return {
        **{"fade": fade, "fade_next": fade / (1 + growth)},
        **{"walked": walked, "walked_next": walked + 1},
        **{"grew": walked * growth, "grew_next": walked * growth + growth},
    }


STEPS_LEFT = by_definition(WITHIN)
NOISE, CLIENTS = le(noise2, noise_sup), le(het2, client_sup)
SMOOTH = le(lip2, L_sup**2 * D_before)
"""Bounds of means over outcomes by suprema."""
_SUPREMA = ((NOISE, noise_sup, sigma_L2), (CLIENTS, client_sup, sigma_G2), (SMOOTH, L_sup, L))
_INSERTED = tuple(
    follows(
        inserted,
        given=(le(supremum, constant), bound),
        through=(le(bound.rhs, bound.rhs.xreplace({supremum: constant})),),
    )
    for inserted, (bound, supremum, constant) in zip(INSERTED, _SUPREMA, strict=True)
)

# ---------------------------------------------------------------------------------------------- Eq. (16), step by step

_more = sp.Symbol("more", nonnegative=True)
_others, _power = sp.symbols("others power", positive=True)
"""The growth of squared drift in a step, the number E - 1 of other steps, and a power of the growth."""
_before = sp.Symbol("e", integer=True, nonnegative=True)
"""Steps before the one looked at: a size of the scene."""
ONE_OF_ALL = le(_before + 1, E)
_SUMMED = Rounds(
    le(_more * D_now, ((1 + _more) ** SUMMANDS - 1) * bracket),
    SUMMANDS,
    {_power: (1 + _more) ** SUMMANDS},
    {_power: (1 + _more) * _power},
    {D_now: (D_before, sp.S.Zero), **changing(free=(noise2, lip2))},
    (ONE_STEP, *_INSERTED, definition(BRACKET)),
    (le(1 / (2 * E - 1) + 6 * gamma_L**2 * E * L**2, _more),),
    (le(D_now, (1 + _more) * D_before + bracket),),
)
_growth = 1 + 1 / _others
_steps = _before + SUMMANDS
_LATER = Rounds(
    le(D_before / _others, (_growth**_steps - 1) * bracket),
    SUMMANDS,
    {_power: _growth**_steps},
    {_power: _growth * _power},
    steps=(renamed(_SUMMED, {_more: 1 / _others, D_now: D_before, SUMMANDS: _before}),),
    given=(le(1 / (2 * E - 1) + 6 * gamma_L**2 * E * L**2, 1 / _others),),
)
SUMMED = follows(
    le(D_before, (E - 1) * ((1 + 1 / (E - 1)) ** E - 1) * bracket),
    (_LATER, {_others: E - 1, SUMMANDS: E - _before}),
    given=(DRIFT_STEP, gt(E, 1), ONE_OF_ALL),
)
"""Eq. (16) for each client: the series of all E steps is at least that of the steps before."""
FACTS: tuple[Sums | Follows, ...] = (
    ONE_STEP,
    *_INSERTED,
    *map(definition, (BRACKET, WALKED, GREW, GROWS, GROWTH, FADES)),
    STEPS_LEFT,
    SUMMED,
)


def _sizes(M: int, E: int, e: int, d: int = 1) -> Shape:
    return {"M": M, "E": E, "e": e, "d": d}


WITHIN_ROUND = LOCAL.variant(
    "local steps on quadratics, one by one",
    shapes=(
        *(
            _sizes(1, 1, 0),
            _sizes(1, 2, 1),
            _sizes(2, 2, 0),
            _sizes(2, 2, 1),
            _sizes(2, 3, 1),
            _sizes(2, 3, 2),
        ),
        *(_sizes(2, 5, 4, 2), _sizes(3, 8, 4), _sizes(3, 8, 7)),
    ),
    compute=Proved(one_step, FACTS, defines=(WITHIN, ONE_OF_ALL, NOISE, CLIENTS, SMOOTH)),
)
"""Steps of one round."""
STEP_BY_STEP = WITHIN_ROUND.variant(
    "local steps on quadratics, as many as you like",
    shapes=(*WITHIN_ROUND.shapes, _sizes(1, 1, 2), _sizes(2, 2, 4)),
)
"""Also more than E steps: the recursion from step to step does not depend on the number of steps."""
