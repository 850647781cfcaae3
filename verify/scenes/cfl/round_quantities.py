"""Quantities of Appendix B.4.2 of CFL, from the models and gradients of one round."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nqm.fields import Array, like, norm, sq, stack
from verify.engine.model.scene import Values


@dataclass(frozen=True)
class Met:
    """The models and gradients of a round: arrays (batch, outcome, run, N, d), in lists over the models from the start on.

    Attributes
    ----------
    start, after : (batch, outcome, run, d) arrays
        The server's model.
    path : list
        Local models.
    p : (batch, N, t) array
        Weights.
    each : list of lists
        True gradients of the losses of every round at the local models.
    gains : list of (batch, outcome, run, N) arrays
        Gain of the loss of every round at the minimiser.
    slopes : list
        Global gradients.
    missed : list
        Weighted information loss at the local models.
    bars, pulls : lists
        Gradients of the round's objective before each step, and stochastic ones.
    """

    start: Array
    after: Array
    path: list[Array]
    p: Array
    each: list[list[Array]]
    gains: list[Array]
    slopes: list[Array]
    missed: list[Array]
    bars: list[Array]
    pulls: list[Array]

    def mixed(self, parts: list[Array]) -> Array:
        """Weighted sum over the rounds of (batch, outcome, run, N) arrays, with an optional further axis."""
        weights = [self.p[:, None, None, :, tau] for tau in range(len(parts))]
        further = parts[0].ndim - weights[0].ndim
        return sum(w[(..., *(None,) * further)] * part for w, part in zip(weights, parts, strict=True))

    @property
    def true(self) -> list[Array]:
        """Weighted true gradients."""
        return [self.mixed(list(parts)) for parts in zip(*self.each, strict=True)]


def mean(x: Array) -> Array:
    """Expectation over drifts and noise, (batch, outcome, run, ...) -> (batch, ...): outcomes are equally likely."""
    return x.sum(axis=(1, 2)) / (x.shape[1] * x.shape[2])


def of_round(met: Met) -> Values:
    """All quantities that depend on models, gradients and gains."""
    return {**of_server(met), **of_sums(met), **of_steps(met), **of_losses(met)}


def of_server(met: Met) -> Values:
    """Quantities of Eq. (8) to (10)."""
    start, update = met.start, met.after - met.start
    true = sum(bar.sum(axis=-2) for bar in met.bars)
    over_noise = lambda x: x.sum(axis=2)[:, :, None] / x.shape[2]  # noqa: E731
    return {
        "moved": update,
        "pulled": sum(pull.sum(axis=-2) for pull in met.pulls),
        "moved_mean": over_noise(update) + 0 * update,
        "true_pulled": true,
        "mean_pulled": over_noise(true) + 0 * true,
        "dist2_star": mean(sq(start)),
        "dist_star": norm(start[:, 0, 0]),
        "after2": mean(sq(met.after)),
        "along": mean((start * update).sum(axis=-1)),
        "moved2": mean(sq(update)),
    }


def of_sums(met: Met) -> Values:
    """Sums over clients and local steps, and the excess of the losses."""
    true, home, steps = met.true, -met.start[..., None, :], len(met.bars)
    over_steps = lambda parts: sum(mean(sq(part)) for part in parts[:steps])  # noqa: E731 - (batch, N)
    along = lambda parts: sum(mean((part * home).sum(axis=-1)).sum(axis=-1) for part in parts)  # noqa: E731
    strayed = over_steps([x - met.path[0] for x in met.path])
    return {
        "gap_round": -mean(met.mixed(met.gains)).sum(axis=-1) / met.p.shape[1],
        "g2_start": mean(sq(met.slopes[0]))[:, 0],
        "slope_before": along(true[:-1]),
        "slope_after": along(true[1:]),
        "lost_along": -along(met.missed[:steps]),
        "strayed": strayed.sum(axis=-1),
        "strayed_i": strayed.T,
        "start2": mean(sq(true[0])).sum(axis=-1),
        "true2": over_steps(true).sum(axis=-1),
        "missed2": over_steps(met.missed).sum(axis=-1),
        "bar2": over_steps(met.bars).sum(axis=-1),
        "grad2_i": over_steps(met.slopes).T,
        "change2_i": over_steps([slope - met.slopes[0] for slope in met.slopes]).T,
        "grad2_here": stack([mean(sq(slope)) for slope in met.slopes[:-1]], -1),
    }


def of_steps(met: Met) -> Values:
    """Local drift after every step, (batch, N, K)."""
    bar2 = [mean(sq(bar)) for bar in met.bars]
    upto = lambda parts: [sum(parts[: n + 1]) for n in range(len(parts))]  # noqa: E731
    drift = [mean(sq(x - met.path[0])) for x in met.path]
    number = like(drift[0], np.arange(1, len(drift)))
    return {
        "e_now": stack(drift[1:], -1),
        "e_before": stack(drift[:-1], -1),
        "sum2": stack([mean(sq(pull)) for pull in upto(met.pulls)], -1),
        "bar2_upto": stack(upto(bar2), -1),
        "bar2_here": stack(bar2, -1),
        "k": 0 * drift[0][..., None] + number,
    }


def of_losses(met: Met) -> Values:
    """Eq. (12) for every past round, local step, outcome and client: (batch, t, K, outcome, run, N)."""
    home, before = -met.start[..., None, :], met.path[:-1]

    def by_round(f: Callable[[int, int], Array]) -> Array:
        return stack([stack([f(tau, k) for k in range(len(before))], 1) for tau in range(len(met.each))], 1)

    far = [x - met.path[0] for x in before]
    return {
        "slope": by_round(lambda tau, k: (met.each[tau][k] * home).sum(axis=-1)),
        "gain": by_round(lambda tau, k: met.gains[tau] + 0 * before[k][..., 0]),
        "away2": by_round(lambda tau, k: sq(far[k])),
        "away": by_round(lambda tau, k: norm(far[k])),
    }


def of_first_step(met: Met, eta: Array) -> Values:
    """A step of size eta (batch,) against the global gradient at the start, and the contributions of drifts and losses."""
    slope, clients = met.slopes[0], met.p.shape[1]
    left = met.path[0] - eta[:, None, None, None, None] * slope
    along = (left * met.missed[0]).sum(axis=-1).sum(axis=-1) / clients
    return {
        "left": norm(left[:, 0, 0, 0]),
        "left2": sq(left[:, 0, 0, 0]),
        "lost_left": mean(along + 0 * left[..., 0, 0]),
        "drift_mean2": mean(sq((met.true[0] - slope).sum(axis=-2) / clients)),
    }
