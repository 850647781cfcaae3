"""CFL, Appendix B.5, corrected: the decrease of the loss in one round, in terms of its gradients.

The local drift S is bounded by gradients and noise, and these in turn by S. As local steps are short, the two bounds together
bound both. They are written with the squared reach (L K eta_l)^2 of the local steps, and L K eta_l eta_g of the server's step.
"""

from __future__ import annotations

import sympy as sp

from bounds.cfl.convex import P_i, bar2, c_max, c_pB, c_pG, cB_i, g2_start, i, over_clients, strayed_i
from bounds.cfl.nonconvex import SIZE, start2
from bounds.cfl.symbols import R2, K, L, N, eta, eta_l, sigma2
from bounds.relations import le
from verify import facts
from verify.engine.model.scene import Condition

MEAN_OF_C = facts.mean_below_largest(c_pB, c_max)

_far2, _pull = (L * K * eta_l) ** 2, L * SIZE
_strayed, _past2 = over_clients(strayed_i[i]), over_clients(P_i[i] ** 2)
_met = 2 * K * N * (c_pB * g2_start + c_pG) + 4 * K * R2 * _past2


def short(number: int, reach: sp.Expr, *of: sp.Expr) -> tuple[Condition, ...]:
    """The implications of a bound on a reach for each quantity."""
    return tuple(le(number * reach * quantity, quantity) for quantity in of)


_weighed = over_clients(cB_i[i] * strayed_i[i])
_apart = K * start2 + N * sigma2 + 2 * K * R2 * _past2
WEIGHED_WAYS = (
    *short(8, _far2 * c_max, sp.S.One),
    le(L**2 * _weighed, _far2 * c_max * (_apart + 2 * L**2 * _strayed)),
    *short(8, _far2 * c_max, K * start2, N * sigma2, L**2 * _strayed, K * R2 * _past2),
    le(8 * L**2 * _weighed, _apart + 2 * L**2 * _strayed),
    le(L**2 * _strayed, L**2 * _weighed),
    le(6 * L**2 * _weighed, _apart),
    le(K * start2, K * N * (c_pB * g2_start + c_pG)),
    le(6 * L**2 * _weighed, K * N * (c_pB * g2_start + c_pG) + N * sigma2 + 2 * K * R2 * _past2),
)
"""Steps of the proof: local drifts weighted by c_pB, bounded by gradients at the start."""

_lighter = L**2 * _strayed
SHORT_WAYS = (
    *WEIGHED_WAYS,
    *short(4, _pull, sp.S.One, K * start2, sigma2, _lighter, K * R2 * _past2),
    le(6 * _lighter, K * N * (c_pB * g2_start + c_pG) + N * sigma2 + 2 * K * R2 * _past2),
    le(
        _pull * (K * start2 + sigma2 + 2 * _lighter + 2 * K * R2 * _past2) + _lighter / 4,
        _pull * (sigma2 / 2 + K * R2 * _past2)
        + K * N * (2 * c_pB - sp.Rational(3, 2)) * g2_start
        + K * N * c_pG
        + K * R2 * _past2 / 2
        + N * sigma2 / 4,
    ),
)
"""Steps of the proof: the change of the loss in a round with short server steps, except for the weights of the past."""

_step = L * eta
_part = _step / 2 + _step**2 + sp.Rational(1, 6)
SMOOTH_WAYS = (
    *short(2, _step, sp.S.One),
    le(_part, _step + sp.Rational(1, 6)),
    le(_part * start2 / N, (_step + sp.Rational(1, 6)) * (c_pB * g2_start + c_pG)),
    *short(2, _step, c_pG),
    le((sp.Rational(11, 6) - _step) * g2_start, (sp.Rational(11, 6) - _step) * c_pB * g2_start),
    le(_part * start2 / N - 2 * _step * g2_start, (2 * c_pB - sp.Rational(3, 2)) * g2_start + c_pG),
    le(R2 * _past2, R2 * over_clients(P_i[i])),
    le(_past2 * g2_start, over_clients(P_i[i]) * g2_start),
)
"""Steps of the proof for a round with server steps of twice the length."""

DESCENT = (
    *short(64, _far2 * c_max, sp.S.One),
    *short(64, _far2 * c_pB, sp.S.One),
    *short(64, _far2, sp.S.One),
    *short(32, _pull * c_max, sp.S.One),
    *short(32, _pull * c_pB, sp.S.One),
    *short(32, _pull, sp.S.One),
    le(bar2, _met + 4 * L**2 * _strayed),
    le(_strayed, eta_l**2 * K**2 * (_met + N * sigma2 + 4 * L**2 * _strayed)),
    le(15 * _strayed, 16 * eta_l**2 * K**2 * (_met + N * sigma2)),
    le(15 * L**2 * _strayed, 16 * _far2 * (_met + N * sigma2)),
    *short(32, _pull, L**2 * _strayed),
    le(_pull * bar2, _pull * (_met + 4 * L**2 * _strayed)),
    le(8 * _pull * bar2, 8 * _pull * _met + L**2 * _strayed),
    *short(64, _far2 * c_pB, g2_start),
    *short(64, _far2, R2 * _past2),
    *short(32, _pull * c_pB, g2_start),
    *short(32, _pull, R2 * _past2),
    le(
        L**2 * _strayed + _pull * bar2,
        N * K * (g2_start / 4 + c_pG * (3 * _far2 + 4 * _pull))
        + 3 * N * sigma2 * _far2
        + K * R2 * _past2 / 4,
    ),
)
