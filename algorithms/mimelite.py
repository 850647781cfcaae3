"""MimeLite: clients use the server's momentum, which stays fixed until the round ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from algorithms.algorithm import Algorithm, Local, State, download
from algorithms.combining import averaged, mean_of_sampled, weighed
from algorithms.corrections import Affine, descend
from algorithms.hyperparameters import against, fraction, step_size
from nqm.fields import Array, IntArray, zeros_like


def mimelite(local_lr: Array, momentum: Array, global_lr: Array = 1) -> Algorithm:
    """MimeLite over SGD with momentum.

    Local steps descend along (1 - momentum)*g + momentum*m with the server's m, which then becomes
    (1 - momentum)*(mean of the sampled clients' full gradients at the server's model) + momentum*m.

    Parameters
    ----------
    local_lr, global_lr : number or array (sweep..., world..., run), > 0
        Step size of the clients, and of the server along the mean displacement (the source: 1).
    momentum : number or array, in [0, 1)
        Share of the past; 0 is FedAvg.

    Notes
    -----
    Source: Karimireddy et al. (2020), Mime: Mimicking centralized stochastic algorithms in federated
    learning, Algorithm 2 (MimeLite).
    """
    descent = descend(step_size("local_lr", local_lr))
    step_size("global_lr", global_lr)
    fraction("momentum", momentum)

    def init(theta0: Array) -> State:
        return {"theta": theta0, "momentum": zeros_like(theta0)}

    def begin_round(state: State, clients: IntArray, oracle: Any) -> Local:
        local = download(state, clients, oracle)
        return {**local, "full": oracle.grad(local["x"])}

    def local_step(state: State, local: Local, g: Array) -> Local:
        share = against(momentum, 2)
        return descent(state, local, (1 - share) * g + share * state["momentum"][..., None, :])

    def aggregate(state: State, local: Local, clients: IntArray) -> State:
        share = against(momentum, 1)
        new = (1 - share) * mean_of_sampled(weighed(local, local["full"])) + share * state["momentum"]
        return {**state, "theta": averaged(state, local, global_lr), "momentum": new}

    return Algorithm(
        name="MimeLite",
        init=init,
        begin_round=begin_round,
        local_step=Affine(local_step),
        aggregate=aggregate,
    )


def examples(number: Callable[[float], Array], n_clients: int) -> tuple[Algorithm, ...]:
    """Instances on which the shared tests run; `number` makes a hyper-parameter of a float."""
    return (mimelite(number(0.125), number(0.25), number(0.5)),)
