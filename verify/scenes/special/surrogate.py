"""Convergence of SPECIAL to the minimiser of the surrogate problem of a task.

The minimiser of Phi(theta) = f(theta) + |theta - start|^2 / (2 s) is placed at the origin, as the losses may be shifted
arbitrarily. The start is then start = s grad f(0). No problem has to be solved for any losses, and no digits cancel.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from algorithms.algorithm import Algorithm
from algorithms.draws import expectation
from algorithms.placebo import ascent, stand_still
from algorithms.simulate import states
from bounds.catalogue import statement
from bounds.hypotheses import Hypothesis
from bounds.relations import eq
from bounds.special.surrogate import miss, miss0, moved_phi, slope_phi
from bounds.special.symbols import E, lam, t
from bounds.special.theorems import step as g
from nqm.constants import constants
from nqm.federation import task_grad
from nqm.fields import Array, norm, sq, sqrt, stack
from nqm.noise import Rademacher
from nqm.quadratic import DiagonalQuadratic
from nqm.world import World
from verify.engine.certificates.formulas import tree
from verify.engine.model.scene import Box, Named, Proved, Rounds, Scene, Shape, Values
from verify.engine.model.sums import Sums
from verify.scenes.federated import all_draws, build, known_constants, sizes, world_space
from verify.scenes.letters import named
from verify.scenes.parameters import column
from verify.scenes.placebos import random_walk
from verify.scenes.special.meanings import BOUNDED
from verify.scenes.special.one_round import full_round, method, steps_space
from verify.scenes.special.surrogate_round import parts_of, parts_squared
from verify.scenes.special.surrogate_rounds import (
    meanings,
    meanings_of_strong,
    over_rounds,
    over_steps,
    roots,
)
from verify.scenes.special.surrogate_sums import FACTS, ONE_STEP
from verify.scenes.special.terms import CLIENTS, DEFINES, NOISE, terms, terms_at
from verify.scenes.summands import before, definition

STEP = Box(0.01, 1, scale="log")
Builder = Callable[[Shape, Named], World]


def step_of(shape: Shape, values: Named) -> Array:
    """The proximal step s, (batch,)."""
    return values["gamma_G"] * values["gamma_L"] * shape["E"] / values["lam"]


# --------------------------------------------------------------------------------------------- within a task


def space(shape: Shape) -> dict[str, Box]:
    """Losses of one task, and step sizes."""
    return {**world_space(shape), **steps_space(shape)}


def scene_constants(shape: Shape, values: Named) -> Values:
    """Constants of the assumptions, and the least curvature."""
    return {**known_constants(shape, values), "low": constants(build(shape, values))["mu"].value}


def at_rest(shape: Shape, values: Named, world: World) -> tuple[Array, Array]:
    """Gradient of the current task at the minimiser of Phi, and the corresponding start of the task, (batch, 1, d)."""
    slope = task_grad(world, stack([0 * values["lam"][:, None]] * shape["d"], axis=-1), 0)
    return slope, column(step_of(shape, values), 2) * slope


def next_round(shape: Shape, values: Named) -> Values:
    """One round after t others, with the parts of the proof, in exact expectation."""
    away, mean = parts_after(shape, values, build(shape, values))
    return {**mean, **roots(mean), **over_rounds(shape, values, away), "miss0": away}


def next_round_of_quadratics(shape: Shape, values: Named) -> Values:
    """The same for quadratic losses and one local step."""
    away, mean = parts_after(shape, values, quadratics(shape, values))
    return {**mean, **roots(mean), **over_steps(shape, values, away), "miss0": away}


def parts_after(shape: Shape, values: Named, world: World) -> tuple[Array, Values]:
    """Distance of the start from the minimiser of Phi, and mean squares of the parts of the round after t others."""
    algorithm = method(values)
    slope, start = at_rest(shape, values, world)
    rounds = max(shape["t"], 1)  # at the start t is 0, but a path needs at least one round
    draws = all_draws(shape, rounds)
    state = next(s for _, played, s in states(world, algorithm, draws, start, rounds) if played == shape["t"])
    played = full_round(shape, world, algorithm, state, state["anchor"])
    parts = parts_of(shape, values, played, slope[:, :, None])
    squares = parts_squared(shape, values, played, parts)
    return norm(start)[:, 0], {name: expectation(draws, x, axis=-1) for name, x in squares.items()}


def task_run(shape: Shape, values: Named, world: World, algorithm: Algorithm) -> Values:
    """Root mean squared distances from the minimiser of Phi over t + 1 rounds, in exact expectation."""
    start, rounds = at_rest(shape, values, world)[1], shape["t"]
    draws = all_draws(shape, rounds + 1)
    path = [state["theta"] for _, _, state in states(world, algorithm, draws, start, rounds + 1)]
    away = [sqrt(expectation(draws, sq(theta), axis=-1)) for theta in path]
    return {"miss0": away[0], "miss": away[rounds], "miss_next": away[rounds + 1]}


def _within(name: str, shapes: tuple[Shape, ...], **more: Any) -> Scene:
    return Scene(
        name=name,
        told=BOUNDED,
        shapes=shapes,
        space=space,
        known=scene_constants,
        compute=Proved(next_round, (*FACTS, *meanings()), DEFINES, terms),
        steps=("gamma_G", "gamma_L"),
        free_step=lambda name, shape, values: 2,
        room="room",
        **more,
    )


def _one(**lists: int) -> Shape:
    """One task; two clients at least, because the variance of sampling divides by M - 1."""
    return sizes(K=1, **{"M": 2, **lists})


WITHIN = _within(
    "a task of SPECIAL and the minimiser of its surrogate",
    (
        _one(N=2),
        _one(),
        _one(t=3),
        _one(N=2, noisy=1),
        _one(t=2, noisy=1),
        _one(N=2, t=4, noisy=1),
        _one(M=3, N=2, t=2),
        _one(E=3, N=2, t=2, curved=1),
        _one(t=2, curved=1),
        _one(E=2, t=2, curved=1),
        _one(N=2, t=1, E=2, curved=1, noisy=1),
        _one(N=2, t=2, d=2, curved=1),
    ),
)
WELLS = WITHIN.variant(
    "a task of SPECIAL with losses that need not be convex",
    shapes=(
        *WITHIN.shapes,
        *(_one(N=2, curved=2), _one(E=2, curved=2), _one(N=2, d=2, E=2, curved=2)),
        _one(N=2, d=2, E=2, curved=3),
    ),
)


def server_at_rest(shape: Shape, values: Named) -> Values:
    """The server's next model from `theta` if the clients send `gamma_L E` times an arbitrary gradient `slope`."""
    strength, rate = values["lam"][:, None], (values["gamma_G"] * values["gamma_L"])[:, None]
    state = {"theta": values["theta"][:, None], "anchor": values["start"][:, None]}
    sent = {"x": (values["theta"] - values["gamma_L"][:, None] * shape["E"] * values["slope"])[:, None, None]}
    after = method(values).aggregate(state, sent, np.zeros((1, 1), dtype=int))["theta"][:, 0]
    phi = values["slope"] + strength / (rate * shape["E"]) * (values["theta"] - values["start"])
    return {"moved_phi": after - values["theta"], "slope_phi": phi}


