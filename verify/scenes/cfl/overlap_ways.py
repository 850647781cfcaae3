"""CFL, Remark 4.8, corrected: dependence of the optimal value on the unshared drift M^2 = max(0, D^2 - F^2).

The optimal value is G^2 + M^2 (M^2 + (t - 1) R^2)/c with c = t M^2 + (t - 1) R^2, which equals G^2 + M^2 - (t - 1) M^4/c. After
adding the shared drift D^2 - M^2, only the last term depends on M.
"""

from __future__ import annotations

import sympy as sp

from bounds.cfl.symbols import D2, F2, R2, t
from bounds.cfl.weight_sums import F2_more, common
from bounds.relations import eq, ge, le

_past = t - 1
_one, _more = (sp.Max(0, D2 - shared) for shared in (F2, F2_more))


def _split(alone: sp.Expr) -> sp.Eq:
    below = common(alone)
    return eq(alone * (alone + R2 * _past) / below, alone - _past * alone**2 / below)


MORE_OVERLAP = (
    le(_past * R2 * _more**2, _past * R2 * _one**2),
    ge(_past * _one**2 * common(_more), _past * _more**2 * common(_one)),
    ge(_past * _one**2 / common(_one), _past * _more**2 / common(_more)),
    _split(_one),
    _split(_more),
)
