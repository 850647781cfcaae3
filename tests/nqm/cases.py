"""Random worlds, points and participants for the tests of this package."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from hypothesis import strategies as st

from nqm.bounded import LogCosh, PseudoHuber
from nqm.noise import Noise, Rademacher
from nqm.quadratic import DiagonalQuadratic
from nqm.world import World
from tests.nqm import families

Family = Callable[..., World]


def diagonal_quadratics(
    rng: np.random.Generator, batch: tuple[int, ...], *sizes: int, **options: Any
) -> World:
    """As `families.varied_quadratics`, with diagonal curvature."""
    full = families.varied_quadratics(rng, batch, *sizes, **options)
    return DiagonalQuadratic(rng.uniform(0, 1, full.shape), full.centre, full.noise)


VARIED = tuple(partial(families.bounded_worlds, family) for family in (LogCosh, PseudoHuber))
EQUAL = tuple(partial(worlds, heights=(1.5, 1.5), widths=(0.5, 0.5)) for worlds in VARIED)
"""Worlds in which only the centres differ."""
QUADRATIC = (families.shared_quadratics, families.varied_quadratics, diagonal_quadratics)
BOUNDED = (*VARIED, *EQUAL)
FAMILIES: tuple[Family, ...] = (*QUADRATIC, families.linear_worlds, *BOUNDED)


@dataclass(frozen=True)
class Case:
    """A world, a point for each of its runs and slots, and the participants."""

    world: World
    x: np.ndarray  # (2, world..., n_runs, n_sampled, d)
    clients: np.ndarray  # (n_runs, n_sampled)
    rng: np.random.Generator


@st.composite
def cases(draw: st.DrawFn, from_families: tuple[Family, ...] = FAMILIES, max_dim: int = 3) -> Case:
    """Worlds of up to 3 tasks and clients, alone or in a batch."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    family = draw(st.sampled_from(from_families))
    batch = draw(st.sampled_from([(), (2,), (2, 1)]))
    n_tasks, n_clients, dim = (draw(st.integers(1, high)) for high in (3, 3, max_dim))
    n_runs, n_sampled = draw(st.integers(1, 3)), draw(st.integers(1, n_clients))
    world = family(rng, batch, n_tasks, n_clients, dim)
    sigma = rng.uniform(0, 2, world.shape[:-1])
    clients = np.stack([rng.permutation(n_clients)[:n_sampled] for _ in range(n_runs)])
    x = 2 * rng.normal(size=(2, *batch, n_runs, n_sampled, dim))
    return Case(with_noise(world, Rademacher(sigma)), x, clients, rng)


def with_noise(world: World, noise: Noise) -> World:
    """The same world with other noise."""
    return replace(world, noise=noise)  # type: ignore[type-var]
