"""Facts about what Algorithm 3 of C-FLAG computes after the local steps, for any number of clients and steps.

Vectors are real numbers here, one of their coordinates, except in inner products.
"""

from __future__ import annotations

import sympy as sp

from bounds.catalogue import relations
from bounds.cflag import adaptive_algorithms as b
from bounds.cflag.adaptive import Lam_i, best_model, p_i, scaled_model
from bounds.cflag.adaptive_cases import fd, projected, sent_along
from bounds.cflag.drift import WEIGHTS
from bounds.cflag.symbols import E, L, N, alpha, beta, fd2, p_sum
from bounds.relations import eq, gt
from verify.engine.model.sums import Sums
from verify.scenes.letters import named
from verify.scenes.norms_of_sums import AnyNumber, follows, renamed
from verify.scenes.summands import definition, summed
from verify.scenes.trees import Tree, square

_relation = relations("cflag")
_NUMBERS = {
    **dict.fromkeys(("x", "shift", "own", "fd"), "real"),
    **dict.fromkeys(("alpha", "beta", "alpha_any", "beta_any"), "positive"),
    "E": "count",
}
_moved: Tree = ["*", "beta", ["+", ["*", "E", "shift"], "own"]]
_line_4: Tree = ["-", ["-", "x", ["*", "E", "beta", "shift"]], ["-", "x", _moved]]
_LINE_4 = Sums(_relation("alg3.line4/scaled"), {b.a_alg: _line_4, b.a_i: "own"}, _NUMBERS)
_VECTORS = {"fd": "vector", "own": "vector", "beta": "positive"}
_LINE_5 = Sums(
    _relation("alg3.line5/scaled"),
    {b.Lam_alg: ["dot", "fd", ["*", "beta", "own"]], Lam_i: ["dot", "fd", "own"]},
    _VECTORS,
)
_scaled2, _own2, _memory2 = named("scaled2, own square, memory square", positive=True)
"""Squares of a client's sum as line 4 computes it, of its sum, and of the memory gradient, by which the lines divide."""
_SQUARE = Sums(
    eq(_scaled2, beta**2 * _own2),
    {_scaled2: square(["*", "beta", "own"]), _own2: square("own")},
    {"own": "vector", "beta": "positive"},
)
LINES: tuple[AnyNumber, ...] = (
    _LINE_4,
    _LINE_5,
    follows(
        _relation("alg3.line8/scaled"),
        definition(eq(b.beta_alg, (1 - L * alpha) * b.Lam_alg / (L * N * p_i * _scaled2))),
        definition(eq(b.beta_tab, (1 - L * alpha) * Lam_i / (L * N * p_i * _own2))),
        *(_LINE_5, _SQUARE),
    ),
    follows(
        _relation("alg3.line10/scaled"),
        definition(eq(b.alpha_alg, alpha * (1 - b.Lam_alg / fd2))),
        _LINE_5,
        given=(gt(fd2, 0),),
    ),
    follows(_relation("alg3.line13"), definition(eq(b.sum_13, b.beta_any / beta * b.a_alg)), _LINE_4),
    Sums(
        _relation("alg3.line14"),
        {
            b.Delta_14: [
                "+",
                ["+", ["*", "alpha_any", "fd"], ["*", "E", "beta_any", "shift"]],
                ["*", ["/", "beta_any", "beta"], _line_4],
            ],
            b.fd_i: "fd",
            b.moved_i: _moved,
        },
        _NUMBERS,
    ),
)

# ------------------------------------------------------------------------------------------------ the server's step

_sent, _shifts, _sums, _grads, _shift, _own, _grad, _global, _x = named(
    "sent, shifts, sums, gradients, shift, own, gradient, global, model", real=True
)
"""Weighted sums over the clients of what they send, of their corrections, sums and gradients; each of one client."""
_weight = sp.Symbol("weight", nonnegative=True)
_factor = sp.Symbol("scale", real=True)
_SENT = summed(
    eq(_sent, E * _factor * _shifts + _factor * _sums),
    {
        _sent: _weight * (E * _factor * _shift + _factor * _own),
        _shifts: _weight * _shift,
        _sums: _weight * _own,
    },
    (_weight, _shift, _own),
)
"""Client updates, times any number, by corrections and sums of delayed gradients."""
_CORRECTED = summed(
    eq(_shifts, _global * p_sum - _grads),
    {_shifts: _weight * (_global - _grad), _grads: _weight * _grad, p_sum: _weight},
    (_weight, _grad),
)
_CANCELLED = follows(eq(_shifts, 0), _CORRECTED, definition(eq(_global, _grads)), given=WEIGHTS)
"""The corrections of all clients add up to nothing."""
_memory, _model, _best = named("memory, model, best", real=True)
"""Memory gradient and server's model, and the rate of Eq. (16)."""
COMMON = follows(
    _relation("alg3.line14.server/common"),
    definition(eq(b.next_same, _model - (alpha * _memory * p_sum + _sent))),
    definition(eq(b.next_24, _model - alpha * _memory - beta * _sums)),
    *(renamed(_SENT, {_factor: beta}), _CANCELLED),
    given=WEIGHTS,
)
SCALED = follows(
    _relation("eq16.procedure"),
    definition(eq(scaled_model, _model - alpha * _memory - _best / alpha * _sent)),
    definition(eq(best_model, _model - alpha * _memory - _best * _sums)),
    *(renamed(_SENT, {_factor: alpha}), _CANCELLED),
    given=WEIGHTS,
)
"""Client updates of a round, scaled by the best rate over alpha."""

# ------------------------------------------------------------------------------------------------ along the memory gradient

_norm, _more, _along = (
    sp.Symbol("norm", positive=True),
    sp.Symbol("more", real=True),
    sp.Symbol("along", real=True),
)
_TWO = {"fd": "vector", "own": "vector", "beta": "positive", "more": "real"}
PROJECTED = follows(
    _relation("eq184.projection"),
    definition(eq(projected, Lam_i / _norm * (fd / _norm))),
    Sums(eq(fd2, _norm**2), {fd2: square("fd"), _norm**2: square("fd")}, {"fd": "vector"}),
)
NEGATED = follows(
    _relation("eq184.negation"),
    Sums(
        eq(_along, _more * _memory2 + beta * Lam_i),
        {
            _along: ["dot", ["+", ["*", "more", "fd"], ["*", "beta", "own"]], "fd"],
            _memory2: square("fd"),
            Lam_i: ["dot", "fd", "own"],
        },
        _TWO,
    ),
    definition(eq(_more, alpha * (1 - Lam_i / _memory2))),
    definition(eq(sent_along, _along / _memory2)),
    given=(eq(beta, alpha),),
)
"""What is left of a client's step along the memory gradient."""
