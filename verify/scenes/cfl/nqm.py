"""Scenes of the noisy quadratic model (CFL, Section 5.1): as printed, its best learning rates, and its Table 3."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

from bounds.cfl.nqm import (
    BEST_RATES,
    CLIENT2,
    LEVELS,
    NOISE2,
    SETTINGS,
    Setting,
    bend,
    bend_half,
    eig,
    far,
    loss_far,
)
from bounds.relations import eq
from nqm.fields import Array, abs_, amin, stack, where
from nqm.noisy_quadratic import (
    ALL_EQUAL,
    FORGETFUL,
    Causes,
    Memory,
    after,
    changes,
    local_round,
    losing_everywhere,
    squared_loss,
    variance,
)
from verify.engine.checks.table import row
from verify.engine.model.scene import Box, Fact, Named, Proved, Scene, Shape, Values
from verify.scenes.cfl.nqm_facts import MORE_LOSS, SAME_FACTOR
from verify.scenes.cfl.steadier_facts import STEADIER

NAMES = tuple(SETTINGS)
GRID = 40
"""Learning rates 0.01, 0.02, ..., 0.40: those of Table 3 are multiples of 0.01, and with L = 5 more diverge."""

# ---------------------------------------------------------------------------------------- the model as printed


def as_printed(shape: Shape, values: Named) -> Values:
    """One axis of A: f with A as printed and with A/2, their derivatives, and the printed gradient."""
    eig, b, x = values["mu"] + values["above"], values["b"], values["model"]
    full = lambda y: eig * y**2 + b * y  # noqa: E731
    half = lambda y: eig * y**2 / 2 + b * y  # noqa: E731
    # central differences of quadratics are exact derivatives
    first = lambda f: (f(x + 1) - f(x - 1)) / 2  # noqa: E731
    second = lambda f: f(x + 1) - 2 * f(x) + f(x - 1)  # noqa: E731
    return {
        "nqm_eig": eig,
        "L": eig + values["below"],
        "nqm_bend": second(full),
        "nqm_bend_half": second(half),
        "nqm_grad": eig * x + b,
        "nqm_grad_f": first(full),
        "nqm_grad_half": first(half),
        "nqm_far": abs_(x),
        "nqm_loss_far": abs_(eig * x),
    }


CURVED = (eq(bend, 2 * eig), eq(bend_half, eig))
FAR = eq(loss_far, eig * far)
_PRINTED = Scene(
    name="an axis of the noisy quadratic model",
    shapes=({},),
    space=lambda shape: {
        **dict.fromkeys(("mu", "above", "below"), Box(0, 20)),
        **dict.fromkeys(("b", "model"), Box(-4, 4)),
    },
    compute=as_printed,
    covers="equal as polynomials; the other axes of A are alike",
)
PRINTED = _PRINTED.variant(
    _PRINTED.name, compute=Proved(as_printed, tuple(Fact(relation, _PRINTED) for relation in (*CURVED, FAR)))
)


def at_optimum(shape: Shape, values: Named) -> Values:
    """The loss |Aw + B| of one axis at the optimum of f, A as printed and halved."""
    eig, b = values["nqm_eig"], values["b"]
    return {"nqm_least": abs_(-eig * b / (2 * eig) + b), "nqm_least_half": abs_(-eig * b / eig + b)}


OPTIMUM = Scene(
    name="the optimum of the noisy quadratic model",
    shapes=({},),
    space=lambda shape: {"nqm_eig": Box(0.1, 20), "b": Box(-4, 4)},
    compute=at_optimum,
    covers="both sides are the same expression; the other axes of A are alike",
)


def drawn_loss(shape: Shape, values: Named) -> Values:
    """A draw of N(I, I/1000) from a standard normal variable z; I is 1000 times the squared standard deviation."""
    mean = 1000 * values["deviation"] ** 2
    return {
        "nqm_level": mean,
        "nqm_lost2": (mean + values["deviation"] * values["z"]) ** 2,
        "R2": values["factor"] ** 2 * mean**2,
    }


LOST = Scene(
    name="a draw of the information loss",
    shapes=({},),
    space=lambda shape: {
        # I from 0.0001 to 0.01
        "deviation": Box(0.0003, 0.0032, scale="log"),
        "z": Box(-8, 8),
        "factor": Box(1, 3),
    },
    compute=drawn_loss,
)

# --------------------------------------------------------------------------------------------------- its law


def spectrum(shape: Shape, like: Array) -> Array:
    """Eigenvalues mu and L of the setting, one for each axis of `like` (..., 2)."""
    setting, one = setting_of(shape), 0 * like[..., 0] + 1
    return stack([one * setting.mu, one * setting.L], -1)


def setting_of(shape: Shape) -> Setting:
    return SETTINGS[NAMES[shape["setting"]]]


def causes(shape: Shape, start: Array, level: Array | int = 0) -> Causes:
    """The variances of the text, spread evenly over two axes; `start` and `level` (..., 2) by axis."""
    one = 0 * start + 1
    each = lambda square: one * square.numerator / (2 * square.denominator)  # noqa: E731
    return Causes(
        start=start,
        client=each(CLIENT2),
        time=each(setting_of(shape).drift2),
        noise=each(NOISE2),
        level=level,
        level_noise=(0 * start + level) / 1000,
        n_clients=shape["N"],
    )


def final_loss(shape: Shape, start: Array, rate: Array, memory: Memory, **more: Any) -> Array:
    """Squared loss after T rounds, (...), from `start` (..., 2) at `rate` (..., 1)."""
    pull, level = more.get("pull", 0), more.get("level", 0)
    curvature = spectrum(shape, start)
    local = local_round(curvature, rate, shape["K"], pull)
    return squared_loss(curvature, after(local, memory, shape["T"]), causes(shape, start, level))


def _sizes(*shapes: tuple[int, int, int, int]) -> tuple[Shape, ...]:
    return tuple(dict(zip(("setting", "T", "K", "N"), shape, strict=True)) for shape in shapes)


ALL_SETTINGS = _sizes(
    *((s, 2, 1, 1) for s in range(8)), (0, 1, 1, 1), (4, 3, 1, 2), (5, 3, 2, 1), (6, 4, 1, 1)
)
START = Box(1e-2, 1e2, (2,), scale="log")
"""Distance of the start from the optimum along both axes."""


def against_table(shape: Shape, values: Named) -> Values:
    """Squared loss of the three methods at their rates of Table 3 and at another rate, (batch, 3)."""
    start, name = values["start"], NAMES[shape["setting"]]
    one = 0 * start[:, :1] + 1
    memory = {"FedAvg": FORGETFUL, "FedProx": FORGETFUL, "CFL": ALL_EQUAL}
    pull = {"FedAvg": 0 * one, "FedProx": values["pull"][:, None], "CFL": 0 * one}

    def losses(rate_of: Any) -> Array:
        found = [
            final_loss(shape, start, rate_of(method), memory[method], pull=pull[method])
            for method in BEST_RATES
        ]
        return stack(found, -1)

    printed = {method: BEST_RATES[method][name] for method in BEST_RATES}
    return {
        "nqm_loss_printed": losses(lambda m: one * printed[m].numerator / printed[m].denominator),
        "nqm_loss_other": losses(lambda m: values["other"][:, None]),
    }


AGAINST_TABLE = Scene(
    name="rates of Table 3 and others",
    shapes=ALL_SETTINGS,
    space=lambda shape: {
        "start": START,
        "pull": Box(1e-2, 10, scale="log"),
        "other": Box(0.01, 2 / setting_of(shape).L, scale="log"),
    },
    compute=against_table,
)


def at_best_rates(shape: Shape, values: Named) -> Values:
    """Squared losses of CFL and FedAvg at the best rate of a grid, and these rates."""
    return compared(shape, values["start"], ALL_EQUAL, level=0)


def with_loss_at_best_rates(shape: Shape, values: Named) -> Values:
    """The same with the larger information loss of Figure 2 on every gradient of CFL."""
    return compared(shape, values["start"], losing_everywhere(ALL_EQUAL), level=max(LEVELS.values()))


def compared(shape: Shape, start: Array, memory: Memory, level: Fraction | int) -> Values:
    """CFL with this memory and information loss against FedAvg, from a start (batch, 2)."""
    one = 0 * start[:, :1] + 1
    rates = stack([one * k / 100 for k in range(1, GRID + 1)], 1)
    lost = (0 * start[:, None] + 1) * level.numerator / level.denominator
    found = {
        "cfl": final_loss(shape, start[:, None] + 0 * rates, rates, memory, level=lost),
        "fedavg": final_loss(shape, start[:, None] + 0 * rates, rates, FORGETFUL),
    }
    curvature = spectrum(shape, start)
    curved = slice(0 if setting_of(shape).mu else 1, None)
    return {
        **{f"nqm_best_{name}": amin(losses, 1) for name, losses in found.items()},
        **{f"nqm_rate_{name}": best_rate(losses, rates[..., 0]) for name, losses in found.items()},
        "nqm_start_loss2": (curvature * start)[:, curved] ** 2,
        "nqm_force2": (causes(shape, start).time / shape["N"])[:, curved],
    }


def best_rate(losses: Array, rates: Array) -> Array:
    """The smallest rate with the minimum loss, (batch, n) and (batch, n) -> (batch,)."""
    best, least = rates[:, 0], losses[:, 0]
    for k in range(1, losses.shape[1]):
        better = losses[:, k] < least
        best, least = where(better, rates[:, k], best), where(better, losses[:, k], least)
    return best


BEST = Scene(
    name="best learning rates",
    shapes=ALL_SETTINGS,
    space=lambda shape: {"start": START},
    compute=at_best_rates,
)
LONG = Scene(
    name="best learning rates in 20 rounds",
    shapes=_sizes(*((s, 20, 1, 1) for s in range(8))),
    space=lambda shape: {"start": START},
    compute=at_best_rates,
)

LONG_WITH_LOSS = LONG.variant(
    "best learning rates in 20 rounds of 100 clients, with information loss",
    shapes=_sizes(*((s, 20, 1, 100) for s in range(8))),
    compute=with_loss_at_best_rates,
)


def jumps(shape: Shape, values: Named) -> Values:
    """Variance of the change of Aw + B in every round, (batch, T), at a rate that is a share of 2/L."""
    curvature, forces = spectrum(shape, values["start"]), causes(shape, values["start"])
    share = values["taken"] / (values["taken"] + values["untaken"])
    rate = 2 * share / setting_of(shape).L
    local = local_round(curvature, rate[:, None], shape["K"])

    def of(memory: Memory) -> Array:
        each = changes(local, memory, shape["T"])
        return stack([(curvature**2 * variance(change, forces)).sum(axis=-1) for change in each], -1)

    return {
        "nqm_rate": rate,
        "L": setting_of(shape).L + 0 * rate,
        "nqm_jump_cfl": of(ALL_EQUAL),
        "nqm_jump_fedavg": of(FORGETFUL),
    }


JUMPS = Scene(
    name="changes from round to round",
    shapes=_sizes(*product(range(8), (1, 2, 3, 4), (1, 2), (1,))),
    space=lambda shape: {"start": START, "taken": Box(0.01, 1, scale="log"), "untaken": Box(0, 1)},
    compute=Proved(jumps, (STEADIER,)),
    told={"taken": "share of 2/L, over `taken` and `untaken` together, that the rate is"},
)


def one_axis(shape: Shape, values: Named) -> Values:
    """Factor of the distance from the optimum after T rounds, without any drift."""
    local = local_round(values["nqm_eig"][:, None], values["eta_l"][:, None], shape["K"])
    factor = lambda memory: abs_(after(local, memory, shape["T"]).start[:, 0])  # noqa: E731
    return {"nqm_factor_cfl": factor(ALL_EQUAL), "nqm_factor_fedavg": factor(FORGETFUL)}


FACTORS = Scene(
    name="rounds without drift",
    shapes=tuple({"T": T, "K": K} for T, K in ((2, 1), (2, 2), (3, 3))),
    space=lambda shape: {"nqm_eig": Box(0.1, 20, scale="log"), "eta_l": Box(0.01, 0.04, scale="log")},
    compute=Proved(one_axis, (SAME_FACTOR,)),
)


def at_levels(shape: Shape, values: Named) -> Values:
    """Squared loss of CFL at two levels of information loss; also averaged over the start and its mirror image."""
    start, rate = values["start"], (values["rate"] * 2 / setting_of(shape).L)[:, None]
    less = values["level"][:, None] + 0 * start
    found = {
        f"{name}_{side}": final_loss(shape, sign * start, rate, ALL_EQUAL, level=level)
        for name, level in (("less", less), ("more", less + values["rise"][:, None]))
        for side, sign in (("here", 1), ("there", -1))
    }
    return {
        **{f"nqm_loss_{name}": found[f"{name}_here"] for name in ("less", "more")},
        **{
            f"nqm_mean_{name}": (found[f"{name}_here"] + found[f"{name}_there"]) / 2
            for name in ("less", "more")
        },
    }


AT_LEVELS = Scene(
    name="two levels of information loss",
    shapes=ALL_SETTINGS,
    space=lambda shape: {
        "start": Box(-10, 10, (2,)),
        "rate": Box(0.01, 0.95, scale="log"),
        "level": Box(0, float(max(LEVELS.values()))),
        "rise": Box(0, float(max(LEVELS.values()))),
    },
    compute=at_levels,
)

CENTRED = AT_LEVELS.variant(
    "two levels of information loss, from a start or its mirror image",
    shapes=(*_sizes(*product(range(8), (1, 2), (1, 2), (1,))), *ALL_SETTINGS[8:]),
    compute=Proved(at_levels, (MORE_LOSS,)),
)

# ------------------------------------------------------------------------------------------------- the table

RATES = Scene(
    name="best rates of Table 3 by setting",
    shapes=({},),
    space=lambda shape: dict.fromkeys(("nqm_rate_fedavg", "nqm_rate_prox", "nqm_rate_cfl"), Box(0, 1)),
)
RATE = Scene(
    name="a best rate of Table 3", shapes=({},), space=lambda shape: {"nqm_rate": Box(0, 1), "L": Box(1, 40)}
)
ONE_STEP = {
    name: {"K": 1, "eta_l": float(rate), "L": SETTINGS[name].L} for name, rate in BEST_RATES["CFL"].items()
}
"""Sizes with one local step, the most favourable choice for the paper."""
BY_SETTING = {
    name: row(
        {},
        {
            "nqm_rate_fedavg": BEST_RATES["FedAvg"][name],
            "nqm_rate_prox": BEST_RATES["FedProx"][name],
            "nqm_rate_cfl": BEST_RATES["CFL"][name],
        },
    )
    for name in NAMES
}
ONE_BY_ONE = {
    f"{method} in {name}": row({}, {"nqm_rate": rate, "L": str(SETTINGS[name].L)})
    for method, rates in BEST_RATES.items()
    for name, rate in rates.items()
}
