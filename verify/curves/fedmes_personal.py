"""Distance of personal models to the personal optimum, compared with the rate g(r) of the global model (Theorem 2 of FedMeS).

All clients have the same curvature. The global model then converges to the global optimum for any number of local steps, as
Assumption 1 requires. Every client has one sample, so nothing is random.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from algorithms.algorithm import Algorithm
from algorithms.ditto import ditto
from algorithms.draws import minibatches
from algorithms.fedmes import fedmes, fixed_strength
from algorithms.memory import first_in_first_out
from algorithms.simulate import states
from bounds.fedmes.personal import THEOREM_2
from nqm.fields import sq
from nqm.finite_sum import FiniteSum
from nqm.quadratic import DiagonalQuadratic

CURVATURE = np.array([1.0, 0.5])
CENTRES = np.array([[2.0, 0.0], [-1.0, 1.5], [-1.0, -1.5]])
"""Optima of the clients, (n, d); their mean, the global optimum, is zero."""
START = np.array([4.0, 4.0])
ETA, LAM, ROUNDS = 0.1, 1.0, 40
LOCAL_STEPS = (1, 5, 20)
DITTO_STEPS = 5
N = len(CENTRES)
WORLD = FiniteSum(DiagonalQuadratic(CURVATURE[None, None], CENTRES[None]), N)
OPTIMA = CURVATURE * CENTRES / (CURVATURE + LAM)
"""Personal optima, the minimisers of (2) around the global optimum, (n, d)."""


def compute(seed: int) -> dict[str, Any]:
    """Squared distances to the optimum after each round: of the global model, and of personal models (mean over clients)."""
    method = fedmes(ETA, ETA, N, 0, first_in_first_out(1), fixed_strength(LAM))
    found = {E: _distances(method, E) for E in LOCAL_STEPS}
    persistent = _distances(ditto(ETA, ETA, LAM, N), DITTO_STEPS)
    return {
        "shows": [THEOREM_2.id],
        "parameters": {"n": N, "eta_1": ETA, "lam": LAM, "d": 2},
        "curvature": CURVATURE,
        "centres": CENTRES,
        "rounds": np.arange(1, ROUNDS + 1),
        "local_steps": LOCAL_STEPS,
        "rate": {str(E): rate for E, (rate, _) in found.items()},
        "error": {str(E): error for E, (_, error) in found.items()},
        "floor": {str(E): _floor(E) for E in LOCAL_STEPS},
        "ditto": {"local_steps": DITTO_STEPS, "rate": persistent[0], "error": persistent[1]},
    }


def _distances(method: Algorithm, local_steps: int) -> tuple[np.ndarray, np.ndarray]:
    """The rate g(r) of the model that clients download in round r, and the error of the personal models after round r."""
    draws = minibatches(0, 1, np.ones((1, N), dtype=int), N, local_steps, 1)
    path = [state for *_, state in states(WORLD, method, draws, START, ROUNDS)]
    rate = np.array([sq(state["theta"])[0] for state in path[:-1]])
    error = np.array([sq(method.served(state)[0] - OPTIMA).mean() for state in path[1:]])
    return rate, error


def _floor(local_steps: int) -> float:
    """Mean error of the personal models after E local steps that start at the global optimum."""
    left = (1 - ETA * (CURVATURE + LAM)) ** local_steps
    return float(sq(left * OPTIMA).mean())
