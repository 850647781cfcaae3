"""Facts about gradients of memory and current data, for any number of clients: norms, means, and what Assumption 3 and omega^2 imply."""

from __future__ import annotations

import sympy as sp

from bounds.catalogue import statement
from bounds.cflag.bias import apart2, apart2_mean, b2_mean, cross_h, fd2_i, r_i
from bounds.cflag.drift import WEIGHTS
from bounds.cflag.drift_sums import ebar, rho
from bounds.cflag.growth import PARTS, fd_e, fd_n, fd_rho, gap2, gs
from bounds.cflag.repairs import w_least
from bounds.cflag.symbols import E, b2, ds, e2, fd2, gg, gg2, gh2, omega2, p_sum, r, rho2, s2
from bounds.relations import eq, ge, le
from nqm.fields import Array
from verify.engine.model.scene import Condition, Follows, Named
from verify.engine.model.sums import Sums
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import AnyNumber, follows, jensen, weighted
from verify.scenes.summands import definition, summed
from verify.scenes.trees import Tree, square, vocabulary

TURNED = (ge(fd_rho, -fd_n * rho), ge(fd_e, -fd_n * ebar))
"""Cauchy-Schwarz."""
SQUARES = (eq(gg2, gg**2), eq(e2, ebar**2))
LARGEST = le(r_i, r)
"""The definition of r."""
LEAST = le(w_least, sp.Symbol("w_i", positive=True))
"""The definition of w_least: no client's memory has a smaller share w_i of its data."""
MEMORY = le(fd_n, r * gg)
"""Lemma 10 in norms."""
AGAINST = ge(ds, gs - (E**2 * gap2 + s2) / (2 * E))
"""Bound on the inner product of memory gradient and delayed gradients, by the current gradient and its difference to the memory's."""
ANGLE = (eq(gg2, gh2 + 2 * cross_h + apart2), le(2 * cross_h, gh2 + apart2))
"""The current gradient as the sum of the gradient of memory and current data and a difference."""
WITHIN = le(apart2_mean, omega2)
"""The current data C are one of the sets D."""
PARTED = (le(s2, 2 * rho2 + 2 * e2), eq(ds, fd_rho + fd_e))
"""The delayed gradients are the sum of true gradients and delay errors."""


def weights(values: Named) -> Array:
    """Positive weights that sum to one, (batch, N)."""
    return values["raw"] / values["raw"].sum(axis=1)[:, None]


# ------------------------------------------------------------------------------------------ norms of sums in a round

_delayed: Tree = ["+", "true", "late"]
_MEANS: dict[sp.Expr, Tree] = {
    **{fd_n**2: square("fd"), rho**2: square("true"), ebar**2: square("late"), gg**2: square("g")},
    **{fd2: square("fd"), gg2: square("g"), rho2: square("true"), e2: square("late"), s2: square(_delayed)},
    **{ds: ["dot", "fd", _delayed], gs: ["dot", "g", _delayed], gap2: square(["-", "g", "fd"])},
    **{fd_rho: ["dot", "fd", "true"], fd_e: ["dot", "fd", "late"]},
}
"""Gradients of memory and current data, and the sums of true gradients and of delay errors over a round."""
_LETTERS = {**dict.fromkeys(("fd", "g", "true", "late"), "vector"), "E": "count"}
_form = vocabulary(_MEANS, _LETTERS)
_own = sp.Symbol("own", nonnegative=True)
_OWN = follows(
    le(_own, r_i * gg),
    definition(eq(fd2_i, _own**2)),
    _form(SQUARES[0]),
    given=(le(fd2_i, r_i**2 * gg2),),
    through=(le(_own**2, (r_i * gg) ** 2),),
)
_MEMORY = follows(
    MEMORY,
    weighted(
        fd_n,
        p_sum,
        _own,
        r * gg,
        follows(le(_own, r * gg), _OWN, given=(*_OWN.given, LARGEST), through=(le(r_i * gg, r * gg),)),
    ),
    given=WEIGHTS,
)
OF_NORMS: tuple[AnyNumber, ...] = (
    follows(TURNED[0], _form(le(fd_rho**2, fd_n**2 * rho**2)), through=(ge(fd_rho, -fd_n * rho),)),
    follows(TURNED[1], _form(le(fd_e**2, fd_n**2 * ebar**2))),
    *map(_form, SQUARES),
    *(definition(eq(part, value)) for part, value in PARTS.items()),
    _form(AGAINST),
    _MEMORY,
)
IN_PARTS = tuple(map(_form, PARTED))
LEMMA_10 = follows(
    statement("cflag.lem10").compared,
    *(_MEMORY, _form(SQUARES[0]), _form(eq(fd2, fd_n**2))),
    given=WEIGHTS,
    through=(le(fd_n**2, (r * gg) ** 2),),
)

# ------------------------------------------------------------------------------------------------- means over clients

_weight, _gap2_i, _gap2_mean, _others = named("weight, gap2_i, gap2_mean, others", nonnegative=True)
_share = LEAST.rhs


def _mean(relation: Condition, squared: sp.Symbol, squares: sp.Symbol) -> Follows:
    """Jensen's inequality for the clients' weights."""
    return follows(relation, jensen(squared, squares, p_sum), given=WEIGHTS)


def _of_differences(relation: Condition) -> Sums:
    means = {
        gg2: square(["+", "joint", "apart"]),
        gh2: square("joint"),
        apart2: square("apart"),
        cross_h: ["dot", "joint", "apart"],
    }
    return Sums(relation, means, {"joint": "vector", "apart": "vector"})


MEAN_BIAS = _mean(statement("cflag.eq29.jensen").compared, b2, b2_mean)
_APART = _mean(statement("cflag.eq78").compared, apart2, apart2_mean)
_ANGLE = tuple(map(_of_differences, ANGLE))
_WITHIN = follows(WITHIN, definition(eq(omega2, sp.Max(apart2_mean, _others))))
_SHARES = summed(
    le(w_least**2 * _gap2_mean, apart2_mean),
    {_gap2_mean: _weight * _gap2_i, apart2_mean: _weight * _share**2 * _gap2_i},
    (_weight, _gap2_i, _share),
    follows(le(w_least, _share), given=(LEAST,)),
    through=(le(w_least**2, _share**2), le(w_least**2 * _weight * _gap2_i, _share**2 * _weight * _gap2_i)),
)
"""A client's gradient of the current data differs from that of memory and current data by the memory's share of the gap."""
AT_POINT: tuple[AnyNumber, ...] = (
    MEAN_BIAS,
    _APART,
    *_ANGLE,
    _WITHIN,
    follows(statement("cflag.lem11").compared, *_ANGLE, _APART, _WITHIN, given=WEIGHTS),
    follows(
        statement("cflag.lem4.gap").compared,
        *(_mean(le(gap2, _gap2_mean), gap2, _gap2_mean), _SHARES, _WITHIN),
        given=WEIGHTS,
        through=(le(w_least**2 * gap2, omega2),),
    ),
)
