"""Exact runs of methods in a quadratic world: all quantities of the theory after every round, also estimated by Monte Carlo."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from algorithms.algorithm import Algorithm
from algorithms.draws import monte_carlo
from algorithms.simulate import states
from bounds.checked_values import numbers, require_single
from nqm.federation import total_grad, total_loss
from nqm.fields import sq
from nqm.quadratic import AnyQuadratic
from verify.engine.work.errors import UsageError
from verify.lab.moments import Moments, expected_loss, expected_sq_distance, expected_sq_grad, moments
from verify.running import method_named

Curve = NDArray[np.float64]
QUANTITIES: Mapping[str, str] = {
    "loss": "expected loss of the current task above its least value",
    "earlier": "expected loss of the earlier tasks together, above its value when the current task began",
    "all": "expected loss of all tasks so far together, above its least value",
    "grad2": "expected squared gradient norm of all tasks so far together",
    "distance2": "expected squared distance from the minimiser of all tasks so far",
    "variance": "trace of the covariance of the model",
}
"""Quantities of a run, with their meaning."""


@dataclass(frozen=True)
class Plan:
    """Length and participation of a run: rounds per task, clients per round, local steps, the start."""

    rounds: int = 50
    sampled: int = 4
    steps: int = 5
    start: float = 0.0

    def __post_init__(self) -> None:
        require_single("a plan", numbers("a plan", asdict(self)), "one run has one number")
        for name in ("rounds", "sampled", "steps"):
            if getattr(self, name) != int(getattr(self, name)) or getattr(self, name) < 1:
                raise UsageError(f"`{name}` must be a whole number >= 1, got {getattr(self, name)}")

    def start_in(self, world: AnyQuadratic) -> NDArray[np.float64]:
        return np.full(world.dim, float(self.start))

    def check(self, world: AnyQuadratic) -> None:
        if self.sampled > world.n_clients:
            raise UsageError(
                f"`sampled` must be at most the number of clients {world.n_clients}, got {self.sampled}"
            )


def exact_curves(world: AnyQuadratic, method: Algorithm, plan: Plan) -> dict[str, Curve]:
    """All quantities of `QUANTITIES` from exact moments, each of shape (tasks, rounds + 1)."""
    path = moments(
        world,
        method,
        theta0=plan.start_in(world),
        rounds=plan.rounds,
        n_sampled=plan.sampled,
        local_steps=plan.steps,
        tasks=world.n_tasks,
    )
    tasks = range(world.n_tasks)
    found = {name: np.stack([_exact(world, path, name, task) for task in tasks]) for name in QUANTITIES}
    return {name: np.real(curve) for name, curve in found.items()}


def sampled_curves(
    world: AnyQuadratic, method: Algorithm, plan: Plan, runs: int, seed: int
) -> dict[str, tuple[Curve, Curve]]:
    """Monte Carlo means and standard errors of all quantities of `QUANTITIES`, each of shape (tasks, rounds + 1)."""
    draws = monte_carlo(seed, runs, world.n_clients, plan.sampled, plan.steps, world.dim, world.noise.law)
    shape = (world.n_tasks, plan.rounds + 1, runs)
    values = {name: np.empty(shape) for name in QUANTITIES if name != "variance"}
    for task, time, state in states(world, method, draws, plan.start_in(world), plan.rounds, world.n_tasks):
        theta = np.asarray(state["theta"]).reshape(runs, world.dim)
        for name, store in values.items():
            store[task, time] = _at_points(world, theta, name, task)
    values["earlier"] = values["earlier"] - values["earlier"][:, :1].mean(axis=-1, keepdims=True)
    return {name: (v.mean(axis=-1), v.std(axis=-1, ddof=1) / np.sqrt(runs)) for name, v in values.items()}


def method_of(name: str, hyper: Mapping[str, float], clients: int) -> Algorithm:
    """A method of `algorithms` by name, with its step sizes and other hyperparameters.

    Raises
    ------
    UsageError
        If there is no such method, or it does not take these hyperparameters.
    """
    import inspect

    try:
        make = method_named(name)
    except ValueError as error:
        raise UsageError(str(error)) from error
    known = inspect.signature(make).parameters
    for given in hyper:
        if given not in known:
            raise UsageError(f"`{given}` is no number of {name}; it has {', '.join(known)}")
    missing = [p.name for p in known.values() if p.default is p.empty and p.name not in (*hyper, "n_clients")]
    if missing:
        raise UsageError(
            f"{name} needs {', '.join(missing)}; write {name}:{','.join(f'{m}=...' for m in missing)}"
        )
    return make(**numbers(name, hyper), **({"n_clients": clients} if "n_clients" in known else {}))


def _exact(world: AnyQuadratic, path: Moments, name: str, task: int) -> Curve:
    seen, before = list(range(task + 1)), list(range(task))
    own = Moments(path.mean[..., task : task + 1, :, :], path.cov[..., task : task + 1, :, :, :])
    if name == "loss":
        return _row(expected_loss(world, own, [task])) - _least(world, [task])
    if name == "earlier":
        grown = _row(expected_loss(world, own, before)) if before else np.zeros(own.mean.shape[-2])
        return grown - grown[0]
    if name == "all":
        return _row(expected_loss(world, own, seen)) - _least(world, seen)
    if name == "grad2":
        return _row(expected_sq_grad(world, own, seen))
    if name == "distance2":
        return _row(expected_sq_distance(own, world.minimiser(seen)))
    return _row(np.trace(own.cov, axis1=-2, axis2=-1))


def _at_points(world: AnyQuadratic, theta: NDArray[np.float64], name: str, task: int) -> Curve:
    seen, before = list(range(task + 1)), list(range(task))
    if name == "loss":
        return np.asarray(total_loss(world, theta, [task]) - _least(world, [task]))
    if name == "earlier":
        return np.asarray(total_loss(world, theta, before) if before else np.zeros(len(theta)))
    if name == "all":
        return np.asarray(total_loss(world, theta, seen) - _least(world, seen))
    if name == "grad2":
        return np.asarray(sq(total_grad(world, theta, seen)))
    return np.asarray(sq(theta - world.minimiser(seen)))


def _least(world: AnyQuadratic, tasks: Sequence[int]) -> float:
    return float(total_loss(world, np.asarray(world.minimiser(tasks))[None], tasks)[0])


def _row(values: Any) -> Curve:
    return np.asarray(values, dtype=float).reshape(-1)
