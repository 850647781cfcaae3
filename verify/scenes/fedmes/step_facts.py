"""FedMeS: facts about single steps and about rounds of Algorithm 1, for any number of coordinates, clients and samples."""

from __future__ import annotations

import sympy as sp

import bounds.fedmes.correction as b
import bounds.fedmes.personal as r
import bounds.fedmes.projection as p
from bounds.catalogue import relations, statement
from bounds.fedmes.descent import (
    after,
    align,
    along,
    batch2,
    eta_s,
    expected,
    gap,
    gap_next,
    now,
    square2,
    step2,
    step_bend,
)
from bounds.fedmes.learning import kappa, learnt_bend
from bounds.fedmes.symbols import L, eta_1, eta_2, lam, n
from bounds.relations import eq, ge, le
from verify.engine.certificates.formulas import tree
from verify.engine.model.scene import Follows
from verify.engine.model.sums import Sums
from verify.scenes.fedmes.coordinate_facts import orthogonal
from verify.scenes.fedmes.smooth_losses import SMOOTH
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import AnyNumber, counted, follows
from verify.scenes.summands import SUMMANDS, added, changing, definition, summed
from verify.scenes.trees import square, times

_relation = relations("fedmes")

# ------------------------------------------------------------------------------------------------ quadratic losses

_curve, _off, _step = named("curve, off, step", real=True)
_now, _later, _slope, _bend = (
    sp.Symbol(f"{name} along a coordinate", real=True) for name in ("loss", "later loss", "slope", "bend")
)
_along, _growth = named("memory gradient along the step, growth", real=True)


def _expanded(
    after: sp.Symbol, before: sp.Symbol, along: sp.Symbol, bend: sp.Symbol, rate: sp.Symbol
) -> Follows:
    """A quadratic loss after a step, coordinate by coordinate; letters for their parts keep products out of the sums."""
    forms = {
        _now: _curve * _off**2 / 2,
        _later: _curve * (_off - rate * _step) ** 2 / 2,
        _slope: _curve * _off * _step,
        _bend: _curve * _step**2,
    }
    one = Sums(
        eq(_later, _now - rate * _slope + rate**2 / 2 * _bend),
        {letter: tree(form) for letter, form in forms.items()},
        {"curve": "real", "off": "real", "step": "real", rate.name: "positive"},
    )
    return follows(
        eq(after, before - rate * along + rate**2 / 2 * bend),
        summed(
            eq(after, before + _growth), {after: _later, before: _now, _growth: _later - _now}, (_now, _later)
        ),
        summed(
            eq(_growth, rate**2 / 2 * bend - rate * along),
            {_growth: _later - _now, along: _slope, bend: _bend},
            (_now, _later, _slope, _bend),
            one,
        ),
    )


_product = sp.Symbol("memory gradient along the correction", real=True)
_WITH_SHARE = Sums(
    eq(_along, _product + kappa * p.gm2),
    {
        _along: ["dot", "memory", ["+", "correction", times("kappa", "memory")]],
        _product: ["dot", "memory", "correction"],
        p.gm2: square("memory"),
    },
    {"memory": "vector", "correction": "vector", "kappa": "positive"},
)
OF_EXPANSION = follows(
    _relation("thm1.expansion"),
    _expanded(b.mem_next, b.mem_now, _product, step_bend, eta_2),
    orthogonal(_product),
)
OF_LEARNING = follows(
    _relation("thm1.learns.expansion"),
    _expanded(gap_next, gap, _along, learnt_bend, eta_2),
    _WITH_SHARE,
    orthogonal(_product),
)
OF_LOSSES = _expanded(p.mem_after, p.mem, p.inner, p.bend, eta_1)

# ------------------------------------------------------------------------------------------------ one dimension

_memory, _gradient, _share, _other = named(
    "memory gradient, gradient, share, curvature of the current loss", real=True
)
_square = sp.Symbol("squared memory gradient", positive=True)
_NOTHING_LEFT = follows(
    eq(_step, 0),
    follows(
        eq(_step * _square, 0),
        definition(eq(_step, _gradient - _share * _memory)),
        follows(
            eq(_share * _square, _gradient * _memory), definition(eq(_share, _gradient * _memory / _square))
        ),
        follows(eq(_square, _memory**2), definition(eq(_square, _memory**2))),
    ),
)
ON_A_LINE = follows(
    _relation("remark1.stuck"),
    _NOTHING_LEFT,
    definition(eq(b.inner_now, _gradient * _memory)),
    definition(eq(b.inner_next, (_gradient - _other * eta_2 * _step) * (_memory - _curve * eta_2 * _step))),
)
"""A correction along a line: nothing is left of the gradient."""

# ------------------------------------------------------------------------------------------------ rest points

