"""CFL, Appendix C: facts about samples that stand for others and about class weights, for any number of samples and classes."""

from __future__ import annotations

import sympy as sp

from bounds.catalogue import relations, statement
from bounds.cfl import algorithms as c
from bounds.cfl import approximations as b
from bounds.relations import eq, ge, le
from verify.engine.model.scene import Follows, Rounds
from verify.engine.model.sums import Sums
from verify.scenes.cfl.client_sums import assumed
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import AnyNumber, counted, follows
from verify.scenes.summands import SUMMANDS, added, before, changing, definition, summed
from verify.scenes.trees import Tree, square, times

_relation = relations("cfl")

# ---------------------------------------------------------------------------------------------------- core sets

_value, _share, _one, _pair, _part, _weight = named(
    "value, share, one chance, pair chance, part, weight", real=True
)
_number = sp.Symbol("number", positive=True)
_mean: Tree = times(["/", "1", "n"], ["total", "phi"])
_off: Tree = ["-", _mean, "phi"]
_total: Tree = ["-", times("n", _mean), ["total", "phi"]]
_each: Tree = ["each", "n", _off, _off]
_CORE: dict[sp.Expr, Tree] = {
    b.n_local: "n",
    b.m_kept: "m",
    _one: "one",
    _pair: "pair",
    b.spread2: ["/", _each, "n"],
    b.kept_loss2: [
        "/",
        ["+", times("one", _each), times("pair", ["-", square(_total), _each])],
        ["^", "m", "2"],
    ],
}
_OF_CORE = {"n": "count", "m": "count", "phi": "family n", "one": "real", "pair": "real"}
_SEVERAL = (ge(b.n_local, 2),)
OF_CORE_SETS: tuple[AnyNumber, ...] = (
    summed(
        _relation("approx.coreset"),
        {b.mean_kept: _one / b.m_kept * _value, b.mean_all: _value / b.n_local},
        (_value, _one),
        definition(eq(_one, b.m_kept / b.n_local)),
    ),
    follows(
        _relation("approx.coreset.loss"),
        Sums(eq(b.kept_loss2, (_one - _pair) * b.n_local * b.spread2 / b.m_kept**2), _CORE, _OF_CORE),
        follows(eq(_one * b.n_local, b.m_kept), definition(eq(_one, b.m_kept / b.n_local))),
        follows(
            eq(_pair * b.n_local * (b.n_local - 1), b.m_kept * (b.m_kept - 1)),
            definition(eq(_pair, b.m_kept * (b.m_kept - 1) / (b.n_local * (b.n_local - 1)))),
            given=_SEVERAL,
        ),
        given=_SEVERAL,
    ),
)
"""One sample is in the share m/n of the sets, two samples in the share m (m - 1)/(n (n - 1))."""
OF_UNION = summed(
    _relation("approx.coreset.union"),
    {b.union_slope: _share * _value, b.mixed_slope: _weight * (_part * _value)},
    (_value, _part, _weight, _number),
    definition(eq(_part, 1 / _number)),
    definition(eq(_weight, _number * _share)),
)
"""A data set of some number of samples, with its share in all samples as its weight."""
rise = sp.Symbol("rise_each", real=True)
EVERY_STEP, LARGEST = le(b.m_kept * b.miss2, b.herd_rise), le(rise, b.herd_rise)
"""The mean growth is at most the largest, and the definition of the largest."""
_rises = sp.Symbol("sum of rises", real=True)
_short: Tree = ["+", "short", _off]
OF_HERDING: tuple[AnyNumber, ...] = (
    follows(
        EVERY_STEP,
        (
            counted(
                le(_rises, SUMMANDS * b.herd_rise),
                b.m_kept,
                changing(_rises, free=(rise,)),
                added(_rises, rise),
                assumed(LARGEST),
            ),
            {_rises: b.m_kept**2 * b.miss2},
        ),
    ),
    Sums(
        statement("cfl.alg3.average").compared,
        {
            b.herd_mean: ["/", ["-", ["each", "n", _short, _short], times("n", square("short"))], "n"],
            b.spread2: ["/", _each, "n"],
        },
        {"n": "count", "phi": "family n", "short": "vector"},
    ),
)
"""The squared distance after all choices is the sum of its growths."""

# ------------------------------------------------------------------------------------- Fisher information, samples

_chance, _slope = sp.Symbol("chance", real=True), sp.Symbol("slope", real=True)
OF_LABELS = summed(
    _relation("approx.taylor.fisher/model"),
    {
        b.hessian_diagonal: _share * _chance * (1 - _chance) * _slope**2,
        b.model_squares: _share
        * (_chance * ((_chance - 1) * _slope) ** 2 + (1 - _chance) * (_chance * _slope) ** 2),
    },
    (_chance, _slope),
)
_kept, _power = sp.Symbol("kept", real=True), sp.Symbol("power", real=True)
_AFTER = Rounds(
    eq(
        b.chain_spread * (1 - _kept**2),
        b.noise_x * (1 - _kept ** (2 * SUMMANDS)) + b.start_spread * (1 - _kept**2) * _kept ** (2 * SUMMANDS),
    ),
    SUMMANDS,
    {_power: _kept ** (2 * SUMMANDS)},
    {_power: _kept**2 * _power},
    {b.chain_spread: (before(b.chain_spread), b.start_spread)},
    (definition(eq(b.chain_spread, _kept**2 * before(b.chain_spread) + b.noise_x)),),
)
OF_CHAIN = follows(
    _relation("approx.mcmc"), (_AFTER, {SUMMANDS: b.steps_x, _kept: 1 - b.h_energy * b.step_x})
)
"""A step multiplies the spread and adds the variance of its noise."""
_at = lambda mean: times("h_energy", ["-", "model", mean])  # noqa: E731
_LOST = b.h_energy * b.made_off
OF_GENERATED = follows(
    _relation("approx.mcmc.loss"),
    Sums(
        eq(b.lost_made**2, b.h_energy**2 * b.made_off**2),
        {
            b.lost_made**2: square(["-", _at("real"), _at("made")]),
            b.made_off**2: square(["-", "real", "made"]),
        },
        {**dict.fromkeys(("model", "real", "made"), "vector"), "h_energy": "positive"},
    ),
    through=(le(b.lost_made, _LOST), le(_LOST, b.lost_made)),
)
"""Means of the gradients over real and over generated samples."""

# ---------------------------------------------------------------------------------------------- class weights

_rest = sp.Symbol("rest", positive=True)
_others, _another = sp.Symbol("sum of others", real=True), sp.Symbol("other value", real=True)


def _sum_one(total: sp.Symbol) -> Follows:
    """Weights over their sum add up to one."""
    scaled = summed(eq(total * _rest, _others), {total: _weight / _rest, _others: _weight}, (_weight,))
    return follows(eq(total, 1), (scaled, {_others: _rest}))


_whole = sp.Symbol("whole", positive=True)
OF_WEIGHTS: tuple[AnyNumber, ...] = (
    _sum_one(c.weights_left),
    _sum_one(c.weights_whole),
    follows(
        eq(c.weights_crossed, 0),
        definition(eq(c.weights_crossed, _value / _rest * _another - _another / _rest * _value)),
    ),
    follows(
        eq(c.class_chance, c.class_right),
        definition(eq(c.class_chance, _weight / _rest / _whole)),
        definition(eq(c.class_right, _weight / _rest)),
        _sum_one(_whole),
    ),
)
"""`rest` is the sum of the weights of the classes that are left: 1 less the weight of the first class."""
