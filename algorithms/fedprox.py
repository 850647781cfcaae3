"""FedProx: FedAvg whose clients are held near the model that they downloaded."""

from __future__ import annotations

from collections.abc import Callable

from algorithms.algorithm import Algorithm, Local, State, start
from algorithms.combining import displacement, server_average
from algorithms.corrections import descend
from algorithms.hyperparameters import against, step_size, strength
from nqm.fields import Array


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
    strength("mu", mu)
    descent = descend(step_size("local_lr", local_lr))

    def local_step(state: State, local: Local, g: Array) -> Local:
        return descent(state, local, g + against(mu, 2) * displacement(state, local))

    return Algorithm(
        name="FedProx",
        init=start,
        local_step=local_step,
        aggregate=server_average(step_size("global_lr", global_lr)),
    )


def examples(number: Callable[[float], Array], n_clients: int) -> tuple[Algorithm, ...]:
    """Instances on which the shared tests run; `number` makes a hyper-parameter of a float."""
    return (fedprox(number(0.125), number(0.5), number(1.5)),)
