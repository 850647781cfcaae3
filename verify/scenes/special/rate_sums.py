"""SPECIAL, Eq. (61): sums over the rounds of a task, in expectation."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from algorithms.algorithm import State
from bounds.relations import eq
from bounds.special import one_round as one
from bounds.special.rate_sum import COSTS, SUMMED, tau
from bounds.special.symbols import T
from nqm.federation import total_grad
from nqm.fields import Array, sq, stack
from nqm.world import World
from verify.engine.model.scene import Fact, Follows, Named, Rounds, Shape, Values
from verify.engine.model.sums import Sums
from verify.scenes.norms_of_sums import counted, follows
from verify.scenes.summands import SUMMANDS, added, changing, definition

CLIMBED = eq(one.climbed_next, one.climbed + one.gA2_mean)
PLAYED = eq(one.played_next, one.played + 1)
MEANT = (SUMMED, eq(one.played_next, T), eq(one.f_after, one.f_T))
"""The definitions of the sums after the round, in the notation of Eq. (61)."""
MEANS = {one.f_now: one.f_mean, one.f_next: one.f_after, one.gA2: one.gA2_mean}


def so_far(world: World, path: Sequence[State], found: Named) -> Values:
    """Sums over the earlier rounds and this round; `path` are the states at the start of each."""
    squares = stack([_mean(sq(total_grad(world, state["theta"]))) for state in path], axis=0)
    now, after = _mean(found["f_now"]), _mean(found["f_next"])
    return {
        **{"f_mean": now, "f_after": after, "gA2_mean": squares[-1]},
        **_sums_after_round(squares[:-1].sum(axis=0) + 0 * now, squares[-1], len(path) - 1 + 0 * now),
        **_whole(squares, after),
    }


def _mean(of_paths: Array) -> Array:
    return of_paths.sum(axis=1) / of_paths.shape[1]


def _sums_after_round(climbed: Array, square: Array, played: Array) -> Values:
    """Sums over the earlier rounds, and one round later."""
    return {
        **{"climbed": climbed, "climbed_next": climbed + square},
        **{"played": played, "played_next": played + 1},
    }


def _whole(squares: Array, after: Array) -> Values:
    """Quantities of a whole task from the squared gradients of its rounds (round, batch)."""
    return {"gA2_t": squares, "f_T": after}


_rounds, _summed = sp.Symbol("rounds", integer=True, nonnegative=True), sp.Symbol("sum over the rounds")
_SUM = SUMMED.lhs.xreplace({T: _rounds})
_WHOLE = follows(
    SUMMED,
    (
        Rounds(
            eq(_SUM, SUMMED.rhs),
            _rounds,
            {_summed: _SUM},
            {_summed: _summed + SUMMED.lhs.function.xreplace({tau: _rounds})},
            changing(one.climbed_next),
            (added(one.climbed_next, one.gA2_t[_rounds - 1]),),
        ),
        {_rounds: T},
    ),
)
_COUNTED = counted(
    eq(one.played_next, SUMMANDS), T, changing(one.played_next), added(one.played_next, sp.S.One)
)


def costs_of(shape: Shape, values: Named) -> Array:
    """The additive terms of Eq. (60), from constants that are known before the round."""
    K, M, N, E = (shape[name] for name in "KMNE")
    L, B2, noise, clients = values["L"], values["B"] ** 2, values["sigma_L2"], values["sigma_G2"]
    g, divisor = values["gamma_G"] * values["gamma_L"], 1 + values["lam"]
    rate = 3 * g * L / divisor
    drawn = rate * (M - N) / (N * (M - 1))
    local = (values["gamma_L"] * L) ** 2 * E * K * (noise + 6 * E * clients)
    drift = (values["gamma_L"] * E * L / values["lam"]) ** 2 * B2
    tasks = (rate / 2 + 4 * drawn) * (K - 1) ** 2 * E * values["sigma_T2"] / K
    anchor = K * B2 + values["G0"] ** 2 + drift
    return (
        g
        * E
        / divisor
        * (
            anchor
            + drawn * E * K * (4 * clients + B2)
            + (5 + 20 * drawn * E) * local
            + rate * noise / (2 * N)
            + tasks
        )
    )


FACTS: tuple[Fact | Sums | Rounds | Follows, ...] = (
    *map(definition, (COSTS, CLIMBED, PLAYED, MEANT[-1])),
    *(_WHOLE, _COUNTED),
)
