"""Facts about one round of SPECIAL's two algorithms, for any number of clients and local steps along any gradients.

The vector `moved` of a sampled client points from the server's model to its last local model. A coordinate of a vector is
its product with `axis`. Local steps are inductions.
"""

from __future__ import annotations

import sympy as sp

from bounds.catalogue import relations, statement
from bounds.relations import eq
from bounds.special import algorithms as b
from bounds.special.drift import th, th0, th_next, update
from bounds.special.problem import (
    anchor,
    apart2,
    f_all,
    f_cur,
    f_double,
    f_prev,
    obj_next,
    obj_other,
    server_min,
    thbar,
)
from bounds.special.symbols import E, M, N, gamma_G, gamma_L, lam
from verify.engine.certificates.formulas import tree
from verify.engine.model.scene import Rounds
from verify.engine.model.sums import Sums
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import AnyNumber, counted, follows, renamed
from verify.scenes.summands import SUMMANDS, added, before, changing, definition, later, over_summands, summed
from verify.scenes.trees import Tree, square, vocabulary

_gradient, _model, _other = named("gradient, local model, other model", real=True)
_POWER, _steps = sp.Symbol("power", positive=True), sp.Symbol("steps", integer=True, nonnegative=True)
_relation = relations("special")

# ------------------------------------------------------------------------------------------------ means over the clients


_MEAN: Tree = ["*", ["/", "1", "N"], ["total", "moved"]]
_STEPPED: Tree = ["+", "model", ["*", "gamma_G", _MEAN]]


def _server_step(model: Tree, strength: str) -> Tree:
    """The server's step, Eq. (6)."""
    return ["*", ["/", "1", ["+", "1", strength]], ["+", model, ["*", strength, "start"]]]


_VECTORS: dict[sp.Symbol, Tree] = {
    th: "model",
    anchor: "start",
    update: _MEAN,
    b.later_code: _server_step(_STEPPED, "lam"),
    b.later_text: _server_step(_STEPPED, "lam"),
    b.next_zero: _server_step(_STEPPED, "0"),
    b.next_fed: _STEPPED,
    b.still: _server_step("model", "lam"),
}
_DOMAINS = {
    **dict.fromkeys(("axis", "model", "start"), "vector"),
    **dict.fromkeys(("gamma_G", "lam"), "positive"),
    **{"moved": "family N", "N": "count"},
}
_of_clients = vocabulary({quantity: ["dot", "axis", form] for quantity, form in _VECTORS.items()}, _DOMAINS)

# ------------------------------------------------------------------------------------------------ local steps

_PULLED = definition(eq(_model, (before(_model) + 2 * lam * anchor) / (1 + 2 * lam)))
_REMAINS = Rounds(
    eq(_model - anchor, (1 + 2 * lam) ** (-_steps) * (th - anchor)),
    _steps,
    {_POWER: (1 + 2 * lam) ** (-_steps)},
    {_POWER: _POWER / (1 + 2 * lam)},
    {_model: (before(_model), th)},
    (_PULLED,),
)
"""The way to the anchor after local steps of Algorithm 2 without gradients."""
_weighted = sp.Symbol("weighted gradients")
_UPDATE = _relation("alg2.update/corrected")
_SUM_OF_STEPS = next(iter(_UPDATE.atoms(sp.Sum)))
_DISCOUNTED = Rounds(
    eq(
        _model - anchor,
        (1 + 2 * lam) ** (-_steps) * (th - anchor) - gamma_L * _SUM_OF_STEPS.xreplace({E: _steps}),
    ),
    _steps,
    {_weighted: _SUM_OF_STEPS.xreplace({E: _steps}), _POWER: (1 + 2 * lam) ** (-_steps)},
    {_weighted: (_weighted + b.g_c[_steps]) / (1 + 2 * lam), _POWER: _POWER / (1 + 2 * lam)},
    {_model: (before(_model), th)},
    (
        definition(
            eq(_model, (before(_model) - gamma_L * b.g_c[_steps - 1] + 2 * lam * anchor) / (1 + 2 * lam))
        ),
    ),
    through=(
        eq((1 + 2 * lam) * later(_POWER) * (th - anchor), _POWER * (th - anchor)),
        eq((1 + 2 * lam) * gamma_L * later(_weighted), gamma_L * (_weighted + b.g_c[_steps - 1])),
        eq(
            (1 + 2 * lam) * (later(_model) - anchor),
            _POWER * (th - anchor) - gamma_L * (_weighted + b.g_c[_steps - 1]),
        ),
        eq(
            (1 + 2 * lam) * (later(_model) - anchor),
            (1 + 2 * lam) * (later(_POWER) * (th - anchor) - gamma_L * later(_weighted)),
        ),
    ),
)
"""Local steps of Algorithm 2 along any gradients."""
_SAME = over_summands(
    eq(_model, _other),
    {_model: (before(_model), th), _other: (before(_other), th), **changing(free=(_gradient,))},
    definition(eq(_model, before(_model) - gamma_L * _gradient)),
    definition(eq(_other, before(_other) - gamma_L * _gradient)),
)
"""Local steps of Algorithm 2 without a pull, and of FedAvg, along the same gradients."""


def _averaged(total: sp.Symbol, summand: sp.Expr) -> Sums:
    return added(total, gamma_G * summand / N)


