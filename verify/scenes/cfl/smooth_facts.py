"""CFL, Appendix B.5: one round in which gradients and information losses do not depend on future noise.

A local model depends only on earlier noise of its own client. The gradients at it can therefore be decomposed into one part for
each subset of the earlier random signs, and parts of different subsets are uncorrelated. For each subset, the slack of the bound
is a quadratic form in a few numbers; writing it as a sum of squares shows that it is nonnegative.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import combinations, product
from operator import mul
from typing import Any

import numpy as np
import sympy as sp

from bounds.cfl.convex import LOST, P_i, g2_start, i, moved2, noisy2, over_clients, strayed_i
from bounds.cfl.correlated import lost2
from bounds.cfl.nonconvex import SMALL, downhill, start2
from bounds.cfl.symbols import R2, K, L, N, eta, eta_l, sigma2
from bounds.relations import ge, le
from nqm.fields import Array, stack
from verify.engine.model.scene import Assumption, Box, Fact, Named, Scene, Shape, Values
from verify.scenes.cfl.client_sums import POSITIVE
from verify.scenes.cfl.drifts import mean, signs, total
from verify.scenes.cfl.terms import SMOOTH, TURNED, turns

_past = over_clients(P_i[i]) / N
_turned = L**2 * over_clients(strayed_i[i])
MET = K * start2 + 3 * K * R2 * over_clients(P_i[i] ** 2) + 3 * N * sigma2
"""The terms that determine local models: gradients at the start, information losses, noise."""
TURNING = le(3 * _turned, (L * K * eta_l) ** 2 * (MET + 2 * _turned))
REACHED = ge(MET + 2 * _turned, 0)
FALLING = le(
    downhill + L / 2 * moved2,
    eta * (start2 / N - sp.Rational(3, 2) * g2_start + _past / 2 * (g2_start + R2))
    + eta * (LOST / 2 + sigma2 / (4 * K))
    + L * eta**2 * (LOST + sigma2 / (2 * N * K))
    + eta / (20 * N * K) * (22 * _turned - MET),
)
"""With the bound `TURNING` on local drifts and 8 (L K eta_l)^2 <= 1, the last line is nonpositive."""

_ASSUMED: Mapping[str, Assumption] = {
    "weight": ("p", POSITIVE),
    "room_local": ("left_local", SMOOTH, TURNED),
    "room_lost": ("left_lost", le(lost2, R2)),
    "room_noise": ("left_noise", le(noisy2, sigma2)),
    "room_short": ("left_short", SMALL[0]),
}

_SIZES = ((1, 1, 1), (1, 1, 2), (2, 2, 2), (1, 3, 2))
"""Sizes of the proofs; from four local steps on, some of the squares have negative weights."""

# ------------------------------------------------------------------------------------------------------------ forms

Form = np.ndarray
"""A symmetric matrix of fractions: a quadratic form in the numbers of one client."""
_GLOBAL, _OWN = 0, 1
"""Places of the global gradient at the start, and of the difference of the client's gradient to it."""


def _changed(steps: int, step: int) -> int:
    """Place of the change of the client's gradient before a step."""
    return 2 + step


def _place_of_loss(steps: int, step: int) -> int:
    return 2 + steps + step


def _noisy(steps: int, step: int) -> int:
    return 2 + 2 * steps + step


def _vectors(steps: int) -> tuple[np.ndarray, ...]:
    """Unit vectors for the global gradient, the client's gradient, and the changes, information losses and noises of each step."""
    unit = np.array([[Fraction(int(a == b)) for a in range(2 + 3 * steps)] for b in range(2 + 3 * steps)])
    each = (unit[[place(steps, k) for k in range(steps)]] for place in (_changed, _place_of_loss, _noisy))
    return unit[_GLOBAL], unit[_GLOBAL] + unit[_OWN], *each


def _along(u: np.ndarray, v: np.ndarray) -> Form:
    return (np.outer(u, v) + np.outer(v, u)) / 2


