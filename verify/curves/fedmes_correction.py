"""Memory loss and inner product along repeated corrections (6) of FedMeS, compared with Theorem 1 and Remark 1.

Losses are quadratic, so all values are exact. Expectations over batches of one sample enumerate all sequences of batches.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bounds.fedmes.correction import THEOREM_1
from bounds.fedmes.learning import REPAIRED
from nqm.fields import dot, sq
from verify.scenes.fedmes.correction import correction

STEPS = 40
FEW = 10
"""Number of corrections with batches of one of two samples; they have 2**FEW sequences."""
RATE = 0.1
KAPPA = 1.0
"""Weight kappa of the memory gradient in a correction that also descends the memory loss."""
RANDOM_WORLDS, RANDOM_STEPS, RANDOM_RATE = 2000, 300, 0.05
"""Numbers of random worlds in two dimensions and of their steps, and the rate, to count how often a conflict ends."""


@dataclass(frozen=True)
class Losses:
    """Quadratic losses: curvatures and centres of the memory's samples, (..., S, d), and of the current task, (..., d)."""

    h: np.ndarray
    c: np.ndarray
    h_now: np.ndarray
    c_now: np.ndarray

    def current(self, x: np.ndarray) -> np.ndarray:
        """Gradient of the current loss at x (..., d)."""
        return self.h_now * (x - self.c_now)

    def memory(self, x: np.ndarray) -> np.ndarray:
        """Gradients of the samples at x (..., d): (..., S, d)."""
        return self.h * (x[..., None, :] - self.c)

    def inner(self, x: np.ndarray) -> np.ndarray:
        """Inner product of the current gradient and that of the whole memory."""
        return dot(self.current(x), self.memory(x).mean(axis=-2))

    def gap(self, x: np.ndarray) -> np.ndarray:
        """Loss of the whole memory minus its minimum."""
        curve = self.h.mean(axis=-2)
        return (curve * (x - (self.h * self.c).mean(axis=-2) / curve) ** 2).sum(axis=-1) / 2


def _losses(memory: Any, centres: Any, now: Any, centre: Any) -> Losses:
    return Losses(*(np.array(x, dtype=float) for x in (memory, centres, now, centre)))


WORLDS = {
    "stuck": _losses([[1]], [[0]], [2], [2]),
    "sharper": _losses([[1, 1]], [[0, 0]], [2, 2], [2, 0]),
    "milder": _losses([[0.5, 2]], [[0, 0]], [2, 0.25], [-1, 1]),
}
"""Worlds by name. In one dimension corrections are zero; in two dimensions they can increase or decrease a conflict."""
START = {"stuck": [0.5], "sharper": [0.5, 0.5], "milder": [-0.5, 0.5]}
TWO_SAMPLES = _losses([[1.5, 0.5], [0.5, 1]], [[0, 0.25], [0.25, 0]], [1, 1], [3, 3])
TWO_SAMPLES_START = [1.0, 0.8]


def compute(seed: int) -> dict[str, Any]:
    """Gap and inner product at w^(1), w^(2), ... of every world, and how often random conflicts end."""
    paths = {name: whole(WORLDS[name], np.array(START[name], float), STEPS, RATE) for name in WORLDS}
    drawn = sampled(TWO_SAMPLES, np.array(TWO_SAMPLES_START), FEW, RATE)
    return {
        "shows": [THEOREM_1.id, REPAIRED.id],
        "rate": RATE,
        "gap": {name: WORLDS[name].gap(x) for name, x in paths.items()},
        "inner": {name: WORLDS[name].inner(x) for name, x in paths.items()},
        "learning": learning(WORLDS["milder"], np.array(START["milder"], float), STEPS, RATE, KAPPA),
        "batches": {"gap": [TWO_SAMPLES.gap(x).mean() for x in drawn], **_theorem(TWO_SAMPLES, drawn)},
        "share": {
            "worlds": RANDOM_WORLDS,
            "steps": RANDOM_STEPS,
            "rate": RANDOM_RATE,
            "ended": _share_without_conflict(seed),
        },
    }


