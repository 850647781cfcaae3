"""Runs of CFL on convex losses: sums over their rounds, and the quantities of Theorems 4.1, 4.4, B.5 and B.6."""

from __future__ import annotations

from bounds.cfl.runs import FORGETFUL
from nqm.fields import Array, exp, maximum, sqrt
from verify.engine.certificates.formulas import tree
from verify.engine.model.scene import Condition, Named, Shape, Values
from verify.engine.model.sums import Sums


def steps_of(shape: Shape, values: Named) -> tuple[Array, Array]:
    """eta, and the ratio of the weights of a round and the next one."""
    eta = values["eta_l"] * values["eta_g"] * shape["K"]
    return eta, 1 - values["mu"] * eta / 2


def of_memory(shape: Shape, values: Named, found: Named) -> Values:
    """c_pG + 2 c_R, and c_3 times the distance."""
    past, loss = found["P_i"], values["R2"] / shape["N"]
    bias = 2 * past.sum(axis=0) * sqrt(values["R2"]) * found["dist_star"] / shape["N"]
    return {"level": found["c_pG"] + 2 * (past**2).sum(axis=0) * loss, "bias": bias}


SUMS = {"gaps": "gap", "levels": "level", "biases": "bias"}
"""Sum over the rounds -> its summand in a round."""


def after(keep: Array, sums: Named, found: Named) -> Values:
    """Sums over the rounds one round later."""
    more = {**{name: found[of] for name, of in SUMS.items()}, "weight": 1 + 0 * keep}
    grown = {name: keep * sums[name] + new for name, new in more.items()}
    return {**grown, "start_kept": keep * sums["start_kept"], "played": sums["played"] + 1}


def means(sums: Named, eta: Array) -> Values:
    """Means over the rounds, and the remaining influence of the start."""
    of = {"gap_mean": "gaps", "level_mean": "levels", "bias_mean": "biases"}
    weight = sums["weight"]
    return {
        **{name: sums[total] / weight for name, total in of.items()},
        "forgotten": sums["start_kept"] / (eta * weight),
    }


def over_rounds(shape: Shape, values: Named, sums: Named) -> Values:
    """All quantities of the theorems, from sums over T rounds."""
    eta, keep = steps_of(shape, values)
    found = {"eta": eta, "keep": keep, "T": sums["played"], **means(sums, eta)}
    found |= {f"{name}_next": total for name, total in sums.items()}
    found |= {**of_constants(shape, values, eta), **of_levels(shape, values, found)}
    return {**found, "eps": accuracy(values, found)}


def of_levels(shape: Shape, values: Named, found: Named) -> Values:
    """c_1 and c_2 at the mean level, and at that without memory."""
    N, K, noise = shape["N"], shape["K"], values["sigma2"]
    local = 3 * values["L"] / values["eta_g"] ** 2
    levels = {"mean": 2 * found["level_mean"], "fed": 2 * (values["G2"] + values["D2"])}
    return {
        **{f"c1_{name}": level + 2 * noise / (N * K) for name, level in levels.items()},
        **{f"c2_{name}": local * (level + noise / K) for name, level in levels.items()},
    }


def of_constants(shape: Shape, values: Named, eta: Array) -> Values:
    """The contribution of a round for each unit of c_pG + 2 c_R, and of its noise."""
    N, K, local = shape["N"], shape["K"], 3 * values["L"] * eta**3 / values["eta_g"] ** 2
    return {"adds": 2 * eta**2 + 2 * local, "stirs": (2 * eta**2 / (N * K) + local / K) * values["sigma2"]}


def accuracy(values: Named, found: Named) -> Array:
    """An accuracy eps that these rounds and steps guarantee: from (1 - mu eta/2)^T, or from 1/T if `plainly` is 1."""
    eta, mu, H = found["eta"], values["mu"], values["H"]
    noise = maximum(found["c1_mean"] * eta, found["c2_mean"] * eta**2)
    plain, strong = H / (eta * found["T"]), mu * H / (2 * (exp(found["T"] * mu * eta / 2) - 1))
    left = strong + values["plainly"] * (plain - strong)
    return 3 * maximum(noise, left) * (1 + values["spare"] + values["room"])


def without_memory(relation: Condition) -> Sums:
    """An upper bound that is the value itself without memory; memory changes the value by any amount."""
    value = ["+", tree(relation.rhs), ["*", str(FORGETFUL.lhs), "more"]]
    return Sums(relation, {relation.lhs: value}, {"more": "real"}, (FORGETFUL,))