def _mean_of_met(steps: int) -> Form:
    """`MET` over NK."""
    _, own, _, losses, noises = _vectors(steps)
    return _along(own, own) + 3 * losses.T @ losses / steps + 3 * noises.T @ noises / steps**2


def _falling(steps: int, pull: Fraction, meets: Fraction) -> Form:
    """The slack of `FALLING` divided by eta, for L eta = `pull`; `meets` is the weight with which noise affects later steps."""
    start, own, changes, losses, noises = _vectors(steps)
    later = (changes - losses).sum(axis=0) / steps
    added = (
        pull / 2 * _along(own + later, own + later)
        - _along(start, own + later)
        + meets / steps * _along(noises.sum(axis=0), later)
    )
    return (
        _along(own, own)
        - Fraction(3, 2) * _along(start, start)
        + (1 + pull) / steps * losses.T @ losses
        + noises.T @ noises / (4 * steps**2)
        + (Fraction(22, steps) * changes.T @ changes - _mean_of_met(steps)) / 20
        - added
    )


def _turning(steps: int) -> Form:
    """The slack of `TURNING` divided by K (L K eta_l)^2."""
    _, own, changes, losses, noises = _vectors(steps)
    ways = np.array([k * own + (changes - losses + noises)[:k].sum(axis=0) for k in range(steps)])
    return (
        _mean_of_met(steps)
        + Fraction(2, steps) * changes.T @ changes
        - 3 * ways.T @ ways / Fraction(steps) ** 3
    )


def _squares(form: Form) -> Iterator[tuple[Fraction, np.ndarray]]:
    """Yield weights and vectors of a decomposition into squares, by elimination of one place after the other."""
    for place in range(len(form)):
        weight = form[place, place]
        if weight:
            along = form[place] / weight
            form = form - weight * np.outer(along, along)
            yield weight, along


# --------------------------------------------------------------------------- a round of gradients that know the past


@dataclass(frozen=True)
class AnyRound:
    """The gradients of an arbitrary round: arrays (1, outcome, N); the first axis is a batch of one.

    Attributes
    ----------
    slope : (1, 1, 1) array
        Global gradient at the start.
    first : array
        Weighted true gradient at the start.
    later, there : lists of arrays
        Weighted true and global gradients after each local step.
    noise : (1, outcome, N, K) array
    weight : (1, 1, N, t - 1) array
        Weights of the past rounds.
    lost : list of (1, outcome, N, t - 1) arrays
        Information losses, chosen independently at each local model: only their bound is known.
    """

    slope: Array
    first: Array
    later: list[Array]
    there: list[Array]
    noise: Array
    weight: Array
    lost: list[Array]

    def gradients(self, step: int, x: Array) -> tuple[Array, Array, Array]:
        """Global and weighted true gradient before each step and after the last, and the weighted information loss."""
        missed = (self.weight * self.lost[step]).sum(axis=-1) + 0 * self.first
        slope, first = self.slope + 0 * x, self.first
        return (self.there[step - 1], self.later[step - 1], missed) if step else (slope, first, missed)


Quantities = Callable[[Named, AnyRound], tuple[Any, Values]]
"""(parameters, gradients) -> models, gradients and quantities of the round."""


def _first_alike(shape: Shape, step: int) -> np.ndarray:
    """For each outcome and client: the first outcome with the same drifts and the same own noise before a step."""
    N, K = shape["N"], shape["K"]
    own = [1 + sum(1 << (1 + n * K + k) for k in range(step)) for n in range(N)]
    return np.arange(2 ** (1 + N * K))[:, None] & np.array(own)


def _space(shape: Shape) -> Mapping[str, Box]:
    N, K, past, runs = shape["N"], shape["K"], shape["t"] - 1, 2 ** (1 + shape["N"] * shape["K"])
    vectors, room = lambda *axes: Box(-1, 1, axes), lambda *axes: Box(0.1, 1, axes)
    return {
        **dict.fromkeys(("eta_l", "eta_g", "L", "sigma2", "R2", "room_short"), room()),
        **{"slope": vectors(), "drift": vectors(N), "noise": vectors(N, K), "past": vectors(N, past)},
        **{"later": vectors(K - 1, runs, N), "lost": vectors(K, runs, N, past)},
        **{"room_local": room(K, runs, N), "room_lost": room(K, runs, N, past)},
        **{"room_noise": room(N, K), "weight": room(N, shape["t"])},
    }


