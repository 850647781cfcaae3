"""FedMeS: trivial bounds, which need no theorem: a model that stands still."""

from __future__ import annotations

from functools import partial

from bounds.fedmes.descent import gap, gap_1, gap_next, gap_s
from bounds.fedmes.personal import (
    DRAWN,
    PULLED,
    QUADRATICS,
    C,
    error,
    error2,
    error_start,
    from_centre,
    off_start,
)
from bounds.fedmes.symbols import at
from bounds.relations import eq, le

_free = partial(at, changes="not of the paper: what standing still gives without the theorem")
_corrected = _free("Theorem 1, without corrections", "174-180")
_personal = _free("Theorem 2, without local steps", "182-186")
STILL = _personal(
    "thm2.free",
    "a personal model that stays where it was downloaded is as far from its optimum as that is from v, and v from it",
    le(error, from_centre + DRAWN),
    conditions=(PULLED,),
    hypotheses=QUADRATICS,
)
STATEMENTS = (
    _corrected("thm1.free", "without corrections the gap stays what it was", eq(gap_s, gap_1)),
    _corrected("thm1.learns.free", "without a correction the gap stays what it was", eq(gap_next, gap)),
    STILL,
    STILL.variant(
        "squared",
        le(error2, (from_centre + DRAWN) ** 2),
        says="the same of squares, and with noise too, of which a model that stands still takes none",
        uses=("thm2.free",),
        changes="squared",
    ),
    _personal(
        "thm2.free.persistent",
        "a personal model that stands still is within C times the distance of the first global model from its optimum",
        le(error2, C**2 * off_start**2),
        conditions=(PULLED, le(error_start, C * off_start)),
    ),
)
