"""A round of FedProx on quadratic losses on a line, where clients solve their problems inexactly."""

from __future__ import annotations

import sympy as sp

from bounds.fedprox.theorem import B, L, gamma, grad2, steep, weak
from bounds.relations import ge, le
from nqm.fields import amax
from verify.engine.model.scene import Box, Named, Scene, Shape, Values
from verify.scenes.on_a_line import Losses

steepest, flattest = sp.Symbol("steepest", real=True), sp.Symbol("flattest", real=True)
rest = sp.Symbol("rest", nonnegative=True)
ASSUMED = (le(steepest, L), ge(flattest, -weak), le(steep, B**2 * grad2), le(rest, gamma))
"""Smooth losses with little negative curvature, bounded dissimilarity, and local solutions of some exactness."""


def _space(shape: Shape) -> dict[str, Box]:
    each = (shape["M"],)
    return {
        "h": Box(-1, 2, each),
        "slope": Box(-2, 2, each),
        "mu": Box(0.05, 10, scale="log"),
        "L": Box(0.1, 4),
        "weak": Box(0.01, 2),
        "B": Box(0.5, 3, levels=(0.5, 1, 1, 1.25, 3)),
        "gamma": Box(0.001, 1, scale="log"),
        "share": Box(-1.5, 1.5, each, levels=(-3, -1, -0.5, 0, 0.5, 1, 3)),
    }


def _round(shape: Shape, values: Named) -> Values:
    """One round from the model 0, at which the clients have the gradients `slope`."""
    h, slope = values["h"], values["slope"]
    losses = Losses(h, -slope / h)
    left = values["share"] * values["gamma"][:, None]
    local = (left * slope - slope) / (h + values["mu"][:, None])
    M = losses.clients
    server, gradient = local.sum(axis=1) / M, slope.sum(axis=1) / M
    return {
        "steepest": losses.steepest,
        "flattest": losses.flattest,
        "steep": (slope**2).sum(axis=1) / M,
        "grad2": gradient**2,
        "rest": amax((left**2) / values["gamma"][:, None], 1),
        "fall": gradient * server + h.sum(axis=1) / M / 2 * server**2,
    }


WORLD = Scene(
    name="a round of FedProx on a line", shapes=({"M": 1}, {"M": 2}, {"M": 3}), space=_space, compute=_round
)
