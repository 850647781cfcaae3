"""Facts about the gradients and losses of quadratic samples, for any number of samples, outcomes and coordinates."""

from __future__ import annotations

import sympy as sp

import bounds.fedmes.descent as b
from bounds.catalogue import relations
from bounds.relations import eq, le
from verify.engine.model.sums import Sums
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import AnyNumber, counted, follows
from verify.scenes.summands import SUMMANDS, added, changing, definition, summed
from verify.scenes.trees import square

CROSSED = le(b.align**2, b.mem_gradient2 * b.mean2)
OF_MOMENTS = Sums(
    CROSSED,
    {b.align: ["dot", "whole", "middle"], b.mem_gradient2: square("whole"), b.mean2: square("middle")},
    {"whole": "vector", "middle": "vector"},
)
"""The Cauchy-Schwarz inequality for the memory gradient and the mean batch gradient."""
_curvature = sp.Symbol("curvature", positive=True)
_bends = sp.Symbol("bends", nonnegative=True)
RANGES = (le(b.mem_curve, _curvature), le(_bends, b.bend_range))
"""The definitions of the smallest curvature and of the range of curvatures."""
_relation = relations("fedmes")
_away, _there = named("away, gradient there", real=True)
_away2, _own2, _own_there2 = named("away2, own variance, own variance there", nonnegative=True)
"""A coordinate of the difference to the optimum, with either sign, and of a sample's gradient there; the square of that difference;
squared differences of a sample's gradient to the mean, at the model and at the optimum.
"""
_NEAR = summed(
    le(b.mem_curve**2 * _away2, b.mem_gradient2),
    {_away2: _away**2, b.mem_gradient2: _curvature**2 * _away**2},
    (_away, _curvature),
    follows(RANGES[0], given=RANGES[:1]),
    through=(le(b.mem_curve**2, _curvature**2), le(b.mem_curve**2 * _away**2, _curvature**2 * _away**2)),
)
_OF_SAMPLE = summed(
    le(_own2, 2 * _own_there2 + 2 * b.bend_range**2 * _away2),
    {_own2: (_there + _bends * _away) ** 2, _own_there2: _there**2, _away2: _away**2},
    (_away, _there, _bends),
    follows(RANGES[1], given=RANGES[1:]),
    through=(
        le(_bends**2, b.bend_range**2),
        le(_bends**2 * _away**2, b.bend_range**2 * _away**2),
        le((_there + _bends * _away) ** 2, 2 * _there**2 + 2 * _bends**2 * _away**2),
        le((_there + _bends * _away) ** 2, 2 * _there**2 + 2 * b.bend_range**2 * _away**2),
    ),
)
_count = sp.Symbol("outcomes", integer=True, positive=True)
_OF_SAMPLES = counted(
    le(b.variance, 2 * b.at_optimum + SUMMANDS / _count * 2 * b.bend_range**2 * _away2),
    _count,
    changing(b.variance, b.at_optimum, free=(_own2, _own_there2)),
    added(b.variance, _own2 / _count),
    added(b.at_optimum, _own_there2 / _count),
    _OF_SAMPLE,
)
VARIES_LITTLE = follows(
    _relation("ass3.samples"),
    *(_OF_SAMPLES, _NEAR),
    through=(le(b.bend_range**2 * _away2, b.bend_range**2 / b.mem_curve**2 * b.mem_gradient2),),
)
"""Bound on the variance of unbiased batch gradients at any model by that at the optimum and the memory gradient."""

# ------------------------------------------------------------------------------------------------ quadratic losses

_before, _after, _gradient, _curve, _weight, _off, _move = named(
    "part before, part after, part of gradient, mean curve, own curve, off, move", real=True
)
"""Parts of the losses and of the memory gradient along one coordinate; the mean curvature there, the share of one sample in it, and
the difference of the model to its centre.
"""
_ALONG_COORDINATE = summed(
    eq(_after - _before, _gradient * _move + _curve * _move**2 / 2),
    {
        _after: _weight * (_off + _move) ** 2 / 2,
        _before: _weight * _off**2 / 2,
        _gradient: _weight * _off,
        _curve: _weight,
    },
    (_weight, _off),
)
_parts = (_along_part, _bend_part) = (
    sp.Symbol("part along", real=True),
    sp.Symbol("part of bend", real=True),
)
EXPANDED = summed(
    _relation("eq33.expansion"),
    {b.after: _after, b.now: _before, b.along: _along_part, b.step_bend: _bend_part},
    (_after, _before, *_parts),
    follows(
        eq(_after - _before, _along_part + _bend_part / 2),
        _ALONG_COORDINATE,
        definition(eq(_along_part, _gradient * _move)),
        definition(eq(_bend_part, _curve * _move**2)),
    ),
)
"""The loss after a step on quadratic samples whose Hessians have the same axes."""
_rate, _own_bend = sp.Symbol("rate", nonnegative=True), sp.Symbol("own bend", nonnegative=True)
_IN_STEP = follows(
    eq(b.after - b.now, _rate**2 * _own_bend / 2 - _rate * b.gradient_gz),
    EXPANDED,
    definition(eq(b.along, -_rate * b.gradient_gz)),
    definition(eq(b.step_bend, _rate**2 * _own_bend)),
)
_EXPECTED = counted(
    eq(b.expected - SUMMANDS / _count * b.now, _rate**2 * b.mean_bend / 2 - _rate * b.align),
    _count,
    changing(b.expected, b.mean_bend, b.align, free=(b.after, _own_bend, b.gradient_gz)),
    added(b.expected, b.after / _count),
    added(b.mean_bend, _own_bend / _count),
    added(b.align, b.gradient_gz / _count),
    _IN_STEP,
)
OF_QUADRATICS: tuple[AnyNumber, ...] = (
    EXPANDED,
    follows(_relation("eq34.expansion"), (_EXPECTED, {_rate: b.eta_s * b.A_s})),
)
