"""EWC-FL: a penalty keeps coordinates that were important for earlier tasks near their old values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from algorithms.algorithm import Algorithm, Local, State
from algorithms.corrections import Affine
from algorithms.fedavg import fedavg
from algorithms.hyperparameters import against, count, strength
from algorithms.penalty import around_the_model, keep, nothing_past, past_gradient, recall
from nqm.fields import Array


def ewc(local_lr: Array, lam: Array, n_clients: int, global_lr: Array = 1) -> Algorithm:
    """Elastic weight consolidation inside FedAvg.

    Clients descend f + lam/2*sum over earlier tasks of F_k*(x - theta_k)^2, with their own diagonal Fisher
    information F_k at the server's model theta_k that ended task k.

    Parameters
    ----------
    local_lr, global_lr : number or array (sweep..., world..., run), > 0
        Step size of the clients, and of the server along the mean displacement.
    lam : number or array, >= 0
        Strength; 0 is FedAvg.
    n_clients : int
        Number M of clients.

    Notes
    -----
    Source: Kirkpatrick et al. (2017), Overcoming catastrophic forgetting, Eq. (3), one penalty per task; run
    with FedAvg in C-FLAG, Section 7 (EWC-FL).
    """
    strength("lam", lam)
    count("n_clients", n_clients, at_least=1)
    plain = fedavg(local_lr, global_lr)

    def local_step(state: State, local: Local, g: Array) -> Local:
        return plain.local_step(state, local, g + against(lam, 2) * past_gradient(local))

    return replace(
        plain,
        name="EWC",
        init=lambda theta0: nothing_past(theta0, n_clients),
        begin_round=recall,
        local_step=Affine(local_step),
        end_task=keep(around_the_model),
    )


def examples(number: Callable[[float], Array], n_clients: int) -> tuple[Algorithm, ...]:
    """Instances on which the shared tests run; `number` makes a hyper-parameter of a float."""
    return (ewc(number(0.125), number(0.5), n_clients, number(1.5)),)
