"""FedProx: FedAvg whose clients are held near the model that they downloaded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from algorithms.algorithm import Algorithm, Local, State
from algorithms.combining import displacement
from algorithms.fedavg import fedavg
from algorithms.hyperparameters import against, step_size, strength
from nqm.fields import Array


def held_near(algorithm: Algorithm, local_lr: Array, mu: Array) -> Algorithm:
    """`algorithm` whose clients' losses have mu/2*|x - theta|^2 added, theta being the server's model that they downloaded.

    Parameters
    ----------
    algorithm : Algorithm
        Whose local steps descend with the step size `local_lr`.
    local_lr : number or array (sweep..., world..., run), > 0
    mu : number or array, >= 0
        Coefficient of the penalty; 0 changes nothing.
    """
    pull = against(step_size("local_lr", local_lr) * strength("mu", mu), 2)

    def local_step(state: State, local: Local, seen: Any) -> Local:
        moved = algorithm.local_step(state, local, seen)
        return {**moved, "x": moved["x"] - pull * displacement(state, local)}

    return replace(algorithm, name=f"{algorithm.name} near the server", local_step=local_step)


def fedprox(local_lr: Array, mu: Array, global_lr: Array = 1) -> Algorithm:
    """FedProx with gradient descent as the local solver.

    Clients descend f_m(x) + mu/2*|x - theta|^2, where theta is the server's model at the start of the round.

    Parameters
    ----------
    local_lr, global_lr : number or array (sweep..., world..., run), > 0
        Step size of the clients, and of the server along the mean displacement.
    mu : number or array, >= 0
        Coefficient of the penalty; 0 is FedAvg.

    Notes
    -----
    Source: Li et al. (2020), Federated optimization in heterogeneous networks, Algorithm 2.
    """
    return replace(held_near(fedavg(local_lr, global_lr), local_lr, mu), name="FedProx")


def examples(number: Callable[[float], Array], n_clients: int) -> tuple[Algorithm, ...]:
    """Instances on which the shared tests run; `number` makes a hyper-parameter of a float."""
    return (fedprox(number(0.125), number(0.5), number(1.5)),)
