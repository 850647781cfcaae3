"""Worlds of every arithmetic with every method, shared by the tests of this package."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib import import_module
from typing import Any

import numpy as np
import sympy as sp
import torch

import algorithms
from algorithms.algorithm import Algorithm
from algorithms.draws import Draws, fixed, minibatches, monte_carlo
from nqm.arguments import map_parameters
from nqm.fields import to_exact, to_interval, to_symbolic
from nqm.finite_sum import FiniteSum
from nqm.kinds import INTERVALS
from nqm.noise import Rademacher
from nqm.quadratic import Quadratic

N_TASKS, N_CLIENTS, N_SAMPLED, LOCAL_STEPS, DIM, N_RUNS, ROUNDS = 2, 4, 3, 2, 2, 5, 2
N_SAMPLES = 3


@dataclass(frozen=True)
class Arithmetic:
    """A kind of array, with a constructor of hyperparameters for it."""

    array: Callable[[np.ndarray], Any]
    number: Callable[[float], Any]


ARITHMETICS = {
    "float": Arithmetic(np.asarray, float),
    "torch": Arithmetic(torch.tensor, float),
    "exact": Arithmetic(to_exact, Fraction),
    "interval": Arithmetic(to_interval, INTERVALS.mpf),
    "symbolic": Arithmetic(to_symbolic, lambda value: sp.Rational(Fraction(value))),
}


def methods(
    number: Callable[[float], Any] = float,
    n_clients: int = N_CLIENTS,
    names: Sequence[str] = algorithms.METHODS,
) -> list[Algorithm]:
    """Examples of all methods of the package, or of some."""
    modules = [import_module(f"algorithms.{name}") for name in names]
    return [method for module in modules for method in module.examples(number, n_clients)]


AFFINE = ("cfl", "fedavg", "fedprox", "mimelite", "placebo", "scaffold", "special", "special_c")
"""Methods that use gradients only, and whose rounds are means of affine maps over the sampled clients."""


def has_moments(method: Algorithm) -> bool:
    """Whether the state consists of vectors and numbers, so that its moments can be computed over tasks."""
    return not any(isinstance(value, tuple) for value in method.init(np.zeros((1, DIM))).values())


def world(seed: int = 0, batch: tuple[int, ...] = (), sigma: float = 0.5) -> Quadratic:
    """Quadratics with small dyadic numbers, exact in every arithmetic; all clients and tasks differ."""
    rng = np.random.default_rng(seed)
    root = rng.integers(-2, 3, (*batch, N_TASKS, N_CLIENTS, DIM, DIM)) / 2
    centre = rng.integers(-4, 5, (*batch, N_TASKS, N_CLIENTS, DIM)) / 2
    return Quadratic(root @ root.swapaxes(-1, -2) + np.eye(DIM) / 4, centre, Rademacher(sigma))


def finite(seed: int = 0, batch: tuple[int, ...] = ()) -> FiniteSum:
    """Finite sums of such quadratics, one of which is drawn for a minibatch."""
    rng = np.random.default_rng(seed)
    shape = (*batch, N_TASKS, N_CLIENTS * N_SAMPLES, DIM)
    root = rng.integers(-2, 3, (*shape, DIM)) / 2
    centre = rng.integers(-4, 5, shape) / 2
    return FiniteSum(Quadratic(root @ root.swapaxes(-1, -2) + np.eye(DIM) / 4, centre), N_CLIENTS)


def drawn(n_runs: int = N_RUNS, seed: int = 0) -> Draws:
    """Minibatches of one sample, and of one sample of a memory."""
    sizes = np.full((N_TASKS, N_CLIENTS), N_SAMPLES)
    return minibatches(seed, n_runs, sizes, N_SAMPLED, LOCAL_STEPS, 1, 1)


def in_arithmetic(of: Quadratic, array: Callable[[np.ndarray], Any]) -> Quadratic:
    return map_parameters(of, array)


def start(seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(-2, 3, DIM) / 2


def sampled(n_runs: int = N_RUNS, seed: int = 0, rounds: int = ROUNDS) -> Draws:
    """Draws of dyadic noise for all tasks, exact in every arithmetic."""
    random = monte_carlo(seed, n_runs, N_CLIENTS, N_SAMPLED, LOCAL_STEPS, DIM)
    each = [[(task, t) for t in range(rounds)] for task in range(N_TASKS)]
    participants = np.array([[random.participants(*at) for at in task] for task in each])
    noise = np.array([[random.noise(*at) for at in task] for task in each])
    return fixed(participants, np.round(noise * 8) / 8)


def converted(draws: Draws, array: Callable[[np.ndarray], Any]) -> Draws:
    """The same draws with noise of another arithmetic."""
    return replace(draws, noise=lambda task, played: array(draws.noise(task, played)))
