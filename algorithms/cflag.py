"""C-FLAG: FedTrack on the current task, and in every round one step along the gradient of the memories.

The source prints the client's message and the server's update in several different ways. Each is a `Message`: the new model
of the server is its old model minus the weighted mean of the messages Delta_i.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from algorithms.algorithm import Algorithm, Local, State
from algorithms.clients import for_every_client
from algorithms.corrections import inner_product
from algorithms.fedagem import Remembering
from algorithms.fedtrack import (
    Sample,
    Weights,
    client_weights,
    fedtrack,
    shares,
    visited_sample,
    weighted_mean,
)
from algorithms.hyperparameters import against, below_one, count, step_size
from algorithms.memory import Rule, next_of, ring
from algorithms.replay import with_memory
from nqm.fields import Array, IntArray, decided, is_tensor, like, where


@dataclass(frozen=True)
class Worked:
    """The quantities of a client after its local steps.

    Attributes
    ----------
    start, end : (..., n, d) array
        The downloaded model x_t, and the local model x_{t,E}.
    memory_grad : (..., 1, d) array
        Gradient of all memories at the download, grad f-dagger(x_t).
    shift, summed : (..., n, d) array
        grad g(x_t) - grad g_i(x_t), and the sum of the delayed gradients over the local steps.
    steps : int, or (..., n, 1) array
        Local steps E, of each client if they differ.
    alpha, beta : number or (..., 1, 1) array
        Rates on the memory and on the current task.
    share : (..., n, 1) array
        Weight p_i of each client, and their number n.
    """

    start: Array
    end: Array
    memory_grad: Array
    shift: Array
    summed: Array
    steps: Array
    alpha: Array
    beta: Array
    share: Array


@dataclass(frozen=True)
class Message:
    """The message of clients in one variant of the source.

    Attributes
    ----------
    name : str
    of : Worked -> (..., n, d) array
        Delta_i.
    smoothness : number, array or None
        L of the adaptive rates; None if the rates are fixed.
    """

    name: str
    of: Callable[[Worked], Array]
    smoothness: Array | None = None


EQ24 = Message("Eq. 24", lambda w: w.alpha * w.memory_grad + w.start - w.end)
"""The server's rule in the appendix, Eq. (24): the variant that descends, and on which all proofs rest."""

EQ7 = Message("Eq. 7", lambda w: w.alpha * w.memory_grad + w.beta * w.end)
"""The server's rule in the text, Eq. (7): the local models themselves, scaled by beta, are subtracted."""

LINE_2 = Message("Algorithm 3, line 2", lambda w: w.alpha * w.memory_grad + w.end)
"""Algorithm 1 with fixed rates: the local models themselves are subtracted."""

AS_SENT = Message("the message of Section 3", lambda w: w.end - w.alpha * w.memory_grad)
"""The message that the text above Eq. (7) prints, in line 12 of Algorithm 1."""


def adapted_rates(
    alpha: Array, beta: Array, smoothness: Array, memory_grad: Array, summed: Array, share: Array
) -> tuple[Array, Array]:
    """Rates of Table 1 for each client: alpha_i and beta_i, each (..., n, 1).

    A client whose gradients agree with the memory's (inner product Lambda > 0, transference) gets the beta that
    minimises its share of the forgetting term; another one (interference) gets a larger alpha. Where the memory's
    gradient is zero, as with an empty memory, there is nothing to adapt to and both rates stay.

    Parameters
    ----------
    alpha, beta : number or (..., 1, 1) array, > 0
        Common rates; alpha < 1/L, so that 1 - L*alpha is positive.
    smoothness : number or (..., 1, 1) array, > 0
        L.
    memory_grad : (..., 1, d) array
    summed : (..., n, d) array
        a_i.
    share : (..., n, 1) array
        p_i in the average case, N*p_i in the worst case.
    """
    agreement = inner_product(memory_grad, summed)
    transference, one = decided(operator.gt, agreement, 0), 0 * agreement + 1
    own = where(transference, inner_product(summed, summed), one)
    beside = inner_product(memory_grad, memory_grad) + 0 * agreement
    beside = where(decided(operator.eq, beside, 0), one, beside)
    best = (1 - smoothness * alpha) * agreement / (smoothness * share * own)
    more = alpha * (1 - agreement / beside)
    return where(transference, alpha + 0 * one, more), where(transference, best, beta + 0 * one)


def check_adaptive(alpha: Array, smoothness: Array) -> None:
    """Raise ValueError unless the adapted rates are positive: L > 0 and L*alpha < 1."""
    product = alpha * step_size("smoothness", smoothness)
    below_one("alpha*smoothness", product, "adapted rates are multiples of 1 - alpha*smoothness")


def _summed(w: Worked) -> Array:
    return w.summed


def _line_4(w: Worked) -> Array:
    return w.start - w.steps * w.beta * w.shift - w.end


def _average(w: Worked) -> Array:
    return w.share


def _worst(w: Worked) -> Array:
    return w.share * w.share.shape[-2]


def _adapted(
    w: Worked, smoothness: Array, a: Callable[[Worked], Array], share: Callable[[Worked], Array]
) -> Array:
    """Line 14 of Algorithm 3: the client's update scaled by beta_i/beta, plus alpha_i times the memory's gradient.

    Lines 13 and 14 together give this for all rates: E*beta_i*shift cancels the term subtracted in line 4.
    """
    alpha, beta = adapted_rates(w.alpha, w.beta, against(smoothness, 2), w.memory_grad, a(w), share(w))
    return alpha * w.memory_grad + beta / w.beta * (w.start - w.end)


