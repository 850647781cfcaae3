"""Claims about a few letters, and a scene of one number and its square, for the tests of checks."""

from __future__ import annotations

import sympy as sp

from tests.verify import known as k
from verify.engine.checks import relation as checks
from verify.engine.claim import BUDGETS
from verify.engine.scene import Box, Scene

QUICK = BUDGETS["quick"]
x, y, n = k.x, k.y, k.n
u, v = sp.symbols("u v", real=True)


def of(kind, left, right):
    return kind(left, right, evaluate=False)


def about(id, relation, *conditions, scene=None, check=checks.inequality, **more):
    return k.claim(k.known(id, relation, *conditions), check, scene, **more)


def found(claim, budget=QUICK, seed=0):
    return claim.checks[0](claim, budget, seed)


LINE = Scene(
    "line", ({"d": 1}, {"d": 2}), lambda s: {"u": Box(-1, 1)}, lambda s, values: {"v": values["u"] ** 2}
)
