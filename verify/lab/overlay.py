"""Compare the bound of a theorem with the exact run of a method in one task.

The theorem is about the last task; the other tasks count as earlier ones. The run of the last task starts at a fixed point, so
gradients and losses at its start are numbers and not random.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from algorithms.algorithm import Algorithm
from bounds.calculator import completed, require
from bounds.checked_values import numbers
from bounds.papers import paper_of
from bounds.statement import Statement
from nqm.constants import constants, infimum
from nqm.federation import grad_at, loss_at
from nqm.fields import norm
from nqm.invariance import reachable_ball
from nqm.known import Ball, Constant, Unbounded
from nqm.quadratic import AnyQuadratic
from verify.engine.work.errors import UsageError
from verify.lab.moments import Moments, expected_loss, expected_sq_grad, moments
from verify.lab.runs import Plan

Curve = NDArray[np.float64]
SIZES: Mapping[str, Mapping[str, str]] = {
    "special": {"K": "tasks", "M": "clients", "N": "sampled", "E": "steps"},
    "cfl": {"K": "steps", "N": "sampled"},
    "cflag": {"N": "clients", "E": "steps"},
    "fedmes": {"N": "clients"},
}
"""Letter of a paper -> size of a run."""
LETTERS: Mapping[str, tuple[str, ...]] = {
    "local_lr": ("gamma_L", "eta_l", "eta"),
    "global_lr": ("gamma_G", "eta_g"),
    "lam": ("lam",),
}
"""Number of a method -> letters that papers use for it."""
CONFINED = ("FedAvg", "SPECIAL")
"""Methods with a known ball that no run leaves."""
LEFT: Mapping[str, str] = {
    "min_grad2": "smallest expected squared gradient norm of all tasks over the rounds 1 to t",
    "F_t": "expected loss of the earlier tasks after t rounds",
}
"""Left-hand sides that can be computed from an exact run, with their meaning."""


@dataclass(frozen=True)
class Laid:
    """A bound and the exact left side after each number of rounds.

    Attributes
    ----------
    id : str
        Id of the statement.
    rounds, exact, bound : (n,) arrays
        Numbers of rounds, and both sides after them.
    met : (n,) array of bool
        Whether the conditions of the statement hold.
    values : mapping of str to float
        Values at which the bound was evaluated, except the number of rounds.
    known : mapping of str to str
        Evidence and region of each constant of the world.
    """

    id: str
    rounds: Curve
    exact: Curve
    bound: Curve
    met: NDArray[np.bool_]
    values: Mapping[str, float]
    known: Mapping[str, str]


def laid_over(
    statement: Statement,
    world: AnyQuadratic,
    method: Algorithm,
    plan: Plan,
    hyper: Mapping[str, float],
    given: Mapping[str, float] | None = None,
) -> Laid:
    """The bound of a statement and its exact left-hand side in the last task.

    Parameters
    ----------
    hyper : mapping of str to float
        Numbers of the method: ``local_lr``, ``global_lr``, ``lam``.
    given : mapping of str to float, optional
        Values for quantities of the statement; they replace values computed from the world.

    Raises
    ------
    UsageError
        If the left-hand side cannot be computed from an exact run, or a quantity has no value.
    """
    left = str(statement.lhs)
    if left not in LEFT:
        raise UsageError(f"{statement.id} bounds {left}; exact runs know {', '.join(LEFT)}")
    ordered, start = _last_task_first(world), plan.start_in(world)
    path = moments(
        ordered, method, theta0=start, rounds=plan.rounds, n_sampled=plan.sampled, local_steps=plan.steps
    )
    hyper = numbers(method.name, hyper)
    facts = world_constants(ordered, start, plan, hyper, confined=method.name in CONFINED)
    constants_of_world = {name: float(np.max(fact.value)) for name, fact in facts.items()}
    values = _values(statement, ordered, start, plan, hyper, constants_of_world) | dict(given or {})
    rounds = np.arange(1, plan.rounds + 1, dtype=float)
    names = {symbol.name for symbol in statement.symbols}
    time = next((name for name in ("T", "t") if name in names), None)
    known, _ = completed(
        statement, {k: v for k, v in values.items() if k in names} | ({time: 1} if time else {})
    )
    if time:
        known[time] = rounds
    try:
        require(statement, known)
    except ValueError as error:
        raise UsageError(f"{error}\ngive it with --set NAME=VALUE") from error
    from bounds.admissible import values_of

    bound = np.broadcast_to(values_of(statement.rhs, known), rounds.shape)
    met = np.broadcast_to(statement.met(**known), rounds.shape)
    plain = {name: float(value) for name, value in known.items() if np.ndim(value) == 0}
    how = {name: f"{fact.known} {_where(fact)}" for name, fact in facts.items()}
    return Laid(statement.id, rounds, _LEFT[left](ordered, path), bound, met, plain, how)


def world_constants(
    world: AnyQuadratic, start: NDArray[np.float64], plan: Plan, hyper: Mapping[str, float], *, confined: bool
) -> dict[str, Constant]:
    """The finite constants of the first task of a world, on the whole space or, if `confined`, on a ball.

    FedAvg and SPECIAL cannot leave this ball around the start; it follows from their hyperparameters.
    """
    region = None
    if confined:
        region = reachable_ball(
            world,
            start,
            gamma_L=np.asarray(hyper["local_lr"], dtype=float),
            gamma_G=np.asarray(hyper.get("global_lr", 1.0), dtype=float),
            lam=np.asarray(hyper.get("lam", 0.0), dtype=float),
            local_steps=plan.steps,
            rounds=plan.rounds,
            tasks=[0],
        ).everything
    found: dict[str, Constant] = {}
    for name in constants(world, region):
        try:
            found[name] = constants(world, region)[name]
        except Unbounded:
            continue
    return found


def _last_task_first(world: AnyQuadratic) -> AnyQuadratic:
    from dataclasses import replace

    order = [world.n_tasks - 1, *range(world.n_tasks - 1)]
    parts = {"centre": world.centre[order]}
    if world.curvature.shape[0] == world.n_tasks:
        parts["curvature"] = world.curvature[order]
    return replace(world, **parts)


def _values(
    statement: Statement,
    world: AnyQuadratic,
    start: NDArray[np.float64],
    plan: Plan,
    hyper: Mapping[str, float],
    constants_of_world: Mapping[str, float],
) -> dict[str, float]:
    """Values of a statement's quantities from the world, the plan and the method."""
    sizes = {"tasks": world.n_tasks, "clients": world.n_clients, "sampled": plan.sampled, "steps": plan.steps}
    earlier = list(range(1, world.n_tasks))
    found: dict[str, float] = dict(constants_of_world)
    found |= {letter: float(sizes[size]) for letter, size in SIZES[paper_of(statement.id)].items()}
    found |= {letter: value for name, value in hyper.items() for letter in LETTERS.get(name, ())}
    found |= {"f0": float(loss_at(world, start)), "fstar": float(np.max(infimum(world).value))}
    if earlier:
        found |= {
            "G0": float(norm(grad_at(world, start, earlier))),
            "F_0": float(loss_at(world, start, earlier)),
        }
    return found


def _smallest_grad2(world: AnyQuadratic, path: Moments) -> Curve:
    values = np.asarray(expected_sq_grad(world, path), dtype=float).reshape(-1)
    return np.minimum.accumulate(values[1:])


def _loss_of_earlier(world: AnyQuadratic, path: Moments) -> Curve:
    return np.asarray(expected_loss(world, path, range(1, world.n_tasks)), dtype=float).reshape(-1)[1:]


_LEFT: Mapping[str, Callable[[Any, Moments], Curve]] = {"min_grad2": _smallest_grad2, "F_t": _loss_of_earlier}


def _where(fact: Constant) -> str:
    if not isinstance(fact.where, Ball):
        return f"on {fact.where}"
    return f"within {float(np.max(fact.where.radius)):.4g} of the start, which no run leaves"