def whole(losses: Losses, start: np.ndarray, steps: int, rate: float) -> np.ndarray:
    """Models (steps + 1, ..., d) under corrections with the whole memory; NaN after gradients stop conflicting."""
    path = [start]
    for _ in range(steps):
        x = path[-1]
        memory = losses.memory(x).mean(axis=-2, keepdims=True)
        conflict = (losses.inner(x) < 0)[..., None]
        with np.errstate(invalid="ignore", divide="ignore"):
            path.append(np.where(conflict, x - rate * _corrected(losses, x, memory)[..., 0, :], np.nan))
    return np.array(path)


def learning(losses: Losses, start: np.ndarray, steps: int, rate: float, kappa: float) -> dict[str, Any]:
    """Gap under corrections that also descend the memory loss, and a bound that is proved for them."""
    path, squares = [start], []
    for _ in range(steps):
        x = path[-1]
        memory = losses.memory(x).mean(axis=-2, keepdims=True)
        step = _corrected(losses, x, memory)[0]
        squares.append(sq(step))
        path.append(x - rate * (step + kappa * memory[0]))
    curve, gap = losses.h.mean(axis=-2), losses.gap(np.array(path))
    constants = {"L": curve.max(), "c": curve.min(), "eta_2": rate, "kappa": kappa}
    first = {"gap_1": float(gap[0]), "moved2": float(max(squares))}
    bound = [REPAIRED.at(s=s, **constants, **first) for s in range(2, steps + 2)]
    return {"statement": REPAIRED.id, "kappa": kappa, "gap": gap, "bound": [None, *bound]}


def sampled(losses: Losses, start: np.ndarray, steps: int, rate: float) -> list[np.ndarray]:
    """Models (S**s, d) after s = 0, 1, ... corrections with single samples, over all sequences.

    Raises
    ------
    ValueError
        If some gradients do not conflict, so that the method makes no correction.
    """
    path = [start[None]]
    for _ in range(steps):
        x = path[-1]
        memory = losses.memory(x)
        if (dot(losses.current(x)[..., None, :], memory) >= 0).any():
            raise ValueError(
                "`start` must be where all gradients conflict for as many steps as are asked for."
            )
        path.append((x[:, None] - rate * _corrected(losses, x, memory)).reshape(-1, x.shape[-1]))
    return path


def _corrected(losses: Losses, x: np.ndarray, memory: np.ndarray) -> np.ndarray:
    """Correction (6) at x (..., d) with each of the memory gradients (..., outcome, d)."""
    d = x.shape[-1]
    found = correction(losses.current(x).reshape(-1, d), memory.reshape(-1, *memory.shape[-2:]))
    return found.reshape(memory.shape)


def _theorem(losses: Losses, path: list[np.ndarray]) -> dict[str, Any]:
    """Constants of Theorem 1 along the path, and its bound."""
    curve = losses.h.mean(axis=-2)
    spread = max(
        float(sq(losses.memory(x) - losses.memory(x).mean(axis=-2, keepdims=True)).mean(axis=-1).max())
        for x in path
    )
    constants = {"L": curve.max(), "c": curve.min(), "mu": 1.0, "Mn": spread}
    return {"constants": constants, "bound": THEOREM_1.at(**constants)}


def _share_without_conflict(seed: int) -> float:
    """Among random worlds with a conflict at the start, the share in which repeated corrections end the conflict."""
    rng = np.random.default_rng(seed)
    n = 20 * RANDOM_WORLDS
    pair = (n, 2)
    some = Losses(
        rng.uniform(0.1, 2, (n, 1, 2)),
        np.zeros((n, 1, 2)),
        rng.uniform(0.1, 2, pair),
        rng.uniform(-2, 2, pair),
    )
    start = rng.uniform(-2, 2, pair)
    chosen = np.flatnonzero(some.inner(start) < 0)[:RANDOM_WORLDS]
    worlds = Losses(*(getattr(some, name)[chosen] for name in ("h", "c", "h_now", "c_now")))
    end = whole(worlds, start[chosen], RANDOM_STEPS, RANDOM_RATE)
    return float(np.isnan(end[-1]).any(axis=-1).mean())
