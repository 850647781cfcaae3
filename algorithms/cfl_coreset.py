"""CFL-Core-Set: CFL whose past losses are those of the samples that a client kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from algorithms.algorithm import Algorithm, State
from algorithms.cfl_regularization import Present, constant, equal
from algorithms.fedagem import current_and_kept
from algorithms.fedavg import fedavg
from algorithms.hyperparameters import against
from algorithms.icarl import herded
from algorithms.memory import EMPTY, Rule, of_memory, ring
from algorithms.replay import Mixed, mixed_gradient, with_memory
from nqm.fields import Array, IntArray, like


def cfl_coreset(
    local_lr: Array,
    n_clients: int,
    capacity: int,
    rule: Rule,
    present: Present = equal,
    global_lr: Array = 1,
) -> Algorithm:
    """CFL with core sets of the earlier tasks in place of their data.

    Parameters
    ----------
    local_lr, global_lr : number or array (sweep..., world..., run), > 0
        eta_l and eta_g.
    n_clients, capacity, rule
        Clients, samples that each can keep, and which: `algorithms.memory.ring` draws them at random (the
        naive core set). A capacity of 0 is FedAvg.
    present : Present
        Weight p of the current task; the samples kept share the rest alike.

    Notes
    -----
    Source: CFL (Guo, Lin, Tang), Eq. (3) and Appendix C.1.2, core sets.
    """

    def begin_task(state: State, task: int) -> State:
        return {**state, "task": task}

    def objective(world: Any, state: State, task: int, clients: IntArray) -> Mixed:
        found = current_and_kept(world, state, task, clients)
        remembers = (of_memory(state, clients) != EMPTY).any(axis=-1).astype(int)
        past = 1 - present(state["task"])
        return Mixed(found.current, found.memory, against(past, 1) * like(state["theta"], remembers))

    plain = with_memory(fedavg(local_lr, global_lr), n_clients, capacity, rule)
    return replace(
        plain, name="CFL-Core-Set", begin_task=begin_task, objective=objective, query=mixed_gradient
    )


def cfl_coreset_naive(
    local_lr: Array, past: Array, n_clients: int, capacity: int, rule: Rule, global_lr: Array = 1
) -> Algorithm:
    """CFL with random samples of the earlier tasks, whose weight `past`, in [0, 1), is constant from the second on.

    Parameters are those of `cfl_coreset`. Source: CFL, Appendix C.1.2, naive core sets.
    """
    return cfl_coreset(local_lr, n_clients, capacity, rule, constant(past), global_lr)


def cfl_coreset_icarl(
    local_lr: Array, past: Array, n_clients: int, capacity: int, rule: Rule, global_lr: Array = 1
) -> Algorithm:
    """As `cfl_coreset_naive` with the samples that stand best for their classes; `past` must not be swept.

    For worlds whose samples have representations: networks. Source: CFL, Appendix C.1.2, Algorithm 3.
    """
    naive = cfl_coreset_naive(local_lr, past, n_clients, capacity, rule, global_lr)
    return replace(naive, name="CFL-Core-Set (iCaRL)", end_task=herded(rule))


def examples(number: Callable[[float], Array], n_clients: int) -> tuple[Algorithm, ...]:
    """Instances on which the shared tests run; `number` makes a hyper-parameter of a float."""
    return (cfl_coreset_naive(number(0.125), number(0.25), n_clients, 2, ring(2), number(1.5)),)
