"""SPECIAL over the tasks: facts about paths of proximal steps, for any number of tasks and clients and any gradients.

The vector `way` points from the point of comparison to the model before a task. A gradient is the mean over M clients; `earlier`
are the clients' gradients at another model than the proximal step, `later` those at the proximal step.
"""

from __future__ import annotations

import sympy as sp

from bounds.catalogue import statement
from bounds.relations import eq, le
from bounds.special.cyclic import LAG, cycle, lag_slope
from bounds.special.random_order import MEAN, regret_mean, risk
from bounds.special.surrogate import apart, far0, forgot_slope, missed_by, regret_slope, s, strode
from bounds.special.symbols import B, K
from verify.engine.model.scene import Condition, Follows
from verify.engine.model.sums import Bounded, Sums
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import AnyNumber, counted, follows
from verify.scenes.special.terms import OF_SENT
from verify.scenes.summands import SUMMANDS, added, before, changing, definition, summed
from verify.scenes.trees import Tree, square, times

_far2, _miss, _reach = named(
    "squared distance from the comparison, missed_each, apart_each", nonnegative=True
)
_gain, _along = sp.Symbol("tangents of a task", real=True), sp.Symbol("miss along the way", real=True)
_LETTERS = {"s": "positive", "M": "count", **dict.fromkeys(("earlier", "later"), "family M")}


def _mean(family: str) -> Tree:
    return times(["/", "1", "M"], ["total", family])


def _bounded(*families: str) -> tuple[Bounded, ...]:
    return tuple(Bounded((family,), OF_SENT, "M") for family in families)


_STEP = times("s", _mean("later"))
_EXACT: Tree = ["-", "way", _STEP]
LARGEST = (le(_miss, missed_by), le(_reach, apart))
"""Definitions of the largest miss of an exact step, and of its largest distance from the point of comparison."""
SLOPE = le(regret_slope, statement("special.tasks.regret").rhs)
MISSED_SLOPE = le(regret_slope, statement("special.tasks.regret/inexact").rhs)
FORGOT_SLOPE = le(forgot_slope, statement("special.tasks.forgetting").rhs)
LAG_SLOPE = le(lag_slope, LAG.rhs)

# ------------------------------------------------------------------------------------------------ regret

_MEANS: dict[sp.Expr, Tree] = {
    before(_far2): square("way"),
    _gain: ["+", ["dot", _mean("earlier"), _STEP], ["dot", _mean("later"), _EXACT]],
}
"""What tangents say: from the model before a task to the proximal step, and from there to the point of comparison."""


def _regret(
    relation: Condition, one: Sums, *misses: AnyNumber, through: tuple[Condition, ...] = ()
) -> Follows:
    """A bound on what tangents say on average, by adding up how a task changes the squared distance from the comparison."""
    most = sp.expand(2 * s * relation.rhs - far0**2 / K)
    so_far = counted(
        le(2 * s * K * regret_slope + _far2, far0**2 + SUMMANDS * most),
        K,
        {_far2: (before(_far2), far0**2), **changing(regret_slope, free=(_gain, _along, _miss, _reach))},
        added(regret_slope, _gain / K),
        one,
        *misses,
        through=through,
    )
    return follows(relation, so_far)


_VECTORS = {**_LETTERS, "way": "vector", "off": "vector"}
_EXACTLY = Sums(
    le(2 * s * _gain, before(_far2) - _far2 + s**2 * B**2),
    {**_MEANS, _far2: square(_EXACT)},
    {name: domain for name, domain in _VECTORS.items() if name != "off"},
    bounded=_bounded("earlier"),
)
_NEARLY = Sums(
    le(2 * s * _gain, before(_far2) - _far2 + s**2 * B**2 + 2 * _along + _miss**2),
    {**_MEANS, _far2: square(["+", _EXACT, "off"]), _along: ["dot", "off", _EXACT], _miss**2: square("off")},
    _VECTORS,
    bounded=_bounded("earlier"),
)
_bound = le(_along**2, _reach**2 * _miss**2)
_CAUCHY = follows(
    _bound,
    Sums(
        _bound,
        {_along: ["dot", "off", "exact"], _reach**2: square("exact"), _miss**2: square("off")},
        {"off": "vector", "exact": "vector"},
    ),
)
ON_PATH = _regret(SLOPE, _EXACTLY)
OFF_PATH = _regret(
    MISSED_SLOPE,
    _NEARLY,
    _CAUCHY,
    *(follows(said, given=(said,)) for said in LARGEST),
    through=(le(_along, _reach * _miss), le(_reach * _miss, apart * missed_by), le(_miss**2, missed_by**2)),
)

