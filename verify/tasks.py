"""Scenes of several tasks, learned one after another in cyclic, random or adversarial order.

    scene = tasks.sequence("nearest", tasks.projections(tasks=(2, 3)), visits=(2, 3), order="cyclic")

The quantities are those of `verify.quantities`: `forgetting`, `backward_transfer`, `regret`, `loss` (the mean of all tasks),
`distance2` from a common solution, and `K` and `t`, the numbers of tasks and visits.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal, get_args

import numpy as np

from algorithms.algorithm import Algorithm, Local, State, start
from algorithms.combining import server_average
from algorithms.draws import enumerate_draws
from algorithms.simulate import states
from nqm.fields import Array, amax, broadcast_to, chosen, dot, sq, zeros_like
from verify.engine.model.scene import Box, Named, Scene, Shape, Values
from verify.run_quantities import hyper_value
from verify.running import method_named
from verify.worlds import check_sizes

Order = Literal["cyclic", "random", "adversarial"]
ORDERS = 1_000
"""Largest number of orders of the tasks."""


@dataclass(frozen=True)
class Task:
    """A task for every order of the visits: losses (...) and gradients (..., d) at models x (..., d), and the solution next to x."""

    loss: Callable[[Array], Array]
    grad: Callable[[Array], Array]
    nearest: Callable[[Array], Array]

    def stochastic_grad(self, x: Array, u: Array) -> Array:
        """The gradient, which is not noisy."""
        return self.grad(x)


@dataclass(frozen=True)
class Tasks:
    """A family of tasks from which a search chooses.

    Attributes
    ----------
    name : str
    tasks, dim : sequence of int
        Numbers of tasks and dimensions to try.
    space : callable
        ``space(shape)`` -> boxes of the parameters.
    task : callable
        ``task(values, k)`` -> the tasks with the indices k (order,), as `Task` for models (batch, order, 1, d).
    constants : callable
        ``constants(values)`` -> constants of the losses, such as L.
    best : callable
        ``best(values, k)`` -> a minimiser (batch, order, 1, d) of the sum of the losses of the visits k (order, visit).
    """

    name: str
    tasks: Sequence[int]
    dim: Sequence[int]
    space: Callable[[Shape], Mapping[str, Box]]
    task: Callable[[Named, np.ndarray], Task]
    constants: Callable[[Named], Values]
    best: Callable[[Named, np.ndarray], Array]


def projections(tasks: Sequence[int] = (2,), dim: Sequence[int] = (2,)) -> Tasks:
    """Tasks (a'x)^2/2 with one row a each: the solutions are hyperplanes, and the origin solves all tasks."""

    def task(values: Named, k: np.ndarray) -> Task:
        row = values["row"][:, k][:, :, None]
        length2 = sq(row)[..., None]
        none = 0 * length2

        def nearest(x: Array) -> Array:
            share = chosen(
                operator.gt, length2, none, 1 / chosen(operator.gt, length2, none, length2, none + 1), none
            )
            return x - share * dot(row, x)[..., None] * row

        return Task(lambda x: dot(row, x) ** 2 / 2, lambda x: dot(row, x)[..., None] * row, nearest)

    return Tasks(
        "projection tasks",
        tasks,
        dim,
        lambda shape: {"row": Box(-1, 1, (shape["K"], shape["d"]))},
        task,
        lambda values: {"L": amax(sq(values["row"]), -1)},
        lambda values, k: 0 * values["row"][:, k[:, 0]][:, :, None],
    )


def quadratics(tasks: Sequence[int] = (2,), dim: Sequence[int] = (1,)) -> Tasks:
    """Tasks with curvature between 0 and L along each axis, and minimisers of their own."""

    def parts(values: Named) -> tuple[Array, Array]:
        return values["largest"][:, None, None] * values["share"], values["centre"]

    def task(values: Named, k: np.ndarray) -> Task:
        bend, centre = (x[:, k][:, :, None] for x in parts(values))
        return Task(
            lambda x: (bend * (x - centre) ** 2).sum(axis=-1) / 2,
            lambda x: bend * (x - centre),
            lambda x: chosen(operator.gt, bend + 0 * x, 0 * x, centre + 0 * x, x),
        )

    def best(values: Named, k: np.ndarray) -> Array:
        bend, centre = (x[:, k] for x in parts(values))
        total, pull = bend.sum(axis=2), (bend * centre).sum(axis=2)
        found: Array = pull / chosen(operator.gt, total, 0 * total, total, 0 * total + 1)
        return found[:, :, None]

    return Tasks(
        "quadratic tasks",
        tasks,
        dim,
        lambda shape: {
            "largest": Box(0.125, 4, scale="log"),
            "share": Box(0, 1, (shape["K"], shape["d"])),
            "centre": Box(-2, 2, (shape["K"], shape["d"])),
        },
        task,
        lambda values: {"L": values["largest"]},
        best,
    )


def nearest() -> Algorithm:
    """Learning a task until its loss is least, at the solution next to the model."""

    def local_step(state: State, local: Local, seen: Array) -> Local:
        return {**local, "x": seen}

    return Algorithm(
        "nearest", start, local_step, server_average(1), query=lambda oracle, x, u: oracle.nearest(x)
    )


def sequence(
    algorithm: str | Callable[..., Algorithm],
    family: Tasks,
    *,
    visits: Sequence[int] = (2,),
    order: Order = "cyclic",
    local_steps: Sequence[int] = (1,),
    **hyper: Any,
) -> Scene:
    """The scene of an algorithm that visits tasks one after another, with one client.

    Parameters
    ----------
    algorithm : str or callable
        ``"nearest"``, the name of a method of `algorithms`, or a function from hyper-parameters to an `Algorithm`.
    family : Tasks
        `projections(...)` or `quadratics(...)`.
    visits : sequence of int
        Numbers t of visits to try.
    order : {"cyclic", "random", "adversarial"}
        "cyclic": tasks in turn. "random": expectations over independent, uniformly drawn tasks. "adversarial": a claim must
        be true for every order.
    local_steps : sequence of int
        Steps E of each visit.
    **hyper
        Hyper-parameters, as of `verify.run`.

    Raises
    ------
    ValueError
        If a size is not positive, the order is unknown, or there are more than 1,000 orders.
    """
    for name, sizes in (("visits", visits), ("local_steps", local_steps), ("tasks", family.tasks)):
        check_sizes(name, sizes, 1)
    if order not in get_args(Order):
        raise ValueError(
            f"`order` must be one of {', '.join(get_args(Order))}, got {order!r}; choose one of them"
        )
    if order != "cyclic" and max(family.tasks) ** max(visits) > ORDERS:
        raise ValueError(
            f"`visits` and `tasks` must leave at most {ORDERS} orders, got {max(family.tasks)}^{max(visits)}; take smaller ones"
        )
    make = nearest if algorithm == "nearest" else method_named(algorithm)
    steps = tuple(value for value in hyper.values() if isinstance(value, str))
    ranges = {value[0]: value[1] for value in hyper.values() if isinstance(value, tuple)}
    n_clients = {"n_clients": 1} if "n_clients" in inspect.signature(make).parameters else {}

    def compute(shape: Shape, values: Named) -> Values:
        given = {name: hyper_value(value, values) for name, value in hyper.items()}
        found = _measured(family, make(**given, **n_clients), _orders(order, shape), shape, values)
        if order == "adversarial":
            return found
        return {name: value.sum(axis=-1) / value.shape[-1] for name, value in found.items()}

    shapes = [
        {"K": k, "t": t, "E": e, "d": d}
        for k, t, e, d in product(family.tasks, visits, local_steps, family.dim)
    ]
    return Scene(
        name=f"{order} visits of {make.__name__} to {family.name}",
        shapes=tuple(sorted(shapes, key=lambda shape: sum(shape.values()))),
        space=lambda shape: {
            **family.space(shape),
            "start": Box(-1, 1, (shape["d"],)),
            **ranges,
            **{step: Box(0.01, 1, scale="log") for step in steps},
        },
        known=lambda shape, values: family.constants(values),
        compute=compute,
        steps=steps,
        free_step=lambda name, shape, values: 2 / (values["L"]),
    )


def _orders(order: Order, shape: Shape) -> np.ndarray:
    """The orders of the tasks, (order, visit)."""
    if order == "cyclic":
        return np.array([[s % shape["K"] for s in range(shape["t"])]])
    return np.array(list(product(range(shape["K"]), repeat=shape["t"])))


@dataclass(frozen=True)
class _Visits:
    """The interface of a world of one client, whose task number s is the one visited then."""

    family: Tasks
    values: Named
    orders: np.ndarray
    n_clients: int = 1

    def at(self, task: int, clients: Any = None) -> Task:
        """The task of a visit, in every order."""
        return self.family.task(self.values, self.orders[:, task])


def _measured(family: Tasks, method: Algorithm, orders: np.ndarray, shape: Shape, values: Named) -> Values:
    """Quantities (batch, order) after the last visit."""
    world, n_visits = _Visits(family, values, orders), shape["t"]
    draws = enumerate_draws(1, 1, shape["E"], shape["d"], rounds=1, tasks=n_visits)
    first = values["start"][:, None]
    first = broadcast_to(first, (first.shape[0], len(orders), shape["d"]))
    played = states(world, method, draws, first, 1, n_visits)
    models = [first, *(state["theta"] for _, rounds, state in played if rounds)]
    places = [x[:, :, None] for x in models]
    visited = [world.at(s) for s in range(n_visits)]
    best = family.best(values, orders)
    loss = lambda s, x: visited[s].loss(x)[..., 0]  # noqa: E731
    each = [family.task(values, np.full(len(orders), k)) for k in range(shape["K"])]
    worse = [loss(s, places[-1]) - loss(s, places[s + 1]) for s in range(n_visits)]
    none = zeros_like(worse[0])
    return {
        "forgetting": sum(worse, none) / n_visits,
        "backward_transfer": -sum(worse[:-1], none) / max(n_visits - 1, 1),
        "regret": sum((loss(s, places[s]) - loss(s, best) for s in range(n_visits)), none),
        "loss": sum((task.loss(places[-1])[..., 0] for task in each), none) / shape["K"],
        "distance2": sq(models[-1] - best[:, :, 0]),
        "distance2_0": sq(models[0] - best[:, :, 0]),
    }