_curved = sp.Symbol("curvature", positive=True)
_own, _centre = sp.Symbol("own optimum", real=True), sp.Symbol("centre", real=True)
_rest = (_curved * _own + lam * _centre) / (_curved + lam)
AT_REST = follows(
    _relation("eq5.fixed/gradient"),
    definition(eq(p.grad_there, _curved * (_rest - _own))),
    definition(eq(p.pull_there, _rest - _centre)),
    given=statement("fedmes.eq5.fixed/gradient").conditions,
)
"""The minimiser of (2), coordinate by coordinate."""

# ------------------------------------------------------------------------------------------------ rounds of Algorithm 1

_ONE_STEP = Sums(
    _relation("alg1.one-step"),
    {
        r.personal: ["-", "model", times("eta_1", ["+", "gradient", times("lam", ["-", "model", "model"])])],
        r.wg: "model",
        r.grad_k: "gradient",
    },
    {"model": "real", "gradient": "real", "lam": "real", "eta_1": "positive"},
)
"""A client begins at the global model, so the pull is zero; without a conflict it does not correct its gradient."""


def _under(id: str, *facts: AnyNumber) -> Follows:
    return follows(_relation(id), *facts, given=statement(f"fedmes.{id}").conditions)


_moved = sp.Symbol("mean move", real=True)
_MEAN_STEP = follows(
    eq(r.wg_next, r.wg - eta_1 * r.grad_mean),
    counted(
        eq(r.wg_next, SUMMANDS / n * r.wg + _moved),
        n,
        changing(r.wg_next, _moved, free=(r.personal,)),
        added(r.wg_next, r.personal / n),
        added(_moved, (r.personal - r.wg) / n),
    ),
    summed(
        eq(_moved, -eta_1 * r.grad_mean),
        {_moved: (r.personal - r.wg) / n, r.grad_mean: r.grad_k / n},
        (r.personal, r.grad_k),
        _ONE_STEP,
    ),
)
EACH_FIRST, EACH_AGREEING = _under("alg1.one-step/first", _ONE_STEP), _under("alg1.one-step", _ONE_STEP)
ROUND_FIRST, ROUND_AGREEING = _under("eq1/first", _MEAN_STEP), _under("eq1/agreeing", _MEAN_STEP)
AVERAGED = summed(_relation("alg1"), {r.wg_next: r.personal / n, r.wg_mean: r.personal / n}, (r.personal,))

# ------------------------------------------------------------------------------------------------ steps with a matrix

_eigenvalue = sp.Symbol("eigenvalue", positive=True)
EIGENVALUES = (le(b.A_least, _eigenvalue), le(_eigenvalue, b.A_most))
"""The definitions of the smallest and the largest eigenvalue."""
_LEAST, _MOST = (follows(said, given=(said,)) for said in EIGENVALUES)
_turned2, _one2 = named("turned square, square along an axis", nonnegative=True)
_turned, _bias = sp.Symbol("slope along the turned step", real=True), sp.Symbol("bias", nonnegative=True)
_outcomes = sp.Symbol("outcomes", integer=True, positive=True)
_LONGEST = summed(
    le(_turned2, b.A_most**2 * batch2),
    {_turned2: _eigenvalue**2 * _one2, batch2: _one2},
    (_one2, _eigenvalue),
    _MOST,
    through=(le(_eigenvalue**2, b.A_most**2),),
)
_OF_STEP = follows(
    le(after - now, L * (eta_s * b.A_most) ** 2 / 2 * batch2 - eta_s * _turned),
    *(definition(eq(along, -eta_s * _turned)), definition(eq(step2, eta_s**2 * _turned2)), _LONGEST),
    given=(SMOOTH,),
)
WITH_MATRIX = follows(
    _relation("eq34.matrix.step"),
    counted(
        le(
            expected - SUMMANDS / _outcomes * now,
            L * (eta_s * b.A_most) ** 2 / 2 * square2 - eta_s * b.align_matrix,
        ),
        _outcomes,
        changing(expected, square2, b.align_matrix, free=(after, batch2, _turned)),
        added(expected, after / _outcomes),
        added(square2, batch2 / _outcomes),
        added(b.align_matrix, _turned / _outcomes),
        _OF_STEP,
    ),
)
_AXES = summed(
    ge(b.align_matrix, b.A_least * align),
    {align: _bias * _one2, b.align_matrix: _bias * _eigenvalue * _one2},
    (_one2, _eigenvalue),
    _LEAST,
    through=(le(_bias * b.A_least * _one2, _bias * _eigenvalue * _one2),),
)
"""Along the axes of the matrix; the mean batch gradient is `bias` times the memory gradient."""
UNTURNED = follows(_relation("eq34.matrix/unturned"), _AXES, given=(statement("fedmes.ass2").compared,))