# ------------------------------------------------------------------------------------------------ strides

STRIDE = follows(
    statement("special.tasks.stride").compared,
    Sums(
        le(strode**2, (s * B) ** 2),
        {strode**2: square(_STEP)},
        {name: domain for name, domain in _LETTERS.items() if name != "earlier"},
        bounded=_bounded("later"),
    ),
)
_earlier2, _later2 = (
    sp.Symbol(f"squared gradient {when}", nonnegative=True) for when in ("earlier", "later")
)
_one, _all = sp.Symbol("growth by a task", real=True), sp.Symbol("growth by all tasks", real=True)
_TURNED = follows(
    le(_one, s * B**2),
    Sums(
        le(2 * _one, s * (_earlier2 + _later2)),
        {
            _one: ["dot", _mean("earlier"), _STEP],
            _earlier2: square(_mean("earlier")),
            _later2: square(_mean("later")),
        },
        _LETTERS,
    ),
    *(
        Sums(
            le(square_, B**2),
            {square_: square(_mean(family))},
            {"M": "count", family: "family M"},
            bounded=_bounded(family),
        )
        for square_, family in ((_earlier2, "earlier"), (_later2, "later"))
    ),
)
"""A gradient along a step against another gradient."""


def _by_steps(number: sp.Symbol) -> Follows:
    """A gradient along several steps."""
    return counted(
        le(_all, s * B**2 * SUMMANDS), number, changing(_all, free=(_one,)), added(_all, _one), _TURNED
    )


_later = sp.Symbol("later tasks", integer=True, positive=True)
FORGOTTEN = follows(FORGOT_SLOPE, _by_steps(_later), definition(eq(forgot_slope, _all / _later)))

# ------------------------------------------------------------------------------------------------ cycles

_past = sp.Symbol("tasks of the cycle so far", integer=True, nonnegative=True)
_room = sp.Symbol("those so far times those to come", nonnegative=True)
_LAGGED = counted(
    le(2 * K * lag_slope, s * B**2 * ((cycle - 1) * SUMMANDS - _room)),
    K,
    changing(lag_slope, _room, free=(_all, _past)),
    added(lag_slope, _all / K),
    added(_room, cycle - 1 - 2 * _past),
    _by_steps(_past),
)
"""With p tasks of the cycle before a task, p (Q - p) changes by Q - 1 - 2 p: to (p + 1)(Q - p - 1), or to 0 if p is Q - 1."""
LAGGED = follows(LAG_SLOPE, _LAGGED)

# ------------------------------------------------------------------------------------------------ random orders

_chance, _tasks = (
    sp.Symbol("chance of a past", nonnegative=True),
    sp.Symbol("tasks of the pool", positive=True),
)
_loss, _drawn, _whole = named("excess loss, losses of the task drawn, mean loss of the pool", real=True)
ANEW = summed(
    MEAN.compared,
    {regret_mean: _drawn / K, risk: _chance * _whole / K},
    (_drawn, _whole, _chance),
    summed(
        eq(_drawn, _chance * _whole), {_drawn: _chance / _tasks * _loss, _whole: _loss / _tasks}, (_loss,)
    ),
)
"""Pasts of every length, with their chances; each task of the pool comes next with the same chance."""
