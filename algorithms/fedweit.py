"""FedWeIT: clients share a masked base, and every task has parameters of its own, which other clients may use."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np

from algorithms.algorithm import Algorithm, Local, State
from algorithms.clients import for_every_client, of_clients, with_clients
from algorithms.ditto import Gradient, on_a_minibatch
from algorithms.hyperparameters import against, count, step_size, strength
from nqm.fields import Array, IntArray, broadcast_to, concatenate, decided, exp, like, stack, where

Gate = Callable[[Array], tuple[Array, Array]]
"""Mask parameters -> the masks, and their derivatives."""

Units = Sequence[tuple[int, int]]
"""Groups of parameters in order, a layer's weights or its biases: so many output units, of so many parameters each."""

Upload = Callable[[Array, Array, Array, Units], tuple[Array, Array]]
"""(base (..., n, d), masks of its parameters (..., n, d), mask parameters (..., n, U), units) -> what is sent of the base (...,
n, d), and of which units something is, 0 or 1 (..., n, U)."""


def sigmoid(m: Array) -> tuple[Array, Array]:
    """1/(1 + exp(-m)) and its derivative."""
    value = 1 / (1 + exp(-m))
    return value, value * (1 - value)


def masked(base: Array, mask: Array, m: Array, units: Units) -> tuple[Array, Array]:
    """The base times its mask, of all units."""
    return base * mask, 0 * m + 1


def of_largest_masks(part: float) -> Upload:
    """The base, restricted to the share `part` of the units of each group with the largest absolute mask parameters."""

    def upload(base: Array, mask: Array, m: Array, units: Units) -> tuple[Array, Array]:
        parts = [abs(group) for group in _groups(m, [number for number, _ in units])]
        ranked = [size.sort(-1).values[..., int((1 - part) * size.shape[-1]), None] for size in parts]
        chosen = [like(m, size >= least) for size, least in zip(parts, ranked, strict=True)]
        return base, concatenate(chosen, -1)

    return upload


@dataclass(frozen=True)
class Rules:
    """The points in which versions of FedWeIT differ.

    Attributes
    ----------
    upload : Upload
        The part of the base that clients send.
    retroactive : int
        1: parameters of earlier tasks continue to learn, so that the base may change; 0: they are fixed.
    memory : int
        Tasks before the current one whose parameters are borrowed from the other clients.
    own : int
        1: a client's own parameters are among those that it can borrow.
    """

    upload: Upload
    retroactive: int
    memory: int
    own: int


PAPER = Rules(masked, retroactive=1, memory=2**31, own=0)
"""The paper: clients send the base masked, and earlier parameters of all others are borrowed."""
RELEASED = Rules(of_largest_masks(0.7), retroactive=0, memory=1, own=1)
"""The released code: clients send 0.7 of the base as it is, earlier parameters are constants, those of one task are borrowed."""


