"""Facts about products of the weights of any number of rounds, each with alpha to the distance of its rounds (CFL, Theorem 4.9).

With e_n = sum_(k <= n) alpha^(n-k) z_k, a further weight z adds z^2 + 2 alpha z e_n to the products, and e becomes
alpha e_n + z. So the products of n weights are e_n^2 + (1 - alpha^2) (e_1^2 + .. + e_(n-1)^2).
"""

from __future__ import annotations

import sympy as sp

from bounds.cfl.symbols import D2, R2, alpha
from bounds.cfl.weight_sums import zQz
from bounds.relations import eq, ge, le, lt
from verify.engine.model.scene import Follows
from verify.scenes.cfl.weight_sums import added, grows, line, past, weight
from verify.scenes.summands import before, meant

BELOW_ONE = lt(alpha, 1)
fade, other_fade, both_fade = sp.symbols("fade other_fade both_fade", real=True)
"""Sum of the weights so far, each times alpha to its distance from the latest."""
decay, other_decay, both_decay, mixed = sp.symbols("decay other_decay both_decay mixed_decay", real=True)
"""Sum of products of weights so far, each times alpha to the distance of the rounds; of one choice, of two, of both."""
other_weight, loss, form = sp.symbols("other_weight loss_so_far form_so_far", real=True)


def fading(total: sp.Symbol, by: sp.Expr, start: sp.Expr = sp.S.Zero) -> tuple[sp.Expr, sp.Expr]:
    """A sum that is multiplied by alpha before a summand is added, for `added`."""
    return start, alpha * before(total) + by


def decaying(
    total: sp.Symbol, by: sp.Expr, faded: sp.Symbol, start: sp.Expr = sp.S.Zero
) -> tuple[sp.Expr, sp.Expr]:
    """Products of weights with alpha to the distance; a further weight meets all before it."""
    return grows(total, by**2 + 2 * alpha * by * before(faded), start)


# ------------------------------------------------------------------------------------------------- the form of Q

_EVEN = {fade: fading(fade, weight), decay: decaying(decay, weight, fade)}
_FORM = meant(eq(zQz, D2 * decay + R2 * past**2))
_NOT_NEGATIVE = added(
    ge(decay, fade**2),
    _EVEN,
    through=(le(alpha**2 * before(fade) ** 2, before(fade) ** 2),),
    given=(BELOW_ONE,),
)
SEMIDEFINITE = Follows(line("lemB.9/semidefinite"), ((_NOT_NEGATIVE, {}), (_FORM, {})), (BELOW_ONE,))
