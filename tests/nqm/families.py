"""Families of worlds with parameters, for searches and tests: all numbers come from one generator.

Each returns a batch of worlds of NumPy floats; `nqm.arguments.map_parameters` with `to_torch` or `to_exact`
converts it, and with indexing picks one: ``map_parameters(worlds, lambda p: p[3])``.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from nqm.bounded import Linear, LogCosh, PseudoHuber
from nqm.noise import Noise, Rademacher
from nqm.quadratic import DiagonalQuadratic, Quadratic

NOISELESS = Rademacher(0)
Valley = TypeVar("Valley", LogCosh, PseudoHuber)


def shared_quadratics(
    rng: np.random.Generator,
    batch: tuple[int, ...],
    n_tasks: int,
    n_clients: int,
    dim: int,
    *,
    convexity: float = 0.1,
    smoothness: float = 1.0,
    spread: float = 1.0,
    noise: Noise = NOISELESS,
) -> Quadratic:
    """Quadratics with one Hessian for all clients and tasks, so that sigma_G and sigma_T are exact on R^d.

    Parameters
    ----------
    rng : Generator
    batch : tuple of int
        World axes.
    convexity, smoothness : float
        Smallest and largest eigenvalue that can occur.
    spread : float
        Standard deviation of the centres' coordinates.
    """
    curvature = _hessians(rng, (*batch, 1, 1), dim, convexity, smoothness)
    return Quadratic(curvature, _centres(rng, batch, n_tasks, n_clients, dim, spread), noise)


def varied_quadratics(
    rng: np.random.Generator,
    batch: tuple[int, ...],
    n_tasks: int,
    n_clients: int,
    dim: int,
    *,
    convexity: float = 0.1,
    smoothness: float = 1.0,
    spread: float = 1.0,
    noise: Noise = NOISELESS,
) -> Quadratic:
    """Quadratics with a Hessian for every client and task; parameters as in `shared_quadratics`."""
    curvature = _hessians(rng, (*batch, n_tasks, n_clients), dim, convexity, smoothness)
    return Quadratic(curvature, _centres(rng, batch, n_tasks, n_clients, dim, spread), noise)


def aligned_tasks(
    n_tasks: int, n_clients: int, dim: int, *, distance: float = 1.0, noise: Noise = NOISELESS
) -> DiagonalQuadratic:
    """Unit curvature, centres ever farther along the first axis: from 0, each task helps all others."""
    return _along_first_axis(distance * np.arange(1.0, n_tasks + 1), n_clients, dim, noise)


def opposed_tasks(
    n_tasks: int, n_clients: int, dim: int, *, distance: float = 1.0, noise: Noise = NOISELESS
) -> DiagonalQuadratic:
    """Unit curvature, centres alternately at plus and minus `distance`: each task undoes the last one."""
    return _along_first_axis(distance * (-1.0) ** np.arange(n_tasks), n_clients, dim, noise)


def linear_worlds(
    rng: np.random.Generator,
    batch: tuple[int, ...],
    n_tasks: int,
    n_clients: int,
    dim: int,
    *,
    spread: float = 1.0,
    noise: Noise = NOISELESS,
) -> Linear:
    """Linear losses with random slopes of standard deviation `spread` per coordinate."""
    return Linear(_centres(rng, batch, n_tasks, n_clients, dim, spread), noise)


def bounded_worlds(
    family: type[Valley],
    rng: np.random.Generator,
    batch: tuple[int, ...],
    n_tasks: int,
    n_clients: int,
    dim: int,
    *,
    heights: tuple[float, float] = (0.5, 2.0),
    widths: tuple[float, float] = (0.5, 2.0),
    spread: float = 1.0,
    noise: Noise = NOISELESS,
) -> Valley:
    """`LogCosh` or `PseudoHuber` losses; heights and widths are drawn from the given ranges (equal ends: shared by all)."""
    shape = (*batch, n_tasks, n_clients)
    centre = _centres(rng, batch, n_tasks, n_clients, dim, spread)
    return family(rng.uniform(*heights, shape), rng.uniform(*widths, shape), centre, noise)


def _hessians(
    rng: np.random.Generator, shape: tuple[int, ...], dim: int, lowest: float, highest: float
) -> np.ndarray:
    """Symmetric matrices with eigenvalues drawn between the two ends and random eigenvectors."""
    vectors = np.linalg.qr(rng.normal(size=(*shape, dim, dim)))[0]
    values = rng.uniform(lowest, highest, size=(*shape, dim))
    product = (vectors * values[..., None, :]) @ vectors.swapaxes(-1, -2)
    return np.asarray(product + product.swapaxes(-1, -2)) / 2


def _centres(
    rng: np.random.Generator, batch: tuple[int, ...], n_tasks: int, n_clients: int, dim: int, spread: float
) -> np.ndarray:
    return spread * rng.normal(size=(*batch, n_tasks, n_clients, dim))


def _along_first_axis(position: np.ndarray, n_clients: int, dim: int, noise: Noise) -> DiagonalQuadratic:
    centre = np.zeros((len(position), n_clients, dim))
    centre[..., 0] = position[:, None]
    return DiagonalQuadratic(np.ones_like(centre), centre, noise)