def _round(shape: Shape, values: Named) -> AnyRound:
    """A round with drifts of a common sign and independent noises of either sign; no gradient is needed after the last step."""
    N, K = shape["N"], shape["K"]
    drawn = signs(1 + N * K, values["slope"])[None]
    slope, clients = values["slope"][:, None, None], np.arange(N)
    first = slope + drawn[..., :1] * values["drift"][:, None]
    lost = [values["lost"][:, k][:, _first_alike(shape, k), clients] for k in range(K)]
    return AnyRound(
        slope,
        first,
        [*(values["later"][:, k - 1][:, _first_alike(shape, k), clients] for k in range(1, K)), first],
        [first] * K,
        drawn[..., 1:].reshape(1, -1, N, K) * values["noise"][:, None],
        values["past"][:, None],
        [*lost, lost[-1]],
    )


def _rooms(values: Named, met: AnyRound, walked: Any) -> Values:
    """The expressions that the assumptions make nonnegative: slacks of smoothness, information loss, noise variance and step size."""
    far = [x - walked.path[0] for x in walked.path[:-1]]
    changes, lost = [x - met.first for x in walked.true[:-1]], stack(met.lost[:-1], 1)
    past = values["past"]
    return {
        "p": stack([*(past[..., n] for n in range(past.shape[-1])), 1 - past.sum(axis=-1)], -1),
        **{"lost2": lost**2, "noisy2": values["noise"] ** 2},
        **turns(*((c[..., None], x[..., None]) for c, x in zip(changes, far, strict=True))),
        "left_local": stack([values["L"] ** 2 * x**2 - c**2 for c, x in zip(changes, far, strict=True)], 1),
        "left_lost": values["R2"] - lost**2,
        "left_noise": values["sigma2"] - values["noise"] ** 2,
    }


def _parts(shape: Shape, met: AnyRound, missed: list[Array]) -> Iterator[Mapping[int, Array]]:
    """Yield, for each client and set of signs, the coefficient of the product of these signs in each number: place -> (1,).

    Only gradients and losses after a noise vector depend on its sign.
    """
    N, K = shape["N"], shape["K"]
    drawn = signs(1 + N * K, met.slope[:, 0, 0])
    for n, size in product(range(N), range(K + 2)):
        own = [0, *range(1 + n * K, 1 + n * K + K)]
        for chosen in combinations(range(K + 1), size):  # place 0 is the sign of the drifts, then the noises
            sign = reduce(mul, (drawn[:, own[j]] for j in chosen), 1 + 0 * drawn[:, 0])
            of_client = lambda x, n=n, sign=sign: mean((x + 0 * met.first)[..., n] * sign)  # noqa: E731
            last = max(chosen, default=0)
            found = {_changed(K, k): of_client(met.later[k - 1] - met.first) for k in range(max(last, 1), K)}
            found |= {_place_of_loss(K, k): of_client(missed[k]) for k in range(last, K)}
            if chosen == ():
                found[_GLOBAL] = of_client(met.slope)
            elif chosen == (0,):
                found[_OWN] = of_client(met.first - met.slope)
            elif size == 1:
                found[_noisy(K, last - 1)] = of_client(met.noise[..., last - 1])
            yield found


def _value(form: Form, parts: Sequence[Mapping[int, Array]]) -> Array:
    """The value of a quadratic form as a sum of squares over all clients and parts."""
    total: Array = 0
    for part in parts:
        for weight, along in _squares(form[np.ix_(list(part), list(part))]):
            whole = sum(_exact(c) * x for c, x in zip(along, part.values(), strict=True) if c)
            total = total + _exact(weight) * whole**2
    return total


def _exact(number: Fraction) -> sp.Rational:
    return sp.Rational(number.numerator, number.denominator)


