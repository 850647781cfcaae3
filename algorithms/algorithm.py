"""What an algorithm is: a record of pure functions on parameter vectors with leading batch axes.

Shapes, here and in every algorithm: a model is ``(..., d)``; what the sampled clients hold is ``(..., n,
d)`` with one *slot* for each of the `n` clients of the round; what a client keeps between its rounds is part
of an entry ``(..., M, d)`` of the state. The leading axes are sweeps of hyper-parameters, worlds and runs, in
this order. An algorithm draws no random numbers and owns no loop:
`algorithms.simulate` plays it.
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
"""What a client holds during local work: ``"x"`` (..., n, d), and whatever else the method needs."""


Normals = Callable[..., Array]
"""(key, *shape) -> (run, *shape): standard normal numbers of a round, the same whenever the same are asked for."""


@dataclass(frozen=True)
class Moment:
    """When something happens between two rounds, and what was drawn for it.

    Attributes
    ----------
    task : int
        Task of the round that has ended, from 0.
    left : int
        Rounds of the task that follow.
    normals : Normals or None
        None if the draws have none.
    """

    task: int
    left: int
    normals: Normals | None = None


def is_vector(value: Any) -> bool:
    """Whether an entry of a state is an array of numbers with axes; indices of samples are not."""
    whole = isinstance(value, np.ndarray) and value.dtype.kind in "iu"
    return getattr(value, "ndim", 0) > 0 and not whole


def start(theta0: Array) -> State:
    """State that consists of the model alone."""
    return {"theta": theta0}


def unchanged(state: State, task: int) -> State:
    """State as it is: a new task makes no difference to the method."""
    return state


def one_model(state: State) -> Array:
    """All clients use the server's model, (..., 1, d)."""
    return state["theta"][..., None, :]


def download(state: State, clients: IntArray, oracle: Any) -> Local:
    """Every sampled client starts from the server's model."""
    return {"x": over_slots(state["theta"], clients.shape[-1])}


def over_slots(vector: Array, n_slots: int) -> Array:
    """(..., d) -> (..., n_slots, d), the same vector in every slot, without a copy."""
    return broadcast_to(vector[..., None, :], (*vector.shape[:-1], n_slots, vector.shape[-1]))


def stochastic_gradient(oracle: Any, x: Array, u: Array) -> Array:
    """Gradient of each slot's client at its point, with its noise: what a client sees of its data."""
    return oracle.stochastic_grad(x, u)


def asked_of(oracle: Any, u: Array) -> Any:
    """All that `stochastic_gradient` asks of an oracle in a round, `u` being what was drawn for it; None if it cannot say.

    What it gives offers ``walk(x, parts)``: where all steps of `algorithms.corrections.Affine` with these parts lead. In worlds of samples
    the parts of further maps may follow, and which of all comes in which step, (..., n, E).
    """
    asked = getattr(oracle, "asked", None)
    return None if asked is None else asked(u)


def the_same(network: Any) -> Any:
    """The world's network itself."""
    return network


def objective_of_task(world: Any, state: State, task: int, clients: IntArray) -> Any:
    """What clients work on in a round: their losses of the current task."""
    return world.at(task, clients)


@dataclass(frozen=True)
class Algorithm:
    """A federated continual method, as the pure functions in which methods differ.

    Attributes
    ----------
    name : str
        Name of the method, with the reading of its source where there are several.
    init : theta0 (..., d) -> State
        State before the first task.
    local_step : (State, Local, seen) -> Local
        One local step; `seen` is what `query` returned at ``local["x"]``, most often a gradient (..., n, d).
    aggregate : (State, Local, clients (..., n) of int) -> State
        End of a round. `clients` says which client worked in each slot; the order of slots carries no
        meaning.
    begin_task : (State, task) -> State
        Called before the first round of every task; tasks count from 0.
    begin_round : (State, clients, oracle) -> Local
        What the sampled clients download, and what they find out from their whole data before they move.
    prepare : (State, oracle) -> State, or None
        Exchange before local work, with the objective of all M clients. None if the method has none.
    query : (oracle, x (..., n, d), u (..., n, ...)) -> seen
        What a local step asks of its data; `u` is what was drawn for this step: standardised noise (..., n,
        d), or the indices of a minibatch (..., n, b).
    objective : (world, State, task, clients (..., n) of int) -> oracle
        What the clients of a round work on, prepared once per round: the current task, unless the method
        remembers earlier ones.
    end_task : (world, State, task, order) -> State, or None
        Called after the last round of every task. `order` (run, M, S) is a random order of each client's
        samples of this task, -1 after the last, from which memories are chosen; None if nothing was drawn.
    end_round : (world, State, Moment) -> State, or None
        Called after the aggregation of every round, before `end_task`: what the server trains by itself, or what is
        made between rounds.
    served : State -> (..., M, d) or (..., 1, d)
        The models that the clients use: the server's, unless the method is personalised.
    served_in_task : (State, task) -> (..., M, d) or (..., 1, d), or None
        The models that the clients use on a task that they are told, where these differ from `served`.
    network : network -> network
        What `served` are the parameters of: the world's network, unless clients combine several.
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
