"""Rounds of SPECIAL with arbitrary gradients and noise of either sign: the quantities that gradients determine."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations, product

import numpy as np

from nqm.fields import Array, stack
from verify.engine.model.scene import Box, Named, Shape, Values
from verify.scenes.parameters import column
from verify.scenes.special.one_round import Round, method
from verify.scenes.special.rate_round import compared, moments_of_movement, splits


def space(shape: Shape) -> Mapping[str, Box]:
    """Gradients after the first local step depend on the sign of the noise."""
    K, M, E, d = (shape[name] for name in "KMEd")
    vectors = lambda *axes: Box(-1, 1, (*axes, d))  # noqa: E731
    return {
        **dict.fromkeys(("gamma_G", "gamma_L", "lam"), Box(0.1, 1)),
        **{"start": vectors(), "task_start": vectors(), "first": vectors(M), "noise": vectors(E, M)},
        **{"later": vectors(E - 1, 2, M), "earlier": vectors(K - 1), "before": vectors(K - 1)},
    }


def two_outcomes(shape: Shape, values: Named) -> Values:
    """All noise with one sign, and all noise with the other."""
    E = shape["E"]
    first = values["first"][:, None, None]
    grads = [first + 0 * values["noise"][:, :1, None] * np.ones((1, 1, 2, 1, 1), dtype=int)]
    grads += [values["later"][:, e][:, None] for e in range(E - 1)]
    noises = [np.stack([u, -u], axis=1)[:, None] for u in (values["noise"][:, e] for e in range(E))]
    current = values["first"].sum(axis=1) / shape["M"]
    each = [current, *(values["earlier"][:, i] for i in range(shape["K"] - 1))]
    return _quantities(shape, values, grads, noises, each, values["before"].sum(axis=1))


def any_signs(shape: Shape, values: Named) -> Values:
    """Noise alone, with an independent sign for each vector: uncorrelated."""
    E, M = shape["E"], shape["M"]
    signs = np.array(list(product((-1, 1), repeat=E * M))).reshape(1, 1, -1, E, M, 1)
    noises = [signs[:, :, :, e] * values["noise"][:, None, None, e] for e in range(E)]
    still = 0 * values["start"]
    return _quantities(shape, values, [0 * u for u in noises], noises, [still] * shape["K"], still)


def played_round(shape: Shape, values: Named, grads: list[Array], noises: list[Array]) -> Round:
    """The round with these gradients and noises of the clients, (1, 1, outcome, M, d) each."""
    start, task_start = (values[name][:, None, None] for name in ("start", "task_start"))
    step = column(values["gamma_L"], 4)
    points = [start[:, :, :, None] + 0 * grads[0]]
    for grad, noise in zip(grads, noises, strict=True):
        points.append(points[-1] - step * (grad + noise))
    algorithm = method(values)
    state = {"theta": start[:, 0] + 0 * points[0][:, 0, :, 0], "anchor": task_start[:, 0]}
    sets = tuple(combinations(range(shape["M"]), shape["N"]))
    after = [
        algorithm.aggregate(state, {"x": points[-1][:, 0][..., list(s), :]}, np.array([s]))["theta"]
        for s in sets
    ]
    return Round(start, task_start, points, grads, noises, stack(after, axis=2)[:, None], sets)


def _quantities(
    shape: Shape, values: Named, grads: list[Array], noises: list[Array], each: list[Array], before: Array
) -> Values:
    played = played_round(shape, values, grads, noises)
    tasks = [g[:, None, None] for g in each]
    found = {**compared(played, tasks, before[:, None, None]), **moments_of_movement(values, played)}
    return {**found, **splits(shape, values, played, found, tasks)}
