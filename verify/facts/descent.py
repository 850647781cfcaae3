"""Steps of gradient descent, plain or stochastic, and what many of them do: expectations over the noise."""

from __future__ import annotations

from typing import Literal

import sympy as sp

from verify.engine.scene import Rounds, Textbook
from verify.facts.functions import at_optimum
from verify.quantities import (
    L,
    distance2,
    distance2_0,
    distance2_before,
    eta,
    gap,
    gap_before,
    gap_mean,
    grad2_before,
    grad2_mean,
    grad2_min,
    inner_before,
    loss,
    loss_0,
    loss_before,
    move2,
    mu,
    sigma2,
    t,
)  # fmt: skip

Convexity = Literal["none", "weak", "strong"]
BOTTOU = "Bottou, Curtis, Nocedal, Optimization methods for large-scale machine learning, 2018, "
BANSAL = "Bansal, Gupta, Potential-function proofs for gradient methods, 2019, "
NESTEROV = "Nesterov, Lectures on Convex Optimization, 2018, "


_OPTIMUM = at_optimum(distance2_before, gap_before, grad2_before, inner_before, mu)
_STEP = Textbook(
    "a step of gradient descent",
    sp.Eq(distance2, distance2_before - 2 * eta * inner_before + eta**2 * grad2_before),
    "the square of a difference",
)
_POWER = sp.Symbol("power", real=True)
_CONTRACTION = Textbook(
    "contraction of a gradient step",
    distance2 <= (1 - eta * mu) ** 2 * distance2_before,
    NESTEROV + "Theorem 2.1.15",
    (eta <= 2 / (L + mu),),
    follows_from=(_STEP, _OPTIMUM[4], _OPTIMUM[7], _OPTIMUM[9]),
)


def steps(convexity: Convexity, variance: sp.Expr = sigma2) -> tuple[Textbook, ...]:
    """Facts of one step of (stochastic) gradient descent; convex losses have a minimiser to be distant from."""
    found = (
        Textbook("unbiased noise", move2 <= eta**2 * (grad2_before + variance), BOTTOU + "(4.6)"),
        Textbook(
            "descent lemma with noise",
            loss <= loss_before - eta * (1 - L * eta / 2) * grad2_before + L * eta**2 / 2 * variance,
            BOTTOU + "Lemma 4.4",
        ),
        Textbook("least of several", grad2_min <= grad2_mean, "the least is at most the mean"),
    )
    if convexity == "none":
        return found
    return (
        *found,
        Textbook(
            "descent lemma with noise",
            gap <= gap_before - eta * (1 - L * eta / 2) * grad2_before + L * eta**2 / 2 * variance,
            BOTTOU + "Lemma 4.4",
        ),
        _one_step(variance),
        *((_noisy_contraction(variance),) if convexity == "strong" else ()),
        *((_CONTRACTION,) if convexity == "strong" and variance == 0 else ()),
    )


def _one_step(variance: sp.Expr) -> Textbook:
    return Textbook(
        "one step with unbiased noise",
        distance2 <= distance2_before - 2 * eta * inner_before + eta**2 * (grad2_before + variance),
        "Garrigos, Gower, Handbook of convergence theorems, 2023, proof of Theorem 5.5",
    )


def iterated(convexity: Convexity, variance: sp.Expr = sigma2) -> tuple[Textbook, ...]:
    """Facts of t steps: a step's fact added up, or carried from round to round."""
    found = [
        Textbook(
            "telescoping",
            eta * (1 - L * eta / 2) * t * grad2_mean <= loss_0 - loss + t * L * eta**2 / 2 * variance,
            BOTTOU + "Theorem 4.8",
        )
    ]
    if convexity != "none":
        found.append(
            Textbook(
                "telescoping",
                2 * eta * t * gap_mean + eta * (1 / L - eta) * t * grad2_mean
                <= distance2_0 - distance2 + t * eta**2 * variance,
                "Garrigos, Gower, Handbook of convergence theorems, 2023, proof of Theorem 5.5",
            )
        )
    if convexity != "none" and variance == 0:
        found.append(
            Textbook(
                "potential of gradient descent",
                2 * eta * t * gap + distance2 <= distance2_0,
                BANSAL + "Theorem 2.1",
                (eta <= 1 / L,),
            )
        )
    if convexity == "strong":
        found.append(
            _carried(
                "geometric recursion",
                distance2 <= (1 - eta * mu) ** t * distance2_0 + eta / mu * variance,
                BOTTOU + "Theorem 4.6",
                _noisy_contraction(variance),
                1 - eta * mu,
                t,
            )
        )
    if convexity == "strong" and variance == 0:
        found.append(
            _carried(
                "contraction of gradient descent",
                distance2 <= (1 - eta * mu) ** (2 * t) * distance2_0,
                NESTEROV + "Theorem 2.1.15",
                _CONTRACTION,
                (1 - eta * mu) ** 2,
                2 * t,
            )
        )
    return tuple(found)


def _noisy_contraction(variance: sp.Expr) -> Textbook:
    return Textbook(
        "contraction of a noisy gradient step",
        distance2 <= (1 - eta * mu) * distance2_before + eta**2 * variance,
        BOTTOU + "(4.23)",
        (eta <= 1 / L,),
        follows_from=(_one_step(variance), *_OPTIMUM),
    )


def _carried(
    name: str, relation: sp.Basic, source: str, step: Textbook, factor: sp.Expr, times: sp.Expr
) -> Textbook:
    """What a step's contraction comes to in t steps: a power with the exponent `times`, which grows by `factor`."""
    power = (1 - eta * mu) ** times
    changes = {distance2: (distance2_before, distance2_0)}
    always = (step, _OPTIMUM[4])
    proof = Rounds(relation, t, {_POWER: power}, {_POWER: factor * _POWER}, changes, always, step.given)
    return Textbook(name, relation, source, step.given, proof, always)
