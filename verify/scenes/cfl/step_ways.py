"""CFL, Appendix B.4.2 and Theorem 4.1: what proofs about the step sizes show on the way.

With e = eta_g and size = K eta_l eta_g, a limit says f L sqrt(c) size + 2 sqrt(c) e^2 <= sqrt(3 e^2 + 4 c e^4); its square is
(f L size)^2 c + 4 f L c e^2 size <= 3 e^2, which holds for every smaller c, too.
"""

from __future__ import annotations

import sympy as sp

from bounds.catalogue import statement
from bounds.cfl.convex import SIZE, c_max, cB
from bounds.cfl.problem import c_client, c_theorem
from bounds.cfl.steps import added, added_mean, excess_factor
from bounds.cfl.symbols import K, L, eta, eta_g, eta_l
from bounds.relations import eq, ge, gt, le
from verify import facts
from verify.engine.model.scene import Condition

_e2 = eta_g**2
_past = K * eta_l


def _far(c: sp.Expr, e2: sp.Expr) -> sp.Expr:
    return sp.sqrt(3 * e2 + 4 * c * e2**2)


def _within(c: sp.Expr, factor: int, size: sp.Expr = SIZE, e2: sp.Expr = _e2) -> Condition:
    """A limit, cleared of its denominator."""
    return le(factor * L * sp.sqrt(c) * size + 2 * sp.sqrt(c) * e2, _far(c, e2))


def _squared(c: sp.Expr, factor: int, size: sp.Expr = SIZE, e2: sp.Expr = _e2) -> Condition:
    """Its square."""
    return le(factor**2 * L**2 * c * size**2 + 4 * factor * L * c * e2 * size, 3 * e2)


SIMPLIFIED = (ge(sp.sqrt(cB), 1), _within(c_max, 12), _squared(c_max, 12), _squared(cB, 6), _within(cB, 6))
_q, _s = (L * K * eta_l) ** 2 * cB, L * SIZE * cB
_left = 1 - 4 * _q
_times = 16 * _s * _left + 16 * _q * (1 + 4 * _s)
ADDED = eq(added, _times / _left)
FACTOR = eq(excess_factor(eta * L**2), eta * (added_mean - 2))
LARGEST_OF_C = facts.largest(cB, c_max)


def each(factor: int, most: int) -> tuple[Condition, ...]:
    """How a limit with this factor keeps what a client adds to the factor of the excess loss at most `most`."""
    times = sp.Rational(factor, 6)
    return (
        _within(c_max, factor),
        _squared(c_max, factor),
        _squared(cB, factor),
        le(12 * times**2 * _q + 8 * times * _s, 1),
        gt(_left, 0),
        le(_times, most * _left),
    )


FIRST = (
    ge(sp.sqrt(c_client), 1),
    _within(c_theorem, 6, _past, sp.S.One),
    _squared(c_theorem, 6, _past, sp.S.One),
    _squared(c_client, 6, _past, sp.S.One),
    _within(c_client, 6, _past, sp.S.One),
)
ORDER = (
    ge(sp.sqrt(c_theorem), 1),
    ge(5 * sp.sqrt(c_theorem) * _far(c_theorem, sp.S.One), 10 * c_theorem + 3),
    ge(_far(c_theorem, sp.S.One) - 2 * sp.sqrt(c_theorem), 3 / (5 * sp.sqrt(c_theorem))),
)

_root = sp.sqrt(3 * _e2 * c_max + 4 * _e2**2 * c_max**2)
_product = sp.sqrt(c_max) * _far(c_max, _e2)
_local2 = 36 * 4 * K**2 * L**2 * eta_l**2
_room = 8 * c_max * _e2 + 3 - 4 * _root
_SAME = (le(_root, _product), ge(_root, _product))
TWELFTH = (le(2 * _e2 * c_max, _root),)
DENOMINATOR = (
    *_SAME,
    _within(c_max, 12),
    le(144 * L**2 * c_max * SIZE**2, (_far(c_max, _e2) - 2 * sp.sqrt(c_max) * _e2) ** 2),
    le(_local2 * c_max * _e2, _room * _e2),
    le(_local2 * c_max, _room),
    le(_local2 * cB, _room),
)
RATIO = (
    *DENOMINATOR,
    *TWELFTH,
    le(_root, 2 * _e2 * c_max + sp.Rational(3, 4)),
    le(12 * L * c_max * SIZE, _root - 2 * _e2 * c_max),
    le(12 * L * cB * SIZE, _root - 2 * _e2 * c_max),
    statement("cfl.step.denominator").relation,
    gt(1 - 4 * K**2 * eta_l**2 * L**2 * cB, 0),
)
