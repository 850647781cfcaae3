"""Variants of CFL's noisy quadratic model, and the best rates of each. Section 5.1 does not specify all parameters.

Only N times the squared distance of the start matters, and not N, the dimension and the start separately: all variances of
the text are divided by N, and both the variances and the start are spread evenly over the axes of A. The loss is the root
mean square of |Aw + B|.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from bounds.cfl.nqm import BEST_RATES, CLIENT2, NOISE2, SETTINGS, Setting
from nqm.noisy_quadratic import LocalRound, Memory, Response, equal, local_round, responses

RATES = np.arange(1, 41) / 100
"""Learning rates, in the steps of Table 3, up to 2/L at L = 5."""

AXES = (10, 30)
"""Numbers of eigenvalues, equally spaced from mu to L."""
STARTS = ("distance", "gradient")
"""The quantity that is equal in all axes at the start: the distance from the optimum, or Aw + B."""
SIGNALS = 10.0 ** np.arange(-1, 6.5, 0.5)
"""Values of N times the squared start."""
CLIENTS = ("stay", "new")
"""The same N clients in every round, or new ones."""
MEASURES = ("last", "mean", "best")
"""The loss that a rate minimises: of the last round, the mean over rounds, or of the best round."""
ROUNDS = (50, 200, 500)
"""Numbers of rounds, in increasing order."""
LOCAL_STEPS = (1, 5, 10)


class Method(NamedTuple):
    """A row of Table 3 with its unspecified parameters: FedProx's penalty, and the weights of CFL."""

    row: str
    pull: float
    present: str


METHODS = (
    Method("FedAvg", 0, "new"),
    Method("FedProx", 0.1, "new"),
    Method("FedProx", 1, "new"),
    Method("FedProx", 10, "new"),
    Method("CFL", 0, "equal"),
    Method("CFL", 0, "half"),
)


def half(t: int, one: Any) -> Any:
    """Weight of the current round, equal to the total weight of all past rounds."""
    return one if t == 1 else one / 2


PRESENT = {"new": lambda t, one: one, "equal": equal, "half": half}


def _memory() -> Memory:
    """The memories of all methods, along an array axis before those of the rates and the axes of A."""

    def present(t: int, one: np.ndarray) -> np.ndarray:
        shares = [np.broadcast_to(PRESENT[m.present](t, np.ones(1)), 1)[0] for m in METHODS]
        return np.array(shares)[:, None, None]

    return Memory(present, equal, lambda t, one: 1 - present(t, one))


def spectrum(setting: Setting, axes: int) -> np.ndarray:
    """Equally spaced eigenvalues from mu to L."""
    return np.linspace(setting.mu, setting.L, axes)


def squared_start(curvature: np.ndarray, start: str) -> np.ndarray:
    """Squared Aw + B at the start, by axis: 1 in each for "gradient", the squared eigenvalue for "distance"."""
    return curvature**2 if start == "distance" else (curvature > 0) * 1.0


def rounds_of(curvature: np.ndarray, rates: np.ndarray, pull: np.ndarray, local_steps: int) -> LocalRound:
    """A round at every rate (..., rate, axis), with NaN at rates for which it diverges."""
    local = local_round(curvature, rates[:, None], local_steps, pull)
    diverges = (np.abs(local.decay) > 1 + 1e-12).any(axis=-1, keepdims=True)
    masked = (np.where(diverges, np.nan, part) for part in (local.decay, local.reach, local.stir))
    return LocalRound(*masked)


@dataclass(frozen=True)
class Energies:
    """Squared losses for each cause of size 1, as (T + 1, K, method, rate) arrays."""

    start: Mapping[str, np.ndarray]
    client: Mapping[str, np.ndarray]
    time: np.ndarray
    noise: np.ndarray

    def squared(self, start: str, clients: str, signal: float, setting: Setting) -> np.ndarray:
        """N times the squared loss, (T + 1, K, method, rate); NaN where it diverges."""
        return (
            signal * self.start[start]
            + float(CLIENT2) * self.client[clients]
            + float(setting.drift2) * self.time
            + float(NOISE2) * self.noise
        )


def energies(setting: Setting, axes: int) -> Energies:
    """All responses of a spectrum, summed over its axes."""
    curvature = spectrum(setting, axes)
    pull = np.array([method.pull for method in METHODS])[:, None, None]
    parts = [rounds_of(curvature, RATES, pull, steps) for steps in LOCAL_STEPS]
    local = LocalRound(*(np.stack([getattr(p, name) for p in parts]) for name in ("decay", "reach", "stir")))
    found = [_weighed(curvature, now) for now in responses(local, _memory(), max(ROUNDS))]
    amplitude, gradient, stays, time, noise = (np.array(part) for part in zip(*found, strict=True))
    return Energies({"distance": amplitude, "gradient": gradient}, {"stay": stays, "new": time}, time, noise)


def _weighed(curvature: np.ndarray, now: Response) -> tuple[np.ndarray, ...]:
    """Squared Aw + B for each cause; the causes are spread evenly over the axes."""
    weight = curvature**2 / len(curvature)
    return (
        *(now.start**2 @ squared_start(curvature, start) / len(curvature) for start in STARTS),
        now.client**2 @ weight,
        now.time @ weight,
        now.noise @ weight,
    )


