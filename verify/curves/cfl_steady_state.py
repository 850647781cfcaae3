"""Steady state of CFL with constant steps: exact moments compared with its one-round bound, over N, K, D and R.

The losses are quadratics with two axes. The steps are the largest that the bound allows (line 771), with the weights of
Lemma B.4. Runs start at the minimiser and are long enough for the start to have no influence. The clients are either new in
every round, so that Assumption 3 holds given the model, or the same in every round.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bounds.catalogue import statement
from bounds.cfl.convex import P, P_i, i, over_clients, step_limit
from bounds.cfl.symbols import N
from bounds.cfl.uncorrelated import uncorrelated_weights
from bounds.evaluate import evaluate
from nqm.drift import Path, Rounds, Source

CURVATURE = np.array([1.0, 2.0])
CFL, FEDAVG, SINGLE = (statement(f"cfl.{id}") for id in ("eq23/moving", "eq24", "onestep/single"))
ALIKE = SINGLE.rhs.subs({over_clients(P_i[i] ** 2): N * P**2, over_clients(P_i[i]): N * P})
"""The bound on one local step for clients with equal weights."""
ROUNDS = 200
STANDARD = {"N": 10, "K": 1, "D": 2.0, "R": 0.5, "G": 1.0, "sigma": 1.0}
SWEEPS = {
    "N": np.unique(np.geomspace(1, 300, 10).round().astype(int)),
    "K": np.unique(np.geomspace(1, 100, 8).round().astype(int)),
    "D": np.geomspace(0.05, 20, 12),
    "R": np.geomspace(0.01, 20, 12),
}
MU, L = float(CURVATURE.min()), float(CURVATURE.max())
ETA = float(evaluate(step_limit(1, 12), {"L": L, "eta_g": 1.0}))
"""K eta_l at eta_g = 1, for every K. Drifts do not grow with the gradient, so c_pB = 1."""


def compute(seed: int) -> dict[str, Any]:
    """Excess loss in the last round and its bounds, for every value of each sweep; nothing is random."""
    return {
        "shows": [CFL.id],
        "parameters": {**STANDARD, "eta": ETA, "rounds": ROUNDS, "curvature": CURVATURE},
        "sweeps": {
            name: {"values": values, **_swept([{**STANDARD, name: value} for value in values.tolist()])}
            for name, values in SWEEPS.items()
        },
    }


def _swept(settings: list[dict[str, float]]) -> dict[str, list[float]]:
    points = [_at(setting) for setting in settings]
    shared = set.intersection(*(set(point) for point in points))
    return {name: [point[name] for point in points] for name in points[0] if name in shared}


def _at(setting: dict[str, float]) -> dict[str, float]:
    """Exact excess losses and bounds of one setting."""
    remembering = _remembering(setting["D"] ** 2, setting["R"] ** 2)
    cfl, fedavg = (_rounds(setting, weights) for weights in (remembering, np.eye(ROUNDS)))
    sources = _sources(setting)
    new, alone = cfl.of_new_clients(sources), fedavg.of_new_clients(sources)
    single = {"cfl_single_bound": _solved(setting, new, remembering[-1])} if setting["K"] == 1 else {}
    return {
        **single,
        "cfl": _excess(new),
        "cfl_returning": _excess(cfl.of_returning_clients(sources)),
        "fedavg": _excess(alone),
        "cfl_bound": _bound(CFL, setting, new, remembering[-1]),
        "fedavg_bound": _bound(FEDAVG, setting, alone, np.eye(ROUNDS)[-1]),
    }


def _remembering(D2: float, R2: float) -> np.ndarray:
    """Weights of Lemma B.4 in every round, (T, T)."""
    weights = np.zeros((ROUNDS, ROUNDS))
    for t in range(ROUNDS):
        weights[t, : t + 1] = uncorrelated_weights(t + 1, D2, R2)
    return weights


def _rounds(setting: dict[str, float], weights: np.ndarray) -> Rounds:
    """The rounds of a setting. All information loss is along the axis of lowest curvature, where its effect is largest."""
    axes = len(CURVATURE)
    return Rounds(
        curvature=CURVATURE,
        start=np.zeros(axes),
        local_lr=np.array(ETA / setting["K"]),
        global_lr=np.array(1.0),
        local_steps=int(setting["K"]),
        n_clients=int(setting["N"]),
        weights=weights,
        loss=setting["R"] * np.eye(axes)[CURVATURE.argmin()][None, None],
        noise=np.full(axes, setting["sigma"] ** 2 / axes),
    )


def _sources(setting: dict[str, float]) -> list[Source]:
    """The two sources of drift, equal in all axes: the permanent drift of a client, and the drift of a round."""
    spread = {name: np.full(len(CURVATURE), setting[name] ** 2 / len(CURVATURE)) for name in "GD"}
    return [Source(np.ones((ROUNDS, ROUNDS)), spread["G"]), Source(np.eye(ROUNDS), spread["D"])]


def _excess(path: Path) -> float:
    """E[f(w) - f*] after the last round."""
    return float((CURVATURE * (path.mean**2 + path.variance)[-1]).sum() / 2)


def _bound(bound: Any, setting: dict[str, float], path: Path, weights: np.ndarray) -> float:
    """Right-hand side of a one-round bound in the last round."""
    return float(evaluate(bound.rhs, _values(setting, path, weights)))


def _solved(setting: dict[str, float], path: Path, weights: np.ndarray) -> float:
    """The bound on the excess loss in the last round, obtained by solving the bound on a round with one local step for it."""
    values = _values(setting, path, weights)
    return float(evaluate(ALIKE, {**values, "gap": 0.0}) - values["after2"]) / ETA


def _values(setting: dict[str, float], path: Path, weights: np.ndarray) -> dict[str, Any]:
    before, after = path.second_moment[-2:]
    return {
        "N": setting["N"],
        "K": setting["K"],
        "eta": ETA,
        "eta_g": 1.0,
        "mu": MU,
        "L": L,
        "sigma2": setting["sigma"] ** 2,
        "G2": setting["G"] ** 2,
        "D2": setting["D"] ** 2,
        "R2": setting["R"] ** 2,
        "c_pG": setting["G"] ** 2 + setting["D"] ** 2 * float(weights @ weights),
        "P_past": float(weights[:-1].sum()),
        "dist_star": float(np.sqrt(before)),
        "dist2_star": float(before),
        "after2": float(after),
    }