def below(shape: Shape, values: Named, met: AnyRound, k: int) -> Array:
    """The slack of |sum p Delta|^2 <= P^2 R^2 at a local model."""
    past, room = range(shape["t"] - 1), values["room_lost"][:, k]
    weight, lost = values["weight"][:, None], met.lost[k]
    apart = (
        (weight[..., a] * weight[..., b]) * (lost[..., a] - lost[..., b]) ** 2
        for a, b in combinations(past, 2)
    )
    return weight.sum(axis=-1) * (room * weight).sum(axis=-1) + sum(apart, 0 * met.first)


def _slacks(shape: Shape, values: Named, met: AnyRound, walked: Any) -> Values:
    N, K = shape["N"], shape["K"]
    none, half = Fraction(0), Fraction(1, 2)
    parts = list(_parts(shape, met, walked.missed))
    rate, reach = K * values["eta_l"] * values["eta_g"], values["L"] * K * values["eta_l"]
    pull, short = values["L"] * rate, 2 * values["L"] * values["room_short"]
    past, now = values["weight"][..., :-1], values["weight"][..., -1]
    lost = total([below(shape, {**values, "weight": past}, met, k) for k in range(K)])
    smooth = total([values["room_local"][:, k] for k in range(K)])
    quiet = values["room_noise"].sum(axis=(1, 2))
    gone = sum(walked.bar[:-1]) / K
    apart = sum((mean((gone[..., a] - gone[..., b]) ** 2) for a, b in combinations(range(N), 2)), 0 * rate)
    weighed = past.sum(axis=-1) * (values["slope"][:, None] ** 2 + now * values["R2"][:, None])
    # both sides are affine in L eta, and in how much of it meets noise: 1/N
    forms = short * _value(_falling(K, none, none), parts) + 2 * pull / N * (
        (N - 1) * _value(_falling(K, half, none), parts) + _value(_falling(K, half, half), parts)
    )
    bounded = (
        sp.Rational(11, 10) * smooth / K
        + (sp.Rational(17, 20) + pull) * lost / K
        + (sp.Rational(1, 10) + pull / (2 * N)) * quiet / K**2
        + weighed.sum(axis=-1) / 2
    )
    start2 = total([met.first**2])
    lost2 = K * values["R2"] * (values["past"].sum(axis=-1) ** 2).sum(axis=-1)
    turned = values["L"] ** 2 * total([(x - walked.path[0]) ** 2 for x in walked.path[:-1]])
    return {
        "slack_falling": rate / N * (forms + bounded + pull / (2 * N) * apart),
        "slack_turning": reach**2 * (K * _value(_turning(K), parts) + 3 * lost + 3 * quiet / K + 2 * smooth),
        "slack_reached": K * start2 + 3 * lost2 + 3 * N * values["sigma2"] + 2 * turned,
    }


def smooth_facts(quantities: Quantities) -> tuple[Fact, ...]:
    """Facts about one round, given how its quantities are computed."""

    def compute(shape: Shape, values: Named) -> Values:
        met = _round(shape, values)
        walked, found = quantities(values, met)
        return {
            **found,
            **{"g2_start": values["slope"] ** 2, "P_i": values["past"].sum(axis=-1).T},
            **_rooms(values, met, walked),
            "left_short": 1 / (2 * values["L"]) - found["eta"],
            **_slacks(shape, values, met, walked),
        }

    scene = Scene(
        name="a round whose gradients do not know of later noise",
        shapes=tuple({"N": N, "K": K, "t": t} for N, K, t in _SIZES),
        space=_space,
        compute=compute,
        covers="an identity between arbitrary gradients, noises of either sign and information losses, of which those at a local model depend "
        "on the drifts and on the noise of this client before it; what the assumptions bound is taken as it is; clients, rounds and coordinates add alike",
    )
    return (
        Fact(FALLING, scene, "slack_falling", _ASSUMED),
        Fact(TURNING, scene, "slack_turning", _ASSUMED),
        Fact(REACHED, scene, "slack_reached"),
    )
