"""SPECIAL-C: a proximal map pulls the clients' steps towards the previous task's model.

The paper prints three places in two ways each, and they make different algorithms:

============================  ==============================  ===================================
place                         one variant                     the other
============================  ==============================  ===================================
step inside the proximal map  gamma_L (Algorithm 2, line 10)  gamma_G (rule in the text)
update that is sent           x_E - x_0 (line 12, first)      -gamma_L*sum_e g_e (line 12, last)
mean of the server            over the sampled (the text)     1/M over all M (line 16)
============================  ==============================  ===================================

`special_c` takes the left column throughout, and so differs from SPECIAL in the place of the pull only. The name of each
other constructor states its change; `reading` creates any combination.

Source: SPECIAL, arXiv:2601.22274v2, Appendix F.5 and Algorithm 2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from algorithms.algorithm import Algorithm, Local, State
from algorithms.combining import (
    anchor_here,
    displacement,
    mean_of_all,
    mean_of_sampled,
    start_with_anchor,
    weighed,
)
from algorithms.corrections import Affine, descend, proximal_point
from algorithms.hyperparameters import against, step_size, strength
from nqm.fields import Array, IntArray, like, where


def scaled_gradients(state: State, local: Local) -> Array:
    """Update of the last form of line 12, -gamma_L*sum_e g_e, from which the pull is missing, (..., n, d)."""
    return -local["steps"]


def with_sum_of_steps(algorithm: Algorithm, local_lr: Array) -> Algorithm:
    """`algorithm` whose clients add up ``"steps"``, gamma_L*sum_e g_e, which `scaled_gradients` sends."""

    def begin_round(state: State, clients: IntArray, oracle: Any) -> Local:
        local = algorithm.begin_round(state, clients, oracle)
        return {**local, "steps": 0 * local["x"]}

    def local_step(state: State, local: Local, g: Array) -> Local:
        moved = algorithm.local_step(state, local, g)
        return {**moved, "steps": local["steps"] + against(local_lr, 2) * g}

    return replace(algorithm, begin_round=begin_round, local_step=local_step)


def reading(
    name: str,
    local_lr: Array,
    global_lr: Array,
    lam: Array,
    *,
    inner_lr: Array,
    update: Callable[[State, Local], Array],
    mean: Callable[[Array], Array],
) -> Algorithm:
    """SPECIAL-C with any choice of variants in its three ambiguous places.

    Parameters
    ----------
    name : str
        Name of the combination of variants.
    local_lr, global_lr : number or array (sweep..., world..., run), > 0
        gamma_L and gamma_G.
    lam : number or array, >= 0
        lambda of the proximal map; 0 is FedAvg if also ``inner_lr == local_lr`` and ``mean is
        mean_of_sampled``.
    inner_lr : number or array, > 0
        Step size inside the proximal map, which is used from the second task on.
    update : (State, Local) -> (..., n, d)
        What a client sends: `displacement` or `scaled_gradients`.
    mean : (..., n, d) -> (..., d)
        How the server averages: `mean_of_sampled` or ``mean_of_all(n_clients)``.
    """
    first, inner = descend(step_size("local_lr", local_lr)), descend(step_size("inner_lr", inner_lr))
    step_size("global_lr", global_lr)
    strength("lam", lam)

    def local_step(state: State, local: Local, g: Array) -> Local:
        if state["task"] == 0:
            return first(state, local, g)
        moved = inner(state, local, g)
        return {**moved, "x": proximal_point(moved["x"], state["anchor"], lam)}

    def aggregate(state: State, local: Local, clients: IntArray) -> State:
        return {
            **state,
            "theta": state["theta"] + against(global_lr, 1) * mean(weighed(local, update(state, local))),
        }

    made = Algorithm(
        name=name,
        init=start_with_anchor,
        begin_task=anchor_here,
        local_step=Affine(local_step),
        aggregate=aggregate,
    )
    return with_sum_of_steps(made, local_lr) if update is scaled_gradients else made


def special_c(local_lr: Array, global_lr: Array, lam: Array) -> Algorithm:
    """SPECIAL-C with gamma_L inside the proximal map, displacements, and the mean of the sampled clients.

    Parameters of all constructors here are those of `reading`.
    """
    return reading(
        "SPECIAL-C", local_lr, global_lr, lam, inner_lr=local_lr, update=displacement, mean=mean_of_sampled
    )


def special_c_scaled_gradients(local_lr: Array, global_lr: Array, lam: Array) -> Algorithm:
    """`special_c` whose clients send -gamma_L*sum_e g_e (Algorithm 2, line 12, last form)."""
    return reading(
        "SPECIAL-C (scaled gradients)",
        local_lr,
        global_lr,
        lam,
        inner_lr=local_lr,
        update=scaled_gradients,
        mean=mean_of_sampled,
    )


def special_c_mean_of_all(local_lr: Array, global_lr: Array, lam: Array, n_clients: int) -> Algorithm:
    """`special_c` whose server divides by the number of all clients (Algorithm 2, line 16)."""
    return reading(
        "SPECIAL-C (mean of all)",
        local_lr,
        global_lr,
        lam,
        inner_lr=local_lr,
        update=displacement,
        mean=mean_of_all(n_clients),
    )


def special_c_scaled_gradients_mean_of_all(
    local_lr: Array, global_lr: Array, lam: Array, n_clients: int
) -> Algorithm:
    """`special_c` with the last form of line 12 and the mean of line 16."""
    return reading(
        "SPECIAL-C (scaled gradients, mean of all)",
        local_lr,
        global_lr,
        lam,
        inner_lr=local_lr,
        update=scaled_gradients,
        mean=mean_of_all(n_clients),
    )


def special_c_global_step_inside(local_lr: Array, global_lr: Array, lam: Array) -> Algorithm:
    """`special_c` with gamma_G inside the proximal map, as the update rule in the text prints it."""
    return reading(
        "SPECIAL-C (global step inside)",
        local_lr,
        global_lr,
        lam,
        inner_lr=global_lr,
        update=displacement,
        mean=mean_of_sampled,
    )


def special_c_each_epoch(local_lr: Array, global_lr: Array, lam: Array) -> Algorithm:
    """`special_c` with one proximal map per epoch instead of one per step. An epoch has as many steps as a client's samples
    fill minibatches.

    For worlds of samples. The source's local steps are "local epochs". If a step is a minibatch, a proximal map in every
    step keeps a client at the anchor.
    """
    pulling = special_c(local_lr, global_lr, lam)

    def begin_round(state: State, clients: IntArray, oracle: Any) -> Local:
        local = pulling.begin_round(state, clients, oracle)
        return {**local, "made": 0, "epoch": oracle.n_components[..., None]}

    def due(local: Local, made: IntArray) -> IntArray:
        comes: IntArray = 1 * ((made + 1) % local["epoch"] == 0)
        return comes

    def local_step(state: State, local: Local, g: Array) -> Local:
        pulled, now = pulling.local_step(state, local, g), like(g, due(local, local["made"]))
        free = local["x"] - against(local_lr, 2) * g
        return {**pulled, "x": where(now == 1, pulled["x"], free), "made": local["made"] + 1}

    free, pulled = ({"made": 0, "epoch": np.full((1, 1), steps)} for steps in (2, 1))
    return replace(
        pulling,
        name="SPECIAL-C (once an epoch)",
        begin_round=begin_round,
        local_step=Affine(local_step, (free, pulled), due),
    )


def examples(number: Callable[[float], Array], n_clients: int) -> tuple[Algorithm, ...]:
    """Instances on which the shared tests run; `number` makes a hyper-parameter of a float."""
    steps = number(0.125), number(1.5), number(0.25)
    return (
        special_c(*steps),
        special_c_scaled_gradients(*steps),
        special_c_mean_of_all(*steps, n_clients),
        special_c_scaled_gradients_mean_of_all(*steps, n_clients),
        special_c_global_step_inside(*steps),
    )
