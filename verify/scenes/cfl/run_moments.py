"""Long runs of CFL on quadratics with new clients, by mean and variance, and of placebos.

The drifts are those of a round that is played model by model (`verify/scenes/cfl/round.py`): a round is affine, so mean
and variance of the model are all that its sums depend on.
"""

from __future__ import annotations

import numpy as np

from nqm.drift import Rounds
from nqm.fields import Array, like, sq, sqrt, stack
from verify.engine.model.scene import Named, Shape, Values
from verify.scenes.cfl.run_sums import SUMS, of_memory, over_rounds, steps_of

DOWNHILL, NOWHERE, UPHILL = 1, 0, -1


def of_weights(shape: Shape, values: Named) -> tuple[Array, Array, Array]:
    """In every round of Lemma B.4: a client's weight of the past, its square shared by the past rounds, that of the present."""
    D2, R2 = values["D2"][:, None], values["R2"][:, None]
    t = like(D2, np.arange(1, shape["r"] + 2)) + 0 * D2
    if not shape["memory"]:
        return 0 * t, 0 * t, 0 * t + 1
    total = t * D2 + (t - 1) * R2
    return (t - 1) * D2 / total, (t - 1) * D2**2 / total**2, ((t - 1) * R2 + D2) ** 2 / total**2


def step_of(shape: Shape, values: Named, direction: int) -> Rounds:
    """What a round does to the model."""
    h = values["h"]
    alone = 1 + 0 * h[:, :1, None]
    sigma = values["sigma"] if shape["noisy"] else 0 * h[:, 0]
    return Rounds(
        curvature=h,
        start=values["start"],
        local_lr=direction * values["eta_l"],
        global_lr=values["eta_g"],
        local_steps=shape["K"],
        n_clients=shape["N"],
        weights=alone,
        loss=alone[..., None] * 0 * h[:, None, None],
        noise=along(shape, h, sigma) ** 2,
    )


def along(shape: Shape, h: Array, sigma: Array) -> Array:
    """Noise in each coordinate, which has one direction."""
    parts = [3, 4] if shape["d"] == 2 else [5]
    return stack([sigma * part / 5 for part in parts], -1) + 0 * h


def before(shape: Shape, values: Named, direction: int) -> Array:
    """Mean square of every coordinate of the model before each round, (batch, T, d); the minimiser is the origin."""
    step, clients = step_of(shape, values, direction), shape["N"]
    none = 0 * values["time"]
    lost, tied = (values.get(name, none) for name in ("lost", "tied"))
    spread = lambda x: step.reach**2 * (x**2).sum(axis=1) / clients**2  # noqa: E731
    fixed, now, ago = (
        step.stir + spread(values["client"]),
        spread(values["time"]),
        spread(values["time"] + tied),
    )
    pull = step.reach * lost.sum(axis=1) / clients
    past, earlier, current = (part[..., None] for part in of_weights(shape, values))
    mean, variance = values["start"], 0 * values["start"]
    found = [mean**2]
    for t in range(shape["r"]):
        mean = step.decay * mean + past[:, t] * pull
        variance = step.decay**2 * variance + fixed + earlier[:, t] * ago + current[:, t] * now
        found.append(mean**2 + variance)
    return stack(found, 1)


def of_rounds(shape: Shape, values: Named, second: Array) -> Values:
    """Excess loss before every round, its c_pG + 2 c_R, and its c_3 times the distance, (batch, T) each."""
    past, earlier, current = of_weights(shape, values)
    G2, D2, R2 = (values[name][:, None] for name in ("G2", "D2", "R2"))
    weighed = {"P_i": stack([past] * shape["N"], 0), "c_pG": G2 + D2 * (earlier + current)}
    weighed |= {"dist_star": sqrt(second.sum(axis=-1))}
    gap = (values["h"][:, None] * second).sum(axis=-1) / 2
    return {**of_memory(shape, {**values, "R2": R2}, weighed), "gap": gap}


def summed(keep: Array, found: Named, start2: Array) -> Values:
    """Sums over all rounds: 1 for the last one, `keep` for the one before it, and so on."""
    T = found["gap"].shape[1]
    powers = [1 + 0 * keep]
    for _ in range(T):
        powers.append(powers[-1] * keep)
    weight = stack(powers[-2::-1], 1)
    totals = {name: (weight * found[of]).sum(axis=1) for name, of in SUMS.items()}
    return {**totals, "weight": weight.sum(axis=1), "start_kept": powers[-1] * start2, "played": T + 0 * keep}


def by_moments(shape: Shape, values: Named, direction: int = DOWNHILL) -> Values:
    """What the theorems name after r rounds and one more."""
    _, keep = steps_of(shape, values)
    rounds = of_rounds(shape, values, before(shape, values, direction))
    return over_rounds(shape, values, summed(keep, rounds, sq(values["start"])))
