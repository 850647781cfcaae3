"""The record that defines an algorithm: pure functions on parameter vectors with leading batch axes.

Shapes, here and in every algorithm: a model is ``(..., d)``; local models are ``(..., n, d)`` with one *slot* for each of
the `n` clients of the round; vectors that clients keep between their rounds form an entry ``(..., M, d)`` of the state. The
leading axes are sweeps of hyper-parameters, worlds and runs, in this order. An algorithm draws no random numbers and has no
loop of its own: `algorithms.simulate` plays it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from nqm.fields import Array, IntArray, broadcast_to

State = Mapping[str, Array]
"""What the server keeps between rounds: ``"theta"`` (..., d), and whatever else the method remembers."""

Local = Mapping[str, Array]
"""What a client holds during local work: ``"x"`` (..., n, d), and whatever else the method needs. A count, such as the number
of steps made, is a whole number while all slots agree, and an array (..., n, 1) otherwise."""


Normals = Callable[..., Array]
"""(key, *shape) -> (run, *shape): standard normal numbers of a round, the same whenever the same are asked for."""


@dataclass(frozen=True)
class Moment:
    """The moment between two rounds, and the random numbers drawn for it.

    Attributes
    ----------
    task : int
        Task of the round that has ended, from 0.
    left : int
        Rounds of the task that are left.
    normals : Normals or None
        None if the draws have none.
    """

    task: int
    left: int
    normals: Normals | None = None


def is_vector(value: Any) -> bool:
    """Whether an entry of a state is an array of numbers with axes; indices of samples do not count."""
    whole = isinstance(value, np.ndarray) and value.dtype.kind in "iu"
    return getattr(value, "ndim", 0) > 0 and not whole


def start(theta0: Array) -> State:
    """Initial state that consists of the model alone: the default `init`."""
    return {"theta": theta0}


def unchanged(state: State, task: int) -> State:
    """The unchanged state, for methods that do nothing when a task begins."""
    return state


def one_model(state: State) -> Array:
    """All clients use the server's model, (..., 1, d)."""
    return state["theta"][..., None, :]


def download(state: State, clients: IntArray, oracle: Any) -> Local:
    """Local state ``"x"`` (..., n, d) in which every sampled client starts from the server's model."""
    return {"x": over_slots(state["theta"], clients.shape[-1])}


def over_slots(vector: Array, n_slots: int) -> Array:
    """(..., d) -> (..., n_slots, d), the same vector in every slot, without a copy."""
    return broadcast_to(vector[..., None, :], (*vector.shape[:-1], n_slots, vector.shape[-1]))


def stochastic_gradient(oracle: Any, x: Array, u: Array) -> Array:
    """Stochastic gradient (..., n, d) of each slot's client at its point: the default `query`."""
    return oracle.stochastic_grad(x, u)


def requests_of(oracle: Any, u: Array) -> Any:
    """The requests of `stochastic_gradient` to an oracle in one round, with the drawn numbers `u`; None if the oracle cannot
    answer them together.

    The result has ``walk(x, parts)``, which gives the model after all steps of `algorithms.corrections.Affine` with these
    parts. In worlds of samples the parts of further maps may follow, with the index of the map in each step, (..., n, E).
    """
    requests = getattr(oracle, "requests", None)
    return None if requests is None else requests(u)


def the_same(network: Any) -> Any:
    """The world's network itself."""
    return network


def objective_of_task(world: Any, state: State, task: int, clients: IntArray) -> Any:
    """The objective of the clients in a round: their losses of the current task."""
    return world.at(task, clients)


@dataclass(frozen=True)
class Algorithm:
    """A federated continual learning method, given by the pure functions in which methods differ.

    Attributes
    ----------
    name : str
        Name of the method, with the variant if its source allows several.
    init : theta0 (..., d) -> State
        State before the first task.
    local_step : (State, Local, seen) -> Local
        One local step; `seen` is the result of `query` at ``local["x"]``, usually a gradient (..., n, d).
    aggregate : (State, Local, clients (..., n) of int) -> State
        End of a round. `clients` is the client of each slot; the order of slots has no meaning.
    begin_task : (State, task) -> State
        Called before the first round of every task; tasks count from 0.
    begin_round : (State, clients, oracle) -> Local
        The download of the sampled clients, with quantities that they compute from their whole data before local steps.
    prepare : (State, oracle) -> State, or None
        Exchange before local work, with the objective of all M clients. None if the method has none.
    query : (oracle, x (..., n, d), u (..., n, ...)) -> seen
        The query of a local step to its data. `u` holds the numbers drawn for this step: standardised noise (..., n, d), or
        the indices of a minibatch (..., n, b).
    objective : (world, State, task, clients (..., n) of int) -> oracle
        The objective of the clients, prepared once per round: the current task, unless the method also uses earlier ones.
    end_task : (world, State, task, order) -> State, or None
        Called after the last round of every task. `order` (run, M, S) is a random order of each client's
        samples of this task, -1 after the last, from which memories are chosen; None if nothing was drawn.
    end_round : (world, State, Moment) -> State, or None
        Called after the aggregation of every round, before `end_task`: training at the server, or samples generated between
        rounds.
    served : State -> (..., M, d) or (..., 1, d)
        The models that the clients use: the server's, unless the method is personalised.
    served_in_task : (State, task) -> (..., M, d) or (..., 1, d), or None
        The models that the clients use if they are told the task, where these differ from `served`.
    network : network -> network
        The network whose parameters `served` returns: the world's network, unless clients combine several.
    infer : Evidence -> scores (..., q, C), or None
        How a client predicts from its model's outputs and representations and those of its memory, see
        `algorithms.prediction`. None: by the outputs.
    """

    name: str
    init: Callable[[Array], State]
    local_step: Callable[[State, Local, Any], Local]
    aggregate: Callable[[State, Local, IntArray], State]
    begin_task: Callable[[State, int], State] = unchanged
    begin_round: Callable[[State, IntArray, Any], Local] = download
    prepare: Callable[[State, Any], State] | None = None
    query: Callable[[Any, Array, Array], Any] = stochastic_gradient
    objective: Callable[[Any, State, int, IntArray], Any] = objective_of_task
    end_task: Callable[[Any, State, int, IntArray | None], State] | None = None
    end_round: Callable[[Any, State, Moment], State] | None = None
    served: Callable[[State], Array] = one_model
    served_in_task: Callable[[State, int], Array] | None = None
    network: Callable[[Any], Any] = the_same
    infer: Callable[[Any], Array] | None = None