_SAME_MEANS = over_summands(
    _relation("alg2.fedavg/sampled"),
    {
        **{total: (before(total), th) for total in (b.next_c_zero, b.next_fed)},
        **changing(free=(_model, _other)),
    },
    _averaged(b.next_c_zero, _model - th),
    _averaged(b.next_fed, _other - th),
    _SAME,
)
_sum = sp.Symbol("sum of all moves", real=True)
_FULL = statement("special.alg2.mean/full")
_SAME_NUMBER = follows(
    _FULL.compared,
    definition(eq(b.next_c, th + gamma_G * _sum / N)),
    definition(eq(b.next_c_all, th + gamma_G * _sum / M)),
    given=_FULL.conditions,
)
_ONE_STEP = statement("special.alg2.onestep").conditions
_OF_ONE_STEP = counted(
    eq(b.next_c, th + gamma_G / (1 + 2 * lam) * (update + SUMMANDS / N * 2 * lam * (anchor - th))),
    N,
    {b.next_c: (before(b.next_c), th), **changing(update, free=(_gradient,))},
    added(update, -gamma_L * _gradient / N),
    _averaged(b.next_c, (th - gamma_L * _gradient + 2 * lam * anchor) / (1 + 2 * lam) - th),
)
_LEFT = (1 + 2 * lam) ** (-_steps)
_CONSTANT = Rounds(
    eq(_model - th, (_LEFT - 1) * (th - anchor) - gamma_L * _gradient * (1 - _LEFT) / (2 * lam)),
    _steps,
    {_POWER: _LEFT},
    {_POWER: _POWER / (1 + 2 * lam)},
    {_model: (before(_model), th)},
    (definition(eq(_model, (before(_model) - gamma_L * _gradient + 2 * lam * anchor) / (1 + 2 * lam))),),
)
"""Local steps of Algorithm 2 along one gradient."""
_OF_CONSTANT = counted(
    eq(
        b.next_c,
        th + gamma_G * (1 - (1 + 2 * lam) ** (-E)) * (update / (2 * lam * E) + SUMMANDS / N * (anchor - th)),
    ),
    N,
    {b.next_c: (before(b.next_c), th), **changing(update, free=(_gradient, _model))},
    added(update, -gamma_L * E * _gradient / N),
    _averaged(b.next_c, _model - th),
    renamed(_CONSTANT, {_steps: E}),
)
_CONSTANT_STEPS = statement("special.alg2.esteps/constant")
ALONG_CONSTANT = (follows(_CONSTANT_STEPS.compared, _OF_CONSTANT, given=_CONSTANT_STEPS.conditions),)
"""A round of Algorithm 2 along constant gradients."""
ROUND: tuple[AnyNumber, ...] = (
    *(_of_clients(_relation(id)) for id in ("alg1.later", "alg1.eq6", "alg1.pull", "eq6.fedavg")),
    summed(_relation("alg1.update"), {b.sent: -gamma_L * _gradient, b.grad_sum: _gradient}, (_gradient,)),
    _SAME_MEANS,
    _SAME_NUMBER,
    follows(
        _relation("alg2.pull"),
        (_REMAINS, {_steps: E}),
        definition(eq(b.still_c, th + gamma_G * (_model - th))),
    ),
    follows(_relation("alg2.onestep"), _OF_ONE_STEP, given=_ONE_STEP),
    follows(_UPDATE, (_DISCOUNTED, {_steps: E}), definition(eq(b.sent_c, _model - th))),
)

# ------------------------------------------------------------------------------------------------ the server


def least(parabola: sp.Expr, at: sp.Symbol) -> sp.Expr:
    """The least point of a parabola, by its derivatives at 0."""
    return -sp.diff(parabola, at).subs(at, 0) / sp.diff(parabola, at, 2)


_at = sp.Symbol("at", real=True)
_NEXT = _server_step("x", "lam")


def _objective(model: Tree) -> Tree:
    """The objective of Eq. (5)."""
    return ["+", square(["-", model, "x"]), ["*", "lam", square(["-", model, "start"])]]


SERVER = (
    Sums(
        _relation("eq6"), {server_min: tree(least((_at - thbar) ** 2 + lam * (_at - anchor) ** 2, _at))}, {}
    ),
    Sums(
        _relation("alg2.prox"),
        {b.prox_min: tree(least((_at - b.prox_from) ** 2 / 2 + lam * (_at - anchor) ** 2, _at))},
        {},
    ),
    Sums(
        _relation("eq5.excess"),
        {obj_next: _objective(_NEXT), obj_other: _objective("other"), apart2: square(["-", "other", _NEXT])},
        {**dict.fromkeys(("x", "start", "other"), "vector"), "lam": "positive"},
    ),
)
"""Minimisers of objectives that are sums over coordinates."""
_SERVER_STEP = definition(eq(th_next, (th + gamma_G * update + lam * th0) / (1 + lam)))
MOVES = (follows(_relation("eq25"), _SERVER_STEP), follows(_relation("eq26"), _SERVER_STEP))
"""The next model, by the server's step."""

# ------------------------------------------------------------------------------------------------ losses

_loss, _of_task, _mean_of = named("loss, losses of the clients, mean loss", real=True)
_TASK_MEAN = summed(eq(_of_task, M * _mean_of), {_of_task: _loss, _mean_of: _loss / M}, (_loss,))
"""The mean over the clients of one task's losses."""
LOSSES_OF_ALL = (
    summed(_relation("eq1"), {f_all: _mean_of, f_double: _of_task / M}, (_mean_of, _of_task), _TASK_MEAN),
    over_summands(
        _relation("eq2"),
        {f_prev: (before(f_prev), sp.S.Zero), f_all: (before(f_all), f_cur), **changing(free=(_mean_of,))},
        added(f_all, _mean_of),
        added(f_prev, _mean_of),
    ),
)
"""Losses of tasks that are added up; the current task comes first."""