def fedweit(
    local_lr: Array,
    sparsity: Array,
    mask_sparsity: Array,
    drift: Array,
    n_clients: int,
    n_tasks: int,
    units: Units,
    head: np.ndarray,
    rules: Rules,
    gate: Gate = sigmoid,
) -> Algorithm:
    """FedWeIT on one flat vector, for clients that are told the task at test.

    The model of a client in task t is ``B*mask(m_t) + A_t + sum_j alpha_tj*K_j`` on the body and ``A_t`` on the head, K
    being the knowledge base: what remains of A_j of all clients and earlier tasks j without entries below `sparsity`. A
    local step descends the loss in B, m_t, A_t, alpha_t, with penalties ``sparsity*|A|_1``, ``mask_sparsity*|m_t|_1`` and
    ``drift/2*|B*mask(m_j) + A_j - (the same when the task began)|^2`` for each earlier task j.

    Parameters
    ----------
    local_lr : number or array (sweep..., world..., run), > 0
        Step size of the clients.
    sparsity, mask_sparsity, drift : numbers or arrays, >= 0
        Strengths lambda_1 of both penalties, and lambda_2.
    n_clients, n_tasks : int
        Numbers M of clients and K of tasks.
    units : Units
        All parameters of a unit have one mask parameter.
    head : (d,) array of 0 and 1
        1: part of the head, which is not shared between clients or tasks.
    rules : Rules
        `PAPER`, or `RELEASED`.
    gate : Gate
        Masks from their parameters: the source's is `sigmoid`.

    Notes
    -----
    State entries per client: ``"base"`` (..., run, M, d), ``"adaptive"`` and ``"frozen"`` (..., run, M, K*d), ``"mask"``
    (..., run, M, K*U), ``"attention"`` (..., run, M, K*M*K), and the knowledge base ``"known"`` (..., run, M*K, d). Clients
    download the entries that ``"arrived"`` (..., run, d) at the server in the last round. For all other entries they continue with their own base, and the server's entry stays. Source: Yoon et al. (2021), Federated continual learning with weighted
    inter-client transfer.
    """
    local_lr, sparsity = step_size("local_lr", local_lr), strength("sparsity", sparsity)
    mask_sparsity, drift = strength("mask_sparsity", mask_sparsity), strength("drift", drift)
    M, K = count("n_clients", n_clients, at_least=1), count("n_tasks", n_tasks, at_least=1)
    U, own_head = sum(number for number, _ in units), np.asarray(head).astype(int)

    def init(theta0: Array) -> State:
        body = like(theta0, 1 - own_head)
        first = theta0 - body * theta0 + body * theta0 / 3
        every = for_every_client(concatenate([first] * K, -1), M)
        none = for_every_client(0 * theta0[..., :1], M)
        return {
            "theta": theta0,
            "arrived": 0 * theta0,
            "base": for_every_client(theta0, M),
            "adaptive": every,
            "frozen": 0 * every,
            "mask": concatenate([none] * (K * U), -1),
            "attention": concatenate([none] * (K * M * K), -1),
            "known": stack([0 * theta0] * (M * K), -2),
        }

    def begin_task(state: State, task: int) -> State:
        if task == 0:
            return {**state, "task": task}
        A, m, known = by_task(state["adaptive"]), by_task(state["mask"]), state["known"]
        body = like(A, 1 - own_head)
        last = body * A[..., task - 1, :]
        kept = where(decided(operator.gt, abs(last), against(sparsity, 2)), last, 0 * last)
        known = with_clients(known, np.arange(M) * K + task - 1, kept)
        frozen = spread(gate(m)[0], units) * state["base"][..., None, :] + A
        return {**state, "task": task, "known": known, "frozen": _flat(frozen)}

    def begin_round(state: State, clients: IntArray, oracle: Any) -> Local:
        task = state["task"]
        parts = {name: of_clients(state[name], clients) for name in ("base", "adaptive", "frozen", "mask")}
        alpha = by_task(of_clients(state["attention"], clients))[..., task, :]
        arrived = decided(operator.gt, state["arrived"][..., None, :], 0)
        return {
            "x": where(arrived, state["theta"][..., None, :], parts["base"]),
            "A": parts["adaptive"],
            "m": parts["mask"],
            "frozen": parts["frozen"],
            "alpha": alpha,
            "borrowed": of_clients(like(state["theta"], lent(task))[None], clients),
        }

    def lent(task: int) -> np.ndarray:
        """Which entries of the knowledge base each client may borrow, (M, M*K) of 0 and 1."""
        owner, of_task = np.divmod(np.arange(M * K), K)
        in_time = (of_task < task) & (of_task >= task - rules.memory)
        others = (owner != np.arange(M)[:, None]) | bool(rules.own)
        chosen: np.ndarray = in_time & others
        return chosen.astype(int)

    def composed(B: Array, A: Array, mask: Array, alpha: Array, known: Array) -> Array:
        body = like(B, 1 - own_head)
        return body * (B * mask + alpha @ known) + A

    def local_step(state: State, local: Local, gradient: Gradient) -> Local:
        task, B = state["task"], local["x"]
        A, m, frozen = (by_task(local[name]) for name in ("A", "m", "frozen"))
        alpha, known = local["borrowed"] * local["alpha"], state["known"]
        body = like(B, 1 - own_head)
        value, slope = gate(m)
        mask = spread(value, units)
        g = gradient(composed(B, A[..., task, :], mask[..., task, :], alpha, known))
        on_body = body * g
        dB, dA = on_body * mask[..., task, :], [g]
        dm = summed(on_body * B, units) * slope[..., task, :] + against(mask_sparsity, 2) * sign(
            m[..., task, :]
        )
        for j in range(task):
            gap = body * (B * mask[..., j, :] + A[..., j, :] - frozen[..., j, :])
            dB = dB + against(drift, 2) * gap * mask[..., j, :]
            dA.insert(-1, rules.retroactive * against(drift, 2) * gap)
        live = range(0 if rules.retroactive else task, task + 1)
        rate = against(local_lr, 2)
        moved = {
            j: A[..., j, :] - rate * (dA[j] + body * against(sparsity, 2) * sign(A[..., j, :])) for j in live
        }
        dalpha = local["borrowed"] * (on_body @ known.swapaxes(-1, -2))
        return {
            **local,
            "x": B - rate * dB,
            "A": _flat(_replaced(A, moved)),
            "m": _flat(_replaced(m, {task: m[..., task, :] - rate * dm})),
            "alpha": local["alpha"] - rate * dalpha,
        }

    def aggregate(state: State, local: Local, clients: IntArray) -> State:
        task = state["task"]
        m = by_task(local["m"])[..., task, :]
        values, sent = rules.upload(local["x"], spread(gate(m)[0], units), m, units)
        sent = spread(sent, units) * like(values, 1 - own_head)
        number = sent.sum(axis=-2)
        arrived = decided(operator.gt, number, 0)
        average = (sent * values).sum(axis=-2) / where(arrived, number, number + 1)
        attention = by_task(of_clients(state["attention"], clients))
        own = {
            "base": local["x"],
            "adaptive": local["A"],
            "mask": local["m"],
            "attention": _flat(_replaced(attention, {task: local["alpha"]})),
        }
        kept = {name: with_clients(state[name], clients, value) for name, value in own.items()}
        theta = where(arrived, average, state["theta"])
        return {**state, **kept, "theta": theta, "arrived": where(arrived, 0 * theta + 1, 0 * theta)}

    def served_in_task(state: State, task: int) -> Array:
        shown = min(task, state["task"])
        A, m, alpha = (by_task(state[name])[..., shown, :] for name in ("adaptive", "mask", "attention"))
        borrowed = like(alpha, lent(shown))
        return composed(state["base"], A, spread(gate(m)[0], units), borrowed * alpha, state["known"])

    def by_task(entry: Array) -> Array:
        return entry.reshape(*entry.shape[:-1], K, -1)

    return Algorithm(
        name="FedWeIT",
        init=init,
        begin_task=begin_task,
        begin_round=begin_round,
        query=on_a_minibatch,
        local_step=local_step,
        aggregate=aggregate,
        served=lambda state: served_in_task(state, state["task"]),
        served_in_task=served_in_task,
    )


