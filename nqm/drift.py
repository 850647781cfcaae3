"""Time-evolving quadratics: every client's loss deviates from a global one, by client and by round.

A task of these worlds is a round. Client i of round tau has the gradient::

    (1 - s_i b - r_tau,i a) h (x - c)  -  delta_i  -  xi_tau,i,         delta_i = s_i g_i,   xi_tau,i = r_tau,i x_i,

with signs s and r of mean 0, so that the global gradient h (x - c) is the mean, E|delta|^2 = |g|^2 + b^2 |h (x - c)|^2 if
the signs of the two parts are independent, and likewise for xi. Signs follow a `SignLaw`, which gives their correlation over
rounds. Curvature is diagonal; for one shared Hessian this is only a choice of axes, not a restriction.

Source: CFL (Guo, Lin, Tang), Eq. (5), Assumptions 3, 6 and 7.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np

from nqm import quadratic_constants as constants_of
from nqm.arguments import require_finite, require_nonnegative, set_parameters
from nqm.federation import chosen_tasks, loss_at
from nqm.fields import Array, broadcast_to, kind, stack, to_float, where, zeros_like
from nqm.known import Ball, Constant
from nqm.noise import Noise, Rademacher
from nqm.selection import check_clients, check_task, select
from nqm.spectrum import identity_like
from nqm.world import Objective, World, check_sigma, set_world

NOISELESS = Rademacher(0)


@dataclass(frozen=True)
class SmoothObjective(Objective):
    """An objective that also gives its Hessian, (..., n, d) -> (..., n, d, d)."""

    hessian: Callable[[Array], Array]


@dataclass(frozen=True)
class TiltedQuadratic(World):
    """Losses sum_j h_j (x_j - c_j)^2 / 2 - tilt . (x - c), all around one point c, where each is 0.

    Where the curvature is positive, this is a quadratic around another point. Where it is 0, the loss is linear.

    Parameters
    ----------
    curvature : (world..., K, M, d) array
        Diagonals of the Hessians, >= 0.
    centre : (world..., d) array
        The point c.
    tilt : (world..., K, M, d) array
        Minus the gradient at c: the drift of every client in every round.
    noise : Noise
    """

    curvature: Array
    centre: Array
    tilt: Array
    noise: Noise = NOISELESS

    def __post_init__(self) -> None:
        set_world(self, {"curvature": self.curvature, "centre": self.centre, "tilt": self.tilt})
        shape = np.broadcast_shapes(tuple(self.curvature.shape), tuple(self.tilt.shape))
        for name in ("curvature", "centre", "tilt"):
            require_finite(name, getattr(self, name))
        for name in ("curvature", "tilt"):
            set_parameters(self, {name: broadcast_to(getattr(self, name), shape)})
        set_parameters(self, {"centre": broadcast_to(self.centre, (*shape[:-3], shape[-1]))})
        require_nonnegative("curvature", self.curvature)
        check_sigma(self)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.tilt.shape)

    @property
    def hessian(self) -> Array:
        """Hessians of all clients and tasks, (world..., K, M, d, d)."""
        return self.curvature[..., None] * identity_like(self.curvature, self.dim)

    def at(self, task: int, clients: Any = None) -> SmoothObjective:
        task = check_task(task, self.n_tasks)
        clients = check_clients(clients, self.n_clients, len(self.batch_shape))
        curvature = select(self.curvature, task, clients, 1)
        tilt = select(self.tilt, task, clients, 1)
        centre = self.centre[..., None, None, :] if self.batch_shape else self.centre
        return SmoothObjective(
            loss=lambda x: (
                (curvature * (x - centre) ** 2).sum(axis=-1) / 2 - (tilt * (x - centre)).sum(axis=-1)
            ),
            grad=lambda x: curvature * (x - centre) - tilt,
            scale=self.noise.scale(task, clients),
            hessian=lambda x: (curvature + 0 * x)[..., None] * identity_like(curvature, self.dim),
        )

    def minimiser(self, tasks: Iterable[int] | None = None) -> Array:
        """A minimiser of the sum over tasks of the mean over clients, (world..., d).

        Along axes without curvature the losses need a mean slope of 0; any value is a minimiser there.
        """
        chosen = chosen_tasks(self, tasks)
        curvature = self.curvature[..., chosen, :, :].mean(axis=-2).sum(axis=-2)
        pull = self.tilt[..., chosen, :, :].mean(axis=-2).sum(axis=-2)
        flat = curvature == 0
        steep = where(flat, zeros_like(curvature) + 1, curvature)
        return self.centre + where(flat, zeros_like(pull), pull / steep)

    def curvature_range(self, region: Ball | None) -> tuple[Constant, Constant]:
        return constants_of.curvature_range(self.hessian, region)

    def gradient_bound(self, region: Ball | None) -> Constant:
        return constants_of.gradient_bound(self.hessian, self._own_centres(), region)

    def client_spread(self, region: Ball | None) -> Constant:
        return constants_of.client_spread(self.hessian, self._own_centres(), region)

    def task_spread(self, region: Ball | None) -> Constant:
        return constants_of.task_spread(self.hessian, self._own_centres(), region)

    def infimum(self, tasks: Iterable[int] | None) -> Constant:
        chosen = chosen_tasks(self, tasks)
        return Constant(
            loss_at(self, self.minimiser(chosen), chosen), "exact", note="The loss at its minimiser."
        )

    def _own_centres(self) -> Array:
        """Minimiser of every client and task, (world..., K, M, d)."""
        if bool((self.curvature == 0).any()):
            raise ValueError(
                "A slope is left where `curvature` is 0: this constant needs curvature in every direction."
            )
        return self.centre[..., None, None, :] + self.tilt / self.curvature


@dataclass(frozen=True)
class SignLaw:
    """A finite law of one sign per round, each of mean 0.

    Parameters
    ----------
    signs : (outcome, rounds) array of -1 and 1
    chances : (..., outcome) array
        Probabilities; leading axes are batches of laws.
    """

    signs: np.ndarray
    chances: Array

    @property
    def correlation(self) -> Array:
        """E[s_tau s_tau'], (..., rounds, rounds)."""
        pairs = self.signs[:, :, None] * self.signs[:, None, :]
        return (self.chances[..., None, None] * _numbers(pairs, self.chances)).sum(axis=-3)


def persistent(rounds: int) -> SignLaw:
    """The same sign in all rounds: the client drift of a returning client."""
    return SignLaw(np.outer([1, -1], np.ones(rounds, dtype=int)), _equal(2))


def independent(rounds: int) -> SignLaw:
    """A new sign in every round: time drift (Remark 3.2), or the client drift of clients that appear once."""
    return SignLaw(_all_signs(rounds), _equal(2**rounds))


def overlapping(rounds: int, share: Array) -> SignLaw:
    """Any two rounds have correlation `share` = F^2/D^2 in [0, 1] (Assumption 6).

    With probability `share` all rounds have the same data and so one sign; otherwise each round has a sign of its own.
    """
    share, signs = _exact_if_whole(share), _all_signs(rounds)
    same = np.abs(signs.sum(axis=1)) == rounds
    parts = [(1 - share) / len(signs) + (share / 2 if one else 0) for one in same]
    return SignLaw(signs, _one_array(parts, share))


def gradual(rounds: int, alpha: Array) -> SignLaw:
    """A Markov chain whose sign changes with probability (1 - alpha)/2: correlation alpha^|tau - tau'| (Assumption 7)."""
    alpha, signs = _exact_if_whole(alpha), _all_signs(rounds)
    stay, turn = (1 + alpha) / 2, (1 - alpha) / 2
    kept = signs[:, 1:] == signs[:, :-1]
    parts = [prod((stay if same else turn for same in row), start=(0 * alpha + 1) / 2) for row in kept]
    return SignLaw(signs, _one_array(parts, alpha))


def joint_signs(laws: Sequence[SignLaw]) -> tuple[list[np.ndarray], list[Array]]:
    """Outcomes of independent laws together.

    Returns
    -------
    signs : list of (outcome, rounds) arrays
        One for each law, over the product of their outcomes.
    chances : list of (..., outcome) arrays
        Factors of the probability of each outcome, one for each law.
    """
    choices = np.array(list(itertools.product(*(range(len(law.signs)) for law in laws))))
    signs = [law.signs[choices[:, n]] for n, law in enumerate(laws)]
    return signs, [law.chances[..., choices[:, n]] for n, law in enumerate(laws)]


@dataclass(frozen=True)
class Source:
    """One cause of drift: its correlation over rounds, and its second moment in each coordinate.

    Parameters
    ----------
    correlation : (..., T, T) array
        E[s_tau s_tau'] of the rounds; see `SignLaw.correlation`.
    variance : (..., d) array
        Of one client in one round; its sum over coordinates is G^2 or D^2.
    """

    correlation: Array
    variance: Array


@dataclass(frozen=True)
class Path:
    """Mean and variance of every coordinate of the model minus c, after 0..T rounds: (..., T + 1, d) each."""

    mean: Array
    variance: Array

    @property
    def second_moment(self) -> Array:
        """E|model - c|^2, (..., T + 1)."""
        return (self.mean**2 + self.variance).sum(axis=-1)


@dataclass(frozen=True)
class Rounds:
    """Rounds of CFL on quadratics with shared diagonal curvature, all N clients in every round.

    Client i works with sum over tau <= t of weight[t, tau] times its gradient of round tau, the earlier ones
    with an information loss, plus noise. A round is affine in each coordinate::

        model' - c = decay (model - c) + reach * mean over clients of (drift + information loss) + noise.

    Parameters
    ----------
    curvature, start : (..., d) arrays
        h, and model minus c at the start.
    local_lr, global_lr : (...) arrays
    local_steps, n_clients : int
        K and N.
    weights : (..., T, T) array
        ``weights[..., t, tau]``: lower triangular, every row sums to 1.
    loss : (..., T, T, d) array
        ``loss[..., t, tau, :]``: mean over clients of the information loss about round tau in round t.
    noise : (..., d) array
        Variance of the gradient noise of one local step.
    """

    curvature: Array
    start: Array
    local_lr: Array
    global_lr: Array
    local_steps: int
    n_clients: int
    weights: Array
    loss: Array
    noise: Array

    @property
    def decay(self) -> Array:
        """Factor of the distance from c in one round, (..., d)."""
        return 1 - self.global_lr[..., None] * (1 - self._shrink**self.local_steps)

    @property
    def reach(self) -> Array:
        """Displacement of the server's model in one round under a constant force of 1, (..., d)."""
        powers = sum(self._shrink**j for j in range(self.local_steps))
        return self.global_lr[..., None] * self.local_lr[..., None] * powers

    def of_new_clients(self, sources: Sequence[Source]) -> Path:
        """Path if the N clients of every round are new: their drifts, past ones included, are independent of the model."""
        spread = sum(_of_every_round(self.weights, source) for source in sources)
        added = self.reach[..., None, :] ** 2 * spread / self.n_clients + self.stir[..., None, :]
        return Path(self._means(), _unrolled(self.decay**2, 0 * self.start, added))

    def of_returning_clients(self, sources: Sequence[Source]) -> Path:
        """Path if the same N clients take part in every round, so that old drifts act repeatedly."""
        stirred, variance = 0 * self.start, [0 * self.start]
        for share in self._shares()[1:]:
            stirred = self.decay**2 * stirred + self.stir
            variance.append(
                sum(_product(share, share, source) for source in sources) / self.n_clients + stirred
            )
        return Path(self._means(), stack(variance, -2))

    def along_returning_clients(self, sources: Sequence[Source]) -> Array:
        """E[(model - c) * drift of the round] in each coordinate, (..., T, d), where the same N clients return.

        The drift of a round is the weighted mean over past and present rounds and over the clients. The model depends on
        past drifts, so the two are correlated. For new clients the expectation is 0.
        """
        found = []
        for t, share in enumerate(self._shares()[:-1]):
            present = self.weights[..., t, :, None] + 0 * share
            found.append(sum(_product(share, present, source) for source in sources) / self.n_clients)
        return stack(found, -2)

    def _shares(self) -> list[Array]:
        """Coefficients of every round's drift in the model before each round and after the last round, (..., T, d) each."""
        shares = [0 * self.start[..., None, :] + 0 * self.weights[..., 0, :, None]]
        for t in range(self._n_rounds):
            force = self.reach[..., None, :] * self.weights[..., t, :, None]
            shares.append(self.decay[..., None, :] * shares[-1] + force)
        return shares

    def of_sampled_clients(self, sources: Sequence[Source], n_all: int) -> Path:
        """Path if the N clients of every round are drawn without replacement from `n_all` returning clients.

        Two rounds share N^2/M clients in expectation; one round shares all N with itself. So the covariance of drifts of
        different rounds is N/M times the covariance if all N return, and the variance is linear in N/M.

        Raises
        ------
        ValueError
            If `n_all` is smaller than N.
        """
        if n_all < self.n_clients:
            raise ValueError(
                f"`n_all` must be at least N = {self.n_clients}, the clients of a round, got {n_all}."
            )
        back, new = self.of_returning_clients(sources), self.of_new_clients(sources)
        both = back.variance * self.n_clients + new.variance * (n_all - self.n_clients)
        return Path(new.mean, both / n_all)

    @property
    def _shrink(self) -> Array:
        return 1 - self.local_lr[..., None] * self.curvature

    @property
    def _n_rounds(self) -> int:
        return int(self.weights.shape[-1])

    @property
    def stir(self) -> Array:
        """Variance added by the noise of one round, (..., d)."""
        powers = sum(self._shrink ** (2 * j) for j in range(self.local_steps))
        rate = self.global_lr[..., None] * self.local_lr[..., None]
        return rate**2 * powers * self.noise / self.n_clients

    def _means(self) -> Array:
        past = self.weights * _numbers(np.tri(self._n_rounds, k=-1, dtype=int), self.weights)
        force = (past[..., None] * self.loss).sum(axis=-2)
        return _unrolled(self.decay, self.start, self.reach[..., None, :] * force)


def _product(one: Array, other: Array, source: Source) -> Array:
    """sum over tau, tau' of one_tau corr other_tau', times the variance: (..., T, d) twice -> (..., d)."""
    return (one * (_numbers(source.correlation, one) @ other)).sum(axis=-2) * source.variance


def _of_every_round(weights: Array, source: Source) -> Array:
    """Second moment of the weighted drift of each round, (..., T, d), of one client."""
    correlated = weights @ _numbers(source.correlation, weights)
    return (correlated * weights).sum(axis=-1)[..., None] * source.variance[..., None, :]


def _unrolled(factor: Array, first: Array, added: Array) -> Array:
    """x_0 = first, x_(t+1) = factor x_t + added_t: (..., d) and (..., T, d) -> (..., T + 1, d)."""
    path = [first + 0 * added[..., 0, :]]
    for t in range(added.shape[-2]):
        path.append(factor * path[-1] + added[..., t, :])
    return stack(path, -2)


def _all_signs(rounds: int) -> np.ndarray:
    return np.array(list(itertools.product((1, -1), repeat=rounds)))


def _equal(n: int) -> np.ndarray:
    return np.full(n, Fraction(1, n), dtype=object)


def _one_array(parts: Sequence[Any], like: Any) -> Array:
    """Probabilities as one array of the kind of the parameter."""
    if np.ndim(like):
        return stack(list(parts), -1)
    return np.array(parts, dtype=float if isinstance(like, float) else object)


def _numbers(values: Array, like: Array) -> Array:
    """Whole numbers or Fractions, converted to the kind of `like`."""
    if hasattr(like, "new_tensor") and not hasattr(values, "new_tensor"):
        return like.new_tensor(to_float(values))
    return values if kind(like) != "float" else to_float(values)


def _exact_if_whole(value: Any) -> Any:
    return Fraction(value) if isinstance(value, int) else value