_theta, _start, _slope = named("theta, start, slope", real=True)
MOVED = Sums(
    statement("special.thm4.10/surrogate.step").compared,
    {
        moved_phi: tree((_theta - g * E * _slope + lam * _start) / (1 + lam) - _theta),
        slope_phi: tree(_slope + lam / (g * E) * (_theta - _start)),
    },
    dict.fromkeys(("theta", "start", "slope"), "real"),
)
"""A coordinate of the server's step, and of the gradient of Phi."""
SERVER = Scene(
    name="a round of SPECIAL without noise and local drift",
    shapes=tuple({"E": E, "d": 1} for E in (1, 2, 3)),
    space=lambda shape: {
        **{name: Box(-2, 2, (shape["d"],)) for name in ("theta", "start", "slope")},
        **steps_space(shape),
    },
    compute=Proved(server_at_rest, (MOVED,)),
)


def quadratics(shape: Shape, values: Named) -> World:
    """Quadratic losses whose clients share the curvature, so that their gradients differ by constants."""
    curvature = values["curvature"][:, None, None] + 0 * values["centre"][:, None]
    sigma = values["sigma"][:, None] if shape["noisy"] else 0 * values["centre"][:, None, :, 0]
    return DiagonalQuadratic(curvature, values["centre"][:, None], Rademacher(sigma))


