"""SPECIAL: FedAvg whose server blends every new model with the final model of the previous task."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from algorithms.algorithm import Algorithm, Local, State
from algorithms.combining import anchor_here, averaged, blend, start_with_anchor
from algorithms.fedavg import fedavg
from algorithms.hyperparameters import strength
from nqm.fields import Array, IntArray


def special(local_lr: Array, global_lr: Array, lam: Array) -> Algorithm:
    """SPECIAL as in its pseudo-code: Eq. (6) in every round of every task.

    In the first task the anchor is the start theta_0.

    Parameters
    ----------
    local_lr, global_lr : number or array (sweep..., world..., run), > 0
        gamma_L and gamma_G.
    lam : number or array, >= 0
        lambda, the pull towards the anchor; 0 is FedAvg.

    Notes
    -----
    Source: SPECIAL, arXiv:2601.22274v2, Algorithm 1 and Eq. (5)-(6). The text differs in the first task, see `special_from_second_task`.
    """
    strength("lam", lam)

    def aggregate(state: State, local: Local, clients: IntArray) -> State:
        return {**state, "theta": blend(averaged(state, local, global_lr), state["anchor"], lam)}

    return replace(
        fedavg(local_lr, global_lr),
        name="SPECIAL",
        init=start_with_anchor,
        begin_task=anchor_here,
        aggregate=aggregate,
    )


def special_from_second_task(local_lr: Array, global_lr: Array, lam: Array) -> Algorithm:
    """SPECIAL as in its text: plain FedAvg in the first task, Eq. (6) from the second on.

    Parameters are those of `special`.

    Notes
    -----
    Source: SPECIAL, arXiv:2601.22274v2, Section 3, "Federated skeleton": the aggregate of a round is its
    result "when the current task is the first task of the sequence. Otherwise, the server blends" it.
    """
    plain = fedavg(local_lr, global_lr)
    blending = special(local_lr, global_lr, lam)

    def aggregate(state: State, local: Local, clients: IntArray) -> State:
        method = plain if state["task"] == 0 else blending
        return method.aggregate(state, local, clients)

    return replace(blending, name="SPECIAL (blending from the second task)", aggregate=aggregate)


def examples(number: Callable[[float], Array], n_clients: int) -> tuple[Algorithm, ...]:
    """Instances on which the shared tests run; `number` makes a hyper-parameter of a float."""
    steps = number(0.125), number(1.5), number(0.25)
    return special(*steps), special_from_second_task(*steps)
