"""Experience replay: every local step descends the current task and samples of earlier ones together.

Fine-tuning, the baseline that remembers nothing, is FedAvg on the current task: `algorithms.fedavg.fedavg`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from algorithms.algorithm import Algorithm, State, requests_of
from algorithms.fedagem import Remembering, current_and_kept
from algorithms.fedavg import fedavg
from algorithms.hyperparameters import against, share
from algorithms.memory import EMPTY, Rule, empty_memory, of_memory, remember, ring
from nqm.fields import Array, IntArray, like


def with_memory(algorithm: Algorithm, n_clients: int, capacity: int, rule: Rule) -> Algorithm:
    """`algorithm` whose clients keep samples: its oracles then hold the ``current`` task and the ``memory``.

    Parameters
    ----------
    algorithm : Algorithm
    n_clients : int
        Number M of clients.
    capacity : int
        Samples that a client can keep, >= 0.
    rule : Rule
        Which samples are kept, from `algorithms.memory`.
    """

    def init(theta0: Array) -> State:
        return {**algorithm.init(theta0), "kept": empty_memory(theta0, n_clients, capacity)}

    return replace(algorithm, init=init, objective=current_and_kept, end_task=remember(rule))


@dataclass(frozen=True)
class Mixed(Remembering):
    """Current data and a memory, with the share (..., n) that the memory has in a step."""

    memory_share: Array

    def stochastic_grad(self, x: Array, u: IntArray) -> Array:
        """Gradient over a minibatch of the current task and one of the memory, (..., n, d)."""
        current, memory = self.current.stochastic_grad(x, u), self.memory.stochastic_grad(x, u)
        return current + self.memory_share[..., None] * (memory - current)

    def requests(self, u: IntArray) -> Any:
        """Both minibatches as one, see `algorithms.simulate.in_one_go`; None where a part does not offer that."""
        current, memory = requests_of(self.current, u), requests_of(self.memory, u)
        return None if current is None or memory is None else current.mixed(memory, self.memory_share)


def replay(
    local_lr: Array, memory_share: Array, n_clients: int, capacity: int, rule: Rule, global_lr: Array = 1
) -> Algorithm:
    """FedAvg with experience replay (ER; with the rule `algorithms.memory.ring`: ER-Ring).

    Parameters
    ----------
    local_lr, global_lr : number or array (sweep..., world..., run), > 0
        Step size of the clients, and of the server along the mean displacement.
    memory_share : number or array, strictly between 0 and 1
        Share of the memory in the samples of a step: 1/2 where both minibatches are equally large. While a
        client's memory is empty, its steps use the current task alone.
    n_clients, capacity, rule
        As in `with_memory`. A capacity of 0 is FedAvg.

    Notes
    -----
    Source: Chaudhry et al. (2019), On tiny episodic memories in continual learning, Algorithm 1; run with FedAvg
    in C-FLAG, Section 7 (Erg-FL).
    """
    share("memory_share", memory_share)

    def objective(world: Any, state: State, task: int, clients: IntArray) -> Mixed:
        found = current_and_kept(world, state, task, clients)
        remembers = (of_memory(state, clients) != EMPTY).any(axis=-1)
        shares = against(memory_share, 1) * like(state["theta"], 1 * remembers)
        return Mixed(found.current, found.memory, shares)

    plain = with_memory(fedavg(local_lr, global_lr), n_clients, capacity, rule)
    return replace(plain, name="ER", objective=objective)


def examples(number: Callable[[float], Array], n_clients: int) -> tuple[Algorithm, ...]:
    """Instances on which the shared tests run; `number` makes a hyper-parameter of a float."""
    return (replay(number(0.125), number(0.25), n_clients, 2, ring(2)),)
