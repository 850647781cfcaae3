"""FedAvg on different quadratic losses on a line: the whole run of Theorems 1 to 3, and what they assume in words."""

from __future__ import annotations

from itertools import combinations, product

import sympy as sp

from bounds.noniid.symbols import G2, E, Gamma, L, T, above, distance2_0, distances, mu, noise
from bounds.relations import eq, ge, le
from nqm.fields import amax
from verify.engine.model.scene import Box, Named, Scene, Shape, Values
from verify.scenes.letters import named
from verify.scenes.on_a_line import (
    SHARES,
    SWITCH,
    Branch,
    Losses,
    Noise,
    away,
    expected,
    fedavg,
    for_all,
    mean,
    noisy,
)

first, last, visited, heterogeneity, spread = named(
    "first, last, visited, heterogeneity, weighted variance", nonnegative=True
)
steepest, flattest, bias, together = named("steepest, flattest, bias, together", real=True)
local = sp.Symbol("local", integer=True, positive=True)
ASSUMED = (
    *(le(steepest, L), ge(flattest, mu), le(spread, noise), eq(bias, 0), eq(together, 0)),
    *(le(visited, G2), le(heterogeneity, Gamma), le(local, E)),
)
"""Assumptions 1 to 4, independent noise, the meaning of Gamma, and at most E local steps."""


def _space(shape: Shape) -> dict[str, Box]:
    each = (shape["N"],)
    return {
        "h": Box(0.1, 2, each),
        "down": SWITCH,
        "c": Box(-2, 2, each),
        "differ": Box(0, 1, levels=(0, 1)),
        "away": Box(0.0001, 3, scale="log"),
        "offset": Box(1, 200, scale="log"),
        "spread": Box(1e-6, 4, scale="log"),
        "bias": SWITCH,
        "together": SWITCH,
        "share_mu": Box(0.0001, 20, levels=(0.0001, 0.5, 1, 1, 20)),
        **dict.fromkeys(("share_L", "share_noise", "share_G2", "share_Gamma"), SHARES),
        "E": Box(1, 3, levels=(1, 2, 3)),
    }


def _world(samples_of: str) -> Scene:
    """A world with all clients, or with K sampled ones."""

    def samples(shape: Shape) -> list[tuple[int, ...]]:
        clients, some = range(shape["N"]), shape["K"]
        if samples_of == "with replacement":
            return list(product(clients, repeat=some))
        return list(combinations(clients, some))

    def run(shape: Shape, values: Named) -> Values:
        N, steps = shape["N"], shape["T"] - 1
        h = values["h"] * (1 - 2 * values["down"])[:, None]
        losses = Losses(h, values["differ"][:, None] * values["c"])
        noise = Noise(steps, N, values["spread"], values["together"])
        strong, offset = values["share_mu"] * losses.flattest, values["offset"]
        lengths = [2 / (strong * (offset + t)) for t in range(1, steps + 1)]
        course = fedavg(
            losses.optimum + values["away"],
            losses,
            lengths,
            shape["local"],
            noise,
            values["bias"],
            samples(shape),
        )
        visited = for_all(
            [
                expected(
                    [
                        noise.squared(noisy(losses.gradient(i, models[i]), noise, t, i, values["bias"]))
                        for models in branches
                    ]
                )
                for t, branches in enumerate(course[:-1])
                for i in range(N)
            ]
            or [0 * offset]
        )
        heterogeneity = (h / 2 * (losses.optimum[:, None] - losses.centre) ** 2).sum(axis=1) / N

        def of_means(branches: list[Branch]) -> list:
            return [mean(models) for models in branches]

        return {
            "steepest": losses.steepest,
            "flattest": losses.flattest,
            "weighted variance": noise.variance / N,
            "visited": visited,
            "heterogeneity": heterogeneity,
            "L": values["share_L"] * losses.steepest,
            "mu": strong,
            "noise": values["share_noise"] * noise.variance / N,
            "G2": values["share_G2"] * amax(visited, 1),
            "Gamma": values["share_Gamma"] * heterogeneity,
            "first": expected([noise.squared(away(m, losses.optimum)) for m in of_means(course[0])]),
            "last": expected([losses.gap(m, noise) for m in of_means(course[-1])]),
        }

    some = samples_of != "all clients"
    return Scene(
        name=f"FedAvg on a line, {samples_of}",
        shapes=tuple(
            {"N": N, "K": K, "T": T, "local": local}
            for N, K, T, local in (
                ((2, 1, 2, 1), (2, 1, 3, 1), (2, 1, 4, 1), (2, 1, 5, 2), (3, 2, 3, 1), (3, 1, 5, 2))
                if some
                else ((1, 1, 2, 1), (2, 2, 2, 1), (2, 2, 3, 2), (2, 2, 5, 2), (2, 2, 13, 3), (2, 2, 13, 6))
            )
        ),
        space=_space,
        compute=run,
    )


EVERYONE, WITH, WITHOUT = map(_world, ("all clients", "with replacement", "without replacement"))
ENDS = {above[T]: last, distances[1]: first, distance2_0: first}
"""What stands for the loss after the run, and for the squared distance before it."""
