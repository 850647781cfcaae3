"""Facts about weights that solve Eq. (7), by solving for any constants (CFL, Theorem 4.9, Example 1).

A correlation below 1 is written as steady/(steady + fresh), so that elimination meets no pivot whose sign is open.
"""

from __future__ import annotations

import sympy as sp

from bounds.cfl.correlated import p_now
from bounds.cfl.matrix import last_pivot
from bounds.cfl.symbols import D2, alpha
from bounds.cfl.weights_statements import CURRENT
from bounds.cfl.weights_text import alpha_more, p_now_more
from bounds.relations import eq, gt
from nqm.elimination import solve_semidefinite
from verify.engine.model.scene import Box, Fact, Named, Scene, Shape, Values
from verify.scenes.cfl.weights import matrix_of, solved

NOW = eq(p_now, CURRENT)
NOW_MORE = eq(p_now_more, CURRENT.subs(alpha, alpha_more))
PIVOT = gt(last_pivot, 0)

_ROUNDS = tuple({"t": t_} for t_ in (2, 3, 4, 5))


def _gradual(shape: Shape, values: Named) -> Values:
    """The solution at one correlation, under the names of either."""
    found: Values = {}
    for of in ("", "_more"):
        share = values[f"steady{of}"] / (values[f"steady{of}"] + values[f"fresh{of}"])
        form = matrix_of(share, values["D2"], values["R2"], shape["t"])
        found |= {f"alpha{of}": share, f"p_now{of}": solved(form)[:, -1]}
        if not of:
            pivot = solve_semidefinite(form, 0 * form[..., 0] + 1).sum(axis=-1)
            found |= {"last_pivot": pivot, "slack": sp.factor(pivot[0]) + 0 * pivot}
    return found


_GRADUAL = Scene(
    name="Eq. (7) solved for any correlation",
    shapes=_ROUNDS,
    space=lambda shape: {
        **dict.fromkeys(("D2", "fresh", "fresh_more"), Box(0.1, 1)),
        **dict.fromkeys(("R2", "steady", "steady_more"), Box(0, 1)),
    },
    compute=_gradual,
    covers="an identity between arbitrary constants for 2 to 5 rounds, where any correlation below 1 is a share of two parts",
)
_ASSUMED = {"D2": ("D2", gt(D2, 0))}
OF_GRADUAL = (
    Fact(NOW, _GRADUAL, assumed=_ASSUMED),
    Fact(NOW_MORE, _GRADUAL, assumed=_ASSUMED),
    Fact(PIVOT, _GRADUAL, "slack", _ASSUMED),
)
