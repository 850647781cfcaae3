"""Local SGD on quadratic losses on a line, with noise: the whole run of the theorems, and what they assume in words."""

from __future__ import annotations

import sympy as sp

from bounds.localsgd.heterogeneous import dif2
from bounds.localsgd.symbols import H, L, T, far, mu, sigma2
from bounds.relations import eq, ge, le
from verify.engine.model.scene import Box, Named, Scene, Shape, Values
from verify.scenes.letters import named
from verify.scenes.on_a_line import SHARES, SWITCH, Losses, Noise, away, expected, fedavg, mean

difference, noise_, second, begin, end = named(
    "difference, variance, second moment, begin, end", nonnegative=True
)
local = sp.Symbol("local", integer=True, positive=True)
steepest, flattest, bias, together = named("steepest, flattest, bias, together", real=True)
SMOOTH, CONVEX, STRONG = le(steepest, L), ge(flattest, 0), ge(flattest, mu)
OFTEN = le(local, H)
UNBIASED, INDEPENDENT = eq(bias, 0), eq(together, 0)
IDENTICAL, VARIANCE, AT_OPTIMUM = eq(difference, 0), le(noise_, sigma2), le(second, dif2)


def _space(shape: Shape) -> dict[str, Box]:
    each = (shape["M"],)
    return {
        "h": Box(0.1, 2),
        "ratio": Box(0.1, 1, each),
        "turned": Box(-1, 1, each, levels=(-1, 1)),
        "down": SWITCH,
        "c": Box(-2, 2, each),
        "differ": Box(0, 1, levels=(0, 0, 1)),
        "start": Box(-3, 3),
        "gamma": Box(0.001, 10, scale="log"),
        "spread": Box(1e-6, 4, scale="log"),
        "bias": SWITCH,
        "together": SWITCH,
        "share_mu": Box(0.0001, 20, levels=(0.0001, 0.5, 0.99, 20)),
        **dict.fromkeys(("share_L", "share_sigma2", "share_dif2"), SHARES),
        "H": Box(1, 3, levels=(1, 2, 3)),
    }


def _run(shape: Shape, values: Named) -> Values:
    """A run of T steps with a communication after every `local` steps."""
    M, steps, every = shape["M"], shape["T"], shape["local"]
    down, differ = values["down"][:, None], values["differ"][:, None]
    h = values["h"][:, None] * (1 - differ + differ * values["ratio"]) * (1 - down + down * values["turned"])
    losses = Losses(h, differ * values["c"])
    overall = h.sum(axis=1) / M
    noise = Noise(steps * shape["noisy"], M, shape["noisy"] * values["spread"], values["together"])
    course = fedavg(values["start"], losses, [values["gamma"]] * steps, every, noise, values["bias"])
    means = [mean(branches[0]) for branches in course]
    squares = [noise.squared(away(m, losses.optimum)) for m in means]
    second_moment = expected([losses.slopes[:, i] ** 2 for i in range(M)]) + noise.variance
    return {
        "variance": noise.variance,
        "steepest": losses.steepest,
        "flattest": losses.flattest,
        "difference": sum((h[:, i] - overall) ** 2 + losses.slopes[:, i] ** 2 for i in range(M)),
        "second moment": second_moment,
        "L": values["share_L"] * values["h"],
        "mu": values["share_mu"] * values["h"],
        "sigma2": values["share_sigma2"] * (noise.variance + (1 - shape["noisy"]) * values["spread"]),
        "dif2": values["share_dif2"] * second_moment,
        "begin": squares[0],
        "distance2_0": squares[0],
        "end": squares[-1],
        "gap": losses.gap(mean(means[:-1]), noise),
    }


WORLD = Scene(
    name="local SGD on a line",
    shapes=tuple(
        {"M": M, "T": T, "local": local, "noisy": noisy}
        for M, T, local, noisy in (
            *((1, 1, 1, 1), (2, 1, 1, 1), (2, 2, 1, 1), (2, 2, 2, 1), (2, 4, 2, 1), (2, 6, 3, 1)),
            *((4, 8, 1, 1), (2, 64, 16, 0), (2, 256, 64, 0)),
        )
    ),
    space=_space,
    compute=_run,
)
ENDS = {far[1]: begin, far[T + 1]: end}
"""What stands for the squared distances at both ends of the run."""
