"""Scenes of CFL, Appendix C.1.2: Taylor expansions, Fisher information and generated samples in place of the past."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from algorithms.algorithm import over_slots
from algorithms.cfl import Point, at_end, at_start, cfl, diagonal_taylor, fisher, taylor
from algorithms.simulate import play_round
from nqm.drift import TiltedQuadratic
from nqm.fields import Array, abs_, amax, exp, like, norm, sq, stack
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.scenes.cfl.approximation_facts import OF_CHAIN, OF_GENERATED, OF_LABELS
from verify.scenes.cfl.drifts import signs
from verify.scenes.cfl.expansion_facts import AT_END, OF_QUADRATIC
from verify.scenes.cfl.lemmas import EXPANDED, expanded

# ------------------------------------------------------------------------------------------ Taylor expansions


def quadratic(shape: Shape, values: Named) -> Values:
    """Expansions of x'Ax/2 + b'x by the algorithm, and of the loss itself with any symmetric matrix."""
    symmetric = lambda x: (x + x.swapaxes(-1, -2)) / 2  # noqa: E731
    A, other, b = symmetric(values["A"]), symmetric(values["other"]), values["b"]
    form = lambda M, y: (y[:, :, None] * M * y[:, None, :]).sum(axis=2).sum(axis=1)  # noqa: E731
    slope = lambda y: (A * y[:, None, :]).sum(axis=2) + b  # noqa: E731
    x, at = values["x"], values["at"]
    value, gradient = form(A, at) / 2 + (b * at).sum(axis=1), slope(at)
    near = lambda y: value + (gradient * (y - at)).sum(axis=1) + form(other, y - at) / 2  # noqa: E731
    units = like(x, np.eye(shape["d"], dtype=int))
    oracle = SimpleNamespace(grad=slope, hessian=lambda y: A)
    found = {of: of(oracle, at, 0, 1)(x) for of in (taylor, diagonal_taylor)}
    top = like(x, (np.arange(shape["d"]) > 0).astype(int))
    # The first coordinate stands for the layers of which nothing is kept
    return {
        # Exact for a quadratic
        "slope_near": stack([(near(x + e) - near(x - e)) / 2 for e in units], -1),
        "slope_printed": gradient + (other * (x - at)[:, None, :]).sum(axis=2),
        "slope_true": slope(x),
        "slope_taylor": found[taylor],
        "lost_off": norm(slope(x) - found[diagonal_taylor]),
        "lost_top2": sq(slope(x) - top * found[taylor]),
        "bottom2": slope(x)[:, 0] ** 2,
    }


QUADRATIC = Scene(
    name="expansions of a quadratic loss",
    shapes=({"d": 1}, {"d": 2}, {"d": 3}),
    space=lambda shape: {
        **{name: Box(-2, 2, (shape["d"], shape["d"])) for name in ("A", "other")},
        **{name: Box(-2, 2, (shape["d"],)) for name in ("b", "x", "at")},
    },
    compute=Proved(quadratic, OF_QUADRATIC),
)


def stood_in(shape: Shape, values: Named) -> Values:
    """Losses of Lemma B.3 expanded at either end of the local steps, and with a Hessian that is off by `off`."""
    found = expanded(shape, values)
    swapped = expanded(shape, {**values, "at": values["end"], "end": values["at"]})
    return {
        **found,
        "lost_end": swapped["loss_norm"],
        "lost_off": norm(found["lost"] - values["off"] * (values["here"] - values["at"])),
        "hessian_off": amax(abs_(values["off"]), -1) * (1 + values["room"]),
    }


STOOD_IN = EXPANDED.variant(
    "Taylor expansion of a gradient with a stand-in for the Hessian",
    space=lambda shape: {**EXPANDED.space(shape), "off": Box(-2, 2, (shape["d"],))},
    compute=stood_in,
)


def next_round(point: Point) -> Any:
    """One round of CFL with squared gradients for the Hessian; what is then lost about it."""

    def played(shape: Shape, values: Named) -> Values:
        N, K = shape["N"], shape["K"]
        curved = stack([values["h"]] * 2, 1)
        world = TiltedQuadratic(curved, 0 * values["h"][:, 0], stack([values["tilt"]] * 2, 1))
        eta_l, eta_g = ((values[name] + 0 * values["h"][:, 0, 0])[:, None] for name in ("eta_l", "eta_g"))
        method = cfl(eta_l, eta_g, lambda task: [1] * (task + 1), fisher, point)
        clients = np.arange(N)[None]
        state = method.begin_task(method.init(values["model"][:, None]), 0)
        quiet = like(values["h"], np.zeros((1, N, K, 1), dtype=int))
        state = method.begin_task(play_round(world, method, state, 0, clients, quiet), 1)
        x = over_slots(state["theta"], N)
        kept = method.objective(world, state, 1, clients).past[0]
        return {"lost_next2": sq(world.at(0, clients).grad(x) - kept(x))[:, 0]}

    return played


NEXT = Scene(
    name="start of the round after an expansion at its start",
    shapes=tuple({"N": N, "K": K} for N, K in ((1, 1), (1, 2), (2, 1))),
    space=lambda shape: {
        "h": Box(0.1, 4, (shape["N"], 1), scale="log"),
        "tilt": Box(-2, 2, (shape["N"], 1)),
        "model": Box(-2, 2, (1,)),
        "eta_l": Box(0.01, 1, scale="log"),
        "eta_g": Box(0.01, 1, scale="log"),
    },
    compute=next_round(at_start),
    steps=("eta_g",),
)
NEXT_END = NEXT.variant(
    "start of the round of one client after an expansion at its end",
    shapes=tuple({"N": 1, "K": K} for K in (1, 2)),
    space=lambda shape: {name: box for name, box in NEXT.space(shape).items() if name != "eta_g"},
    known=lambda shape, values: {"eta_g": 1 + 0 * values["eta_l"]},
    compute=Proved(next_round(at_end), (AT_END,)),
    steps=(),
)


# ----------------------------------------------------------------------------------------- Fisher information


def of_labels(z: Array, slope: Array, bent: Array, labels: Array) -> Values:
    """Derivatives of the cross entropy of logits z (batch, n) with first and second derivative in one parameter."""
    chance = 1 / (1 + exp(-z))
    mean = lambda x: x.sum(axis=1) / x.shape[1]  # noqa: E731
    gradient = (chance - labels) * slope
    drawn = chance * ((chance - 1) * slope) ** 2 + (1 - chance) * (chance * slope) ** 2
    return {
        "hessian_diagonal": mean(chance * (1 - chance) * slope**2 + (chance - labels) * bent),
        "square_of_mean": mean(gradient) ** 2,
        "mean_of_squares": mean(gradient**2),
        "model_squares": mean(drawn),
    }


def _logistic(shape: Shape, values: Named) -> Values:
    x = values["x"]
    return of_labels(x * values["w"][:, None], x, 0 * x, values["label"])


def _two_layers(shape: Shape, values: Named) -> Values:
    x, w = values["x"], values["w"][:, None]
    return of_labels((x * w) ** 2, 2 * x**2 * w, 2 * x**2, values["label"])


LOGISTIC = Scene(
    name="logistic regression with one parameter",
    shapes=({"n": 1}, {"n": 2}),
    space=lambda shape: {
        "x": Box(-2, 2, (shape["n"],)),
        "label": Box(0, 1, (shape["n"],), levels=(0, 1)),
        "w": Box(-2, 2),
    },
    compute=Proved(_logistic, (OF_LABELS,)),
)
TWO_LAYERS = LOGISTIC.variant("a unit that squares its input, before a logistic output", compute=_two_layers)


# ------------------------------------------------------------------------------------------- generated samples


def chain(shape: Shape, values: Named) -> Values:
    """k steps down the energy h (x - c)^2 / 2 from starts of two values, with noise of two values in each step."""
    k, h, size = shape["steps_x"], values["h_energy"], values["step_x"]
    outcomes = signs(k + 1, h)[None]
    x = values["centre"][:, None] + values["away"][:, None] * outcomes[..., 0]
    for step in range(1, k + 1):
        x = (
            x
            - (size * h)[:, None] * (x - values["to"][:, None])
            + values["noise"][:, None] * outcomes[..., step]
        )
    count = outcomes.shape[1]
    return {
        "start_spread": values["away"] ** 2,
        "noise_x": values["noise"] ** 2,
        "chain_spread": ((x - x.sum(axis=1)[:, None] / count) ** 2).sum(axis=1) / count,
    }


CHAIN = Scene(
    name="chain of generated samples",
    shapes=tuple({"steps_x": k} for k in (1, 2, 3)),
    space=lambda shape: {
        **{name: Box(-2, 2) for name in ("centre", "to", "away", "noise")},
        "h_energy": Box(0.1, 4),
        "step_x": Box(0.05, 1),
    },
    compute=Proved(chain, (OF_CHAIN,)),
)


def generated(shape: Shape, values: Named) -> Values:
    """Losses h |w - x|^2 / 2, the mean over real or over generated samples x."""
    h, w = values["h_energy"], values["w"]
    mean = lambda x: x.sum(axis=1) / x.shape[1]  # noqa: E731
    slope = lambda data: mean(h[:, None] * (w[:, None] - data))  # noqa: E731
    real, made = values["real"], values["made"]
    return {"lost_made": abs_(slope(real) - slope(made)), "made_off": abs_(mean(real) - mean(made))}


GENERATED = Scene(
    name="losses of generated samples",
    shapes=({"n": 1, "m": 1}, {"n": 2, "m": 1}, {"n": 2, "m": 3}),
    space=lambda shape: {
        "real": Box(-2, 2, (shape["n"],)),
        "made": Box(-2, 2, (shape["m"],)),
        "w": Box(-2, 2),
        "h_energy": Box(0.1, 4),
    },
    compute=Proved(generated, (OF_GENERATED,)),
)
