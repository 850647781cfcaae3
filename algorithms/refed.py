"""Re-Fed: clients keep the samples with the largest gradients during the training of a model between their own and the
server's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from algorithms.algorithm import Algorithm, State, over_slots
from algorithms.fedagem import current_and_kept
from algorithms.fedavg import fedavg
from algorithms.hyperparameters import against, count, share, step_size
from algorithms.memory import EMPTY
from algorithms.replay import Mixed, with_memory
from nqm.fields import Array, IntArray, concatenate


def refed(
    local_lr: Array,
    personal_lr: Array,
    lam: Array,
    steps: int,
    n_clients: int,
    capacity: int,
    global_lr: Array = 1,
) -> Algorithm:
    """Re-Fed with FedAvg on kept and new samples.

    When a task has ended, a client trains a personal model ``v <- v - personal_lr*(g(v) + q*(v - theta))`` with
    ``q = (1 - lam)/(2*lam)`` for some steps from the server's model theta, g being the gradient of all samples that it
    has. It keeps the samples with the highest ``sum_p |grad l(v_p)|/p`` over these steps p = 1, 2, ...

    For worlds that give the gradient norms of single samples: networks.

    Parameters
    ----------
    local_lr, personal_lr, global_lr : number or array (sweep..., world..., run), > 0
        Step sizes of the clients, of their personal models, and of the server along the mean displacement.
    lam : number or array, strictly between 0 and 1
        Share of the client's own data in the personal model; near 0 it stays at the server's.
    steps : int
        Steps of the personal model, at least 1.
    n_clients, capacity
        As in `algorithms.replay.with_memory`.

    Notes
    -----
    Local steps are on the union of both kinds of samples: the memory's share is that of its samples. Source: Li et al.
    (2024), Towards efficient replay in federated incremental learning, arXiv:2403.05890. SR-FDIL, by the same
    authors, adds a score of the global data and a choice of clients, whose formulas are not public: this is not SR-FDIL.
    """
    step_size("personal_lr", personal_lr)
    share("lam", lam)
    count("steps", steps, at_least=1)
    pull = (1 - lam) / (2 * lam)

    def objective(world: Any, state: State, task: int, clients: IntArray) -> Mixed:
        found = current_and_kept(world, state, task, clients)
        new, kept = ((part.rows >= 0).sum(axis=-1) for part in (found.current, found.memory))
        return Mixed(found.current, found.memory, kept / (kept + new))

    def end_task(world: Any, state: State, task: int, order: IntArray | None) -> State:
        theta = state["theta"]
        v = over_slots(theta, world.n_clients)
        found = objective(world, state, task, np.arange(world.n_clients))
        scores: Any = 0
        for p in range(1, steps + 1):
            norms = [part.gradient_norms(v) for part in (found.current, found.memory)]
            scores = scores + concatenate(norms, axis=-1) / p
            new, kept = found.current.grad(v), found.memory.grad(v)
            g = new + found.memory_share[..., None] * (kept - new)
            v = v - against(personal_lr, 2) * (g + against(pull, 2) * (v - theta[..., None, :]))
        numbers = _numbers(found.current.rows, task, state["kept"])
        return {**state, "kept": highest(numbers, scores.cpu().numpy(), capacity)}

    plain = with_memory(fedavg(local_lr, global_lr), n_clients, capacity, lambda kept, *_: kept)
    return replace(plain, name="Re-Fed", objective=objective, end_task=end_task)


def highest(numbers: IntArray, scores: np.ndarray, capacity: int) -> IntArray:
    """The `capacity` samples with the highest scores, highest first, and empty places last.

    Parameters
    ----------
    numbers, scores : (run, M, m) arrays
        Samples of each client, -1 for none, and the scores by which they are ranked.
    """
    # With capacity 0 the result still has one place, which is empty.
    ranked = np.argsort(
        np.where(numbers == EMPTY, np.inf, -scores[..., : numbers.shape[-1]]), axis=-1, kind="stable"
    )
    return np.take_along_axis(numbers, ranked, axis=-1)[..., :capacity]


def _numbers(rows: Array, task: int, kept: IntArray) -> IntArray:
    """Samples (run, M, S + capacity) of a task and of the memories, in the order of their scores."""
    held = (rows >= 0).cpu().numpy()
    new = np.where(held, task * held.shape[-1] + np.arange(held.shape[-1]), EMPTY)
    return np.concatenate([np.broadcast_to(new, (*kept.shape[:-1], new.shape[-1])), kept], axis=-1)


def examples(number: Callable[[float], Array], n_clients: int) -> tuple[Algorithm, ...]:
    """Empty: the method needs the gradient norms of single samples and is tested on networks."""
    return ()
