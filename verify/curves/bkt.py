"""The correction of Theorem 4.7 against t, beside what its conditions give for free, and two aligned worlds.

For every t the steps are the largest that the theorem admits, so each t is a run of its own. Losses are quadratic
with one curvature per task, on a ball that no run leaves (see `confined`), and expectations are exact. In the world
"aligned" the gradients of the current task agree with that of the earlier tasks up to an angle; in the world "noise"
the current task has no gradient, which is the least that alignment asks for, so that all movement is noise.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bounds.evaluate import evaluate
from bounds.special import BKT, GAMMA_L_BKT
from bounds.special_symbols import G0, B, E, K, L, gamma_G, gamma_L, lam
from nqm.constants import Ball, Constants, constants
from nqm.federation import grad_at, loss_at
from nqm.fields import norm
from nqm.noise import Rademacher
from nqm.quadratic import DiagonalQuadratic
from verify.curves.confined import Steps, confining_ball, named
from verify.engine.exact import expected_loss, moments

delta = gamma_G * gamma_L * E * B / lam
FREE = {
    "drift": G0 * delta + (K - 1) * L / 2 * delta**2,
    "aligned": (K - 1) * L / 2 * delta**2,
}
"""What costs nothing: smoothness and the drift of Lemma 4.9; and, as alignment makes the linear part <= 0, less."""
