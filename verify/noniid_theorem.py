"""FedAvg on non-iid data: Lemmas 1 to 5, Theorems 1 to 3, and Theorem 1 where gradients are bounded at every model."""

from __future__ import annotations

import sympy as sp

import bounds.noniid.sampling as some
import bounds.noniid.symbols as b
import bounds.noniid.theorem as thm
import verify.scenes.noniid.world as world
from bounds.relations import le
from verify.commands.main import main
from verify.engine.checks.necessity import better_at, better_in, needed_in
from verify.engine.checks.relation import inequality
from verify.engine.checks.unjudged import unjudged
from verify.engine.model.claim import Check, claims_about, for_each
from verify.engine.model.scene import Scene
from verify.first_order import decided
from verify.scenes.noniid.step import (
    CLIENTS,
    LOSS,
    MODELS,
    MOVE,
    NOT_STEEP,
    SAMPLED,
    STEP,
    WAY,
    WITH,
    WITHOUT,
)
from verify.scenes.standing_still import gap_from_distance

OPEN = "thm1/from-lemmas is judged, whose further conditions are given by the steps of its proof"
_claim = claims_about("noniid", decided)
_claims = for_each(_claim)
Letters = dict[sp.Basic, sp.Basic]
NONE = sp.Integer(0)
STEPPED = [
    ("lem1", {b.distance2: b.after, b.distance2_0: b.before}),
    ("lem2", {b.total_0: NONE, b.allowed: b.noise, b.allowed_0: NONE}),
]
NEAR = {thm.NEAR: [("lem3", {b.steep: b.G2})]}
AT_STEP = {
    b.after: b.distances[b.t + 1],
    b.before: b.distances[b.t],
    b.eta: thm.length(b.t),
    b.p: b.place[b.t],
    b.zeta: thm.BEGUN.subs(b.p, b.place[b.t]),
}
LENGTHS = [("thm1.short", {}), ("thm1.slow", {b.p: b.place[b.t]})]
E_STEPS = ("lem3.steps", {b.T: b.E + 1, b.steep: b.G2, b.ways[b.E + 1]: b.way2})


def _squared(steps: sp.Expr, bound: sp.Expr) -> tuple[sp.Rel, sp.Rel]:
    """Intermediate relations: the way of some steps, and its square."""
    size = 4 * b.eta**2 * steps**2 * bound
    return le(sp.sqrt(b.way2), 2 * b.eta * steps * sp.sqrt(bound)), le(b.way2, size)


def _run(added: sp.Expr, *step: tuple[str, Letters]) -> dict[sp.Rel, list[tuple[str, Letters]]]:
    """The lemmas of a theorem in whose steps at most `added` times the squared length is added."""
    return {
        thm.every_step(added): [*LENGTHS, *step],
        thm.LOSS: [("thm1.loss", {b.gap: b.above[b.T], b.distance2_0: b.distances[b.T]})],
        thm.last(added): [("thm1.distance", {b.drift: added})],
    }


def _sampled(lemma: str, added: sp.Expr) -> list[tuple[str, Letters]]:
    """The lemmas of a step with sampled clients."""
    steps = {letter: AT_STEP[letter] for letter in (b.eta, b.zeta)}
    return [(lemma, steps), ("thm2.added", {**AT_STEP, b.C: added})]


def _necessity_checks(scene: Scene) -> tuple[Check, ...]:
    """Which assumptions a theorem needs in a world, and whether it beats trivial bounds there."""
    not_steep = better_in(scene, thm.NOT_STEEP, *world.ASSUMED, letters=world.ENDS)
    return (
        needed_in(scene, *world.ASSUMED, letters=world.ENDS),
        better_at(world.ENDS, thm.AT_START),
        not_steep,
    )


CLAIMS = (
    _claim("lem1", STEP),
    _claim("lem2", CLIENTS),
    _claim("lem3.mean", MODELS),
    _claim("lem3.move", WAY, inequality, through=(le(b.inner, sp.sqrt(b.way2) * sp.sqrt(b.move2)),)),
    _claim("lem3.short", MOVE),
    _claim("lem3.root", None, inequality, lemmas={thm.SHORT: [("lem3.short", {})]}),
    _claim(
        "lem3.steps",
        None,
        inequality,
        lemmas={
            thm.ROOT: [("lem3.move", {b.way2_next: b.ways[b.t + 1], b.way2: b.ways[b.t]}), ("lem3.root", {})]
        },
    ),
    _claim(
        "lem3",
        None,
        inequality,
        through=_squared(b.E - 1, b.steep),
        lemmas={thm.MEAN: [("lem3.mean", {})], thm.WAY: [("lem3.steps", {b.T: b.p, b.ways[b.p]: b.way2})]},
    ),
    *_claims("thm1.short thm1.slow thm1.step", None, inequality),
    _claim("thm1.loss", LOSS),
    _claim("thm1.free", gap_from_distance(b.gap, b.distance2_0)),
    _claim("thm1.free.steep", NOT_STEEP),
    _claim("thm1.added", None, inequality, lemmas={le(b.after, thm.STEPPED): STEPPED, **NEAR}),
    _claim("thm1.distance", None, inequality),
    _claim("thm1", None, unjudged(OPEN)),
    _claim(
        "thm1/from-lemmas",
        None,
        inequality,
        beside=_necessity_checks(world.EVERYONE),
        lemmas=_run(thm.B, ("thm1.added", AT_STEP)),
    ),
    _claim("thm1/everywhere", None, inequality),
    _claim("lem4", SAMPLED),
    _claim("lem5.with", WITH),
    _claim(
        "lem5.1",
        None,
        inequality,
        through=_squared(b.E, b.G2),
        lemmas={some.SPREAD_WITH: [("lem5.with", {})], some.WAY: [E_STEPS]},
    ),
    _claim("lem5.without", WITHOUT),
    _claim(
        "lem5.2",
        None,
        inequality,
        through=_squared(b.E, b.G2),
        lemmas={some.SPREAD_WITHOUT: [("lem5.without", {})], some.WAY: [E_STEPS]},
    ),
    _claim(
        "thm2.added",
        None,
        inequality,
        lemmas={
            some.UNBIASED: [("lem4", {})],
            some.STEP: [("lem1", {b.distance2_0: b.before}), STEPPED[1]],
            **NEAR,
        },
    ),
    _claim(
        "thm2",
        None,
        inequality,
        beside=_necessity_checks(world.WITH),
        lemmas=_run(thm.B + some.WITH, *_sampled("lem5.1", some.WITH)),
    ),
    _claim(
        "thm3",
        None,
        inequality,
        beside=_necessity_checks(world.WITHOUT),
        lemmas=_run(thm.B + some.WITHOUT, *_sampled("lem5.2", some.WITHOUT)),
    ),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="noniid_theorem"))