class Found(NamedTuple):
    """Best rate, and N times the squared loss at this rate, for every setting, variant and method.

    Axes: (setting, axes, start, signal, clients, measure, rounds, local steps, method).
    """

    rate: np.ndarray
    loss: np.ndarray


@cache
def best_rates() -> Found:
    """Best rates under all variants."""
    shape = (
        len(SETTINGS),
        *(len(x) for x in (AXES, STARTS, SIGNALS, CLIENTS, MEASURES, ROUNDS, LOCAL_STEPS, METHODS)),
    )
    rate, loss = np.empty(shape), np.empty(shape)
    for a, axes in enumerate(AXES):
        shared: dict[tuple[int, int], Energies] = {}
        for s, setting in enumerate(SETTINGS.values()):
            spectrum_of = (setting.L, setting.mu)
            if spectrum_of not in shared:
                shared[spectrum_of] = energies(setting, axes)
            for place in np.ndindex(len(STARTS), len(SIGNALS), len(CLIENTS)):
                start, clients = STARTS[place[0]], CLIENTS[place[2]]
                squared = shared[spectrum_of].squared(start, clients, float(SIGNALS[place[1]]), setting)
                rate[(s, a, *place)], loss[(s, a, *place)] = _best_rates(squared)
    return Found(rate, loss)


def _best_rates(squared: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Best rate and squared loss by measure, rounds, K and method, from squared losses of shape (T + 1, K, method, rate)."""
    filled = np.where(np.isnan(squared), np.inf, squared)
    ends = np.array(ROUNDS) + 1
    parts = [filled[low:high] for low, high in pairwise((0, *ends))]
    sums = np.cumsum([np.sqrt(part).sum(axis=0) for part in parts], axis=0)
    by_measure = {
        "last": filled[ends - 1],
        "mean": (sums / ends[:, None, None, None]) ** 2,
        "best": np.minimum.accumulate([part.min(axis=0) for part in parts], axis=0),
    }
    values = np.stack([by_measure[name] for name in MEASURES])
    return RATES[values.argmin(axis=-1)], values.min(axis=-1)


class Closest(NamedTuple):
    """Agreement of variants with Table 3.

    `hits` has the axes (axes, start, signal, clients, measure, rounds, K) and counts the reproduced numbers, with FedProx's
    penalty and CFL's weights chosen for the best fit. `place` is the index of the variant with most hits; ties are decided
    by the numbers within a factor of 1.5. `methods` are the chosen methods of this variant, by row.
    """

    hits: np.ndarray
    near: np.ndarray
    place: tuple[int, ...]
    methods: Mapping[str, int]


def closest(found: Found, weights: Sequence[str] = ("equal", "half")) -> Closest:
    """The variant that reproduces most numbers of Table 3, if CFL has one of the given weights."""
    printed = printed_rates()
    exact = (np.abs(found.rate - printed) < 0.005).sum(axis=0)
    near = (np.abs(np.log(found.rate / printed)) < np.log(1.5)).sum(axis=0)
    score = exact + near / 100
    rows = members_of(weights)
    total = sum(score[..., members].max(axis=-1) for members in rows.values())
    place = tuple(int(i) for i in np.unravel_index(int(total.argmax()), total.shape))
    chosen = {row: members[int(score[place][members].argmax())] for row, members in rows.items()}
    hits = sum(exact[..., members].max(axis=-1) for members in rows.values())
    return Closest(hits, sum(near[..., members].max(axis=-1) for members in rows.values()), place, chosen)


def rates_in(found: Found, best: Closest) -> dict[str, np.ndarray]:
    """Best rates (setting,) of the chosen methods in the closest variant, by row."""
    by_setting, sizes = found.rate.reshape(len(SETTINGS), -1), found.rate.shape[1:]
    return {
        row: by_setting[:, np.ravel_multi_index((*best.place, i), sizes)] for row, i in best.methods.items()
    }


def members_of(weights: Sequence[str] = ("equal", "half")) -> dict[str, list[int]]:
    """Indices of the methods by row of Table 3; for CFL, only those with one of the given weights."""
    allowed = [m.row != "CFL" or m.present in weights for m in METHODS]
    return {row: [i for i, m in enumerate(METHODS) if m.row == row and allowed[i]] for row in BEST_RATES}


def printed_rates() -> np.ndarray:
    """The rates of Table 3, in an array of shape (setting, 1, ..., 1, method) that broadcasts with `Found`."""
    table = np.array([[float(BEST_RATES[m.row][name]) for m in METHODS] for name in SETTINGS])
    return table.reshape(len(SETTINGS), *[1] * 7, len(METHODS))


def described(place: tuple[int, ...]) -> dict[str, Any]:
    """The values of a variant by name."""
    names = ("axes", "start", "signal", "clients", "measure", "rounds", "K")
    values: Sequence[Sequence[Any] | np.ndarray] = (
        AXES,
        STARTS,
        SIGNALS,
        CLIENTS,
        MEASURES,
        ROUNDS,
        LOCAL_STEPS,
    )
    return {name: options[i] for name, options, i in zip(names, values, place, strict=True)}
