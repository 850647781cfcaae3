"""FedProx: FedAvg with a penalty on the distance of local models from the downloaded model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from algorithms.algorithm import Algorithm, Local, State, download, start
from algorithms.combining import displacement, server_average
from algorithms.corrections import of_the_kind
from algorithms.fedavg import fedavg
from algorithms.hyperparameters import against, step_size, strength
from nqm.fields import Array, IntArray, kind, to_float

SOLVED = 1e-6
"""Gradient that may be left of a proximal problem that counts as solved."""


def held_near(algorithm: Algorithm, local_lr: Array, mu: Array) -> Algorithm:
    """`algorithm` with mu/2*|x - theta|^2 added to the clients' losses, where theta is the downloaded model.

    Parameters
    ----------
    algorithm : Algorithm
        Its local steps must descend with the step size `local_lr`.
    local_lr : number or array (sweep..., world..., run), > 0
    mu : number or array, >= 0
        Coefficient of the penalty; 0 changes nothing.
    """
    pull = against(step_size("local_lr", local_lr) * strength("mu", mu), 2)

    def local_step(state: State, local: Local, seen: Any) -> Local:
        moved = algorithm.local_step(state, local, seen)
        return {**moved, "x": moved["x"] - pull * displacement(state, local)}

    made = of_the_kind(algorithm.local_step, local_step)
    return replace(algorithm, name=f"{algorithm.name} near the server", local_step=made)


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


def fedprox_exact(mu: Array, global_lr: Array = 1) -> Algorithm:
    """FedProx whose clients solve their proximal problems.

    On losses that are quadratic in every coordinate, one Newton step solves them. An oracle with a method ``prox(x, mu)``, which
    returns the solution, is asked for it.

    Parameters
    ----------
    mu : number or array, > 0
        Coefficient of the penalty mu/2*|x - theta|^2.
    global_lr : number or array, > 0

    Raises
    ------
    ValueError
        In a round on losses of another kind whose oracle has no ``prox``: one Newton step does not solve their problems.

    Notes
    -----
    Source: Li et al. (2020), Federated optimization in heterogeneous networks, Definition 1 without inexactness.
    """
    strength("mu", mu)

    def begin_round(state: State, clients: IntArray, oracle: Any) -> Local:
        local = download(state, clients, oracle)
        x = local["x"]
        if hasattr(oracle, "prox"):
            return {**local, "x": oracle.prox(x, mu)}
        curvature = oracle.grad(x + 1) - oracle.grad(x)
        solved = x - oracle.grad(x) / (curvature + against(mu, 2))
        left = oracle.grad(solved) + against(mu, 2) * (solved - x)
        if kind(left) != "symbolic" and abs(to_float(left)).max() > SOLVED:
            raise ValueError("`fedprox_exact` needs losses that are quadratic in every coordinate")
        return {**local, "x": solved}

    def local_step(state: State, local: Local, g: Array) -> Local:
        return local

    return Algorithm(
        name="FedProx (exact)",
        init=start,
        begin_round=begin_round,
        local_step=local_step,
        aggregate=server_average(step_size("global_lr", global_lr)),
    )


def examples(number: Callable[[float], Array], n_clients: int) -> tuple[Algorithm, ...]:
    """Instances on which the shared tests run; `number` makes a hyper-parameter of a float."""
    return (fedprox(number(0.125), number(0.5), number(1.5)),)
