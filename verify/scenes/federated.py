"""Worlds of scenes: a few tasks and clients with bounded gradients, built from the parameters of a search.

The current task has index 0, the earlier tasks follow; nothing depends on their order. Shapes:
``K`` tasks, ``M`` clients, ``N`` sampled, ``E`` local steps, ``t`` rounds, ``d`` dimensions, ``curved`` (0: linear
losses, everything rational; 1: pseudo-Huber losses; 2: wells, 3: sums of waves, which are not convex), ``noisy`` (0: exact
gradients; 1: signs times sigma).
Every task starts at the origin. This loses no generality, as the losses may be shifted arbitrarily.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from algorithms.draws import Draws, enumerate_draws
from nqm.bounded import AnyBounded, Linear, PseudoHuber
from nqm.constants import constants
from nqm.fields import Array, broadcast_to, expand, zeros_like
from nqm.noise import Rademacher, atoms
from nqm.waves import Waves
from nqm.wells import Well
from nqm.world import World
from verify.engine.model.scene import Box, Named, Shape, Values

WAVES = 2
"""Number of waves in each loss."""
Losses = type[Linear] | type[AnyBounded] | type[Waves]
LOSSES: Mapping[int, Losses] = {0: Linear, 1: PseudoHuber, 2: Well, 3: Waves}
"""Class of losses by the number ``curved`` of a shape."""


def sizes(**lists: int) -> Shape:
    """A shape; sizes that are not given are the smallest."""
    return {"K": 2, "M": 1, "N": 1, "E": 1, "t": 1, "d": 1, "curved": 0, "noisy": 0, **lists}


def world_space(shape: Shape) -> dict[str, Box]:
    """Parameters of the losses, of the noise, and the slack of every constant."""
    sigma = {"sigma": Box(0, 1, (shape["M"],))} if shape["noisy"] else {}
    return {**_losses_space(shape), **sigma, "room": Box(0, 0)}


def _losses_space(shape: Shape) -> dict[str, Box]:
    K, M, d = shape["K"], shape["M"], shape["d"]
    if not shape["curved"]:
        return {"slope": Box(-2, 2, (K, M, d)), "free_L": Box(0.01, 10, scale="log")}
    if LOSSES[shape["curved"]] is Waves:
        # Two directions and their opposites can be turned into the positive quadrant, which amplitudes of either sign make up for
        waves = {"wave": Box(0.05, 4, (WAVES, d))}
        return {"height": Box(0.01, 1, (K, M, WAVES)), "turn": Box(-4, 4, (K, M, WAVES)), **waves}
    return {
        "height": Box(0.01, 2, (K, M)),
        "width": Box(0.05, 5, (K, M), scale="log"),
        "centre": Box(-2, 2, (K, M, d)),
    }


def build(shape: Shape, values: Named) -> World:
    """The batch of worlds at these parameters, with one world axis (batch,)."""
    losses, sigma = LOSSES[shape["curved"]], _zeros(shape, values, shape["K"], shape["M"])
    sigma = sigma + values["sigma"][:, None, :] if shape["noisy"] else sigma
    found = {**values, **_phases(values)} if "turn" in values else values
    return losses(**{name: found[name] for name in _parameters(losses)}, noise=Rademacher(sigma))


def _parameters(losses: Losses) -> list[str]:
    return [field.name for field in fields(losses) if field.name != "noise"]


def _phases(values: Named) -> Values:
    """Phases of the waves by a rational parameter: 0 puts a minimum at the origin, infinity a maximum."""
    turn2 = values["turn"] ** 2
    share = values["height"] / (1 + turn2)
    return {"even": (1 - turn2) * share, "odd": 2 * values["turn"] * share}


def _zeros(shape: Shape, values: Named, *axes: int) -> Array:
    """Zeros of shape (batch, axes...) in the arithmetic of the parameters."""
    some = next(values[name] for name in _parameters(LOSSES[shape["curved"]]) if name in values)
    each = zeros_like(some.reshape(len(some), -1)[:, 0])
    return broadcast_to(expand(each, len(axes)), (len(some), *axes))


def known_constants(shape: Shape, values: Named) -> Values:
    """The suprema that the assumptions bound (``g_sup``, ``L_sup``, ...) and the constants (``B``, ``L``, ...) with slack.

    Linear losses are L-smooth for every L, so L is free there.
    """
    found = constants(build(shape, values))
    more = 1 + values["room"]
    value = lambda name: found[name].value  # noqa: E731
    smooth = value("L")
    return {
        "g_sup": value("B"),
        "B": value("B") * more,
        "L_sup": smooth,
        "L": values["free_L"] if not shape["curved"] else smooth * more,
        "noise_sup": value("sigma_L2"),
        "sigma_L2": value("sigma_L2") * more,
        "client_sup": value("sigma_G2"),
        "sigma_G2": value("sigma_G2") * more,
        "task_sup": value("sigma_T2"),
        "sigma_T2": value("sigma_T2") * more,
        "bias_sup": 0 * more,
    }


def all_draws(shape: Shape, rounds: int) -> Draws:
    """Every subset of clients and every outcome of the noise over `rounds` rounds."""
    outcomes, chances = atoms("rademacher", shape["d"]) if shape["noisy"] else (None, None)
    return enumerate_draws(
        shape["M"], shape["N"], shape["E"], shape["d"], outcomes, chances, rounds=rounds, limit=20_000
    )


def origin(shape: Shape, values: Named) -> Array:
    """Start of the current task in every world, (batch, 1, d)."""
    return _zeros(shape, values, 1, shape["d"])
