"""CFL: facts about one round that use Assumption 3 at the server's model only, and smoothness for the local models.

Assumption 3 needs a model that is independent of the drifts. The server's model is independent of them, but the local models are
not, as the drifts determine them. Smoothness bounds the change of gradients from the server's model to the local models.
"""

from __future__ import annotations

from itertools import product

from bounds.cfl.convex import gap, gap_round, i, over_clients, strayed, strayed_i
from bounds.hypotheses import Hypothesis
from bounds.relations import eq
from nqm.fields import Array, stack
from verify.engine.scene import Box, Fact, Named, Scene, Shape, Values
from verify.scenes.cfl import nonconvex_facts
from verify.scenes.cfl.drifts import signs
from verify.scenes.cfl.nonconvex import Met as Walked
from verify.scenes.cfl.nonconvex import update, walk
from verify.scenes.cfl.nonconvex_facts import MOVED_AWAY, PAST, PULLED, STRAYED, WALKED, AnyRound
from verify.scenes.cfl.round_quantities import Met, mean, of_sums
from verify.scenes.cfl.start_facts import GROWN, STARTED
from verify.scenes.cfl.start_facts import mean as mean_of

UNBIASED = eq(gap_round, gap)
"""The losses of the clients of a round equal the global loss up to drifts with mean zero."""
ALL_STRAYED = eq(strayed, over_clients(strayed_i[i]))


def _as_met(given: AnyRound, walked: Walked) -> Met:
    """The round with the axes (batch, outcome, run, N, d)."""
    spread = lambda x: (x + 0 * walked.path[0])[:, :, None, :, None]  # noqa: E731
    path, true = [spread(x) for x in walked.path], [spread(x) for x in walked.true]
    bars = [spread(x) for x in walked.bar[:-1]]
    start, ones = path[0][..., 0, :], 1 + 0 * walked.path[0][:, 0, :, None]
    return Met(
        start=start,
        after=start,
        path=path,
        p=ones,
        each=[true],
        gains=[0 * path[0][..., 0]],
        slopes=[spread(x) for x in walked.slopes],
        missed=[spread(x) for x in walked.missed],
        bars=bars,
        pulls=bars,
    )


def _walked(values: Named, given: AnyRound) -> tuple[Walked, Values]:
    """A round with arbitrary gradients, its update, and its sums over clients and local steps."""
    walked = walk(values, 0 * given.first, given.noise, given.gradients)
    moved2, eta_ = (
        mean_of(update(values, walked) ** 2),
        values["eta_l"] * values["eta_g"] * (len(walked.path) - 1),
    )
    return walked, {**of_sums(_as_met(given, walked)), "moved2": moved2, "eta": eta_}


# ---------------------------------------------------------------------------------- losses of drifted clients


def _drifted(shape: Shape, values: Named) -> Values:
    """Gains of a loss and of its drifts, with independent client and time drifts of either sign."""
    N, t = shape["N"], shape["t"]
    drawn = signs(N * (1 + t), values["gap"]).reshape(1, 1, -1, N, 1 + t)
    weights = stack([*(values["past"][..., n] for n in range(t - 1)), 1 - values["past"].sum(axis=-1)], -1)
    whole = values["gap"][:, None, None, None] + 0 * drawn[..., 0] * weights[:, None, None, ..., 0]
    client = drawn[..., 0] * values["client"][:, None, None]
    gains = [
        -(whole + client + drawn[..., 1 + tau] * values["time"][:, None, None, :, tau]) for tau in range(t)
    ]
    none: list[Array] = [0 * whole[..., None]]
    met = Met(none[0][..., 0, :], none[0][..., 0, :], none, weights, [none] * t, gains, none, none, [], [])
    return {"gap": values["gap"], "gap_round": -mean(met.mixed(met.gains)).sum(axis=-1) / N}


_DRIFTED = Scene(
    name="losses of a round with any drifts of either sign",
    restricts=(Hypothesis.NEW_CLIENTS,),
    shapes=tuple({"N": N, "t": t} for N, t in product((1, 2), repeat=2)),
    space=lambda shape: {
        **{"gap": Box(0.1, 1), "client": Box(-1, 1, (shape["N"],))},
        "time": Box(-1, 1, (shape["N"], shape["t"])),
        "past": Box(-1, 1, (shape["N"], shape["t"] - 1)),
    },
    compute=_drifted,
    covers="an identity between arbitrary losses and drifts of 1 and 2 clients and rounds, each of either sign by itself, under weights that "
    "sum to one; clients and rounds add alike",
)
_USED = (MOVED_AWAY, PULLED, STRAYED, STARTED, GROWN, WALKED, PAST)
_SAME = (ALL_STRAYED,)


def _about_sums() -> tuple[Fact, ...]:
    found = tuple(fact for fact in nonconvex_facts.facts(_walked) if fact.relation in _USED)
    scene = next(fact.scene for fact in found if fact.relation == PULLED)
    return (*found, *(Fact(relation, scene) for relation in _SAME))


SERVER_FACTS = (*_about_sums(), Fact(UNBIASED, _DRIFTED))
