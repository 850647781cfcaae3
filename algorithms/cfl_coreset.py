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
from algorithms.replay import Mixed, with_memory
from nqm.fields import Array, IntArray, like


def cfl_coreset(
    local_lr: Array, n_clients: int, capacity: int, rule: Rule, global_lr: Array = 1
) -> Algorithm:
    """CFL with core sets of the earlier tasks, which are trained on together with the current data.

    Every sample of the union has the same weight, so the weight of the past grows with the number of kept samples.

    Parameters
    ----------
    local_lr, global_lr : number or array (sweep..., world..., run), > 0
        eta_l and eta_g.
    n_clients, capacity, rule
        Number of clients, number of samples that each can keep, and the rule that chooses them: `algorithms.memory.ring`
        draws them at random (the naive core set). A capacity of 0 is FedAvg.

    Notes
    -----
    Source: CFL (Guo, Lin, Tang), Appendix C.1.2, core sets, "combined with the current local data".
    """

    def of_union(task: int, kept: IntArray, current: IntArray) -> Array:
        return kept / (kept + current)

    return _with_share("CFL-Core-Set", of_union, local_lr, n_clients, capacity, rule, global_lr)


def cfl_coreset_weighted(
    local_lr: Array, n_clients: int, capacity: int, rule: Rule, present: Present = equal, global_lr: Array = 1
) -> Algorithm:
    """`cfl_coreset` with the weights of Eq. (3): `present` for the current task, the rest for the samples kept.

    Source: CFL, Eq. (3).
    """

    def of_past(task: int, kept: IntArray, current: IntArray) -> Array:
        return against(1 - present(task), 1)

    return _with_share("CFL-Core-Set (weighted)", of_past, local_lr, n_clients, capacity, rule, global_lr)


def cfl_coreset_icarl(
    local_lr: Array, n_clients: int, capacity: int, rule: Rule, global_lr: Array = 1
) -> Algorithm:
    """`cfl_coreset` with the samples that represent their classes best (herding).

    For worlds whose samples have representations: networks. Source: CFL, Appendix C.1.2, Algorithm 3.
    """
    naive = cfl_coreset(local_lr, n_clients, capacity, rule, global_lr)
    return replace(naive, name="CFL-Core-Set (iCaRL)", end_task=herded(rule))


def _with_share(
    name: str,
    share: Callable[[int, IntArray, IntArray], Array],
    local_lr: Array,
    n_clients: int,
    capacity: int,
    rule: Rule,
    global_lr: Array,
) -> Algorithm:
    """Replay whose memory share is a function of the task and the numbers of kept and current samples (run, n)."""

    def begin_task(state: State, task: int) -> State:
        return {**state, "task": task}

    def objective(world: Any, state: State, task: int, clients: IntArray) -> Mixed:
        found = current_and_kept(world, state, task, clients)
        kept = (of_memory(state, clients) != EMPTY).sum(axis=-1)
        reference, current = state["theta"], found.current.sizes
        wanted = share(state["task"], like(reference, kept), like(reference, current))
        return Mixed(found.current, found.memory, wanted * like(reference, 1 * (kept > 0)))

    plain = with_memory(fedavg(local_lr, global_lr), n_clients, capacity, rule)
    return replace(plain, name=name, begin_task=begin_task, objective=objective)


def examples(number: Callable[[float], Array], n_clients: int) -> tuple[Algorithm, ...]:
    """Instances on which the shared tests run; `number` makes a hyper-parameter of a float."""
    rates, keeping = number(0.125), (n_clients, 2, ring(2))
    return (
        cfl_coreset(rates, *keeping, number(1.5)),
        cfl_coreset_weighted(rates, *keeping, constant(number(0.25)), number(1.5)),
    )
