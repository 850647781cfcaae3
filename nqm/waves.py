"""Sums of waves: losses with bounded gradients and curvatures of either sign everywhere, with constants in closed form."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from nqm.arguments import require_broadcastable, require_finite, set_parameters
from nqm.bounded import NOISELESS
from nqm.federation import chosen_tasks
from nqm.fields import Array, amax, broadcast_to, certainly, cos, dot, norm, sin, sq, stack
from nqm.known import Ball, Constant
from nqm.noise import Noise
from nqm.selection import check_clients, check_task, select
from nqm.spectrum import eigenvalue_range
from nqm.steepest import longest_sum
from nqm.world import Objective, World, check_sigma, set_world

ALIGNED = "Attained, or approached, where all waves are in phase."


@dataclass(frozen=True)
class Waves(World):
    """Waves: sum_j odd_j sin(w_j'x) - even_j cos(w_j'x), with w_j shared by all clients and tasks.

    Means and differences of such losses have the same form, so their constants do, too. With r_j = |(even_j, odd_j)| the
    gradient is at most a sum of +-r_j w_j, and the Hessian lies within +-sum_j r_j w_j w_j'. Both bounds are attained if the
    phases of the waves are independent: for one wave, and for linearly independent w_j.

    Parameters
    ----------
    even, odd : float or (world..., K, M, J) array
        Amplitudes, negative ones too.
    wave : (world..., J, d) array
        The frequencies w_j.
    noise : Noise
    """

    even: Array
    odd: Array
    wave: Array
    noise: Noise = NOISELESS

    def __post_init__(self) -> None:
        set_world(self, {name: getattr(self, name) for name in ("even", "odd", "wave")})
        if self.odd.ndim < 3:
            raise ValueError(
                f"`odd` must have axes (..., task, client, wave), got shape {tuple(self.odd.shape)}."
            )
        if self.wave.ndim < 2 or self.wave.shape[-2] != self.odd.shape[-1]:
            raise ValueError(
                f"`wave` must have axes (..., wave, dim) with {self.odd.shape[-1]} waves, got shape "
                f"{tuple(self.wave.shape)}."
            )
        for name in ("even", "odd", "wave"):
            require_finite(name, getattr(self, name))
        require_broadcastable("even", self.even, self.odd.shape, "(world..., task, client, wave)")
        set_parameters(self, {"even": broadcast_to(self.even, self.odd.shape)})
        check_sigma(self)

    @property
    def shape(self) -> tuple[int, ...]:
        return (*self.odd.shape[:-1], self.wave.shape[-1])

    def at(self, task: int, clients: Any = None) -> Objective:
        task = check_task(task, self.n_tasks)
        clients = check_clients(clients, self.n_clients, len(self.batch_shape))
        even, odd = (select(part, task, clients, 1) for part in (self.even, self.odd))
        wave = self.wave if self.wave.ndim == 2 else self.wave[..., None, None, :, :]

        def phase(x: Array) -> Array:
            return dot(wave, x[..., None, :])

        def loss(x: Array) -> Array:
            turned = phase(x)
            return (odd * sin(turned) - even * cos(turned)).sum(axis=-1)

        def grad(x: Array) -> Array:
            turned = phase(x)
            return ((odd * cos(turned) + even * sin(turned))[..., None] * wave).sum(axis=-2)

        return Objective(loss, grad, scale=self.noise.scale(task, clients))

    def curvature_range(self, region: Ball | None) -> tuple[Constant, Constant]:
        squares = self.wave[..., :, None] * self.wave[..., None, :]  # (world..., wave, dim, dim)
        amplitude = _amplitude(self.even, self.odd)[..., None, None]
        highest = eigenvalue_range((amplitude * squares[..., None, None, :, :, :]).sum(axis=-3))[1]
        how = self._how(region)
        return Constant(-highest, *how), Constant(highest, *how)

    def gradient_bound(self, region: Ball | None) -> Constant:
        return Constant(self._steepest(self.even, self.odd), *self._how(region))

    def client_spread(self, region: Ball | None) -> Constant:
        gaps = (part - part.mean(axis=-2)[..., None, :] for part in (self.even, self.odd))
        return Constant(amax(self._steepest(*gaps) ** 2, (-1, -2)), *self._how(region))

    def task_spread(self, region: Ball | None) -> Constant:
        means = (part.mean(axis=-2) for part in (self.even, self.odd))
        gaps = (mean[..., :, None, :] - mean[..., None, :, :] for mean in means)
        return Constant(amax(self._steepest(*gaps) ** 2, (-1, -2)), *self._how(region))

    def infimum(self, tasks: Iterable[int] | None) -> Constant:
        chosen = chosen_tasks(self, tasks)
        total = (part.mean(axis=-2)[..., chosen, :].sum(axis=-2) for part in (self.even, self.odd))
        return Constant(-_amplitude(*total).sum(axis=-1), *self._how(None))

    def _steepest(self, even: Array, odd: Array) -> Array:
        """Largest gradient of waves with these amplitudes (world..., a, b, J): (world..., a, b)."""
        each = _amplitude(even, odd)[..., None] * self.wave[..., None, None, :, :]
        return longest_sum(each)

    def _how(self, region: Ball | None) -> tuple[str, str | Ball, str]:
        known = "exact" if region is None and self._any_phases() else "certified"
        return known, region or "R^d", ALIGNED

    def _any_phases(self) -> bool:
        """Whether the phases of one or two waves can take all values independently."""
        if self.wave.shape[-2] == 1:
            return True
        if self.wave.shape[-2] > 2:
            return False
        first, second = self.wave[..., 0, :], self.wave[..., 1, :]
        return bool(certainly(sq(first) * sq(second) > dot(first, second) ** 2).all())


def _amplitude(even: Array, odd: Array) -> Array:
    return norm(stack([even, odd], -1))
