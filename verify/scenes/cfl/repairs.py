"""Scenes of corrected statements of CFL: the steady state of the noisy quadratic model, and sums of equal weights."""

from __future__ import annotations

from fractions import Fraction

from nqm.fields import Array
from verify.engine.model.scene import Box, Named, Proved, Scene, Shape, Values
from verify.scenes.cfl.repair_facts import CONTRACTS, OF_EARLY, OF_GEOMETRIC, OF_MISLED, OF_STEADY, REMAINS


def rest(values: Named, kept: Array, share: Array, n_clients: int) -> Array:
    """Expected squared gradient (a w)^2 in the steady state of w <- kept w + (1 - kept) (p drift + (1 - p) loss)/a."""
    pull = (1 - kept) * share
    variance = pull**2 * values["D2"] / (n_clients * (1 - kept**2))
    return variance + (1 - share) ** 2 * values["R2"]


def steady(shape: Shape, values: Named) -> Values:
    """Steady states of FedAvg and of CFL with two weights of the present and with that of Lemma B.4, along one axis."""
    kept, N = (1 - values["eta_l"] * values["curve"]) ** shape["K"], shape["N"]
    D2, R2, none = values["D2"], values["R2"], 0 * kept
    q = (1 - kept) / (1 + kept)
    share = N * R2 / (q * D2 + N * R2) if shape["best"] else values["share"]
    return {
        "kept_part": kept,
        "steady_share": share,
        "at_rest": rest(values, kept, share, N),
        "at_rest_other": rest(values, kept, values["other_share"], N),
        "at_rest_fed": rest(values, kept, none + 1, N),
        "at_rest_limit": rest(values, kept, R2 / (D2 + R2), N),
    }


STEADY = Scene(
    name="an axis of the noisy quadratic model in the end",
    shapes=tuple({"K": K, "N": N, "best": 0} for K, N in ((1, 1), (2, 1), (1, 3))),
    space=lambda shape: {
        "curve": Box(0.1, 0.9),
        "eta_l": Box(0.1, 0.9),
        **dict.fromkeys(("D2", "R2"), Box(0.1, 4)),
        **dict.fromkeys(("share", "other_share"), Box(0, 1)),
    },
    compute=Proved(steady, OF_STEADY, (CONTRACTS,)),
)
STEADY_BEST = STEADY.variant(
    "an axis of the noisy quadratic model in the end, best weight",
    shapes=tuple({**shape, "best": 1} for shape in STEADY.shapes),
)


def short_steps(shape: Shape, values: Named) -> Values:
    """With equal weights, the drift xi_tau enters every round t >= tau with the weight 1/t; in FedAvg it enters once."""
    T = shape["T"]
    one = values["D2"]
    late = [sum((Fraction(1, t) for t in range(tau, T + 1)), Fraction(0)) for tau in range(1, T + 1)]
    exact = lambda x: one * x.numerator / x.denominator  # noqa: E731
    return {
        "early": exact(sum((x**2 for x in late), Fraction(0))),
        "early_fed": exact(Fraction(T)),
        "harmonic_T": exact(late[0]) / one,
    }


SHORT_STEPS = Scene(
    name="drifts of all rounds while steps are short",
    shapes=tuple({"T": T} for T in range(1, 9)),
    space=lambda shape: {"D2": Box(0.1, 4)},
    compute=Proved(short_steps, OF_EARLY),
)


def forgetting(shape: Shape, values: Named) -> Values:
    """The remaining influence of the start with the weights (1 - mu eta/2)^(1-t) over T rounds."""
    left = 1 - values["mu"] * values["eta"] / 2
    total = sum(1 / left ** (t - 1) for t in range(1, shape["T"] + 1))
    return {"forgotten": left * values["H"] / (values["eta"] * total)}


GEOMETRIC = Scene(
    name="what is left of the start",
    shapes=tuple({"T": T} for T in range(1, 6)),
    space=lambda shape: {"mu": Box(0.1, 0.9), "eta": Box(0.1, 0.9), "H": Box(0.1, 4)},
    compute=Proved(forgetting, OF_GEOMETRIC, (REMAINS,)),
)


def misled_minimiser(shape: Shape, values: Named) -> Values:
    """The minimiser of the objective of a round, with losses a w^2/2 of all rounds and information losses R of past ones."""
    weights = values["raw"] / values["raw"].sum(axis=-1, keepdims=True)
    past = weights[..., : shape["t"] - 1].sum(axis=-1)
    least = -past * values["lost"] / values["curve"]
    return {
        "P_past": past,
        "R2": values["lost"] ** 2,
        "H": values["start"] ** 2,
        "loss_left": values["curve"] * least**2 / 2,
    }


MISLED = Scene(
    name="an objective whose information losses lead one way",
    shapes=tuple({"t": t} for t in (2, 3)),
    space=lambda shape: {
        "raw": Box(0.1, 1, (shape["t"],)),
        **dict.fromkeys(("curve", "mu"), Box(1e-4, 1, scale="log")),
        **dict.fromkeys(("lost", "start"), Box(0.1, 4)),
    },
    compute=Proved(misled_minimiser, OF_MISLED),
    told={
        "raw": "the weights of the rounds are these over their sum",
        "lost": "information loss of every past round, always in one direction",
        "start": "distance of the start from the minimiser of the mean of all losses",
    },
)
