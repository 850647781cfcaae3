"""Regularisation whose strength may grow: one step, and the mean loss of all models, for all numbers of tasks and dimensions."""

from __future__ import annotations

import bounds.increasing.theorem as b
from verify.commands.main import main
from verify.engine.checks.necessity import better_in, needed_in
from verify.engine.checks.relation import identity, inequality
from verify.engine.checks.unjudged import unjudged
from verify.engine.model.claim import claims_about
from verify.first_order import decided
from verify.scenes.increasing.task import ASSUMED, LETTERS, STILL, TASK, WORLD

OPEN = "the source's strengths and constants were not at hand, and the last model needs a comparison with all earlier ones"
_claim = claims_about("increasing", inequality)
IN_STEP = {b.after2: b.far[b.t + 1], b.before2: b.far[b.t], b.loss: b.losses[b.t], b.lam: b.strengths[b.t]}
CLAIMS = (
    _claim("step", TASK, decided),
    _claim("step.tight", None, identity),
    _claim("weight"),
    _claim("sum", lemmas={b.EVERY: [("step", IN_STEP), ("weight", {b.lam: b.strengths[b.t]})]}),
    _claim(
        "mean",
        beside=(
            needed_in(WORLD, *ASSUMED, letters=LETTERS),
            better_in(WORLD, b.STILL, *ASSUMED, letters=LETTERS),
        ),
        lemmas={b.SUM: [("sum", {b.far[1]: b.start, b.sums[b.T + 1]: b.total})]},
    ),
    _claim("mean/equal", lemmas={b.SUM: [("sum", {b.far[1]: b.start, b.sums[b.T + 1]: b.total})]}),
    _claim("mean/half"),
    _claim("mean.free", STILL, decided),
    _claim("last", None, unjudged(OPEN)),
)

if __name__ == "__main__":
    raise SystemExit(main(topic="increasing_theorem"))
