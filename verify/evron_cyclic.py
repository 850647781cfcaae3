"""Tasks in cycles in linear regression: the forgetting falls like 1/sqrt(k), for all numbers of tasks and dimensions."""

from __future__ import annotations

import sympy as sp

import bounds.evron.cyclic as b
import verify.scenes.evron.world as world
from bounds.evron.symbols import k, loss, t
from verify.commands.main import main
from verify.engine.checks.necessity import better_in, needed_in
from verify.engine.checks.relation import inequality
from verify.engine.model.claim import claims_about, for_each
from verify.first_order import decided
from verify.scenes.evron.projections import CONTRACTION, CYCLE, FALL, FIRST, NEAREST, SHRUNK, WAY

_claim = claims_about("evron", inequality)
_claims = for_each(_claim)
PROJECTED = {b.kept: b.errors[t], b.kept_next: b.errors[t + 1]}


def _cycle(number: sp.Expr) -> tuple[str, dict[sp.Basic, sp.Basic]]:
    """The way of one cycle of all tasks."""
    ends = {b.start: b.cycles[number], b.errors[b.tasks]: b.cycles[number + 1]}
    return "way.sum", {b.n: b.tasks, b.ways[b.tasks]: b.moves[number], **ends}


CLAIMS = (
    _claim("way", WAY, decided),
    *_claims("way.first kept", FIRST, decided),
    _claim(
        "way.sum",
        lemmas={
            b.ONE_MORE: [("way", {**PROJECTED, b.far_next: b.ways[t + 1], b.far: b.ways[t], b.j: t})],
            b.ONE: [("way.first", {b.far_next: b.ways[1], b.kept: b.start, b.kept_next: b.errors[1]})],
        },
    ),
    _claim(
        "cycle",
        lemmas={b.WHOLE: [("way.sum", {b.n: b.tasks, b.ways[b.tasks]: b.far, b.errors[b.tasks]: b.kept})]},
    ),
    _claim("cycle/less", CYCLE, decided),
    _claim("contraction", CONTRACTION, decided),
    _claim(
        "contraction.sum",
        lemmas={b.SHORTER: [("contraction", {b.turned_next: b.turns[t], b.turned: b.turns[t - 1]})]},
    ),
    _claim(
        "slow",
        lemmas={
            b.SLOWER: [
                ("contraction.sum", {b.n: b.tasks, b.turns[b.tasks]: b.moves[t], b.turns[0]: b.moves[t - 1]})
            ],
            b.SLOW: [_cycle(t)],
            b.SLOW_AT_ONCE: [_cycle(sp.Integer(0))],
        },
    ),
    _claim("fall", FALL, decided),
    _claim(
        "fall.root",
        lemmas={b.FALL: [("fall", {})], b.FAR: [("slow", {b.moves[b.n]: b.turned, b.cycles[0]: b.origin})]},
    ),
    _claim("nearest", NEAREST, decided),
    _claim(
        "losses",
        lemmas={
            b.LOSS: [("loss", {loss: b.losses[t]}), ("nearest", {b.far: b.ways[t]}), ("way.sum", {b.n: t})],
            b.KEPT: [("kept", PROJECTED)],
        },
    ),
    _claim("thm11.free", SHRUNK, decided),
    _claim(
        "thm11",
        beside=(
            needed_in(world.MANY, *world.ASSUMED, letters=world.LETTERS),
            better_in(world.MANY, b.UNTRAINED, *world.ASSUMED, letters=world.LETTERS),
        ),
        lemmas={
            b.LOSSES: [
                ("losses", {b.n: b.tasks - 1, b.errors[b.tasks - 1]: b.almost, b.sums[b.tasks - 1]: b.total})
            ],
            b.LAST: [("kept", {b.kept_next: b.end, b.kept: b.almost})],
            b.ROOT: [("fall.root", {b.b: b.tasks / (2 * sp.sqrt(k))})],
        },
    ),
    _claim("thm11/quarter"),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="evron_cyclic"))
