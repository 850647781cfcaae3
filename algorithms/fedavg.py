"""FedAvg: local steps, then a step along the mean displacement."""

from __future__ import annotations

from collections.abc import Callable

from algorithms.algorithm import Algorithm, start
from algorithms.combining import server_average
from algorithms.corrections import descend
from algorithms.hyperparameters import step_size
from nqm.fields import Array


def fedavg(local_lr: Array, global_lr: Array = 1) -> Algorithm:
    """FedAvg with local and global step sizes.

    Parameters
    ----------
    local_lr, global_lr : number or array (sweep..., world..., run), > 0
        Step size of the clients, and of the server along the mean displacement (1: plain averaging).

    Notes
    -----
    Source: McMahan et al. (2017), Algorithm 1, with the server step size of SPECIAL, arXiv:2601.22274v2,
    Algorithm 1, lines 16-17. One local step stands for what the papers call a local epoch.

    Examples
    --------
    >>> fedavg(local_lr=0.1, global_lr=1.5).name
    'FedAvg'
    """
    return Algorithm(
        name="FedAvg",
        init=start,
        local_step=descend(step_size("local_lr", local_lr)),
        aggregate=server_average(step_size("global_lr", global_lr)),
    )


def examples(number: Callable[[float], Array], n_clients: int) -> tuple[Algorithm, ...]:
    """Instances on which the shared tests run; `number` makes a hyper-parameter of a float."""
    return (fedavg(number(0.125)), fedavg(number(0.25), number(1.5)))
