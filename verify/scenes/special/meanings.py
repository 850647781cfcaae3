"""Descriptions of numbers of SPECIAL's worlds that are no symbols of the paper (`Scene.told`)."""

from __future__ import annotations

from collections.abc import Mapping

BOUNDED: Mapping[str, str] = {
    "curved": "0: linear losses, 1: pseudo-Huber losses, 2: wells, 3: sums of waves, which are not convex",
    "noisy": "1 if stochastic gradients are off by sigma, either way",
    "before": "rounds before the one that is looked at",
    "slope": "gradients of the linear losses, task by task, client by client",
    "free_L": "the L of linear losses, which are smooth for any",
    "height": "largest gradients of pseudo-Huber losses, the scale of those of wells, or amplitudes of waves, task by task, client by client",
    "width": "distance from its centre at which a loss turns from a parabola",
    "centre": "where the losses have their stationary points; every task starts at the origin",
    "wave": "frequencies of the waves, wave by wave; all losses share them",
    "turn": "tangent of half the angle by which a wave is turned from its least value at the origin",
    "even": "less how much of each wave's cosine is in a loss, task by task, client by client",
    "odd": "how much of each wave's sine is in a loss, task by task, client by client",
    "ahead": "slopes of the current task's losses along the first coordinate, client by client, or how far back their centres are",
    "aside": "the same along the second coordinate",
    "earlier": "the same of the earlier tasks, task by task, client by client",
    "sigma": "by how much the stochastic gradients of a client are off",
    "room": "share by which constants are larger than they must be",
}
"""Numbers of worlds with bounded gradients (`verify/scenes/federated.py`)."""
QUADRATIC: Mapping[str, str] = {
    "curvature": "curvatures of the clients' quadratic losses",
    "centre": "where the clients' losses are least",
    "anchor": "the model at the start of the task",
    "th": "the server's model at the start of the round",
    "u": "noise of the clients' gradients, step by step",
    "rest_c": "a model at which two local steps of Algorithm 2 lead back",
}
"""Numbers of quadratic clients in one round, or at a fixed point."""
