"""SCAFFOLD: control variates of the server and of every client correct the clients' drift."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from algorithms.algorithm import Algorithm, Local, State, download
from algorithms.clients import for_every_client, of_clients, with_clients
from algorithms.combining import averaged, of_everyone
from algorithms.corrections import descend
from algorithms.hyperparameters import count, step_size
from nqm.fields import Array, IntArray, like, zeros_like


def scaffold(local_lr: Array, global_lr: Array, n_clients: int) -> Algorithm:
    """SCAFFOLD with option II: a client's new control variate is the mean of the gradients that it saw.

    That mean is (theta - x)/(E*local_lr) + c_i - c, as the source prints it.

    Parameters
    ----------
    local_lr, global_lr : number or array (sweep..., world..., run), > 0
        Step size of the clients, and of the server along the mean displacement.
    n_clients : int
        Number M of all clients, each of which keeps a control variate; all start at zero.

    Notes
    -----
    Where clients weigh by their samples (`algorithms.combining.by_size`), so do their control variates in the server's. Source:
    Karimireddy et al. (2020), SCAFFOLD: Stochastic controlled averaging for federated learning,
    Algorithm 1.
    """
    descent = descend(step_size("local_lr", local_lr))
    step_size("global_lr", global_lr)
    count("n_clients", n_clients, at_least=1)

    def init(theta0: Array) -> State:
        none = zeros_like(for_every_client(theta0, n_clients))
        return {"theta": theta0, "control": zeros_like(theta0), "controls": none}

    def begin_round(state: State, clients: IntArray, oracle: Any) -> Local:
        local = download(state, clients, oracle)
        own = of_clients(state["controls"], clients)
        shift = of_everyone(state, state["control"], state["controls"])[..., None, :] - own
        return {**local, "own": own, "shift": shift, "sum": 0 * local["x"], "steps": 0}

    def local_step(state: State, local: Local, g: Array) -> Local:
        moved = descent(state, local, g + local["shift"])
        return {**moved, "sum": local["sum"] + g, "steps": local["steps"] + 1}

    def aggregate(state: State, local: Local, clients: IntArray) -> State:
        divisor = local["steps"] + (local["steps"] == 0)  # the sum of a client without steps is 0
        new = local["sum"] / like(local["sum"], divisor)
        changes = (new - local["own"]).sum(axis=-2)
        return {
            **state,
            "theta": averaged(state, local, global_lr),
            "control": state["control"] + changes / n_clients,
            "controls": with_clients(state["controls"], clients, new),
        }

    return Algorithm(
        name="SCAFFOLD", init=init, begin_round=begin_round, local_step=local_step, aggregate=aggregate
    )


def scaffold_full_gradients(local_lr: Array, global_lr: Array, n_clients: int) -> Algorithm:
    """`scaffold` with option I: the new control variate is the full gradient at the server's model."""
    plain = scaffold(local_lr, global_lr, n_clients)

    def begin_round(state: State, clients: IntArray, oracle: Any) -> Local:
        local = plain.begin_round(state, clients, oracle)
        return {**local, "full": oracle.grad(local["x"])}

    def aggregate(state: State, local: Local, clients: IntArray) -> State:
        return plain.aggregate(state, {**local, "sum": local["full"], "steps": 1}, clients)

    return replace(plain, name="SCAFFOLD (full gradients)", begin_round=begin_round, aggregate=aggregate)


def examples(number: Callable[[float], Array], n_clients: int) -> tuple[Algorithm, ...]:
    """Instances on which the shared tests run; `number` makes a hyper-parameter of a float."""
    steps = number(0.125), number(0.5)
    return scaffold(*steps, n_clients), scaffold_full_gradients(*steps, n_clients)
