"""Stochastic gradients of bounded norm: implications of Assumption 4.1 of SPECIAL, for arbitrary gradients."""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from bounds.catalogue import statement
from bounds.relations import eq, le
from bounds.special.assumptions import mean_g2, true_g2
from bounds.special.symbols import B, M, noise_sup
from nqm.fields import Array, amax, norm, sq
from verify.engine.certificates.formulas import parts
from verify.engine.model.scene import Box, Condition, Follows, Named, Proved, Scene, Shape, Values
from verify.engine.model.sums import Bounded, Sums
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import counted, follows
from verify.scenes.special.terms import OF_SENT, SENT
from verify.scenes.summands import SUMMANDS, added, changing, definition
from verify.scenes.trees import Tree, square, times


def of_gradients(seen: Array) -> Values:
    """Norms and variances of equally likely stochastic gradients (batch, K, M, outcome, d) at one point."""
    clients = seen.mean(axis=3)
    tasks = clients.mean(axis=2)
    return {
        "g_sup": norm(seen),
        "bias_sup": 0 * seen[:, 0, 0, 0, 0],
        "mean_g2": sq(seen).mean(axis=3),
        "true_g2": sq(clients),
        "noise_sup": sq(seen - clients[:, :, :, None]).mean(axis=3),
        "client_sup": sq(clients - tasks[:, :, None]),
        "task_sup": sq(tasks[:, :, None] - tasks[:, None]),
    }


def _bounded(shape: Shape, values: Named) -> Values:
    """B is the largest norm."""
    found = of_gradients(values["g"])
    return {**found, "B": amax(found["g_sup"], (1, 2, 3)) * (1 + values["room"])}


# ------------------------------------------------------------------------------------------- any gradients

_LETTERS = {"M": "count", "n": "count", "one": "family n", "other": "family n"}
_MEANS: dict[str, Tree] = {family: times(["/", "1", "n"], ["total", family]) for family in ("one", "other")}
_apart: Tree = ["-", _MEANS["one"], _MEANS["other"]]
_one2, _other2, _each2, _squares = named(
    "squared mean, other squared mean, square, sum of squares", nonnegative=True
)
_outcomes = sp.Symbol("number of outcomes", integer=True, positive=True)


def _form(relation: Condition, means: Mapping[sp.Expr, Tree], *bounded: Bounded) -> Sums:
    names = {part for form in means.values() for part in parts(form) if isinstance(part, str)}
    letters = {name: domain for name, domain in _LETTERS.items() if name in names}
    return Sums(relation, means, letters, bounded=bounded)


_SHORT = tuple(
    _form(le(square_, B**2), {square_: square(_MEANS[family])}, Bounded((family,), OF_SENT, "n"))
    for square_, family in ((_one2, "one"), (_other2, "other"))
)
"""The mean of any number of gradients is no longer than the longest."""


def _at_most(relation: Condition, share: Tree, factor: sp.Expr, more: Mapping[sp.Expr, Tree]) -> Follows:
    """A bound on the square of a share of the difference of two means of gradients."""
    means = {
        relation.lhs: square(times(share, _apart)),
        _one2: square(_MEANS["one"]),
        _other2: square(_MEANS["other"]),
    }
    return follows(
        relation, _form(le(relation.lhs, factor**2 * (2 * _one2 + 2 * _other2)), {**means, **more}), *_SHORT
    )


VARIANCE = _form(
    eq(noise_sup, mean_g2 - true_g2),
    {
        noise_sup: ["/", ["each", "n", ["-", "one", _MEANS["one"]], ["-", "one", _MEANS["one"]]], "n"],
        mean_g2: ["/", ["each", "n", "one", "one"], "n"],
        true_g2: square(_MEANS["one"]),
    },
)
OF_SQUARES = follows(
    le(mean_g2, B**2),
    definition(eq(mean_g2, _squares / _outcomes)),
    counted(
        le(_squares, SUMMANDS * B**2),
        _outcomes,
        changing(_squares, free=(_each2,)),
        added(_squares, _each2),
        Sums(le(_each2, B**2), {_each2: square("g")}, {"g": "vector"}, bounded=(Bounded(("g",), OF_SENT),)),
    ),
)
PART_OF_MEAN = _at_most(
    statement("special.ass4.5.implied/sharp").compared, ["-", "1", ["/", "1", "M"]], 1 - 1 / M, {M: "M"}
)
"""A client's gradient less the mean over the clients is 1 - 1/M times the way to it from the mean over the others. Without
others that factor is 0, and any gradient may stand in their place.
"""
PAIR = _at_most(statement("special.ass4.6.implied").compared, "1", sp.S.One, {})
NOISE = (VARIANCE.relation, OF_SQUARES.relation)

GRADIENTS = Scene(
    name="bounded stochastic gradients",
    shapes=tuple(
        {"K": K, "M": M, "outcomes": n, "d": d}
        for K, M, n, d in ((1, 1, 2, 1), (1, 2, 1, 1), (2, 1, 1, 1), (1, 5, 1, 1), (2, 2, 2, 2))
    ),
    space=lambda shape: {
        "g": Box(-2, 2, (shape["K"], shape["M"], shape["outcomes"], shape["d"])),
        "room": Box(0, 0),
    },
    room="room",
    compute=Proved(
        _bounded,
        (VARIANCE, OF_SQUARES, PART_OF_MEAN, PAIR),
        (SENT,),
        lambda shape, values: {"sent2_each": sq(values["g"])},
    ),
)
