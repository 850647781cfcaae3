"""Past losses approximated by quadratics: a client stores two vectors for all its earlier tasks.

The past gradient is ``stiffness*x - pull``, with one diagonal curvature and one shift for all earlier tasks
together, so nothing grows with their number. State entries ``"stiffness"`` and ``"pull"`` (..., run, M, d).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from algorithms.algorithm import Local, State, download, over_slots
from algorithms.clients import for_every_client, of_clients
from nqm.fields import Array, IntArray, broadcast_to, like, zeros_like

Parts = Callable[[Any, Array], tuple[Array, Array]]
"""(oracle, x (..., M, d)) -> diagonal curvature and shift of the loss at x, (..., M, d) each."""


def around_the_model(oracle: Any, x: Array) -> tuple[Array, Array]:
    """F and F*x: the quadratic F(v - x)^2/2, flat at the model itself."""
    stiffness = oracle.curvature(x)
    return stiffness, stiffness * x


def second_order(oracle: Any, x: Array) -> tuple[Array, Array]:
    """F and F*x - gradient: the loss to second order, with a diagonal Hessian or its stand-in."""
    return _expanded(oracle.curvature(x), oracle.grad(x), x)


def with_squared_gradient(oracle: Any, x: Array) -> tuple[Array, Array]:
    """As `second_order`, with the squared gradient for F. Source: CFL, Appendix C.1.2, as printed."""
    gradient = oracle.grad(x)
    return _expanded(gradient**2, gradient, x)


def with_probed_hessian(probes: int) -> Parts:
    """As `second_order`, with F from products of the Hessian with `probes` random vectors.

    The oracle must offer ``hessian_diagonal(x, probes)``.
    """
    return lambda oracle, x: _expanded(oracle.hessian_diagonal(x, probes), oracle.grad(x), x)


def _expanded(diagonal: Array, gradient: Array, x: Array) -> tuple[Array, Array]:
    return diagonal, diagonal * x - gradient


def on_coordinates(parts: Parts, chosen: Any) -> Parts:
    """`parts` on the coordinates where `chosen` (d,) is 1, such as those of the top layers; nothing elsewhere."""
    return _each(parts, lambda part: part * like(part, np.asarray(chosen)))


def in_common(parts: Parts) -> Parts:
    """The mean of `parts` over the clients, for each of them: stored by a server for clients that store nothing."""
    return _each(
        parts, lambda part: broadcast_to(part.sum(axis=-2)[..., None, :] / part.shape[-2], part.shape)
    )


def _each(parts: Parts, change: Callable[[Array], Array]) -> Parts:
    def changed(oracle: Any, x: Array) -> tuple[Array, Array]:
        curvature, shift = parts(oracle, x)
        return change(curvature), change(shift)

    return changed


def nothing_past(theta0: Array, n_clients: int) -> State:
    """State with no past loss."""
    none = zeros_like(for_every_client(theta0, n_clients))
    return {"theta": theta0, "stiffness": none, "pull": none}


def keep(parts: Parts) -> Callable[[Any, State, int, IntArray | None], State]:
    """End of a task in which every client adds the task's loss, seen from the server's model, to its past."""

    def end_task(world: Any, state: State, task: int, order: IntArray | None) -> State:
        everyone = np.arange(world.n_clients)
        stiffness, pull = parts(world.at(task, everyone), over_slots(state["theta"], world.n_clients))
        return {**state, "stiffness": state["stiffness"] + stiffness, "pull": state["pull"] + pull}

    return end_task


def recall(state: State, clients: IntArray, oracle: Any) -> Local:
    """Download of the model, and every client's past beside it."""
    past = {name: of_clients(state[name], clients) for name in ("stiffness", "pull")}
    return {**download(state, clients, oracle), **past}


def past_gradient(local: Local) -> Array:
    """Gradient of the sum of the past losses at the local models, (..., n, d)."""
    return local["stiffness"] * local["x"] - local["pull"]