def average_case(smoothness: Array) -> Message:
    """Adaptive rates of Table 1, average case: clients are assumed to be orthogonal on average.

    Parameters
    ----------
    smoothness : number or array (sweep..., world..., run), > 0
        L.
    """
    of = partial(_adapted, smoothness=smoothness, a=_summed, share=_average)
    return Message("adaptive, average case", of, smoothness)


def worst_case(smoothness: Array) -> Message:
    """Adaptive rates of Table 1, worst case. Parameters are those of `average_case`."""
    of = partial(_adapted, smoothness=smoothness, a=_summed, share=_worst)
    return Message("adaptive, worst case", of, smoothness)


def algorithm_3(smoothness: Array) -> Message:
    """Adaptive rates as Algorithm 3 prints them: from a_i of its line 4, which is beta times that of Table 1.

    Parameters are those of `average_case`.
    """
    of = partial(_adapted, smoothness=smoothness, a=_line_4, share=_worst)
    return Message("adaptive, Algorithm 3", of, smoothness)


def cflag(
    alpha: Array,
    beta: Array,
    n_clients: int,
    capacity: int,
    rule: Rule,
    weights: Weights = None,
    message: Message = EQ24,
    sample: int | None = None,
) -> Algorithm:
    """C-FLAG, Algorithm 1, for worlds of samples.

    Parameters
    ----------
    alpha, beta : number or array (sweep..., world..., run), > 0
        Rates on the memory and on the current task. With adaptive rates alpha < 1/L.
    n_clients : int
        Number M of clients (N in the source), all of which send gradients.
    capacity : int
        Samples that a client can keep. With 0 and fixed rates this is FedTrack.
    rule : Rule
        Which samples are kept; the source keeps a ring buffer, `algorithms.memory.ring`.
    weights : (M,) numbers or None
        p, as in `algorithms.fedtrack.fedtrack`.
    message : Message
        The variant. Evidently the source means `EQ24` for fixed rates and `average_case` or `worst_case` for adaptive ones.
        `EQ7`, `LINE_2`, `AS_SENT` and `algorithm_3` are further printed forms.
    sample : int or None
        Number of memory samples whose gradient a round uses, taken in turns, as in the experiments; None: all, as in the
        theory.

    Notes
    -----
    Source: C-FLAG, Eq. (4)-(7), (24), Algorithms 1 and 3, Table 1.
    """
    track = fedtrack(beta, n_clients, weights)
    exchange = track.prepare
    assert exchange is not None
    p = client_weights(weights, n_clients)
    step_size("alpha", alpha)
    if message.smoothness is not None:
        check_adaptive(alpha, message.smoothness)

    def prepare(state: State, oracle: Remembering) -> State:
        each = oracle.memory.grad(for_every_client(state["theta"], n_clients))
        mean = weighted_mean(each, state.get("sizes", p), np.arange(n_clients))
        return {**exchange(state, oracle.current), "memory_grad": mean}

    def begin_round(state: State, clients: IntArray, oracle: Remembering) -> Local:
        return track.begin_round(state, clients, oracle.current)

    def query(oracle: Remembering, x: Array, u: IntArray) -> Sample:
        return visited_sample(oracle.current, x, u)

    def aggregate(state: State, local: Local, clients: IntArray) -> State:
        share = shares(state.get("sizes", p), clients, local["x"])
        worked = Worked(
            start=local["start"],
            end=local["x"],
            memory_grad=state["memory_grad"][..., None, :],
            shift=local["shift"],
            summed=local["summed"],
            steps=like(local["x"], local["steps"]),
            alpha=against(alpha, 2),
            beta=against(beta, 2),
            share=share,
        )
        return {**state, "theta": state["theta"] - (share * message.of(worked)).sum(axis=-2)}

    method = replace(
        track, name=f"C-FLAG ({message.name})", prepare=prepare, begin_round=begin_round, query=query
    )
    whole = with_memory(replace(method, aggregate=aggregate), n_clients, capacity, rule)
    return whole if sample is None else _sampling(whole, sample)


def _sampling(algorithm: Algorithm, sample: int) -> Algorithm:
    """`algorithm` whose oracles of the memory hold the next `sample` samples of it in every round.

    Where models are tensors, the number of the turn is one, too, so that rounds on a device differ in their data only.
    """
    count("sample", sample, at_least=1)

    def init(theta0: Array) -> State:
        return {**algorithm.init(theta0), "turn": theta0.new_zeros(()).long() if is_tensor(theta0) else 0}

    def objective(world: Any, state: State, task: int, clients: IntArray) -> Remembering:
        kept, turn = getattr(state["kept"], "there", None), state["turn"]
        if kept is None:
            kept, turn = np.array(state["kept"]), int(turn)
        taken = {**state, "kept": next_of(kept, sample, turn)}
        found: Remembering = algorithm.objective(world, taken, task, clients)
        return found

    def aggregate(state: State, local: Local, clients: IntArray) -> State:
        return {**algorithm.aggregate(state, local, clients), "turn": state["turn"] + 1}

    return replace(algorithm, init=init, objective=objective, aggregate=aggregate)


def examples(number: Callable[[float], Array], n_clients: int) -> tuple[Algorithm, ...]:
    """Instances on which the shared tests run; `number` makes a hyper-parameter of a float."""
    rates = {"alpha": number(0.125), "beta": number(0.25)}
    adaptive = (average_case, worst_case, algorithm_3)
    messages = (EQ24, EQ7, LINE_2, AS_SENT, *(case(number(1)) for case in adaptive))
    keeping: dict[str, Any] = {"n_clients": n_clients, "capacity": 2, "rule": ring(2)}
    readings = tuple(cflag(**rates, **keeping, message=message) for message in messages)
    return (*readings, replace(cflag(**rates, **keeping, sample=1), name="C-FLAG (sample of the memory)"))
