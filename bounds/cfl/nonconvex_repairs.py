"""CFL, one round where losses are not convex: what is true instead of the steps of Appendix B.5."""

from __future__ import annotations

import sympy as sp

from bounds.cfl.convex import LOST, SIZE, c_max, c_pG, g2_start, i, over_clients, strayed_i
from bounds.cfl.nonconvex import SMOOTH, downhill, loss_next, loss_now
from bounds.cfl.symbols import K, L, N, at, eta, eta_l, sigma2
from bounds.hypotheses import Hypothesis
from bounds.relations import le

SHORT = (le(K * eta_l, 1 / (8 * L * sp.sqrt(c_max))), le(SIZE, 1 / (32 * L * c_max)))
DRIFTS = 4 * L * eta + 3 * (K * eta_l * L) ** 2
NOISY = (L * eta / (N * K) + 3 * K * (eta_l * L) ** 2) * sigma2
_b5 = at("Appendix B.5", "849-948")
STATEMENTS = (
    _b5(
        "nc.downhill/repaired",
        "the update along the gradient: half of its square, local drift, information loss",
        le(downhill, -eta / 2 * g2_start + eta * L**2 / (N * K) * over_clients(strayed_i[i]) + eta * LOST),
        assumes=SMOOTH,
        changes="compares the weighted gradients at the local models with those at the start, where their mean is the gradient, "
        "instead of with the gradient itself: no factor c_0",
    ),
    DESCENT := _b5(
        "nc.descent/repaired",
        "the loss falls by a quarter of the squared gradient, up to drifts times the step, information loss and noise",
        le(
            loss_next,
            loss_now - eta / 4 * g2_start + eta * (DRIFTS * c_pG + sp.Rational(5, 4) * LOST + NOISY),
        ),
        conditions=SHORT,
        assumes=SMOOTH,
        hypotheses=(Hypothesis.NEW_CLIENTS,),
        uses=("nc.downhill/repaired",),
        changes="a step size exists for every L, and drifts count times the step, not in full",
    ),
)
