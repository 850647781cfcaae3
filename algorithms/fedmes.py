"""FedMeS: a memory that corrects local steps, and a pull to the global model whose strength follows the loss.

Each step tests on minibatches whether the gradient of the current task conflicts with that of the memory (4). Without a
conflict, the personal model descends the regularised loss (5). With a conflict, the part of the gradient that would raise
the memory's loss is removed, and the global model is not used (6). The other half of the method, its prediction by
neighbours in the memory, is `algorithms.inference`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from algorithms.algorithm import Algorithm, Local, State, download
from algorithms.clients import for_every_client, with_clients
from algorithms.combining import displacement, server_average
from algorithms.corrections import inner_product, without_conflict
from algorithms.fedagem import Recall, Remembering, both_gradients, current_and_kept, whole_memory
from algorithms.hyperparameters import against, step_size, strength
from algorithms.memory import Rule, empty_memory, first_in_first_out, remember
from algorithms.prediction import by_neighbours
from nqm.fields import Array, IntArray, decided, exp, is_exact, where

Strength = Callable[[Array], Array]
"""Loss of the downloaded model on each client's task (..., n) -> lambda of the client, (..., n)."""

Pull = Callable[[Array], Array]
"""w - global model (..., n, d) -> what lambda multiplies in a step, (..., n, d)."""


def loss_based(loss: Array) -> Array:
    """lambda = 2*sigmoid(1/loss), between 1 and 2 for positive losses, and 2 where the loss is 0 (Eq. 7).

    Irrational, so not for exact arithmetic.
    """
    none = decided(operator.eq, loss, 0)
    return where(none, 0 * loss + 2, 2 / (1 + exp(-1 / where(none, 0 * loss + 1, loss))))


def fixed_strength(lam: Array) -> Strength:
    """The same lambda >= 0 in every round, a number or array (sweep..., world..., run)."""
    strength("lam", lam)
    return lambda loss: 0 * loss + against(lam, 1)


def towards(difference: Array) -> Array:
    """Gradient of |difference|^2/2, which Eq. (5) needs to descend the objective (2)."""
    return difference


def length(difference: Array) -> Array:
    """|difference|, subtracted from every coordinate, as Eq. (5) is printed; no pull, and exact in 1-d only."""
    if difference.shape[-1] == 1:
        return abs(difference)
    if is_exact(difference):
        raise TypeError(
            "`length` takes square roots in more than one dimension: use floats, not exact numbers."
        )
    return 0 * difference + (difference**2).sum(axis=-1)[..., None] ** 0.5


def fedmes(
    local_lr: Array,
    correction_lr: Array,
    n_clients: int,
    capacity: int,
    rule: Rule,
    strength: Strength = loss_based,
    pull: Pull = towards,
    recall: Recall = whole_memory,
) -> Algorithm:
    """FedMeS, Algorithm 1; its inference is `with_inference`.

    Parameters
    ----------
    local_lr, correction_lr : number or array (sweep..., world..., run), > 0
        eta_1 of the regularised step (5), and eta_2 of the correction (6).
    n_clients : int
        Number M of clients.
    capacity : int
        Samples that a client can keep, m. With 0 no step is ever a correction.
    rule : Rule
        Which samples are kept; the paper's is `algorithms.memory.first_in_first_out`.
    strength : Strength
        lambda from the loss of the downloaded model: `loss_based`, or `fixed_strength`.
    pull : Pull
        The factor of lambda: `towards`, the gradient of (2), or `length`, as printed in (5).
    recall : Recall
        Gradient of the memory in (4) and (6): of the whole memory, as printed there, or of a minibatch, as in Appendix A.1
        (`algorithms.fedagem.memory_minibatch`).

    Notes
    -----
    State entry ``"personal"`` (..., run, M, d): each client's model after its last round, which it uses.
    Local work starts from the global model in every round. Source: FedMeS, Section 4, Algorithm 1.
    """
    step_size("local_lr", local_lr)
    step_size("correction_lr", correction_lr)

    def init(theta0: Array) -> State:
        kept = empty_memory(theta0, n_clients, capacity)
        return {"theta": theta0, "kept": kept, "personal": for_every_client(theta0, n_clients)}

    def begin_round(state: State, clients: IntArray, oracle: Remembering) -> Local:
        local = download(state, clients, oracle)
        return {**local, "lam": strength(oracle.current.loss(local["x"]))[..., None]}

    def local_step(state: State, local: Local, seen: tuple[Array, Array]) -> Local:
        g, memory = seen
        regularised = g + local["lam"] * pull(displacement(state, local))
        corrected = without_conflict(g, memory)
        step = where(
            decided(operator.lt, inner_product(g, memory), 0),
            against(correction_lr, 2) * corrected,
            against(local_lr, 2) * regularised,
        )
        return {**local, "x": local["x"] - step}

    def aggregate(state: State, local: Local, clients: IntArray) -> State:
        averaged = server_average(1)(state, local, clients)
        return {**averaged, "personal": with_clients(state["personal"], clients, local["x"])}

    return Algorithm(
        name="FedMeS",
        init=init,
        begin_round=begin_round,
        objective=current_and_kept,
        query=both_gradients(recall),
        local_step=local_step,
        aggregate=aggregate,
        end_task=remember(rule),
        served=personal_models,
    )


def with_inference(algorithm: Algorithm, K: int, theta: float) -> Algorithm:
    """`algorithm` whose clients mix their outputs with the votes of the K nearest samples they keep (8)-(10)."""
    return replace(algorithm, name=f"{algorithm.name} with inference", infer=by_neighbours(K, theta))


def personal_models(state: State) -> Array:
    """Every client uses its own model, (..., M, d)."""
    return state["personal"]


def examples(number: Callable[[float], Array], n_clients: int) -> tuple[Algorithm, ...]:
    """Instances on which the shared tests run; `number` makes a hyper-parameter of a float.

    The strength of Eq. (7) is irrational, so that it has tests of its own.
    """
    keeping: dict[str, Any] = {"n_clients": n_clients, "capacity": 2, "rule": first_in_first_out(2)}
    return (fedmes(number(0.125), number(0.25), **keeping, strength=fixed_strength(number(0.5))),)