def spread(values: Array, units: Units) -> Array:
    """(..., U) -> (..., d): the value of a unit for each of its parameters."""
    parts = zip(_groups(values, [number for number, _ in units]), units, strict=True)
    wide = [broadcast_to(part[..., None], (*part.shape, size)) for part, (_, size) in parts]
    return concatenate([part.reshape(*part.shape[:-2], -1) for part in wide], -1)


def summed(values: Array, units: Units) -> Array:
    """(..., d) -> (..., U): the sum over the parameters of each unit."""
    parts = zip(_groups(values, [number * size for number, size in units]), units, strict=True)
    return concatenate([part.reshape(*part.shape[:-1], *unit).sum(axis=-1) for part, unit in parts], -1)


def sign(values: Array) -> Array:
    """1, 0 or -1, the derivative of the absolute value."""
    one, none = 0 * values + 1, 0 * values
    above, below = (decided(compare, values, 0) for compare in (operator.gt, operator.lt))
    return where(above, one, none) - where(below, one, none)


def _groups(values: Array, lengths: Sequence[int]) -> list[Array]:
    """(..., sum of lengths) -> parts of the last axis."""
    ends = list(accumulate(lengths))
    return [values[..., end - length : end] for end, length in zip(ends, lengths, strict=True)]


def _replaced(rows: Array, new: Mapping[int, Array]) -> Array:
    """(..., K, any) with some of its rows, counted from 0, replaced."""
    return stack([new.get(j, rows[..., j, :]) for j in range(rows.shape[-2])], -2)


def _flat(rows: Array) -> Array:
    return rows.reshape(*rows.shape[:-2], -1)


def examples(number: Callable[[float], Array], n_clients: int) -> tuple[Algorithm, ...]:
    """Instances on which the shared tests run, in two dimensions and two tasks; `number` makes a hyper-parameter of a float.

    Masks are linear in their parameters, because the sigmoid is irrational.
    """
    sizes: dict[str, Any] = {
        "n_clients": n_clients,
        "n_tasks": 2,
        "units": ((1, 1), (1, 1)),
        "head": np.array([0, 1]),
    }
    strengths = number(0.03125), number(0.0625), number(0.5)

    def line(m: Array) -> tuple[Array, Array]:
        return m + 1, 0 * m + 1

    return (fedweit(number(0.03125), *strengths, **sizes, rules=PAPER, gate=line),)
