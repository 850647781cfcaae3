"""Tasks in cycles in linear regression: the forgetting falls like (d - r)/k, for all numbers of tasks and dimensions."""

from __future__ import annotations

import sympy as sp

import bounds.evron.dimension as b
import verify.scenes.evron.world as world
from bounds.evron.cyclic import UNTRAINED, errors, far, kept, kept_next, n, origin, start, tasks, total, ways
from bounds.evron.symbols import F, loss, missing, t
from verify.commands.main import main
from verify.engine.checks.necessity import better_in, needed_in
from verify.engine.checks.relation import identity, inequality
from verify.engine.model.claim import claims_about

_claim = claims_about("evron", inequality)
_SHRINKS = ("kept.sum", {b.lengths[n]: b.after[t], b.lengths[0]: b.before[t]})
IN_THE_PLANE = {b.length: origin, total: tasks * F, b.free: sp.Integer(1)}
"""A task has one sample in the world, so each null space is a line."""
CLAIMS = (
    _claim("kept.sum", lemmas={b.PROJECTED: [("kept", {kept_next: b.lengths[t], kept: b.lengths[t - 1]})]}),
    _claim("dim.shorter", lemmas={b.SHORTER: [_SHRINKS]}),
    _claim("dim.swap.column", None, identity),
    _claim(
        "dim.swap",
        None,
        identity,
        lemmas={
            b.ROWS: [
                (
                    "dim.swap.column",
                    {
                        b.new_sums[b.d]: b.row_sums[t],
                        b.old_sums[b.d]: b.row_sums[t - 1],
                        b.entry_sums[b.d]: b.columns[t],
                    },
                )
            ]
        },
    ),
    _claim(
        "dim.cycle",
        lemmas={
            b.MOVED: [
                ("nearest", {missing: b.distances[t], far: ways[b.m]}),
                ("way.sum", {n: b.m, start: b.sizes[t]}),
                ("kept.sum", {b.lengths[0]: errors[b.m], b.lengths[n]: b.nexts[t]}),
            ]
        },
    ),
    _claim(
        "dim.later",
        lemmas={
            b.SAME: [("dim.swap", {b.row_sums[b.d]: b.by_rows, b.column_sums[b.d]: b.gap})],
            b.SAME_NEXT: [("dim.swap", {b.row_sums[b.d]: b.by_rows_next, b.column_sums[b.d]: b.gap_next})],
            b.FEWER: [("dim.shorter", {b.after_sums[b.d]: b.by_rows_next, b.before_sums[b.d]: b.by_rows})],
        },
    ),
    _claim(
        "dim.sum",
        lemmas={
            b.FALLING: [("dim.later", {b.gap_next: b.gaps[t], b.gap: b.gaps[t - 1]})],
            b.FALL: [
                (
                    "dim.cycle",
                    {
                        b.distance_sums[b.d]: b.gaps[t],
                        b.size_sums[b.d]: b.norms[t],
                        b.next_sums[b.d]: b.norms[t + 1],
                    },
                )
            ],
        },
    ),
    _claim("dim.null", lemmas={b.UNIT: [("kept", {kept_next: b.before[t], kept: sp.Integer(1)})]}),
    _claim(
        "dim.rank",
        lemmas={
            b.LATER: [("dim.shorter", {b.after_sums[b.d]: b.size, b.before_sums[b.d]: b.begun})],
            b.TURNED: [("dim.swap", {b.row_sums[b.d]: b.begun_rows, b.column_sums[b.d]: b.begun})],
            b.FIRST: [("dim.shorter", {b.after_sums[b.d]: b.begun_rows, b.before_sums[b.d]: b.alone})],
            b.RANK: [("dim.null", {b.d: b.free, b.before_sums[b.free]: b.alone})],
        },
    ),
    _claim("dim.loss", lemmas={b.FIRST_LOSS: [("loss", {missing: b.length * b.distances[1]})]}),
    _claim(
        "dim.losses",
        lemmas={
            b.EACH: [
                ("dim.loss", {loss: b.lost[t], b.distance_sums[b.d]: b.gap}),
                ("dim.sum", {b.m: t, b.gaps[n]: b.gap, b.norms[1]: b.size}),
                ("dim.rank", {}),
            ]
        },
    ),
    _claim(
        "thm11.dimension",
        beside=(
            needed_in(world.MANY, *world.ASSUMED, letters=IN_THE_PLANE),
            better_in(world.MANY, UNTRAINED, *world.ASSUMED, letters=IN_THE_PLANE),
        ),
        lemmas={b.ALL: [("dim.losses", {b.j: tasks - 1, b.lost_sums[tasks - 1]: total})]},
    ),
    _claim(
        "thm11.dimension/abstract",
        lemmas={b.ALL: [("dim.losses", {b.j: tasks - 1, b.lost_sums[tasks - 1]: total})]},
    ),
    _claim("thm11.dimension/half"),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="evron_dimension"))
