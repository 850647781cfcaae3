"""CFL: one round on convex losses, from drifts at the server's model and distances from it.

The local drift S is bounded by gradients and noise, and these in turn by S. As local steps are short, the two bounds together
bound both. They are written with the squared reach (L K eta_l)^2 of the local steps, and L K eta_l eta_g of the server's step.
"""

from __future__ import annotations

import sympy as sp

from bounds.cfl.convex import SIZE, P_i, c_max, c_pB, c_pG, g2_start, gap, i, over_clients, strayed_i
from bounds.cfl.symbols import R2, K, L, N, eta_l, sigma2
from bounds.relations import le
from verify.engine.model.scene import Condition
from verify.scenes.cfl.descent_ways import short

_far2, _pull = (L * K * eta_l) ** 2, L * SIZE
_strayed, _past2 = over_clients(strayed_i[i]), over_clients(P_i[i] ** 2)
_drift = 2 * K * N * c_pG + 4 * K * R2 * _past2
_met = 2 * K * N * c_pB * g2_start + _drift
ROUND_WAYS: tuple[Condition, ...] = (
    *short(16, _far2 * c_max, sp.S.One),
    *short(16, _far2 * c_pB, sp.S.One),
    *short(16, _far2, sp.S.One),
    *short(16, _pull * c_max, sp.S.One),
    *short(16, _pull * c_pB, sp.S.One),
    *short(16, _pull, sp.S.One),
    le(_strayed, eta_l**2 * K**2 * (_met + N * sigma2 + 4 * L**2 * _strayed)),
    le(3 * _strayed, 4 * eta_l**2 * K**2 * (_met + N * sigma2)),
    le(3 * L**2 * _strayed, 4 * _far2 * (_met + N * sigma2)),
    *short(16, _pull, L**2 * _strayed),
    le((2 + 4 * _pull) * L**2 * _strayed, 3 * _far2 * (_met + N * sigma2)),
    *short(16, _far2 * c_pB, g2_start),
    *short(16, _pull * c_pB, g2_start),
    le(g2_start, 2 * L * gap),
    le(
        (2 + 4 * _pull) * L**2 * _strayed + _pull * _met,
        N * K * L * gap + (3 * _far2 + _pull) * _drift + 3 * N * sigma2 * _far2,
    ),
)
