"""NCCL: every local step adapts its rates on the memory and on the current task to how their gradients agree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from algorithms.algorithm import Algorithm, Local, State
from algorithms.cflag import adapted_rates, check_adaptive
from algorithms.corrections import inner_product
from algorithms.fedagem import both_gradients, memory_minibatch
from algorithms.fedavg import fedavg
from algorithms.hyperparameters import against
from algorithms.memory import Rule, ring
from algorithms.replay import with_memory
from nqm.fields import Array


def nccl(
    alpha: Array, smoothness: Array, n_clients: int, capacity: int, rule: Rule, global_lr: Array = 1
) -> Algorithm:
    """NCCL run with FedAvg: steps x - alpha_H*f_H - beta_H*g_H along minibatch gradients of memory and current task.

    The rates are those of `algorithms.cflag.adapted_rates` for one client and one step, with both rates equal to
    `alpha` before they adapt. While the memory is empty, this is FedAvg.

    Parameters
    ----------
    alpha : number or array (sweep..., world..., run), > 0, < 1/L
        Common rate.
    smoothness : number or array, > 0
        L.
    n_clients, capacity, rule
        As in `algorithms.replay.with_memory`.
    global_lr : number or array, > 0
        Step size of the server along the mean displacement.

    Notes
    -----
    Source: Han et al. (2024), arXiv:2404.05555, as described in C-FLAG, Sections 6 and 7 (NCCL-FL); without further
    safeguards such as a largest beta_H.
    """
    check_adaptive(alpha, smoothness)

    def local_step(state: State, local: Local, seen: tuple[Array, Array]) -> Local:
        current, memory = seen
        common, share = against(alpha, 2), 0 * inner_product(current, current) + 1
        rates = adapted_rates(common, common, against(smoothness, 2), memory, current, share)
        return {**local, "x": local["x"] - rates[0] * memory - rates[1] * current}

    method = replace(
        fedavg(alpha, global_lr), name="NCCL", query=both_gradients(memory_minibatch), local_step=local_step
    )
    return with_memory(method, n_clients, capacity, rule)


def examples(number: Callable[[float], Array], n_clients: int) -> tuple[Algorithm, ...]:
    """Instances on which the shared tests run; `number` makes a hyper-parameter of a float."""
    return (nccl(number(0.125), number(0.5), n_clients, 2, ring(2)),)
