"""The parts of a bound on quantities after t rounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import sympy as sp

from verify.engine.model.instance import oriented
from verify.engine.model.scene import Condition
from verify.first_order.one_round import COUNT


@dataclass(frozen=True)
class Bound:
    """A claim ``small_t <= scale(t) (init_0 + fading) + rest(t)``; see the module.

    ``ratio`` is rho if the scale is rho^t, else None. Then `rest` does not depend on t, and `fading` has no quantity of a round.
    """

    small: sp.Expr
    init: sp.Expr
    scale: sp.Expr
    rest: sp.Expr
    ratio: sp.Expr | None
    fading: sp.Expr = sp.S.Zero

    def potential(self, of: Callable[[sp.Expr], sp.Expr], t: sp.Expr) -> sp.Expr:
        """The potential after t rounds; `of` renames the quantities."""
        if self.ratio is not None:
            return of(self.init) - self.rest
        weight, rest = (sp.cancel(part).subs(COUNT, t) for part in (1 / self.scale, self.rest / self.scale))
        return sp.expand(weight * of(self.small) + of(self.init) - rest)


def bound_of(relation: Condition) -> Bound | None:
    """The parts of a bound on quantities after t rounds; None if it has another form."""
    small, large = oriented(relation)
    starts = sorted((s for s in large.free_symbols if s.name.endswith("_0")), key=str)
    if not starts or COUNT in small.free_symbols or isinstance(relation, sp.Eq):
        return None
    large = sp.expand(large, power_base=False)
    weights = {s: large.coeff(s, 1) for s in starts}
    weights = {s: sp.simplify(w) if w.is_rational_function(COUNT) else w for s, w in weights.items()}
    rest = sp.expand(large - sum(w * s for s, w in weights.items()), power_base=False)
    rest = sp.simplify(rest) if rest.is_rational_function(COUNT) else rest
    scale = weights[starts[0]]
    if not scale.is_rational_function(
        COUNT
    ):  # a constant factor of a power of t belongs to the quantities at the start
        _, scale = scale.as_independent(COUNT, as_Add=False)
    init = sum(sp.simplify(w / scale) * s for s, w in weights.items())
    if init.has(COUNT) or rest.free_symbols & set(starts):
        return None
    init = init.subs({s: sp.Symbol(s.name.removesuffix("_0"), **s.assumptions0) for s in starts})
    if isinstance(scale, sp.Pow) and scale.exp.has(COUNT):
        times, power = sp.simplify(scale.exp / COUNT), sp.Dummy()
        parts = sp.expand(rest.xreplace({scale: power}))
        fading, rest = (sp.simplify(parts.coeff(power, k)) for k in (1, 0))
        if times.has(COUNT) or fading.has(COUNT) or rest.has(COUNT) or sp.degree(parts, power) > 1:
            return None
        return Bound(small, init, scale, rest, scale.base**times, fading)
    if not scale.is_rational_function(COUNT) or not rest.is_rational_function(COUNT):
        return None
    return Bound(small, init, scale, rest, None)
