"""Claims about a few symbols, and a scene of one number and its square, for tests of checks."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import sympy as sp
import torch

from tests.verify import known as k
from verify.engine.checks import relation as checks
from verify.engine.model.claim import BUDGETS
from verify.engine.model.instance import Instance
from verify.engine.model.scene import Box, Scene

QUICK = BUDGETS["quick"]
x, y, n = k.x, k.y, k.n
u, v, w = sp.symbols("u v w", real=True)


def of(kind, left, right):
    return kind(left, right, evaluate=False)


def about(id, relation, *conditions, scene=None, check=checks.inequality, **more):
    return k.claim(k.known(id, relation, *conditions), check, scene, **more)


def found(claim, budget=QUICK, seed=0):
    return claim.checks[0](claim, budget, seed)


LINE = Scene(
    "line", ({"d": 1}, {"d": 2}), lambda s: {"u": Box(-1, 1)}, lambda s, values: {"v": values["u"] ** 2}
)


def column(*numbers):
    return torch.tensor(numbers, dtype=torch.float64)


def at(**numbers):
    """An exact instance of dimension 1 with these numbers; a tuple holds the entries of one quantity."""
    parameters = {
        name: np.array([Fraction(y) for y in x] if isinstance(x, tuple) else Fraction(x), dtype=object)
        for name, x in numbers.items()
    }
    return Instance({"d": 1}, parameters, {})
