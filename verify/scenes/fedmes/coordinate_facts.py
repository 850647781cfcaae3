"""FedMeS: facts about steps on quadratic losses, corrections and votes, for any number of coordinates, samples and classes."""

from __future__ import annotations

import sympy as sp

import bounds.fedmes.correction as c
import bounds.fedmes.inference as v
import bounds.fedmes.projection as p
from bounds.catalogue import relations
from bounds.fedmes.descent import gap, gap_1, gap_next, gap_s, step_bend
from bounds.fedmes.symbols import c as convexity
from bounds.fedmes.symbols import lam, theta
from bounds.relations import eq
from verify.engine.model.scene import Follows
from verify.engine.model.sums import Sums
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import AnyNumber, follows
from verify.scenes.summands import before, definition, over_summands, summed
from verify.scenes.trees import Tree, times

_relation = relations("fedmes")
_curve, _off, _step, _share, _inner, _weight, _output = named(
    "curve, off, step, share, inner before, weight, output", real=True
)
_square = sp.Symbol("square", positive=True)

# ----------------------------------------------------------------------------------------------- steps on (1) and (2)

_rest, _up, _down, _away = named("other coordinates, higher, lower, away", real=True)


def _objective(moved: int) -> sp.Expr:
    """The objective (2) after a move along one coordinate, in which it is quadratic."""
    return _rest + _curve * (_off + moved) ** 2 / 2 + lam * (_away + moved) ** 2 / 2


OF_REGULARISED: tuple[AnyNumber, ...] = (
    follows(
        _relation("eq5/gradient"),
        definition(eq(p.grad_G, (_up - _down) / 2)),
        *(definition(eq(_up, _objective(1))), definition(eq(_down, _objective(-1)))),
        *(definition(eq(p.g, _curve * _off)), definition(eq(p.pull, _away))),
    ),
)
"""Derivatives along each coordinate."""

# ------------------------------------------------------------------------------------------------------ corrections

_SHARE = follows(eq(_share * _square, _inner), definition(eq(_share, _inner / _square)))


def orthogonal(product: sp.Symbol) -> Follows:
    """A vector less its projection on another one is orthogonal to it."""
    corrected: Tree = ["-", "g", times("share", "memory")]
    means: dict[sp.Expr, Tree] = {
        product: ["dot", corrected, "memory"],
        _inner: ["dot", "g", "memory"],
        _square: ["dot", "memory", "memory"],
        _share: "share",
    }
    letters = {"g": "vector", "memory": "vector", "share": "real"}
    return follows(eq(product, 0), Sums(eq(product, _inner - _share * _square), means, letters), _SHARE)


_height = _curve * _off**2 / 2
_excess = sp.Symbol("more", real=True)
OF_CORRECTION: tuple[AnyNumber, ...] = (
    summed(
        _relation("thm1.curved"),
        {step_bend: (convexity + _excess) * _step**2, c.gt2: _step**2, c.excess: _excess * _step**2},
        (_excess, _step),
    ),
)
OF_SAMPLE = orthogonal(c.gt_gz)
STILL = summed(_relation("thm1.learns.free"), {gap_next: _height, gap: _height}, (_curve, _off))
STILL_SO_FAR = over_summands(
    _relation("thm1.free"), {gap_s: (before(gap_s), gap_1)}, definition(eq(gap_s, before(gap_s)))
)
"""Models that no step moves."""

# ------------------------------------------------------------------------------------------------------------ votes

_whole, _weights = sp.Symbol("whole", positive=True), sp.Symbol("sum of weights", real=True)
_vote = sp.Symbol("one vote", real=True)
OF_VOTES: tuple[AnyNumber, ...] = (
    follows(
        _relation("eq9"),
        (
            summed(
                eq(v.vote_sum * _whole, _weights),
                {v.vote_sum: _weight / _whole, _weights: _weight},
                (_weight,),
            ),
            {_weights: _whole},
        ),
    ),
    summed(
        _relation("eq10.sum"),
        {v.prediction_sum: theta * _vote + (1 - theta) * _output, v.vote_sum: _vote, v.output_sum: _output},
        (_vote, _output),
    ),
)
"""A vote is a weight over the sum of all weights; sums over the neighbours and over the classes."""