def _known_quadratics(shape: Shape, values: Named) -> Values:
    found = constants(quadratics(shape, values))
    more = 1 + values["room"]
    known = {name: found[name].value for name in ("L", "mu", "sigma_L2", "sigma_G2")}
    measured = {"L": "L_sup", "sigma_L2": "noise_sup", "sigma_G2": "client_sup"}
    return {
        **{name: known[name] * more for name in measured},
        **{of: known[name] for name, of in measured.items()},
        "bias_sup": 0 * more,
        "low": known["mu"],
        "convexity": known["mu"] / more,
    }


def _terms_of_quadratics(shape: Shape, values: Named) -> Values:
    return terms_at(quadratics(shape, values), values["centre"])


QUADRATICS = Scene(
    name="a task of SPECIAL with quadratic losses",
    restricts=(Hypothesis.QUADRATIC, Hypothesis.SHARED_HESSIAN),
    shapes=(
        _one(N=2),
        _one(t=2),
        _one(N=2, t=3, noisy=1),
        _one(t=2, noisy=1),
        _one(M=3, N=2, t=2),
        _one(N=2, t=2, d=2),
    ),
    space=lambda shape: {
        "curvature": Box(0.05, 4, (shape["d"],), scale="log"),
        "centre": Box(-2, 2, (shape["M"], shape["d"])),
        **({"sigma": Box(0, 1, (shape["M"],))} if shape["noisy"] else {}),
        **steps_space(shape),
        "room": Box(0, 0),
    },
    known=_known_quadratics,
    compute=Proved(
        next_round_of_quadratics, (*ONE_STEP, *meanings_of_strong()), (NOISE, CLIENTS), _terms_of_quadratics
    ),
    steps=("gamma_G", "gamma_L"),
    free_step=lambda name, shape, values: 2,
    room="room",
)


def placebos_of(scene: Scene, builder: Builder = build) -> tuple[Scene, ...]:
    """Non-learning baselines: the scene with ascent, a random walk or no steps instead of SPECIAL."""

    def with_other(name: str, other: Callable[[Algorithm], Algorithm], *, noisy: bool = False) -> Scene:
        run = lambda shape, values: task_run(  # noqa: E731
            shape, values, builder(shape, values), other(method(values))
        )
        shapes = tuple(shape for shape in scene.shapes if shape["noisy"] or not noisy)
        return scene.variant(f"{name}, {scene.name}", shapes=shapes, compute=run)

    return (
        with_other("ascent", ascent),
        with_other("random walk", random_walk, noisy=True),
        with_other("standing still", lambda algorithm: stand_still()),
    )


*_, _still = placebos_of(WITHIN)
UNMOVED = Rounds(
    statement("special.thm4.10/surrogate.free").compared,
    t,
    {},
    {},
    {miss: (before(miss), miss0)},
    (definition(eq(miss, before(miss))),),
)
STANDING = _still.variant(
    "a task in which the model stands still",
    shapes=WITHIN.shapes[:3],
    compute=Proved(_still.compute, (UNMOVED,)),
)
