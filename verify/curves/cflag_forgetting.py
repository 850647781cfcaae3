"""Forgetting and overfitting terms of C-FLAG along a run, and Theorem 2 against T, with memories drawn once and in every round.

Losses are quadratic. Hence, for each draw of the memories, every vector of a round is an affine function of the model at its
start, in each coordinate. With memories drawn once, there is one path for each draw. With memories drawn in every round, mean
and second moment of the model follow from recursions. In both cases all expectations are exact.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import bounds.cflag.symbols as of
from bounds.cflag.forgetting import GAMMA_15
from bounds.cflag.growth import FACTOR
from bounds.cflag.rate import RATE
from bounds.evaluate import evaluate
from verify.engine.model.scene import Shape
from verify.scenes.cflag.floors import cancelling
from verify.scenes.cflag.memories import Clients, clients_of, one_draw, sizes
from verify.scenes.cflag.memory_rounds import SERVER, play

Values = dict[str, Any]
Affine = tuple[np.ndarray, np.ndarray]
"""Slope and offset of a vector as a function of the model at the start of the round, each of shape (draw, d)."""

STEPS, ROUNDS, REACH = 4, 64, 0.16
"""Local steps E; rounds of the plotted run; c in beta = c/sqrt(T)."""
HORIZONS = 2 ** np.arange(11)
GIVEN = {"L": 1.0, "m": 1.0, "E": STEPS, "alpha": 0.5}
"""alpha = 1/(L(m+1)), as in Theorem 2."""

SHAPE = sizes(N=2, S=2, J=2, E=STEPS)
PULLED: Values = {
    "raw": np.ones((1, 2)),
    "unit": np.ones(1),
    "past_h": np.array([[0.1, 1.9], [0.4, 1.6]])[None, :, :, None],
    "bent": np.ones((1, 2)),
    "now_h": np.full((1, 2, 2, 1), 0.5),
    "now_c": np.array([[1.2, 0.8], [0.6, 0.2]])[None, :, :, None],
    "order": np.array([[0, 1, 0], [1, 0, 1]], dtype=float)[None],
    "start": np.array([-1.0]),
}
"""Past losses with minimiser 0 and different curvatures; current losses with minimisers on the other side."""
FROZEN: Values = {
    "L": np.ones(1),
    "slope": np.ones(1),
    "x": np.ones((1, 2)),
    "order": np.zeros((1, 2, STEPS - 1)),
    "start": np.array([1.0, 0.0]),
}
"""Two clients whose memories cancel in one of four draws (`verify.cflag_rate.cancelling`)."""


@dataclass(frozen=True)
class Moments:
    """Mean and second moment of the model before each round, (round, draw, d). For memories drawn once, these are the paths."""

    first: np.ndarray
    second: np.ndarray

    def product(self, v: Affine, w: Affine) -> np.ndarray:
        """Expected inner product of two vectors for each draw of the round, (round, draw)."""
        square = v[0] * w[0] * self.second
        return (square + (v[0] * w[1] + v[1] * w[0]) * self.first + v[1] * w[1]).sum(axis=-1)


def compute(seed: int) -> Values:
    """Terms of every round of one run, and both sides of Theorem 2 for every T; nothing is random."""
    clients = clients_of(SHAPE, PULLED)
    beta = REACH / np.sqrt(ROUNDS)
    vectors = affine(SHAPE, PULLED, clients, beta)
    modes = {mode: terms(vectors, PULLED["start"], beta, mode) for mode in ("once", "redrawn")}
    frozen = cancelling(sizes(N=2, S=2, d=2, E=STEPS), FROZEN)
    return {
        "shows": ["cflag.thm2", "cflag.lem1", "cflag.thm5"],
        "parameters": {"N": 2, **GIVEN, "c": REACH, "T": ROUNDS},
        "statements": {"forgetting": of.CFLAG.latex(GAMMA_15), "rate": of.CFLAG.latex(RATE[0])},
        "rounds": np.arange(ROUNDS),
        "draws": len(one_draw(SHAPE)),
        "series": modes,
        "bound": bound(vectors, PULLED["start"], beta),
        "theorem": {mode: theorem(frozen, mode) for mode in ("once", "redrawn")},
        "horizons": HORIZONS,
        "floor": FROZEN["start"][0] ** 2 / 64,
    }


def affine(shape: Shape, values: Mapping[str, Any], clients: Clients, beta: float) -> dict[str, Affine]:
    """Every vector of a round, and the model after it, as affine functions of the model before it."""
    kept = one_draw(shape)
    given = {**values, "beta": np.array([beta])}
    dim = len(values["start"])

    def at(x: float) -> dict[str, np.ndarray]:
        now = play(shape, given, clients, kept, np.full((1, len(kept), dim), x))
        after = SERVER["eq24"](now, GIVEN["alpha"], beta)
        return {
            "f": now.gf,
            "d": now.fd,
            "g": now.gg,
            "b": now.b,
            "s": now.s,
            "gap": now.gg - now.fd,
            "after": after,
        }

    here, there = at(0.0), at(1.0)
    wide = np.zeros((len(kept), dim))
    return {name: ((there[name] - here[name])[0] + wide, here[name][0] + wide) for name in here}


def moments(after: Affine, start: np.ndarray, rounds: int, mode: str) -> Moments:
    """Moments of the model before rounds 0..`rounds` - 1 and after the last one; `mode` is "once" or "redrawn"."""
    slope, offset = after
    first, second = start + 0 * offset, start**2 + 0 * offset
    path = [(first, second)]
    for _ in range(rounds):
        second = slope**2 * second + 2 * slope * offset * first + offset**2
        first = slope * first + offset
        if mode == "redrawn":
            first, second = (x.mean(axis=0) + 0 * offset for x in (first, second))
        path.append((first, second))
    return Moments(*(np.stack(parts) for parts in zip(*path, strict=True)))


def terms(vectors: Mapping[str, Affine], start: np.ndarray, beta: float, mode: str) -> Values:
    """Gamma(t) and B(t) of Eq. (15) and (9) with sums from k = 0: expectations, and the range over draws if drawn once."""
    path = moments(vectors["after"], start, ROUNDS - 1, mode)
    L, alpha = GIVEN["L"], GIVEN["alpha"]
    product = lambda v, w: path.product(vectors[v], vectors[w])  # noqa: E731
    forgotten = L / 2 * beta**2 * product("s", "s") - beta * (1 - L * alpha) * product("d", "s")
    overfit = (L * alpha**2 - alpha) * product("f", "b") + beta * product("b", "s")
    each = {"forgetting": forgotten, "overfitting": overfit}
    return {
        name: {"mean": x.mean(axis=1), "low": x.min(axis=1), "high": x.max(axis=1)}
        for name, x in each.items()
    }


def bound(vectors: Mapping[str, Affine], start: np.ndarray, beta: float) -> Values:
    """Bounds on the forgetting with memories drawn once: Eq. (158), and the bound by the difference of the gradients only."""
    path = moments(vectors["after"], start, ROUNDS - 1, "once")
    square = lambda name: path.product(vectors[name], vectors[name])  # noqa: E731
    r = np.sqrt((square("d") / square("g")).max())
    factor = evaluate(FACTOR, {**GIVEN, "beta": beta, "r": r})
    apart = beta * STEPS * (1 - GIVEN["L"] * GIVEN["alpha"]) / 2 * square("gap")
    return {"proof": factor * square("g").mean(axis=1), "gap": apart.mean(axis=1), "r": r}


def theorem(clients: Clients, mode: str) -> Values:
    """Both sides of Theorem 2 for every T, with beta = c/sqrt(T), in the world where memories may cancel."""
    shape = sizes(N=2, S=2, d=2, E=STEPS)
    both = [_sides(shape, clients, int(T), mode) for T in HORIZONS]
    return {"measured": [least for least, _ in both], "bound": [right for _, right in both]}


def _sides(shape: Shape, clients: Clients, T: int, mode: str) -> tuple[float, float]:
    beta = REACH / np.sqrt(T)
    vectors = affine(shape, FROZEN, clients, beta)
    path = moments(vectors["after"], FROZEN["start"], T, mode)
    product = lambda v, w: path.product(vectors[v], vectors[w]).mean(axis=1)  # noqa: E731
    L, alpha, m = (GIVEN[name] for name in ("L", "alpha", "m"))
    forgotten = L / 2 * beta**2 * product("s", "s") - beta * (1 - L * alpha) * product("d", "s")
    slope, offset = vectors["f"]
    loss = (slope * path.second / 2 + offset * path.first).sum(axis=-1).mean(axis=1)
    right = 2 * L * (1 + m) / T * (loss[0] - loss[-1] + forgotten[:-1].sum())
    return float(product("f", "f")[:-1].min()), float(right)
