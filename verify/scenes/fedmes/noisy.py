"""Rounds of FedMeS with minibatches: noise of either sign in every local step, with all outcomes enumerated."""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np
import sympy as sp

import bounds.fedmes.personal as b
from bounds.fedmes.symbols import c, eta_1, lam
from bounds.hypotheses import Hypothesis
from bounds.relations import eq, ge, le
from nqm.fields import sq, stack
from nqm.finite_sum import FiniteSum
from nqm.quadratic import DiagonalQuadratic
from verify.engine.model.scene import Box, Named, Proved, Shape, Values
from verify.scenes.fedmes.personal import (
    FEDMES_ROUND,
    Method,
    as_fedmes,
    began,
    errors,
    optimum,
    play,
    regularised_optimum,
)
from verify.scenes.fedmes.personal_facts import BENT, CONTRACTS, CURVATURE, FROM_DOWNLOAD
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import AnyNumber, counted, follows, renamed
from verify.scenes.parameters import column
from verify.scenes.summands import SUMMANDS, added, before, changing, definition, over_summands, summed

_NOISY = (*b.QUADRATICS, Hypothesis.TWO_POINT_NOISE)
PARTED = eq(b.mean_error2, b.error2 + b.spread2)
"""Noise with mean zero adds its mean square."""
SPREADS = le(b.spread2, eta_1 * b.noise2 / (c + lam))


def with_minibatches(make: Method, shape: Shape, values: Named, best: np.ndarray) -> Values:
    """A round from the model 0 in which a client draws one of two samples, with gradient errors xi and -xi.

    Returns E|w_k - w_k^*|^2 over all draws (batch, n), its part from noise, and E|noise|^2.
    """
    h, n, E = values["h"], shape["n"], shape["E"]
    apart = values["xi"] / h
    centres = stack([values["c_k"] - apart, values["c_k"] + apart], 2)
    each = [x.reshape(len(h), 1, 2 * n, shape["d"]) for x in (stack([h, h], 2), centres)]
    world = FiniteSum(DiagonalQuadratic(*(stack([x[:, 0], x[:, 0]], 1) for x in each)), n)
    draws = np.array(list(product((0, 1), repeat=E)))
    method = make(values, n)
    found = []
    for one in draws:
        state = began(method, 0 * best)
        end, _ = play(world, method, state, E, np.broadcast_to(one[None, None, :, None], (1, n, E, 1)))
        found.append(sq(end["personal"][:, 0] - regularised_optimum(values, best)))
    rate, pull = (column(values[name], 2) for name in ("eta_1", "lam"))
    kept = (1 - rate * (h + pull)) ** 2
    return {
        "mean_error2": sum(found) / len(found),
        "spread2": (sum(kept**step for step in range(E)) * (rate * values["xi"]) ** 2).sum(axis=-1),
        "noise2": sq(values["xi"]),
    }


def noisy_errors(make: Method, shape: Shape, values: Named) -> Values:
    """Errors of a round with noise, and of the same round without noise."""
    return {**errors(make, shape, values), **with_minibatches(make, shape, values, optimum(values))}


# ------------------------------------------------------------------------------------------------ the facts

_second, _second_next, _part = named("second moment, next second moment, part of noise", nonnegative=True)
_mean, _first, _outcome, _toward, _stir = named("mean, first, outcome, toward, stir", real=True)
"""In one coordinate: mean square and mean of the error over all outcomes, the error before the first step and in one outcome, and
what a step adds: the same to all, and noise of either sign.
"""
_kept, _bound = sp.Symbol("kept", real=True), sp.Symbol("bound", nonnegative=True)
"""Factor of an error in one step, and a bound on it."""
_count = sp.Symbol("outcomes", integer=True, positive=True)
_moved = _kept * _outcome + _toward
_ONE_STEP = counted(
    eq(
        _second_next,
        _kept**2 * _second + 2 * _kept * _toward * _mean + SUMMANDS / _count * (_toward**2 + _stir**2),
    ),
    _count,
    changing(_second_next, _second, _mean, free=(_outcome,)),
    added(_second_next, ((_moved + _stir) ** 2 + (_moved - _stir) ** 2) / (2 * _count)),
    added(_second, _outcome**2 / _count),
    added(_mean, _outcome / _count),
)
_ADDS = definition(eq(_part, _kept**2 * before(_part) + _stir**2))
_BY_NOISE = over_summands(
    eq(_second, _mean**2 + _part),
    {_second: (before(_second), _first**2), _mean: (before(_mean), _first), **changing(_part)},
    renamed(_ONE_STEP, {_second_next: _second, _second: before(_second), _mean: before(_mean)}),
    definition(eq(_mean, _kept * before(_mean) + _toward)),
    _ADDS,
)
_SHORT = over_summands(
    le((1 - _bound) * _part, _stir**2),
    changing(_part),
    _ADDS,
    given=(ge(_kept, 0), le(_kept, _bound), le(_bound, 1)),
    through=(le(_kept**2, _bound), le(_kept**2 * (1 - _bound) * before(_part), _kept**2 * _stir**2)),
)
_noise = sp.Symbol("noise", real=True)
_contracting = {_kept: 1 - eta_1 * (CURVATURE + lam), _bound: 1 - eta_1 * (c + lam), _stir: eta_1 * _noise}
_EACH = follows(le((c + lam) * _part, eta_1 * _noise**2), (_SHORT, _contracting), given=CONTRACTS)
_OF_NOISE = summed(
    le((c + lam) * b.spread2, eta_1 * b.noise2),
    {b.spread2: _part, b.noise2: _noise**2},
    (_part, _noise),
    _EACH,
)
_FACTS: tuple[AnyNumber, ...] = (
    summed(
        PARTED,
        {b.mean_error2: _second, b.error2: _mean**2, b.spread2: _part},
        (_second, _mean, _part),
        _BY_NOISE,
    ),
    follows(SPREADS, _OF_NOISE, given=CONTRACTS),
)
"""Facts about any number of local steps and coordinates."""
NOISY_ROUND = FEDMES_ROUND.variant(
    "distance to the personal optimum after a round of FedMeS with noise of either sign",
    shapes=tuple(shape for shape in FEDMES_ROUND.shapes if not shape["held"])[:4],
    space=lambda shape: {**FEDMES_ROUND.space(shape), "xi": Box(-2, 2, (shape["n"], shape["d"]))},
    compute=Proved(partial(noisy_errors, as_fedmes), (*FROM_DOWNLOAD, *_FACTS), BENT),
    restricts=_NOISY,
)
