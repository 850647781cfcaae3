"""One round of FedAvg, or the first of CFL (Appendix B.4), where noise is rarely large and leads over the kink of a one-sided loss.

Assumption 2 bounds the variance of the noise and no more. The round starts half a rare step before the kink, where the loss is
(almost) as small as at the minimiser. After a rare step all later gradients lead away from the minimiser: the excess loss has
nothing to spare, and L/2 times the variance of the local models, L sigma^2 (1 - 1/K)/(4 K) eta^2/eta_g^2 in the mean over the
steps, is missing on the right side, which has L sigma^2/(6 K) there. So it is from four local steps on.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from algorithms.draws import enumerate_draws, expectation
from algorithms.fedavg import fedavg
from algorithms.simulate import play_round
from nqm.fields import Array, like, norm, sq, stack
from nqm.noise import Rademacher
from nqm.piecewise import PiecewiseQuadratic
from verify.engine.model.scene import Box, Named, Scene, Shape, Values
from verify.scenes.cfl import meanings
from verify.scenes.cfl.round import constants_of_weights


def rare_space(shape: Shape) -> dict[str, Box]:
    """Curvatures on both sides of the minimiser, and where the round starts."""
    return {
        "steep": Box(0.1, 4, scale="log"),
        "flat": Box(0, 0.01),
        "aside": Box(0.2, 0.8),
        "sigma": Box(0.1, 2, scale="log"),
        "room": Box(0, 0),
        "eta_g": Box(0.005, 0.1, scale="log"),
        "eta_l": Box(0.1, 1, scale="log"),
    }


def rare_known(shape: Shape, values: Named) -> Values:
    """Constants of the assumptions; one client, which neither drifts nor remembers."""
    none = 0 * values["sigma"]
    bounds = {
        "curved_sup": values["steep"],
        "curved_inf": values["steep"] * values["flat"],
        "noisy2": values["sigma"] ** 2,
        **dict.fromkeys(("delta2", "xi2", "lost2", "g2"), none),
    }
    more = {"L": "curved_sup", "sigma2": "noisy2", "G2": "delta2", "D2": "xi2", "R2": "lost2"}
    found = {name: bounds[of] * (1 + values["room"]) for name, of in more.items()}
    found |= dict.fromkeys(("A2", "B2"), none)
    found |= {"mu": bounds["curved_inf"] / (1 + values["room"])}
    return {**bounds, **found, **constants_of_weights(1 + none[:, None, None], found)}


def start_of(shape: Shape, values: Named) -> Array:
    """The model of the round, `aside` rare steps to the left of the minimiser."""
    return -values["aside"] * values["eta_l"] * values["sigma"] * shape["rare"]


def rare_round(shape: Shape, values: Named) -> Values:
    """A round in every outcome of the noise: -`rare` with the probability 1/(1 + rare^2), else 1/`rare`."""
    n, K = shape["rare"], shape["K"]
    chance = Fraction(1, 1 + n**2)
    atoms = np.array([[Fraction(-n)], [Fraction(1, n)]], dtype=object)
    draws = enumerate_draws(1, 1, K, 1, atoms, [chance, 1 - chance], rounds=1)
    model = start_of(shape, values)
    zero, curved = 0 * model, stack([values["steep"] * values["flat"], values["steep"]], -1)
    world = PiecewiseQuadratic(
        zero[:, None, None, None],
        curved[:, None, None, None],
        zero[:, None, None, None, None],
        Rademacher(values["sigma"][:, None, None]),
    )
    method = fedavg((values["eta_l"] + zero)[:, None], (values["eta_g"] + zero)[:, None])
    u = like(model, draws.noise(0, 0))
    state = method.begin_task(method.init(model[:, None, None] + 0 * u[..., 0, 0, :]), 0)
    after = play_round(world, method, state, 0, draws.participants(0, 0), u)["theta"]
    return {
        "eta": values["eta_l"] * values["eta_g"] * K,
        "gap": world.at(0).loss(model[:, None, None])[:, 0],
        "dist_star": norm(model[:, None]),
        "dist2_star": model**2,
        "after2": expectation(draws, sq(after), 1),
    }


RARE = Scene(
    name="one round of FedAvg whose noise is rarely large",
    told={
        **meanings.ROUND,
        "rare": "noise is -rare sigma with probability 1/(1 + rare^2), else sigma/rare",
        "steep": "curvature to the right of the minimiser, the origin",
        "flat": "that to the left, over it",
        "aside": "distance of the server's model to the left of the minimiser, over a rare local step",
    },
    shapes=tuple({"N": 1, "K": K, "t": 1, "rare": 10} for K in (1, 2, 4, 8)),
    space=rare_space,
    room="room",
    known=rare_known,
    compute=rare_round,
    steps=("eta_g", "eta_l"),
    free_step=lambda name, shape, values: 1,
)
