"""C-FLAG, Lemma 9: facts about clients with strongly convex quadratic past losses and one minimiser, for any number of clients and
coordinates.

The minimiser is the origin. In the basis of the eigenvectors of a client's Hessian the gradient multiplies each coordinate of the
model by a curvature.
"""

from __future__ import annotations

import sympy as sp

from bounds.cflag.bias import b2_mean, far2, m_mean, mu
from bounds.cflag.drift import WEIGHTS
from bounds.cflag.symbols import L, gf2, p_sum
from bounds.relations import eq, ge, le
from verify.engine.model.sums import Sums
from verify.scenes.cflag.memory_facts import MEAN_BIAS
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import AnyNumber, follows
from verify.scenes.summands import definition, summed
from verify.scenes.trees import square

FAR = le(mu**2 * far2, gf2)
"""The gradient of a strongly convex loss is large far from its minimiser."""
SMALL_BIAS = le(b2_mean, m_mean * L**2 * far2)
_curvature = sp.Symbol("curvature", positive=True)
CURVED = le(_curvature, L)
"""The definition of L: no client's past loss has a larger curvature in any direction."""
_beyond, _slope2, _bias2, _share, _weight, _left = named(
    "curvature beyond mu, slope2, bias2, share m, weight, what is left", nonnegative=True
)
_coordinate, _along, _all_along = named("coordinate, slope along model, mean slope along model", real=True)
_STEEP = summed(
    le(_slope2, L**2 * far2),
    {_slope2: (_curvature * _coordinate) ** 2, far2: _coordinate**2},
    (_curvature, _coordinate),
    follows(CURVED, given=(CURVED,)),
    through=(le(_curvature**2, L**2), le(_curvature**2 * _coordinate**2, L**2 * _coordinate**2)),
)
_ALONG = summed(
    ge(_along, mu * far2),
    {_along: _curvature * _coordinate**2, far2: _coordinate**2},
    (_curvature, _coordinate, _beyond),
    definition(eq(_curvature, mu + _beyond)),
)
_SMALL = summed(
    SMALL_BIAS,
    {b2_mean: _weight * _bias2, m_mean: _weight * _share},
    (_weight, _bias2, _share, _slope2, _left),
    definition(eq(_bias2, _share * _slope2 - _left)),
    _STEEP,
    through=(
        le(_share * _slope2, _share * L**2 * far2),
        le(_weight * _bias2, _weight * _share * L**2 * far2),
    ),
)
"""Assumption 2 leaves a nonnegative part of its bound."""
_MEAN_ALONG = summed(
    ge(_all_along, mu * far2 * p_sum),
    {_all_along: _weight * _along, p_sum: _weight},
    (_weight, _along),
    _ALONG,
    through=(ge(_weight * _along, _weight * mu * far2),),
)
_APART = Sums(
    le(2 * mu * _all_along, gf2 + mu**2 * far2),
    {gf2: square("gradient"), far2: square("model"), _all_along: ["dot", "gradient", "model"]},
    {"gradient": "vector", "model": "vector"},
)
OF_STRONGLY_CONVEX: tuple[AnyNumber, ...] = (
    follows(FAR, _MEAN_ALONG, _APART, given=WEIGHTS, through=(ge(_all_along, mu * far2),)),
    _SMALL,
    MEAN_BIAS,
)
